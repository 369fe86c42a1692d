//! What a model is asked about a company's page: only what the page's own markup and lines left open. What it says goes
//! through the same normaliser as everything else, never over a value that is known, and never without its provenance.

use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::schema::{Field, Kind, Schema};
use super::{Ai, AiError, Question, Record, Tokens};
use crate::domain::change::{Look, spares_dear_work};
use crate::domain::fingerprint::simhash;
use crate::domain::ids::TaskId;
use crate::domain::normal::{self, Raw};
use crate::domain::page::Page;
use crate::domain::plain_text::fold;
use crate::domain::reading::method::Method;
use crate::domain::texts::skills;
use crate::store::ai as store;

pub static SCHEMA: Schema<'static> = Schema {
    name: "company",
    version: 2,
    fields: &[
        Field { name: "company_name", kind: Kind::Quote { most: 200 }, about: "The company's name." },
        Field {
            name: "industry",
            kind: Kind::Quote { most: 120 },
            about: "What trade it is in, in words of the page.",
        },
        Field {
            name: "employee_count_range",
            kind: Kind::Quote { most: 40 },
            about: "How many people work there.",
        },
        Field {
            name: "headquarters",
            kind: Kind::Quote { most: 200 },
            about: "City, region and country of its head office.",
        },
        Field {
            name: "about",
            kind: Kind::Quote { most: 2_000 },
            about: "The sentences in which it says what it is and does.",
        },
        Field {
            name: "mission",
            kind: Kind::Quote { most: 1_000 },
            about: "The sentence in which it says what it is for.",
        },
        Field {
            name: "culture",
            kind: Kind::Quote { most: 1_000 },
            about: "The sentences about how people work there.",
        },
        Field {
            name: "founded",
            kind: Kind::Number { min: 1200, max: 2100 },
            about: "The year it was founded.",
        },
        Field {
            name: "tech_stack",
            kind: Kind::Quotes { most: 40, each: 60 },
            about: "Technologies it says it uses.",
        },
    ],
};

const TASK: &str = "The page belongs to a company. Fill in what it says about that company itself.";
/// What a page is cut to before it is sent.
const MAX_PAGE: usize = 24_000;

/// Fewer words are no page about anybody.
const FEWEST_WORDS: usize = 20;

/// A page as a model is shown it, and the look by which the next one is compared.
#[derive(Debug, Clone, PartialEq)]
pub struct Shown {
    pub text: String,
    pub look: Look,
}

impl Shown {
    /// None when the page cannot be read or says next to nothing. `result` is what was read without a model.
    pub fn of(bytes: &[u8], content_type: Option<&str>, result: &Value) -> Option<Shown> {
        let mut text = Page::parse(bytes, content_type).ok()?.visible_text();
        if text.split_whitespace().count() < FEWEST_WORDS {
            return None;
        }
        // A model reads all of a company's text, so all of it is the block. What counts on the page of a posting (how many
        // people) is a fact about a company, so little is left out.
        let look = Look {
            closed: false,
            fields: Some(fields_sum(result)),
            block: Some(block_sum(&text)),
            simhash: simhash(&text),
        };
        text.truncate(text.floor_char_boundary(MAX_PAGE));
        Some(Shown { text, look })
    }
}

/// Words beside a number that counts by itself also on a company's page.
const COUNTED: &[&str] = &["ago", "views", "viewed", "visits", "visitors", "clicks"];
/// A sentence that only counts is short.
const SHORT: usize = 60;

fn block_sum(text: &str) -> String {
    let mut sum = Sha256::new();
    for sentence in text.split(['.', '!', '?', '|', '·']).map(fold).filter(|sentence| !sentence.is_empty()) {
        let counts = sentence.len() <= SHORT
            && sentence.bytes().any(|b| b.is_ascii_digit())
            && sentence.split(' ').any(|word| COUNTED.contains(&word));
        if !counts {
            sum.update((sentence.len() as u64).to_be_bytes());
            sum.update(sentence.as_bytes());
        }
    }
    hex::encode(sum.finalize())
}

