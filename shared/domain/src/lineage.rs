//! Where a task comes from, and the four checks that keep spawning from running in circles.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::ids::{TaskId, TrackingId};
use super::task::{TaskKind, TaskStatus};

pub const MAX_SPAWN_DEPTH: i32 = 10;

/// How far below the root a task is. `child` is the only way deeper.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SpawnDepth(i32);

impl SpawnDepth {
    pub const ROOT: SpawnDepth = SpawnDepth(0);

    pub fn child(self, limit: i32) -> Option<SpawnDepth> {
        (self.0 < limit).then_some(SpawnDepth(self.0 + 1))
    }

    pub fn get(self) -> i32 {
        self.0
    }

    /// A depth read back from a row that `child` once made.
    pub fn stored(depth: i32) -> SpawnDepth {
        SpawnDepth(depth.max(0))
    }
}

/// A task's place in its family.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lineage {
    pub tracking_id: TrackingId,
    /// Task ids from the root to the parent.
    pub ancestry: Vec<TaskId>,
    pub depth: SpawnDepth,
}

impl Lineage {
    pub fn root() -> Lineage {
        Lineage { tracking_id: TrackingId::fresh(), ancestry: Vec::new(), depth: SpawnDepth::ROOT }
    }
}

/// One task of a lineage, as the spawn checks see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Relative {
    pub id: TaskId,
    pub kind: TaskKind,
    /// Normalised.
    pub url: String,
    pub status: TaskStatus,
}

/// Why a spawn was refused. Refusals are logged and counted, never silent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum SpawnRefused {
    #[error("the lineage is {MAX_SPAWN_DEPTH} levels deep already")]
    TooDeep,
    #[error("the url is already on the way from the root to here")]
    Circular,
    #[error("the same url and kind is already waiting or running in this lineage")]
    AlreadyUnderWay,
    #[error("the same url and kind has already ended in this lineage")]
    AlreadyEnded,
}

impl SpawnRefused {
    pub fn code(self) -> &'static str {
        match self {
            SpawnRefused::TooDeep => "too_deep",
            SpawnRefused::Circular => "circular",
            SpawnRefused::AlreadyUnderWay => "already_under_way",
            SpawnRefused::AlreadyEnded => "already_ended",
        }
    }
}

/// May `parent` (with its lineage) spawn a task of `kind` for the normalised `url`?
/// `family` is every task of the same tracking id, the parent included.
pub fn spawn(
    parent: TaskId,
    lineage: &Lineage,
    kind: TaskKind,
    url: &str,
    family: &[Relative],
) -> Result<Lineage, SpawnRefused> {
    let depth = lineage.depth.child(MAX_SPAWN_DEPTH).ok_or(SpawnRefused::TooDeep)?;
    let mut ancestry = lineage.ancestry.clone();
    ancestry.push(parent);
    if family.iter().any(|relative| relative.url == url && ancestry.contains(&relative.id)) {
        return Err(SpawnRefused::Circular);
    }
    match family.iter().find(|relative| relative.url == url && relative.kind == kind) {
        Some(twin) if twin.status.is_final() => return Err(SpawnRefused::AlreadyEnded),
        Some(_) => return Err(SpawnRefused::AlreadyUnderWay),
        None => {}
    }
    Ok(Lineage { tracking_id: lineage.tracking_id, ancestry, depth })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn any_kind() -> impl Strategy<Value = TaskKind> {
        prop::sample::select(TaskKind::ALL)
    }

    /// A family grown by trying to spawn random (parent, kind, url) triples; refused ones change nothing.
    fn grow(tries: &[(usize, TaskKind, u8, bool)]) -> Vec<(Relative, Lineage)> {
        let root = Relative {
            id: TaskId::fresh(),
            kind: TaskKind::Company,
            url: "https://a.example/0".into(),
            status: TaskStatus::Processing,
        };
        let mut family = vec![(root, Lineage::root())];
        for &(parent, kind, url, end) in tries {
            let (relatives, at) =
                (family.iter().map(|(r, _)| r.clone()).collect::<Vec<_>>(), parent % family.len());
            let url = format!("https://a.example/{url}");
            let (parent, lineage) = (family[at].0.id, family[at].1.clone());
            if let Ok(child) = spawn(parent, &lineage, kind, &url, &relatives) {
                let status = if end { TaskStatus::Success } else { TaskStatus::Pending };
                family.push((Relative { id: TaskId::fresh(), kind, url, status }, child));
            }
        }
        family
    }

    proptest! {
        #[test]
        fn no_lineage_ever_holds_a_url_and_kind_twice(
            tries in prop::collection::vec((any::<usize>(), any_kind(), 0..12_u8, any::<bool>()), 0..200)
        ) {
            let family = grow(&tries);
            let mut seen = std::collections::HashSet::new();
            for (relative, _) in &family {
                prop_assert!(seen.insert((relative.kind, relative.url.clone())));
            }
        }

        #[test]
        fn no_task_has_its_own_url_above_it_and_none_is_too_deep(
            tries in prop::collection::vec((any::<usize>(), any_kind(), 0..40_u8, any::<bool>()), 0..200)
        ) {
            let family = grow(&tries);
            for (relative, lineage) in &family {
                prop_assert!(lineage.depth.get() <= MAX_SPAWN_DEPTH);
                prop_assert_eq!(lineage.ancestry.len(), usize::try_from(lineage.depth.get()).unwrap());
                for ancestor in &lineage.ancestry {
                    let above = family.iter().find(|(r, _)| r.id == *ancestor).unwrap();
                    prop_assert_ne!(&above.0.url, &relative.url);
                    prop_assert_eq!(above.1.tracking_id, lineage.tracking_id);
                }
            }
        }
    }

    #[test]
    fn the_eleventh_level_is_refused() {
        let mut lineage = Lineage::root();
        for level in 0..MAX_SPAWN_DEPTH {
            let url = format!("https://a.example/{level}");
            lineage = spawn(TaskId::fresh(), &lineage, TaskKind::Listing, &url, &[]).unwrap();
        }
        let refused = spawn(TaskId::fresh(), &lineage, TaskKind::Listing, "https://a.example/x", &[]);
        assert_eq!(refused, Err(SpawnRefused::TooDeep));
    }

    #[test]
    fn a_url_that_waits_runs_or_ended_is_told_apart() {
        let twin = |status| {
            vec![Relative {
                id: TaskId::fresh(),
                kind: TaskKind::Listing,
                url: "https://a.example/".into(),
                status,
            }]
        };
        let ask = |family: &[Relative], kind| {
            spawn(TaskId::fresh(), &Lineage::root(), kind, "https://a.example/", family)
        };
        assert_eq!(ask(&twin(TaskStatus::Pending), TaskKind::Listing), Err(SpawnRefused::AlreadyUnderWay));
        assert_eq!(ask(&twin(TaskStatus::Failed), TaskKind::Listing), Err(SpawnRefused::AlreadyEnded));
        assert!(ask(&twin(TaskStatus::Failed), TaskKind::Company).is_ok());
    }
}
