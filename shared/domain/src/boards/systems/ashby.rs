//! Ashby: one answer with everything, slow, and with rows that are not meant to be shown (`isListed`).

use serde_json::Value;

use crate::boards::answer::{Answer, ListPage, Misfit, Row};
use crate::boards::ask::{Ask, segment};
use crate::boards::liveness::Liveness;
use crate::boards::paging::{Paging, Step};
use crate::boards::systems::{Adapter, Detail};
use crate::boards::{Board, Listed, at, rows};
use crate::salary::Salary;

pub static ADAPTER: Adapter =
    Adapter { paging: Paging::Whole, ask, read, detail: Detail::InList, liveness: Liveness::Absence };

fn ask(board: &Board, _: Step<'_>) -> Ask {
    let name = segment(board.token());
    Ask::json(format!("https://api.ashbyhq.com/posting-api/job-board/{name}?includeCompensation=true"))
}

fn read(_: &Board, answer: &Answer<'_>) -> Result<ListPage, Misfit> {
    rows::read(answer, "jobs", |row| match at::truth(row, "isListed") {
        Some(false) => Row::Hidden,
        _ => Row::from(job(row)),
    })
}

fn job(row: &Value) -> Option<Listed> {
    let job = Listed::new(at::id(row, "id"), at::text(row, "title"))?;
    let places =
        at::text(row, "location").into_iter().chain(at::texts(row, "secondaryLocations", "location"));
    let shown = at::truth(row, "shouldDisplayCompensationOnJobPostings") != Some(false);
    Some(Listed {
        posted: at::date(row, "publishedAt"),
        department: at::text(row, "department").or_else(|| at::text(row, "team")),
        employment_type: at::text(row, "employmentType"),
        remote: at::remote(row, "workplaceType").or_else(|| at::remote_if(row, "isRemote")),
        salary: salary(row).filter(|_| shown),
        salary_text: at::text(row, "compensation/compensationTierSummary").filter(|_| shown),
        description: at::prose(row, "descriptionHtml").or_else(|| at::prose(row, "descriptionPlain")),
        apply_url: at::link(row, "applyUrl"),
        ..job.at(places).with_url(at::link(row, "jobUrl"))
    })
}

/// The salary of a job that has one tier; several tiers are several salaries.
fn salary(row: &Value) -> Option<Salary> {
    let tiers: Vec<&Value> = at::each(row, "compensation/compensationTiers").collect();
    let components: Vec<&Value> = match tiers[..] {
        [tier] => at::each(tier, "components").collect(),
        _ => at::each(row, "compensation/summaryComponents").collect(),
    };
    let mut base =
        components.into_iter().filter(|part| at::id(part, "compensationType").as_deref() == Some("Salary"));
    let one = base.next().filter(|_| base.next().is_none())?;
    let unit = at::id(one, "interval").map(|interval| interval.trim_start_matches("1 ").to_owned());
    at::pay(at::value(one, "minValue"), at::value(one, "maxValue"), at::id(one, "currencyCode"), unit)
}
