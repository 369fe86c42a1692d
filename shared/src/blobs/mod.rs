//! Raw pages, compressed. S3 on AWS, a folder on one machine. Keys are made here from hashes and ids;
//! nothing a site or a caller wrote is ever part of a path.

mod folder;
mod s3;

use std::fmt;

use anyhow::{Context, ensure};
use bytes::Bytes;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

pub use folder::FolderBlobs;
pub use s3::S3Blobs;

use crate::domain::ids::TaskId;

/// Fast, and about a sixth of the size of a web page.
const LEVEL: i32 = 3;
/// Nothing we store is larger than this when unpacked.
const MAX_UNPACKED: usize = 32 * 1024 * 1024;

/// Where a blob lies.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct BlobKey(String);

impl BlobKey {
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
            _ => false,
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
    /// Stores a blob. It is whole or not there; storing it again changes nothing.
    pub async fn put(&self, key: &BlobKey, body: &[u8]) -> anyhow::Result<()> {
        let packed = zstd::bulk::compress(body, LEVEL).context("compressing a blob")?;
        match self {
            Blobs::S3(blobs) => blobs.put(key, packed).await,
            Blobs::Folder(blobs) => blobs.put(key, packed).await,
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
