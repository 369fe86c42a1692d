//! What the tests of the whole house stand on.

pub mod deploy;
pub mod template;
