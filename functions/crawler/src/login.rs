//! The caller's own login, for sites whose policy asks for it. A page fetched with one belongs to its
//! workspace alone.

use jiff::SignedDuration;
use secrecy::{ExposeSecret, SecretString};
use shared::credentials::CredentialError;
use shared::domain::credential::may_carry;
use shared::domain::policy::Policy;
use shared::egress::{EgressError, Fetched, Request};
use shared::room::Verdict;
use shared::store::tasks::Plan;

use crate::{Crawler, settle};

/// How long a task waits for a backend that does not answer.
const WAIT: SignedDuration = SignedDuration::from_secs(60);

/// A header to wear, or none. Not `Debug`: it is a secret.
#[derive(Default)]
pub struct Login(Option<Worn>);

struct Worn {
    name: String,
    value: SecretString,
    workspace: String,
    provider: String,
}

/// Finds the login that the policy asks for, and marks the page as its workspace's own. A task without a
/// workspace sees what everybody sees.
pub async fn find(room: &Crawler, plan: &mut Plan, policy: &Policy) -> Result<Login, CredentialError> {
    let (Some(using), Some(workspace)) = (&policy.credential, plan.workspace_id.clone()) else {
        return Ok(Login::default());
    };
    let fetched = plan.pipeline_state["fetch_url"].as_str().unwrap_or(&plan.url);
    // A URL that may not be fetched is refused later, with its reason.
    let private_host = room.web.check(fetched).is_ok_and(|target| target.is_private());
    if !may_carry(&plan.url, fetched, &plan.site, private_host) {
        return Ok(Login::default());
    }
    let credential = room.credentials.of(&workspace, &using.provider).await?;
    let (name, value) = credential.header(using)?;
    plan.keep_private(&workspace);
    Ok(Login(Some(Worn { name, value, workspace, provider: using.provider.clone() })))
}

/// No login: the task fails with that cause, or waits when only the backend is away and nobody waits for it.
pub async fn missing(room: &Crawler, plan: &Plan, error: &CredentialError) -> anyhow::Result<Verdict> {
    tracing::warn!(code = error.code(), "no credential for this site");
    let until = error.may_pass().then(|| room.clock.now() + WAIT);
    settle::cannot_go(room, plan, error.code(), &error.to_string(), until).await
}

impl Login {
    pub fn is_worn(&self) -> bool {
        self.0.is_some()
    }

    pub fn worn_by(&self, request: Request) -> Request {
        match &self.0 {
            Some(worn) => request.header(&worn.name, worn.value.expose_secret()),
            None => request,
        }
    }

    /// A site that does not take it gets a fresh one next time.
    pub fn heard(&self, room: &Crawler, fetched: &Result<Fetched, EgressError>) {
        if let (Some(worn), Ok(Fetched { status: 401 | 403, .. })) = (&self.0, fetched) {
            room.credentials.invalidate(&worn.workspace, &worn.provider);
        }
    }
}
