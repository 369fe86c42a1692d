//! Clusters: listings that are one job. `domain/cluster` decides; here it is looked up, locked and written.
//!
//! A call of [`assign`] is the last thing a transaction does to listings, and there is one of it: it takes the locks
//! of all companies concerned, in their order, and two of them in one transaction could wait in a circle.

mod read;
mod view;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use jiff::Timestamp;
use serde_json::json;
use uuid::Uuid;

use super::args::{Db, args, micros, row, rows, run, statements};
use crate::domain::cluster::body::Body;
use crate::domain::cluster::group::{group, moves};
use crate::domain::cluster::same::{Glance, Link, glance, judge};
use crate::domain::cluster::{Facts, Identity, company_lock};
use crate::domain::ids::ListingId;
use crate::domain::listing::Event;

pub use view::ALL as VIEW_STATEMENTS;
pub use view::{ClusterMember, ClusterView, LinkView, SplitView, of_listing};

/// Locks that companies share: few enough that a batch of any size may take them all.
const LOCKS: i64 = 512;
/// A batch of no more companies than this takes a lock of each company's own, and those that it shares with others only
/// to keep large batches out. Postgres has room for that many in all its connections at once.
const FEW: usize = 32;
/// Set our locks apart from others.
const LOCK_SPACE: i32 = 0x636c;
const OWN_SPACE: i32 = 0x636d;

statements! {
    FACTS = "select l.id, l.source, l.url, l.title, l.company, l.place, j.remote, j.requisition,
            left(j.description, 262144) as description, i.company as company_before
        from listings l left join jobs j on j.listing_id = l.id left join identities i on i.listing_id = l.id
        where l.id = any($1::uuid[]) order by l.id";
    COMPANY = "select company from identities where listing_id = $1";
    LOCK = "select count(pg_advisory_xact_lock($1, n) is null)
        from (select distinct n from unnest($2::int4[]) n order by n) locks";
    // The shared ones first, always: who has all of those waits for nobody who waits for one of them.
    LOCK_FEW = "with shared as materialized (select count(pg_advisory_xact_lock_shared($1, n) is null) as held
            from (select distinct n from unnest($2::int4[]) n order by n) locks)
        select count(pg_advisory_xact_lock($3, n) is null)
        from shared cross join (select distinct n from unnest($4::int4[]) n order by n) own where shared.held >= 0";
    OF_LISTINGS = "select cluster_id from identities where listing_id = any($1::uuid[])";
    SAVE = include_str!("sql/save_identities.sql");
    FORGET = "delete from identities where listing_id = any($1::uuid[])";
    CANDIDATES = include_str!("sql/candidates_of_blocks.sql");
    IDENTITIES = "select listing_id, cluster_id, company, role, city, region, country, raw_place, remote, requisition,
            board, standing::text from identities where listing_id = any($1::uuid[])";
    MEMBERS = "select listing_id, cluster_id, company, role, city, region, country, raw_place, remote, requisition,
            board, standing::text from identities where cluster_id = any($1::uuid[])";
    BODIES = "select listing_id, left(description, 262144) as description from jobs
        where listing_id = any($1::uuid[]) and description is not null";
    UNLINK = "delete from cluster_links where a = any($1::uuid[]) or b = any($1::uuid[])";
    LINK = "insert into cluster_links (a, b, rule, score, at)
        select n.a, n.b, n.rule, n.score, $5
        from unnest($1::uuid[], $2::uuid[], $3::text[], $4::float8[]) as n (a, b, rule, score) order by n.a, n.b
        on conflict (a, b) do update set rule = excluded.rule, score = excluded.score, at = excluded.at";
    LINKS = "select a, b, rule, score from cluster_links where a = any($1::uuid[]) or b = any($1::uuid[])";
    SPLITS = "select a, b from cluster_splits where a = any($1::uuid[]) and b = any($1::uuid[])";
    MOVE = "update identities i set cluster_id = n.cluster from unnest($1::uuid[], $2::uuid[]) as n (id, cluster)
        where i.listing_id = n.id and i.cluster_id <> n.cluster";
    TELL = "insert into evidence (listing_id, event, rule, detail, at)
        select n.id, n.event::evidence_event, n.rule, n.detail, $5
        from unnest($1::uuid[], $2::text[], $3::text[], $4::jsonb[]) as n (id, event, rule, detail) order by n.id";
    SPLIT = "insert into cluster_splits (a, b, reason, at)
        select least($1, n.other), greatest($1, n.other), $3, $4 from unnest($2::uuid[]) as n (other)
        where n.other <> $1 order by 1, 2 on conflict (a, b) do nothing";
    UNSPLIT = "delete from cluster_splits
        where (a = $1 and (cardinality($2::uuid[]) = 0 or b = any($2))) or
            (b = $1 and (cardinality($2::uuid[]) = 0 or a = any($2)))
        returning a, b";
}

