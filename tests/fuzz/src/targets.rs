//! What is fuzzed: every reader of foreign text, with the laws its answers must keep. A reading is told as a short
//! text; two inputs with the same text are the same behaviour.

use domain::extract;
use domain::json_ld;
use domain::page::Page;
use domain::salary::Salary;
use domain::target::TargetType;
use domain::texts::hint::Hint;
use domain::texts::{date, gazetteer, location, pay, skills, work};
use jiff::Timestamp;

pub struct Target {
    pub name: &'static str,
    pub seeds: &'static [&'static str],
    /// Words that make inputs more telling.
    pub words: &'static [&'static str],
    /// Bytes of the largest input.
    pub most: usize,
    /// Starts from the fixture pages too.
    pub pages: bool,
    /// The shape of the reading, or the law that it broke.
    pub read: fn(&[u8]) -> Result<String, String>,
}

pub static TARGETS: &[Target] = &[
    Target {
        name: "json_ld",
        seeds: &[
            r#"{"@context":"https://schema.org","@type":"JobPosting","title":"Cook","datePosted":"2026-11-02","baseSalary":{"currency":"EUR","value":{"minValue":1,"maxValue":2,"unitText":"HOUR"}},"jobLocation":{"address":{"addressLocality":"Graz","addressCountry":"AT"}}}"#,
            r#"[{"@graph":[{"@type":["Thing","JobPosting"],"title":"A","url":"https://jobs.example/1",}]}]"#,
            "<!-- {\"@type\":\"JobPosting\",\"title\":\"Line\ncook\"} -->",
        ],
        words: &[
            "\"@type\"",
            "\"JobPosting\"",
            "\"@graph\"",
            "\"title\"",
            "\"baseSalary\"",
            "\"value\"",
            "\"minValue\"",
            "\"jobLocation\"",
            "\"address\"",
            "\"validThrough\"",
            "\"hiringOrganization\"",
            "\"employmentType\"",
            "{\"",
            "\":",
            "[[[[",
            "]]]]",
            "null",
            "true",
            "<![CDATA[",
            "&quot;",
            "\\u0000",
            "\\ud800",
        ],
        most: 16_000,
        pages: false,
        read: |bytes| {
            let text = String::from_utf8_lossy(bytes);
            let values = match json_ld::values(&[&text]) {
                Ok(values) => values,
                Err(over) => return Ok(format!("too complex: {over}")),
            };
            let count = json_ld::job_postings(values).len();
            let html = format!("<script type=application/ld+json>{}</script>", text.replace("</", "<\\/"));
            let mut shape = format!("{count} ");
            for target in TargetType::ALL {
                shape += &reading(*target, html.as_bytes())?;
            }
            Ok(shape)
        },
    },
    Target {
        name: "html",
        seeds: &["<h1>Cook</h1><p>Salary: $20/hr</p><table><tr><td>Location<td>Graz, Austria</table>"],
        words: &[
            "<div>",
            "</div>",
            "<script type=\"application/ld+json\">",
            "</script>",
            "<table>",
            "<tr>",
            "<td>",
            "<li>",
            "<p",
            " hidden",
            " class=\"",
            "<!--",
            "-->",
            "<style>",
            "<svg>",
            "<title>",
            "<meta property=\"og:title\" content=\"",
            "<a href=\"",
            "<h1>",
            "&nbsp;",
            "&#x",
            "]]>",
            "<nav>",
            "<template>",
            "charset=utf-16",
        ],
        most: 64_000,
        pages: true,
        read: |bytes| {
            let mut shape = String::new();
            for target in TargetType::ALL {
                shape += &reading(*target, bytes)?;
            }
            if let Ok(page) = Page::parse(bytes, None) {
                shape += &format!("{} {}", page.headings().len().min(4), page.visible_text().len().min(1));
            }
            Ok(shape)
        },
    },
    Target {
        name: "salary",
        seeds: &[
            "$80,000 - $90,000 per year",
            "80 000 – 90 000 Kč měsíčně",
            "£45k pa",
            "Salary: 12 LPA",
            "CHF 100'000",
            "up to €60.000,50/h",
        ],
        words: &[
            " per ", "/hr", "year", "month", "k", "K", " to ", " - ", "–", "USD", "EUR", "zł", "Kč", "kr",
            "lakh", "million", "bonus", "OTE", "salary", "from ", "up to ", "p.a.",
        ],
        most: 2_000,
        pages: false,
        read: |bytes| {
            let text = String::from_utf8_lossy(bytes);
            let us = Hint::of_country("US");
            let mut shape = String::new();
            let json = Salary::from_json(&serde_json::Value::String(text.to_string()), None);
            let all = [pay::field(&text, us), pay::prose(&text, Hint::default()), json];
            for salary in all.into_iter().chain(pay::candidates(&text, us).into_iter().map(Some)) {
                let Some(salary) = salary else {
                    shape += "- ";
                    continue;
                };
                match (salary.min, salary.max) {
                    (Some(min), Some(max)) if min > max => return Err(format!("{min} is more than {max}")),
                    (None, None) => return Err("pay without an amount".to_owned()),
                    _ => {}
                }
                let amount = salary.min.or(salary.max).unwrap_or_default();
                if !(0.01..1e12).contains(&amount) {
                    return Err(format!("{amount} is no pay"));
                }
                shape += &format!(
                    "{}{}{:?}{:?} ",
                    salary.min.is_some(),
                    salary.max.is_some(),
                    salary.currency,
                    salary.period
                );
            }
            Ok(shape)
        },
    },
    Target {
        name: "date",
        seeds: &[
            "2026-11-02T10:00:00Z",
            "Nov 2, 2026",
            "vor 3 Tagen",
            "30+ days ago",
            "02/11/2026",
            "1793620800",
            "2 de noviembre de 2026",
            "2026年11月2日",
        ],
        words: &[
            "days",
            "ago",
            "vor ",
            "il y a ",
            "Tagen",
            "weeks",
            "Nov",
            "března",
            "yesterday",
            "today",
            "+",
            "/",
            ".",
            "-",
            "th",
            "20",
            "hace ",
            "temu",
            "více než",
            "months",
        ],
        most: 600,
        pages: false,
        read: |bytes| {
            let text = String::from_utf8_lossy(bytes);
            let at = Timestamp::from_second(1_800_000_000).unwrap_or_default();
            let mut shape = String::new();
            for hint in [Hint::default(), Hint::of_country("US"), Hint::of_language("de")] {
                match date::day(&text, at, hint) {
                    None => shape.push('-'),
                    Some(found) => {
                        if !(1900..=2101).contains(&found.date.year()) {
                            return Err(format!("{} is no day of ours", found.date));
                        }
                        let future = found.date.year() > 2027;
                        shape += &format!("{:?}{}{future}", found.precision, found.rule);
                    }
                }
            }
            // The same text where pages have it: in their data, and behind a label.
            shape += &on_pages("datePosted", "Date posted", &text)?;
            Ok(shape)
        },
    },
    Target {
        name: "location",
        seeds: &[
            "Paris, TX",
            "US-IL-Vernon Hills",
            "London or Berlin",
            "Remote - US",
            "101 Chestnut Street, Sharon, PA 16146",
            "Praha 8 – Karlín",
            "Bangalore, In",
            "Munich, Bavaria, Germany",
        ],
        words: &[
            "Berlin",
            "DE",
            "US",
            "CA",
            "Georgia",
            "New York",
            "Remote",
            " or ",
            ", ",
            " - ",
            "(",
            ")",
            "/",
            ";",
            "10115 ",
            "Area",
            "County",
            "United Kingdom",
            "Québec",
            "IN 47374",
            "Greater ",
        ],
        most: 1_000,
        pages: false,
        read: |bytes| {
            let text = String::from_utf8_lossy(bytes);
            let mut shape = String::new();
            for hint in [Hint::default(), Hint::of_country("CA")] {
                let read = location::read(&text, hint);
                shape += &format!("{:?} {} ", read.remote, read.places.len().min(4));
                for place in &read.places {
                    if place.raw.is_none() {
                        return Err("a place without its text".to_owned());
                    }
                    if let Some(country) = &place.country
                        && gazetteer::of_code(country).is_none()
                    {
                        return Err(format!("{country:?} is no country"));
                    }
                    shape += &format!(
                        "{}{:?}{:?} ",
                        place.city.is_some(),
                        place.state_region.as_ref().map(String::len),
                        place.country
                    );
                }
            }
            shape += &on_pages("jobLocation", "Location", &text)?;
            let again = location::read(&text, Hint::default()) == location::read(&text, Hint::default());
            if again { Ok(shape) } else { Err("two readings of one text differ".to_owned()) }
        },
    },
    Target {
        name: "skills",
        seeds: &[
            "Go, C++, C#, R and .NET",
            "React quickly",
            "full-time, hybrid, Node.js (Express)",
            "python, go, rust",
        ],
        words: &[
            "Go",
            "C",
            "R",
            "C#",
            ".NET",
            "node",
            "Swift",
            "Excel",
            " and ",
            ", ",
            "/",
            "developer",
            "experience with ",
            "remote",
            "not ",
            "Vollzeit",
            "-based",
            "2025",
        ],
        most: 4_000,
        pages: false,
        read: |bytes| {
            let text = String::from_utf8_lossy(bytes);
            let found = skills::find(&text);
            for (at, skill) in found.iter().enumerate() {
                if found[..at].contains(skill) {
                    return Err(format!("{skill} is found twice"));
                }
                if skills::canonical(skill.name()) != Some(*skill) {
                    return Err(format!("{skill} does not mean itself"));
                }
            }
            let few: Vec<_> = found.iter().take(3).collect();
            let kinds = (work::employment(&text), work::employment_in_prose(&text));
            Ok(format!("{few:?} {kinds:?} {:?} {:?}", work::remote(&text), work::remote_in_prose(&text)))
        },
    },
];

