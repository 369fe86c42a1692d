//! Breezy: one array, without descriptions.

use serde_json::Value;

use crate::boards::answer::{Answer, ListPage, Misfit, Row};
use crate::boards::ask::{Ask, origin};
use crate::boards::liveness::Liveness;
use crate::boards::paging::{Paging, Step};
use crate::boards::systems::{Adapter, Detail};
use crate::boards::{Board, Listed, at, rows};

pub static ADAPTER: Adapter =
    Adapter { paging: Paging::Whole, ask, read, detail: Detail::OnPage, liveness: Liveness::Absence };

fn ask(board: &Board, _: Step<'_>) -> Ask {
    Ask::json(format!("{}/json", origin(board.part(0))))
}

fn read(_: &Board, answer: &Answer<'_>) -> Result<ListPage, Misfit> {
    rows::read(answer, "", |row| Row::from(job(row)))
}

fn job(row: &Value) -> Option<Listed> {
    let job = Listed::new(at::id(row, "id"), at::text(row, "name"))?;
    let place = |place: &Value| {
        at::text(place, "name").or_else(|| at::joined(place, &["city", "state/name", "country/name"]))
    };
    let mut places: Vec<String> = at::value(row, "location").and_then(place).into_iter().collect();
    places.extend(at::each(row, "locations").filter_map(place));
    Some(Listed {
        posted: at::date(row, "published_date"),
        company: at::text(row, "company/name"),
        department: at::text(row, "department"),
        employment_type: at::text(row, "type/name"),
        remote: at::remote_if(row, "location/is_remote"),
        salary_text: at::text(row, "salary"),
        ..job.at(places).with_url(at::link(row, "url"))
    })
}
