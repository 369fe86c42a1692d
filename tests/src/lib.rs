//! What the tests of the whole house stand on.

pub mod deploy;
pub mod hostile;
pub mod packages;
pub mod runtime_api;
pub mod template;
