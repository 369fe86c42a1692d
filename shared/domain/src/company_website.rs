//! The reader of company websites: who they are, where, and how to reach them. What the page states in data
//! comes first, then its head, its contact links, and last what its text says in so many words.

use serde_json::{Map, Value};
use url::Url;

use super::extract::{Extract, Reading};
use super::json_ld::{self, property, types};
use super::location::locations;
use super::normal::{self, Raw};
use super::notice::{State, Verdict, Visit, wall};
use super::page::{NodeId, Page, TooComplex};
use super::reading::method::Method;
use super::reading::stated::{data, subjects};
use super::shape::{each, raw_text};
use super::target::TargetType;
use super::{contact, imprint, jobs_link, self_portrait};

pub struct CompanyWebsite;

impl Extract for CompanyWebsite {
    fn target(&self) -> TargetType {
        TargetType::CompanyWebsite
    }

    fn version(&self) -> &'static str {
        "company_website/3"
    }

    fn read(&self, page: &Page, visit: &Visit<'_>) -> Result<Reading, TooComplex> {
        let data = data(page)?;
        let companies = subjects(&data, |values| organization(values, visit.final_url));
        let mut raw = Raw::default();
        for (method, _, company) in &companies {
            stated(&mut raw, company, *method);
        }
        if companies.is_empty()
            && let Some(sign) = wall(page)
        {
            let reason = format!("the page is a wall: {sign}");
            return Ok(Reading::nothing(Verdict::new(State::Uncertain, "bot_wall", reason)));
        }
        head(&mut raw, page);
        links(&mut raw, page);
        imprint::offers(&mut raw, page, visit.final_url);
        self_portrait::offers(&mut raw, page, visit.fetched_at);
        raw.offer("jobs_url", Method::Selectors, jobs_link::find(page, visit.final_url));
        raw.offer("website_url", Method::Url, origin(visit.final_url));
        Ok(Reading::of_fields(normal::company_website(&raw)))
    }
}

/// What schema.org calls an organisation, with the businesses that pages really name.
const KINDS: &[&str] = &[
    "Organization",
    "Corporation",
    "LocalBusiness",
    "NGO",
    "EducationalOrganization",
    "CollegeOrUniversity",
    "GovernmentOrganization",
    "MedicalOrganization",
    "NewsMediaOrganization",
    "OnlineBusiness",
    "OnlineStore",
    "Airline",
    "Consortium",
];

/// Kinds of local business that say what the company does.
const TRADES: &[&str] = &[
    "AccountingService",
    "AutoDealer",
    "AutoRepair",
    "Bakery",
    "BankOrCreditUnion",
    "BarOrPub",
    "CafeOrCoffeeShop",
    "Dentist",
    "Electrician",
    "EmploymentAgency",
    "FinancialService",
    "FoodEstablishment",
    "GeneralContractor",
    "HairSalon",
    "HealthAndBeautyBusiness",
    "HomeAndConstructionBusiness",
    "Hospital",
    "Hotel",
    "HousePainter",
    "HVACBusiness",
    "InsuranceAgency",
    "InternetCafe",
    "LegalService",
    "Library",
    "Locksmith",
    "LodgingBusiness",
    "MedicalClinic",
    "MovingCompany",
    "Notary",
    "Pharmacy",
    "Physician",
    "Plumber",
    "ProfessionalService",
    "RealEstateAgent",
    "Restaurant",
    "RoofingContractor",
    "SelfStorage",
    "SportsActivityLocation",
    "Store",
    "TravelAgency",
    "VeterinaryCare",
];

/// The organisation the page is of: the one at the page's own site, else the first that stands by itself.
/// A publisher inside an article or the employer inside a posting may be somebody else.
fn organization<'v>(values: &'v [Value], page_url: &str) -> Option<&'v Map<String, Value>> {
    let all: Vec<_> = json_ld::objects(values)
        .into_iter()
        .filter(|object| types(object).any(|kind| KINDS.contains(&kind) || TRADES.contains(&kind)))
        .filter(|object| property(object, "name").is_some() || property(object, "legalName").is_some())
        .take(50)
        .collect();
    let host = host(page_url);
    let ours = |object: &&&Map<String, Value>| {
        let stated = property(object, "url").and_then(raw_text);
        stated.and_then(|url| self::host(&url)).is_some_and(|stated| Some(stated) == host)
    };
    let alone = |object: &&&Map<String, Value>| {
        values.iter().any(|value| match value {
            Value::Object(outer) => std::ptr::eq(outer, **object) || stands_in(property_list(outer), object),
            Value::Array(_) => stands_in(value, object),
            _ => false,
        })
    };
    all.iter().find(ours).or_else(|| all.iter().find(alone)).or_else(|| all.first()).copied()
}

