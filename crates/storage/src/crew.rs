//! The threads that measure: made ready, let go together, and left behind where their device never answers.

use crate::arrivals::Timetable;
use crate::backend::{BackendKind, Calls, Null, Uring, now_ns};
use crate::claims::Claims;
use crate::moments::Moments;
use crate::record::Record;
use crate::turns::Turns;
use crate::work::Places;
use crate::written::Written;
use crate::{Load, Luns};
use rustix::time::{ClockId, clock_gettime};
use std::io;
use std::sync::atomic::AtomicU64;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Threads have one of so many records.
const RECORDS: u32 = 16;
/// Threads of the slow backend are many and need little.
const STACK_BYTES: usize = 256 << 10;

/// What all threads of a point know.
#[derive(Debug)]
pub(crate) struct Shared {
    pub luns: Luns,
    pub load: Load,
    pub places: Places,
    pub records: Vec<Mutex<Record>>,
    /// What is under way and what was written, while what is read is proved and other blocks are written.
    pub claims: Option<Claims>,
    /// What this run's stamps carry.
    pub run: u64,
    /// Writes begun that prove themselves.
    pub writes: AtomicU64,
}

impl Shared {
    pub(crate) fn new(luns: &Luns, load: &Load, run: u64) -> Result<Self, crate::StorageError> {
        load.check(luns)?;
        if load.writes() && !load.verify {
            luns.unstamp()?;
        }
        let records = load.outstanding().min(RECORDS);
        let moments = || Moments::new(load, luns.iter().count());
        Ok(Self {
            luns: luns.clone(),
            load: load.clone(),
            places: Places::new(luns, load)?,
            records: (0..records).map(|_| Mutex::new(Record::new(load.rate.is_some(), moments()))).collect(),
            claims: (load.verify && load.writes())
                .then(|| Claims::new(Written::new(luns.iter().map(|lun| lun.size_bytes), load))),
            run,
            writes: AtomicU64::new(0),
        })
    }

    /// I/Os that succeeded, by kind, and all that failed.
    pub(crate) fn counts(&self) -> ([u64; 4], u64) {
        let mut counts = ([0; 4], 0);
        for record in &self.records {
            let record = record.lock().unwrap_or_else(PoisonError::into_inner);
            counts.0.iter_mut().zip(record.all).for_each(|(n, more)| *n += more);
            counts.1 += record.errors.values().sum::<u64>();
        }
        counts
    }

    /// The bytes of so many I/Os of each kind.
    pub(crate) fn bytes(&self, ios: [u64; 4]) -> u64 {
        let [small_reads, small_writes, large_reads, large_writes] = ios;
        (small_reads + small_writes) * self.load.small_bytes + (large_reads + large_writes) * self.load.large_bytes
    }

    pub(crate) fn record(&self, thread: u32) -> &Mutex<Record> {
        &self.records[thread as usize % self.records.len()]
    }
}

/// From when to when.
#[derive(Debug)]
pub(crate) struct Course {
    /// When the window begins.
    pub begin_ns: u64,
    /// When it ends, and no more I/O is begun: brought forward by whoever stops the course.
    pub end_ns: AtomicU64,
    /// When what has no answer is given up.
    pub give_up_ns: AtomicU64,
    /// In an open loop: when small and large I/Os are due.
    pub timetables: Option<[Option<Timetable>; 2]>,
}

/// What a thread says at its end.
#[derive(Debug)]
pub(crate) struct Farewell {
    /// The share of its time in which it was at work.
    pub busy: f64,
    /// Why it could not go on.
    pub failed: Option<io::Error>,
}

/// Threads that are ready.
pub(crate) struct Crew {
    go: Vec<Sender<Arc<Course>>>,
    farewells: Receiver<Farewell>,
    /// What is to be told of how they work.
    pub notes: Vec<String>,
}

