//! Which steps of the daily run were done for which day. A step and its mark are one transaction: whoever starts, and
//! how often, a step is done once a day.

use jiff::{Timestamp, civil::Date};

use super::args::{Db, args, micros, row, statements};

statements! {
    // Two that come at once meet here: the second waits until the first has committed, and then has nothing to do.
    MARK = "insert into day_marks (step, day, at) values ($1, $2, $3)
        on conflict (step) do update set day = excluded.day, at = excluded.at where day_marks.day < excluded.day
        returning step";
}

/// Whether the step is still to be done for the day. In the transaction that does it.
pub async fn claim(db: &impl Db, step: &str, day: Date, now: Timestamp) -> anyhow::Result<bool> {
    Ok(row(db, MARK, &args![step, day, micros(now)]).await?.is_some())
}
