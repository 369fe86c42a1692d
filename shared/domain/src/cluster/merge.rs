//! What a cluster says: for each field the best of what its members say, with who said it. A cluster is the set
//! of its members, each as it was last read, so merging clusters is commutative, associative and idempotent,
//! and what is shown depends on the members alone.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;

use super::standing::Standing;
use crate::ids::ListingId;

/// One listing of a cluster.
#[derive(Debug, Clone, PartialEq)]
pub struct Member {
    pub id: ListingId,
    pub source: String,
    pub standing: Standing,
    pub is_active: bool,
    /// When it was last seen: of two readings of one listing the later one counts.
    pub seen_at: Timestamp,
    /// Known fields only.
    pub fields: BTreeMap<String, Known>,
}

/// A value, and by what method it was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Known {
    pub value: Value,
    pub method: Option<String>,
}

/// The members, by id.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Cluster(BTreeMap<ListingId, Member>);

/// A field of a cluster, and whose word it is.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
pub struct Shown {
    pub value: Value,
    /// The member that says it.
    #[schema(value_type = uuid::Uuid)]
    pub listing_id: ListingId,
    pub source: String,
    pub standing: Standing,
    /// How that member's page was read.
    pub method: Option<String>,
}

impl Cluster {
    pub fn of(members: impl IntoIterator<Item = Member>) -> Cluster {
        members.into_iter().fold(Cluster::default(), |cluster, member| {
            cluster.merge(&Cluster(BTreeMap::from([(member.id, member)])))
        })
    }

    pub fn members(&self) -> impl Iterator<Item = &Member> {
        self.0.values()
    }

    /// Both together. A listing that is in both counts as it was last read.
    pub fn merge(mut self, other: &Cluster) -> Cluster {
        for (id, theirs) in &other.0 {
            match self.0.get(id) {
                Some(ours) if ours.recency() >= theirs.recency() => {}
                _ => {
                    self.0.insert(*id, theirs.clone());
                }
            }
        }
        self
    }

    /// The company's own word on whether the job is open, where the company's own listing is known; else
    /// whether anybody still lists it.
    pub fn is_active(&self) -> bool {
        let best = self.members().map(|member| member.standing).max();
        let first_party = best == Some(Standing::FirstParty);
        self.members()
            .any(|member| member.is_active && (!first_party || member.standing == Standing::FirstParty))
    }

    /// The listing that stands for the cluster.
    pub fn head(&self) -> Option<&Member> {
        self.members().max_by_key(|member| member.rank())
    }

    /// For each field any member knows, the best word on it.
    pub fn fields(&self) -> BTreeMap<String, Shown> {
        let names: std::collections::BTreeSet<&String> =
            self.members().flat_map(|member| member.fields.keys()).collect();
        names.into_iter().filter_map(|name| Some((name.clone(), self.best(name)?))).collect()
    }

    fn best(&self, name: &str) -> Option<Shown> {
        let offers: Vec<(&Member, &Known)> =
            self.members().filter_map(|member| Some((member, member.fields.get(name)?))).collect();
        let richest = offers.iter().map(|(_, known)| richness(name, &known.value)).max()?;
        let rich =
            offers.into_iter().filter(|(_, known)| is_rich(name, richness(name, &known.value), richest));
        let (member, known) = rich.max_by_key(|(member, _)| member.rank())?;
        Some(Shown {
            value: known.value.clone(),
            listing_id: member.id,
            source: member.source.clone(),
            standing: member.standing,
            method: known.method.clone(),
        })
    }
}

impl Member {
    /// Whom to believe first: the company, an open listing, the one seen last; then the older one.
    fn rank(&self) -> (Standing, bool, Timestamp, std::cmp::Reverse<ListingId>) {
        (self.standing, self.is_active, self.seen_at, std::cmp::Reverse(self.id))
    }

    /// A total order of the readings of one listing.
    fn recency(&self) -> (Timestamp, bool, Standing, String, String) {
        let fields: BTreeMap<&String, (&Value, &Option<String>)> =
            self.fields.iter().map(|(name, known)| (name, (&known.value, &known.method))).collect();
        let told = serde_json::to_string(&fields).unwrap_or_default();
        (self.seen_at, self.is_active, self.standing, self.source.clone(), told)
    }
}

/// How much a value says.
fn richness(name: &str, value: &Value) -> usize {
    match (name, value) {
        (_, Value::Null) => 0,
        ("description", Value::String(text)) => text.len(),
        (_, Value::Object(parts)) => parts.values().filter(|part| !part.is_null()).count(),
        _ => 1,
    }
}

/// A description may be half of the longest and still be the whole text without what a board has put around it;
/// everything else must say as much as anybody's.
fn is_rich(name: &str, own: usize, richest: usize) -> bool {
    if name == "description" { own.saturating_mul(2) >= richest } else { own >= richest }
}
