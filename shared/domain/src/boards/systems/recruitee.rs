//! Recruitee: one answer with everything, on the company's name or its own host.

use serde_json::Value;

use crate::boards::answer::{Answer, ListPage, Misfit, Row};
use crate::boards::ask::{Ask, origin};
use crate::boards::liveness::Liveness;
use crate::boards::paging::{Paging, Step};
use crate::boards::systems::{Adapter, Detail};
use crate::boards::{Board, Listed, at, rows};
use crate::location::RemoteKind;

pub static ADAPTER: Adapter =
    Adapter { paging: Paging::Whole, ask, read, detail: Detail::InList, liveness: Liveness::Absence };

fn ask(board: &Board, _: Step<'_>) -> Ask {
    Ask::json(format!("{}/api/offers/", origin(board.part(0))))
}

fn read(_: &Board, answer: &Answer<'_>) -> Result<ListPage, Misfit> {
    rows::read(answer, "offers", |row| match at::id(row, "status").as_deref() {
        None | Some("published") => Row::from(job(row)),
        Some(_) => Row::Hidden,
    })
}

fn job(row: &Value) -> Option<Listed> {
    let job = Listed::new(at::id(row, "id"), at::text(row, "title"))?;
    let stated = at::text(row, "location").or_else(|| at::joined(row, &["city", "state_name", "country"]));
    let others =
        at::each(row, "locations").filter_map(|place| at::joined(place, &["city", "state", "country"]));
    let places: Vec<String> = match stated {
        // the first of several is the stated one, written otherwise
        Some(stated) => std::iter::once(stated).chain(others.skip(1)).collect(),
        None => others.collect(),
    };
    let said = |name| at::truth(row, name) == Some(true);
    let remote = match (said("remote"), said("hybrid"), said("on_site")) {
        (true, false, false) => Some(RemoteKind::Remote),
        (_, true, _) => Some(RemoteKind::Hybrid),
        (false, false, true) => Some(RemoteKind::OnSite),
        _ => None, // none said, or both at once
    };
    let pay = at::pay(
        at::value(row, "salary/min"),
        at::value(row, "salary/max"),
        at::id(row, "salary/currency"),
        at::id(row, "salary/period"),
    );
    Some(Listed {
        posted: at::date(row, "published_at"),
        closes: at::date(row, "close_at"),
        company: at::text(row, "company_name"),
        department: at::text(row, "department"),
        employment_type: at::text(row, "employment_type_code"),
        remote,
        salary: pay,
        description: at::prose_parts(row, &["description", "requirements"]),
        apply_url: at::link(row, "careers_apply_url"),
        ..job.at(places).with_url(at::link(row, "careers_url"))
    })
}
