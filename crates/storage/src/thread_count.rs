//! How many threads a load needs: one, unless one thread is nearly always busy and more threads do more. This is tried
//! before the point, because it depends on the storage as much as on the processor.

use crate::StorageError;
use crate::arrivals::Timetable;
use crate::backend::{BackendKind, now_ns};
use crate::io_threads::{IoThreads, ThreadBody, body};
use crate::shared_state::{PointSchedule, SharedState};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// Length of a trial.
const TRIAL_NS: u64 = 100_000_000;
/// A thread that is busy for more than this share of its time may limit the rate.
const BUSY: f64 = 0.8;
/// Twice as many threads must do this factor more.
const WORTH: f64 = 1.05;
/// A trial that gets no answer for this long is left to the point itself.
const PATIENCE: Duration = Duration::from_secs(2);

/// The threads for a load, ready: of the backend asked for, or of the one that is always allowed, with a note.
pub(crate) fn ready_threads(
    shared: &Arc<SharedState>,
    backend: BackendKind,
    run: &Arc<ThreadBody>,
    stop: &AtomicBool,
) -> Result<(IoThreads, BackendKind), StorageError> {
    let refused = |source| StorageError::System { what: "threads for the I/O cannot be made", source };
    let one_each = shared.load.outstanding();
    let made = match backend {
        BackendKind::Threads => IoThreads::new(shared, one_each, run),
        BackendKind::Null => IoThreads::new(shared, 1, run),
        BackendKind::Uring => needed(shared, run, stop).and_then(|threads| IoThreads::new(shared, threads, run)),
    };
    match made {
        Err(error) if backend == BackendKind::Uring => {
            let note = format!("io_uring is not to be had ({error}): threads with pread and pwrite instead");
            let mut io_threads = IoThreads::new(shared, one_each, &body(BackendKind::Threads)).map_err(refused)?;
            io_threads.notes.insert(0, note);
            Ok((io_threads, BackendKind::Threads))
        }
        made => made.map(|io_threads| (io_threads, backend)).map_err(refused),
    }
}

/// The number of threads with the highest rate, and no more threads than that needs.
fn needed(shared: &Arc<SharedState>, run: &Arc<ThreadBody>, stop: &AtomicBool) -> io::Result<u32> {
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

/// The rate of this number of threads, in I/Os a second, and how busy they are. `None` where it cannot be measured.
fn trial(shared: &Arc<SharedState>, threads: u32, run: &Arc<ThreadBody>) -> io::Result<Option<(f64, f64)>> {
    let io_threads = IoThreads::new(shared, threads, run)?;
    let (before, from_ns) = (shared.counts(), now_ns());
    let end_ns = from_ns + TRIAL_NS;
    io_threads.go(&Arc::new(PointSchedule {
        begin_ns: u64::MAX,
        end_ns: AtomicU64::new(end_ns),
        give_up_ns: AtomicU64::new(end_ns + PATIENCE.as_nanos() as u64),
        timetables: Timetable::of(&shared.load, from_ns, (u64::MAX, u64::MAX)),
    }));
    let mut busiest: f64 = 0.0;
    for _ in 0..threads {
        match io_threads.exits.recv_timeout(PATIENCE * 2) {
            Ok(exit) if exit.failed.is_none() => busiest = busiest.max(exit.busy),
            _ => return Ok(None),
        }
    }
    let after = shared.counts();
    let ios = after.0.iter().sum::<u64>() - before.0.iter().sum::<u64>();
    let sound = after.1 == before.1 && ios > 0;
    Ok(sound.then(|| (ios as f64 / (now_ns() - from_ns) as f64 * 1e9, busiest)))
}
