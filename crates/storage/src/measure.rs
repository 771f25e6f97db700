//! One point, from the first I/O to the last.

use crate::arrivals::Timetable;
use crate::backend::{BackendKind, now_ns};
use crate::claims::Claims;
use crate::crew::{Body, Course, Crew, Shared, body};
use crate::moments::Moments;
use crate::muster::muster;
use crate::record::Record;
use crate::{IoError, Load, Luns, Mismatch, ReadWrite, StorageError};
use rustix::time::{ClockId, clock_gettime};
use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::RecvTimeoutError;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// An edge of the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edge {
    /// From here on I/Os count.
    WindowBegins,
    /// From here on they do not.
    WindowEnds,
}

/// What one point has shown.
#[derive(Debug, Clone)]
pub struct Measured {
    /// How long the window was: shorter than asked for where the point was stopped or ended early.
    pub window_s: f64,
    /// Small I/Os inside the window: those that ended in it; in an open loop those that were due in it, also when they
    /// ended later.
    pub small: ReadWrite,
    /// Large ones.
    pub large: ReadWrite,
    /// All I/Os that succeeded, from the first to the last, warm-up and tail included.
    pub total: u64,
    /// Their bytes.
    pub total_bytes: u64,
    /// In an open loop: I/Os that were due inside the window. With as many done, the rate was reached; what is missing
    /// failed, or was not begun by the window's end.
    pub due: Option<u64>,
    /// In an open loop: what the storage did inside the window, whenever that was due.
    pub completed: Option<Completed>,
    /// When in the window it was, and on which devices and files.
    pub moments: Moments,
    /// Failed I/Os by class, warm-up and tail included.
    pub errors: BTreeMap<IoError, u64>,
    /// The first of them, with path and offset.
    pub first_error: Option<String>,
    /// Why the point ended before its time: nothing succeeded any more, or a queue broke.
    pub ended_early: Option<String>,
    /// Sectors that were read with a stamp, each as often as it was read.
    pub stamped: u64,
    /// Sectors that were read and proved nothing: never written with a stamp.
    pub unstamped: u64,
    /// Sectors that were proved wrong; the first hundred are told.
    pub mismatches: Vec<Mismatch>,
    /// How many there were.
    pub mismatched: u64,
    /// How I/O was done.
    pub backend: BackendKind,
    /// What must be known of how it was done.
    pub notes: Vec<String>,
    /// Whether the switch stopped it.
    pub stopped: bool,
    /// Processor time of this process inside the window.
    pub harness_cpu_s: Option<f64>,
    /// Threads that did it.
    pub threads: u32,
}

/// I/Os that ended inside the window of an open loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Completed {
    /// All of them.
    pub ios: u64,
    /// Those that were due in the window, too. The others had been waiting when it began.
    pub on_time: u64,
}

/// How often the measuring thread looks at what happens.
const LOOK_NS: u64 = 20_000_000;
/// So long nothing but errors: nothing can succeed any more.
const HOPELESS_NS: u64 = 1_000_000_000;
/// So long after the window's end the last answers are waited for, and after a stop.
const ANSWER_NS: u64 = 10_000_000_000;
const STOP_NS: u64 = 1_000_000_000;

/// Puts a load on devices and files, and measures what they do. Calls `on_edge` on this thread at the window's edges,
/// and ends early where `stop` is set.
///
/// # Errors
/// The load does not fit them, or the system has no threads or memory for it. What goes wrong with I/Os is in what was
/// measured.
pub fn measure(
    luns: &Luns,
    load: &Load,
    backend: BackendKind,
    stop: &AtomicBool,
    on_edge: &mut dyn FnMut(Edge),
) -> Result<Measured, StorageError> {
    measure_until(luns, load, backend, stop, on_edge, None)
}

/// The same, which also ends when so many bytes are done.
pub(crate) fn measure_until(
    luns: &Luns,
    load: &Load,
    backend: BackendKind,
    stop: &AtomicBool,
    on_edge: &mut dyn FnMut(Edge),
    goal_bytes: Option<u64>,
) -> Result<Measured, StorageError> {
    measure_by(&body(backend), luns, load, backend, stop, on_edge, goal_bytes)
}

/// The same, by threads that run what they are told.
fn measure_by(
    run: &Arc<Body>,
    luns: &Luns,
    load: &Load,
    backend: BackendKind,
    stop: &AtomicBool,
    on_edge: &mut dyn FnMut(Edge),
    goal_bytes: Option<u64>,
) -> Result<Measured, StorageError> {
    let shared = Arc::new(Shared::new(luns, load, run_number(load.seed))?);
    let (crew, backend, notes) = muster(&shared, backend, run, stop)?;
    let mut measured = course(&shared, &crew, stop, on_edge, backend, goal_bytes);
    measured.notes.splice(0..0, notes);
    Ok(measured)
}

/// A number that no other run has.
fn run_number(seed: u64) -> u64 {
    let now = clock_gettime(ClockId::Realtime);
    let mut mixer = dbdyno_stats::Mixer::new(seed ^ (now.tv_sec as u64) << 30 ^ now.tv_nsec as u64);
    mixer.draw()
}

