//! Proxies as many instances see them: one contract over both forms of the gate. The rules themselves are
//! tested where they live, in `domain::proxy`.

use std::sync::Arc;

use emulator::Emulator;
use fixture::{JobSite, LoopProxy, Mood, Speaks, TestDb};
use jiff::{SignedDuration, Timestamp};
use serde_json::json;
use shared::domain::proxy::{Choice, Used};
use shared::domain::site::{Site, site_key};
use shared::egress::{Egress, Limits, Permission, Proxy, Route};
use shared::gate::{DynamoGate, Gate, PgGate};
use shared::proxies::Proxies;

struct Bench {
    gate: Gate,
    _db: Option<TestDb>,
}

impl Bench {
    fn instance(&self, list: &[Proxy]) -> Proxies {
        Proxies::new(list, self.gate.clone())
    }
}

async fn on_postgres() -> Bench {
    let db = TestDb::new().await;
    Bench { gate: Gate::Postgres(PgGate::new(db.pool.clone())), _db: Some(db) }
}

async fn on_dynamo() -> Bench {
    let emulator = Emulator::ready().await.unwrap();
    let table = emulator.create_gate_table().await.unwrap();
    Bench { gate: Gate::Dynamo(DynamoGate::new(emulator.dynamodb(), table)), _db: None }
}

