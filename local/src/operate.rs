//! `freshet keys …` and `freshet roles …`: what an operator does about external scrapers, on the database that
//! DATABASE_URL names or on the one that a running `freshet serve` keeps.

use std::time::Duration;

use anyhow::{Context, bail};
use clap::Subcommand;
use jiff::SignedDuration;
use secrecy::SecretString;
use shared::clock::Clock;
use shared::domain::roles::scraper_key::NewKey;
use shared::settings::Env;
use shared::store::again::again;
use shared::store::pool::{Plans, PoolSettings};
use shared::store::roles::{self, Merged, RoleFilter, RoleView};
use shared::store::scraper_keys::{self, KeyView};
use shared::store::{Pool, migrate};

use crate::keys::data_folder;
use crate::say;

/// Who the rows say did it.
const OPERATOR: &str = "operator";

#[derive(Subcommand)]
pub enum Keys {
    /// Make a key; it is shown once.
    Create {
        /// What the scraper is called in reports.
        #[arg(long)]
        name: String,
        /// Platforms it may import from, separated by commas; all when left out.
        #[arg(long, value_delimiter = ',')]
        sources: Vec<String>,
        /// How many days it lasts; for ever when left out.
        #[arg(long, value_parser = clap::value_parser!(i64).range(1..=3_650))]
        days: Option<i64>,
    },
    /// Show the newest keys, without their secrets.
    List {
        #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(i64).range(1..=10_000))]
        limit: i64,
    },
    /// Say when a key ends by itself.
    Expire {
        id: i32,
        /// In how many days; never when left out.
        #[arg(long, value_parser = clap::value_parser!(i64).range(1..=3_650))]
        days: Option<i64>,
    },
    /// Give a key another secret; the present one opens a while longer.
    Rotate {
        id: i32,
        /// How many hours the present secret still opens.
        #[arg(long, default_value_t = 24, value_parser = clap::value_parser!(i64).range(0..=720))]
        grace_hours: i64,
    },
    /// End a key at once and for good.
    Revoke { id: i32 },
}

#[derive(Subcommand)]
pub enum Roles {
    /// Show roles, the newest first.
    List {
        /// pending, processing or completed.
        #[arg(long, value_parser = ["pending", "processing", "completed"])]
        status: Option<String>,
        /// A part of the name.
        #[arg(long)]
        search: Option<String>,
        #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(i64).range(1..=10_000))]
        limit: i64,
    },
    /// Make a role, or find the one that the name already leads to.
    Create {
        name: String,
        #[arg(long, default_value = "normal", value_parser = ["urgent", "high", "normal", "low"])]
        priority: String,
    },
    /// Make one role of two: links, names and jobs of the first go to the second.
    Merge { from: i32, into: i32 },
    /// Put a role before or behind others.
    Priority {
        id: i32,
        #[arg(value_parser = ["urgent", "high", "normal", "low"])]
        priority: String,
    },
    /// Let a role wait again. A session that is under way ends as released.
    Requeue { id: i32 },
}

pub async fn keys(env: &Env, wish: Keys) -> anyhow::Result<()> {
    let db = database(env).await?;
    let mut conn = db.conn().await?;
    let now = Clock::System.now();
    match wish {
        Keys::Create { name, sources, days } => {
            let fits = |source: &String| {
                !source.is_empty()
                    && source.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-_".contains(&byte))
            };
            let mut sources: Vec<String> =
                sources.iter().map(|source| source.trim().to_lowercase()).collect();
            if !(1..=100).contains(&name.trim().chars().count()) || !sources.iter().all(fits) {
                bail!(
                    "a name has 1 to 100 characters, and a source has letters, digits, dots, dashes and underscores"
                );
            }
            sources.sort();
            sources.dedup();
            let sources = (!sources.is_empty()).then_some(sources);
            let key = NewKey::new(&rand::random());
            let until = days.map(|days| now + SignedDuration::from_hours(24 * days));
            let id = scraper_keys::create(&*conn, name.trim(), sources.as_ref(), &key, until, OPERATOR, now)
                .await?;
            say(&format!("key {id} ({}), shown this once:\n{}", name.trim(), key.text));
        }
        Keys::List { limit } => {
            for key in scraper_keys::list(&*conn, None, limit, now).await? {
                say(&key_line(&key));
            }
        }
        Keys::Expire { id, days } => {
            let until = days.map(|days| now + SignedDuration::from_hours(24 * days));
            let transaction = conn.transaction().await?;
            if !scraper_keys::expire(&transaction, id, until, now).await? {
                bail!("there is no live key {id}");
            }
            transaction.commit().await?;
            say(&match until {
                Some(end) => format!("key {id} ends {end}"),
                None => format!("key {id} does not end by itself"),
            });
        }
        Keys::Rotate { id, grace_hours } => {
            let key = NewKey::new(&rand::random());
            let until = now + SignedDuration::from_hours(grace_hours);
            let transaction = conn.transaction().await?;
            if !scraper_keys::rotate(&transaction, id, &key, None, until, now).await? {
                bail!("there is no live key {id}");
            }
            transaction.commit().await?;
            say(&format!("key {id}, shown this once:\n{}\nthe one before it opens until {until}", key.text));
        }
        Keys::Revoke { id } => {
            if !scraper_keys::revoke(&*conn, id, now).await? {
                bail!("there is no key {id}");
            }
            say(&format!("key {id} is revoked"));
        }
    }
    Ok(())
}

