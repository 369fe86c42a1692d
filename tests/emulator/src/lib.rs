//! A small AWS on loopback for tests: SQS, S3, DynamoDB, Lambda, CloudFormation by `ministack`.
//!
//! A run of tests shares one (`scripts/test-emulator start`, `EMULATOR_URL`), because nextest gives
//! every test its own process; a test that deploys functions starts its own. Nothing here may know
//! `shared`.

mod process;
mod resources;

pub use process::Emulator;
pub use resources::FifoQueue;

use aws_config::{BehaviorVersion, Region, SdkConfig};
use aws_sdk_sqs::config::{Credentials, SharedCredentialsProvider};
use aws_smithy_http_client::tls::{Provider, rustls_provider::CryptoMode};

/// The region every emulated thing lives in.
pub const REGION: &str = "us-east-1";

/// A name no other test uses: the emulator is shared and forgets nothing.
pub fn unique(purpose: &str) -> String {
    format!("{purpose}-{}", uuid::Uuid::new_v4().simple())
}

/// SDK settings that talk to `endpoint` as the owner of the account.
fn sdk_config(endpoint: &str) -> SdkConfig {
    let http =
        aws_smithy_http_client::Builder::new().tls_provider(Provider::Rustls(CryptoMode::Ring)).build_https();
    SdkConfig::builder()
        .behavior_version(BehaviorVersion::latest())
        .region(Region::from_static(REGION))
        .endpoint_url(endpoint)
        .credentials_provider(SharedCredentialsProvider::new(Credentials::new(
            "test", "test", None, None, "emulator",
        )))
        .http_client(http)
        .build()
}
