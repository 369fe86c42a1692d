//! Google's own board: the search page carries its rows as nested arrays without names. 20 a page.

use serde_json::Value;

use crate::boards::answer::{Answer, ListPage, Misfit, Row};
use crate::boards::ask::{Ask, segment};
use crate::boards::liveness::Liveness;
use crate::boards::markup;
use crate::boards::paging::{Paging, Step};
use crate::boards::systems::{Adapter, Detail};
use crate::boards::{Board, Listed, at, rows};

pub static ADAPTER: Adapter = Adapter {
    paging: Paging::Page { first: 1, size: 20 },
    ask,
    read,
    detail: Detail::OnPage,
    liveness: Liveness::Page,
};

const BASE: &str = "https://www.google.com/about/careers/applications/jobs/results/";

fn ask(_: &Board, step: Step<'_>) -> Ask {
    Ask::page(format!("{BASE}?sort_by=date&page={}", step.cursor.number()))
}

fn read(_: &Board, answer: &Answer<'_>) -> Result<ListPage, Misfit> {
    let html = answer.html()?;
    let block = html.find("'ds:1'").and_then(|at| html.get(at..)).ok_or(Misfit::Lacks("ds:1"))?;
    let data = markup::json_after(block, "data:").ok_or(Misfit::Lacks("ds:1"))?;
    // [rows, next?, total, size]
    let mut page = match rows::read_text(data, "0", |row| Row::from(job(row))) {
        Err(Misfit::Lacks(_)) => ListPage::default(), // past the end there is null
        read => read?,
    };
    page.total = rows::count(data, "2");
    Ok(page)
}

fn job(row: &Value) -> Option<Listed> {
    let id = at::id(row, "0")?;
    let job = Listed::new(Some(id.clone()), at::text(row, "1"))?;
    Some(Listed {
        posted: at::date(row, "12/0"),
        company: at::text(row, "7"),
        description: at::prose_parts(row, &["10/1", "3/1", "4/1"]),
        apply_url: at::link(row, "2"),
        ..job.at(at::texts(row, "9", "0")).with_url(Some(format!("{BASE}{}", segment(&id))))
    })
}
