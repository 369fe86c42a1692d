//! What Freshet decides. Pure: no async, no clock, no database, no AWS. Time and chance come in as
//! arguments. This is where the laws are tested.

// Tasks and sites: who works on what, and when a site may be asked.
pub mod circuit;
pub mod gate;
pub mod ids;
pub mod lineage;
pub mod policy;
pub mod site;
pub mod task;

// Listings: what seeing a page means.
pub mod listing;

// Reading: from bytes to a posting.
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