/// A value on a job page: in its JSON-LD, and on a page without markup.
fn on_pages(property: &str, label: &str, value: &str) -> Result<String, String> {
    let data = serde_json::json!({ "@context": "https://schema.org", "@type": "JobPosting", "title": "Cook",
        "description": "Soup", property: value });
    let data = data.to_string().replace("</", "<\\/");
    let marked = format!("<h1>Cook</h1><script type=application/ld+json>{data}</script>");
    let value = value.replace('&', "&amp;").replace('<', "&lt;");
    let plain = format!(
        "<title>Cook - Lantern</title><main><h1>Cook</h1><p><b>{label}:</b> {value}</p><p><b>Company:</b> Lantern</p>\
         <h2>Description</h2><p>You cook soup for forty people and keep the kitchen in good order.</p>\
         <a href=/apply>Apply now</a></main>"
    );
    Ok(reading(TargetType::JobPosting, marked.as_bytes())?
        + &reading(TargetType::JobPosting, plain.as_bytes())?)
}

/// A page read whole, told by its verdict and the origins of its fields.
fn reading(target: TargetType, bytes: &[u8]) -> Result<String, String> {
    let url = "https://pages.example/jobs/77";
    let at = Timestamp::from_second(1_800_000_000).unwrap_or_default();
    let reading = extract::read(target, bytes, Some("text/html"), url, url, at);
    if let Some(result) = &reading.result {
        let missing = target.fields().iter().find(|field| result.get(**field).is_none());
        if let Some(field) = missing {
            return Err(format!("{field} is left out"));
        }
    }
    let origins =
        reading.result.as_ref().and_then(|result| result.get("provenance")).map(ToString::to_string);
    Ok(format!("{} {} {} ", reading.verdict.code, reading.dropped.len(), origins.unwrap_or_default()))
}
