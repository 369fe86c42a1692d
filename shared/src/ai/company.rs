//! What a model is asked about a company's page: only what the page's own markup and lines left open.

use serde_json::{Map, Value};

use super::schema::{Field, Kind, Schema};
use super::{Ai, AiError, Question};
use crate::domain::ids::TaskId;

pub static SCHEMA: Schema = Schema {
    name: "company",
    version: 1,
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

/// Fields of `result` that are null and that a model may find.
pub fn open_fields(result: &Value) -> Vec<&'static str> {
    SCHEMA.fields.iter().map(|field| field.name).filter(|name| result[*name].is_null()).collect()
}

/// The open fields as far as a model finds them, each said by the page itself.
pub async fn fill(
    ai: &Ai,
    task_id: Option<TaskId>,
    result: &Value,
    text: &str,
) -> anyhow::Result<Result<Map<String, Value>, AiError>> {
    let open = open_fields(result);
    if matches!(ai, Ai::None) || open.is_empty() || text.split_whitespace().count() < 20 {
        return Ok(Ok(Map::new()));
    }
    let page = &text[..text.floor_char_boundary(MAX_PAGE)];
    let question = Question { schema: &SCHEMA, task: TASK, page };
    let mut fields = match ai.ask(task_id, &question).await? {
        None => return Ok(Ok(Map::new())),
        Some(Err(error)) => return Ok(Err(error)),
        Some(Ok(record)) => record.fields,
    };
    SCHEMA.ground(&mut fields, page);
    fields.retain(|name, value| !value.is_null() && open.contains(&name.as_str()));
    Ok(Ok(fields))
}
