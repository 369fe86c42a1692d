//! What frameworks leave on a page for their own scripts: `__NEXT_DATA__`, `__NUXT__`, `window.__INITIAL_STATE__` and
//! whatever a site calls its own. Finds the object that looks like a posting, by its names, and says it in the shape of
//! JSON-LD. An object is taken only when it is the page's own: one of many rows of a list is not.

use jiff::Timestamp;
use serde_json::{Map, Value, json};

use super::literal;
use crate::page::{Page, TooComplex};
use crate::plain_text::{fold, line};
use crate::shape::{each, known_text};

/// What all scripts of a page may hold together; the same reason as for JSON-LD.
const MAX_BYTES: usize = 4 * 1024 * 1024;
const MAX_OBJECTS: usize = 40_000;
const MAX_VALUES: usize = 800_000;
/// Scripts that are looked into, assignments in one of them, and objects that look like postings.
const MAX_SCRIPTS: usize = 100;
const MAX_ASSIGNMENTS: usize = 50;
/// Beginnings without an end; each is looked for to the end of its script.
const MAX_UNENDED: usize = 12;
const MAX_POSTINGS: usize = 200;
/// A description shorter than this may be a teaser in a list.
const MIN_PROSE: usize = 150;
/// How deep the references of a flattened state are followed for one object.
const REACH: usize = 5;
const MAX_RESOLVED: usize = 2_000;

/// What a page's state says about postings.
#[derive(Debug, Clone, PartialEq)]
pub enum State {
    Nothing,
    /// In the shape of a schema.org JobPosting.
    Posting(Box<Value>),
    Many(usize),
}

/// Finds the posting. `names` are what the page calls itself: its heading, its title.
pub fn find(page: &Page, url: &str, names: &[String]) -> Result<State, TooComplex> {
    let mut postings: Vec<Value> = Vec::new();
    scripts(page, promises, |text| {
        for value in data_in(text) {
            postings_in(&value, &mut postings);
        }
    });
    Ok(choose(postings, url, names))
}

/// The data in a page's scripts that speaks schema.org: something with a type.
pub fn typed(page: &Page) -> Vec<Value> {
    let mut found = Vec::new();
    let speaks = |text: &str| memchr::memmem::find(text.as_bytes(), b"@type").is_some();
    scripts(page, speaks, |text| found.extend(data_in(text)));
    found
}

/// Looks into the scripts of a page that `promise` something, as far as the bounds allow.
fn scripts(page: &Page, promise: impl Fn(&str) -> bool, mut look: impl FnMut(&str)) {
    let (mut bytes, mut objects, mut values) = (0, 0, 0);
    for text in page.data_scripts().take(MAX_SCRIPTS).filter(|text| promise(text)) {
        bytes += text.len();
        for byte in text.bytes() {
            objects += usize::from(byte == b'{');
            values += usize::from(matches!(byte, b',' | b'[' | b'{' | b':'));
        }
        if bytes > MAX_BYTES || objects > MAX_OBJECTS || values > MAX_VALUES {
            break; // the page may still say it in another way
        }
        look(text);
    }
}

/// A quick look: words that a posting cannot do without.
fn promises(text: &str) -> bool {
    let has = |word: &str| memchr::memmem::find(text.as_bytes(), word.as_bytes()).is_some();
    text.len() >= 200 && (has("itle") || has("name")) && (has("escription") || has("ontent") || has("body"))
}

/// The data in one script: JSON as a whole, or what is assigned in it.
fn data_in(text: &str) -> Vec<Value> {
    let text = text.trim();
    if text.starts_with(['{', '[']) {
        return serde_json::from_str(text).into_iter().map(flattened).collect();
    }
    let mut found = Vec::new();
    let (mut at, mut unended) = (0, 0);
    while let Some(next) = memchr::memchr(b'=', &text.as_bytes()[at..]) {
        let from = at + next + 1;
        at = from;
        let rest = text[from..].trim_start();
        let value = if rest.starts_with(['{', '[']) {
            let length = literal::extent(rest);
            unended += usize::from(length.is_none());
            // small things are not the state of a page
            length.filter(|length| *length >= 100).and_then(|length| {
                at = text.len() - rest.len() + length;
                literal::read(&rest[..length])
            })
        } else {
            parsed_string(rest)
        };
        found.extend(value.map(flattened));
        if found.len() >= MAX_ASSIGNMENTS || unended >= MAX_UNENDED {
            break;
        }
    }
    found
}

