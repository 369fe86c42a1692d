//! One job as a scraper posts it, read and checked alone: a bad one says what is wrong and harms no other.

use jiff::civil::Date;
use serde_json::{Value, json};

use super::matching;
use crate::place;
use crate::url::normalise;

/// Names the way the fields of an import were read; a new one reads everything anew.
pub const READ_BY: &str = "scraper-import/2";

const MAX_ID: usize = 255;
const MAX_TITLE: usize = 500;
const MAX_TEXT: usize = 200_000;
const MAX_SKILLS: usize = 100;
const PERIODS: [&str; 5] = ["hour", "day", "week", "month", "year"];

/// A job that may be imported.
#[derive(Debug, Clone, PartialEq)]
pub struct PostedJob {
    pub platform: String,
    pub external_id: String,
    pub url: String,
    pub title: String,
    pub company: Option<String>,
    pub place: Option<Value>,
    pub remote: Option<String>,
    pub description: Option<String>,
    pub skills: Vec<String>,
    pub salary: Option<Value>,
    pub posted: Option<Date>,
}

/// What is wrong with one field of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wrong {
    pub field: &'static str,
    pub message: String,
}

fn wrong(field: &'static str, message: impl Into<String>) -> Wrong {
    Wrong { field, message: message.into() }
}

/// Reads one job. `allowed`: the sources that may be imported from; all when there is no list.
pub fn read(value: &Value, allowed: Option<&[String]>) -> Result<PostedJob, Vec<Wrong>> {
    if !value.is_object() {
        return Err(vec![wrong("", "a job is an object")]);
    }
    let mut faults = Vec::new();
    let platform = needed(value, "platform", 64, &mut faults).to_lowercase();
    if !platform.is_empty() {
        let fits =
            platform.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_'));
        if !fits {
            faults.push(wrong("platform", "has letters, digits, dots, dashes and underscores only"));
        } else if platform == "web" {
            faults.push(wrong("platform", "is the name of our own crawl"));
        } else if allowed.is_some_and(|allowed| !allowed.contains(&platform)) {
            faults.push(wrong("platform", format!("this key may not import from {platform:?}")));
        }
    }
    let external_id = needed(value, "external_job_id", MAX_ID, &mut faults);
    let title = needed(value, "title", MAX_TITLE, &mut faults);
    let given = needed(value, "job_url", 2_048, &mut faults);
    // As every address of a listing is shown.
    let url = normalise(&given);
    if !given.is_empty() && url.is_err() {
        faults.push(wrong("job_url", "is not an http or https address"));
    }
    let company = optional(value, "company", 500, &mut faults);
    let location = optional(value, "location", place::MAX_PLACE, &mut faults);
    let description = optional(value, "description", MAX_TEXT, &mut faults);
    let skills = skills(value, &mut faults);
    let currency = optional(value, "salary_currency", 3, &mut faults);
    if currency
        .as_deref()
        .is_some_and(|code| code.len() != 3 || !code.bytes().all(|byte| byte.is_ascii_uppercase()))
    {
        faults.push(wrong("salary_currency", "is a code of three capitals, as EUR"));
    }
    let least = amount(value, "salary_min", &mut faults);
    let most = amount(value, "salary_max", &mut faults);
    if let (Some(least), Some(most)) = (least, most)
        && least > most
    {
        faults.push(wrong("salary_max", "is below salary_min"));
    }
    let period = period(value, &mut faults);
    let posted = date(value, &mut faults);
    let remote = remote(value, location.as_deref(), &mut faults);
    let (true, Ok(url)) = (faults.is_empty(), url) else { return Err(faults) };
    // Unknown stays unknown: neither a currency nor a period is made up.
    let salary = (least.is_some() || most.is_some())
        .then(|| json!({ "min": least, "max": most, "currency": currency, "period": period }));
    let place = location.as_deref().map(|text| json!(place::read(text)));
    Ok(PostedJob {
        platform,
        external_id,
        url,
        title,
        company,
        place,
        remote,
        description,
        skills,
        salary,
        posted,
    })
}

fn text(value: &Value, field: &'static str, most: usize, faults: &mut Vec<Wrong>) -> Option<String> {
    let found = match value.get(field) {
        None | Some(Value::Null) => return None,
        Some(Value::String(text)) => text.trim().to_owned(),
        Some(Value::Number(number)) if field == "external_job_id" => number.to_string(),
        Some(_) => {
            faults.push(wrong(field, "is not text"));
            return None;
        }
    };
    if found.contains('\0') {
        faults.push(wrong(field, "holds a zero byte"));
        return None;
    }
    if found.chars().count() > most {
        faults.push(wrong(field, format!("is longer than {most} characters")));
        return None;
    }
    (!found.is_empty()).then_some(found)
}

fn needed(value: &Value, field: &'static str, most: usize, faults: &mut Vec<Wrong>) -> String {
    let before = faults.len();
    let found = text(value, field, most, faults);
    if found.is_none() && faults.len() == before {
        faults.push(wrong(field, "is missing"));
    }
    found.unwrap_or_default()
}

fn optional(value: &Value, field: &'static str, most: usize, faults: &mut Vec<Wrong>) -> Option<String> {
    text(value, field, most, faults)
}

fn amount(value: &Value, field: &'static str, faults: &mut Vec<Wrong>) -> Option<f64> {
    match value.get(field) {
        None | Some(Value::Null) => None,
        Some(number) => match number.as_f64() {
            Some(amount) if (0.0..=1e12).contains(&amount) => Some(amount),
            _ => {
                faults.push(wrong(field, "is not an amount"));
                None
            }
        },
    }
}

