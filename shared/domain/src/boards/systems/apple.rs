//! Apple's own board: the search page carries its rows in a script, as JSON inside a string. 20 a page.

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

fn ask(_: &Board, step: Step<'_>) -> Ask {
    Ask::page(format!("https://jobs.apple.com/en-us/search?sort=newest&page={}", step.cursor.number()))
}

fn read(_: &Board, answer: &Answer<'_>) -> Result<ListPage, Misfit> {
    const MARKER: &str = "__staticRouterHydrationData";
    let html = answer.html()?;
    let unwrapped;
    let data = match markup::json_after(&html, MARKER) {
        Some(data) => data,
        None => {
            unwrapped = in_string(&html, MARKER).ok_or(Misfit::Lacks(MARKER))?;
            &unwrapped
        }
    };
    let mut page = rows::read_text(data, "loaderData/search/searchResults", |row| Row::from(job(row)))?;
    page.total = rows::count(data, "loaderData/search/totalRecords");
    Ok(page)
}

/// `… = JSON.parse("{…}")`
fn in_string(html: &str, marker: &str) -> Option<String> {
    let rest = html.get(html.find(marker)?..)?;
    let rest = rest.get(rest.find("JSON.parse(")? + "JSON.parse(".len()..)?;
    serde_json::Deserializer::from_str(rest.trim_start()).into_iter::<String>().next()?.ok()
}

fn job(row: &Value) -> Option<Listed> {
    let id = at::id(row, "positionId").or_else(|| at::id(row, "id"))?;
    let job = Listed::new(Some(id.clone()), at::text(row, "postingTitle"))?;
    let slug =
        at::id(row, "transformedPostingTitle").map(|slug| format!("/{}", segment(&slug))).unwrap_or_default();
    Some(Listed {
        posted: at::date(row, "postDateInGMT"),
        company: None,
        department: at::text(row, "team/teamName"),
        remote: at::remote_if(row, "homeOffice"),
        description: at::prose(row, "jobSummary"),
        ..job
            .at(at::texts(row, "locations", "name"))
            .with_url(Some(format!("https://jobs.apple.com/en-us/details/{}{slug}", segment(&id))))
    })
}
