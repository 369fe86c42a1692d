//! Oracle Recruiting: everything is in `finder`, limit and offset outside of it are ignored, and without `expand`
//! the list is empty. Tokens are host/site.

use serde_json::Value;

use crate::boards::answer::{Answer, ListPage, Misfit, Row};
use crate::boards::ask::{Ask, origin, query, segment};
use crate::boards::liveness::Liveness;
use crate::boards::paging::{Paging, Step};
use crate::boards::systems::{Adapter, Detail};
use crate::boards::{Board, Listed, at, rows};

pub static ADAPTER: Adapter = Adapter {
    paging: Paging::Offset { size: 100 },
    ask,
    read,
    detail: Detail::Behind { ask: ask_detail, read: read_detail },
    liveness: Liveness::Detail,
};

fn resource(board: &Board) -> String {
    format!("{}/hcmRestApi/resources/latest", origin(board.part(0)))
}

fn ask(board: &Board, step: Step<'_>) -> Ask {
    let finder = format!(
        "findReqs;siteNumber={},limit=100,offset={},sortBy=POSTING_DATES_DESC",
        board.part(1),
        step.cursor.number()
    );
    let expand = "requisitionList.secondaryLocations,requisitionList.workLocation";
    let query = query(&[("onlyData", "true"), ("expand", expand), ("finder", &finder)]);
    Ask::json(format!("{}/recruitingCEJobRequisitions?{query}", resource(board)))
}

fn read(board: &Board, answer: &Answer<'_>) -> Result<ListPage, Misfit> {
    let text = answer.json()?;
    let mut page = match rows::read_text(text, "items/0/requisitionList", |row| Row::from(job(board, row))) {
        // a site without jobs has an item without a list, or no item
        Err(Misfit::Lacks(_)) if rows::is_list(text, "items") => ListPage::default(),
        read => read?,
    };
    page.total = rows::count(text, "items/0/TotalJobsCount");
    Ok(page)
}

fn job(board: &Board, row: &Value) -> Option<Listed> {
    let id = at::id(row, "Id")?;
    let job = Listed::new(Some(id.clone()), at::text(row, "Title"))?;
    let (site, id) = (segment(board.part(1)), segment(&id));
    let url = at::link(row, "ExternalURL").unwrap_or_else(|| {
        format!("{}/hcmUI/CandidateExperience/en/sites/{site}/job/{id}", origin(board.part(0)))
    });
    let places =
        at::text(row, "PrimaryLocation").into_iter().chain(at::texts(row, "secondaryLocations", "Name"));
    Some(Listed {
        posted: at::date(row, "PostedDate").or_else(|| at::date(row, "ExternalPostedStartDate")),
        closes: at::date(row, "PostingEndDate").or_else(|| at::date(row, "ExternalPostedEndDate")),
        department: at::text(row, "JobFamily").or_else(|| at::text(row, "Category")),
        employment_type: at::text(row, "JobSchedule").or_else(|| at::text(row, "WorkerType")),
        remote: at::remote(row, "WorkplaceType").or_else(|| work_model(row)),
        description: at::prose_parts(
            row,
            &["ExternalDescriptionStr", "ExternalResponsibilitiesStr", "ExternalQualificationsStr"],
        ),
        ..job.at(places).with_url(Some(url))
    })
}

/// `ORA_REMOTE`, `ORA_HYBRID`, `ORA_ON_SITE`.
fn work_model(row: &Value) -> Option<crate::location::RemoteKind> {
    let code = at::id(row, "WorkplaceTypeCode")?;
    let word = code.strip_prefix("ORA_").unwrap_or(&code).to_owned();
    crate::location::RemoteKind::from_json(&Value::String(word))
}

fn ask_detail(board: &Board, job: &Listed) -> Option<Ask> {
    let finder = format!("ById;Id=\"{}\",siteNumber={}", job.external_id.replace('"', ""), board.part(1));
    let query = query(&[("onlyData", "true"), ("expand", "all"), ("finder", &finder)]);
    Some(Ask::json(format!("{}/recruitingCEJobRequisitionDetails?{query}", resource(board))))
}

fn read_detail(board: &Board, answer: &Answer<'_>, job: &mut Listed) -> Result<(), Misfit> {
    let row = rows::whole(answer)?;
    let detail = at::value(&row, "items/0").unwrap_or(&row);
    let detail = self::job(board, detail).ok_or(Misfit::Lacks("Id and Title"))?;
    job.merge(detail);
    Ok(())
}
