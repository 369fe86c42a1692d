//! Packs: pages one after another in files that only grow. A page's key says where it lies, so there is no
//! index to keep, to lose or to load. Every process writes packs of its own and reads everybody's.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use anyhow::Context;
use uuid::Uuid;

use super::{BlobKey, Packed};
use crate::gather::Gather;

/// A full pack is closed and a new one begun; old ones are removed whole.
const FULL: u64 = 256 * 1024 * 1024;
/// Pages that share one flush to the disk.
const MOST: usize = 64;

struct Pack {
    id: Uuid,
    file: File,
    length: u64,
}

/// The writer of this process: what comes while one flush is under way shares the next.
pub fn packer(folder: PathBuf) -> anyhow::Result<Gather<Vec<u8>, BlobKey>> {
    std::fs::create_dir_all(&folder).with_context(|| format!("making {}", folder.display()))?;
    let open: Arc<Mutex<Option<Pack>>> = Arc::default();
    Ok(Gather::new(MOST, move |pages: Vec<Vec<u8>>| {
        let (open, folder) = (open.clone(), folder.clone());
        async move {
            tokio::task::spawn_blocking(move || {
                let mut open = open.lock().unwrap_or_else(PoisonError::into_inner);
                // Taken out and put back only when all went well: after a failed write nobody knows how
                // long the file is, and it is never written to again.
                let mut pack = match open.take() {
                    Some(pack) if pack.length < FULL => pack,
                    _ => begin(&folder)?,
                };
                let keys = append(&mut pack, &pages)?;
                *open = Some(pack);
                Ok(keys)
            })
            .await?
        }
    }))
}

fn begin(folder: &Path) -> anyhow::Result<Pack> {
    let id = Uuid::new_v4();
    let path = path(folder, id);
    let file = OpenOptions::new().create_new(true).append(true).open(&path);
    let file = file.with_context(|| format!("making {}", path.display()))?;
    // The name must survive a power cut as well as the bytes.
    File::open(folder).and_then(|folder| folder.sync_all()).context("flushing the folder of packs")?;
    Ok(Pack { id, file, length: 0 })
}

fn append(pack: &mut Pack, pages: &[Vec<u8>]) -> anyhow::Result<Vec<BlobKey>> {
    pack.file.write_all(&pages.concat()).context("writing to a pack")?;
    pack.file.sync_data().context("flushing a pack")?;
    let mut place = |page: &Vec<u8>| {
        let (from, length) = (pack.length, page.len() as u64);
        pack.length += length;
        BlobKey::of_pack(&Packed { pack: pack.id, from, length })
    };
    Ok(pages.iter().map(&mut place).collect())
}

/// The bytes at a place; `None` when the pack is gone or does not reach so far.
pub fn read(folder: &Path, place: &Packed) -> anyhow::Result<Option<Vec<u8>>> {
    let path = path(folder, place.pack);
    let file = match File::open(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error).with_context(|| format!("opening {}", path.display())),
    };
    let length = file.metadata().with_context(|| format!("reading {}", path.display()))?.len();
    if place.from.checked_add(place.length).is_none_or(|end| end > length) {
        return Ok(None);
    }
    let mut bytes = vec![0; usize::try_from(place.length)?];
    file.read_exact_at(&mut bytes, place.from).with_context(|| format!("reading {}", path.display()))?;
    Ok(Some(bytes))
}

/// Removes packs that were last written to before then.
pub fn forget(folder: &Path, before: SystemTime) -> anyhow::Result<usize> {
    let mut removed = 0;
    for entry in std::fs::read_dir(folder).with_context(|| format!("reading {}", folder.display()))? {
        let entry = entry?;
        if entry.metadata()?.modified()? < before {
            std::fs::remove_file(entry.path())?;
            removed += 1;
        }
    }
    Ok(removed)
}

fn path(folder: &Path, pack: Uuid) -> PathBuf {
    folder.join(format!("{pack}.pack"))
}
