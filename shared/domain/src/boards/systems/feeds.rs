//! Boards that are feeds: any RSS, Atom or XML feed of jobs, and Jobvite's.

use crate::boards::Board;
use crate::boards::answer::{Answer, ListPage, Misfit};
use crate::boards::ask::{Ask, query};
use crate::boards::feed;
use crate::boards::liveness::Liveness;
use crate::boards::paging::{Paging, Step};
use crate::boards::systems::{Adapter, Detail};

pub static FEED: Adapter = Adapter {
    paging: Paging::Next,
    ask: |board, step| Ask::page(step.cursor.token().unwrap_or(board.token())),
    read: |board, answer| feed::read(answer, board.token()),
    detail: Detail::OnPage,
    liveness: Liveness::Page,
};

/// The feed is slow and large; its token is the company's internal id, not the name in its addresses.
pub static JOBVITE: Adapter = Adapter {
    paging: Paging::Whole,
    ask: ask_jobvite,
    read: read_jobvite,
    detail: Detail::InList,
    liveness: Liveness::Absence,
};

fn ask_jobvite(board: &Board, _: Step<'_>) -> Ask {
    Ask::page(format!("https://app.jobvite.com/CompanyJobs/Xml.aspx?{}", query(&[("c", board.token())])))
}

fn read_jobvite(_: &Board, answer: &Answer<'_>) -> Result<ListPage, Misfit> {
    feed::read(answer, "https://app.jobvite.com/")
}
