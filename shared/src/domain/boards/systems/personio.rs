//! Personio: an XML feed with everything. Without it (404) the board has only its page.

use crate::domain::boards::answer::{Answer, ListPage, Misfit};
use crate::domain::boards::ask::{Ask, origin, segment};
use crate::domain::boards::liveness::Liveness;
use crate::domain::boards::paging::Paging;
use crate::domain::boards::systems::{Adapter, Detail};
use crate::domain::boards::{Board, feed};

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
