//! The gate on AWS: one DynamoDB item per site, changed by conditional writes.

use anyhow::Context;
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::{AttributeValue, ReturnValue};
use jiff::Timestamp;

use super::{Known, Versioned};
use crate::domain::gate::SiteState;
use crate::domain::site::Site;

#[derive(Clone)]
pub struct DynamoGate {
    pub(super) client: Client,
    pub(super) table: String,
    pub(super) known: Known,
}

impl DynamoGate {
    /// The table has one string key, `pk`, and `expires_at` as its time-to-live attribute.
    pub fn new(client: Client, table: String) -> DynamoGate {
        DynamoGate { client, table, known: Known::default() }
    }

    pub(super) async fn load(&self, site: &Site) -> anyhow::Result<Versioned> {
        let found = self
            .client
            .get_item()
            .table_name(&self.table)
            .key("pk", site_key(site))
            .consistent_read(true)
            .send()
            .await
            .context("reading a site's gate")?;
        let Some(item) = found.item else {
            return Ok(Versioned { state: SiteState::default(), version: 0 });
        };
        let state = item.get("state").and_then(|v| v.as_s().ok()).context("a gate without a state")?;
        let version = item.get("version").and_then(|v| v.as_n().ok()).context("a gate without a version")?;
        Ok(Versioned {
            state: serde_json::from_str(state).context("reading a site's gate")?,
            version: version.parse().context("reading a gate's version")?,
        })
    }

    pub(super) async fn swap(
        &self,
        site: &Site,
        version: i64,
        state: &SiteState,
        expires_at: Timestamp,
    ) -> anyhow::Result<bool> {
        let state = serde_json::to_string(state)?;
        self.put_at(site_key(site), version, state, expires_at).await.context("swapping a site's gate")
    }

    /// Puts an item if the one that is there still has this version; 0: if there is none.
    pub(super) async fn put_at(
        &self,
        key: AttributeValue,
        version: i64,
        state: String,
        expires_at: Timestamp,
    ) -> anyhow::Result<bool> {
        let put = self
            .client
            .put_item()
            .table_name(&self.table)
            .item("pk", key)
            .item("state", AttributeValue::S(state))
            .item("version", number(version + 1))
            .item("expires_at", number(expires_at.as_second()));
        let put = if version == 0 {
            put.condition_expression("attribute_not_exists(pk)")
        } else {
            put.condition_expression("version = :version")
                .expression_attribute_values(":version", number(version))
        };
        match put.send().await {
            Ok(_) => Ok(true),
            Err(error)
                if error.as_service_error().is_some_and(|e| e.is_conditional_check_failed_exception()) =>
            {
                Ok(false)
            }
            Err(error) => Err(error.into()),
        }
    }

    pub(super) async fn count(
        &self,
        key: &str,
        start: Timestamp,
        expires_at: Timestamp,
    ) -> anyhow::Result<i64> {
        let counted = self
            .client
            .update_item()
            .table_name(&self.table)
            .key("pk", AttributeValue::S(format!("count#{key}#{}", start.as_second())))
            .update_expression("add hits :one set expires_at = :expires")
            .expression_attribute_values(":one", number(1))
            .expression_attribute_values(":expires", number(expires_at.as_second()))
            .return_values(ReturnValue::UpdatedNew)
            .send()
            .await
            .context("counting a request")?;
        let hits = counted.attributes().and_then(|all| all.get("hits")).and_then(|v| v.as_n().ok());
        hits.context("a count without a number")?.parse().context("reading a count")
    }
}

fn site_key(site: &Site) -> AttributeValue {
    AttributeValue::S(format!("site#{site}"))
}

fn number(value: i64) -> AttributeValue {
    AttributeValue::N(value.to_string())
}
