//! Decides. Pure: no async, no clock, no database, no AWS; time comes in as an argument.

pub mod block;
pub mod charset;
pub mod extract;
pub mod fingerprint;
pub mod identity;
pub mod json_ld;
pub mod location;
pub mod notice;
pub mod page;
pub mod phrase;
pub mod plain_text;
pub mod posting;
pub mod salary;
pub mod shape;
pub mod tag;
pub mod tree;
pub mod url;
