//! Eightfold, both of its APIs. Each tells who must use the other one; both show ten rows whatever is asked.
//! Tokens are host/domain.

use serde_json::Value;

use crate::boards::answer::{Answer, ListPage, Misfit, Row};
use crate::boards::ask::{Ask, origin, query, segment};
use crate::boards::liveness::Liveness;
use crate::boards::paging::{Paging, Step};
use crate::boards::systems::{Adapter, Detail};
use crate::boards::{Board, Listed, at, rows};

pub static CLASSIC: Adapter = Adapter {
    paging: Paging::Offset { size: 10 },
    ask: ask_classic,
    read: read_classic,
    detail: Detail::Behind { ask: ask_classic_detail, read: read_classic_detail },
    liveness: Liveness::Detail,
};

pub static PCSX: Adapter = Adapter {
    paging: Paging::Offset { size: 10 },
    ask: ask_pcsx,
    read: read_pcsx,
    detail: Detail::Behind { ask: ask_pcsx_detail, read: read_pcsx_detail },
    liveness: Liveness::Detail,
};

fn ask_classic(board: &Board, step: Step<'_>) -> Ask {
    let start = step.cursor.number().to_string();
    let query =
        query(&[("domain", board.part(1)), ("start", &start), ("num", "10"), ("sort_by", "timestamp")]);
    Ask::json(format!("{}/api/apply/v2/jobs?{query}", origin(board.part(0))))
}

fn read_classic(board: &Board, answer: &Answer<'_>) -> Result<ListPage, Misfit> {
    let mut page = rows::read(answer, "positions", |row| Row::from(job(board, row)))?;
    page.total = rows::count(answer.json()?, "count");
    Ok(page)
}

fn ask_pcsx(board: &Board, step: Step<'_>) -> Ask {
    let start = step.cursor.number().to_string();
    let pairs = [
        ("domain", board.part(1)),
        ("query", ""),
        ("location", ""),
        ("start", &start),
        ("sort_by", "timestamp"),
    ];
    Ask::json(format!("{}/api/pcsx/search?{}", origin(board.part(0)), query(&pairs)))
}

fn read_pcsx(board: &Board, answer: &Answer<'_>) -> Result<ListPage, Misfit> {
    let mut page = rows::read(answer, "data/positions", |row| Row::from(job(board, row)))?;
    page.total = rows::count(answer.json()?, "data/count");
    Ok(page)
}

/// The two write the same things under different names.
fn job(board: &Board, row: &Value) -> Option<Listed> {
    let id = at::id(row, "id")?;
    let title = at::text(row, "posting_name").or_else(|| at::text(row, "name"));
    let job = Listed::new(Some(id.clone()), title)?;
    let origin = origin(board.part(0));
    let url = at::link(row, "canonicalPositionUrl").or_else(|| {
        let path = at::id(row, "positionUrl")?;
        Some(format!("{origin}/{}", path.trim_start_matches('/')))
    });
    let url = url.unwrap_or_else(|| format!("{origin}/careers/job/{}", segment(&id)));
    let mut places = at::texts(row, "locations", "");
    if places.is_empty() {
        places.extend(at::text(row, "location"));
    }
    Some(Listed {
        posted: at::date(row, "t_create")
            .or_else(|| at::date(row, "postedTs"))
            .or_else(|| at::date(row, "creationTs")),
        department: at::text(row, "department"),
        remote: at::remote(row, "workLocationOption").or_else(|| at::remote(row, "work_location_option")),
        description: at::prose(row, "job_description").or_else(|| at::prose(row, "jobDescription")),
        requisition: at::text(row, "display_job_id").or_else(|| at::text(row, "displayJobId")),
        ..job.at(places).with_url(Some(url))
    })
}

fn ask_classic_detail(board: &Board, job: &Listed) -> Option<Ask> {
    let query = query(&[("domain", board.part(1))]);
    Some(Ask::json(format!(
        "{}/api/apply/v2/jobs/{}?{query}",
        origin(board.part(0)),
        segment(&job.external_id)
    )))
}

fn read_classic_detail(board: &Board, answer: &Answer<'_>, job: &mut Listed) -> Result<(), Misfit> {
    job.merge(self::job(board, &rows::whole(answer)?).ok_or(Misfit::Lacks("id and name"))?);
    Ok(())
}

fn ask_pcsx_detail(board: &Board, job: &Listed) -> Option<Ask> {
    let query = query(&[("position_id", &job.external_id), ("domain", board.part(1)), ("hl", "en")]);
    Some(Ask::json(format!("{}/api/pcsx/position_details?{query}", origin(board.part(0)))))
}

fn read_pcsx_detail(board: &Board, answer: &Answer<'_>, job: &mut Listed) -> Result<(), Misfit> {
    let row = rows::whole(answer)?;
    let detail = at::value(&row, "data").unwrap_or(&row);
    job.merge(self::job(board, detail).ok_or(Misfit::Lacks("id and name"))?);
    Ok(())
}