/// `JSON.parse("{\"a\":1}")`.
fn parsed_string(text: &str) -> Option<Value> {
    let inside = text.strip_prefix("JSON.parse(")?.trim_start();
    let quoted = literal::read(&format!("[{}]", inside.get(..end_of(inside)?)?))?;
    serde_json::from_str(quoted.get(0)?.as_str()?).ok()
}

/// One past the closing quote of the string a text begins with.
fn end_of(text: &str) -> Option<usize> {
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\'' | '`'))?;
    let mut escaped = false;
    text.char_indices().skip(1).find_map(|(at, c)| {
        let ends = c == quote && !escaped;
        escaped = c == '\\' && !escaped;
        ends.then_some(at + 1)
    })
}

/// Nuxt writes one list in which every value is the place of another; other data is left as it is.
fn flattened(value: Value) -> Value {
    let Value::Array(list) = &value else { return value };
    let refers = |value: &Value| match value {
        Value::Object(object) => !object.is_empty() && object.values().all(Value::is_u64),
        _ => false,
    };
    if list.len() < 10 || list.iter().filter(|value| refers(value)).count() < 3 {
        return value;
    }
    let mut left = MAX_RESOLVED * 10;
    let found = list
        .iter()
        .filter_map(Value::as_object)
        .filter(|object| Keys::of(object).promise())
        .take(MAX_POSTINGS)
        .map(|object| resolved(list, object, REACH, &mut left))
        .collect();
    Value::Array(found)
}

fn resolved(list: &[Value], object: &Map<String, Value>, reach: usize, left: &mut usize) -> Value {
    let members = object.iter().map(|(name, at)| {
        let value = at.as_u64().and_then(|at| list.get(usize::try_from(at).ok()?));
        (name.clone(), value.map_or(Value::Null, |value| follow(list, value, reach, left)))
    });
    Value::Object(members.collect())
}

/// Bounded twice: `reach` levels, and so many values in all.
fn follow(list: &[Value], value: &Value, reach: usize, left: &mut usize) -> Value {
    *left = left.saturating_sub(1);
    if reach == 0 || *left == 0 {
        return Value::Null;
    }
    match value {
        Value::Object(object) => resolved(list, object, reach - 1, left),
        // `["Reactive", 5]` wraps the value at 5
        Value::Array(values) => {
            let inner: Vec<Value> = values
                .iter()
                .filter_map(Value::as_u64)
                .filter_map(|at| list.get(usize::try_from(at).ok()?))
                .take(100)
                .map(|value| follow(list, value, reach - 1, left))
                .collect();
            match values.first() {
                Some(Value::String(_)) => inner.into_iter().next().unwrap_or_default(),
                _ => Value::Array(inner),
            }
        }
        other => other.clone(),
    }
}

fn postings_in(value: &Value, found: &mut Vec<Value>) {
    let mut rest = vec![value];
    while let Some(value) = rest.pop() {
        match value {
            Value::Object(object) => {
                let keys = Keys::of(object);
                if keys.promise() && found.len() < MAX_POSTINGS {
                    let posting = keys.posting();
                    if !found.contains(&posting) {
                        found.push(posting);
                    }
                }
                rest.extend(object.values().rev());
            }
            Value::Array(values) => rest.extend(values.iter().rev()),
            _ => {}
        }
    }
}

