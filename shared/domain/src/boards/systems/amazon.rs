//! Amazon's own board: 100 a page, and it stops at 10,000, so it is divided by country when there are more. Its
//! jobs have two ids; the number is the one in addresses.

use serde_json::Value;

use crate::boards::answer::{Answer, ListPage, Misfit, Row};
use crate::boards::answer::{Facet, FacetValue};
use crate::boards::ask::{Ask, query};
use crate::boards::day;
use crate::boards::liveness::Liveness;
use crate::boards::paging::{Paging, Step};
use crate::boards::systems::{Adapter, Detail};
use crate::boards::{Board, Listed, at, rows};

pub static ADAPTER: Adapter = Adapter {
    paging: Paging::Offset { size: 100 },
    ask,
    read,
    detail: Detail::InList,
    liveness: Liveness::Page,
};

fn ask(_: &Board, step: Step<'_>) -> Ask {
    let offset = step.cursor.number().to_string();
    let mut pairs = vec![("result_limit", "100"), ("offset", offset.as_str()), ("sort", "recent")];
    pairs.push(("facets[]", "normalized_country_code"));
    pairs.push(("facets[]", "business_category"));
    // a filter counts only with its brackets
    let names: Vec<String> = step.scope.0.iter().map(|(facet, _)| format!("{facet}[]")).collect();
    for (name, (_, values)) in names.iter().zip(&step.scope.0) {
        pairs.extend(values.iter().map(|value| (name.as_str(), value.as_str())));
    }
    Ask::json(format!("https://www.amazon.jobs/en/search.json?{}", query(&pairs)))
}

fn read(_: &Board, answer: &Answer<'_>) -> Result<ListPage, Misfit> {
    let mut page = rows::read(answer, "jobs", |row| Row::from(job(row)))?;
    let text = answer.json()?;
    page.total = rows::count(text, "hits");
    page.facets = ["normalized_country_code", "business_category"]
        .iter()
        .map(|name| Facet { name: (*name).to_owned(), values: values(text, name) })
        .collect();
    Ok(page)
}

/// `[{"USA": 12}, {"DEU": 3}]`
fn values(text: &str, name: &str) -> Vec<FacetValue> {
    let listed = rows::list(text, &format!("facets/{name}_facet"));
    let pairs = listed.iter().filter_map(Value::as_object).flatten();
    pairs.filter_map(|(id, count)| Some(FacetValue { id: id.clone(), count: count.as_u64()? })).collect()
}

fn job(row: &Value) -> Option<Listed> {
    let id = at::id(row, "id_icims").or_else(|| at::id(row, "id"))?;
    let job = Listed::new(Some(id), at::text(row, "title"))?;
    let url = at::id(row, "job_path").map(|path| format!("https://www.amazon.jobs{path}"));
    let place = at::text(row, "normalized_location").or_else(|| at::text(row, "location"));
    Some(Listed {
        posted: at::text(row, "posted_date").and_then(|text| day::month_first(&text)),
        company: at::text(row, "company_name"),
        department: at::text(row, "business_category").or_else(|| at::text(row, "job_category")),
        employment_type: at::text(row, "job_schedule_type"),
        description: at::prose_parts(
            row,
            &["description", "basic_qualifications", "preferred_qualifications"],
        ),
        ..job.at(place).with_url(url)
    })
}
