//! A renderer for tests, and what may be left of it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use fixture::{JobSite, TestDb};
use jiff::SignedDuration;
use renderer::Renderer;
use renderer::chrome::Chrome;
use renderer::pool::{Pool, PoolSettings};
use renderer::stock::Sizes;
use shared::blobs::{BlobKey, Blobs, FolderBlobs};
use shared::clock::Clock;
use shared::domain::ids::TaskId;
use shared::domain::render::{Outcome, Sight};
use shared::domain::site::site_key;
use shared::egress::{Caps, Egress, Limits, Permission, Proxy};
use shared::messages::RenderJob;
use shared::outbound::USER_AGENT;
use shared::queue::{PgQueue, Queue};
use uuid::Uuid;

pub struct Room {
    pub renderer: Renderer,
    pub data: tempfile::TempDir,
    _db: TestDb,
}

/// What a test wants otherwise than usual.
pub struct How {
    pub sizes: Sizes,
    pub wait: Duration,
    pub memory_mb: u64,
    pub proxies: Vec<Proxy>,
    pub program: Option<String>,
}

impl Default for How {
    fn default() -> How {
        How {
            sizes: Sizes { size: 1, max: 2, page_limit: 100 },
            wait: Duration::from_secs(30),
            memory_mb: 1_024,
            proxies: Vec::new(),
            program: None,
        }
    }
}

impl Room {
    /// A renderer that may reach these sites and nothing else on this machine.
    pub async fn new(sites: &[&JobSite]) -> Room {
        Room::with(sites, How::default()).await
    }

    pub async fn with(sites: &[&JobSite], how: How) -> Room {
        let hosts = sites.iter().map(|site| site.address.to_string().parse().unwrap()).collect();
        Room::allowed(Permission::with_private_hosts(hosts), how).await
    }

    pub async fn allowed(permission: Permission, how: How) -> Room {
        let (db, data) = (TestDb::new().await, tempfile::tempdir().unwrap());
        let queue = |name: &str| {
            Queue::Postgres(PgQueue::new(db.pool.clone(), Clock::System, name, Duration::from_secs(15), 100))
        };
        let web = Egress::new(permission, Limits::default()).unwrap().with_proxies(&how.proxies).unwrap();
        let pool = Pool::new(PoolSettings {
            chrome: Chrome::find(how.program.as_deref(), true).unwrap(),
            sizes: how.sizes,
            wait: how.wait,
            folder: data.path().join("browsers"),
            user_agent: USER_AGENT.to_owned(),
            memory: how.memory_mb * 1024 * 1024,
        });
        let renderer = Renderer {
            pool,
            web,
            blobs: Blobs::Folder(FolderBlobs::new(data.path().join("blobs")).unwrap()),
            render: queue("render"),
            crawl: queue("crawl"),
            clock: Clock::System,
            instance: Uuid::new_v4(),
            caps: Caps::default(),
        };
        Room { renderer, data, _db: db }
    }

    pub fn browsers(&self) -> PathBuf {
        self.data.path().join("browsers")
    }

    pub async fn show(&self, job: &RenderJob) -> Outcome {
        renderer::show(&self.renderer, job).await.0
    }

    /// What a browser showed of the page.
    pub async fn html(&self, job: &RenderJob) -> String {
        let outcome = self.show(job).await;
        assert!(matches!(outcome, Outcome::Shown { status: 200, stored: true, .. }), "{outcome:?}");
        let key = BlobKey::of_render(job.task_id, job.fence);
        let body = self.renderer.blobs.get(&key).await.unwrap().expect("the page is stored");
        String::from_utf8(body.to_vec()).unwrap()
    }

    /// Ends every browser; nothing of them may be left.
    pub async fn end(self) {
        self.renderer.close().await;
        // Another room's browser may be dying beside this one; what does not go away is left.
        for _ in 0..500 {
            if processes(&self.browsers()).is_empty() {
                break;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        assert_eq!(processes(&self.browsers()), Vec::<i32>::new(), "no process is left");
        let left: Vec<_> = std::fs::read_dir(self.browsers()).unwrap().flatten().map(|e| e.path()).collect();
        assert_eq!(left, Vec::<PathBuf>::new(), "no folder is left");
    }
}

/// A job that may begin now and has so many seconds.
pub fn job(url: &str, seconds: i64) -> RenderJob {
    let now = Clock::System.now();
    RenderJob {
        task_id: TaskId::fresh(),
        release_no: 1,
        fence: 1,
        slot: 1,
        site: site_key(&url.parse().unwrap()).unwrap(),
        sight: Sight {
            url: url.to_owned(),
            face: None,
            wait_for_selector: None,
            max_scrolls: 0,
            images: false,
        },
        proxy: None,
        request_id: None,
        not_before: now,
        navigate_by: now + SignedDuration::from_secs(60),
        deadline: now + SignedDuration::from_secs(seconds),
    }
}

pub fn code(outcome: &Outcome) -> &str {
    match outcome {
        Outcome::Failed { code, .. } => code,
        Outcome::Shown { .. } => "shown",
        Outcome::Moved { .. } => "moved",
        Outcome::Late => "late",
    }
}

/// Processes that were started in this folder, and zombies that are children of ours. (What a helper's environment
/// was, nobody can see: Chromium writes its title there.)
pub fn processes(folder: &Path) -> Vec<i32> {
    let pids = std::fs::read_dir("/proc").unwrap().flatten();
    pids.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok())
        .filter(|pid| {
            let place = std::fs::read_link(format!("/proc/{pid}/cwd")).unwrap_or_default();
            let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            let mut words = stat.rsplit_once(')').map_or("", |(_, rest)| rest).split_whitespace();
            let (state, parent) = (words.next(), words.next());
            let zombie = state == Some("Z")
                && parent == Some(std::process::id().to_string().as_str())
                && stat.contains("chrom");
            zombie || place.starts_with(folder)
        })
        .collect()
}

/// A part of a browser.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The process that the others are children of.
    Main,
    /// Where pages run.
    Page,
}

/// The processes of that part, of the browsers in this folder.
pub fn part(folder: &Path, part: Part) -> Vec<i32> {
    let is_part = |pid: &i32| {
        let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line).into_owned();
        match part {
            Part::Main => !line.is_empty() && !line.contains("--type="),
            Part::Page => line.contains("--type=renderer"),
        }
    };
    processes(folder).into_iter().filter(is_part).collect()
}

/// SIGKILL to all of that part. Returns whether there was any.
pub fn kill(folder: &Path, which: Part) -> bool {
    let victims = part(folder, which);
    for pid in victims.iter().filter_map(|pid| rustix::process::Pid::from_raw(*pid)) {
        // One that has just ended is as good as killed.
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
    }
    !victims.is_empty()
}

pub fn html(site: &JobSite, path: &str, body: &str) {
    site.answers(path, 200, &[("content-type", "text/html; charset=utf-8")], body);
}
