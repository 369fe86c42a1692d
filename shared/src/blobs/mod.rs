//! Raw pages, compressed. S3 on AWS, a folder on one machine. Keys are made here from hashes and ids;
//! nothing a site or a caller wrote is ever part of a path.

mod folder;
mod pack;
mod s3;

use std::cell::RefCell;
use std::fmt;

use anyhow::{Context, ensure};
use bytes::Bytes;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use uuid::Uuid;

pub use folder::FolderBlobs;
pub use s3::S3Blobs;

use crate::domain::ids::TaskId;

/// Compressing is the dearest thing that happens to a page on its way in: a quarter of its size is left, at half
/// the work of the next level, which leaves a fifth.
const LEVEL: i32 = -1;
/// A body up to this is compressed where it is; a larger one would hold up others.
const SMALL: usize = 256 * 1024;
/// Nothing we store is larger than this when unpacked.
const MAX_UNPACKED: usize = 32 * 1024 * 1024;

/// Where a blob lies.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct BlobKey(String);

/// A place in a pack: which one, from where, how many bytes.
pub(crate) struct Packed {
    pub pack: Uuid,
    pub from: u64,
    pub length: u64,
}

impl BlobKey {
    fn of_pack(place: &Packed) -> BlobKey {
        BlobKey(format!("pack/{}/{}-{}.zst", place.pack, place.from, place.length))
    }

    /// Where in which pack, if it lies in one.
    pub(crate) fn packed(&self) -> Option<Packed> {
        let (pack, place) = self.0.strip_prefix("pack/")?.strip_suffix(".zst")?.split_once('/')?;
        let (from, length) = place.split_once('-')?;
        Some(Packed { pack: pack.parse().ok()?, from: from.parse().ok()?, length: length.parse().ok()? })
    }

    /// The place of these very bytes: the same page is stored once.
    pub fn of_content(body: &[u8]) -> BlobKey {
        BlobKey::of_hash(&content_hash(body))
    }

    fn of_hash(hash: &str) -> BlobKey {
        BlobKey(format!("raw/{}/{hash}.zst", &hash[..2]))
    }

    /// The place of what one task made.
    pub fn of_task(id: TaskId) -> BlobKey {
        BlobKey(format!("task/{id}.zst"))
    }

    /// The place of what a browser showed to one claim of a task.
    pub fn of_render(id: TaskId, fence: i32) -> BlobKey {
        BlobKey(format!("rendered/{id}-{fence}.zst"))
    }

    /// A key read back from a row. Anything this module did not make is refused.
    pub fn stored(key: &str) -> anyhow::Result<BlobKey> {
        let hash = key
            .strip_prefix("raw/")
            .and_then(|rest| rest.get(3..))
            .and_then(|rest| rest.strip_suffix(".zst"));
        let task = key.strip_prefix("task/").and_then(|rest| rest.strip_suffix(".zst"));
        let known = match (hash, task) {
            (Some(hash), _) if hash.len() == 64 && hash.bytes().all(|b| b.is_ascii_hexdigit()) => {
                BlobKey::of_hash(hash).0 == key
            }
            (_, Some(task)) => task.parse::<TaskId>().is_ok_and(|id| BlobKey::of_task(id).0 == key),
            _ => BlobKey(key.to_owned()).packed().is_some_and(|place| BlobKey::of_pack(&place).0 == key),
        };
        ensure!(known, "{key:?} is no blob key");
        Ok(BlobKey(key.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for BlobKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// SHA-256 in lower-case hex.
pub fn content_hash(body: &[u8]) -> String {
    hex::encode(Sha256::digest(body))
}

#[derive(Clone)]
pub enum Blobs {
    S3(S3Blobs),
    Folder(FolderBlobs),
}

impl Blobs {
    /// Keeps a page and says where: on S3 under the hash of its content, in a folder packed with others,
    /// because a file for each would cost more than fetching it did.
    pub async fn keep(&self, body: Bytes, sha256: &str) -> anyhow::Result<BlobKey> {
        let packed = if body.len() <= SMALL {
            compress(&body)?
        } else {
            tokio::task::spawn_blocking(move || compress(&body)).await??
        };
        match self {
            Blobs::S3(blobs) => {
                let key = BlobKey::of_hash(sha256);
                blobs.put(&key, packed).await?;
                Ok(key)
            }
            Blobs::Folder(blobs) => blobs.keep(packed).await,
        }
    }

    /// Stores a blob. It is whole or not there; storing it again changes nothing.
    pub async fn put(&self, key: &BlobKey, body: &[u8]) -> anyhow::Result<()> {
        let packed = compress(body)?;
        match self {
            Blobs::S3(blobs) => blobs.put(key, packed).await,
            Blobs::Folder(blobs) => blobs.put(key, packed).await,
        }
    }

    /// Removes a blob that nobody needs any more. One that is not there is fine.
    pub async fn remove(&self, key: &BlobKey) -> anyhow::Result<()> {
        match self {
            Blobs::S3(blobs) => blobs.remove(key).await,
            Blobs::Folder(blobs) => blobs.remove(key).await,
        }
    }

    /// The blob, or `None` when there is none.
    pub async fn get(&self, key: &BlobKey) -> anyhow::Result<Option<Bytes>> {
        let packed = match self {
            Blobs::S3(blobs) => blobs.get(key).await?,
            Blobs::Folder(blobs) => blobs.get(key).await?,
        };
        packed
            .map(|packed| zstd::bulk::decompress(&packed, MAX_UNPACKED).map(Bytes::from))
            .transpose()
            .with_context(|| format!("unpacking {key}"))
    }
}

thread_local! {
    /// Making one costs as much as compressing a page.
    static COMPRESSOR: RefCell<Option<zstd::bulk::Compressor<'static>>> = const { RefCell::new(None) };
}

fn compress(body: &[u8]) -> anyhow::Result<Vec<u8>> {
    COMPRESSOR.with_borrow_mut(|kept| {
        let compressor = match kept {
            Some(compressor) => compressor,
            None => kept.insert(zstd::bulk::Compressor::new(LEVEL).context("making a compressor")?),
        };
        compressor.compress(body).context("compressing a blob")
    })
}
