//! What a board's own file says of its jobs, read without any adapter: every object or element is a row of names and
//! texts, and what an adapter says of a job is held against the row it must have come from.

use domain::boards::Listed;
use domain::plain_text::{decode_entities, fold, from_html};
use jiff::civil::Date;
use serde_json::Value;

use crate::same;
use crate::table::Count;

/// Names (in lower case, with the names around them) and texts.
pub type Row = Vec<(String, String)>;

/// The rows of a file: objects of JSON, elements of XML. A page for people has none.
pub fn rows(body: &[u8]) -> Vec<Row> {
    let text = String::from_utf8_lossy(body);
    if let Ok(value) = serde_json::from_str::<Value>(&text) {
        let mut rows = Vec::new();
        objects(&value, &mut rows);
        return rows;
    }
    if text.trim_start().starts_with("<?xml") || text.contains("<rss") {
        return elements(&text);
    }
    Vec::new()
}

fn objects(value: &Value, rows: &mut Vec<Row>) {
    match value {
        Value::Object(object) => {
            let mut row = Row::new();
            flatten(value, "", &mut row);
            rows.push(row);
            object.values().for_each(|value| objects(value, rows));
        }
        Value::Array(values) => values.iter().for_each(|value| objects(value, rows)),
        _ => {}
    }
}

fn flatten(value: &Value, name: &str, row: &mut Row) {
    match value {
        Value::Object(object) => {
            for (key, value) in object {
                flatten(value, &format!("{name}/{}", key.to_lowercase()), row);
            }
        }
        Value::Array(values) => values.iter().for_each(|value| flatten(value, name, row)),
        Value::String(text) if !text.trim().is_empty() => row.push((name.to_owned(), text.clone())),
        Value::Number(number) => row.push((name.to_owned(), number.to_string())),
        _ => {}
    }
}

const ITEMS: &[&str] = &["item", "entry", "job", "offer", "vacancy", "position", "shopitem"];

fn elements(text: &str) -> Vec<Row> {
    let lower = text.to_ascii_lowercase();
    let mut rows = Vec::new();
    for name in ITEMS {
        let (open, close) = (format!("<{name}"), format!("</{name}>"));
        let mut at = 0;
        while let Some(begin) = lower[at..].find(&open).map(|place| at + place) {
            // `<offers>` around them is none of them.
            if !lower[begin + open.len()..].starts_with(['>', ' ', '\n', '\r', '\t']) {
                at = begin + open.len();
                continue;
            }
            let Some(end) = lower[begin..].find(&close).map(|place| begin + place) else { break };
            at = end + close.len();
            rows.push(leaves(&text[begin + 1..end]));
        }
    }
    rows
}

/// Every element that holds text alone, and every attribute.
fn leaves(text: &str) -> Row {
    let mut row = Row::new();
    for piece in text.split('<').filter(|piece| !piece.starts_with('/')) {
        let Some((tag, content)) = piece.split_once('>') else { continue };
        let name = tag.split([' ', '/', '\n']).next().unwrap_or_default().to_lowercase();
        for (key, value) in tag
            .split('"')
            .collect::<Vec<_>>()
            .chunks(2)
            .filter_map(|pair| Some((pair.first()?, pair.get(1)?)))
        {
            let key = key.trim_end_matches('=').rsplit(' ').next().unwrap_or_default().to_lowercase();
            row.push((format!("{name}/{key}"), decode_entities(value)));
        }
        if !content.trim().is_empty() {
            row.push((name, decode_entities(content.trim())));
        }
    }
    // A section of raw text was cut at its own tags.
    for part in text.split("<![CDATA[").skip(1) {
        let before = text.split(part).next().unwrap_or_default();
        let tag = before.trim_end_matches("<![CDATA[").rsplit('<').next().unwrap_or_default();
        let name = tag.split(['>', ' ']).next().unwrap_or_default().to_lowercase();
        row.push((name, part.split("]]>").next().unwrap_or_default().to_owned()));
    }
    row
}

