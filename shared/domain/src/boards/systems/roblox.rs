//! Roblox's own board: one static array.

use serde_json::Value;

use crate::boards::answer::{Answer, ListPage, Misfit, Row};
use crate::boards::ask::{Ask, segment};
use crate::boards::liveness::Liveness;
use crate::boards::paging::{Paging, Step};
use crate::boards::systems::{Adapter, Detail};
use crate::boards::{Board, Listed, at, rows};

pub static ADAPTER: Adapter =
    Adapter { paging: Paging::Whole, ask, read, detail: Detail::OnPage, liveness: Liveness::Absence };

fn ask(_: &Board, _: Step<'_>) -> Ask {
    Ask::json("https://d32kbl9jppd7az.cloudfront.net/careers/jobs.json")
}

fn read(_: &Board, answer: &Answer<'_>) -> Result<ListPage, Misfit> {
    rows::read(answer, "", |row| Row::from(job(row)))
}

fn job(row: &Value) -> Option<Listed> {
    let id = at::id(row, "id")?;
    let job = Listed::new(Some(id.clone()), at::text(row, "title"))?;
    let place = at::text(row, "location").or_else(|| at::text(row, "location/name"));
    Some(Listed {
        department: at::text(row, "department").or_else(|| at::text(row, "department/name")),
        employment_type: at::text(row, "employment_type"),
        ..job.at(place).with_url(Some(format!("https://careers.roblox.com/jobs/{}", segment(&id))))
    })
}