/// Puts listings that are new or have changed where they belong. Give all of a transaction at once.
pub async fn assign(db: &impl Db, listings: &[ListingId], now: Timestamp) -> anyhow::Result<()> {
    assign_with(db, &[], listings, now).await
}

/// The same, where what the new ones say need not be read: this transaction has just written it.
pub async fn assign_with(
    db: &impl Db,
    new: &[Facts<'_>],
    changed: &[ListingId],
    now: Timestamp,
) -> anyhow::Result<()> {
    let changed: Vec<ListingId> = changed.iter().copied().collect::<BTreeSet<_>>().into_iter().collect();
    let all: BTreeSet<ListingId> = changed.iter().copied().chain(new.iter().map(|facts| facts.id)).collect();
    let ids: Vec<ListingId> = all.into_iter().collect();
    if ids.is_empty() {
        return Ok(());
    }
    let facts = if changed.is_empty() { Vec::new() } else { rows(db, FACTS, &args![changed]).await? };
    let mut fresh: Vec<(Identity, Option<String>)> = facts
        .iter()
        .filter_map(|row| {
            let (source, url, title): (&str, &str, &str) =
                (row.get("source"), row.get("url"), row.get("title"));
            let (place, description): (Option<serde_json::Value>, Option<String>) =
                (row.get("place"), row.get("description"));
            let facts = Facts {
                id: row.get("id"),
                source,
                url,
                title,
                company: row.get("company"),
                place: place.as_ref(),
                remote: row.get("remote"),
                description: description.as_deref(),
                requisition: row.get("requisition"),
            };
            let identity = Identity::of(&facts)?;
            Some((identity, description))
        })
        .collect();
    fresh.extend(
        new.iter().filter_map(|facts| Some((Identity::of(facts)?, facts.description.map(str::to_owned)))),
    );
    // Nobody else writes the identity of a listing that this transaction has written: what is known of it stays known.
    let before: Vec<&str> = facts.iter().filter_map(|row| row.get("company_before")).collect();
    lock(db, fresh.iter().map(|(identity, _)| identity.company.as_str()).chain(before.iter().copied()))
        .await?;
    let mut touched = if before.is_empty() { BTreeSet::new() } else { clusters_of(db, &ids).await? };
    save(db, fresh.iter().map(|(identity, _)| identity)).await?;
    let comparable: BTreeSet<ListingId> = fresh.iter().map(|(identity, _)| identity.id).collect();
    let gone: Vec<ListingId> = ids.iter().copied().filter(|id| !comparable.contains(id)).collect();
    if !gone.is_empty() && !touched.is_empty() {
        run(db, FORGET, &args![gone]).await?;
    }
    let links = links_of(db, &fresh).await?;
    if links.is_empty() && touched.is_empty() {
        return Ok(()); // new, and like no other: each stands alone already
    }
    if !touched.is_empty() {
        run(db, UNLINK, &args![ids]).await?;
    }
    if !links.is_empty() {
        let (a, b): (Vec<Uuid>, Vec<Uuid>) = links.iter().map(|link| (link.a.0, link.b.0)).unzip();
        let (rules, scores): (Vec<&str>, Vec<f64>) =
            links.iter().map(|link| (link.rule.word(), link.score)).unzip();
        run(db, LINK, &args![a, b, rules, scores, micros(now)]).await?;
    }
    let ends: Vec<ListingId> = links.iter().flat_map(|link| [link.a, link.b]).chain(ids).collect();
    touched.extend(clusters_of(db, &ends).await?);
    regroup(db, touched, "same_job", now).await
}

/// Takes the locks of these companies.
async fn lock<'a>(db: &impl Db, companies: impl Iterator<Item = &'a str>) -> anyhow::Result<()> {
    let companies: BTreeSet<&str> = companies.collect();
    let of = |locks: i64| -> Vec<i32> {
        companies.iter().filter_map(|company| i32::try_from(company_lock(company, locks)).ok()).collect()
    };
    let shared = of(LOCKS);
    if companies.len() > FEW {
        return rows(db, LOCK, &args![LOCK_SPACE, shared]).await.map(drop);
    }
    let own = of(i64::from(i32::MAX));
    rows(db, LOCK_FEW, &args![LOCK_SPACE, shared, OWN_SPACE, own]).await.map(drop)
}

