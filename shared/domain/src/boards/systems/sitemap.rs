//! A sitemap: the addresses of postings, whose pages carry their own data. An index of sitemaps is walked map by
//! map. It names no titles, so what it lists is known by its address until its page is read.

use url::Url;

use crate::boards::answer::{Answer, ListPage, Misfit, Row};
use crate::boards::ask::Ask;
use crate::boards::liveness::Liveness;
use crate::boards::paging::{Paging, Step};
use crate::boards::systems::{Adapter, Detail};
use crate::boards::xml::{self, Piece};
use crate::boards::{Board, Listed, links};
use crate::url as address;

/// Maps of one index.
const MAX_MAPS: usize = 200;
const MAX_URLS: u64 = 50_000;

pub static ADAPTER: Adapter =
    Adapter { paging: Paging::Next, ask, read, detail: Detail::OnPage, liveness: Liveness::Page };

fn ask(board: &Board, step: Step<'_>) -> Ask {
    Ask::page(step.cursor.token().unwrap_or(board.token()))
}

fn read(board: &Board, answer: &Answer<'_>) -> Result<ListPage, Misfit> {
    let text = answer.xml()?;
    let own = Url::parse(board.token()).map_err(|error| Misfit::Unreadable(error.to_string()))?;
    let root = xml::pieces(&text).find_map(|piece| match piece {
        Piece::Start(name, ..) => Some(name.to_ascii_lowercase()),
        _ => None,
    });
    let mut page = ListPage::default();
    match root.as_deref() {
        Some("sitemapindex") => {
            let mut maps: Vec<String> = Vec::new();
            for map in xml::records(&text, "sitemap").take(MAX_MAPS + 1) {
                let url = map.first("loc").and_then(|loc| own.join(loc).ok());
                match url.filter(|url| url.host_str() == own.host_str()) {
                    Some(url) => maps.push(url.to_string()),
                    // on another host, which is not ours to walk: what it lists is missing
                    None => page.unproven = true,
                }
            }
            if maps.len() > MAX_MAPS {
                return Err(Misfit::TooMuch("sitemaps"));
            }
            page.next = (!maps.is_empty()).then(|| maps.join("\n"));
        }
        Some("urlset") => {
            for entry in xml::records(&text, "url") {
                if page.rows >= MAX_URLS {
                    return Err(Misfit::TooMuch("addresses"));
                }
                let url = entry.first("loc").and_then(|loc| own.join(loc).ok());
                // other pages of the site are no rows of the list
                if let Some(url) = url.filter(links::is_posting) {
                    page.add(Row::from(job(&url)));
                }
            }
        }
        _ => return Err(Misfit::Lacks("urlset")),
    }
    Ok(page)
}

fn job(url: &Url) -> Option<Listed> {
    let id = address::normalise(url.as_str()).ok()?;
    Some(Listed::by_address(id, url.to_string()))
}
