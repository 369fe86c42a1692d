//! The browsers of this process: started when they are wanted, lent to one page at a time, replaced when they
//! have served, crashed, or hold too much. What is decided is decided in `stock`.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use shared::store::renderers::Report;
use tokio::sync::Notify;
use tokio_util::task::TaskTracker;

use crate::chrome::Chrome;
use crate::process::{self, Browser};
use crate::stock::{After, Condition, Sizes, Stock, Take};

/// Where and how browsers are run.
#[derive(Debug, Clone)]
pub struct PoolSettings {
    pub chrome: Chrome,
    pub sizes: Sizes,
    /// How long whoever finds none free waits.
    pub wait: Duration,
    /// Their folders lie in here.
    pub folder: PathBuf,
    pub user_agent: String,
    /// Bytes that one browser may hold. With four fifths of it, it is not used again.
    pub memory: u64,
}

/// Why there is no browser.
#[derive(Debug, thiserror::Error)]
pub enum NoBrowser {
    #[error("Browser pool exhausted — no instances available")]
    Exhausted,
    #[error("no browser could be started: {0}")]
    NotStarted(String),
}

/// Cheap to clone.
#[derive(Clone)]
pub struct Pool(Arc<Inner>);

struct Inner {
    settings: PoolSettings,
    house: Mutex<House>,
    freed: Notify,
    /// What ends browsers and starts them ahead.
    tasks: TaskTracker,
}

struct House {
    stock: Stock,
    warm: HashMap<u64, Browser>,
    closing: bool,
}

/// A browser on loan. Dropped without a word, it counts as broken.
pub struct Loan {
    pool: Pool,
    id: u64,
    browser: Option<Browser>,
    /// The number is the pool's again, and may be somebody else's by now.
    returned: bool,
}

impl Pool {
    pub fn new(settings: PoolSettings) -> Pool {
        process::adopt_orphans();
        let removed = process::remove_abandoned(&settings.folder);
        if removed > 0 {
            tracing::info!(removed, "folders of browsers from a killed run were removed");
        }
        let house = House { stock: Stock::new(settings.sizes), warm: HashMap::new(), closing: false };
        let tasks = TaskTracker::new();
        Pool(Arc::new(Inner { settings, house: Mutex::new(house), freed: Notify::new(), tasks }))
    }

    /// Lends a browser, waiting for one if there are as many as there may be.
    pub async fn lend(&self) -> Result<Loan, NoBrowser> {
        tokio::time::timeout(self.0.settings.wait, self.next()).await.unwrap_or(Err(NoBrowser::Exhausted))
    }

    async fn next(&self) -> Result<Loan, NoBrowser> {
        loop {
            // Before the look, so that nobody gives one back unheard in between.
            let freed = self.0.freed.notified();
            let (taken, browser) = {
                let mut house = self.house();
                let taken = house.stock.take();
                let browser = match taken {
                    Take::Use(id) => house.warm.remove(&id),
                    Take::Start(_) | Take::Wait => None,
                };
                (taken, browser)
            };
            match (taken, browser) {
                (Take::Use(id), Some(browser)) if !browser.wire.is_closed() => {
                    return Ok(Loan { pool: self.clone(), id, browser: Some(browser), returned: false });
                }
                // It died while nobody looked.
                (Take::Use(id), browser) => self.take_back(id, browser, Condition::Broken),
                (Take::Start(id), _) => return self.start(id).await,
                (Take::Wait, _) => freed.await,
            }
        }
    }

    /// Starts the browser of that number. Given up halfway, the number comes back.
    async fn start(&self, id: u64) -> Result<Loan, NoBrowser> {
        let mut loan = Loan { pool: self.clone(), id, browser: None, returned: false };
        let PoolSettings { chrome, folder, user_agent, .. } = &self.0.settings;
        match Browser::start(chrome, folder, user_agent).await {
            Ok(browser) => {
                loan.browser = Some(browser);
                Ok(loan)
            }
            Err(error) => {
                tracing::error!(error = format!("{error:#}"), "no browser could be started");
                Err(NoBrowser::NotStarted(format!("{error:#}")))
            }
        }
    }

    fn take_back(&self, id: u64, browser: Option<Browser>, condition: Condition) {
        let (retired, ahead) = {
            let mut house = self.house();
            let after = house.stock.give_back(id, condition);
            match (after, browser) {
                (After::Keep, Some(browser)) if !house.closing => {
                    house.warm.insert(id, browser);
                    (None, None)
                }
                (After::Keep, browser) => (browser, None),
                // One that was replaced has a successor before it is asked for; one that never started has not.
                (After::Retire, Some(browser)) => {
                    let ahead = if house.closing { None } else { house.stock.start_ahead() };
                    (Some(browser), ahead)
                }
                (After::Retire, None) => (None, None),
            }
        };
        if retired.is_some() || ahead.is_some() {
            let pool = self.clone();
            self.0.tasks.spawn(async move {
                if let Some(browser) = retired {
                    browser.end().await;
                }
                if let Some(id) = ahead
                    && let Ok(mut loan) = pool.start(id).await
                {
                    loan.give_back(Condition::Sound);
                }
            });
        }
        self.0.freed.notify_waiters();
    }

    /// How the browsers are, as others are told.
    pub fn report(&self) -> Report {
        let house = self.house();
        let count = |number: usize| i32::try_from(number).unwrap_or(i32::MAX);
        let available = house.stock.available();
        Report {
            total: count(available + house.stock.in_use()),
            available: count(available),
            in_use: count(house.stock.in_use()),
            pages_processed: i64::try_from(house.stock.processed()).unwrap_or(i64::MAX),
            recycled_count: i64::try_from(house.stock.recycled()).unwrap_or(i64::MAX),
        }
    }

    /// Ends every browser that nobody has, and those on loan as they come back.
    pub async fn close(&self) {
        let warm: Vec<Browser> = {
            let mut house = self.house();
            house.closing = true;
            house.stock.clear();
            house.warm.drain().map(|(_, browser)| browser).collect()
        };
        for browser in warm {
            browser.end().await;
        }
        self.0.tasks.close();
        self.0.tasks.wait().await;
    }

    fn house(&self) -> MutexGuard<'_, House> {
        self.0.house.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Loan {
    pub fn browser(&self) -> Option<&Browser> {
        self.browser.as_ref()
    }

    /// It is about to show a page.
    pub fn shows(&self) {
        self.pool.house().stock.shown(self.id);
    }

    /// More than it may hold?
    pub fn most_memory(&self) -> u64 {
        self.pool.0.settings.memory
    }

    /// How it is after a page that went well.
    pub fn condition(&self) -> Condition {
        match &self.browser {
            Some(browser) if browser.wire.is_closed() => Condition::Broken,
            Some(browser) if browser.memory() > self.most_memory() / 5 * 4 => Condition::Heavy,
            Some(_) => Condition::Sound,
            None => Condition::Broken,
        }
    }

    pub fn give_back(&mut self, condition: Condition) {
        if !std::mem::replace(&mut self.returned, true) {
            self.pool.take_back(self.id, self.browser.take(), condition);
        }
    }
}

impl Drop for Loan {
    fn drop(&mut self) {
        self.give_back(Condition::Broken);
    }
}
