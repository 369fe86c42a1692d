//! Models that read pages, as the last method and never the only one: nothing depends on them, and by default there
//! is none. One question gives one record of our own schema or an error; what it costs is counted for its task and
//! its day, the same question is asked once, and everything goes out through `egress`.

pub mod company;
mod role;
pub mod schema;
mod wire;

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use anyhow::{Context, bail};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use secrecy::SecretString;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use crate::clock::Clock;
use crate::domain::ids::TaskId;
use crate::egress::{Egress, EgressError, Hop};
use crate::settings::Env;
use crate::store::{Pool, ai as store};
pub use role::Choice;
use schema::Violation;
pub use wire::{MAX_OUTPUT_TOKENS, Question, Tokens};

/// Whose wire format is spoken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Anthropic,
    Gemini,
    /// OpenAI, and every server that speaks like it.
    OpenAi,
    Bedrock,
}

impl Kind {
    pub fn word(self) -> &'static str {
        match self {
            Kind::Anthropic => "anthropic",
            Kind::Gemini => "gemini",
            Kind::OpenAi => "openai",
            Kind::Bedrock => "bedrock",
        }
    }

    /// Where it is asked unless the operator says otherwise.
    fn base_url(self) -> Option<&'static str> {
        match self {
            Kind::Anthropic => Some("https://api.anthropic.com"),
            Kind::Gemini => Some("https://generativelanguage.googleapis.com"),
            Kind::OpenAi => Some("https://api.openai.com"),
            Kind::Bedrock => None, // it is in a region
        }
    }
}

impl FromStr for Kind {
    type Err = String;

    fn from_str(word: &str) -> Result<Kind, String> {
        let all = [Kind::Anthropic, Kind::Gemini, Kind::OpenAi, Kind::Bedrock];
        all.into_iter()
            .find(|kind| kind.word() == word)
            .ok_or_else(|| format!("{word:?} is none of none, anthropic, gemini, openai, bedrock"))
    }
}

/// A provider as the operator set it. The key is never printed.
#[derive(Clone)]
pub struct Settings {
    pub kind: Kind,
    pub model: String,
    pub base_url: String,
    pub key: SecretString,
    pub timeout: Duration,
    /// Millionths of a dollar a day.
    pub daily_budget: i64,
    /// Dollars for a million tokens, which is millionths of a dollar for one.
    pub price_in: f64,
    pub price_out: f64,
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings")
            .field("kind", &self.kind)
            .field("model", &self.model)
            .finish_non_exhaustive()
    }
}

impl Settings {
    /// None unless `AI_PROVIDER` names one; what is missing or malformed is named, and the key never quoted.
    pub fn of(env: &Env) -> anyhow::Result<Option<Settings>> {
        if !Settings::wanted(env) {
            return Ok(None);
        }
        Settings::with_key(env, SecretString::from(env.required("AI_API_KEY")?.trim().to_owned())).map(Some)
    }

    /// Whether the operator names a provider.
    pub fn wanted(env: &Env) -> bool {
        env.optional("AI_PROVIDER").is_some_and(|word| word.trim() != "none")
    }

    /// The same where the key comes from elsewhere.
    pub fn with_key(env: &Env, key: SecretString) -> anyhow::Result<Settings> {
        let word = env.required("AI_PROVIDER")?;
        let kind: Kind = word.trim().parse().map_err(|why| anyhow::anyhow!("AI_PROVIDER: {why}"))?;
        let base_url = match (env.optional("AI_BASE_URL"), kind.base_url()) {
            (Some(url), _) => url,
            (None, Some(url)) => url.to_owned(),
            (None, None) => bail!("AI_BASE_URL is not set; for bedrock it names the region's endpoint"),
        };
        let dollars = |name: &str| -> anyhow::Result<f64> {
            let value: f64 =
                env.required(name)?.trim().parse().with_context(|| format!("{name} is not a number"))?;
            if value.is_finite() && (0.0..=1e6).contains(&value) {
                Ok(value)
            } else {
                bail!("{name} is out of range")
            }
        };
        let seconds: u64 = env.parsed("AI_TIMEOUT_SECONDS", 20)?;
        if !(1..=30).contains(&seconds) {
            bail!("AI_TIMEOUT_SECONDS is {seconds}; it is from 1 to 30");
        }
        Ok(Settings {
            kind,
            model: env.required("AI_MODEL")?.trim().to_owned(),
            base_url: base_url.trim().to_owned(),
            key,
            timeout: Duration::from_secs(seconds),
            daily_budget: whole(dollars("AI_DAILY_BUDGET_DOLLARS")? * 1e6),
            price_in: dollars("AI_DOLLARS_PER_MILLION_TOKENS_IN")?,
            price_out: dollars("AI_DOLLARS_PER_MILLION_TOKENS_OUT")?,
        })
    }

    fn price(&self, tokens: Tokens) -> i64 {
        whole(self.price_in * tokens.input as f64 + self.price_out * tokens.output as f64)
    }

