//! One point, from the first I/O to the last.

use crate::arrivals::Timetable;
use crate::backend::{BackendKind, clock_ns, now_ns};
use crate::breakdown::Breakdown;
use crate::claims::Claims;
use crate::io_threads::{IoThreads, ThreadBody, body};
use crate::record::IoRecord;
use crate::shared_state::{PointSchedule, SharedState};
use crate::thread_count::ready_threads;
use crate::verify::run_number;
use crate::{IoError, IoLoad, Luns, Mismatch, ReadWrite, StorageError};
use rustix::time::ClockId;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::RecvTimeoutError;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// An edge of the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WindowEdge {
    /// From here on I/Os count.
    WindowBegins,
    /// From here on they do not.
    WindowEnds,
}

/// The measurement of one point.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct StorageMeasurement {
    /// When the I/O threads were let go, in nanoseconds of the system's monotonic clock.
    pub began_ns: u64,
    /// When the window began and ended, by the same clock. It ends earlier than planned where the point did.
    pub window_ns: (u64, u64),
    /// Length of the window: shorter than asked for where the point was stopped or ended early.
    pub window_s: f64,
    /// Small I/Os inside the window: those that ended in it. In an open loop: those that were due in it, even if they
    /// ended later.
    pub small: ReadWrite,
    /// Large I/Os inside the window.
    pub large: ReadWrite,
    /// All I/Os that succeeded, from the first to the last, warm-up and tail included.
    pub total: u64,
    /// Their bytes.
    pub total_bytes: u64,
    /// In an open loop: I/Os that were due inside the window. If as many were done, the rate was reached; the missing
    /// ones failed, or had not begun by the window's end.
    pub due: Option<u64>,
    /// In an open loop: what the storage completed inside the window, whenever it was due.
    pub completed: Option<Completed>,
    /// The window's I/Os over time, and by device or file.
    pub breakdown: Breakdown,
    /// Failed I/Os by class, warm-up and tail included.
    pub errors: BTreeMap<IoError, u64>,
    /// The first of them, with path and offset.
    pub first_error: Option<String>,
    /// Why the point ended early: nothing succeeded any more, or a queue failed.
    pub ended_early: Option<String>,
    /// Sectors with a stamp that were read. A sector counts each time.
    pub stamped: u64,
    /// Sectors without a stamp that were read; they prove nothing.
    pub unstamped: u64,
    /// Sectors with wrong content; the first hundred of them.
    pub mismatches: Vec<Mismatch>,
    /// The number of sectors with wrong content.
    pub mismatched: u64,
    /// The backend.
    pub backend: BackendKind,
    /// Notes on how the I/O was done.
    pub notes: Vec<String>,
    /// Whether the user stopped it.
    pub stopped: bool,
    /// Processor time of this process inside the window.
    pub harness_cpu_s: Option<f64>,
    /// Threads that submitted the I/O.
    pub threads: u32,
}

/// I/Os that ended inside the window of an open loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Completed {
    /// All of them.
    pub ios: u64,
    /// Those that were also due in the window. The others had been waiting when it began.
    pub on_time: u64,
}

/// How often the measuring thread looks at the records.
const LOOK_NS: u64 = 20_000_000;
/// After errors alone for this long, the point ends.
const HOPELESS_NS: u64 = 1_000_000_000;
/// How long the last answers are waited for after the window's end, and after a stop.
const ANSWER_NS: u64 = 10_000_000_000;
const STOP_NS: u64 = 1_000_000_000;

/// Runs a load on devices and files, and measures them. Calls `on_edge` on this thread at the window's edges, and ends
/// early when `stop` is set.
///
/// # Errors
/// The load does not fit, or the system has no threads or memory for it. Failed I/Os are in the measurement, not here.
pub fn measure(
    luns: &Luns,
    load: &IoLoad,
    backend: BackendKind,
    stop: &AtomicBool,
    on_edge: &mut dyn FnMut(WindowEdge),
) -> Result<StorageMeasurement, StorageError> {
    Ok(PreparedLoad::new(luns, load, backend, stop)?.run(now_ns(), stop, on_edge))
}

/// A load whose threads are ready. Dropped, they end without an I/O.
pub struct PreparedLoad {
    shared: Arc<SharedState>,
    io_threads: IoThreads,
    backend: BackendKind,
}

impl PreparedLoad {
    /// Makes threads ready for a load on devices and files.
    ///
    /// # Errors
    /// As for [`measure`].
    pub fn new(luns: &Luns, load: &IoLoad, backend: BackendKind, stop: &AtomicBool) -> Result<Self, StorageError> {
        Self::with(&body(backend), luns, load, backend, stop)
    }

