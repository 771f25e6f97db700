//! What tests of several rooms share: servers that they start, tests and specifications for engines, and the
//! conformance suite that every engine passes.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on has failed")]
#![allow(missing_docs, reason = "names of tests say what they are")]

pub mod conformance;
pub mod on_servers;
pub mod private;
pub mod servers;