fn fields_sum(result: &Value) -> String {
    let mut fields = result.clone();
    if let Some(fields) = fields.as_object_mut() {
        fields.remove("provenance");
    }
    hex::encode(Sha256::digest(fields.to_string()))
}

/// Fields of `result` that are null and that a model may find.
pub fn open_fields(result: &Value) -> Vec<&'static str> {
    SCHEMA.fields.iter().map(|field| field.name).filter(|name| result[*name].is_null()).collect()
}

/// What became of the wish to ask.
#[derive(Debug, Clone, PartialEq)]
pub struct Asked {
    /// Fields that were open and that the page says, as callers get them.
    pub fields: Map<String, Value>,
    /// For the log and the task: `answered`, `cached`, `spared`, or why there is nothing.
    pub outcome: &'static str,
    pub reason: Option<String>,
    pub tokens: Tokens,
    /// Millionths of a dollar.
    pub micros: i64,
}

impl Asked {
    fn nothing(outcome: &'static str, reason: Option<String>) -> Asked {
        Asked { fields: Map::new(), outcome, reason, tokens: Tokens::default(), micros: 0 }
    }

    /// As the task's `meta` shows it.
    pub fn meta(&self, ai: &Ai) -> Value {
        let filled: Vec<&String> = self.fields.keys().collect();
        json!({
            "model": ai.name(), "outcome": self.outcome, "filled": filled, "tokens_in": self.tokens.input,
            "tokens_out": self.tokens.output, "micros": self.micros,
        })
    }

    /// Puts the fields into a result, where they are still open, and says where they came from.
    pub fn fill(&self, result: &mut Value) -> usize {
        let mut filled = 0;
        for (name, value) in &self.fields {
            if result[name].is_null() {
                result[name] = value.clone();
                result["provenance"][name] = Method::Model.as_str().into();
                filled += 1;
            }
        }
        filled
    }
}

/// Asks a model for what a page's reading left open. While the page's block stays as it was when the model was last
/// asked, what it said then stands, and nobody is asked.
pub async fn ask(
    ai: &Ai,
    task_id: TaskId,
    url_key: &str,
    result: &Value,
    shown: &Shown,
) -> anyhow::Result<Option<Asked>> {
    let Ai::Provider { db, clock, .. } = ai else { return Ok(None) };
    let open = open_fields(result);
    if open.is_empty() {
        return Ok(Some(Asked::nothing("nothing_open", None)));
    }
    let asked = format!("{} {}/{}", ai.name().unwrap_or_default(), SCHEMA.name, SCHEMA.version);
    let target = "company_website";
    let before = store::look(&*db.conn().await?, url_key, target, &asked).await?;
    if let Some((before, answer)) = before
        && spares_dear_work(&before, &shown.look)
        && let Ok(fields) = SCHEMA.check(&answer)
    {
        ai.note(Some(task_id), "spared").await?;
        return Ok(Some(Asked { fields: taken(&fields, &open), ..Asked::nothing("spared", None) }));
    }
    let question = Question { schema: &SCHEMA, task: TASK, page: &shown.text };
    let record = match ai.ask(Some(task_id), &question).await? {
        None => return Ok(None),
        Some(Err(error)) => {
            return Ok(Some(Asked {
                reason: Some(error.to_string()),
                ..refused(ai, task_id, &error).await?
            }));
        }
        Some(Ok(record)) => record,
    };
    let Record { mut fields, cached, tokens, micros } = record;
    SCHEMA.ground(&mut fields, &shown.text);
    let answer = Value::Object(fields.clone());
    store::keep_look(&*db.conn().await?, url_key, target, &asked, &shown.look, &answer, clock.now()).await?;
    let outcome = if cached { "cached" } else { "answered" };
    Ok(Some(Asked { fields: taken(&fields, &open), outcome, reason: None, tokens, micros }))
}

/// What a failed call cost all the same.
async fn refused(ai: &Ai, task_id: TaskId, error: &AiError) -> anyhow::Result<Asked> {
    let Ai::Provider { db, .. } = ai else { return Ok(Asked::nothing(error.code(), None)) };
    let last = store::last_of_task(&*db.conn().await?, task_id).await?;
    let tokens = Tokens { input: last.tokens_in, output: last.tokens_out };
    Ok(Asked { tokens, micros: last.micros, ..Asked::nothing(error.code(), None) })
}

