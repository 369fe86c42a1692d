//! Dividing a board that shows only its first thousands: by the facet whose largest value is smallest, values
//! packed together as long as they stay under what the board shows at once.

use super::answer::{Facet, FacetValue};
use super::paging::Scope;

/// Values asked for at once.
const MAX_VALUES: usize = 100;
/// Parts one division may make.
const MAX_PARTS: usize = 300;

/// Totals at which boards stop counting.
const CAPS: &[u64] = &[1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000];

/// Whether a total looks like the end of somebody's counting.
pub fn is_cap(total: u64) -> bool {
    CAPS.contains(&total)
}

/// All counts of a facet together: the number of jobs when each job has one value.
pub fn sum(facet: &Facet) -> u64 {
    facet.values.iter().map(|value| value.count).fold(0, u64::saturating_add)
}

/// Whether the counts prove that there is more than the total says: one value alone has more.
pub fn disprove(facets: &[Facet], total: u64) -> bool {
    facets.iter().flat_map(|facet| &facet.values).any(|value| value.count > total)
}

/// Whether the counts vouch for the total: some facet counts exactly so many, and none proves more.
pub fn vouch(facets: &[Facet], total: u64) -> bool {
    !disprove(facets, total) && facets.iter().any(|facet| facet.values.len() > 1 && sum(facet) == total)
}

/// The parts of a scope, or none when no facet divides it. `cap` is what the board shows at once.
pub fn divide(scope: &Scope, facets: &[Facet], cap: u64) -> Option<(String, Vec<Scope>)> {
    let usable = |facet: &&Facet| facet.values.len() > 1 && !scope.has(&facet.name) && sum(facet) > 0;
    let largest = |facet: &&Facet| facet.values.iter().map(|value| value.count).max().unwrap_or(0);
    // A facet that too few jobs have leaves the others out.
    let widest = facets.iter().filter(usable).map(sum).max()?;
    let fair = facets.iter().filter(usable).filter(|facet| sum(facet).saturating_mul(2) > widest);
    let facet = fair.min_by_key(largest)?;
    let parts = pack(facet, cap);
    if parts.len() < 2 || parts.len() > MAX_PARTS {
        return None;
    }
    let scopes = parts.into_iter().map(|values| scope.with(&facet.name, values)).collect();
    Some((facet.name.clone(), scopes))
}

fn pack(facet: &Facet, cap: u64) -> Vec<Vec<String>> {
    let mut values: Vec<&FacetValue> = facet.values.iter().filter(|value| value.count > 0).collect();
    values.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.id.cmp(&b.id)));
    // Room to grow during the walk.
    let room = cap - cap / 10;
    let mut parts: Vec<(u64, Vec<String>)> = Vec::new();
    for value in values {
        let open = parts
            .last_mut()
            .filter(|(count, ids)| ids.len() < MAX_VALUES && count.saturating_add(value.count) <= room);
        match open {
            Some((count, ids)) => {
                *count += value.count;
                ids.push(value.id.clone());
            }
            None => parts.push((value.count, vec![value.id.clone()])),
        }
    }
    parts.into_iter().map(|(_, ids)| ids).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facet(name: &str, counts: &[u64]) -> Facet {
        let values = counts.iter().enumerate();
        let values = values.map(|(at, &count)| FacetValue { id: format!("{name}{at}"), count }).collect();
        Facet { name: name.to_owned(), values }
    }

    #[test]
    fn the_facet_with_the_smallest_largest_value_divides() {
        let facets = [facet("time", &[2_900, 100]), facet("family", &[900, 800, 700, 600])];
        let (name, parts) = divide(&Scope::default(), &facets, 2_000).unwrap();
        assert_eq!(name, "family");
        assert_eq!(parts.len(), 2, "900 + 800, 700 + 600");
        let narrowed = Scope::default().with("family", vec!["family0".into()]);
        assert_eq!(divide(&narrowed, &facets, 2_000).unwrap().0, "time");
        assert!(divide(&Scope::default(), &[facet("one", &[3_000])], 2_000).is_none());
    }

    #[test]
    fn a_facet_that_few_jobs_have_does_not_divide() {
        let facets = [facet("rare", &[3, 2]), facet("family", &[1_500, 1_500])];
        assert_eq!(divide(&Scope::default(), &facets, 2_000).unwrap().0, "family");
    }

    #[test]
    fn counts_vouch_for_a_round_total_or_against_it() {
        assert!(vouch(&[facet("time", &[1_500, 500])], 2_000));
        assert!(!vouch(&[facet("time", &[1_500, 800])], 2_000));
        assert!(disprove(&[facet("time", &[2_001, 0])], 2_000));
        assert!(!vouch(&[], 2_000));
    }
}
