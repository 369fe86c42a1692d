//! `local` from outside: the private Postgres cluster and the demo site.
#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise, also in its helpers")]

mod it {
    mod cluster;
    mod demo;
}