/// What of an answer callers get: normalised like everything else, and only what was open.
fn taken(fields: &Map<String, Value>, open: &[&str]) -> Map<String, Value> {
    let mut raw = Raw::default();
    for field in SCHEMA.fields {
        let text = match fields.get(field.name) {
            Some(Value::String(text)) => Some(text.clone()),
            Some(Value::Number(number)) => Some(number.to_string()),
            Some(Value::Array(quotes)) => {
                Some(quotes.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", "))
            }
            _ => None,
        };
        raw.offer(field.name, Method::Model, text);
    }
    let Ok(Value::Object(mut normal)) = serde_json::to_value(normal::company_website(&raw).fields) else {
        return Map::new();
    };
    // A name that stands alone (`Go`, `Rust`) is a technology here, where in prose it would be a word.
    if let Some(Value::Array(quotes)) = fields.get("tech_stack") {
        let mut known: Vec<_> =
            quotes.iter().filter_map(|quote| skills::canonical(quote.as_str()?)).collect();
        known.dedup();
        if !known.is_empty() {
            normal.insert("tech_stack".to_owned(), json!(known));
        }
    }
    normal.retain(|name, value| !value.is_null() && open.contains(&name.as_str()));
    normal
}

/// What a model said of the same page before stays beside a new reading of it, where that leaves a field open.
pub fn carry_over(before: &Value, now: &mut Value) {
    let Some(fields) = before["provenance"].as_object() else { return };
    for (name, _) in fields.iter().filter(|(_, origin)| **origin == Method::Model.as_str()) {
        if now.get(name).is_some_and(Value::is_null) && !before[name].is_null() {
            now[name] = before[name].clone();
            now["provenance"][name] = Method::Model.as_str().into();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(text: &str) -> String {
        format!("<html><body><main><h1>Lantern</h1><p>{text}</p></main></body></html>")
    }

    const LONG: &str = "Lantern makes lamps for harbours and for everybody who comes home late at night. It has twelve \
        people, a shop by the quay and a kiln that never cools.";

    #[test]
    fn a_look_stays_while_the_text_stays_and_counters_do_not_count() {
        let result = json!({ "company_name": "Lantern", "provenance": {} });
        let of = |text: &str| Shown::of(page(text).as_bytes(), None, &result);
        let once = of(&format!("{LONG} 150 people viewed this.")).unwrap();
        let later = of(&format!("{LONG} 180 people viewed this.")).unwrap();
        assert!(spares_dear_work(&once.look, &later.look));
        let changed = of(&LONG.replace("twelve", "thirteen")).unwrap();
        assert!(!spares_dear_work(&once.look, &changed.look));
        assert_eq!(of("Soon."), None);
    }

    #[test]
    fn what_is_known_is_not_changed_and_what_was_said_is_carried_over() {
        let fields = SCHEMA.fields.iter().map(|field| (field.name.to_owned(), Value::Null)).collect();
        let mut fields: Map<String, Value> = fields;
        fields.insert("company_name".into(), json!("Other"));
        fields.insert("founded".into(), json!(1911));
        fields.insert("tech_stack".into(), json!(["Rust", "glass"]));
        let open = ["founded", "tech_stack"];
        let mut result = json!({ "company_name": "Lantern", "founded": null, "tech_stack": null, "provenance":
            { "company_name": "meta" } });
        let asked = Asked { fields: taken(&fields, &open), ..Asked::nothing("answered", None) };
        let mut again = result.clone();
        assert_eq!(asked.fill(&mut result), 2);
        assert_eq!(result["founded"], 1911);
        assert_eq!(result["company_name"], "Lantern");
        assert_eq!(
            result["provenance"],
            json!({ "company_name": "meta", "founded": "model", "tech_stack": "model" })
        );
        again["tech_stack"] = json!(["Go"]);
        carry_over(&result, &mut again);
        assert_eq!((again["founded"].clone(), again["tech_stack"].clone()), (json!(1911), json!(["Go"])));
        assert_eq!(again["provenance"]["founded"], "model");
    }
}
