//! BambooHR: one answer, without dates and descriptions; each job has a detail of its own.

use serde_json::Value;

use crate::boards::answer::{Answer, ListPage, Misfit, Row};
use crate::boards::ask::{Ask, origin, segment};
use crate::boards::liveness::Liveness;
use crate::boards::paging::{Paging, Step};
use crate::boards::systems::{Adapter, Detail};
use crate::boards::{Board, Listed, at, rows};
use crate::location::RemoteKind;

pub static ADAPTER: Adapter = Adapter {
    paging: Paging::Whole,
    ask,
    read,
    detail: Detail::Behind { ask: ask_detail, read: read_detail },
    liveness: Liveness::Detail,
};

fn ask(board: &Board, _: Step<'_>) -> Ask {
    Ask::json(format!("{}/careers/list", origin(board.part(0))))
}

fn read(board: &Board, answer: &Answer<'_>) -> Result<ListPage, Misfit> {
    let mut page = rows::read(answer, "result", |row| Row::from(job(board, row)))?;
    page.total = rows::count(answer.json()?, "meta/totalCount");
    Ok(page)
}

fn job(board: &Board, row: &Value) -> Option<Listed> {
    let id = at::id(row, "id")?;
    let job = Listed::new(Some(id.clone()), at::text(row, "jobOpeningName"))?;
    let place = at::joined(row, &["location/city", "location/state"]).or_else(|| {
        at::joined(
            row,
            &["atsLocation/city", "atsLocation/state", "atsLocation/province", "atsLocation/country"],
        )
    });
    let remote = match at::id(row, "locationType").as_deref() {
        Some("0") => Some(RemoteKind::OnSite),
        Some("1") => Some(RemoteKind::Remote),
        Some("2") => Some(RemoteKind::Hybrid),
        _ => at::remote_if(row, "isRemote"),
    };
    let url = format!("{}/careers/{}", origin(board.part(0)), segment(&id));
    Some(Listed {
        posted: at::date(row, "datePosted"),
        department: at::text(row, "departmentLabel"),
        employment_type: at::text(row, "employmentStatusLabel"),
        remote,
        description: at::prose(row, "description"),
        salary_text: at::text(row, "compensation"),
        ..job.at(place).with_url(Some(url))
    })
}

fn ask_detail(board: &Board, job: &Listed) -> Option<Ask> {
    Some(Ask::json(format!("{}/careers/{}/detail", origin(board.part(0)), segment(&job.external_id))))
}

fn read_detail(board: &Board, answer: &Answer<'_>, job: &mut Listed) -> Result<(), Misfit> {
    let row = rows::whole(answer)?;
    let mut opening = at::value(&row, "result/jobOpening").cloned().ok_or(Misfit::Lacks("jobOpening"))?;
    if let Some(fields) = opening.as_object_mut() {
        fields.insert("id".to_owned(), job.external_id.clone().into()); // the detail does not repeat it
    }
    let detail = self::job(board, &opening).ok_or(Misfit::Lacks("jobOpeningName"))?;
    job.merge(detail);
    Ok(())
}
