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
    let mut conn = db.conn().await?;
    let transaction = conn.transaction().await?;
    tasks::lock_site(&transaction, site).await?;
    let window = policies::of_site(&transaction, site).await?.window;
    let picked = tasks::release(&transaction, site, window, now).await?;
    transaction.commit().await?;
    drop(conn);
    let messages = picked
        .iter()
        .map(|&(task_id, release_no)| CrawlJob { task_id, release_no }.outgoing(site))
        .collect::<anyhow::Result<Vec<_>>>()?;
    crawl.send(&messages).await?;
    Ok(messages.len())
}

/// Tells the extractor that a task's page waits to be read.
pub async fn extract(queue: &Queue, task_id: TaskId, release_no: i32) -> anyhow::Result<()> {
    queue.send(&[ExtractJob { task_id, release_no }.outgoing()?]).await
}
