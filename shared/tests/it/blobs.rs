//! One contract, two stores: S3 (against an emulator) and a folder.

use emulator::Emulator;
use shared::blobs::{BlobKey, Blobs, FolderBlobs, S3Blobs, content_hash};
use shared::clock::Clock;
use shared::domain::ids::TaskId;

struct Bench {
    blobs: Blobs,
    folder: Option<tempfile::TempDir>,
}

async fn on_folder() -> Bench {
    let folder = tempfile::tempdir().unwrap();
    let blobs = FolderBlobs::new(folder.path().join("blobs")).unwrap();
    Bench { blobs: Blobs::Folder(blobs), folder: Some(folder) }
}

async fn on_s3() -> Bench {
    let emulator = Emulator::ready().await.unwrap();
    let bucket = emulator.create_bucket("blobs").await.unwrap();
    Bench { blobs: Blobs::S3(S3Blobs::new(emulator.s3(), bucket)), folder: None }
}

macro_rules! contract {
    ($($law:ident),+ $(,)?) => {
        mod folder {
            $(#[tokio::test] async fn $law() { super::$law(super::on_folder().await).await; })+
        }
        mod s3 {
            $(#[tokio::test] async fn $law() { super::$law(super::on_s3().await).await; })+
        }
    };
}

contract!(
    what_is_stored_comes_back,
    what_is_not_there_is_none,
    what_is_kept_comes_back_from_where_it_lies,
    storing_again_changes_nothing,
    many_writers_of_one_page_leave_one_whole_page,
);

async fn what_is_stored_comes_back(bench: Bench) {
    for body in [&b""[..], b"<html>", &vec![7_u8; 3_000_000], &[0, 255, 128]] {
        for key in [BlobKey::of_content(body), BlobKey::of_task(TaskId::fresh())] {
            bench.blobs.put(&key, body).await.unwrap();
            assert_eq!(bench.blobs.get(&key).await.unwrap().unwrap(), body);
        }
    }
}

async fn what_is_not_there_is_none(bench: Bench) {
    assert!(bench.blobs.get(&BlobKey::of_content(b"never stored")).await.unwrap().is_none());
}

async fn what_is_kept_comes_back_from_where_it_lies(bench: Bench) {
    let bodies: Vec<Vec<u8>> = (0..40_usize).map(|n| vec![n as u8; n * n * 400]).collect();
    let mut keepers = tokio::task::JoinSet::new();
    for body in bodies {
        let blobs = bench.blobs.clone();
        keepers.spawn(async move {
            let key = blobs.keep(body.clone().into(), &content_hash(&body)).await.unwrap();
            (BlobKey::stored(key.as_str()).unwrap(), body)
        });
    }
    let kept = keepers.join_all().await;
    for (key, body) in &kept {
        assert_eq!(bench.blobs.get(key).await.unwrap().unwrap(), body, "{key}");
    }
}

async fn storing_again_changes_nothing(bench: Bench) {
    let key = BlobKey::of_content(b"page");
    bench.blobs.put(&key, b"page").await.unwrap();
    bench.blobs.put(&key, b"page").await.unwrap();
    assert_eq!(bench.blobs.get(&key).await.unwrap().unwrap(), "page");
}

async fn many_writers_of_one_page_leave_one_whole_page(bench: Bench) {
    let body = vec![b'x'; 200_000];
    let key = BlobKey::of_content(&body);
    let mut writers = tokio::task::JoinSet::new();
    for _ in 0..16 {
        let (blobs, key, body) = (bench.blobs.clone(), key.clone(), body.clone());
        writers.spawn(async move {
            blobs.put(&key, &body).await.unwrap();
            assert_eq!(blobs.get(&key).await.unwrap().unwrap(), body);
        });
    }
    writers.join_all().await;
    if let Some(folder) = &bench.folder {
        let left =
            std::fs::read_dir(folder.path().join("blobs/raw").join(&key.as_str()[4..6])).unwrap().count();
        assert_eq!(left, 1, "no half-written file stays behind");
    }
}

#[test]
fn a_key_holds_nothing_that_was_not_made_here() {
    let good = BlobKey::of_content(b"page");
    assert_eq!(BlobKey::stored(good.as_str()).unwrap(), good);
    let task = BlobKey::of_task(TaskId::fresh());
    assert_eq!(BlobKey::stored(task.as_str()).unwrap(), task);
    let hash = &good.as_str()[7..71];
    for bad in [
        "",
        "raw/",
        "raw/../../etc/passwd",
        "/etc/passwd",
        &format!("raw/zz/{hash}.zst"),
        &format!("raw/{}/{hash}", &hash[..2]),
        &format!("raw/{}/{hash}.zst/x", &hash[..2]),
        "raw/aé/x.zst",
        "pack/../0-1.zst",
        "pack/6f9619ff-8b86-d011-b42d-00cf4fc964ff/00-1.zst",
        "pack/6f9619ff-8b86-d011-b42d-00cf4fc964ff/0--1.zst",
        "pack/6F9619FF-8b86-d011-b42d-00cf4fc964ff/0-1.zst",
        "task/../x.zst",
        "task/123.zst",
    ] {
        assert!(BlobKey::stored(bad).is_err(), "{bad}");
    }
}

/// What a dead writer left, and what was never whole, is not found; what is old goes as a whole.
#[tokio::test]
async fn packs_outlive_their_writer_and_go_when_they_are_old() {
    let folder = tempfile::tempdir().unwrap();
    let open = || Blobs::Folder(FolderBlobs::new(folder.path().to_owned()).unwrap());
    let key = open().keep(b"page"[..].into(), "").await.unwrap();
    let Blobs::Folder(other) = open() else { unreachable!() };
    let blobs = Blobs::Folder(other.clone());
    assert_eq!(blobs.get(&key).await.unwrap().unwrap(), "page");

    let beyond = key.as_str().replace("/0-", "/7-");
    assert!(blobs.get(&BlobKey::stored(&beyond).unwrap()).await.unwrap().is_none());
    let now = std::time::SystemTime::from(Clock::System.now());
    assert_eq!(other.forget_packs(now - std::time::Duration::from_secs(60)).await.unwrap(), 0);
    assert_eq!(other.forget_packs(now + std::time::Duration::from_secs(60)).await.unwrap(), 1);
    assert!(blobs.get(&key).await.unwrap().is_none());
}
