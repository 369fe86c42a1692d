//! Gem: one array with everything.

use serde_json::Value;

use crate::boards::answer::{Answer, ListPage, Misfit, Row};
use crate::boards::ask::{Ask, segment};
use crate::boards::liveness::Liveness;
use crate::boards::paging::{Paging, Step};
use crate::boards::systems::{Adapter, Detail};
use crate::boards::{Board, Listed, at, rows};

pub static ADAPTER: Adapter =
    Adapter { paging: Paging::Whole, ask, read, detail: Detail::InList, liveness: Liveness::Absence };

fn ask(board: &Board, _: Step<'_>) -> Ask {
    Ask::json(format!("https://api.gem.com/job_board/v0/{}/job_posts/", segment(board.token())))
}

fn read(_: &Board, answer: &Answer<'_>) -> Result<ListPage, Misfit> {
    rows::read(answer, "", |row| Row::from(job(row)))
}

fn job(row: &Value) -> Option<Listed> {
    let job = Listed::new(at::id(row, "id"), at::text(row, "title"))?;
    Some(Listed {
        posted: at::date(row, "first_published_at"),
        department: at::text(row, "departments/0/name"),
        employment_type: at::text(row, "employment_type"),
        remote: at::remote(row, "location_type"),
        description: at::prose(row, "content").or_else(|| at::prose(row, "content_plain")),
        requisition: at::text(row, "requisition_id"),
        ..job.at(at::text(row, "location/name")).with_url(at::link(row, "absolute_url"))
    })
}