pub async fn roles(env: &Env, wish: Roles) -> anyhow::Result<()> {
    let db = database(env).await?;
    let conn = db.conn().await?;
    let now = Clock::System.now();
    let shown = match wish {
        Roles::List { status, search, limit } => {
            let filter = RoleFilter { before: None, status, search };
            for role in roles::list(&*conn, &filter, limit).await? {
                say(&role_line(&role));
            }
            return Ok(());
        }
        Roles::Create { name, priority } => {
            let made = roles::create(&*conn, &name, &priority, now).await?;
            made.with_context(|| format!("{name:?} names no role"))?.0
        }
        Roles::Merge { from, into } => {
            let merged = again(async || {
                let mut conn = db.conn().await?;
                let transaction = conn.transaction().await?;
                let merged = roles::merge(&transaction, from, into, OPERATOR, now).await?;
                if merged == Merged::Done {
                    transaction.commit().await?;
                }
                Ok(merged)
            });
            match merged.await? {
                Merged::Done => into,
                Merged::Unknown => bail!("there are no two roles {from} and {into}"),
                Merged::Busy => bail!("role {from} is being scraped; requeue it, or wait"),
            }
        }
        Roles::Priority { id, priority } => {
            roles::set_priority(&*conn, id, &priority, now).await?;
            id
        }
        Roles::Requeue { id } => {
            again(async || {
                let mut conn = db.conn().await?;
                let transaction = conn.transaction().await?;
                roles::requeue(&transaction, id, now).await?;
                Ok(transaction.commit().await?)
            })
            .await?;
            id
        }
    };
    let role = roles::find(&*conn, shown).await?.with_context(|| format!("there is no role {shown}"))?;
    say(&role_line(&role));
    Ok(())
}

/// The database of this house, at the newest schema.
async fn database(env: &Env) -> anyhow::Result<Pool> {
    let url = match env.optional("DATABASE_URL") {
        Some(url) => url,
        None => crate::cluster::url_of_running(&data_folder(env).join("postgres"))
            .context("DATABASE_URL is not set, and no `freshet serve` has made a database here")?,
    };
    let url = SecretString::from(url);
    migrate::migrate(&url).await.context("is `freshet serve` running? The database does not answer")?;
    Pool::new(&PoolSettings {
        url,
        size: 2,
        statement_timeout: Duration::from_secs(5),
        pooled: false,
        plans: Plans::Fitted,
    })
}

fn key_line(key: &KeyView) -> String {
    let sources = key.allowed_sources.as_ref().map_or("all sources".to_owned(), |sources| sources.join(","));
    let state = if key.is_active { "active" } else { "ended" };
    let used = key.last_used_at.map_or("never used".to_owned(), |at| format!("last used {at}"));
    format!(
        "{:>5}  {}  {state}  {}  {sources}  {} uses, {used}",
        key.id, key.shown, key.name, key.usage_count
    )
}

fn role_line(role: &RoleView) -> String {
    format!(
        "{:>6}  {:<10}  {:<6}  {:>5} candidates  {:>7} jobs  {}{}",
        role.id,
        role.queue_status,
        role.priority,
        role.candidate_count,
        role.total_jobs_scraped,
        role.name,
        role.suggested_role_id.map(|id| format!("  (perhaps {id})")).unwrap_or_default()
    )
}