/// Takes the lock of a listing's company; false when nothing is known of it to be compared by.
async fn lock_listing(db: &impl Db, id: ListingId) -> anyhow::Result<bool> {
    let Some(found) = row(db, COMPANY, &args![id]).await? else { return Ok(false) };
    lock(db, std::iter::once(found.get(0))).await?;
    Ok(true)
}

async fn clusters_of(db: &impl Db, ids: &[ListingId]) -> anyhow::Result<BTreeSet<ListingId>> {
    Ok(rows(db, OF_LISTINGS, &args![ids.to_vec()]).await?.iter().map(|row| row.get(0)).collect())
}

async fn save<'a>(db: &impl Db, identities: impl Iterator<Item = &'a Identity>) -> anyhow::Result<()> {
    let all: Vec<&Identity> = identities.collect();
    if all.is_empty() {
        return Ok(());
    }
    macro_rules! column {
        ($of:expr) => {
            all.iter().map(|identity| $of(identity)).collect::<Vec<_>>()
        };
    }
    let text = |part: &Option<String>| part.clone();
    run(
        db,
        SAVE,
        &args![
            column!(|one: &Identity| one.id),
            column!(|one: &Identity| one.company.clone()),
            column!(|one: &Identity| one.role.clone()),
            column!(|one: &Identity| text(&one.place.city)),
            column!(|one: &Identity| text(&one.place.region)),
            column!(|one: &Identity| text(&one.place.country)),
            column!(|one: &Identity| text(&one.place.raw)),
            column!(|one: &Identity| one.place.remote),
            column!(|one: &Identity| one.requisition.as_ref().map(|number| number.as_str().to_owned())),
            column!(|one: &Identity| one.board.clone()),
            column!(|one: &Identity| one.standing.word()),
            column!(Identity::block),
            column!(Identity::city_block),
            column!(Identity::requisition_block),
        ],
    )
    .await
    .map(drop)
}

