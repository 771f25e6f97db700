//! Windows: too short, drifting, clocks that jump, writes that lie ahead.

use crate::alone;
use crate::support::{Room, flag_note, flagged, number, points};
use rustix::process::Signal;
use serde_json::Value;
use std::time::{Duration, Instant};

/// The window of a point in the drift's provocation; its warm-up is a second.
const WINDOW: Duration = Duration::from_secs(8);

/// A point of pure computing. In the second half of its window dbdyno is stopped for so long of every 40 ms.
fn computing(stopped: Duration) -> Value {
    let room = Room::new();
    let seconds = WINDOW.as_secs();
    let mut run = room.start(&format!("run T111 --jobs 1 --size T --duration {seconds}s --target sqlite:x.sqlite"));
    run.until("measuring");
    let begun = Instant::now();
    while !run.ended() {
        let rest = Duration::from_millis(40).saturating_sub(stopped);
        if begun.elapsed() > Duration::from_secs(1) + WINDOW / 2 && !stopped.is_zero() {
            run.signal(Signal::STOP);
            std::thread::sleep(stopped);
            run.signal(Signal::CONT);
        }
        std::thread::sleep(rest);
    }
    run.end().expect(0);
    points(&room.show("last"))[0].clone()
}

/// What a processor that gets slower does to a window.
#[test]
fn a_rate_that_falls_within_the_window_is_not_steady() {
    let _machine = alone();
    // Neighbours may hide it once, or be a drift themselves, so each has some plays.
    let falls = (0..5).map(|_| computing(Duration::from_millis(36)));
    let fallen = falls.into_iter().find(|point| flagged(point, "not_steady")).expect("a drift is not noticed");
    assert!(flag_note(&fallen, "not_steady").starts_with("the rate fell by"), "{fallen:#}");
    assert!(number(&fallen, "/window_s") >= 8.0);
    let steady = (0..5).map(|_| computing(Duration::ZERO)).any(|point| !flagged(&point, "not_steady"));
    assert!(steady, "a steady rate is always flagged");
}
