//! Hostile input by the hundred: command lines that are bad, and exports of runs that somebody has tampered with. All
//! are made from fixed seeds, so that what fails once fails again. dbdyno neither panics nor hangs, ends with the code
//! that says so, and leaves nothing behind.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on has failed")]
#![allow(dead_code, reason = "the support was made for all stories")]

mod imports;
mod lines;
#[path = "../stories/support.rs"]
mod support;

use std::process::Command;
use std::time::{Duration, Instant};
use support::{Ending, Running};

/// Of each kind.
const CASES: u64 = 500;
/// Each takes milliseconds: what takes so long hangs.
const HANG: Duration = Duration::from_secs(10);

/// Numbers that are the same each time.
struct Numbers(u64);

impl Numbers {
    /// Those of a case.
    fn of(case: u64) -> Self {
        Self(case.wrapping_mul(0x9E37_79B9_7F4A_7C15))
    }

    /// The next one.
    fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// One below a bound, which is not 0.
    fn below(&mut self, bound: usize) -> usize {
        (self.draw() % bound as u64) as usize
    }

    fn one_of<T: Clone>(&mut self, things: &[T]) -> T {
        things[self.below(things.len())].clone()
    }

    fn letters(&mut self, most: usize) -> String {
        (0..=self.below(most)).map(|_| char::from(b'a' + self.below(26) as u8)).collect()
    }
}

/// Does something with each case, in two threads.
fn with_each_case(handle: impl Fn(&mut dyn Iterator<Item = u64>) + Sync) {
    std::thread::scope(|scope| {
        for first in 0..2 {
            let handle = &handle;
            scope.spawn(move || handle(&mut (first..CASES).step_by(2)));
        }
    });
}

/// Runs dbdyno to its end, which must come by itself and in time.
#[track_caller]
fn end_of(command: Command, case: &str) -> Ending {
    let begun = Instant::now();
    let ending = Running::start(command).end();
    assert!(begun.elapsed() < HANG, "{case}: it hung");
    assert!(ending.code.is_some() && !ending.stderr.contains("panicked"), "{case}: {ending:?}");
    ending
}
