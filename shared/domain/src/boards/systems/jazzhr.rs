//! JazzHR: one page of links, each with its place and department beside it.

use std::collections::HashSet;

use url::Url;

use crate::boards::answer::{Answer, ListPage, Misfit, Row};
use crate::boards::ask::{Ask, origin};
use crate::boards::liveness::Liveness;
use crate::boards::paging::{Paging, Step};
use crate::boards::systems::{Adapter, Detail};
use crate::boards::{Board, Listed, links};
use crate::page::{NodeId, Page};

pub static ADAPTER: Adapter =
    Adapter { paging: Paging::Whole, ask, read, detail: Detail::OnPage, liveness: Liveness::Page };

fn ask(board: &Board, _: Step<'_>) -> Ask {
    Ask::page(format!("{}/apply", origin(board.part(0))))
}

fn read(board: &Board, answer: &Answer<'_>) -> Result<ListPage, Misfit> {
    let page = answer.tree()?;
    let base = Url::parse(&origin(board.part(0))).map_err(|error| Misfit::Unreadable(error.to_string()))?;
    let mut list = ListPage::default();
    let mut seen = HashSet::new();
    for anchor in links::anchors(&page) {
        let Some(url) = links::target(&page, anchor, &base) else { continue };
        let Some(id) = code(&url, &base) else { continue };
        if seen.insert(id.clone()) {
            list.add(Row::from(job(&page, anchor, url, id)));
        }
    }
    let shown = |class: &str| {
        class.contains("jobs-list") || class.contains("list-group") || class.contains("no-jobs")
    };
    if list.rows == 0 && !links::any_class(&page, shown) {
        return Err(Misfit::Lacks("list of jobs"));
    }
    Ok(list)
}

/// `/apply/AbC123xyz/The-Title`
fn code(url: &Url, base: &Url) -> Option<String> {
    let mut parts = url.path_segments()?;
    let ours = url.host_str() == base.host_str() && parts.next() == Some("apply");
    let code = parts.next().filter(|code| ours && (6..=24).contains(&code.len()))?;
    let named = parts.next().is_some_and(|slug| !slug.is_empty());
    (named && code.bytes().all(|b| b.is_ascii_alphanumeric())).then(|| code.to_owned())
}

fn job(page: &Page, anchor: NodeId, mut url: Url, id: String) -> Option<Listed> {
    let title = Some(page.text_of(anchor)).filter(|text| !text.is_empty());
    url.set_query(None);
    let job = Listed::new(Some(id), title)?.with_url(Some(url.into()));
    let card = links::around(page, anchor, |id| matches!(page.tag(id), "li" | "tr"));
    let Some(card) = card.filter(|card| links::is_card(page, *card)) else { return Some(job) };
    // an icon says what the text after it is
    let after_icon = |icon: &str| {
        let icon = page
            .elements(card)
            .find(|&id| page.attribute(id, "class").is_some_and(|class| class.contains(icon)))?;
        let text = page.text_of(page.parent(icon)?);
        (!text.is_empty()).then_some(text)
    };
    Some(Listed { department: after_icon("fa-sitemap"), ..job.at(after_icon("fa-map-marker")) })
}