/// How a job compares with the row it came from: field, and what became of it. A board may have a job once for each of
/// its places, under one id: the row that agrees most is its own.
pub fn judge(job: &Listed, rows: &[Row]) -> Vec<(&'static str, Count)> {
    let has = |row: &Row, wanted: &str| row.iter().any(|(_, text)| fold(&plain(text)) == wanted);
    let title = fold(&job.title);
    let holds_id = |row: &&Row| row.iter().any(|(_, text)| text.contains(&job.external_id));
    let own =
        rows.iter().filter(holds_id).filter(|row| has(row, &title)).map(|row| (row.len(), beside(job, row)));
    let right_of =
        |fields: &[(&'static str, Count)]| fields.iter().map(|(_, count)| count.right).sum::<usize>();
    let best = own.min_by_key(|(length, fields)| (std::cmp::Reverse(right_of(fields)), *length));
    best.map(|(_, fields)| fields).unwrap_or_else(|| {
        let wrong = Count { carried: 1, wrong: 1, ..Count::default() };
        ["id", "title"].into_iter().map(|field| (field, wrong)).collect()
    })
}

/// A job beside a row that has its id and its title.
fn beside(job: &Listed, row: &Row) -> Vec<(&'static str, Count)> {
    let right = Count { carried: 1, right: 1, ..Count::default() };
    let named = |words: &[&str]| -> Vec<&str> {
        let fits = |name: &str| words.iter().any(|word| name.contains(word));
        row.iter().filter(|(name, _)| fits(name)).map(|(_, text)| text.as_str()).collect()
    };
    let places =
        named(&["location", "city", "cities", "state", "region", "country", "place", "office", "address"]);
    let of_places = |place: &String| {
        let all = fold(&places.iter().map(|text| plain(text)).collect::<Vec<_>>().join(" , "));
        place
            .split([',', '-', '/'])
            .all(|part| format!(" {all} ").contains(&format!(" {} ", fold(part))) || fold(part).is_empty())
    };
    let urls = named(&["url", "link", "href", "guid", "path", "id"]);
    // When a posting was last changed is not when it was posted.
    let dated = |name: &str| {
        ["date", "publish", "posted", "created", "t_create", "pub"].iter().any(|word| name.contains(word))
    };
    let days: Vec<Date> = row
        .iter()
        .filter(|(name, _)| dated(name) && !name.contains("update"))
        .filter_map(|(_, text)| day(text))
        .collect();
    let count = |carried: bool, found: bool, right: bool| Count {
        carried: usize::from(carried),
        right: usize::from(found && right),
        wrong: usize::from(found && !right),
        missing: usize::from(carried && !found),
    };
    let stated: Vec<&&str> = urls.iter().filter(|url| url.starts_with("http")).collect();
    let url = job.url.as_deref().unwrap_or_default();
    // An address that the board does not state whole is made of the path or the id it states.
    let path = |stated: &&str| stated.contains('/') && !stated.starts_with("http") && url.ends_with(stated);
    let url_is_right = stated.iter().any(|stated| **stated == url)
        || url.contains(&job.external_id)
        || urls.iter().any(path);
    vec![
        ("id", right),
        ("title", right),
        ("place", count(!places.is_empty(), !job.places.is_empty(), job.places.iter().all(of_places))),
        ("url", count(!stated.is_empty() || job.url.is_some(), job.url.is_some(), url_is_right)),
        (
            "date",
            count(!days.is_empty(), job.posted.is_some(), job.posted.is_some_and(|day| days.contains(&day))),
        ),
    ]
}

fn plain(text: &str) -> String {
    decode_entities(&if text.contains('<') { from_html(text) } else { text.to_owned() })
}

/// A day as files write it: in words, in figures, or as a count of seconds.
fn day(text: &str) -> Option<Date> {
    if let Ok(seconds) = text.parse::<i64>() {
        let seconds = if seconds > 100_000_000_000 { seconds / 1_000 } else { seconds };
        let at = jiff::Timestamp::from_second(seconds).ok().filter(|_| seconds > 100_000_000)?;
        return Some(at.to_zoned(jiff::tz::TimeZone::UTC).date());
    }
    same::day(text)
}
