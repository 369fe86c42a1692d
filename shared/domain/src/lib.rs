//! What Freshet decides. Pure: no async, no clock, no database, no AWS. Time and chance come in as
//! arguments. This is where the laws are tested.

// Tasks and sites: who works on what, and when a site may be asked.
pub mod circuit;
pub mod credential;
pub mod failure;
pub mod gate;
#[cfg(test)]
mod gate_laws;
pub mod hours;
pub mod ids;
pub mod job;
pub mod lineage;
pub mod policy;
pub mod policy_book;
pub mod policy_text;
pub mod proxy;
pub mod readiness;
pub mod render;
pub mod robots;
pub mod robots_access;
pub mod roles;
pub mod site;
pub mod target;
pub mod task;
pub mod wall;
pub mod webhook;

// Identity: who we say we are.
pub mod agent;
pub mod profile;
pub mod region;

// Listings: what seeing a page means, what a change is, and which of them are one job.
pub mod change;
pub mod cluster;
pub mod listing;

// Texts: what short pieces of text mean.
pub mod texts;

// Reading: from bytes to a posting, a company or a person.
pub mod apartment;
pub mod ask;
pub mod block;
pub mod boards;
pub mod charset;
pub mod company_website;
pub mod contact;
pub mod extract;
pub mod fingerprint;
pub mod identity;
pub mod imprint;
pub mod job_posting;
pub mod jobs_link;
pub mod json_ld;
pub mod linkedin_profile;
pub mod location;
pub mod media;
pub mod needs;
pub mod normal;
pub mod notice;
pub mod page;
pub mod phrase;
pub mod place;
pub mod plain_text;
pub mod posting;
pub mod reading;
pub mod salary;
pub mod schema;
pub mod self_portrait;
pub mod shape;
pub mod tag;
pub mod tree;
pub mod url;
pub mod visible;