macro_rules! contract {
    ($($law:ident),+ $(,)?) => {
        mod postgres {
            $(#[tokio::test] async fn $law() { super::$law(super::on_postgres().await).await; })+
        }
        mod dynamo {
            $(#[tokio::test] async fn $law() { super::$law(super::on_dynamo().await).await; })+
        }
    };
}

contract!(
    a_note_with_an_old_version_is_refused,
    two_instances_share_the_cooldown,
    two_instances_share_the_health,
    a_crowd_takes_each_proxy_once_for_a_site,
    counts_are_exact_whoever_counts,
    a_probe_brings_a_proxy_back_and_goes_once,
    the_order_goes_round,
);

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_second(1_800_000_000 + seconds).unwrap()
}

fn site(name: &str) -> Site {
    site_key(&format!("https://{name}.com/").parse().unwrap()).unwrap()
}

fn proxies(count: usize) -> Vec<Proxy> {
    let urls: Vec<_> = (0..count).map(|n| format!("http://u:p@proxy{n}.example.com:3128")).collect();
    Proxy::list(&urls.join(",")).unwrap()
}

fn used(choice: Choice) -> usize {
    match choice {
        Choice::Use(at) => at,
        other => panic!("{other:?}"),
    }
}

async fn a_note_with_an_old_version_is_refused(bench: Bench) {
    let gate = &bench.gate;
    let keys = ["a#1".to_owned(), "b#2".to_owned()];
    assert!(gate.notes(&keys).await.unwrap().is_empty());
    assert!(gate.swap_note("a#1", 0, &json!({ "n": 1 }), at(60)).await.unwrap());
    assert!(!gate.swap_note("a#1", 0, &json!({ "n": 9 }), at(60)).await.unwrap(), "it exists already");
    assert!(gate.swap_note("a#1", 1, &json!({ "n": 2 }), at(60)).await.unwrap());
    assert!(!gate.swap_note("a#1", 1, &json!({ "n": 9 }), at(60)).await.unwrap(), "somebody was quicker");
    let found = gate.notes(&keys).await.unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!((&found["a#1"].value, found["a#1"].version), (&json!({ "n": 2 }), 2));
}

async fn two_instances_share_the_cooldown(bench: Bench) {
    let list = proxies(2);
    let (one, two) = (bench.instance(&list), bench.instance(&list));
    let shop = site("shop");
    let first = used(one.take(&shop, at(0)).await.unwrap());
    let second = used(two.take(&shop, at(5)).await.unwrap());
    assert_ne!(first, second, "the site has just seen that one");
    for instance in [&one, &two] {
        assert_eq!(instance.look(&shop, at(6)).await.unwrap(), Choice::Wait(at(30)));
        assert_eq!(instance.take(&shop, at(6)).await.unwrap(), Choice::Wait(at(30)));
    }
    assert!(matches!(two.take(&site("other"), at(6)).await.unwrap(), Choice::Use(_)), "other sites are free");
    assert_eq!(used(two.take(&shop, at(30)).await.unwrap()), first);
    assert_eq!(one.take(&shop, at(31)).await.unwrap(), Choice::Wait(at(35)));
}

async fn two_instances_share_the_health(bench: Bench) {
    let list = proxies(2);
    let (one, two) = (bench.instance(&list), bench.instance(&list));
    one.report(Route::Proxy(0), Used::Failed, &site("shop"), at(0)).await.unwrap();
    for n in 0..6 {
        assert_eq!(used(two.take(&site(&format!("s{n}")), at(0)).await.unwrap()), 1);
    }
    two.report(Route::Proxy(1), Used::Failed, &site("shop"), at(1)).await.unwrap();
    assert_eq!(one.take(&site("shop"), at(2)).await.unwrap(), Choice::NoneHealthy);
    // A list in another order, or with another password, speaks of the same proxies.
    let turned =
        Proxy::list("http://u:new@proxy1.example.com:3128,http://u:p@proxy9.example.com:3128").unwrap();
    let figures = bench.instance(&turned).figures().await.unwrap();
    assert_eq!(figures.iter().map(|f| (f.healthy, f.failures)).collect::<Vec<_>>(), [(false, 1), (true, 0)]);
}

async fn a_crowd_takes_each_proxy_once_for_a_site(bench: Bench) {
    let list = proxies(3);
    let instances = [Arc::new(bench.instance(&list)), Arc::new(bench.instance(&list))];
    let mut crowd = tokio::task::JoinSet::new();
    for n in 0..10 {
        let instance = Arc::clone(&instances[n % 2]);
        crowd.spawn(async move { instance.take(&site("shop"), at(0)).await.unwrap() });
    }
    let choices = crowd.join_all().await;
    let mut taken: Vec<_> = choices
        .iter()
        .filter_map(|choice| if let Choice::Use(at) = choice { Some(*at) } else { None })
        .collect();
    taken.sort_unstable();
    assert_eq!(taken, [0, 1, 2]);
    assert_eq!(choices.iter().filter(|choice| **choice == Choice::Wait(at(30))).count(), 7);
}

async fn counts_are_exact_whoever_counts(bench: Bench) {
    let list = proxies(2);
    let instances = [Arc::new(bench.instance(&list)), Arc::new(bench.instance(&list))];
    let mut crowd = tokio::task::JoinSet::new();
    for n in 0..20 {
        let instance = Arc::clone(&instances[n % 2]);
        let outcome = if n < 14 { Used::Worked } else { Used::Unreached };
        crowd.spawn(async move {
            instance.report(Route::Proxy(1), outcome, &site("shop"), at(0)).await.unwrap();
        });
    }
    crowd.join_all().await;
    instances[0].report(Route::Direct, Used::Failed, &site("shop"), at(0)).await.unwrap();
    let figures = instances[1].figures().await.unwrap();
    assert_eq!((figures[1].index, figures[1].successes, figures[1].failures), (1, 14, 6));
    assert_eq!((figures[0].successes, figures[0].failures, figures[0].healthy), (0, 0, true));
    let shown = serde_json::to_string(&figures).unwrap();
    assert!(!shown.contains("proxy1.example"), "{shown}");
}

async fn a_probe_brings_a_proxy_back_and_goes_once(bench: Bench) {
    let target = JobSite::start("127.0.0.1").await;
    target.answers("/probe", 204, &[], "");
    let proxy = LoopProxy::start(Speaks::Socks5, Some(("u", "p"))).await;
    let hosts = [proxy.address, target.address].map(|address| address.to_string().parse().unwrap());
    let list = Proxy::list(&proxy.url()).unwrap();
    let web = Egress::new(Permission::with_private_hosts(hosts.into()), Limits::default())
        .unwrap()
        .with_proxies(&list)
        .unwrap();
    let (one, two) = (bench.instance(&list), bench.instance(&list));
    let url = target.url("/probe");
    assert_eq!(one.probe(&web, &url, at(0)).await.unwrap(), 0, "a healthy one is not probed");
    one.report(Route::Proxy(0), Used::Failed, &site("shop"), at(0)).await.unwrap();
    assert_eq!(two.probe(&web, &url, at(59)).await.unwrap(), 0);
    assert_eq!(proxy.visitors(), 0);

    proxy.is_in(Mood::CannotReach);
    let (a, b) = tokio::join!(one.probe(&web, &url, at(60)), two.probe(&web, &url, at(60)));
    assert_eq!(a.unwrap() + b.unwrap(), 0);
    assert_eq!(proxy.visitors(), 1, "two dispatchers, one probe");
    assert_eq!(two.look(&site("shop"), at(61)).await.unwrap(), Choice::NoneHealthy);

    proxy.is_in(Mood::Works);
    assert_eq!(two.probe(&web, &url, at(100)).await.unwrap(), 0, "once a minute");
    assert_eq!(two.probe(&web, &url, at(120)).await.unwrap(), 1);
    assert_eq!(target.hits().len(), 1);
    assert_eq!(one.look(&site("shop"), at(121)).await.unwrap(), Choice::Use(0), "and both know");
    let figures = one.figures().await.unwrap();
    assert_eq!((figures[0].successes, figures[0].failures), (0, 1), "a probe is no use of it");
}

async fn the_order_goes_round(bench: Bench) {
    let list = proxies(3);
    let one = bench.instance(&list);
    let mut order = Vec::new();
    for n in 0..7 {
        order.push(used(one.take(&site(&format!("s{n}")), at(0)).await.unwrap()));
    }
    for pair in order.windows(2) {
        assert_eq!(pair[1], (pair[0] + 1) % 3, "{order:?}");
    }
}

/// With no proxy there is nothing to ask: a gate that would fail is never reached.
#[tokio::test]
async fn without_proxies_nothing_is_asked() {
    let settings = shared::store::pool::PoolSettings {
        url: "postgres://nobody@127.0.0.1:1/none".into(),
        size: 1,
        statement_timeout: SignedDuration::from_secs(1).unsigned_abs(),
        pooled: false,
        plans: shared::store::pool::Plans::Fitted,
    };
    let nowhere = Gate::Postgres(PgGate::new(shared::store::Pool::new(&settings).unwrap()));
    assert!(nowhere.notes(&["a".to_owned()]).await.is_err(), "the gate cannot be reached");
    let none = Proxies::new(&[], nowhere);
    let shop = site("shop");
    assert_eq!(none.look(&shop, at(0)).await.unwrap(), Choice::Direct);
    assert_eq!(none.take(&shop, at(0)).await.unwrap(), Choice::Direct);
    none.report(Route::Direct, Used::Worked, &shop, at(0)).await.unwrap();
    assert!(none.figures().await.unwrap().is_empty());
}
