//! What a browser is asked for, and what can come of it. Pure words; the crawler asks and judges, the renderer
//! only shows.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::policy::Rendering;
use super::profile::Profile;

pub const MAX_SCROLLS: u8 = 20;

/// How the caller of a task wants its page made readable. What is left out is the site's policy's to say.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Wish {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub render: Option<Rendering>,
    /// A CSS selector that must be there before the page is read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wait_for_selector: Option<String>,
    /// How often the page is scrolled to its end, for lists that grow.
    #[serde(skip_serializing_if = "is_zero")]
    pub max_scrolls: u8,
    /// Load images, fonts and media as well.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub images: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde asks for")]
fn is_zero(number: &u8) -> bool {
    *number == 0
}

/// Where a task's row keeps it.
const WISH: &str = "render";
const NEEDED: &str = "needs_browser";
/// Marks a task that a renderer has: should it never be heard of, the sweep need not wait long.
pub const RENDERING: &str = "rendering";

impl Wish {
    /// As a task's row has it.
    pub fn of(pipeline_state: &Value) -> Wish {
        serde_json::from_value(pipeline_state[WISH].clone()).unwrap_or_default()
    }

    /// As it is written into a new row: nothing, when nothing was wished.
    pub fn state(&self) -> Value {
        if *self == Wish::default() {
            return serde_json::json!({});
        }
        serde_json::json!({ WISH: self })
    }

    /// What it asks for can only be had from a browser.
    pub fn needs_browser(&self) -> bool {
        self.wait_for_selector.is_some() || self.max_scrolls > 0
    }
}

/// What is learnt when a plain page turns out to need a browser.
pub fn needed(why: &str) -> Value {
    serde_json::json!({ NEEDED: why })
}

/// Was the task's page found to need one?
pub fn was_needed(pipeline_state: &Value) -> bool {
    pipeline_state[NEEDED].is_string()
}

/// What the browser shows, to whom.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sight {
    pub url: String,
    /// The face it shows; none is our own.
    pub face: Option<Profile>,
    pub wait_for_selector: Option<String>,
    pub max_scrolls: u8,
    pub images: bool,
}

/// Who is to blame when nothing came of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fault {
    /// The address may not be fetched.
    Refused,
    /// The way out failed: the site never heard of us.
    Route,
    /// The site did not manage to answer.
    Site,
    /// The page: it answered, and cannot be shown.
    Page,
    /// We.
    Ours,
}

/// What came of a rendering.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Outcome {
    /// The site's answer; a page that may be read lies under the key that goes with the task.
    Shown {
        status: u16,
        final_url: String,
        retry_after: Option<String>,
        stored: bool,
    },
    /// The site, or the page itself, sends the browser elsewhere: that is another navigation.
    Moved {
        url: String,
    },
    Failed {
        code: String,
        text: String,
        fault: Fault,
    },
    /// The slot was over before the browser was free. Nobody was asked.
    Late,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_wish_survives_its_row_and_no_wish_writes_nothing() {
        let wish = Wish { render: Some(Rendering::Always), max_scrolls: 3, ..Wish::default() };
        assert_eq!(wish.state(), json!({ "render": { "render": "always", "max_scrolls": 3 } }));
        assert_eq!(Wish::of(&wish.state()), wish);
        assert_eq!(Wish::default().state(), json!({}));
        assert_eq!(Wish::of(&json!({ "render": "rubbish" })), Wish::default());
        assert!(was_needed(&needed("empty_shell")) && !was_needed(&json!({})));
    }
}
