//! Who belongs together: a function of the members, their links and what an admin has split, whatever the order
//! in which they became known. The surest links join first; a link never joins two groups of which any two
//! members contradict each other or were split, so that a listing without a place cannot tie two cities together.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::Identity;
use super::same::{Link, contradiction};
use crate::ids::ListingId;
use crate::listing::Event;

/// A cluster is never larger: a job that is posted more often is posted by a machine.
pub const MAX_MEMBERS: usize = 100;

/// For each member its cluster: the smallest id in it. Links to listings that are not given count for nothing.
pub fn group(
    members: &[Identity],
    links: &[Link],
    splits: &[(ListingId, ListingId)],
) -> BTreeMap<ListingId, ListingId> {
    let by_id: HashMap<ListingId, &Identity> = members.iter().map(|member| (member.id, member)).collect();
    let split: BTreeSet<(ListingId, ListingId)> =
        splits.iter().map(|(a, b)| (*a.min(b), *a.max(b))).collect();
    let mut sorted: Vec<&Link> = links.iter().filter(|link| link.a != link.b).collect();
    sorted.sort_by(|x, y| {
        let by = |link: &Link| (link.rule, link.a, link.b);
        x.rule.cmp(&y.rule).then(y.score.total_cmp(&x.score)).then(by(x).cmp(&by(y)))
    });
    let mut cluster_of: BTreeMap<ListingId, ListingId> = by_id.keys().map(|id| (*id, *id)).collect();
    let mut groups: BTreeMap<ListingId, Vec<ListingId>> = by_id.keys().map(|id| (*id, vec![*id])).collect();
    for link in sorted {
        let (Some(one), Some(other)) = (cluster_of.get(&link.a), cluster_of.get(&link.b)) else { continue };
        let (into, from) = (*one.min(other), *one.max(other));
        if into == from {
            continue;
        }
        let (Some(these), Some(those)) = (groups.get(&into), groups.get(&from)) else { continue };
        let apart = |a: &ListingId, b: &ListingId| {
            split.contains(&(*a.min(b), *a.max(b))) || contradiction(by_id[a], by_id[b]).is_some()
        };
        let may = these.len() + those.len() <= MAX_MEMBERS
            && !these.iter().any(|a| those.iter().any(|b| apart(a, b)));
        if !may {
            continue;
        }
        let moved = groups.remove(&from).unwrap_or_default();
        for id in &moved {
            cluster_of.insert(*id, into);
        }
        groups.entry(into).or_default().extend(moved);
    }
    cluster_of
}

/// A listing that came to others, or left them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Move {
    pub id: ListingId,
    pub event: Event,
    /// Where it is now.
    pub cluster: ListingId,
    /// Whom it came to, or whom it left.
    pub others: Vec<ListingId>,
}

/// What has become of each listing between two groupings, told once: a listing that joins five is news of the one,
/// and so is one that leaves five.
pub fn moves(before: &BTreeMap<ListingId, ListingId>, after: &BTreeMap<ListingId, ListingId>) -> Vec<Move> {
    let (old, new) = (by_cluster(before), by_cluster(after));
    let none = BTreeSet::new();
    let mut moves = Vec::new();
    for (id, cluster) in after {
        let then = before.get(id).and_then(|cluster| old.get(cluster)).unwrap_or(&none);
        let now = new.get(cluster).unwrap_or(&none);
        let (kept, others) = (then.intersection(now).count().max(1), |set: &BTreeSet<ListingId>, without| {
            set.difference(without).filter(|other| *other != id).copied().collect::<Vec<_>>()
        });
        let (gained, lost) = (others(now, then), others(then, now));
        if !gained.is_empty() && gained.len() >= kept {
            moves.push(Move { id: *id, event: Event::Merged, cluster: *cluster, others: gained });
        }
        if !lost.is_empty() && lost.len() >= kept {
            moves.push(Move { id: *id, event: Event::Split, cluster: *cluster, others: lost });
        }
    }
    moves
}

fn by_cluster(grouped: &BTreeMap<ListingId, ListingId>) -> BTreeMap<ListingId, BTreeSet<ListingId>> {
    let mut clusters: BTreeMap<ListingId, BTreeSet<ListingId>> = BTreeMap::new();
    for (id, cluster) in grouped {
        clusters.entry(*cluster).or_default().insert(*id);
    }
    clusters
}
