//! Hostile input by the hundred: bad command lines, and exports of runs that were tampered with. All are made from
//! fixed seeds, so that a failure can be repeated. dbdyno neither panics nor hangs, returns the right exit code, and
//! leaves nothing behind.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on has failed")]
#![allow(dead_code, reason = "the support was made for all stories")]

mod imports;
mod lines;
#[path = "../stories/support.rs"]
mod support;

use std::process::Command;
use std::time::{Duration, Instant};
use support::{Ending, Running};

/// Cases of each kind.
const CASES: u64 = 500;
/// A case takes milliseconds; one that takes this long hangs.
const HANG: Duration = Duration::from_secs(10);

/// Pseudo-random numbers that are the same each time.
struct Numbers(u64);

impl Numbers {
    /// The numbers of a case.
    fn of(case: u64) -> Self {
        Self(case.wrapping_mul(0x9E37_79B9_7F4A_7C15))
    }

    /// The next number.
    fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below a bound that is not 0.
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

/// Handles each case, in two threads.
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
