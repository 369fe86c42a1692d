//! Blobs in an S3 bucket.

use anyhow::Context;
use aws_sdk_s3::Client;

use super::BlobKey;

#[derive(Clone)]
pub struct S3Blobs {
    client: Client,
    bucket: String,
}

impl S3Blobs {
    pub fn new(client: Client, bucket: String) -> S3Blobs {
        S3Blobs { client, bucket }
    }

    pub(super) async fn put(&self, key: &BlobKey, packed: Vec<u8>) -> anyhow::Result<()> {
        self.client
            .put_object()
            .bucket(&self.bucket)
            .key(key.as_str())
            .content_type("application/zstd")
            .body(packed.into())
            .send()
            .await
            .with_context(|| format!("storing {key}"))?;
        Ok(())
    }

    pub(super) async fn remove(&self, key: &BlobKey) -> anyhow::Result<()> {
        let removed = self.client.delete_object().bucket(&self.bucket).key(key.as_str()).send().await;
        removed.map(drop).with_context(|| format!("removing {key}"))
    }

    pub(super) async fn get(&self, key: &BlobKey) -> anyhow::Result<Option<Vec<u8>>> {
        match self.client.get_object().bucket(&self.bucket).key(key.as_str()).send().await {
            Ok(found) => {
                let body = found.body.collect().await.with_context(|| format!("reading {key}"))?;
                Ok(Some(body.to_vec()))
            }
            Err(error) if error.as_service_error().is_some_and(|e| e.is_no_such_key()) => Ok(None),
            Err(error) => Err(error).with_context(|| format!("reading {key}")),
        }
    }
}
