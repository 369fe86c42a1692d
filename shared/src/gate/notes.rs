//! Small things that all instances must agree on and that are no site's state: a value under a key, swapped
//! like a site's state.

use std::collections::HashMap;

use anyhow::Context;
use aws_sdk_dynamodb::types::AttributeValue;
use jiff::Timestamp;
use serde_json::Value;

use super::{DynamoGate, Gate, PgGate};
use crate::store::args::{args, micros, rows, run, statements};

statements! {
    NOTES = "select key, value, version from gate_notes where key = any($1)";
    FIRST_NOTE = "insert into gate_notes (key, value, version, expires_at) values ($1, $2, 1, $3)
        on conflict do nothing";
    SWAP_NOTE = "update gate_notes set value = $3, version = version + 1, expires_at = $4
        where key = $1 and version = $2";
    FORGET_NOTES = "delete from gate_notes where expires_at <= $1";
}

/// A value with the version it was read at. Version 0: nothing is stored.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Note {
    pub value: Value,
    pub version: i64,
}

impl Gate {
    /// What is kept under these keys; a key without anything is not in the answer. Time runs out by the
    /// values themselves: what is past its `expires_at` may still be here.
    pub async fn notes(&self, keys: &[String]) -> anyhow::Result<HashMap<String, Note>> {
        match self {
            Gate::Dynamo(gate) => gate.notes(keys).await,
            Gate::Postgres(gate) => gate.notes(keys).await,
        }
    }

    /// Keeps the value if the key is still at that version. `false`: somebody was quicker.
    pub async fn swap_note(
        &self,
        key: &str,
        version: i64,
        value: &Value,
        expires_at: Timestamp,
    ) -> anyhow::Result<bool> {
        match self {
            Gate::Dynamo(gate) => gate.swap_note(key, version, value, expires_at).await,
            Gate::Postgres(gate) => gate.swap_note(key, version, value, expires_at).await,
        }
    }
}

impl PgGate {
    async fn notes(&self, keys: &[String]) -> anyhow::Result<HashMap<String, Note>> {
        let conn = self.db.conn().await?;
        let found = rows(&*conn, NOTES, &args![keys.to_vec()]).await?;
        Ok(found.iter().map(|row| (row.get(0), Note { value: row.get(1), version: row.get(2) })).collect())
    }

    async fn swap_note(
        &self,
        key: &str,
        version: i64,
        value: &Value,
        expires_at: Timestamp,
    ) -> anyhow::Result<bool> {
        let conn = self.db.conn().await?;
        let expires_at = micros(expires_at);
        let touched = if version == 0 {
            run(&*conn, FIRST_NOTE, &args![key, *value, expires_at]).await?
        } else {
            run(&*conn, SWAP_NOTE, &args![key, version, *value, expires_at]).await?
        };
        Ok(touched == 1)
    }

    /// Drops what is past its time. Cleaning only.
    pub async fn forget_notes(&self, now: Timestamp) -> anyhow::Result<u64> {
        let conn = self.db.conn().await?;
        run(&*conn, FORGET_NOTES, &args![now]).await
    }
}

impl DynamoGate {
    async fn notes(&self, keys: &[String]) -> anyhow::Result<HashMap<String, Note>> {
        // Item by item, all at once: a batch read is another permission, and may leave items out.
        let found = futures_util::future::try_join_all(keys.iter().map(|key| self.note(key))).await?;
        Ok(keys.iter().cloned().zip(found).filter_map(|(key, note)| Some((key, note?))).collect())
    }

    async fn note(&self, key: &str) -> anyhow::Result<Option<Note>> {
        let read = self
            .client
            .get_item()
            .table_name(&self.table)
            .key("pk", note_key(key))
            .consistent_read(true)
            .send()
            .await
            .context("reading a note")?;
        let Some(item) = read.item else { return Ok(None) };
        let value = item.get("state").and_then(|v| v.as_s().ok()).context("a note without a value")?;
        let version = item.get("version").and_then(|v| v.as_n().ok()).context("a note without a version")?;
        Ok(Some(Note {
            value: serde_json::from_str(value).context("reading a note")?,
            version: version.parse().context("reading a note's version")?,
        }))
    }

    async fn swap_note(
        &self,
        key: &str,
        version: i64,
        value: &Value,
        expires_at: Timestamp,
    ) -> anyhow::Result<bool> {
        self.put_at(note_key(key), version, value.to_string(), expires_at).await.context("swapping a note")
    }
}

fn note_key(key: &str) -> AttributeValue {
    AttributeValue::S(format!("note#{key}"))
}