    /// The same with threads that run `run`.
    fn with(
        run: &Arc<ThreadBody>,
        luns: &Luns,
        load: &IoLoad,
        backend: BackendKind,
        stop: &AtomicBool,
    ) -> Result<Self, StorageError> {
        let shared = Arc::new(SharedState::new(luns, load, run_number(load.seed))?);
        let (io_threads, backend) = ready_threads(&shared, backend, run, stop)?;
        Ok(Self { shared, io_threads, backend })
    }

    /// Runs it from a moment of the system's monotonic clock on, and measures it, as [`measure`] does. Where the moment
    /// has passed, the window stays where it was to be.
    pub fn run(self, from_ns: u64, stop: &AtomicBool, on_edge: &mut dyn FnMut(WindowEdge)) -> StorageMeasurement {
        run_schedule(&self.shared, &self.io_threads, (from_ns, stop), on_edge, self.backend, None)
    }
}

/// Measures with threads that run `run`; ends also after a number of bytes, if one is given.
pub(crate) fn measure_by(
    run: &Arc<ThreadBody>,
    luns: &Luns,
    load: &IoLoad,
    backend: BackendKind,
    stop: &AtomicBool,
    on_edge: &mut dyn FnMut(WindowEdge),
    goal_bytes: Option<u64>,
) -> Result<StorageMeasurement, StorageError> {
    let PreparedLoad { shared, io_threads, backend } = PreparedLoad::with(run, luns, load, backend, stop)?;
    Ok(run_schedule(&shared, &io_threads, (now_ns(), stop), on_edge, backend, goal_bytes))
}

/// Runs a point from a moment on, with threads that are ready.
pub(crate) fn run_schedule(
    shared: &Arc<SharedState>,
    io_threads: &IoThreads,
    (from_ns, stop): (u64, &AtomicBool),
    on_edge: &mut dyn FnMut(WindowEdge),
    backend: BackendKind,
    goal_bytes: Option<u64>,
) -> StorageMeasurement {
    let load = &shared.load;
    let begin_ns = from_ns + (load.warm_up_s * 1e9) as u64;
    let end_ns = begin_ns + (load.duration_s * 1e9) as u64;
    let schedule = Arc::new(PointSchedule {
        begin_ns,
        end_ns: AtomicU64::new(end_ns),
        give_up_ns: AtomicU64::new(end_ns + ANSWER_NS),
        timetables: Timetable::of(load, from_ns, (begin_ns, end_ns)),
    });
    std::thread::sleep(Duration::from_nanos(from_ns.saturating_sub(now_ns())));
    io_threads.go(&schedule);
    let began_ns = now_ns();
    let mut watch = PointWatch {
        shared,
        schedule: &schedule,
        io_threads,
        left: io_threads.threads(),
        stopped: false,
        ended_early: None,
        goal_bytes,
    };
    let mut cpu_s = None;
    let begun = watch.wait_until(begin_ns, stop);
    if begun {
        let before_ns = clock_ns(ClockId::ProcessCPUTime);
        on_edge(WindowEdge::WindowBegins);
        watch.wait_until(end_ns, stop);
        cpu_s = Some((clock_ns(ClockId::ProcessCPUTime) - before_ns) as f64 / 1e9);
        on_edge(WindowEdge::WindowEnds);
    }
    watch.wait_for_the_last(stop);
    let PointWatch { left, stopped, ended_early, .. } = watch;
    let ended_ns = schedule.end_ns.load(Relaxed);
    let mut record = taken(&shared.records).unwrap_or_else(|| IoRecord::new(load.rate.is_some(), Breakdown::default()));
    if left > 0 {
        record.errors(now_ns(), IoError::Timeout, left.into(), || "no answer from the storage".to_owned());
    }
    let due =
        schedule.timetables.as_ref().map(|tables| tables.iter().flatten().map(|t| t.due_in_window(ended_ns)).sum());
    let mut notes = io_threads.notes.clone();
    notes.extend(proof_note(&record).filter(|_| load.verify));
    notes.extend(shared.claims.as_ref().and_then(Claims::note));
    let [small, large] = record.kinds(load);
    StorageMeasurement {
        began_ns,
        window_ns: (begin_ns, ended_ns.max(begin_ns)),
        window_s: ended_ns.saturating_sub(begin_ns) as f64 / 1e9,
        breakdown: record.breakdown,
        completed: load.rate.is_some().then_some(Completed { ios: record.completed.0, on_time: record.completed.1 }),
        small,
        large,
        total: record.all.iter().sum(),
        total_bytes: shared.bytes(record.all),
        due,
        first_error: record.first_error.map(|(_, text)| text),
        errors: record.errors,
        ended_early,
        stamped: record.proofs.stamped,
        unstamped: record.proofs.unstamped,
        mismatched: record.proofs.wrong,
        mismatches: record.mismatches,
        backend,
        notes,
        stopped,
        harness_cpu_s: cpu_s,
        threads: io_threads.threads(),
    }
}

