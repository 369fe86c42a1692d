//! What models answered, what each day has cost, and what was asked for which task.

use jiff::civil::Date;
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use super::args::{Db, args, micros, row, run, statements};
use crate::domain::change::Look;
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
    LAST_OF_TASK = "select tokens_in, tokens_out, micros from ai_calls where task_id = $1 order by id desc limit 1";
    LOOK = "select field_fingerprint, block_fingerprint, simhash, answer from ai_looks
        where url_key = $1 and target_type = $2 and asked = $3";
    /// An older look never overwrites a newer one.
    KEEP_LOOK = "insert into ai_looks (url_key, target_type, asked, field_fingerprint, block_fingerprint, simhash,
            answer, looked_at)
        values ($1, $2, $3, $4, $5, $6, $7, $8)
        on conflict (url_key, target_type) do update set asked = excluded.asked,
            field_fingerprint = excluded.field_fingerprint, block_fingerprint = excluded.block_fingerprint,
            simhash = excluded.simhash, answer = excluded.answer, looked_at = excluded.looked_at
        where ai_looks.looked_at <= excluded.looked_at";
    FORGET_ANSWERS = "delete from ai_answers where answered_at <= $1";
    FORGET_LOOKS = "delete from ai_looks where looked_at <= $1";
    FORGET_CALLS = "delete from ai_calls where called_at <= $1";
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

/// The last call of a task.
pub async fn last_of_task(db: &impl Db, task_id: TaskId) -> anyhow::Result<Total> {
    let Some(row) = row(db, LAST_OF_TASK, &args![task_id]).await? else { return Ok(Total::default()) };
    Ok(Total { calls: 1, tokens_in: row.get(0), tokens_out: row.get(1), micros: row.get(2) })
}

/// The look at which a page was last asked about in this way, and what was said.
pub async fn look(
    db: &impl Db,
    url_key: &str,
    target_type: &str,
    asked: &str,
) -> anyhow::Result<Option<(Look, Value)>> {
    let found = row(db, LOOK, &args![url_key, target_type, asked]).await?;
    Ok(found.map(|row| {
        let look = Look {
            closed: false,
            fields: Some(row.get("field_fingerprint")),
            block: Some(row.get("block_fingerprint")),
            simhash: row.get::<_, Option<i64>>("simhash").map(i64::cast_unsigned),
        };
        (look, row.get("answer"))
    }))
}

/// Keeps a look; one without words of its own can spare nothing and is not kept.
pub async fn keep_look(
    db: &impl Db,
    url_key: &str,
    target_type: &str,
    asked: &str,
    look: &Look,
    answer: &Value,
    now: Timestamp,
) -> anyhow::Result<()> {
    let (Some(fields), Some(block)) = (look.fields.as_deref(), look.block.as_deref()) else { return Ok(()) };
    let (simhash, answer, at) = (look.simhash.map(u64::cast_signed), answer.clone(), micros(now));
    let args = args![url_key, target_type, asked, fields, block, simhash, answer, at];
    run(db, KEEP_LOOK, &args).await.map(drop)
}

/// Answers and looks that nobody came back to.
const KEPT: SignedDuration = SignedDuration::from_hours(90 * 24);
/// What was asked is shown and summed for this long.
const CALLS_KEPT: SignedDuration = SignedDuration::from_hours(400 * 24);

/// Drops what is past its time.
pub async fn forget(db: &impl Db, now: Timestamp) -> anyhow::Result<u64> {
    let answers = run(db, FORGET_ANSWERS, &args![micros(now - KEPT)]).await?;
    let looks = run(db, FORGET_LOOKS, &args![micros(now - KEPT)]).await?;
    let calls = run(db, FORGET_CALLS, &args![micros(now - CALLS_KEPT)]).await?;
    Ok(answers + looks + calls)
}
