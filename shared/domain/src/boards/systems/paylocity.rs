//! Paylocity: a page whose script carries all jobs. The name of the place may be a way of working ("Hybrid"); the
//! address says where.

use serde_json::{Value, json};

use crate::boards::answer::{Answer, ListPage, Misfit, Row};
use crate::boards::ask::{Ask, segment};
use crate::boards::liveness::Liveness;
use crate::boards::markup;
use crate::boards::paging::{Paging, Step};
use crate::boards::systems::{Adapter, Detail};
use crate::boards::{Board, Listed, at, rows};
use crate::location::RemoteKind;

pub static ADAPTER: Adapter =
    Adapter { paging: Paging::Whole, ask, read, detail: Detail::OnPage, liveness: Liveness::Page };

fn ask(board: &Board, _: Step<'_>) -> Ask {
    Ask::page(format!("https://recruiting.paylocity.com/recruiting/jobs/All/{}/-", segment(board.token())))
}

fn read(_: &Board, answer: &Answer<'_>) -> Result<ListPage, Misfit> {
    let html = answer.html()?;
    let data = markup::json_after(&html, "window.pageData").ok_or(Misfit::Lacks("window.pageData"))?;
    let company = rows::pick(data, "ModuleTitle").and_then(|title| at::text(&json!({ "t": title }), "t"));
    rows::read_text(data, "Jobs", |row| match at::truth(row, "IsInternal") {
        Some(true) => Row::Hidden,
        _ => Row::from(job(row, company.clone())),
    })
}

fn job(row: &Value, company: Option<String>) -> Option<Listed> {
    let id = at::id(row, "JobId")?;
    let job = Listed::new(Some(id.clone()), at::text(row, "JobTitle"))?;
    let named = at::text(row, "LocationName").or_else(|| at::text(row, "JobLocation/Name"));
    let model = named.as_ref().and_then(|name| RemoteKind::from_json(&Value::String(name.clone())));
    let place = at::joined(row, &["JobLocation/City", "JobLocation/State", "JobLocation/Country"]).or(named);
    Some(Listed {
        posted: at::date(row, "PublishedDate"),
        company,
        department: at::text(row, "HiringDepartment"),
        remote: model.or_else(|| at::remote_if(row, "IsRemote")),
        description: at::prose(row, "Description"),
        ..job.at(place).with_url(Some(format!(
            "https://recruiting.paylocity.com/Recruiting/Jobs/Details/{}",
            segment(&id)
        )))
    })
}
