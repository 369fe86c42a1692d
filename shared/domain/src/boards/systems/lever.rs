//! Lever: 100 postings a page, descriptions included. Answers with a widget unless JSON is asked for. A posting
//! that is not public answers 404 and may live.

use serde_json::Value;

use crate::boards::answer::{Answer, ListPage, Misfit, Row};
use crate::boards::ask::{Ask, segment};
use crate::boards::liveness::Liveness;
use crate::boards::paging::{Paging, Step};
use crate::boards::systems::{Adapter, Detail};
use crate::boards::{Board, Listed, at, rows};

pub static ADAPTER: Adapter = Adapter {
    paging: Paging::Offset { size: 100 },
    ask,
    read,
    detail: Detail::Behind { ask: ask_detail, read: read_detail },
    liveness: Liveness::DetailProvesLife,
};

/// The same name may be another company on the European host.
fn base(board: &Board) -> String {
    match board.token().strip_prefix("eu/") {
        Some(name) => format!("https://api.eu.lever.co/v0/postings/{}", segment(name)),
        None => format!("https://api.lever.co/v0/postings/{}", segment(board.token())),
    }
}

fn ask(board: &Board, step: Step<'_>) -> Ask {
    Ask::json(format!("{}?mode=json&skip={}&limit=100", base(board), step.cursor.number()))
}

fn read(_: &Board, answer: &Answer<'_>) -> Result<ListPage, Misfit> {
    rows::read(answer, "", |row| Row::from(job(row)))
}

fn job(row: &Value) -> Option<Listed> {
    let job = Listed::new(at::id(row, "id"), at::text(row, "text"))?;
    let mut places = at::texts(row, "categories/allLocations", "");
    if places.is_empty() {
        places.extend(at::text(row, "categories/location"));
    }
    let pay = at::pay(
        at::value(row, "salaryRange/min"),
        at::value(row, "salaryRange/max"),
        at::id(row, "salaryRange/currency"),
        at::id(row, "salaryRange/interval").map(|interval| interval.replace('-', " ")),
    );
    let mut parts: Vec<String> = at::prose(row, "description").into_iter().collect();
    for list in at::each(row, "lists") {
        parts.extend(at::text(list, "text"));
        parts.extend(at::prose(list, "content"));
    }
    parts.extend(at::prose(row, "additional"));
    Some(Listed {
        posted: at::date(row, "createdAt"),
        department: at::text(row, "categories/department").or_else(|| at::text(row, "categories/team")),
        employment_type: at::text(row, "categories/commitment"),
        remote: at::remote(row, "workplaceType"),
        salary: pay,
        salary_text: at::text(row, "salaryDescription"),
        description: (!parts.is_empty()).then(|| parts.join("\n\n")),
        apply_url: at::link(row, "applyUrl"),
        ..job.at(places).with_url(at::link(row, "hostedUrl"))
    })
}

fn ask_detail(board: &Board, job: &Listed) -> Option<Ask> {
    Some(Ask::json(format!("{}/{}?mode=json", base(board), segment(&job.external_id))))
}

fn read_detail(_: &Board, answer: &Answer<'_>, job: &mut Listed) -> Result<(), Misfit> {
    let detail = self::job(&rows::whole(answer)?).ok_or(Misfit::Lacks("id and title"))?;
    job.merge(detail);
    Ok(())
}
