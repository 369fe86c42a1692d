//! iCIMS: pages of cards in HTML, 0-based, some 20 each, without dates. The job's own page carries JSON-LD.

use std::collections::HashSet;

use url::Url;

use crate::boards::answer::{Answer, ListPage, Misfit, Row};
use crate::boards::ask::{Ask, origin};
use crate::boards::liveness::Liveness;
use crate::boards::paging::{Paging, Step};
use crate::boards::systems::{Adapter, Detail};
use crate::boards::{Board, Listed, links};
use crate::page::{NodeId, Page};

pub static ADAPTER: Adapter = Adapter {
    paging: Paging::Page { first: 0, size: 20 },
    ask,
    read,
    detail: Detail::OnPage,
    liveness: Liveness::Page,
};

fn ask(board: &Board, step: Step<'_>) -> Ask {
    let page = step.cursor.number();
    Ask::page(format!("{}/jobs/search?ss=1&pr={page}&in_iframe=1", origin(board.part(0))))
}

fn read(board: &Board, answer: &Answer<'_>) -> Result<ListPage, Misfit> {
    let page = answer.tree()?;
    let base = Url::parse(&origin(board.part(0))).map_err(|error| Misfit::Unreadable(error.to_string()))?;
    let mut list = ListPage::default();
    let mut seen = HashSet::new();
    for anchor in links::anchors(&page) {
        let Some(url) = links::target(&page, anchor, &base) else { continue };
        let Some(id) = number(&url) else { continue };
        // a card may link to its job twice, by its title and by a button
        if !seen.insert(id.clone()) {
            continue;
        }
        list.add(Row::from(card(&page, anchor, url, id)));
    }
    let text = page.visible_text();
    list.pages = pages(&text);
    if list.rows == 0 && !is_board(&page, &text) {
        return Err(Misfit::Lacks("list of jobs"));
    }
    Ok(list)
}

/// `/jobs/8214/some-title/job`
fn number(url: &Url) -> Option<String> {
    let mut parts = url.path_segments()?;
    let id = (parts.next() == Some("jobs")).then(|| parts.next())??;
    let numeric = !id.is_empty() && id.bytes().all(|b| b.is_ascii_digit());
    (numeric && url.path().trim_end_matches('/').ends_with("/job")).then(|| id.to_owned())
}

fn card(page: &Page, anchor: NodeId, mut url: Url, id: String) -> Option<Listed> {
    let title = links::heading_in(page, anchor).or_else(|| {
        let text = page.text_of(anchor);
        let text = text.strip_prefix("Job Title").unwrap_or(&text).trim().to_owned();
        (!text.is_empty()).then_some(text)
    });
    url.set_query(None);
    let job = Listed::new(Some(id), title)?.with_url(Some(url.into()));
    let card = links::around(page, anchor, |id| {
        page.tag(id) == "li"
            || page.attribute(id, "class").is_some_and(|class| class.contains("iCIMS_JobsTable"))
    });
    let Some(card) = card.filter(|card| links::is_card(page, *card)) else { return Some(job) };
    let place = links::labelled(page, card, &["job locations", "location", "locations", "job location"]);
    Some(Listed {
        requisition: links::labelled(page, card, &["job id", "id", "requisition id", "req id"]),
        department: links::labelled(page, card, &["category", "department"]),
        employment_type: links::labelled(page, card, &["position type", "type", "employment type"]),
        ..job.at(place)
    })
}

/// `Search Results Page 1 of 4`
fn pages(text: &str) -> Option<u64> {
    let at = text.find("Page ")?;
    let mut words = text.get(at..)?.split_whitespace().skip(1);
    let (_, of, last) = (words.next()?.parse::<u64>().ok()?, words.next()?, words.next()?);
    (of == "of").then(|| last.parse().ok())?
}

/// A search without results is still a board's page.
fn is_board(page: &Page, text: &str) -> bool {
    let ours = |class: &str| class.contains("iCIMS");
    links::any_class(page, ours)
        || text.contains("no jobs")
        || text.contains("No jobs")
        || text.contains("0 results")
}
