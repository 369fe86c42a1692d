//! Who belongs together: a function of the members, their links and what an admin has split, whatever the order
//! in which they became known. The surest links join first; a link never joins two groups of which any two
//! members contradict each other or were split, so that a listing without a place cannot tie two cities together.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::Identity;
use super::same::{Link, contradiction};
use crate::domain::ids::ListingId;

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
