//! Whether a server that was started can be worked with: waiting until it can, and noticing that it never will, because
//! it has ended, stands still, or turns everybody away.

use super::{Place, Process, Product, Readiness, Watch};
use std::time::{Duration, Instant};

/// How long a server may take until it accepts connections: after a crash it first goes through its log.
const START: Duration = Duration::from_secs(600);
/// How long a server that is starting may stand still, as under a debugger, before that is an answer.
const STILL: Duration = Duration::from_secs(1);
const LOOK_EVERY: Duration = Duration::from_millis(30);
const NOTE_EVERY: Duration = Duration::from_secs(5);

/// What came of waiting for a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Waited {
    /// It can be worked with.
    Ready,
    /// It has ended.
    Ended,
    /// It was stopped by a signal and stands still.
    StandsStill,
    /// The watch has called it off. The server goes on.
    CalledOff,
    /// It runs and never will accept connections, and why.
    Never(String),
    /// It runs and does not accept connections yet, after a long time, and why.
    NotYet(String),
}

/// Waits until a server whose process was started can be worked with.
pub fn wait(product: &dyn Product, place: &Place, process: &Process, watch: &dyn Watch) -> Waited {
    let begun = Instant::now();
    let (mut noted, mut still) = (begun, None::<Instant>);
    loop {
        let readiness = product.readiness(place, process.pid);
        if readiness == Readiness::Ready {
            return Waited::Ready;
        }
        if !process.lives() {
            return Waited::Ended;
        }
        still = still.or_else(|| Some(Instant::now())).filter(|_| process.stands_still());
        if still.is_some_and(|since| since.elapsed() > STILL) {
            return Waited::StandsStill;
        }
        if watch.cancelled() {
            return Waited::CalledOff;
        }
        let why = match readiness {
            Readiness::Never(why) => return Waited::Never(why),
            Readiness::NotYet(why) => why,
            Readiness::Ready => String::new(),
        };
        if begun.elapsed() > START {
            return Waited::NotYet(why);
        }
        if noted.elapsed() >= NOTE_EVERY {
            watch.note(&format!("still starting after {} s: {why}", begun.elapsed().as_secs()));
            noted = Instant::now();
        }
        std::thread::sleep(LOOK_EVERY);
    }
}
