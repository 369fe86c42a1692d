//! The things the template makes, one at a time and with the same settings, for contract suites.

use std::time::Duration;

use anyhow::Context;
use aws_sdk_dynamodb::types::{
    AttributeDefinition, BillingMode, KeySchemaElement, KeyType, ScalarAttributeType,
};
use aws_sdk_sqs::types::QueueAttributeName as Attribute;

use crate::{Emulator, unique};

/// A FIFO queue and the one its dead messages go to.
#[derive(Debug, Clone)]
pub struct FifoQueue {
    pub url: String,
    pub dead_url: String,
}

impl Emulator {
    pub fn sqs(&self) -> aws_sdk_sqs::Client {
        aws_sdk_sqs::Client::new(self.sdk())
    }

    pub fn s3(&self) -> aws_sdk_s3::Client {
        aws_sdk_s3::Client::new(self.sdk())
    }

    pub fn dynamodb(&self) -> aws_sdk_dynamodb::Client {
        aws_sdk_dynamodb::Client::new(self.sdk())
    }

    /// A queue like `CrawlQueue`, and its dead letters after `max_receive` receives. The visibility is a
    /// whole number of seconds: SQS knows nothing finer.
    pub async fn create_fifo_queue(
        &self,
        purpose: &str,
        visibility: Duration,
        max_receive: u32,
    ) -> anyhow::Result<FifoQueue> {
        let (sqs, name) = (self.sqs(), unique(purpose));
        let dead_url = sqs
            .create_queue()
            .queue_name(format!("{name}-dead.fifo"))
            .attributes(Attribute::FifoQueue, "true")
            .send()
            .await?
            .queue_url
            .context("a queue has a url")?;
        let dead = sqs
            .get_queue_attributes()
            .queue_url(&dead_url)
            .attribute_names(Attribute::QueueArn)
            .send()
            .await?
            .attributes
            .and_then(|mut all| all.remove(&Attribute::QueueArn))
            .context("a queue has an arn")?;
        let url = sqs
            .create_queue()
            .queue_name(format!("{name}.fifo"))
            .attributes(Attribute::FifoQueue, "true")
            .attributes(Attribute::DeduplicationScope, "messageGroup")
            .attributes(Attribute::FifoThroughputLimit, "perMessageGroupId")
            .attributes(Attribute::VisibilityTimeout, visibility.as_secs().to_string())
            .attributes(
                Attribute::RedrivePolicy,
                format!(r#"{{"deadLetterTargetArn":"{dead}","maxReceiveCount":{max_receive}}}"#),
            )
            .send()
            .await?
            .queue_url
            .context("a queue has a url")?;
        Ok(FifoQueue { url, dead_url })
    }

    /// A bucket of one's own; the answer is its name.
    pub async fn create_bucket(&self, purpose: &str) -> anyhow::Result<String> {
        let name = unique(purpose);
        self.s3().create_bucket().bucket(&name).send().await?;
        Ok(name)
    }

    /// A table like `GateTable` (key `pk`, a string); the answer is its name.
    pub async fn create_gate_table(&self) -> anyhow::Result<String> {
        let name = unique("gate");
        self.dynamodb()
            .create_table()
            .table_name(&name)
            .billing_mode(BillingMode::PayPerRequest)
            .attribute_definitions(
                AttributeDefinition::builder()
                    .attribute_name("pk")
                    .attribute_type(ScalarAttributeType::S)
                    .build()?,
            )
            .key_schema(KeySchemaElement::builder().attribute_name("pk").key_type(KeyType::Hash).build()?)
            .send()
            .await?;
        Ok(name)
    }
}
