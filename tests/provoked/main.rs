//! Provocations: for each flag a real condition that must raise it, and a control that must not. What is provoked and
//! what is raised stands in `docs/trust.md`.
//!
//! A program of its own, because what one of these tests does to the machine must not meet another program's figures:
//! those in modules called `alone` are run while nothing else is at work. Each takes seconds; what takes longer bears
//! `#[ignore]` with its reason, and is what `make provoke` runs.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on has failed")]
#![allow(dead_code, unreachable_pub, reason = "servers and support were made for all stories")]

mod clients;
mod commits;
mod machine;
mod reads;
#[path = "../stories/scratch.rs"]
mod scratch;
#[path = "../stories/support.rs"]
mod support;
mod tables;
mod windows;

use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

static MACHINE: RwLock<()> = RwLock::new(());

/// The machine for one provocation at a time: what one does must not be seen by another. Such a test stands in a module
/// `alone`, by which `make tests` knows that nothing else may be at work meanwhile.
pub(crate) fn alone() -> RwLockWriteGuard<'static, ()> {
    let thread = std::thread::current();
    let test = thread.name().unwrap_or_default();
    // With one thread for all tests, that is not called after a test.
    assert!(test == "main" || test.contains("::alone::"), "{test} is not in a module `alone`");
    MACHINE.write().unwrap_or_else(PoisonError::into_inner)
}

/// The machine for those that others do not change, side by side.
pub(crate) fn in_company() -> RwLockReadGuard<'static, ()> {
    MACHINE.read().unwrap_or_else(PoisonError::into_inner)
}
