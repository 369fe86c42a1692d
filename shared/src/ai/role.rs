//! Which role a title means, asked of a model: one of the candidates it is shown, or a new one. It can only choose
//! among them; what it says of a new role is a name and nothing else.

use super::schema::{Field, Kind, Schema, Violation};
use super::{Ai, AiError, Question};
use crate::domain::ids::TaskId;
use crate::domain::plain_text;

/// What a model chose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Choice<Id> {
    Existing(Id),
    /// A role that nobody has yet, under this name.
    New(String),
}

/// More candidates make a question dear and an answer no better.
const MOST: usize = 50;
const LONGEST: usize = 200;
const NEW: &str = "new";

const TASK: &str = "A job has a title, and there is a list of roles. Say by its mark which role the title means, whatever \
    its seniority, contract or place. Java is not JavaScript, an analyst is not an engineer: where no role is meant, \
    say \"new\" and name the role in words of the title.";

impl Ai {
    /// The role that a title means. `None` when there is no provider; candidates beyond the first 50 are not shown.
    pub async fn choose_role<Id: Clone>(
        &self,
        task_id: Option<TaskId>,
        title: &str,
        candidates: &[(Id, &str)],
    ) -> anyhow::Result<Option<Result<Choice<Id>, AiError>>> {
        let shown = &candidates[..candidates.len().min(MOST)];
        let marks: Vec<String> = (1..=shown.len()).map(|number| format!("r{number}")).collect();
        let words: Vec<String> = marks.iter().cloned().chain([NEW.to_owned()]).collect();
        let fields = [
            Field {
                name: "choice",
                kind: Kind::OneOf { words: &words },
                about: "The mark of the role, or new.",
            },
            Field {
                name: "new_name",
                kind: Kind::Text { most: 120 },
                about: "The name of a new role; null unless it is new.",
            },
        ];
        let schema = Schema { name: "role", version: 1, fields: &fields };
        let mut page = format!("Title: {}\nRoles:\n", short(title));
        for (mark, (_, name)) in marks.iter().zip(shown) {
            page.push_str(&format!("{mark}: {}\n", short(name)));
        }
        let question = Question { schema: &schema, task: TASK, page: &page };
        let record = match self.ask(task_id, &question).await? {
            None => return Ok(None),
            Some(Err(error)) => return Ok(Some(Err(error))),
            Some(Ok(record)) => record,
        };
        let chosen = record.fields.get("choice").and_then(|choice| choice.as_str()).unwrap_or(NEW);
        if let Some(place) = marks.iter().position(|mark| mark == chosen) {
            return Ok(Some(Ok(Choice::Existing(shown[place].0.clone()))));
        }
        let name = record.fields.get("new_name").and_then(|name| name.as_str()).map(plain_text::line);
        Ok(Some(match name.filter(|name| name.chars().any(char::is_alphabetic)) {
            Some(name) => Ok(Choice::New(name)),
            None => {
                let reason = "a new role without a name";
                Err(AiError::Unfit(Violation { field: "new_name".to_owned(), reason }))
            }
        }))
    }
}

/// One line of bounded length.
fn short(text: &str) -> String {
    plain_text::line(text).chars().take(LONGEST).collect()
}
