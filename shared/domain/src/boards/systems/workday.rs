//! Workday: POST with all four body fields, 20 a page, `total` on the first page only. Large tenants stop counting
//! at 2,000 and begin again; their facet counts do not, which is how the walk notices and divides.

use serde_json::{Map, Value, json};

use crate::boards::answer::{Answer, Facet, FacetValue, ListPage, Misfit, Row};
use crate::boards::ask::{Ask, origin, segment};
use crate::boards::liveness::Liveness;
use crate::boards::paging::{Paging, Step};
use crate::boards::systems::{Adapter, Detail};
use crate::boards::{Board, Listed, at, rows};

pub static ADAPTER: Adapter = Adapter {
    paging: Paging::Offset { size: 20 },
    ask,
    read,
    detail: Detail::Behind { ask: ask_detail, read: read_detail },
    liveness: Liveness::Detail,
};

/// Facet values of one tenant that are kept.
const MAX_VALUES: usize = 5_000;

/// `https://host/wday/cxs/tenant/site`; tokens are host/tenant/site.
fn base(board: &Board) -> String {
    format!("{}/wday/cxs/{}/{}", origin(board.part(0)), segment(board.part(1)), segment(board.part(2)))
}

fn ask(board: &Board, step: Step<'_>) -> Ask {
    let applied: Map<String, Value> =
        step.scope.0.iter().map(|(facet, values)| (facet.clone(), json!(values))).collect();
    let body =
        json!({ "appliedFacets": applied, "limit": 20, "offset": step.cursor.number(), "searchText": "" });
    Ask::post(format!("{}/jobs", base(board)), body)
}

fn read(board: &Board, answer: &Answer<'_>) -> Result<ListPage, Misfit> {
    let mut page = rows::read(answer, "jobPostings", |row| Row::from(job(board, row, answer)))?;
    let text = answer.json()?;
    // 0 on every page but the first
    page.total = rows::count(text, "total").filter(|total| *total > 0 || page.rows == 0);
    page.facets = rows::list(text, "facets").iter().flat_map(facets).collect();
    Ok(page)
}

/// A facet has values, or groups (countries, cities) with a name of their own, each a facet by itself.
fn facets(facet: &Value) -> Vec<Facet> {
    let own = std::iter::once(facet);
    let groups = at::each(facet, "values").filter(|value| at::value(value, "facetParameter").is_some());
    own.chain(groups.take(20)).filter_map(one_facet).collect()
}

fn one_facet(facet: &Value) -> Option<Facet> {
    let name = at::id(facet, "facetParameter")?;
    let values = at::each(facet, "values").take(MAX_VALUES);
    let values: Vec<FacetValue> = values
        .filter_map(|value| Some(FacetValue { id: at::id(value, "id")?, count: at::number(value, "count")? }))
        .collect();
    (!values.is_empty()).then_some(Facet { name, values })
}

fn job(board: &Board, row: &Value, answer: &Answer<'_>) -> Option<Listed> {
    let path = at::id(row, "externalPath").filter(|path| path.starts_with('/'))?;
    let number = requisition(&path);
    // The number is not unique: one requisition may stand on the board once per place.
    let job = Listed::new(Some(path.clone()), at::text(row, "title"))?;
    let url = format!("{}/{}{path}", origin(board.part(0)), segment(board.part(2)));
    let posted = at::text(row, "postedOn").and_then(|text| at::days_ago(&text, answer.at));
    Some(Listed {
        posted,
        requisition: number.map(|number| own_number(number).to_owned()),
        remote: at::remote(row, "remoteType"),
        // "3 Locations" is a count
        ..job.at(at::text(row, "locationsText").filter(|text| !is_count(text))).with_url(Some(url))
    })
}

/// What follows the last underscore, when there is a digit in it.
fn requisition(path: &str) -> Option<&str> {
    let (_, number) = path.rsplit_once('/').unwrap_or(("", path)).1.rsplit_once('_')?;
    number.bytes().any(|b| b.is_ascii_digit()).then_some(number)
}

/// Without the `-1` that a mirror on another site of the tenant gets.
fn own_number(number: &str) -> &str {
    match number.rsplit_once('-') {
        Some((own, mirror))
            if mirror.len() <= 2
                && mirror.bytes().all(|b| b.is_ascii_digit())
                && own.bytes().any(|b| b.is_ascii_digit()) =>
        {
            own
        }
        _ => number,
    }
}

fn is_count(text: &str) -> bool {
    text.split_once(' ').is_some_and(|(number, word)| {
        number.bytes().all(|b| b.is_ascii_digit()) && word.eq_ignore_ascii_case("locations")
    })
}

fn ask_detail(board: &Board, job: &Listed) -> Option<Ask> {
    let path = Some(&job.external_id).filter(|path| path.starts_with('/'))?;
    Some(Ask::json(format!("{}{path}", base(board))))
}

fn read_detail(_: &Board, answer: &Answer<'_>, job: &mut Listed) -> Result<(), Misfit> {
    let row = rows::whole(answer)?;
    let info = at::value(&row, "jobPostingInfo").ok_or(Misfit::Lacks("jobPostingInfo"))?;
    // the detail names every place; the list may have named a count
    let places = at::text(info, "location").into_iter().chain(at::texts(info, "additionalLocations", ""));
    job.places = Vec::new();
    for place in places {
        job.add_place(Some(place));
    }
    job.posted = at::date(info, "startDate").or(job.posted);
    job.employment_type = at::text(info, "timeType").or(job.employment_type.take());
    job.remote = at::remote(info, "remoteType").or(job.remote);
    job.description = at::prose(info, "jobDescription").or(job.description.take());
    job.requisition = at::text(info, "jobReqId").or(job.requisition.take());
    job.url = at::link(info, "externalUrl").or(job.url.take());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_in_a_path_is_the_requisition() {
        assert_eq!(requisition("/job/Graz/Cook_R-0042"), Some("R-0042"));
        assert_eq!(requisition("/job/Graz/Cook_R0042-1"), Some("R0042-1"));
        assert_eq!(requisition("/job/Graz_7/Cook_of_the_house"), None);
        assert_eq!(own_number("R0042-1"), "R0042");
        assert_eq!(own_number("R-0042"), "R-0042");
        assert_eq!(own_number("2026-12"), "2026");
    }
}
