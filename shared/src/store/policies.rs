//! Crawl policies, one row a site and one default. Together they are the book that an operator edits.

use std::collections::HashMap;

use anyhow::Context;
use jiff::Timestamp;
use serde_json::{Map, Value};
use thiserror::Error;

use super::args::{Db, args, micros, row, rows, run, statements};
use crate::domain::policy::Policy;
use crate::domain::policy_book::{self, PolicyBook};
use crate::domain::site::Site;

/// The row that holds for every site without one of its own.
pub const DEFAULT: &str = policy_book::DEFAULT;

statements! {
    FOR_SITES = "select site, policy from policies where site = any($1::text[]) or site = 'default'";
    SET = "insert into policies (site, policy, updated_at) values ($1, $2, $3)
        on conflict (site) do update set policy = excluded.policy, updated_at = excluded.updated_at";
    VERSION = "select version from policy_book";
    LOCK = "select version from policy_book for update";
    BOOK = "select site, policy from policies order by site";
    EMPTY = "delete from policies";
    FILL = "insert into policies (site, policy, updated_at)
        select given.site, given.policy, $3 from unnest($1::text[], $2::jsonb[]) as given (site, policy)";
    SEED = "with first as (update policy_book set seeded_at = $3 where seeded_at is null returning 1)
        insert into policies (site, policy, updated_at)
        select given.site, given.policy, $3 from first, unnest($1::text[], $2::jsonb[]) as given (site, policy)
        on conflict (site) do nothing";
}

/// The book has changed since the version that was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("the policies have changed: they are at version {now}")]
pub struct Changed {
    pub now: i64,
}

/// The policy that holds for a site.
pub async fn of_site(db: &impl Db, site: &Site) -> anyhow::Result<Policy> {
    of_sites(db, &[site.as_str()]).await?.remove(site.as_str()).context("every site has a policy")
}

/// The policies that hold for some sites, by their names.
pub async fn of_sites(db: &impl Db, sites: &[&str]) -> anyhow::Result<HashMap<String, Policy>> {
    let mut entries = HashMap::new();
    for row in rows(db, FOR_SITES, &args![sites.to_vec()]).await? {
        entries.insert(row.get::<_, String>(0), fields(row.get(1))?);
    }
    let policy = |site: &&str| {
        policy_book::merged(entries.get(DEFAULT), entries.get(*site))
            .map(|policy| ((*site).to_owned(), policy))
            .map_err(anyhow::Error::msg)
            .with_context(|| format!("reading the policy of {site}"))
    };
    sites.iter().map(policy).collect()
}

/// Sets the policy of a site, or of `DEFAULT`.
pub async fn set(db: &impl Db, site: &str, policy: &Policy, now: Timestamp) -> anyhow::Result<()> {
    let policy = serde_json::to_value(policy.clone().checked()?)?;
    run(db, SET, &args![site, policy, micros(now)]).await.map(drop)
}

/// The number that changes with every change of any policy.
pub async fn version(db: &impl Db) -> anyhow::Result<i64> {
    let found = row(db, VERSION, &args![]).await?.context("the policy book has a version")?;
    Ok(found.get(0))
}

/// The whole book. Ask for the version first: then the book is at least as new.
pub async fn book(db: &impl Db) -> anyhow::Result<PolicyBook> {
    let mut book = PolicyBook::default();
    for row in rows(db, BOOK, &args![]).await? {
        book.entries.insert(row.get(0), fields(row.get(1))?);
    }
    Ok(book)
}

/// Puts another book in place of the present one, if that still is at the `expected` version. Call it in a
/// transaction: either all of it holds or none.
pub async fn replace(
    db: &impl Db,
    book: &PolicyBook,
    expected: Option<i64>,
    now: Timestamp,
) -> anyhow::Result<Result<(), Changed>> {
    let found = row(db, LOCK, &args![]).await?.context("the policy book has a version")?;
    let present: i64 = found.get(0);
    if expected.is_some_and(|expected| expected != present) {
        return Ok(Err(Changed { now: present }));
    }
    run(db, EMPTY, &args![]).await?;
    let (sites, policies) = columns(book);
    run(db, FILL, &args![sites, policies, micros(now)]).await?;
    Ok(Ok(()))
}

/// Puts the bundled policies in, the first time only, beside what is there already.
pub async fn seed(db: &impl Db, now: Timestamp) -> anyhow::Result<u64> {
    let book = PolicyBook::parse(policy_book::BUNDLED)
        .map_err(|problems| anyhow::anyhow!("the bundled policies are wrong: {problems:?}"))?;
    let (sites, policies) = columns(&book);
    run(db, SEED, &args![sites, policies, micros(now)]).await
}

fn columns(book: &PolicyBook) -> (Vec<String>, Vec<Value>) {
    book.entries.iter().map(|(site, fields)| (site.clone(), Value::Object(fields.clone()))).unzip()
}

fn fields(policy: Value) -> anyhow::Result<Map<String, Value>> {
    match policy {
        Value::Object(fields) => Ok(fields),
        _ => anyhow::bail!("a stored policy is no object"),
    }
}