/// Whom each of these listings is the same job as.
async fn links_of(db: &impl Db, fresh: &[(Identity, Option<String>)]) -> anyhow::Result<Vec<Link>> {
    let ids: Vec<ListingId> = fresh.iter().map(|(identity, _)| identity.id).collect();
    let blocks: Vec<i64> = fresh.iter().map(|(identity, _)| identity.block()).collect();
    let cities: Vec<Option<i64>> = fresh.iter().map(|(identity, _)| identity.city_block()).collect();
    let numbers: Vec<Option<i64>> = fresh.iter().map(|(identity, _)| identity.requisition_block()).collect();
    let found = rows(db, CANDIDATES, &args![ids, blocks, cities, numbers]).await?;
    let pairs: BTreeSet<(ListingId, ListingId)> = found.iter().map(|row| (row.get(0), row.get(1))).collect();
    if pairs.is_empty() {
        return Ok(Vec::new());
    }
    let own: HashMap<ListingId, (&Identity, Option<&str>)> =
        fresh.iter().map(|(identity, body)| (identity.id, (identity, body.as_deref()))).collect();
    let strangers: Vec<ListingId> =
        pairs.iter().map(|(_, other)| *other).filter(|id| !own.contains_key(id)).collect();
    let strangers = identities(db, strangers).await?;
    let identity_of =
        |id: &ListingId| own.get(id).map(|(identity, _)| *identity).or_else(|| strangers.get(id));

    // Bodies are dear: only of those that nothing else decides.
    let mut links = BTreeMap::new();
    let mut asked = BTreeSet::new();
    for (one, other) in &pairs {
        let (Some(a), Some(b)) = (identity_of(one), identity_of(other)) else { continue };
        match glance(a, b) {
            Glance::Apart(_) => {}
            Glance::Linked(link) => drop(links.insert((link.a, link.b), link)),
            Glance::AskBodies => drop(asked.insert((*one.min(other), *one.max(other)))),
        }
    }
    let wanted: Vec<ListingId> = asked
        .iter()
        .flat_map(|(a, b)| [*a, *b])
        .filter(|id| !own.contains_key(id))
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect();
    let mut bodies: HashMap<ListingId, Body> = HashMap::new();
    if !wanted.is_empty() {
        for row in rows(db, BODIES, &args![wanted]).await? {
            bodies.insert(row.get(0), Body::of(row.get(1)));
        }
    }
    for (a, b) in &asked {
        for id in [a, b] {
            if let (false, Some((_, Some(text)))) = (bodies.contains_key(id), own.get(id)) {
                bodies.insert(*id, Body::of(text));
            }
        }
        let (Some(one), Some(other)) = (bodies.get(a), bodies.get(b)) else { continue };
        let (Some(a), Some(b)) = (identity_of(a), identity_of(b)) else { continue };
        if let Ok(link) = judge(a, one, b, other) {
            links.insert((link.a, link.b), link);
        }
    }
    Ok(links.into_values().collect())
}

async fn identities(db: &impl Db, ids: Vec<ListingId>) -> anyhow::Result<HashMap<ListingId, Identity>> {
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let found = rows(db, IDENTITIES, &args![ids]).await?;
    Ok(found.iter().map(|row| read::identity(row).0).map(|identity| (identity.id, identity)).collect())
}

