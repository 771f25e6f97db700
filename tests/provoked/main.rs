//! Provocations: for each flag a real condition that must raise it, and a control that must not. `docs/trust.md` lists
//! them.
//!
//! A program of its own, because what a test does to the machine must not disturb another program's figures. Tests in
//! modules called `alone` run while nothing else runs. Each test takes seconds; longer ones have `#[ignore]` with a
//! reason, and `make provoke` runs them.
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

/// The machine for one provocation at a time. Such a test is in a module `alone`, by which `make tests` knows that
/// nothing else may run meanwhile.
pub(crate) fn alone() -> RwLockWriteGuard<'static, ()> {
    let thread = std::thread::current();
    let test = thread.name().unwrap_or_default();
    // With one thread for all tests, the thread does not have the test's name.
    assert!(test == "main" || test.contains("::alone::"), "{test} is not in a module `alone`");
    MACHINE.write().unwrap_or_else(PoisonError::into_inner)
}

/// The machine for tests that do not disturb each other, side by side.
pub(crate) fn in_company() -> RwLockReadGuard<'static, ()> {
    MACHINE.read().unwrap_or_else(PoisonError::into_inner)
}