/// The page's own: the one that its address or its heading names, or the only one with a description.
fn choose(mut postings: Vec<Value>, url: &str, names: &[String]) -> State {
    let names: Vec<String> = names.iter().map(|name| fold(name)).filter(|name| !name.is_empty()).collect();
    let title = |posting: &Value| posting["title"].as_str().map(fold).filter(|title| !title.is_empty());
    let named = |posting: &Value| {
        title(posting).is_some_and(|title| {
            names.iter().any(|name| *name == title || format!(" {name} ").contains(&format!(" {title} ")))
        })
    };
    let full = |posting: &Value| posting["description"].as_str().is_some_and(|text| text.len() >= MIN_PROSE);
    let id = ::url::Url::parse(url).ok().as_ref().and_then(crate::identity::id_of);
    let at_id = |posting: &Value| {
        id.is_some()
            && posting.get("identifier").and_then(known_text).map(|own| own.to_ascii_lowercase()) == id
    };
    let count = postings.len();
    let fits: [&dyn Fn(&Value) -> bool; 3] = [&|p| full(p) && at_id(p), &|p| full(p) && named(p), &|p| {
        full(p) && (names.is_empty() || count == 1)
    }];
    for fit in fits {
        let fitting: Vec<usize> = (0..count).filter(|at| fit(&postings[*at])).collect();
        // the same posting may stand there more than once, with more and less about it
        let same = fitting.windows(2).all(|two| title(&postings[two[0]]) == title(&postings[two[1]]));
        let size = |at: &usize| postings[*at].as_object().map_or(0, Map::len);
        if let Some(best) = fitting.iter().copied().max_by_key(size).filter(|_| same) {
            return State::Posting(Box::new(postings.swap_remove(best)));
        }
    }
    if count >= 5 { State::Many(count) } else { State::Nothing }
}

/// What the names of an object's members say they are.
#[derive(Default)]
struct Keys<'a> {
    title: Option<&'a Value>,
    /// A title under a name that many things have.
    name: Option<&'a Value>,
    description: Option<&'a Value>,
    company: Option<&'a Value>,
    place: Option<&'a Value>,
    city: Option<&'a Value>,
    region: Option<&'a Value>,
    country: Option<&'a Value>,
    posted: Option<&'a Value>,
    until: Option<&'a Value>,
    kind: Option<&'a Value>,
    pay: Option<&'a Value>,
    pay_min: Option<&'a Value>,
    pay_max: Option<&'a Value>,
    currency: Option<&'a Value>,
    period: Option<&'a Value>,
    id: Option<&'a Value>,
    apply: Option<&'a Value>,
    remote: Option<&'a Value>,
}

