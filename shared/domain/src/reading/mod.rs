//! How a job posting is found on a page: one method after another, the most certain first. Each says where a field came
//! from; none of them knows a site.

pub mod items;
pub mod layout;
pub mod literal;
pub mod meta;
pub mod method;
pub mod quick;
pub mod state;
pub mod stated;