    /// The most a question can cost: a token is hardly shorter than two bytes.
    fn worst(&self, question: &Question<'_>) -> i64 {
        let bytes =
            question.page.len() + question.task.len() + question.schema.json().to_string().len() + 1_000;
        let input = i64::try_from(bytes / 2).unwrap_or(i64::MAX);
        self.price(Tokens { input, output: MAX_OUTPUT_TOKENS })
    }
}

/// Rounded up, within bounds.
fn whole(amount: f64) -> i64 {
    amount.ceil().clamp(0.0, 1e15) as i64
}

/// Why there is no record.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AiError {
    #[error("the day's budget for models is used up")]
    OverBudget,
    #[error("the model did not answer in time")]
    Timeout,
    #[error("the model cannot be reached: {0}")]
    Unreachable(&'static str),
    #[error("the provider asks to wait")]
    RateLimited,
    #[error("the provider answered {0}")]
    Refused(u16),
    #[error("the answer cannot be read: {0}")]
    Malformed(&'static str),
    #[error("the answer does not fit the schema: {0}")]
    Unfit(Violation),
}

impl AiError {
    pub fn code(&self) -> &'static str {
        match self {
            AiError::OverBudget => "ai_over_budget",
            AiError::Timeout => "ai_timeout",
            AiError::Unreachable(_) => "ai_unreachable",
            AiError::RateLimited => "ai_rate_limited",
            AiError::Refused(_) => "ai_refused",
            AiError::Malformed(_) => "ai_malformed",
            AiError::Unfit(_) => "ai_unfit",
        }
    }
}

/// A record that fits, and what it took.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    pub fields: Map<String, Value>,
    pub cached: bool,
    pub tokens: Tokens,
    /// Millionths of a dollar.
    pub micros: i64,
}

/// The provider of this program. By default there is none, and nothing is asked of anybody.
#[derive(Clone)]
pub enum Ai {
    None,
    Provider { settings: Settings, web: Egress, db: Pool, clock: Clock },
}

impl Ai {
    pub fn new(settings: Option<Settings>, web: Egress, db: Pool, clock: Clock) -> anyhow::Result<Ai> {
        let Some(settings) = settings else { return Ok(Ai::None) };
        let target = web
            .check(&settings.base_url)
            .map_err(|error| anyhow::anyhow!("AI_BASE_URL: {}", error.code()))?;
        if target.url().scheme() != "https" && !target.is_private() {
            bail!("AI_BASE_URL must be https: a key travels there");
        }
        Ok(Ai::Provider { settings, web, db, clock })
    }

    /// The same provider for somebody who has only so much time left.
    #[must_use]
    pub fn within(&self, left: Duration) -> Ai {
        let mut ai = self.clone();
        if let Ai::Provider { settings, .. } = &mut ai {
            settings.timeout = settings.timeout.min(left);
        }
        ai
    }

    /// Whose answers these are: another provider or model may say something else.
    pub fn name(&self) -> Option<String> {
        let Ai::Provider { settings, .. } = self else { return None };
        Some(format!("{}/{}", settings.kind.word(), settings.model))
    }

    /// Asks for a record. `None` when there is no provider; an error of ours is an `anyhow` one.
    pub async fn ask(
        &self,
        task_id: Option<TaskId>,
        question: &Question<'_>,
    ) -> anyhow::Result<Option<Result<Record, AiError>>> {
        let Ai::Provider { settings, web, db, clock } = self else { return Ok(None) };
        let hash = hash(settings, question);
        let conn = db.conn().await?;
        let mut call = store::Call {
            task_id,
            provider: settings.kind.word(),
            model: &settings.model,
            outcome: "cached",
            tokens_in: 0,
            tokens_out: 0,
            micros: 0,
        };
        if let Some(known) = store::find(&*conn, &hash).await?
            && let Ok(fields) = question.schema.check(&known)
        {
            store::note(&*conn, &call, clock.now()).await?;
            return Ok(Some(Ok(Record { fields, cached: true, tokens: Tokens::default(), micros: 0 })));
        }
        let day = clock.now().to_zoned(TimeZone::UTC).date();
        let worst = settings.worst(question);
        if !store::reserve(&*conn, day, worst, settings.daily_budget).await? {
            call.outcome = AiError::OverBudget.code();
            store::note(&*conn, &call, clock.now()).await?;
            return Ok(Some(Err(AiError::OverBudget)));
        }
        drop(conn); // nobody waits for a model with a connection in hand
        let (answer, tokens) = send(settings, web, question).await;
        let micros = match (&answer, tokens) {
            // whether it was counted nobody told us
            (Err(AiError::Timeout), None) => worst,
            (_, tokens) => settings.price(tokens.unwrap_or_default()),
        };
        let tokens = tokens.unwrap_or_default();
        let conn = db.conn().await?;
        store::correct(&*conn, day, micros.saturating_sub(worst)).await?;
        call.outcome = answer.as_ref().err().map_or("answered", AiError::code);
        (call.tokens_in, call.tokens_out, call.micros) = (tokens.input, tokens.output, micros);
        store::note(&*conn, &call, clock.now()).await?;
        let fields = match answer {
            Ok(fields) => fields,
            Err(error) => return Ok(Some(Err(error))),
        };
        let kept = store::Kept {
            question: &hash,
            provider: settings.kind.word(),
            model: &settings.model,
            answer: &Value::Object(fields.clone()),
            tokens_in: tokens.input,
            tokens_out: tokens.output,
        };
        store::keep(&*conn, &kept, clock.now()).await?;
        Ok(Some(Ok(Record { fields, cached: false, tokens, micros })))
    }

