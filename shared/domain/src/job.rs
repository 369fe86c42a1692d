//! A job: the tasks of one request to the scrape service, and what they have come to together.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::task::{TaskStatus, words};

words!(
    /// How a job is shown.
    JobStatus ("job status") {
        Queued = "queued",
        Running = "running",
        Completed = "completed",
        PartiallyCompleted = "partially_completed",
        Failed = "failed",
        Cancelled = "cancelled",
    }
);

words!(
    /// How the scrape service shows a task.
    ShownStatus ("shown status") {
        Queued = "queued",
        Running = "running",
        Completed = "completed",
        Failed = "failed",
    }
);

impl From<TaskStatus> for ShownStatus {
    fn from(status: TaskStatus) -> ShownStatus {
        match status {
            TaskStatus::Pending => ShownStatus::Queued,
            TaskStatus::Processing => ShownStatus::Running,
            TaskStatus::Success | TaskStatus::Filtered | TaskStatus::Skipped => ShownStatus::Completed,
            TaskStatus::Failed | TaskStatus::Cancelled => ShownStatus::Failed,
        }
    }
}

/// How many tasks of a job are where.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    pub queued: u32,
    pub running: u32,
    pub completed: u32,
    /// With those that were cancelled before they began.
    pub failed: u32,
}

impl Counts {
    pub fn of(statuses: impl IntoIterator<Item = TaskStatus>) -> Counts {
        let mut counts = Counts::default();
        for status in statuses {
            match status.into() {
                ShownStatus::Queued => counts.queued += 1,
                ShownStatus::Running => counts.running += 1,
                ShownStatus::Completed => counts.completed += 1,
                ShownStatus::Failed => counts.failed += 1,
            }
        }
        counts
    }

    pub fn total(self) -> u32 {
        self.queued + self.running + self.completed + self.failed
    }

    /// Nothing is left to do.
    pub fn are_final(self) -> bool {
        self.queued == 0 && self.running == 0
    }

    /// What the job has come to. A job that was cancelled says so from that moment on, also while the tasks
    /// that were under way end by themselves.
    pub fn status(self, cancelled: bool) -> JobStatus {
        match self {
            _ if cancelled => JobStatus::Cancelled,
            Counts { running: 0, completed: 0, failed: 0, .. } => JobStatus::Queued,
            _ if !self.are_final() => JobStatus::Running,
            Counts { failed: 0, .. } => JobStatus::Completed,
            Counts { completed: 0, .. } => JobStatus::Failed,
            _ => JobStatus::PartiallyCompleted,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn any_status() -> impl Strategy<Value = TaskStatus> {
        prop::sample::select(TaskStatus::ALL)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]

        #[test]
        fn property_09_the_end_of_a_job_follows_from_its_tasks(
            ends in prop::collection::vec(prop::bool::ANY, 1..=100),
        ) {
            let tasks = ends.iter().map(|&ok| if ok { TaskStatus::Success } else { TaskStatus::Failed });
            let (completed, failed) = (ends.iter().filter(|ok| **ok).count(), ends.iter().filter(|ok| !**ok).count());
            let expected = match (completed, failed) {
                (_, 0) => JobStatus::Completed,
                (0, _) => JobStatus::Failed,
                _ => JobStatus::PartiallyCompleted,
            };
            prop_assert_eq!(Counts::of(tasks).status(false), expected);
        }

        #[test]
        fn a_job_is_over_exactly_when_all_its_tasks_are(tasks in prop::collection::vec(any_status(), 1..40)) {
            let counts = Counts::of(tasks.iter().copied());
            prop_assert_eq!(counts.are_final(), tasks.iter().all(|status| status.is_final()));
            prop_assert_eq!(counts.total() as usize, tasks.len());
            let open = matches!(counts.status(false), JobStatus::Queued | JobStatus::Running);
            prop_assert_eq!(open, !counts.are_final());
            prop_assert_eq!(counts.status(true), JobStatus::Cancelled);
        }
    }

    #[test]
    fn a_job_runs_from_its_first_claimed_task_to_its_last_end() {
        let status =
            |queued, running, completed, failed| Counts { queued, running, completed, failed }.status(false);
        assert_eq!(status(3, 0, 0, 0), JobStatus::Queued);
        assert_eq!(status(2, 1, 0, 0), JobStatus::Running);
        assert_eq!(status(2, 0, 1, 0), JobStatus::Running);
        assert_eq!(status(2, 0, 0, 1), JobStatus::Running);
    }
}
