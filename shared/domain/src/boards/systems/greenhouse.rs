//! Greenhouse: everything in one answer, descriptions too. `updated_at` moves with every edit and is no posting
//! date; the place may be a way of working, and then the offices say where.

use serde_json::Value;

use crate::boards::answer::{Answer, ListPage, Misfit, Row};
use crate::boards::ask::{Ask, segment};
use crate::boards::liveness::Liveness;
use crate::boards::paging::{Paging, Step};
use crate::boards::systems::{Adapter, Detail};
use crate::boards::{Board, Listed, at, rows};
use crate::location::RemoteKind;

pub static ADAPTER: Adapter = Adapter {
    paging: Paging::Whole,
    ask,
    read,
    detail: Detail::Behind { ask: ask_detail, read: read_detail },
    liveness: Liveness::Detail,
};

fn ask(board: &Board, _: Step<'_>) -> Ask {
    Ask::json(format!("{}/jobs?content=true", base(board)))
}

fn base(board: &Board) -> String {
    match board.token().strip_prefix("eu/") {
        Some(name) => format!("https://boards-api.eu.greenhouse.io/v1/boards/{}", segment(name)),
        None => format!("https://boards-api.greenhouse.io/v1/boards/{}", segment(board.token())),
    }
}

fn read(_: &Board, answer: &Answer<'_>) -> Result<ListPage, Misfit> {
    let mut page = rows::read(answer, "jobs", |row| Row::from(job(row)))?;
    page.total = rows::count(answer.json()?, "meta/total");
    Ok(page)
}

fn job(row: &Value) -> Option<Listed> {
    let job = Listed::new(at::id(row, "id"), at::text(row, "title"))?;
    let stated = at::text(row, "location/name");
    let remote = stated.as_ref().and_then(|place| RemoteKind::from_json(&Value::String(place.clone())));
    let offices = || {
        at::each(row, "offices")
            .filter_map(|office| at::text(office, "location").or_else(|| at::text(office, "name")))
    };
    let places: Vec<String> = match (&stated, remote) {
        (Some(place), None) => vec![place.clone()],
        // "Hybrid" is no place; the offices are, if there are any
        (Some(place), Some(_)) => {
            let offices: Vec<String> = offices().collect();
            if offices.is_empty() { vec![place.clone()] } else { offices }
        }
        (None, _) => offices().collect(),
    };
    Some(Listed {
        posted: at::date(row, "first_published"),
        closes: at::date(row, "application_deadline"),
        company: at::text(row, "company_name"),
        department: at::text(row, "departments/0/name"),
        remote,
        description: at::prose(row, "content"),
        requisition: at::text(row, "requisition_id"),
        ..job.at(places).with_url(at::link(row, "absolute_url"))
    })
}

fn ask_detail(board: &Board, job: &Listed) -> Option<Ask> {
    let id = segment(&job.external_id);
    Some(Ask::json(format!("{}/jobs/{id}?pay_transparency=true", base(board))))
}

fn read_detail(_: &Board, answer: &Answer<'_>, job: &mut Listed) -> Result<(), Misfit> {
    let row = rows::whole(answer)?;
    let mut detail = self::job(&row).ok_or(Misfit::Lacks("id and title"))?;
    if let Some(pay) = at::each(&row, "pay_input_ranges").next() {
        // in cents
        let whole = |path| at::number(pay, path).map(|cents| Value::from(cents as f64 / 100.0));
        let (min, max) = (whole("min_cents"), whole("max_cents"));
        detail.salary = at::pay(min.as_ref(), max.as_ref(), at::id(pay, "currency_type"), None);
    }
    job.merge(detail);
    Ok(())
}
