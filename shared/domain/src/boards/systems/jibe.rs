//! iCIMS on a branded host (Jibe): JSON by page, ten at a time unless the site was set otherwise.

use serde_json::Value;

use crate::boards::answer::{Answer, ListPage, Misfit, Row};
use crate::boards::ask::{Ask, origin, segment};
use crate::boards::liveness::Liveness;
use crate::boards::paging::{Paging, Step};
use crate::boards::systems::{Adapter, Detail};
use crate::boards::{Board, Listed, at, rows};

pub static ADAPTER: Adapter = Adapter {
    paging: Paging::Page { first: 1, size: 10 },
    ask,
    read,
    detail: Detail::InList,
    liveness: Liveness::Absence,
};

fn ask(board: &Board, step: Step<'_>) -> Ask {
    Ask::json(format!("{}/api/jobs?page={}", origin(board.part(0)), step.cursor.number()))
}

fn read(board: &Board, answer: &Answer<'_>) -> Result<ListPage, Misfit> {
    let mut page = rows::read(answer, "jobs", |row| Row::from(job(board, row)))?;
    page.total = rows::count(answer.json()?, "totalCount");
    Ok(page)
}

fn job(board: &Board, row: &Value) -> Option<Listed> {
    let row = at::value(row, "data").unwrap_or(row);
    let slug = at::id(row, "slug").or_else(|| at::id(row, "req_id"))?;
    let job = Listed::new(Some(slug.clone()), at::text(row, "title"))?;
    let place = at::text(row, "full_location")
        .or_else(|| at::text(row, "location_name"))
        .or_else(|| at::joined(row, &["city", "state", "country"]));
    let url = format!("{}/jobs/{}", origin(board.part(0)), segment(&slug));
    Some(Listed {
        posted: at::date(row, "posted_date"),
        company: at::text(row, "hiring_organization"),
        department: at::text(row, "department").or_else(|| at::text(row, "category/0")),
        employment_type: at::text(row, "employment_type"),
        description: at::prose(row, "description"),
        requisition: at::text(row, "req_id"),
        apply_url: at::link(row, "apply_url"),
        ..job.at(place).with_url(Some(url))
    })
}
