//! Rippling: one array, a row per place of a job; the detail has the rest.

use serde_json::Value;

use crate::boards::answer::{Answer, ListPage, Misfit, Row};
use crate::boards::ask::{Ask, segment};
use crate::boards::liveness::Liveness;
use crate::boards::paging::{Paging, Step};
use crate::boards::systems::{Adapter, Detail};
use crate::boards::{Board, Listed, at, rows};

pub static ADAPTER: Adapter = Adapter {
    paging: Paging::Whole,
    ask,
    read,
    detail: Detail::Behind { ask: ask_detail, read: read_detail },
    liveness: Liveness::Detail,
};

fn base(board: &Board) -> String {
    format!("https://api.rippling.com/platform/api/ats/v1/board/{}/jobs", segment(board.token()))
}

fn ask(board: &Board, _: Step<'_>) -> Ask {
    Ask::json(base(board))
}

fn read(_: &Board, answer: &Answer<'_>) -> Result<ListPage, Misfit> {
    rows::read(answer, "", |row| Row::from(job(row)))
}

fn job(row: &Value) -> Option<Listed> {
    let job = Listed::new(at::id(row, "uuid"), at::text(row, "name"))?;
    let mut places: Vec<String> = at::text(row, "workLocation/label").into_iter().collect();
    places.extend(at::texts(row, "workLocations", ""));
    let pay = at::each(row, "payRangeDetails").next().and_then(|range| {
        at::pay(
            at::value(range, "rangeStart"),
            at::value(range, "rangeEnd"),
            at::id(range, "currency"),
            at::id(range, "frequency"),
        )
    });
    Some(Listed {
        posted: at::date(row, "createdOn"),
        department: at::text(row, "department/label").or_else(|| at::text(row, "department/name")),
        employment_type: at::text(row, "employmentType/label"),
        salary: pay,
        description: at::prose_parts(row, &["description/company", "description/role"]),
        ..job.at(places).with_url(at::link(row, "url"))
    })
}

fn ask_detail(board: &Board, job: &Listed) -> Option<Ask> {
    Some(Ask::json(format!("{}/{}", base(board), segment(&job.external_id))))
}

fn read_detail(_: &Board, answer: &Answer<'_>, job: &mut Listed) -> Result<(), Misfit> {
    job.merge(self::job(&rows::whole(answer)?).ok_or(Misfit::Lacks("uuid and name"))?);
    Ok(())
}
