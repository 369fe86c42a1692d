//! The extractor with a model beside it, against providers on loopback and a real Postgres.
#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise, also in its helpers")]

mod second;
