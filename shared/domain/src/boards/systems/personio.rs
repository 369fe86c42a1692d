//! Personio: an XML feed with everything. Without it (404) the board has only its page.

use crate::boards::answer::{Answer, ListPage, Misfit};
use crate::boards::ask::{Ask, origin, segment};
use crate::boards::liveness::Liveness;
use crate::boards::paging::Paging;
use crate::boards::systems::{Adapter, Detail};
use crate::boards::{Board, feed};

pub static ADAPTER: Adapter = Adapter {
    paging: Paging::Whole,
    ask: |board, _| Ask::page(format!("{}/xml?language=en", origin(board.part(0)))),
    read,
    detail: Detail::InList,
    liveness: Liveness::Absence,
};

fn read(board: &Board, answer: &Answer<'_>) -> Result<ListPage, Misfit> {
    let origin = origin(board.part(0));
    let mut page = feed::read(answer, &origin)?;
    for job in &mut page.jobs {
        job.url = Some(format!("{origin}/job/{}", segment(&job.external_id)));
    }
    Ok(page)
}
