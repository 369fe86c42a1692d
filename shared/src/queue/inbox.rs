//! Messages that were taken before anybody asked: the next of a group, in the transaction that settled the one
//! before it. So a busy group costs no search of its own for each message.

use std::collections::{HashMap, VecDeque};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use super::Delivery;

/// So many in a row; then the group stands in line with all the others again.
const TURNS: u8 = 16;

#[derive(Default)]
pub struct Inbox(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    waiting: VecDeque<(Instant, Delivery)>,
    turns: HashMap<String, u8>,
}

impl Inbox {
    /// Of these groups the ones whose next message may be taken now.
    pub fn whose_turn<'a>(&self, groups: &[&'a str]) -> Vec<&'a str> {
        let mut kept = self.lock();
        let mut has_turn = |group: &&str| match kept.turns.get(*group) {
            Some(turns) if *turns >= TURNS => {
                kept.turns.remove(*group);
                false
            }
            _ => true,
        };
        groups.iter().copied().filter(|group| has_turn(group)).collect()
    }

    /// They were asked for; these are what there was.
    pub fn put(&self, asked: &[&str], taken: Vec<Delivery>) {
        let mut kept = self.lock();
        for group in asked {
            if taken.iter().any(|delivery| delivery.group == *group) {
                *kept.turns.entry((*group).to_owned()).or_default() += 1;
            } else {
                kept.turns.remove(*group);
            }
        }
        let now = Instant::now();
        kept.waiting.extend(taken.into_iter().map(|delivery| (now, delivery)));
    }

    /// Up to `most` of those taken within `fresh`. An older one is not ours for much longer: it comes again.
    pub fn get(&self, most: usize, fresh: Duration) -> Vec<Delivery> {
        let mut kept = self.lock();
        while kept.waiting.front().is_some_and(|(taken, _)| taken.elapsed() > fresh) {
            kept.waiting.pop_front();
        }
        let most = most.min(kept.waiting.len());
        kept.waiting.drain(..most).map(|(_, delivery)| delivery).collect()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn delivery(group: &str) -> Delivery {
        Delivery {
            message_id: "1".into(),
            receipt: "1.x".into(),
            group: group.into(),
            body: "{}".into(),
            receive_count: 1,
        }
    }

    #[test]
    fn a_group_stands_in_line_again_after_its_turns() {
        let inbox = Inbox::default();
        for _ in 0..TURNS {
            assert_eq!(inbox.whose_turn(&["busy", "idle"]), ["busy", "idle"]);
            inbox.put(&["busy", "idle"], vec![delivery("busy")]);
            assert_eq!(inbox.get(10, Duration::from_secs(5)).len(), 1);
        }
        assert_eq!(inbox.whose_turn(&["busy", "idle"]), ["idle"]);
        assert_eq!(inbox.whose_turn(&["busy", "idle"]), ["busy", "idle"], "and then it may go again");
    }

    #[test]
    fn what_waited_too_long_is_left_to_come_again() {
        let inbox = Inbox::default();
        inbox.put(&["a", "b"], vec![delivery("a"), delivery("b")]);
        assert_eq!(inbox.get(1, Duration::from_secs(5)).len(), 1);
        std::thread::sleep(Duration::from_millis(5));
        assert!(inbox.get(10, Duration::from_millis(1)).is_empty());
    }
}
