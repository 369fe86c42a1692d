//! The pages of the demo sites as HTML. Text is escaped here, and only here.

use std::net::SocketAddr;

use jiff::ToSpan;
use jiff::civil::Date;

use super::company::{Company, Fate, Posting, Salary};
use super::json_ld;

pub fn list(company: &Company, host: SocketAddr, postings: &[&Posting]) -> String {
    let items: String = postings.iter().map(|posting| list_item(posting)).collect();
    let open = postings.iter().filter(|posting| posting.fate != Fate::Closed).count();
    let main =
        format!("<h1>Work with us</h1>\n<p>{open} open positions</p>\n<ul class=\"jobs\">\n{items}</ul>\n");
    page(company, host, "/jobs", "Jobs", "", &main)
}

fn list_item(posting: &Posting) -> String {
    let closed = if posting.fate == Fate::Closed { " · applications closed" } else { "" };
    format!(
        "<li><a href=\"/jobs/{}\">{}</a><p class=\"facts\">{}{closed}</p></li>\n",
        posting.slug,
        escape(&posting.title),
        escape(&places(posting))
    )
}

pub fn posting(company: &Company, host: SocketAddr, posting: &Posting, today: Date) -> String {
    let head = format!(
        "<script type=\"application/ld+json\">\n{}\n</script>\n",
        json_ld::script(company, host, posting, today)
    );
    let posted = today.saturating_sub(posting.posted_days_ago.days());
    let mut facts = vec![places(posting)];
    facts.extend(posting.salary.as_ref().map(pay));
    facts.push(format!("posted {posted}"));
    let way_in = if posting.fate == Fate::Closed {
        "<p class=\"notice\">This position is no longer accepting applications.</p>".to_owned()
    } else {
        format!("<a class=\"apply\" href=\"/apply/{}\" rel=\"nofollow\">Apply</a>", posting.slug)
    };
    let main = format!(
        "<p><a href=\"/jobs\">All jobs</a></p>\n<article class=\"posting\">\n<h1>{}</h1>\n<p class=\"facts\">{}</p>\n\
         {way_in}\n{}</article>\n",
        escape(&posting.title),
        escape(&facts.join(" · ")),
        description(posting)
    );
    page(company, host, &format!("/jobs/{}", posting.slug), &posting.title, &head, &main)
}

/// A page in the manner of frameworks: an empty place, and a script that fills it.
pub fn app(whole: &str) -> String {
    let text = serde_json::Value::from(whole).to_string().replace("</", "<\\/");
    format!(
        "<!doctype html><html><head><title>Jobs</title></head><body><div id=\"root\"></div>\
         <script>document.open(); document.write({text}); document.close()</script></body></html>"
    )
}

pub fn apply(company: &Company, host: SocketAddr, slug: &str) -> String {
    let main = "<h1>Nobody to apply to</h1>\n<p>The company is invented, the job with it. Good luck with a real one.</p>\n";
    page(company, host, &format!("/apply/{slug}"), "Apply", "", main)
}

pub fn missing(company: &Company, host: SocketAddr) -> String {
    let main = "<h1>This page is gone</h1>\n<p>The job was filled or never was. <a href=\"/jobs\">All jobs</a></p>\n";
    page(company, host, "/jobs", "Not found", "", main)
}

/// The posting's own text, shared by the page and its JSON-LD.
pub fn description(posting: &Posting) -> String {
    let bullets =
        |lines: &[String]| lines.iter().map(|line| format!("<li>{}</li>", escape(line))).collect::<String>();
    format!(
        "<p>{}</p>\n<h2>What you will do</h2>\n<ul>{}</ul>\n<h2>What we look for</h2>\n<ul>{}</ul>\n",
        escape(&posting.about),
        bullets(&posting.duties),
        bullets(&posting.asks)
    )
}

fn page(company: &Company, host: SocketAddr, path: &str, title: &str, head: &str, main: &str) -> String {
    format!(
        include_str!("../../demo/page.html"),
        title = escape(title),
        company = escape(&company.name),
        canonical = escape(&format!("http://{host}{path}")),
        accent = company.accent,
        css = include_str!("../../demo/page.css"),
        head = head,
        look = company.look,
        tagline = escape(&company.tagline),
        main = main,
    )
}

fn places(posting: &Posting) -> String {
    let mut words: Vec<String> =
        posting.places.iter().map(|place| format!("{}, {}", place.city, place.country)).collect();
    if !posting.remote.is_empty() {
        words.push(format!("Remote ({})", posting.remote.join(", ")));
    }
    words.join(" / ")
}

fn pay(salary: &Salary) -> String {
    let unit = salary.unit.to_lowercase();
    let (currency, min, max) = (&salary.currency, grouped(salary.min), grouped(salary.max));
    if min == max {
        format!("{currency} {min} a {unit}")
    } else {
        format!("{currency} {min}–{max} a {unit}")
    }
}

/// 72000 is `72,000`; 12.6 is `12.60`.
fn grouped(amount: f64) -> String {
    if amount.fract() != 0.0 {
        return format!("{amount:.2}");
    }
    let digits = format!("{amount:.0}");
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().map(|group| str::from_utf8(group).unwrap_or("")).collect();
    groups.join(",")
}

pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