/// The whole of it, with threads that are ready.
pub(crate) fn course(
    shared: &Arc<Shared>,
    crew: &Crew,
    stop: &AtomicBool,
    on_edge: &mut dyn FnMut(Edge),
    backend: BackendKind,
    goal_bytes: Option<u64>,
) -> Measured {
    let load = &shared.load;
    let from_ns = now_ns();
    let begin_ns = from_ns + (load.warm_up_s * 1e9) as u64;
    let end_ns = begin_ns + (load.duration_s * 1e9) as u64;
    let course = Arc::new(Course {
        begin_ns,
        end_ns: AtomicU64::new(end_ns),
        give_up_ns: AtomicU64::new(end_ns + ANSWER_NS),
        timetables: Timetable::of(load, from_ns, (begin_ns, end_ns)),
    });
    crew.go(&course);
    let mut watch =
        Watch { shared, course: &course, crew, left: crew.threads(), stopped: false, ended_early: None, goal_bytes };
    let mut cpu_s = None;
    let begun = watch.wait_until(begin_ns, stop);
    if begun {
        let before_s = process_cpu_s();
        on_edge(Edge::WindowBegins);
        watch.wait_until(end_ns, stop);
        cpu_s = Some(process_cpu_s() - before_s);
        on_edge(Edge::WindowEnds);
    }
    watch.wait_for_the_last(stop);
    let Watch { left, stopped, ended_early, .. } = watch;
    let ended_ns = course.end_ns.load(Relaxed);
    let mut record = taken(&shared.records).unwrap_or_else(|| Record::new(load.rate.is_some(), Moments::default()));
    if left > 0 {
        record.errors(now_ns(), IoError::Timeout, left.into(), || "no answer from the storage".to_owned());
    }
    let due = course.timetables.as_ref().map(|tables| tables.iter().flatten().map(|t| t.due_in_window(ended_ns)).sum());
    let mut notes = crew.notes.clone();
    notes.extend(proof_note(&record).filter(|_| load.verify));
    notes.extend(shared.claims.as_ref().and_then(Claims::note));
    let [small, large] = record.kinds(load);
    Measured {
        window_s: ended_ns.saturating_sub(begin_ns) as f64 / 1e9,
        moments: record.moments,
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
        threads: crew.threads(),
    }
}

/// All records as one; what late threads still write goes nowhere.
fn taken(records: &[Mutex<Record>]) -> Option<Record> {
    let each = records.iter().map(|record| record.lock().unwrap_or_else(PoisonError::into_inner).take());
    each.reduce(|mut all, record| {
        all.merge(record);
        all
    })
}

/// How much of what was read could be proved.
fn proof_note(record: &Record) -> Option<String> {
    let (stamped, unstamped) = (record.proofs.stamped, record.proofs.unstamped);
    (unstamped > 0).then(|| {
        format!("{unstamped} of {} sectors read were never written with a stamp and prove nothing", stamped + unstamped)
    })
}

fn process_cpu_s() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// The measuring thread's eyes.
struct Watch<'a> {
    shared: &'a Shared,
    course: &'a Course,
    crew: &'a Crew,
    /// Threads that have not ended.
    left: u32,
    stopped: bool,
    ended_early: Option<String>,
    goal_bytes: Option<u64>,
}

impl Watch<'_> {
    /// Waits for a moment; says whether it came before the end.
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

    /// Waits for a thread to end, for a while.
    fn hear(&mut self, wait_ns: u64) {
        let heard = self.crew.farewell(Duration::from_nanos(wait_ns));
        let now = now_ns();
        match heard {
            Ok(farewell) => {
                self.left -= 1;
                match farewell.failed {
                    Some(error) => self.end(now, describe(&error)),
                    // A thread may have seen the end a moment before this one does.
                    None if now >= self.course.end_ns.load(Relaxed) => {}
                    None => self.end(now, "a thread ended before its time".to_owned()),
                }
            }
            // None is there any more that could say farewell.
            Err(RecvTimeoutError::Disconnected) if self.left > 0 => {
                self.end(now, format!("{} threads broke off, which is a fault of dbdyno's own", self.left));
                self.left = 0;
            }
            Err(_) => {}
        }
    }

    fn stop(&mut self, now: u64) {
        self.stopped = true;
        self.course.end_ns.fetch_min(now, Relaxed);
        self.course.give_up_ns.fetch_min(now + STOP_NS, Relaxed);
    }

    fn end(&mut self, now: u64, why: String) {
        self.ended_early.get_or_insert(why);
        self.course.end_ns.fetch_min(now, Relaxed);
        self.course.give_up_ns.fetch_min(now + STOP_NS, Relaxed);
    }

    /// Waits until the last thread has ended, or is past hope.
    fn wait_for_the_last(&mut self, stop: &AtomicBool) {
        while self.left > 0 {
            let now = now_ns();
            if stop.load(Relaxed) && !self.stopped {
                self.stop(now);
            }
            // Those that are not deaf give up by themselves, and count what they had under way.
            if now >= self.course.give_up_ns.load(Relaxed) + STOP_NS / 2 {
                return;
            }
            self.hear(LOOK_NS);
        }
    }
}

fn describe(error: &io::Error) -> String {
    format!("the I/O could not go on: {error}")
}

#[cfg(test)]
#[path = "measure_tests.rs"]
mod tests;
