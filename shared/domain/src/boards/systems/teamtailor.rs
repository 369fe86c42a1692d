//! Teamtailor: an RSS feed with all jobs, on the company's name or its own host.

use crate::boards::ask::{Ask, origin};
use crate::boards::feed;
use crate::boards::liveness::Liveness;
use crate::boards::paging::Paging;
use crate::boards::systems::{Adapter, Detail};

pub static ADAPTER: Adapter = Adapter {
    paging: Paging::Whole,
    ask: |board, _| Ask::page(format!("{}/jobs.rss", origin(board.part(0)))),
    // Under its own name it has all of them, however round their number is; elsewhere it may be any feed.
    read: |board, answer| {
        feed::read(answer, &origin(board.part(0))).map(|mut page| {
            page.cut &= !board.part(0).ends_with(".teamtailor.com");
            page
        })
    },
    detail: Detail::InList,
    liveness: Liveness::Absence,
};
