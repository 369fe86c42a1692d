//! SmartRecruiters: 100 a page, without descriptions. `ref` is an address of the API; what people read is built
//! from company and id.

use serde_json::Value;

use crate::boards::answer::{Answer, ListPage, Misfit, Row};
use crate::boards::ask::{Ask, segment};
use crate::boards::liveness::Liveness;
use crate::boards::paging::{Paging, Step};
use crate::boards::systems::{Adapter, Detail};
use crate::boards::{Board, Listed, at, rows};
use crate::location::RemoteKind;

pub static ADAPTER: Adapter = Adapter {
    paging: Paging::Offset { size: 100 },
    ask,
    read,
    detail: Detail::Behind { ask: ask_detail, read: read_detail },
    liveness: Liveness::Detail,
};

fn base(board: &Board) -> String {
    format!("https://api.smartrecruiters.com/v1/companies/{}/postings", segment(board.token()))
}

fn ask(board: &Board, step: Step<'_>) -> Ask {
    Ask::json(format!("{}?limit=100&offset={}", base(board), step.cursor.number()))
}

fn read(board: &Board, answer: &Answer<'_>) -> Result<ListPage, Misfit> {
    let mut page = rows::read(answer, "content", |row| Row::from(job(board, row)))?;
    page.total = rows::count(answer.json()?, "totalFound");
    // A company that is not there answers the same as one without openings.
    page.unproven = page.rows == 0 && page.total == Some(0);
    Ok(page)
}

fn job(board: &Board, row: &Value) -> Option<Listed> {
    let id = at::id(row, "id")?;
    let job = Listed::new(Some(id.clone()), at::text(row, "name"))?;
    let company = at::id(row, "company/identifier").unwrap_or_else(|| board.token().to_owned());
    let url = at::link(row, "postingUrl").unwrap_or_else(|| {
        format!("https://jobs.smartrecruiters.com/{}/{}", segment(&company), segment(&id))
    });
    let place = at::text(row, "location/fullLocation")
        .or_else(|| at::joined(row, &["location/city", "location/region", "location/country"]));
    let hybrid = at::truth(row, "location/hybrid") == Some(true);
    Some(Listed {
        posted: at::date(row, "releasedDate"),
        company: at::text(row, "company/name"),
        department: at::text(row, "department/label").or_else(|| at::text(row, "function/label")),
        employment_type: at::text(row, "typeOfEmployment/label"),
        remote: if hybrid { Some(RemoteKind::Hybrid) } else { at::remote_if(row, "location/remote") },
        description: at::prose_parts(
            row,
            &[
                "jobAd/sections/companyDescription/text",
                "jobAd/sections/jobDescription/text",
                "jobAd/sections/qualifications/text",
                "jobAd/sections/additionalInformation/text",
            ],
        ),
        requisition: at::text(row, "refNumber"),
        apply_url: at::link(row, "applyUrl"),
        ..job.at(place).with_url(Some(url))
    })
}

fn ask_detail(board: &Board, job: &Listed) -> Option<Ask> {
    Some(Ask::json(format!("{}/{}", base(board), segment(&job.external_id))))
}

fn read_detail(board: &Board, answer: &Answer<'_>, job: &mut Listed) -> Result<(), Misfit> {
    let detail = self::job(board, &rows::whole(answer)?).ok_or(Misfit::Lacks("id and name"))?;
    job.url = detail.url.clone().or(job.url.take());
    job.merge(detail);
    Ok(())
}
