//! The `freshet` program: every room in one process.

pub mod cluster;
pub mod demo;
