//! The schema.org description of a posting, in the shape its company's site uses.

use std::net::SocketAddr;

use jiff::ToSpan;
use jiff::civil::Date;
use serde_json::{Value, json};

use super::company::{Company, Fate, Posting, Salary, Shape};
use super::page::{description, escape};

/// The text of the script element. `<` is written as an escape, so that no text can close the element.
pub fn script(company: &Company, host: SocketAddr, posting: &Posting, today: Date) -> String {
    let job = job_posting(company, host, posting, today);
    let whole = match company.shape {
        Shape::Plain | Shape::Escaped => with_context(job),
        Shape::Graph => json!({"@context": "https://schema.org", "@graph": [
            {"@type": "WebSite", "@id": format!("http://{host}/#site"), "name": company.name, "url": format!("http://{host}/")},
            job,
        ]}),
        Shape::Array => json!([
            {"@context": "https://schema.org", "@type": "BreadcrumbList", "itemListElement": [
                {"@type": "ListItem", "position": 1, "name": "Jobs", "item": format!("http://{host}/jobs")},
                {"@type": "ListItem", "position": 2, "name": posting.title},
            ]},
            with_context(job),
        ]),
    };
    format!("{whole:#}").replace('<', "\\u003c")
}

fn with_context(mut job: Value) -> Value {
    job["@context"] = json!("https://schema.org");
    job
}

fn job_posting(company: &Company, host: SocketAddr, posting: &Posting, today: Date) -> Value {
    let posted = today.saturating_sub(posting.posted_days_ago.days());
    let valid_through = match posting.fate {
        Fate::Closed => today.saturating_sub(1.day()),
        Fate::Open | Fate::Vanishes => posted.saturating_add(60.days()),
    };
    let html = description(posting);
    let mut job = json!({
        "@type": "JobPosting",
        "title": posting.title,
        "description": if matches!(company.shape, Shape::Escaped) { escape(&html) } else { html },
        "identifier": {"@type": "PropertyValue", "name": company.name, "value": posting.slug},
        "datePosted": posted.to_string(),
        "validThrough": format!("{valid_through}T23:59:59Z"),
        "employmentType": one_or_many(posting.employment.iter().map(|kind| json!(kind)).collect()),
        "hiringOrganization": {"@type": "Organization", "name": company.name, "sameAs": format!("http://{host}/")},
        "url": format!("http://{host}/jobs/{}", posting.slug),
        "directApply": posting.fate != Fate::Closed,
    });
    if !posting.places.is_empty() {
        job["jobLocation"] = one_or_many(posting.places.iter().map(|place| json!({"@type": "Place", "address": {
            "@type": "PostalAddress", "addressLocality": place.city, "addressRegion": place.region,
            "addressCountry": place.country,
        }})).collect());
    }
    if !posting.remote.is_empty() {
        job["jobLocationType"] = json!("TELECOMMUTE");
        let countries = posting.remote.iter().map(|country| json!({"@type": "Country", "name": country}));
        job["applicantLocationRequirements"] = one_or_many(countries.collect());
    }
    if let Some(salary) = &posting.salary {
        job["baseSalary"] = base_salary(salary);
    }
    job
}

fn base_salary(salary: &Salary) -> Value {
    let mut value = json!({"@type": "QuantitativeValue", "unitText": salary.unit});
    if salary.min < salary.max {
        value["minValue"] = json!(salary.min);
        value["maxValue"] = json!(salary.max);
    } else {
        value["value"] = json!(salary.min.to_string()); // some sites write the number as text
    }
    json!({"@type": "MonetaryAmount", "currency": salary.currency, "value": value})
}

/// Most sites write one thing as itself and several as an array.
fn one_or_many(mut values: Vec<Value>) -> Value {
    if values.len() == 1 { values.remove(0) } else { Value::Array(values) }
}