/// All records combined; what late threads still record is dropped.
fn taken(records: &[Mutex<IoRecord>]) -> Option<IoRecord> {
    let each = records.iter().map(|record| record.lock().unwrap_or_else(PoisonError::into_inner).take());
    each.reduce(|mut all, record| {
        all.merge(record);
        all
    })
}

/// A note on how much of what was read could be verified.
fn proof_note(record: &IoRecord) -> Option<String> {
    let (stamped, unstamped) = (record.proofs.stamped, record.proofs.unstamped);
    (unstamped > 0).then(|| {
        format!("{unstamped} of {} sectors read were never written with a stamp and prove nothing", stamped + unstamped)
    })
}

/// What the measuring thread watches.
struct PointWatch<'a> {
    shared: &'a SharedState,
    schedule: &'a PointSchedule,
    io_threads: &'a IoThreads,
    /// Threads that have not ended.
    left: u32,
    stopped: bool,
    ended_early: Option<String>,
    goal_bytes: Option<u64>,
}

impl PointWatch<'_> {
    /// Waits for a moment; returns whether it came before the end.
    fn wait_until(&mut self, until_ns: u64, stop: &AtomicBool) -> bool {
        let (mut succeeded, mut failed, mut since_ns) = (0, 0, now_ns());
        loop {
            let now = now_ns();
            if self.stopped || self.ended_early.is_some() {
                return false;
            }
            if now >= until_ns {
                return true;
            }
            if stop.load(Relaxed) {
                self.stop(now);
                return false;
            }
            let (all, errors) = self.shared.counts();
            let ios = all.iter().sum();
            if ios > succeeded {
                (succeeded, failed, since_ns) = (ios, errors, now);
            } else if errors > failed && now >= since_ns + HOPELESS_NS {
                self.end(now, "no I/O has succeeded for a second, and some have failed".to_owned());
            }
            if self.goal_bytes.is_some_and(|goal| self.shared.bytes(all) >= goal) {
                self.stop(now);
                return false;
            }
            self.hear((until_ns - now).min(LOOK_NS));
        }
    }

    /// Waits a while for a thread to end.
    fn hear(&mut self, wait_ns: u64) {
        let heard = self.io_threads.exits.recv_timeout(Duration::from_nanos(wait_ns));
        let now = now_ns();
        match heard {
            Ok(exit) => {
                self.left -= 1;
                match exit.failed {
                    Some(error) => self.end(now, format!("the I/O could not go on: {error}")),
                    // A thread may notice the end a moment before this one does.
                    None if now >= self.schedule.end_ns.load(Relaxed) => {}
                    None => self.end(now, "a thread ended before its time".to_owned()),
                }
            }
            // No thread is left that could report its end.
            Err(RecvTimeoutError::Disconnected) if self.left > 0 => {
                self.end(now, format!("{} threads broke off, which is a fault of dbdyno's own", self.left));
                self.left = 0;
            }
            Err(_) => {}
        }
    }

    fn stop(&mut self, now: u64) {
        self.stopped = true;
        self.schedule.end_ns.fetch_min(now, Relaxed);
        self.schedule.give_up_ns.fetch_min(now + STOP_NS, Relaxed);
    }

    fn end(&mut self, now: u64, why: String) {
        self.ended_early.get_or_insert(why);
        self.schedule.end_ns.fetch_min(now, Relaxed);
        self.schedule.give_up_ns.fetch_min(now + STOP_NS, Relaxed);
    }

    /// Waits until the last thread has ended, or must be given up.
    fn wait_for_the_last(&mut self, stop: &AtomicBool) {
        while self.left > 0 {
            let now = now_ns();
            if stop.load(Relaxed) && !self.stopped {
                self.stop(now);
            }
            // Threads that still respond give up by themselves, and count what they had under way.
            if now >= self.schedule.give_up_ns.load(Relaxed) + STOP_NS / 2 {
                return;
            }
            self.hear(LOOK_NS);
        }
    }
}

#[cfg(test)]
#[path = "measure_tests.rs"]
mod tests;