fn property_list(outer: &Map<String, Value>) -> &Value {
    outer.get("@graph").unwrap_or(&Value::Null)
}

fn stands_in(list: &Value, object: &Map<String, Value>) -> bool {
    list.as_array().is_some_and(|members| {
        members.iter().filter_map(Value::as_object).any(|member| std::ptr::eq(member, object))
    })
}

fn stated(raw: &mut Raw, company: &Map<String, Value>, method: Method) {
    let at = |name: &str| property(company, name);
    let text = |name: &str| at(name).and_then(raw_text);
    raw.offer("company_name", method, text("name"));
    raw.offer("company_name", method, text("legalName"));
    raw.offer("description", method, text("description"));
    raw.offer("industry", method, text("industry"));
    let trade = types(company).find(|kind| TRADES.contains(kind)).map(spaced);
    raw.offer("industry", method, trade);
    raw.offer("employee_count_range", method, at("numberOfEmployees").and_then(people));
    for name in ["address", "location"] {
        raw.offer("headquarters", method, at(name).and_then(|value| locations(value).into_iter().next()));
    }
    let points = || at("contactPoint").into_iter().flat_map(each).filter_map(Value::as_object).take(10);
    for (field, name) in [("contact_email", "email"), ("contact_phone", "telephone")] {
        raw.offer(field, method, text(name));
        for point in points() {
            raw.offer(field, method, property(point, name).and_then(raw_text));
        }
    }
    raw.offer("website_url", method, text("url"));
    raw.offer("founded", method, text("foundingDate"));
    raw.offer("mission", method, text("slogan").filter(|slogan| slogan.split(' ').count() >= 4));
}

/// `{"minValue": 51, "maxValue": 200}`, a number, or text.
fn people(value: &Value) -> Option<String> {
    let Some(range) = value.as_object() else { return raw_text(value) };
    let part = |name: &str| property(range, name).and_then(raw_text);
    match (part("minValue"), part("maxValue")) {
        (Some(low), Some(high)) => Some(format!("{low}-{high}")),
        (Some(low), None) => Some(format!("{low}+")),
        _ => part("value"),
    }
}

/// `HomeAndConstructionBusiness` → `Home And Construction Business`.
fn spaced(kind: &str) -> String {
    let mut out = String::new();
    let mut before = ' ';
    for c in kind.chars() {
        if c.is_uppercase() && before.is_lowercase() {
            out.push(' ');
        }
        out.push(c);
        before = c;
    }
    out
}

/// OpenGraph and the named metas.
fn head(raw: &mut Raw, page: &Page) {
    raw.offer("company_name", Method::Meta, page.meta("og:site_name"));
    raw.offer("company_name", Method::Meta, page.meta("application-name"));
    raw.offer("description", Method::Meta, page.meta("og:description"));
    raw.offer("description", Method::Meta, page.meta("description"));
    for name in ["og:email", "business:contact_data:email"] {
        raw.offer("contact_email", Method::Meta, page.meta(name));
    }
    for name in ["og:phone_number", "business:contact_data:phone_number"] {
        raw.offer("contact_phone", Method::Meta, page.meta(name));
    }
}

/// `mailto:` and `tel:`, wherever they stand; a fax is no phone.
fn links(raw: &mut Raw, page: &Page) {
    for (id, href) in page.links().take(20_000) {
        let scheme = href.trim_start();
        if starts(scheme, "mailto:") {
            raw.offer(
                "contact_email",
                Method::Selectors,
                Some(href).filter(|href| matches!(contact::email(href), Ok(Some(_)))),
            );
        } else if starts(scheme, "tel:") && !around(page, id).contains("fax") {
            raw.offer(
                "contact_phone",
                Method::Selectors,
                Some(href).filter(|href| matches!(contact::phone(href), Ok(Some(_)))),
            );
        }
    }
}

fn starts(text: &str, scheme: &str) -> bool {
    text.get(..scheme.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(scheme))
}

/// The short text right around a link.
fn around(page: &Page, id: NodeId) -> String {
    let parent = page.parent(id).unwrap_or(Page::ROOT);
    let short = |id: &NodeId| page.size(*id) <= 12;
    let node = Some(parent).filter(short).or(Some(id).filter(short));
    node.map(|id| page.text_of(id).to_lowercase()).unwrap_or_default()
}

fn host(url: &str) -> Option<String> {
    let url = Url::parse(url.trim()).ok()?;
    let host = url.host_str()?.to_ascii_lowercase();
    Some(host.strip_prefix("www.").unwrap_or(&host).to_owned())
}

/// The site a page belongs to.
fn origin(page_url: &str) -> Option<String> {
    let url = Url::parse(page_url).ok()?;
    Some(url.join("/").ok()?.into())
}

#[cfg(test)]
#[path = "company_website_tests.rs"]
mod tests;
