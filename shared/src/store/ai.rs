//! What models answered, what each day has cost, and what was asked for which task.

use jiff::Timestamp;
use jiff::civil::Date;
use serde_json::Value;

use super::args::{Db, args, micros, row, run, statements};
use crate::domain::ids::TaskId;

statements! {
    FIND = "select answer from ai_answers where question_sha256 = $1";
    KEEP = "insert into ai_answers (question_sha256, provider, model, answer, tokens_in, tokens_out, answered_at)
        values ($1, $2, $3, $4, $5, $6, $7) on conflict (question_sha256) do nothing";
    /// A day that is full stays as it is, and nothing comes back.
    RESERVE = "insert into ai_days (day, micros, calls) select $1, $2, 1 where $2::bigint <= $3::bigint
        on conflict (day) do update set micros = ai_days.micros + excluded.micros, calls = ai_days.calls + 1
        where ai_days.micros + excluded.micros <= $3 returning micros";
    CORRECT = "update ai_days set micros = greatest(0, micros + $2) where day = $1";
    NOTE = "insert into ai_calls (task_id, provider, model, outcome, tokens_in, tokens_out, micros, called_at)
        values ($1, $2, $3, $4, $5, $6, $7, $8)";
    SPENT = "select micros, calls from ai_days where day = $1";
    OF_TASK = "select count(*), coalesce(sum(tokens_in), 0)::bigint, coalesce(sum(tokens_out), 0)::bigint,
        coalesce(sum(micros), 0)::bigint from ai_calls where task_id = $1";
    FORGET = "delete from ai_answers where answered_at <= $1";
}

/// The answer to a question that was asked before.
pub async fn find(db: &impl Db, question: &str) -> anyhow::Result<Option<Value>> {
    Ok(row(db, FIND, &args![question]).await?.map(|row| row.get(0)))
}

/// A model's answer, with what it took.
pub struct Kept<'a> {
    pub question: &'a str,
    pub provider: &'a str,
    pub model: &'a str,
    pub answer: &'a Value,
    pub tokens_in: i64,
    pub tokens_out: i64,
}

pub async fn keep(db: &impl Db, kept: &Kept<'_>, now: Timestamp) -> anyhow::Result<()> {
    let (answer, at) = (kept.answer.clone(), micros(now));
    let args = args![kept.question, kept.provider, kept.model, answer, kept.tokens_in, kept.tokens_out, at];
    run(db, KEEP, &args).await.map(drop)
}

/// Takes so much of a day's budget, if it is there.
pub async fn reserve(db: &impl Db, day: Date, amount: i64, budget: i64) -> anyhow::Result<bool> {
    Ok(row(db, RESERVE, &args![day, amount, budget]).await?.is_some())
}

/// Adds what was missing, or gives back what was too much.
pub async fn correct(db: &impl Db, day: Date, by: i64) -> anyhow::Result<()> {
    run(db, CORRECT, &args![day, by]).await.map(drop)
}

/// One call as it went.
pub struct Call<'a> {
    pub task_id: Option<TaskId>,
    pub provider: &'a str,
    pub model: &'a str,
    pub outcome: &'a str,
    pub tokens_in: i64,
    pub tokens_out: i64,
    pub micros: i64,
}

pub async fn note(db: &impl Db, call: &Call<'_>, now: Timestamp) -> anyhow::Result<()> {
    let at = micros(now);
    let args = args![
        call.task_id,
        call.provider,
        call.model,
        call.outcome,
        call.tokens_in,
        call.tokens_out,
        call.micros,
        at
    ];
    run(db, NOTE, &args).await.map(drop)
}

/// What a day has cost so far, and how many calls it had.
pub async fn spent(db: &impl Db, day: Date) -> anyhow::Result<(i64, i64)> {
    Ok(row(db, SPENT, &args![day]).await?.map_or((0, 0), |row| (row.get(0), row.get(1))))
}

/// What a task's calls came to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Total {
    pub calls: i64,
    pub tokens_in: i64,
    pub tokens_out: i64,
    pub micros: i64,
}

pub async fn of_task(db: &impl Db, task_id: TaskId) -> anyhow::Result<Total> {
    let Some(row) = row(db, OF_TASK, &args![task_id]).await? else { return Ok(Total::default()) };
    Ok(Total { calls: row.get(0), tokens_in: row.get(1), tokens_out: row.get(2), micros: row.get(3) })
}

/// Drops answers that nobody asks for any more. Cleaning only.
pub async fn forget(db: &impl Db, before: Timestamp) -> anyhow::Result<u64> {
    run(db, FORGET, &args![micros(before)]).await
}
