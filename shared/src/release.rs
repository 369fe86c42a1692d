//! `release(site)`: puts the next tasks of a site into the crawl queue, up to its window. Whoever made or
//! settled a task calls it after the commit; the dispatcher's sweep covers a crash in between.

use jiff::Timestamp;

use crate::domain::ids::TaskId;
use crate::domain::site::Site;
use crate::messages::{CrawlJob, ExtractJob};
use crate::queue::Queue;
use crate::store::{Pool, policies, tasks};

/// Releases the next tasks of a site. Returns how many.
pub async fn site(db: &Pool, crawl: &Queue, site: &Site, now: Timestamp) -> anyhow::Result<usize> {
    sites(db, crawl, std::slice::from_ref(site), now).await
}

/// Releases the next tasks of many sites in one transaction. Returns how many.
pub async fn sites(db: &Pool, crawl: &Queue, sites: &[Site], now: Timestamp) -> anyhow::Result<usize> {
    let mut names: Vec<&str> = sites.iter().map(Site::as_str).collect();
    names.sort_unstable();
    names.dedup();
    let mut conn = db.conn().await?;
    let policies = policies::of_sites(&*conn, &names).await?;
    let window = |name: &&'_ str| policies.get(*name).map_or(1, |policy| policy.window);
    let windows: Vec<(&str, u16)> = names.iter().map(|name| (*name, window(name))).collect();
    let transaction = conn.transaction().await?;
    tasks::lock_sites(&transaction, &names).await?;
    let picked = tasks::release(&transaction, &windows, now).await?;
    transaction.commit().await?;
    drop(conn);
    let messages = picked
        .iter()
        .map(|next| CrawlJob { task_id: next.id, release_no: next.release_no }.outgoing(&next.site))
        .collect::<anyhow::Result<Vec<_>>>()?;
    crawl.send(&messages).await?;
    Ok(messages.len())
}

/// Tells the extractor that a task's page waits to be read.
pub async fn extract(queue: &Queue, task_id: TaskId, release_no: i32) -> anyhow::Result<()> {
    queue.send(&[ExtractJob { task_id, release_no }.outgoing()?]).await
}