/// What a salary is paid for; unknown when it is not said.
fn period(value: &Value, faults: &mut Vec<Wrong>) -> Option<String> {
    let period = text(value, "salary_period", 16, faults)?;
    if !PERIODS.contains(&period.as_str()) {
        faults.push(wrong("salary_period", "is hour, day, week, month or year"));
    }
    Some(period)
}

fn skills(value: &Value, faults: &mut Vec<Wrong>) -> Vec<String> {
    let named = match value.get("skills") {
        None | Some(Value::Null) => return Vec::new(),
        Some(Value::Array(named)) if named.len() <= MAX_SKILLS => named,
        Some(Value::Array(_)) => {
            faults.push(wrong("skills", format!("has more than {MAX_SKILLS} entries")));
            return Vec::new();
        }
        Some(_) => {
            faults.push(wrong("skills", "is not a list"));
            return Vec::new();
        }
    };
    let texts: Vec<&str> =
        named.iter().filter_map(Value::as_str).filter(|text| !text.contains('\0')).collect();
    if texts.len() != named.len() {
        faults.push(wrong("skills", "is a list of texts"));
    }
    matching::skills(texts).into_iter().collect()
}

/// A day, or the day of a moment.
fn date(value: &Value, faults: &mut Vec<Wrong>) -> Option<Date> {
    let text = text(value, "posted_date", 64, faults)?;
    let day = text.get(..10).and_then(|day| day.parse::<Date>().ok());
    // What Postgres and people can hold.
    let day = day.filter(|day| (1990..=2100).contains(&day.year()));
    if day.is_none() {
        faults.push(wrong("posted_date", "is not a day as 2026-01-31"));
    }
    day
}

fn remote(value: &Value, location: Option<&str>, faults: &mut Vec<Wrong>) -> Option<String> {
    use crate::location::{RemoteKind, says_remote};
    match value.get("remote") {
        None | Some(Value::Null) => {
            location.filter(|text| says_remote(text)).map(|_| RemoteKind::Remote.as_str().to_owned())
        }
        Some(Value::Bool(true)) => Some(RemoteKind::Remote.as_str().to_owned()),
        Some(Value::Bool(false)) => Some(RemoteKind::OnSite.as_str().to_owned()),
        Some(_) => {
            faults.push(wrong("remote", "is true or false"));
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn job() -> Value {
        json!({
            "external_job_id": "b-17", "platform": "Dice", "title": "Baker", "company": "Crumb & Co",
            "location": "Porto, Portugal", "description": "Bake bread.", "skills": ["Sourdough", "sourdough "],
            "salary_min": 20000, "salary_max": 24000, "job_url": "https://dice.com/j/17", "posted_date": "2026-11-01",
        })
    }

    #[test]
    fn a_good_job_is_read() {
        let read = read(&job(), None).unwrap();
        assert_eq!((read.platform.as_str(), read.external_id.as_str()), ("dice", "b-17"));
        assert_eq!(read.skills, ["sourdough"]);
        let salary = read.salary.unwrap();
        assert_eq!((salary["currency"].is_null(), salary["max"].as_f64()), (true, Some(24_000.0)));
        assert_eq!(read.remote, None);
    }

    #[test]
    fn each_fault_is_named() {
        let faults = |change: Value| {
            let mut job = job();
            for (field, value) in change.as_object().unwrap() {
                job[field] = value.clone();
            }
            let faults = read(&job, Some(&["dice".to_owned()])).err().unwrap_or_default();
            faults.into_iter().map(|fault| fault.field).collect::<Vec<_>>()
        };
        assert_eq!(faults(json!({})), [] as [&str; 0]);
        assert_eq!(faults(json!({"platform": "indeed"})), ["platform"]);
        assert_eq!(faults(json!({"title": " ", "job_url": "ftp://x"})), ["title", "job_url"]);
        assert_eq!(faults(json!({"salary_min": 9, "salary_max": 3})), ["salary_max"]);
        assert_eq!(faults(json!({"salary_min": "9"})), ["salary_min"]);
        assert_eq!(faults(json!({"posted_date": "soon"})), ["posted_date"]);
        assert_eq!(faults(json!({"salary_period": "moon"})), ["salary_period"]);
        assert_eq!(faults(json!({"skills": "bread"})), ["skills"]);
        assert_eq!(faults(json!({"external_job_id": null})), ["external_job_id"]);
        assert_eq!(faults(json!({"company": "a\u{0}b"})), ["company"]);
    }

    #[test]
    fn an_address_is_kept_in_its_one_spelling_and_a_desk_is_a_desk() {
        let mut job = job();
        job["job_url"] = json!("http://Dice.com:80/j/17?utm_source=x");
        job["remote"] = json!(false);
        job["location"] = json!("Remote");
        job["salary_period"] = json!("hour");
        let read = read(&job, None).unwrap();
        assert_eq!((read.url.as_str(), read.remote.as_deref()), ("https://dice.com/j/17", Some("on_site")));
        assert_eq!(read.salary.unwrap()["period"], "hour");
    }

    proptest! {
        #[test]
        fn any_value_is_judged(field in prop::sample::select(vec!["platform", "title", "skills", "salary_min", "posted_date", "job_url", "location", "remote"]),
            text in "\\PC{0,60}", number in any::<f64>()) {
            let mut job = job();
            job[field] = json!(text);
            let _ = read(&job, None);
            job[field] = json!(number);
            let _ = read(&job, None);
        }
    }
}