    /// Notes that somebody needed no call.
    async fn note(&self, task_id: Option<TaskId>, outcome: &str) -> anyhow::Result<()> {
        let Ai::Provider { settings, db, clock, .. } = self else { return Ok(()) };
        let call = store::Call {
            task_id,
            provider: settings.kind.word(),
            model: &settings.model,
            outcome,
            tokens_in: 0,
            tokens_out: 0,
            micros: 0,
        };
        store::note(&*db.conn().await?, &call, clock.now()).await
    }

    /// What the day has cost so far, in millionths of a dollar.
    pub async fn spent(&self, now: Timestamp) -> anyhow::Result<i64> {
        let Ai::Provider { db, .. } = self else { return Ok(0) };
        Ok(store::spent(&*db.conn().await?, now.to_zoned(TimeZone::UTC).date()).await?.0)
    }
}

/// One request and what came of it; tokens are known only where the provider answered.
async fn send(
    settings: &Settings,
    web: &Egress,
    question: &Question<'_>,
) -> (Result<Map<String, Value>, AiError>, Option<Tokens>) {
    let request = wire::request(settings, question);
    let fetched = tokio::time::timeout(settings.timeout, web.fetch(request, |_| Hop::Stop)).await;
    let fetched = match fetched {
        Err(_) | Ok(Err(EgressError::Timeout)) => return (Err(AiError::Timeout), None),
        Ok(Err(error)) => return (Err(AiError::Unreachable(error.code())), None),
        Ok(Ok(fetched)) => fetched,
    };
    match fetched.status {
        200 => {}
        429 | 529 => return (Err(AiError::RateLimited), None),
        status => return (Err(AiError::Refused(status)), None),
    }
    let reply = wire::reply(settings.kind, question.schema.name, &fetched.body);
    let fitted = reply.answer.and_then(|answer| question.schema.check(&answer).map_err(AiError::Unfit));
    (fitted, Some(reply.tokens))
}

/// The question by its content: provider, model, schema with its fields, task and page.
fn hash(settings: &Settings, question: &Question<'_>) -> String {
    let mut hash = Sha256::new();
    let version = question.schema.version.to_string();
    let fields = question.schema.json().to_string();
    let parts = [
        settings.kind.word(),
        &settings.model,
        question.schema.name,
        &version,
        &fields,
        question.task,
        question.page,
    ];
    for part in parts {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part.as_bytes());
    }
    hex::encode(hash.finalize())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn env(pairs: &[(&'static str, &str)]) -> Env {
        Env::of(pairs.iter().map(|(name, value)| (*name, (*value).to_owned())))
    }

    const WHOLE: &[(&str, &str)] = &[
        ("AI_PROVIDER", "anthropic"),
        ("AI_MODEL", "small-1"),
        ("AI_API_KEY", "key-of-nobody"),
        ("AI_DAILY_BUDGET_DOLLARS", "2.5"),
        ("AI_DOLLARS_PER_MILLION_TOKENS_IN", "1"),
        ("AI_DOLLARS_PER_MILLION_TOKENS_OUT", "5"),
    ];

    #[test]
    fn by_default_there_is_nobody() {
        assert!(Settings::of(&env(&[])).unwrap().is_none());
        assert!(Settings::of(&env(&[("AI_PROVIDER", "none")])).unwrap().is_none());
    }

    #[test]
    fn a_provider_is_set_whole_or_named_as_missing() {
        let settings = Settings::of(&env(WHOLE)).unwrap().unwrap();
        assert_eq!((settings.kind, settings.daily_budget), (Kind::Anthropic, 2_500_000));
        assert_eq!(settings.price(Tokens { input: 1_000, output: 100 }), 1_500);
        assert!(!format!("{settings:?}").contains("key-of-nobody"), "a key is never printed");
        for left_out in &WHOLE[1..] {
            let pairs: Vec<_> = WHOLE.iter().filter(|pair| pair.0 != left_out.0).copied().collect();
            let error = format!("{:#}", Settings::of(&env(&pairs)).unwrap_err());
            assert!(error.contains(left_out.0) && !error.contains("key-of-nobody"), "{error}");
        }
        let mut bad = WHOLE.to_vec();
        bad[0].1 = "oracle";
        assert!(Settings::of(&env(&bad)).unwrap_err().to_string().starts_with("AI_PROVIDER"));
        bad[0].1 = "bedrock";
        assert!(Settings::of(&env(&bad)).unwrap_err().to_string().starts_with("AI_BASE_URL"));
    }
}
