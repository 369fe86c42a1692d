//! Any page that links to postings: the links that look alike are learnt from the page, or chosen by a selector that
//! the board's address carries behind `#select=`. Pages follow as the page itself says.

use url::Url;

use crate::boards::Board;
use crate::boards::answer::{Answer, ListPage, Misfit, Row};
use crate::boards::ask::Ask;
use crate::boards::links;
use crate::boards::liveness::Liveness;
use crate::boards::paging::{Paging, Step};
use crate::boards::selector::Selector;
use crate::boards::systems::{Adapter, Detail};

pub static ADAPTER: Adapter =
    Adapter { paging: Paging::Next, ask, read, detail: Detail::OnPage, liveness: Liveness::Page };

fn ask(board: &Board, step: Step<'_>) -> Ask {
    let url = step.cursor.token().unwrap_or(board.token());
    Ask::page(url.split('#').next().unwrap_or(url))
}

fn read(board: &Board, answer: &Answer<'_>) -> Result<ListPage, Misfit> {
    let unreadable = |error: &dyn std::fmt::Display| Misfit::Unreadable(error.to_string());
    let page = answer.tree()?;
    let own = Url::parse(board.token()).map_err(|error| unreadable(&error))?;
    let chosen = match own.fragment().and_then(|fragment| fragment.strip_prefix("select=")) {
        Some(text) => {
            let text = percent_encoding::percent_decode_str(text).decode_utf8_lossy();
            Some(Selector::parse(&text).map_err(|error| unreadable(&error))?)
        }
        None => None,
    };
    let base = Url::parse(answer.url).unwrap_or(own);
    let found = links::jobs(&page, &base, chosen.as_ref());
    // An empty page and a page that we cannot read look the same; only a selector tells them apart.
    if found.jobs.is_empty() && chosen.is_none() {
        return Err(Misfit::Lacks("links to postings"));
    }
    // Nor does a selector tell a list that is empty from one that has changed its looks.
    let unproven = found.partly || found.jobs.is_empty();
    let mut list = ListPage { next: found.next, unproven, ..ListPage::default() };
    for job in found.jobs {
        list.add(Row::Job(Box::new(job)));
    }
    Ok(list)
}
