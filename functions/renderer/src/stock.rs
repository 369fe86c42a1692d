//! Which browsers there are, who has them, and which of them have served long enough. Pure: the pool starts and
//! ends what this decides.

use std::collections::{BTreeMap, BTreeSet};

/// How many browsers are kept, how many there may be, and how many pages one may show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    /// Kept warm.
    pub size: usize,
    /// Never more than this.
    pub max: usize,
    /// A browser that has shown so many pages is replaced.
    pub page_limit: u32,
}

impl Sizes {
    /// What can be kept: at least one browser, and none above the most.
    #[must_use]
    pub fn sound(self) -> Sizes {
        let max = self.max.max(1);
        Sizes { size: self.size.clamp(1, max), max, page_limit: self.page_limit.max(1) }
    }
}

/// How a browser comes back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Condition {
    Sound,
    /// It crashed, hangs, or could not be started.
    Broken,
    /// It holds more memory than it should.
    Heavy,
}

/// What whoever asks for a browser gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Take {
    /// This one, which is warm.
    Use(u64),
    /// A new one, to be started under this number.
    Start(u64),
    /// Nothing, until somebody gives one back.
    Wait,
}

/// What becomes of a browser that was given back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum After {
    Keep,
    /// It is ended.
    Retire,
}

#[derive(Debug, Clone)]
pub struct Stock {
    sizes: Sizes,
    next: u64,
    /// Warm ones with the pages they have shown; the latest used is used next.
    idle: Vec<(u64, u32)>,
    in_use: BTreeMap<u64, u32>,
    /// Those of them that are being started for nobody yet.
    ahead: BTreeSet<u64>,
    processed: u64,
    recycled: u64,
}

impl Stock {
    pub fn new(sizes: Sizes) -> Stock {
        Stock {
            sizes: sizes.sound(),
            next: 0,
            idle: Vec::new(),
            in_use: BTreeMap::new(),
            ahead: BTreeSet::new(),
            processed: 0,
            recycled: 0,
        }
    }

    pub fn take(&mut self) -> Take {
        if let Some((id, pages)) = self.idle.pop() {
            self.in_use.insert(id, pages);
            return Take::Use(id);
        }
        if self.in_use.len() >= self.sizes.max {
            return Take::Wait;
        }
        self.next += 1;
        self.in_use.insert(self.next, 0);
        Take::Start(self.next)
    }

    /// It has shown one page, or tried to.
    pub fn shown(&mut self, id: u64) {
        if let Some(pages) = self.in_use.get_mut(&id) {
            *pages += 1;
            self.processed += 1;
        }
    }

    pub fn give_back(&mut self, id: u64, condition: Condition) -> After {
        self.ahead.remove(&id);
        let Some(pages) = self.in_use.remove(&id) else { return After::Retire };
        let served = pages >= self.sizes.page_limit;
        if condition == Condition::Sound && !served && self.idle.len() < self.sizes.size {
            self.idle.push((id, pages));
            return After::Keep;
        }
        if served || condition != Condition::Sound {
            self.recycled += 1;
        }
        After::Retire
    }

    /// Should one be started beforehand, for the next who asks? Only in the place of one that was replaced.
    pub fn start_ahead(&mut self) -> Option<u64> {
        if self.live() >= self.sizes.size {
            return None;
        }
        match self.take() {
            Take::Start(id) => {
                self.ahead.insert(id);
                Some(id)
            }
            // There is a warm one already.
            Take::Use(id) => {
                let pages = self.in_use.remove(&id).unwrap_or_default();
                self.idle.push((id, pages));
                None
            }
            Take::Wait => None,
        }
    }

    pub fn live(&self) -> usize {
        self.idle.len() + self.in_use.len()
    }

    /// Those that somebody has.
    pub fn in_use(&self) -> usize {
        self.in_use.len() - self.ahead.len()
    }

    /// Warm ones, those that could be started, and those that are being started for whoever asks next.
    pub fn available(&self) -> usize {
        self.sizes.max.saturating_sub(self.in_use())
    }

    pub fn processed(&self) -> u64 {
        self.processed
    }

    pub fn recycled(&self) -> u64 {
        self.recycled
    }