/// Groups the members of these clusters, and of those they are linked to, anew, and writes what has changed.
async fn regroup(
    db: &impl Db,
    clusters: BTreeSet<ListingId>,
    rule: &str,
    now: Timestamp,
) -> anyhow::Result<()> {
    let members = |clusters: BTreeSet<ListingId>| async move {
        let clusters: Vec<ListingId> = clusters.into_iter().collect();
        anyhow::Ok(rows(db, MEMBERS, &args![clusters]).await?.iter().map(read::identity).collect::<Vec<_>>())
    };
    let near = members(clusters.clone()).await?;
    let ids: Vec<ListingId> = near.iter().map(|(identity, _)| identity.id).collect();
    let ends: Vec<ListingId> =
        rows(db, LINKS, &args![ids]).await?.iter().flat_map(|row| [row.get(0), row.get(1)]).collect();
    let mut wider = clusters;
    wider.extend(clusters_of(db, &ends).await?);
    let all = members(wider).await?;
    let ids: Vec<ListingId> = all.iter().map(|(identity, _)| identity.id).collect();
    let links: Vec<Link> = rows(db, LINKS, &args![ids]).await?.iter().filter_map(read::link).collect();
    let splits: Vec<(ListingId, ListingId)> =
        rows(db, SPLITS, &args![ids]).await?.iter().map(|row| (row.get(0), row.get(1))).collect();
    let before: BTreeMap<ListingId, ListingId> =
        all.iter().map(|(identity, cluster)| (identity.id, *cluster)).collect();
    let identities: Vec<Identity> = all.into_iter().map(|(identity, _)| identity).collect();
    let after = group(&identities, &links, &splits);
    let moved: Vec<(ListingId, ListingId)> =
        after.iter().filter(|(id, cluster)| before.get(id) != Some(cluster)).map(|(a, b)| (*a, *b)).collect();
    let told = moves(&before, &after);
    if !moved.is_empty() {
        let (ids, clusters): (Vec<ListingId>, Vec<ListingId>) = moved.into_iter().unzip();
        run(db, MOVE, &args![ids, clusters]).await?;
    }
    if told.is_empty() {
        return Ok(());
    }
    let detail = |one: &crate::domain::cluster::group::Move| {
        let why = links.iter().filter(|link| {
            (link.a == one.id && one.others.contains(&link.b))
                || (link.b == one.id && one.others.contains(&link.a))
        });
        let why = why.max_by(|x, y| y.rule.cmp(&x.rule).then(x.score.total_cmp(&y.score)));
        match (one.event, why) {
            (Event::Merged, Some(link)) => json!({
                "cluster_id": one.cluster, "with": one.others, "by": link.rule.word(), "score": link.score,
            }),
            (Event::Merged, None) => json!({ "cluster_id": one.cluster, "with": one.others }),
            _ => json!({ "cluster_id": one.cluster, "from": one.others }),
        }
    };
    let ids: Vec<ListingId> = told.iter().map(|one| one.id).collect();
    let events: Vec<&str> = told.iter().map(|one| one.event.word()).collect();
    let rules: Vec<&str> = told.iter().map(|_| rule).collect();
    let details: Vec<serde_json::Value> = told.iter().map(detail).collect();
    run(db, TELL, &args![ids, events, rules, details, micros(now)]).await.map(drop)
}

/// What came of an admin's wish.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parted {
    Done,
    /// There is no such listing, or nothing is known of it to be compared by.
    NoListing,
    /// There was nobody to part it from, or nothing to undo.
    Nothing,
}

/// Takes a listing out of its cluster, away from all its members or from those named, and keeps it apart.
pub async fn split(
    db: &impl Db,
    id: ListingId,
    from: &[ListingId],
    reason: Option<&str>,
    now: Timestamp,
) -> anyhow::Result<Parted> {
    if !lock_listing(db, id).await? {
        return Ok(Parted::NoListing);
    }
    let clusters = clusters_of(db, &[id]).await?;
    let clusters_listed: Vec<ListingId> = clusters.iter().copied().collect();
    let others: Vec<ListingId> = rows(db, MEMBERS, &args![clusters_listed])
        .await?
        .iter()
        .map(|row| read::identity(row).0.id)
        .filter(|other| *other != id && (from.is_empty() || from.contains(other)))
        .collect();
    if others.is_empty() {
        return Ok(Parted::Nothing);
    }
    run(db, SPLIT, &args![id, others, reason, micros(now)]).await?;
    regroup(db, clusters, "admin_split", now).await?;
    Ok(Parted::Done)
}

/// Undoes it: what the listings say decides again.
pub async fn unsplit(
    db: &impl Db,
    id: ListingId,
    from: &[ListingId],
    now: Timestamp,
) -> anyhow::Result<Parted> {
    if !lock_listing(db, id).await? {
        return Ok(Parted::NoListing);
    }
    let clusters = clusters_of(db, &[id]).await?;
    if rows(db, UNSPLIT, &args![id, from.to_vec()]).await?.is_empty() {
        return Ok(Parted::Nothing);
    }
    regroup(db, clusters, "admin_unsplit", now).await?;
    Ok(Parted::Done)
}
