//! What the pure parts are worth, measured on files of titles that somebody else wrote.

pub mod roles;
