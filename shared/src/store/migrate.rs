//! Migrations: forward only, from one place, one at a time.

use anyhow::Context;
use secrecy::SecretString;
use sha2::{Digest, Sha256};

use super::pool;

mod embedded {
    refinery::embed_migrations!("migrations");
}

/// Any number that nothing else in the database locks.
const LOCK: i64 = 0x6672_6573_6865_7401;

/// Brings the database to the newest schema. Two at once wait for each other. Needs a direct address:
/// the lock lives in the session.
pub async fn migrate(url: &SecretString) -> anyhow::Result<Vec<String>> {
    let mut client = pool::lone(url).await?;
    client
        .execute("select pg_advisory_lock($1)", &[&LOCK])
        .await
        .context("waiting for the migration lock")?;
    let report = embedded::migrations::runner().run_async(&mut client).await.context("migrating")?;
    // Defaults for every session of this role, also behind a pooler that refuses start-up options.
    client
        .batch_execute(
            "do $$ begin
                execute format('alter role current_user in database %I set statement_timeout = %L', current_database(), '5s');
                execute format('alter role current_user in database %I set lock_timeout = %L', current_database(), '1s');
                execute format('alter role current_user in database %I set idle_in_transaction_session_timeout = %L',
                    current_database(), '10s');
            end $$",
        )
        .await
        .context("setting the role's time limits")?;
    super::policies::seed(&client, crate::clock::Clock::System.now())
        .await
        .context("seeding the policies")?;
    client.execute("select pg_advisory_unlock($1)", &[&LOCK]).await?;
    Ok(report.applied_migrations().iter().map(ToString::to_string).collect())
}

/// A short name for the schema that the migrations make: it changes when any of them does.
pub fn schema_name() -> String {
    let mut hash = Sha256::new();
    for migration in embedded::migrations::runner().get_migrations() {
        hash.update(migration.checksum().to_le_bytes());
    }
    hex::encode(&hash.finalize()[..6])
}

/// How many migrations the schema should have, and how many it has. `api` is ready when they agree.
pub async fn is_current(db: &impl super::Db) -> anyhow::Result<bool> {
    let wanted = i32::try_from(embedded::migrations::runner().get_migrations().len()).unwrap_or(i32::MAX);
    let found = db
        .client()
        .query_typed("select count(*)::int4 from refinery_schema_history", &[])
        .await
        .context("reading the schema's history")?;
    Ok(found.first().map(|row| row.get::<_, i32>(0)).unwrap_or_default() >= wanted)
}
