//! Crawl policies, one per site and one default.

use anyhow::Context;
use jiff::Timestamp;

use super::args::{Db, args, micros, rows, run, statements};
use crate::domain::policy::Policy;
use crate::domain::site::Site;

/// The row that holds for every site without one of its own.
pub const DEFAULT: &str = "default";

statements! {
    FOR_SITE = "select site, policy from policies where site in ($1, 'default')";
    SET = "insert into policies (site, policy, updated_at) values ($1, $2, $3)
        on conflict (site) do update set policy = excluded.policy, updated_at = excluded.updated_at";
}

/// The policy that holds for a site.
pub async fn of_site(db: &impl Db, site: &Site) -> anyhow::Result<Policy> {
    let found = rows(db, FOR_SITE, &args![site.as_str()]).await?;
    let own = found.iter().find(|row| row.get::<_, &str>(0) == site.as_str()).or(found.first());
    let Some(row) = own else { return Ok(Policy::default()) };
    let policy: Policy = serde_json::from_value(row.get(1)).context("reading a stored policy")?;
    Ok(policy.checked()?)
}

/// Sets the policy of a site, or of `DEFAULT`.
pub async fn set(db: &impl Db, site: &str, policy: &Policy, now: Timestamp) -> anyhow::Result<()> {
    let policy = serde_json::to_value(policy.clone().checked()?)?;
    run(db, SET, &args![site, policy, micros(now)]).await.map(drop)
}
