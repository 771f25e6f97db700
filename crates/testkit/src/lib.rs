//! What the tests of several rooms share: the conformance suite that every engine passes (`conformance`), the tests
//! that every server engine passes on real servers (`on_servers`) and as a private instance (`private`), and the
//! servers that tests start (`servers`).
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on has failed")]
#![allow(missing_docs, reason = "names of tests say what they are")]

pub mod conformance;
pub mod on_servers;
pub mod private;
pub mod servers;
