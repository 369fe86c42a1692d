//! Phenom: always on the company's own host. A search by POST to `/widgets`, 100 at a time; the search page itself
//! carries the first rows of the same answer, and some sites answer with a plainer list.

use serde_json::{Value, json};

use crate::boards::answer::{Answer, ListPage, Misfit, Row};
use crate::boards::ask::{Ask, origin, segment};
use crate::boards::liveness::Liveness;
use crate::boards::paging::{Paging, Step};
use crate::boards::systems::{Adapter, Detail};
use crate::boards::{Board, Listed, at, markup, rows};

pub static ADAPTER: Adapter = Adapter {
    paging: Paging::Offset { size: 100 },
    ask,
    read,
    detail: Detail::OnPage,
    liveness: Liveness::Page,
};

fn ask(board: &Board, step: Step<'_>) -> Ask {
    let body = json!({
        "lang": "en_us", "deviceType": "desktop", "country": "us", "pageName": "search-results",
        "ddoKey": "refineSearch", "sortBy": "Most recent", "subsearch": "", "from": step.cursor.number(),
        "jobs": true, "counts": true, "all_fields": ["category", "country", "state", "city", "type"],
        "size": 100, "clearAll": false, "jdsource": "facets", "isSliderEnable": false, "pageId": "page1",
        "siteType": "external", "keywords": "", "global": true, "selected_fields": {},
    });
    Ask::post(format!("{}/widgets", origin(board.part(0))), body)
}

fn read(board: &Board, answer: &Answer<'_>) -> Result<ListPage, Misfit> {
    let html;
    let text = match answer.json() {
        Ok(text) => text,
        Err(Misfit::Page(_)) => {
            html = answer.html()?;
            markup::json_after(&html, "phApp.ddo").ok_or(Misfit::Page("data"))?
        }
        Err(misfit) => return Err(misfit),
    };
    // by widget, by page, and the plain list
    let shapes: [(&'static str, &str); 3] = [
        ("refineSearch/data/jobs", "refineSearch/totalHits"),
        ("eagerLoadRefineSearch/data/jobs", "eagerLoadRefineSearch/totalHits"),
        ("jobs", "totalJob"),
    ];
    for (path, total) in shapes {
        match rows::read_text(text, path, |row| Row::from(job(board, row))) {
            Ok(mut page) => {
                page.total = rows::count(text, total);
                return Ok(page);
            }
            Err(Misfit::Lacks(_)) => {}
            Err(misfit) => return Err(misfit),
        }
    }
    Err(Misfit::Lacks("refineSearch"))
}

fn job(board: &Board, row: &Value) -> Option<Listed> {
    let id = ["jobSeqNo", "uniqueID", "jobId", "reqId"].iter().find_map(|name| at::id(row, name))?;
    let job = Listed::new(Some(id), at::text(row, "title"))?;
    let number = ["reqId", "jobId", "requisitionID", "reference"].iter().find_map(|name| at::id(row, name));
    let mut places = at::texts(row, "multi_location", "");
    if places.is_empty() {
        places = at::texts(row, "locations", "locationText");
    }
    if places.is_empty() {
        places.extend(at::text(row, "location").or_else(|| at::joined(row, &["city", "state", "country"])));
    }
    Some(Listed {
        posted: at::date(row, "postedDate").or_else(|| at::date(row, "dateCreated")),
        company: at::text(row, "companyName"),
        department: at::text(row, "category"),
        employment_type: at::text(row, "type").or_else(|| at::text(row, "employmentType/0")),
        remote: at::remote_if(row, "isRemote"),
        description: at::prose(row, "description").or_else(|| at::prose(row, "descriptionTeaser")),
        requisition: number.clone(),
        apply_url: at::link(row, "applyUrl").or_else(|| at::link(row, "applyURL")),
        ..job.at(places).with_url(url(board, row, number))
    })
}

/// The slug in an address is for the eye; the number leads to the job.
fn url(board: &Board, row: &Value, number: Option<String>) -> Option<String> {
    let origin = origin(board.part(0));
    if let Some(path) = at::id(row, "originalURL") {
        return Some(
            at::link(row, "originalURL")
                .unwrap_or_else(|| format!("{origin}/{}", path.trim_start_matches('/'))),
        );
    }
    let number = number?;
    // `en_GLOBAL` stands for `global/en`
    let locale = at::id(row, "locale").and_then(|locale| {
        let (language, country) = locale.split_once('_')?;
        Some(format!("{}/{}", country.to_ascii_lowercase(), language.to_ascii_lowercase()))
    });
    let locale = locale.unwrap_or_else(|| "us/en".to_owned());
    Some(format!("{origin}/{locale}/job/{}", segment(&number)))
}