impl<'a> Keys<'a> {
    fn of(object: &'a Map<String, Value>) -> Keys<'a> {
        let mut keys = Keys::default();
        for (name, value) in object.iter().take(400) {
            let name: String =
                name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
            let slot = match name.as_str() {
                "title" | "jobtitle" | "positiontitle" | "postingtitle" | "jobname" | "externaltitle"
                | "vacancytitle" | "offertitle" => &mut keys.title,
                "name" | "position" => &mut keys.name,
                "description"
                | "jobdescription"
                | "descriptionhtml"
                | "htmldescription"
                | "content"
                | "body"
                | "descriptionbody"
                | "fulldescription"
                | "jobad"
                | "descriptiontext"
                | "jobdescriptionhtml"
                | "externaldescription" => &mut keys.description,
                "company" | "companyname" | "hiringorganization" | "organization" | "organizationname"
                | "employer" | "employername" | "businessname" => &mut keys.company,
                "location" | "locations" | "joblocation" | "joblocations" | "locationname"
                | "locationstext" | "primarylocation" | "workplace" | "formattedlocation"
                | "fulllocation" | "office" | "offices" => &mut keys.place,
                "city" | "locality" | "addresslocality" => &mut keys.city,
                "state" | "region" | "stateregion" | "addressregion" | "province" => &mut keys.region,
                "country" | "countryname" | "addresscountry" | "countrycode" => &mut keys.country,
                "dateposted" | "posteddate" | "postedat" | "postedon" | "publishedat" | "publishdate"
                | "datepublished" | "publicationdate" | "publishedon" | "releaseddate" | "firstpublished"
                | "firstpublishedat" | "postdate" | "activatedat" => &mut keys.posted,
                "validthrough"
                | "expiresat"
                | "expirationdate"
                | "expirydate"
                | "closingdate"
                | "deadline"
                | "applicationdeadline"
                | "validuntil" => &mut keys.until,
                "employmenttype" | "jobtype" | "contracttype" | "timetype" | "commitment"
                | "employmenttypes" | "typeofemployment" => &mut keys.kind,
                "salary" | "basesalary" | "compensation" | "salaryrange" | "pay" => &mut keys.pay,
                "salarymin" | "minsalary" | "salaryfrom" | "minimumsalary" => &mut keys.pay_min,
                "salarymax" | "maxsalary" | "salaryto" | "maximumsalary" => &mut keys.pay_max,
                "salarycurrency" | "currency" | "currencycode" => &mut keys.currency,
                "salaryperiod" | "salaryinterval" | "payperiod" | "salaryunit" => &mut keys.period,
                "jobid" | "requisitionid" | "reqid" | "jobreqid" | "vacancyid" | "offerid" | "postingid"
                | "externalid" | "id" => &mut keys.id,
                "applyurl" | "applicationurl" | "applylink" | "urlapply" | "externalapplyurl" => {
                    &mut keys.apply
                }
                "remote" | "isremote" | "workplacetype" | "joblocationtype" | "workmodel" | "remotetype" => {
                    &mut keys.remote
                }
                _ => continue,
            };
            let value = in_one_language(value);
            if !value.is_null() {
                slot.get_or_insert(value);
            }
        }
        keys
    }

    /// A title, prose, and something only jobs have; or a title and most of what jobs have.
    fn promise(&self) -> bool {
        let facts = [
            self.company,
            self.place.or(self.city),
            self.posted,
            self.kind,
            self.pay.or(self.pay_min),
            self.apply,
        ]
        .iter()
        .filter(|fact| fact.is_some())
        .count();
        let title = self.title.is_some()
            || self.name.is_some()
                && (self.kind.is_some() || self.apply.is_some() || self.description.is_some() && facts >= 3);
        title && (self.description.is_some() && facts >= 1 || facts >= 3)
    }

    /// The object in the words of schema.org.
    fn posting(&self) -> Value {
        let mut posting = Map::new();
        let mut put = |name: &str, value: Option<Value>| {
            if let Some(value) = value.filter(|value| !value.is_null()) {
                posting.insert(name.to_owned(), value);
            }
        };
        put("@type", Some(json!("JobPosting")));
        put("title", self.title.or(self.name).and_then(|value| known_text(value).map(Value::String)));
        put("description", self.description.and_then(prose));
        put("hiringOrganization", self.company.and_then(|value| named(value).map(Value::String)));
        put("jobLocation", self.place());
        put("datePosted", self.posted.and_then(moment));
        put("validThrough", self.until.and_then(moment));
        put("employmentType", self.kind.map(|value| each(value).take(20).filter_map(named).collect()));
        put("baseSalary", self.pay());
        put("identifier", self.id.filter(|id| id.is_string() || id.is_number()).cloned());
        put("applyUrl", self.apply.filter(|url| url.is_string()).cloned());
        let remote = match self.remote {
            Some(Value::Bool(true)) => Some(json!("TELECOMMUTE")),
            Some(value) if value.is_string() => Some(value.clone()),
            _ => None,
        };
        put("jobLocationType", remote);
        Value::Object(posting)
    }

    fn place(&self) -> Option<Value> {
        let parts = [
            ("addressLocality", self.city),
            ("addressRegion", self.region),
            ("addressCountry", self.country),
        ];
        let own = address(parts.map(|(name, value)| (name, value.and_then(named))));
        match self.place {
            None => own,
            Some(places) => {
                let places: Vec<Value> = each(places).take(100).filter_map(place).collect();
                if places.is_empty() { own } else { Some(Value::Array(places)) }
            }
        }
    }

    fn pay(&self) -> Option<Value> {
        if self.pay_min.is_some() || self.pay_max.is_some() {
            return Some(json!({"currency": self.currency.and_then(known_text), "value": {
                "minValue": self.pay_min, "maxValue": self.pay_max, "unitText": self.period.and_then(known_text)}}));
        }
        let Some(Value::Object(pay)) = self.pay else {
            return self.pay.filter(|pay| pay.is_string()).cloned();
        };
        let at =
            |names: &[&str]| names.iter().find_map(|name| pay.get(*name)).filter(|value| !value.is_null());
        Some(
            json!({"currency": at(&["currency", "currencyCode", "salaryCurrency"]).and_then(known_text), "value": {
            "minValue": at(&["min", "minValue", "from", "minimum"]), "maxValue": at(&["max", "maxValue", "to", "maximum"]),
            "unitText": at(&["period", "unitText", "interval", "unit", "measure"]).and_then(known_text)}}),
        )
    }
}

fn place(value: &Value) -> Option<Value> {
    let Value::Object(object) = value else { return known_text(value).map(Value::String) };
    let at = |names: &[&str]| names.iter().find_map(|name| object.get(*name)).and_then(named);
    let inner = object.get("address").and_then(Value::as_object);
    if let Some(inner) = inner {
        return place(&Value::Object(inner.clone()));
    }
    address([
        ("addressLocality", at(&["city", "locality", "addressLocality", "cityName"])),
        ("addressRegion", at(&["state", "region", "addressRegion", "province"])),
        ("addressCountry", at(&["country", "addressCountry", "countryName", "countryCode"])),
    ])
    .or_else(|| {
        at(&["name", "label", "text", "formatted", "displayName", "title", "expanded"]).map(Value::String)
    })
}

fn address<const N: usize>(parts: [(&str, Option<String>); N]) -> Option<Value> {
    let parts: Map<String, Value> = parts
        .into_iter()
        .filter_map(|(name, value)| Some((name.to_owned(), Value::String(value?))))
        .collect();
    (!parts.is_empty()).then(|| json!({ "@type": "Place", "address": parts }))
}

/// `{"cs": "Praha", "en": "Prague"}` says one thing in several languages; the first is the page's own as often as any.
fn in_one_language(value: &Value) -> &Value {
    let code = |name: &String| name.len() == 2 && name.bytes().all(|b| b.is_ascii_lowercase());
    match value {
        Value::Object(object)
            if !object.is_empty()
                && object.len() <= 12
                && object.keys().all(code)
                && !object.contains_key("id") =>
        {
            object.values().next().unwrap_or(value)
        }
        other => other,
    }
}

/// A text, or the name of an object that has one.
fn named(value: &Value) -> Option<String> {
    match value {
        Value::Object(object) => ["name", "label", "title", "displayName", "text", "value"]
            .iter()
            .find_map(|name| object.get(*name))
            .filter(|value| value.is_string())
            .and_then(known_text),
        Value::Bool(_) => None,
        other => known_text(other),
    }
}

fn prose(value: &Value) -> Option<Value> {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Object(object) => ["html", "text", "content", "value", "body"]
            .iter()
            .find_map(|name| object.get(*name)?.as_str())?
            .to_owned(),
        _ => return None,
    };
    (!line(text.get(..text.floor_char_boundary(400)).unwrap_or_default()).is_empty())
        .then_some(Value::String(text))
}

/// A date as it stands, or from seconds or milliseconds since 1970.
fn moment(value: &Value) -> Option<Value> {
    match value {
        Value::String(_) => Some(value.clone()),
        Value::Number(number) => {
            let number = number.as_i64()?;
            let moment = match number {
                900_000_000..=9_999_999_999 => Timestamp::from_second(number),
                900_000_000_000..=9_999_999_999_999 => Timestamp::from_millisecond(number),
                _ => return None,
            };
            Some(Value::String(moment.ok()?.to_string()))
        }
        _ => None,
    }
}

#[cfg(test)]
#[path = "state_tests.rs"]
mod tests;
