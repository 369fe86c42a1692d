//! Group commit: what many workers of one process ask of the database at the same time is asked in one
//! statement. While one batch is under way the next gathers, and after a batch of many the next one waits a
//! moment for as many again, so that a crowd stays together: a lone caller waits for nobody, and a crowd pays for
//! one round trip and one flush to disk. Nobody waits longer than a batch is worth.

use std::future::Future;

use anyhow::{Context, anyhow};
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Duration, Instant, timeout_at};

/// The longest that a batch waits for those who may come with it.
const LINGER: Duration = Duration::from_millis(4);

type Ask<Q, A> = (Q, oneshot::Sender<anyhow::Result<A>>);

/// A counter where questions queue up and are answered together. Cheap to clone.
pub struct Gather<Q, A>(mpsc::UnboundedSender<Ask<Q, A>>);

impl<Q, A> Clone for Gather<Q, A> {
    fn clone(&self) -> Gather<Q, A> {
        Gather(self.0.clone())
    }
}

impl<Q, A> Gather<Q, A>
where
    Q: Clone + Send + 'static,
    A: Send + 'static,
{
    /// `answer` takes up to `most` questions and returns as many answers, in the same order. It is called
    /// from a task of the current runtime, one batch at a time.
    pub fn new<F, W>(most: usize, answer: W) -> Gather<Q, A>
    where
        W: Fn(Vec<Q>) -> F + Send + Sync + 'static,
        F: Future<Output = anyhow::Result<Vec<A>>> + Send,
    {
        let (send, mut receive) = mpsc::unbounded_channel::<Ask<Q, A>>();
        tokio::spawn(async move {
            let mut batch = Vec::with_capacity(most);
            let (mut hoped_for, mut took) = (1, Duration::ZERO);
            while receive.recv_many(&mut batch, most).await > 0 {
                // Who is left behind waits for a whole batch: half of that is well spent on them, more is not.
                let until = Instant::now() + LINGER.min(took / 2);
                while batch.len() < hoped_for {
                    let left = most - batch.len();
                    match timeout_at(until, receive.recv_many(&mut batch, left)).await {
                        Ok(came) if came > 0 => {}
                        _ => break,
                    }
                }
                hoped_for = batch.len();
                let begun = Instant::now();
                settle(&answer, std::mem::take(&mut batch)).await;
                took = begun.elapsed();
            }
        });
        Gather(send)
    }

    pub async fn ask(&self, question: Q) -> anyhow::Result<A> {
        let (reply, answer) = oneshot::channel();
        self.0.send((question, reply)).map_err(|_| anyhow!("nobody answers any more"))?;
        answer.await.context("nobody answered")?
    }
}

/// Answers a batch. When it fails as a whole, everyone is answered alone, so that one bad question, or a
/// deadlock with another process, does not fail the others.
async fn settle<Q, A, F>(answer: &impl Fn(Vec<Q>) -> F, batch: Vec<Ask<Q, A>>)
where
    Q: Clone,
    F: Future<Output = anyhow::Result<Vec<A>>>,
{
    let (questions, mut replies): (Vec<Q>, Vec<_>) = batch.into_iter().unzip();
    // A reply fails when its asker has gone, and that is fine.
    match answer(questions.clone()).await {
        Ok(answers) if answers.len() == replies.len() => {
            for (reply, answer) in replies.into_iter().zip(answers) {
                drop(reply.send(Ok(answer)));
            }
        }
        Ok(answers) => tracing::error!(
            questions = questions.len(),
            answers = answers.len(),
            "a batch was answered in part; nobody is told anything"
        ),
        Err(error) if replies.len() == 1 => {
            drop(replies.remove(0).send(Err(error)));
        }
        Err(error) => {
            let questions_asked = questions.len();
            tracing::warn!(
                questions_asked,
                error = format!("{error:#}"),
                "a batch failed; each is asked alone"
            );
            for (question, reply) in questions.into_iter().zip(replies) {
                let answered = answer(vec![question]).await;
                drop(reply.send(answered.and_then(|mut one| one.pop().context("no answer"))));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use super::*;

    #[tokio::test]
    async fn a_crowd_shares_a_batch_and_everyone_gets_their_own_answer() {
        let batches = Arc::new(AtomicUsize::new(0));
        let counted = batches.clone();
        let double = Gather::new(64, move |numbers: Vec<usize>| {
            counted.fetch_add(1, Ordering::SeqCst);
            async move {
                tokio::time::sleep(Duration::from_millis(20)).await;
                Ok(numbers.into_iter().map(|number| number * 2).collect())
            }
        });
        let mut crowd = tokio::task::JoinSet::new();
        for number in 0..100_usize {
            let double = double.clone();
            crowd.spawn(async move { assert_eq!(double.ask(number).await.unwrap(), number * 2) });
        }
        crowd.join_all().await;
        let batches = batches.load(Ordering::SeqCst);
        assert!(batches <= 10, "{batches} batches for a hundred questions");
    }

    #[tokio::test]
    async fn one_bad_question_fails_alone() {
        let positive = Gather::new(64, |numbers: Vec<i32>| async move {
            numbers.into_iter().map(|n| if n < 0 { Err(anyhow!("{n} is negative")) } else { Ok(n) }).collect()
        });
        let answers = [1, -2, 3].map(|number| {
            let positive = positive.clone();
            tokio::spawn(async move { positive.ask(number).await })
        });
        let [one, two, three] = answers;
        assert_eq!(one.await.unwrap().unwrap(), 1);
        assert!(two.await.unwrap().unwrap_err().to_string().contains("-2 is negative"));
        assert_eq!(three.await.unwrap().unwrap(), 3);
    }

    #[tokio::test]
    async fn an_asker_who_leaves_holds_up_nobody() {
        let slow = Gather::new(1, |numbers: Vec<u8>| async move {
            tokio::time::sleep(Duration::from_millis(10)).await;
            Ok(numbers)
        });
        drop(tokio::time::timeout(Duration::from_millis(1), slow.ask(1)).await);
        assert_eq!(slow.ask(2).await.unwrap(), 2);
    }
}
