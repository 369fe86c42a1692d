//! Pinpoint: one answer with everything. Pay is given even where it is not to be shown.

use serde_json::Value;

use crate::boards::answer::{Answer, ListPage, Misfit, Row};
use crate::boards::ask::{Ask, origin};
use crate::boards::liveness::Liveness;
use crate::boards::paging::{Paging, Step};
use crate::boards::systems::{Adapter, Detail};
use crate::boards::{Board, Listed, at, rows};

pub static ADAPTER: Adapter =
    Adapter { paging: Paging::Whole, ask, read, detail: Detail::InList, liveness: Liveness::Absence };

fn ask(board: &Board, _: Step<'_>) -> Ask {
    Ask::json(format!("{}/postings.json", origin(board.part(0))))
}

fn read(board: &Board, answer: &Answer<'_>) -> Result<ListPage, Misfit> {
    rows::read(answer, "data", |row| Row::from(job(board, row)))
}

fn job(board: &Board, row: &Value) -> Option<Listed> {
    let job = Listed::new(at::id(row, "id"), at::text(row, "title"))?;
    let url = at::link(row, "url").or_else(|| {
        let path = at::id(row, "path")?;
        Some(format!("{}/{}", origin(board.part(0)), path.trim_start_matches('/')))
    });
    let shown = at::truth(row, "compensation_visible") == Some(true);
    let pay = at::pay(
        at::value(row, "compensation_minimum"),
        at::value(row, "compensation_maximum"),
        at::id(row, "compensation_currency"),
        at::id(row, "compensation_frequency"),
    );
    let place =
        at::text(row, "location/name").or_else(|| at::joined(row, &["location/city", "location/province"]));
    Some(Listed {
        closes: at::date(row, "deadline_at"),
        department: at::text(row, "job/department/name").or_else(|| at::text(row, "department/name")),
        employment_type: at::text(row, "employment_type_text").or_else(|| at::text(row, "employment_type")),
        remote: at::remote(row, "workplace_type"),
        salary: pay.filter(|_| shown),
        salary_text: at::text(row, "compensation").filter(|_| shown),
        description: at::prose_parts(
            row,
            &["description", "key_responsibilities", "skills_knowledge_expertise", "benefits"],
        ),
        requisition: at::text(row, "job/requisition_id"),
        ..job.at(place).with_url(url)
    })
}
