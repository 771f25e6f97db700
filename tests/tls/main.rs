//! Who can read the traffic to a server, and who can pretend to be one: every `sslmode` with every kind of certificate,
//! channel binding, what a fake server is sent, and servers that fall silent.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "helpers of tests fail as tests do")]

mod binding;
mod lost;
mod matrix;
mod passwords;
#[path = "../stories/scratch.rs"]
mod scratch;
mod silence;
mod tap;

use dbdyno::ENGINES;
use dbdyno_engine::{Engine, EngineError, Target};
use dbdyno_testkit::conformance::catalogue;

/// A password that occurs nowhere else.
const PASSWORD: &str = "open-sesame-4711";

fn engine(target: &str) -> Box<dyn Engine> {
    ENGINES.open(&Target::parse(target).unwrap(), &catalogue::size_t()).unwrap()
}

/// Connects in every way: as loads and checks do, as a session of the server drive, and as one of the client drive.
fn connect(target: &str) -> [Result<(), EngineError>; 3] {
    let engine = engine(target);
    [engine.loaded().map(drop), engine.session(0, 1).map(drop), engine.client_session(0, 1).map(drop)]
}

/// The same, where each is refused.
fn refused(target: &str) -> [EngineError; 3] {
    connect(target).map(Result::unwrap_err)
}
