//! Taking turns: floor, ours, floor, ours. What slows the machine for a while slows both.

/// Two figures of the same kind, and how they compare.
#[derive(Debug, Clone, Copy)]
pub struct Pair {
    pub ours: f64,
    pub floor: f64,
    /// The median of the rounds' own ratios, which is steadier than the ratio of the medians.
    pub ratio: f64,
}

impl Pair {
    /// From rounds of (ours, floor).
    pub fn of(rounds: &[(f64, f64)]) -> Pair {
        Pair {
            ours: median(rounds.iter().map(|round| round.0)),
            floor: median(rounds.iter().map(|round| round.1)),
            ratio: median(rounds.iter().map(|round| round.0 / round.1)),
        }
    }
}

/// Measures both in turn. The first round warms up and is forgotten.
pub fn in_turn(rounds: usize, mut ours: impl FnMut() -> f64, mut floor: impl FnMut() -> f64) -> Pair {
    let taken: Vec<(f64, f64)> = (0..=rounds)
        .map(|_| {
            let floor = floor();
            (ours(), floor)
        })
        .collect();
    Pair::of(&taken[1..])
}

pub fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}
