//! How many threads a load needs: one, unless one is at work nearly all the time and more of them do more. Tried before
//! the point, because it depends on the storage as much as on the processor.

use crate::StorageError;
use crate::arrivals::Timetable;
use crate::backend::{BackendKind, now_ns};
use crate::crew::{Body, Course, Crew, Shared, body};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// A trial takes so long.
const TRIAL_NS: u64 = 100_000_000;
/// A thread that is at work for more than this share of its time may be what limits the rate.
const BUSY: f64 = 0.8;
/// Twice as many threads must do so much more.
const WORTH: f64 = 1.05;
/// What a trial has no answer to for so long is left to the point itself.
const PATIENCE: Duration = Duration::from_secs(2);

/// The threads for a load, ready: of the backend asked for, or of the one that is always allowed, with a note.
pub(crate) fn muster(
    shared: &Arc<Shared>,
    backend: BackendKind,
    run: &Arc<Body>,
    stop: &AtomicBool,
) -> Result<(Crew, BackendKind, Vec<String>), StorageError> {
    let refused = |source| StorageError::System { what: "threads for the I/O cannot be made", source };
    let one_each = shared.load.outstanding();
    let made = match backend {
        BackendKind::Threads => Crew::new(shared, one_each, run),
        BackendKind::Null => Crew::new(shared, 1, run),
        BackendKind::Uring => needed(shared, run, stop).and_then(|threads| Crew::new(shared, threads, run)),
    };
    match made {
        Err(error) if backend == BackendKind::Uring => {
            let note = format!("io_uring is not to be had ({error}): threads with pread and pwrite instead");
            let crew = Crew::new(shared, one_each, &body(BackendKind::Threads)).map_err(refused)?;
            Ok((crew, BackendKind::Threads, vec![note]))
        }
        made => made.map(|crew| (crew, backend, vec![])).map_err(refused),
    }
}

/// How many threads do the most, and no more of them than that takes.
fn needed(shared: &Arc<Shared>, run: &Arc<Body>, stop: &AtomicBool) -> io::Result<u32> {
    let processors = std::thread::available_parallelism().map_or(1, |n| n.get() as u32);
    let most = processors.min(shared.load.outstanding());
    let (mut best, mut best_rate, mut threads) = (1, 0.0, 1);
    while threads <= most && most > 1 && !stop.load(Relaxed) {
        let Some((rate, busy)) = trial(shared, threads, run)? else { break };
        if rate < WORTH * best_rate {
            break;
        }
        (best, best_rate) = (threads, rate);
        if busy < BUSY || threads == most {
            break;
        }
        threads = (2 * threads).min(most);
    }
    Ok(best)
}

/// What so many threads do in a moment: I/Os a second, and how busy they are. `None` where nothing can be told.
fn trial(shared: &Arc<Shared>, threads: u32, run: &Arc<Body>) -> io::Result<Option<(f64, f64)>> {
    let crew = Crew::new(shared, threads, run)?;
    let (before, from_ns) = (shared.counts(), now_ns());
    let end_ns = from_ns + TRIAL_NS;
    crew.go(&Arc::new(Course {
        begin_ns: u64::MAX,
        end_ns: AtomicU64::new(end_ns),
        give_up_ns: AtomicU64::new(end_ns + PATIENCE.as_nanos() as u64),
        timetables: Timetable::of(&shared.load, from_ns, (u64::MAX, u64::MAX)),
    }));
    let mut busiest: f64 = 0.0;
    for _ in 0..threads {
        match crew.farewell(PATIENCE * 2) {
            Ok(farewell) if farewell.failed.is_none() => busiest = busiest.max(farewell.busy),
            _ => return Ok(None),
        }
    }
    let after = shared.counts();
    let ios = after.0.iter().sum::<u64>() - before.0.iter().sum::<u64>();
    let sound = after.1 == before.1 && ios > 0;
    Ok(sound.then(|| (ios as f64 / (now_ns() - from_ns) as f64 * 1e9, busiest)))
}