    /// Takes every warm one out, to be ended.
    pub fn clear(&mut self) -> Vec<u64> {
        self.idle.drain(..).map(|(id, _)| id).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    #[derive(Debug, Clone, Copy)]
    enum Step {
        Take,
        /// Shows a page in one of those in use.
        Show(usize),
        GiveBack(usize, Condition),
        Ahead,
    }

    fn any_step() -> impl Strategy<Value = Step> {
        let condition = prop_oneof![
            6 => Just(Condition::Sound),
            1 => Just(Condition::Broken),
            1 => Just(Condition::Heavy),
        ];
        prop_oneof![
            3 => Just(Step::Take),
            4 => any::<usize>().prop_map(Step::Show),
            3 => (any::<usize>(), condition).prop_map(|(which, how)| Step::GiveBack(which, how)),
            1 => Just(Step::Ahead),
        ]
    }

    /// One browser at most, as on Lambda: while it is replaced, the next page is still welcome.
    #[test]
    fn a_browser_that_is_being_replaced_is_not_in_use() {
        let mut stock = Stock::new(Sizes { size: 1, max: 1, page_limit: 100 });
        let Take::Start(id) = stock.take() else { panic!("there was none") };
        assert_eq!((stock.in_use(), stock.available()), (1, 0));
        assert_eq!(stock.give_back(id, Condition::Broken), After::Retire);
        let ahead = stock.start_ahead().expect("a successor");
        assert_eq!((stock.in_use(), stock.available()), (0, 1));
        assert_eq!(stock.take(), Take::Wait, "there is never a second");
        assert_eq!(stock.give_back(ahead, Condition::Sound), After::Keep);
        assert_eq!(stock.take(), Take::Use(ahead));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]

        /// A browser that has shown its pages never serves again; one that has not, and is sound, does.
        #[test]
        fn property_12_a_browser_is_replaced_after_its_pages(
            size in 0..6_usize, max in 0..8_usize, page_limit in 0..6_u32,
            steps in prop::collection::vec(any_step(), 1..120)
        ) {
            let sizes = Sizes { size, max, page_limit };
            let limit = page_limit.max(1);
            let mut stock = Stock::new(sizes);
            let mut held: Vec<u64> = Vec::new();
            let mut ahead: Vec<u64> = Vec::new();
            let mut pages: HashMap<u64, u32> = HashMap::new();
            let mut retired: Vec<u64> = Vec::new();
            let mut shown = 0;
            for step in steps {
                match step {
                    Step::Take => match stock.take() {
                        Take::Use(id) => {
                            prop_assert!(pages[&id] < limit, "{id} has shown {} of {limit}", pages[&id]);
                            prop_assert!(!retired.contains(&id) && !held.contains(&id));
                            held.push(id);
                        }
                        Take::Start(id) => {
                            prop_assert!(pages.insert(id, 0).is_none(), "a number is used once");
                            held.push(id);
                        }
                        Take::Wait => prop_assert_eq!(held.len(), max.max(1)),
                    },
                    Step::Show(which) if !held.is_empty() => {
                        let id = held[which % held.len()];
                        stock.shown(id);
                        *pages.get_mut(&id).unwrap() += 1;
                        shown += 1;
                    }
                    Step::GiveBack(which, condition) if !held.is_empty() => {
                        let id = held.swap_remove(which % held.len());
                        ahead.retain(|other| *other != id);
                        let served = pages[&id] >= limit;
                        match stock.give_back(id, condition) {
                            After::Keep => prop_assert!(!served && condition == Condition::Sound),
                            After::Retire => retired.push(id),
                        }
                        prop_assert!(!served || retired.contains(&id), "{id} is terminated on release");
                    }
                    Step::Ahead => if let Some(id) = stock.start_ahead() {
                        prop_assert!(pages.insert(id, 0).is_none());
                        held.push(id);
                        ahead.push(id);
                    },
                    Step::Show(_) | Step::GiveBack(..) => {}
                }
                prop_assert!(stock.live() <= max.max(1), "never more than the most");
                prop_assert_eq!(stock.in_use(), held.len() - ahead.len());
                prop_assert_eq!(stock.processed(), shown);
            }
        }
    }

    #[test]
    fn a_sound_browser_is_used_again_and_a_broken_one_is_not() {
        let mut stock = Stock::new(Sizes { size: 1, max: 2, page_limit: 100 });
        assert_eq!(stock.take(), Take::Start(1));
        stock.shown(1);
        assert_eq!(stock.give_back(1, Condition::Sound), After::Keep);
        assert_eq!(stock.take(), Take::Use(1));
        assert_eq!(stock.give_back(1, Condition::Broken), After::Retire);
        assert_eq!((stock.take(), stock.recycled()), (Take::Start(2), 1));
        assert_eq!(stock.give_back(1, Condition::Sound), After::Retire, "it is gone, and stays gone");
    }
}