/// What a thread runs. A test may have others.
pub(crate) type Body =
    dyn Fn(&mut Turns<'_>, &mut dyn FnMut(Vec<String>) -> Option<Arc<Course>>, &Shared) -> io::Result<()> + Send + Sync;

/// What threads of a backend run: a queue is made, which says that it is ready, and then its turns are taken.
pub(crate) fn body(kind: BackendKind) -> Arc<Body> {
    match kind {
        BackendKind::Uring => Arc::new(|turns, ready, shared| {
            let mut ring = Uring::ring(turns.most_pieces())?;
            let mut queue = Uring::new(&mut ring, &shared.luns, turns.arena(), turns.outstanding())?;
            let notes = queue.notes();
            ready(notes).map_or(Ok(()), |course| turns.run(&course, &mut queue))
        }),
        BackendKind::Threads => Arc::new(|turns, ready, shared| {
            ready(vec![]).map_or(Ok(()), |course| turns.run(&course, &mut Calls::new(shared.luns.clone())))
        }),
        BackendKind::Null => {
            Arc::new(|turns, ready, _| ready(vec![]).map_or(Ok(()), |course| turns.run(&course, &mut Null::default())))
        }
    }
}

impl Crew {
    /// Makes so many threads ready.
    pub(crate) fn new(shared: &Arc<Shared>, threads: u32, body: &Arc<Body>) -> io::Result<Self> {
        let (ready, readiness) = channel::<io::Result<Vec<String>>>();
        let (farewell, farewells) = channel();
        let mut go = Vec::new();
        for thread in 0..threads {
            let (sender, receiver) = channel::<Arc<Course>>();
            go.push(sender);
            let (shared, body, ready, farewell) =
                (Arc::clone(shared), Arc::clone(body), ready.clone(), farewell.clone());
            std::thread::Builder::new().name(format!("io-{thread}")).stack_size(STACK_BYTES).spawn(move || {
                let said = one(&shared, thread, threads, &*body, &ready, &receiver);
                let _ = farewell.send(said);
            })?;
        }
        drop(ready);
        let mut notes: Vec<String> = Vec::new();
        for _ in 0..threads {
            let said =
                readiness.recv().unwrap_or_else(|_| Err(io::Error::other("a thread ended before it was ready")))?;
            notes.extend(said.into_iter().filter(|note| !notes.contains(note)).collect::<Vec<_>>());
        }
        Ok(Self { go, farewells, notes })
    }

    /// Lets them go.
    pub(crate) fn go(&self, course: &Arc<Course>) {
        self.go.iter().for_each(|go| _ = go.send(Arc::clone(course)));
    }

    /// How many there are.
    pub(crate) fn threads(&self) -> u32 {
        self.go.len() as u32
    }

    /// Waits for one to end, for a while; `Err` where none did.
    pub(crate) fn farewell(&self, wait: Duration) -> Result<Farewell, RecvTimeoutError> {
        self.farewells.recv_timeout(wait)
    }
}

/// The life of one thread.
fn one(
    shared: &Shared,
    thread: u32,
    threads: u32,
    body: &Body,
    ready: &Sender<io::Result<Vec<String>>>,
    go: &Receiver<Arc<Course>>,
) -> Farewell {
    // What is due is begun when it is due, not when the kernel would find it convenient.
    let _ = rustix::thread::set_current_timer_slack(std::num::NonZeroU64::new(1));
    let mut began = None;
    let mut say_ready = |notes: Vec<String>| {
        let _ = ready.send(Ok(notes));
        let course = go.recv().ok();
        began = Some((now_ns(), cpu_ns()));
        course
    };
    let ran = Turns::new(shared, thread, threads).and_then(|mut turns| body(&mut turns, &mut say_ready, shared));
    let busy = began.map_or(0.0, |(at_ns, worked_ns)| (cpu_ns() - worked_ns) as f64 / (now_ns() - at_ns).max(1) as f64);
    match (ran, began) {
        (Err(error), None) => {
            let _ = ready.send(Err(error));
            Farewell { busy, failed: None }
        }
        (ran, _) => Farewell { busy, failed: ran.err() },
    }
}

/// Processor time of this thread.
fn cpu_ns() -> u64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}
