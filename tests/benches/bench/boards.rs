//! Reading a board's list: one Greenhouse-shaped answer, descriptions included, into rows that are ready to be written.

use std::hint::black_box;
use std::time::Instant;

use anyhow::ensure;
use serde_json::{Value, json};
use shared::clock::Clock;
use shared::domain::boards::{Answer, Board, Listed, VERSION, Walk};
use shared::domain::fingerprint::field_fingerprint;
use shared::domain::listing::job::JobFields;

use super::rounds::in_turn;
use super::table::{Good, Table};

const JOBS: u64 = 500;
const ROUNDS: usize = 15;

pub fn measure(table: &mut Table) -> anyhow::Result<()> {
    let board: Board = "greenhouse:lantern".parse()?;
    let body = answer().to_string();
    let at = Clock::System.now();
    let read = || {
        let started = Instant::now();
        let mut walk = Walk::new(board.clone());
        let url = "https://boards-api.greenhouse.io/";
        let taken = walk.take(&Answer { status: 200, content_type: None, body: body.as_bytes(), url, at });
        let rows: Vec<_> = taken.jobs.iter().filter_map(|job| row(job, &board)).collect();
        let count = black_box(rows).len();
        (per_second(started), count, walk.certificate().complete)
    };
    let (_, count, complete) = read();
    // A list that is not read in full would be quick for the wrong reason.
    ensure!(count as u64 == JOBS && complete, "{count} of {JOBS} jobs were read");
    let pair = in_turn(
        ROUNDS,
        || read().0,
        || {
            let started = Instant::now();
            black_box(serde_json::from_str::<Value>(&body).ok());
            per_second(started)
        },
    );
    table.row(
        "read a board's list into rows (≥ 2,000)",
        "jobs/s",
        Good::High,
        pair,
        "serde_json over the same answer",
    );
    table.note(format!("list: {JOBS} jobs, {} KB each", body.len() as u64 / JOBS / 1024));
    Ok(())
}

/// As `sources::record` makes it.
fn row(job: &Listed, board: &Board) -> Option<JobFields> {
    let posting = job.posting(board, None);
    JobFields::of(&posting, Some(&field_fingerprint(&posting)), VERSION)
}

fn per_second(started: Instant) -> f64 {
    JOBS as f64 / started.elapsed().as_secs_f64()
}

/// Jobs with some 8 KB of escaped description each, as such boards have them.
fn answer() -> Value {
    let paragraph = "&lt;p&gt;We make lamps that last &amp;amp; shine, with &lt;strong&gt;people&lt;/strong&gt; who care.&lt;/p&gt;\n\
        &lt;ul&gt;&lt;li&gt;You cut glass to the tenth of a millimetre&lt;/li&gt;&lt;li&gt;You keep the kiln&#39;s book&lt;/li&gt;&lt;/ul&gt;";
    let jobs = (0..JOBS).map(|number| {
        json!({
            "id": 4_000_000 + number, "internal_job_id": 9_000 + number, "title": format!("Lamp maker no. {number}"),
            "absolute_url": format!("https://job-boards.greenhouse.io/lantern/jobs/{number}"),
            "location": { "name": "Graz, Austria" }, "updated_at": "2026-11-10T05:04:22-04:00",
            "first_published": "2026-11-02T02:52:26-04:00", "requisition_id": format!("R-{number}"),
            "company_name": "Lantern Works", "language": "en", "content": paragraph.repeat(27),
            "departments": [{ "id": 1, "name": "Workshop", "child_ids": [], "parent_id": null }],
            "offices": [{ "id": 2, "name": "Graz", "location": "Graz, Styria, Austria", "child_ids": [], "parent_id": null }],
            "metadata": [{ "id": 3, "name": "Employment Type", "value": "Regular", "value_type": "single_select" }],
            "data_compliance": [{ "type": "gdpr", "requires_consent": false, "retention_period": null }],
        })
    });
    json!({ "jobs": jobs.collect::<Vec<_>>(), "meta": { "total": JOBS } })
}
