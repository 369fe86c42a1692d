//! The queue on AWS: SQS FIFO, high throughput per group.

use std::time::Duration;

use anyhow::{Context, bail};
use aws_sdk_sqs::Client;
use aws_sdk_sqs::types::{
    MessageSystemAttributeName, QueueAttributeName, SendMessageBatchRequestEntry as Entry,
};

use super::{Delivery, Outgoing};

#[derive(Clone)]
pub struct SqsQueue {
    client: Client,
    url: String,
}

impl SqsQueue {
    pub fn new(client: Client, url: String) -> SqsQueue {
        SqsQueue { client, url }
    }

    pub(super) async fn send(&self, messages: &[Outgoing]) -> anyhow::Result<()> {
        for chunk in messages.chunks(10) {
            let entries = chunk
                .iter()
                .enumerate()
                .map(|(at, message)| {
                    Entry::builder()
                        .id(at.to_string())
                        .message_group_id(&message.group)
                        .message_deduplication_id(&message.dedup_id)
                        .message_body(&message.body)
                        .build()
                })
                .collect::<Result<Vec<_>, _>>()?;
            let sent = self
                .client
                .send_message_batch()
                .queue_url(&self.url)
                .set_entries(Some(entries))
                .send()
                .await
                .context("sending to the queue")?;
            // Order holds only if nothing after a failed entry went ahead of it; the caller sends again.
            if let Some(failed) = sent.failed().first() {
                bail!(
                    "the queue refused a message: {} {}",
                    failed.code(),
                    failed.message().unwrap_or_default()
                );
            }
        }
        Ok(())
    }

    pub(super) async fn receive(&self, most: usize, wait: Duration) -> anyhow::Result<Vec<Delivery>> {
        let received = self
            .client
            .receive_message()
            .queue_url(&self.url)
            .max_number_of_messages(i32::try_from(most)?)
            .wait_time_seconds(i32::try_from(wait.as_secs().min(20))?)
            .message_system_attribute_names(MessageSystemAttributeName::MessageGroupId)
            .message_system_attribute_names(MessageSystemAttributeName::ApproximateReceiveCount)
            .send()
            .await
            .context("receiving from the queue")?;
        received.messages.unwrap_or_default().into_iter().map(delivery).collect()
    }

    pub(super) async fn ack(&self, receipt: &str) -> anyhow::Result<()> {
        let deleted = self.client.delete_message().queue_url(&self.url).receipt_handle(receipt).send().await;
        match deleted {
            Ok(_) => Ok(()),
            // The receipt is void: the message is another's now.
            Err(error) if error.as_service_error().is_some_and(|e| e.is_receipt_handle_is_invalid()) => {
                Ok(())
            }
            Err(error) if is_void(error.as_service_error().and_then(|e| e.meta().code())) => Ok(()),
            Err(error) => Err(error).context("deleting from the queue"),
        }
    }

    pub(super) async fn hide(&self, receipt: &str, how_long: Duration) -> anyhow::Result<()> {
        // Whole seconds only; rounded up, never early.
        let seconds = how_long.as_secs() + u64::from(how_long.subsec_nanos() > 0);
        self.client
            .change_message_visibility()
            .queue_url(&self.url)
            .receipt_handle(receipt)
            .visibility_timeout(i32::try_from(seconds)?)
            .send()
            .await
            .context("hiding a message")?;
        Ok(())
    }

    /// Messages that nobody holds.
    pub(super) async fn waiting(&self) -> anyhow::Result<i64> {
        self.count(&[QueueAttributeName::ApproximateNumberOfMessages]).await
    }

    pub(super) async fn depth(&self) -> anyhow::Result<i64> {
        self.count(&[
            QueueAttributeName::ApproximateNumberOfMessages,
            QueueAttributeName::ApproximateNumberOfMessagesNotVisible,
        ])
        .await
    }

    async fn count(&self, names: &[QueueAttributeName]) -> anyhow::Result<i64> {
        let found = self
            .client
            .get_queue_attributes()
            .queue_url(&self.url)
            .set_attribute_names(Some(names.to_vec()))
            .send()
            .await
            .context("asking the queue for its depth")?;
        let count = |name| {
            found
                .attributes()
                .and_then(|all| all.get(name))
                .and_then(|n| n.parse::<i64>().ok())
                .unwrap_or_default()
        };
        Ok(names.iter().map(count).sum())
    }
}

fn is_void(code: Option<&str>) -> bool {
    matches!(code, Some("ReceiptHandleIsInvalid" | "InvalidParameterValue"))
}

fn delivery(message: aws_sdk_sqs::types::Message) -> anyhow::Result<Delivery> {
    let attribute =
        |name| message.attributes.as_ref().and_then(|all| all.get(&name)).cloned().unwrap_or_default();
    Ok(Delivery {
        group: attribute(MessageSystemAttributeName::MessageGroupId),
        receive_count: attribute(MessageSystemAttributeName::ApproximateReceiveCount).parse().unwrap_or(1),
        message_id: message.message_id.context("a message without an id")?,
        receipt: message.receipt_handle.context("a message without a receipt")?,
        body: message.body.unwrap_or_default(),
    })
}
