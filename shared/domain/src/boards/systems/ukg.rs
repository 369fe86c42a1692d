//! UKG Pro (UltiPro): a search by POST, 50 at a time. Tokens are host/tenant/board.

use serde_json::{Value, json};

use crate::boards::answer::{Answer, ListPage, Misfit, Row};
use crate::boards::ask::{Ask, origin, query, segment};
use crate::boards::liveness::Liveness;
use crate::boards::paging::{Paging, Step};
use crate::boards::systems::{Adapter, Detail};
use crate::boards::{Board, Listed, at, rows};

pub static ADAPTER: Adapter = Adapter {
    paging: Paging::Offset { size: 50 },
    ask,
    read,
    detail: Detail::OnPage,
    liveness: Liveness::Page,
};

fn base(board: &Board) -> String {
    format!("{}/{}/JobBoard/{}", origin(board.part(0)), segment(board.part(1)), segment(board.part(2)))
}

fn ask(board: &Board, step: Step<'_>) -> Ask {
    let filter =
        |field: u8| json!({ "t": "TermsSearchFilterDto", "fieldName": field, "extra": null, "values": [] });
    let newest = json!({ "Value": "postedDateDesc", "PropertyName": "PostedDate", "Ascending": false });
    let body = json!({
        "opportunitySearch": {
            "Top": 50, "Skip": step.cursor.number(), "QueryString": "", "OrderBy": [newest],
            "Filters": [filter(4), filter(5), filter(6)],
        },
        "matchCriteria": {
            "PreferredJobs": [], "Educations": [], "LicenseAndCertifications": [], "Skills": [],
            "hasNoLicenses": false, "SkippedSkills": [],
        },
    });
    Ask::post(format!("{}/JobBoardView/LoadSearchResults", base(board)), body)
}

fn read(board: &Board, answer: &Answer<'_>) -> Result<ListPage, Misfit> {
    let mut page = rows::read(answer, "opportunities", |row| Row::from(job(board, row)))?;
    page.total = rows::count(answer.json()?, "totalCount");
    Ok(page)
}

fn job(board: &Board, row: &Value) -> Option<Listed> {
    let id = at::id(row, "Id")?;
    let job = Listed::new(Some(id.clone()), at::text(row, "Title"))?;
    let url = format!("{}/OpportunityDetail?{}", base(board), query(&[("opportunityId", &id)]));
    let places = at::each(row, "Locations").filter_map(|place| {
        at::joined(place, &["Address/City", "Address/State/Name", "Address/Country/Name"])
            .or_else(|| at::text(place, "LocalizedDescription"))
            .or_else(|| at::text(place, "LocalizedName"))
    });
    let hours =
        at::truth(row, "FullTime").map(|full| if full { "Full time" } else { "Part time" }.to_owned());
    Some(Listed {
        posted: at::date(row, "PostedDate"),
        department: at::text(row, "JobCategoryName"),
        employment_type: hours,
        description: at::prose(row, "BriefDescription"),
        requisition: at::text(row, "RequisitionNumber"),
        ..job.at(places).with_url(Some(url))
    })
}
