//! Who may call: service keys and admin tokens. Secrets here have a type that does not print.

use anyhow::{Context, ensure};
use jiff::{SignedDuration, Timestamp};
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation, decode, encode};
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

const ISSUER: &str = "freshet";
const ADMIN: &str = "admin";
const LEEWAY_SECONDS: u64 = 30;
pub const MIN_SECRET: usize = 16;

/// The keys this house knows.
#[derive(Clone)]
pub struct Callers {
    /// Hashed, so that comparing takes the same time whatever the length.
    service_keys: Vec<[u8; 32]>,
    admin_signing_key: SecretString,
}

/// What an admin token says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AdminClaims {
    pub sub: String,
    pub role: String,
    pub iss: String,
    pub iat: i64,
    pub exp: i64,
}

impl Callers {
    pub fn new(service_keys: &[SecretString], admin_signing_key: SecretString) -> anyhow::Result<Callers> {
        ensure!(!service_keys.is_empty(), "there is no service key");
        for key in service_keys.iter().chain([&admin_signing_key]) {
            ensure!(key.expose_secret().len() >= MIN_SECRET, "a key needs at least {MIN_SECRET} characters");
        }
        let hash = |key: &SecretString| Sha256::digest(key.expose_secret().as_bytes()).into();
        Ok(Callers { service_keys: service_keys.iter().map(hash).collect(), admin_signing_key })
    }

    /// Which service key this is, if it is one of ours: a short name that may be logged and counted.
    pub fn service(&self, presented: &[u8]) -> Option<String> {
        let presented: [u8; 32] = Sha256::digest(presented).into();
        let mut found = None;
        // All of them are compared, whichever fits.
        for key in &self.service_keys {
            if bool::from(key.ct_eq(&presented)) {
                found = Some(hex::encode(&key[..4]));
            }
        }
        found
    }

    /// A token with the admin role.
    pub fn admin_token(&self, who: &str, lasts: SignedDuration, now: Timestamp) -> anyhow::Result<String> {
        let claims = AdminClaims {
            sub: who.to_owned(),
            role: ADMIN.to_owned(),
            iss: ISSUER.to_owned(),
            iat: now.as_second(),
            exp: (now + lasts).as_second(),
        };
        let key = EncodingKey::from_secret(self.admin_signing_key.expose_secret().as_bytes());
        encode(&Header::new(Algorithm::HS256), &claims, &key).context("signing an admin token")
    }

    /// The claims of a token that we signed, that is in date and has the admin role.
    pub fn admin(&self, token: &str, now: Timestamp) -> Option<AdminClaims> {
        let mut validation = Validation::new(Algorithm::HS256);
        validation.set_required_spec_claims(&["exp", "iss", "sub"]);
        validation.set_issuer(&[ISSUER]);
        // Time is ours to say.
        validation.validate_exp = false;
        let key = DecodingKey::from_secret(self.admin_signing_key.expose_secret().as_bytes());
        let claims = decode::<AdminClaims>(token, &key, &validation).ok()?.claims;
        let leeway = i64::try_from(LEEWAY_SECONDS).unwrap_or_default();
        let in_date = claims.exp + leeway > now.as_second() && claims.iat - leeway <= now.as_second();
        (in_date && claims.role == ADMIN).then_some(claims)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn callers() -> Callers {
        let keys = ["first-service-key".into(), "second-service-key".into()];
        Callers::new(&keys, "a-signing-key-for-tests".into()).unwrap()
    }

    fn now() -> Timestamp {
        Timestamp::from_second(1_800_000_000).unwrap()
    }

    #[test]
    fn only_our_service_keys_open() {
        let callers = callers();
        assert!(callers.service(b"first-service-key").is_some());
        assert_ne!(callers.service(b"first-service-key"), callers.service(b"second-service-key"));
        for wrong in ["", "first-service-ke", "first-service-key ", "FIRST-SERVICE-KEY"] {
            assert_eq!(callers.service(wrong.as_bytes()), None, "{wrong:?}");
        }
    }

    #[test]
    fn an_admin_token_opens_until_it_expires() {
        let callers = callers();
        let token = callers.admin_token("operator", SignedDuration::from_hours(1), now()).unwrap();
        assert_eq!(callers.admin(&token, now()).unwrap().sub, "operator");
        assert!(callers.admin(&token, now() + SignedDuration::from_mins(59)).is_some());
        assert!(callers.admin(&token, now() + SignedDuration::from_mins(61)).is_none());
        assert!(callers.admin(&token, now() - SignedDuration::from_mins(1)).is_none(), "not yet issued");
    }

    #[test]
    fn forged_and_lesser_tokens_do_not_open() {
        let callers = callers();
        let token = |role: &str, iss: &str, alg: Algorithm, key: &[u8]| {
            let claims = AdminClaims {
                sub: "x".into(),
                role: role.into(),
                iss: iss.into(),
                iat: now().as_second(),
                exp: now().as_second() + 60,
            };
            encode(&Header::new(alg), &claims, &EncodingKey::from_secret(key)).unwrap()
        };
        let key = b"a-signing-key-for-tests";
        assert!(callers.admin(&token("admin", "freshet", Algorithm::HS256, key), now()).is_some());
        assert!(callers.admin(&token("user", "freshet", Algorithm::HS256, key), now()).is_none());
        assert!(callers.admin(&token("admin", "else", Algorithm::HS256, key), now()).is_none());
        assert!(callers.admin(&token("admin", "freshet", Algorithm::HS384, key), now()).is_none());
        assert!(
            callers
                .admin(&token("admin", "freshet", Algorithm::HS256, b"another-key-another-key"), now())
                .is_none()
        );
        let unsigned = "eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0.eyJzdWIiOiJ4Iiwicm9sZSI6ImFkbWluIiwiaXNzIjoiZnJlc2hldCIsImlhdCI6MTgwMDAwMDAwMCwiZXhwIjoxODAwMDAwMDYwfQ.";
        assert!(callers.admin(unsigned, now()).is_none());
    }

    #[test]
    fn a_secret_does_not_print() {
        let secret: SecretString = "do-not-print-me-please".into();
        assert!(!format!("{secret:?}").contains("print-me"));
        let short = Callers::new(&["short".into()], "a-signing-key-for-tests".into());
        assert!(short.is_err_and(|error| !error.to_string().contains("\"short\"")));
    }
}
