//! Blobs in a folder. A file appears under its name only when it is whole.

use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::Context;

use super::{BlobKey, pack};
use crate::gather::Gather;

#[derive(Clone)]
pub struct FolderBlobs {
    root: PathBuf,
    packer: Gather<Vec<u8>, BlobKey>,
}

impl FolderBlobs {
    pub fn new(root: PathBuf) -> anyhow::Result<FolderBlobs> {
        let rendered = root.join("rendered");
        std::fs::create_dir_all(&rendered).with_context(|| format!("making {}", rendered.display()))?;
        let packer = pack::packer(root.join("pack"))?;
        Ok(FolderBlobs { root, packer })
    }

    /// Appends to the open pack; returns when the bytes are on the disk.
    pub(super) async fn keep(&self, packed: Vec<u8>) -> anyhow::Result<BlobKey> {
        self.packer.ask(packed).await
    }

    /// Removes packs that were last written to before then. Returns how many.
    pub async fn forget_packs(&self, before: SystemTime) -> anyhow::Result<usize> {
        let folder = self.root.join("pack");
        tokio::task::spawn_blocking(move || pack::forget(&folder, before)).await?
    }

    pub(super) async fn put(&self, key: &BlobKey, packed: Vec<u8>) -> anyhow::Result<()> {
        let path = self.root.join(key.as_str());
        tokio::task::spawn_blocking(move || write_whole(&path, &packed)).await?
    }

    pub(super) async fn remove(&self, key: &BlobKey) -> anyhow::Result<()> {
        match tokio::fs::remove_file(self.root.join(key.as_str())).await {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(error).with_context(|| format!("removing {key}"))
            }
            _ => Ok(()),
        }
    }

    /// Removes what browsers showed and nobody came for. Returns how much.
    pub async fn forget_rendered(&self, before: SystemTime) -> anyhow::Result<usize> {
        let folder = self.root.join("rendered");
        tokio::task::spawn_blocking(move || pack::forget(&folder, before)).await?
    }

    pub(super) async fn get(&self, key: &BlobKey) -> anyhow::Result<Option<Vec<u8>>> {
        if let Some(place) = key.packed() {
            let folder = self.root.join("pack");
            return tokio::task::spawn_blocking(move || pack::read(&folder, &place)).await?;
        }
        match tokio::fs::read(self.root.join(key.as_str())).await {
            Ok(packed) => Ok(Some(packed)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error).with_context(|| format!("reading {key}")),
        }
    }
}

/// Writes beside, then renames. The bytes are on the disk before the name is, so that not even a power
/// cut leaves half a page under a full name.
fn write_whole(path: &Path, packed: &[u8]) -> anyhow::Result<()> {
    if path.exists() {
        return Ok(());
    }
    let folder = path.parent().context("a blob has a folder")?;
    std::fs::create_dir_all(folder).with_context(|| format!("making {}", folder.display()))?;
    let beside = folder.join(format!(".{}.part", uuid::Uuid::new_v4()));
    let written = (|| {
        let mut file = std::fs::File::create(&beside)?;
        file.write_all(packed)?;
        file.sync_data()?;
        std::fs::rename(&beside, path)
    })();
    if written.is_err() {
        drop(std::fs::remove_file(&beside));
    }
    written.with_context(|| format!("writing {}", path.display()))
}
