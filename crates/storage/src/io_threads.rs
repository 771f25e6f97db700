//! The threads that measure. They are prepared, released together, and abandoned if their device never answers.

use crate::arrivals::Timetable;
use crate::backend::{BackendKind, BlockingQueue, NullQueue, UringQueue, now_ns};
use crate::breakdown::Breakdown;
use crate::claims::Claims;
use crate::io_generator::IoTargets;
use crate::io_loop::IoLoop;
use crate::last_writes::LastWrites;
use crate::record::IoRecord;
use crate::{IoLoad, Luns};
use rustix::time::{ClockId, clock_gettime};
use std::io;
use std::sync::atomic::AtomicU64;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// All threads share this number of records.
const RECORDS: u32 = 16;
/// Threads of the blocking backend are many and need little.
const STACK_BYTES: usize = 256 << 10;

/// What all threads of a point share.
#[derive(Debug)]
pub(crate) struct SharedState {
    pub luns: Luns,
    pub load: IoLoad,
    pub places: IoTargets,
    pub records: Vec<Mutex<IoRecord>>,
    /// Pieces under way and last writes, where reads are verified while other blocks are written.
    pub claims: Option<Claims>,
    /// The run number in this run's stamps.
    pub run: u64,
    /// Number of stamped writes begun.
    pub writes: AtomicU64,
}

impl SharedState {
    pub(crate) fn new(luns: &Luns, load: &IoLoad, run: u64) -> Result<Self, crate::StorageError> {
        load.check(luns)?;
        if load.writes() && !load.verify {
            luns.unstamp()?;
        }
        let records = load.outstanding().min(RECORDS);
        let breakdown = || Breakdown::new(load, luns.iter().count());
        Ok(Self {
            luns: luns.clone(),
            load: load.clone(),
            places: IoTargets::new(luns, load)?,
            records: (0..records).map(|_| Mutex::new(IoRecord::new(load.rate.is_some(), breakdown()))).collect(),
            claims: (load.verify && load.writes())
                .then(|| Claims::new(LastWrites::new(luns.iter().map(|lun| lun.size_bytes), load))),
            run,
            writes: AtomicU64::new(0),
        })
    }

    /// I/Os that succeeded, by kind, and the number of all that failed.
    pub(crate) fn counts(&self) -> ([u64; 4], u64) {
        let mut counts = ([0; 4], 0);
        for record in &self.records {
            let record = record.lock().unwrap_or_else(PoisonError::into_inner);
            counts.0.iter_mut().zip(record.all).for_each(|(n, more)| *n += more);
            counts.1 += record.errors.values().sum::<u64>();
        }
        counts
    }

    /// The bytes of these numbers of I/Os of each kind.
    pub(crate) fn bytes(&self, ios: [u64; 4]) -> u64 {
        let [small_reads, small_writes, large_reads, large_writes] = ios;
        (small_reads + small_writes) * self.load.small_bytes + (large_reads + large_writes) * self.load.large_bytes
    }

    pub(crate) fn record(&self, thread: u32) -> &Mutex<IoRecord> {
        &self.records[thread as usize % self.records.len()]
    }
}

/// The moments of a point.
#[derive(Debug)]
pub(crate) struct PointSchedule {
    /// When the window begins.
    pub begin_ns: u64,
    /// When the window ends, and no further I/O begins; moved forward by a stop.
    pub end_ns: AtomicU64,
    /// When missing answers are given up.
    pub give_up_ns: AtomicU64,
    /// In an open loop: the timetables of small and of large I/Os.
    pub timetables: Option<[Option<Timetable>; 2]>,
}

/// How a thread ended.
#[derive(Debug)]
pub(crate) struct ThreadExit {
    /// The share of its time in which it was busy.
    pub busy: f64,
    /// The error that ended it, if any.
    pub failed: Option<io::Error>,
}

/// Threads that are ready to measure.
pub(crate) struct IoThreads {
    go: Vec<Sender<Arc<PointSchedule>>>,
    exits: Receiver<ThreadExit>,
    /// Notes on how they work.
    pub notes: Vec<String>,
}

/// What a thread runs; tests may run others.
pub(crate) type ThreadBody = dyn Fn(&mut IoLoop<'_>, &mut dyn FnMut(Vec<String>) -> Option<Arc<PointSchedule>>, &SharedState) -> io::Result<()>
    + Send
    + Sync;

/// What threads of a backend run: make a queue, report that it is ready, then run the I/O loop.
pub(crate) fn body(kind: BackendKind) -> Arc<ThreadBody> {
    match kind {
        BackendKind::Uring => Arc::new(|io_loop, ready, shared| {
            let mut ring = UringQueue::ring(io_loop.most_pieces())?;
            let mut queue = UringQueue::new(&mut ring, &shared.luns, io_loop.arena(), io_loop.outstanding())?;
            let notes = queue.notes();
            ready(notes).map_or(Ok(()), |schedule| io_loop.run(&schedule, &mut queue))
        }),
        BackendKind::Threads => Arc::new(|io_loop, ready, shared| {
            ready(vec![])
                .map_or(Ok(()), |schedule| io_loop.run(&schedule, &mut BlockingQueue::new(shared.luns.clone())))
        }),
        BackendKind::Null => Arc::new(|io_loop, ready, _| {
            ready(vec![]).map_or(Ok(()), |schedule| io_loop.run(&schedule, &mut NullQueue::default()))
        }),
    }
}

impl IoThreads {
    /// Prepares this number of threads.
    pub(crate) fn new(shared: &Arc<SharedState>, threads: u32, body: &Arc<ThreadBody>) -> io::Result<Self> {
        let (ready, readiness) = channel::<io::Result<Vec<String>>>();
        let (exit, exits) = channel();
        let mut go = Vec::new();
        for thread in 0..threads {
            let (sender, receiver) = channel::<Arc<PointSchedule>>();
            go.push(sender);
            let (shared, body, ready, exit) = (Arc::clone(shared), Arc::clone(body), ready.clone(), exit.clone());
            std::thread::Builder::new().name(format!("io-{thread}")).stack_size(STACK_BYTES).spawn(move || {
                let said = one(&shared, thread, threads, &*body, &ready, &receiver);
                let _ = exit.send(said);
            })?;
        }
        drop(ready);
        let mut notes: Vec<String> = Vec::new();
        for _ in 0..threads {
            let said =
                readiness.recv().unwrap_or_else(|_| Err(io::Error::other("a thread ended before it was ready")))?;
            notes.extend(said.into_iter().filter(|note| !notes.contains(note)).collect::<Vec<_>>());
        }
        Ok(Self { go, exits, notes })
    }

    /// Releases the threads.
    pub(crate) fn go(&self, schedule: &Arc<PointSchedule>) {
        self.go.iter().for_each(|go| _ = go.send(Arc::clone(schedule)));
    }

    /// How many threads there are.
    pub(crate) fn threads(&self) -> u32 {
        self.go.len() as u32
    }

    /// Waits a while for a thread to end; `Err` where none did.
    pub(crate) fn wait_for_exit(&self, wait: Duration) -> Result<ThreadExit, RecvTimeoutError> {
        self.exits.recv_timeout(wait)
    }
}

/// The whole life of one thread.
fn one(
    shared: &SharedState,
    thread: u32,
    threads: u32,
    body: &ThreadBody,
    ready: &Sender<io::Result<Vec<String>>>,
    go: &Receiver<Arc<PointSchedule>>,
) -> ThreadExit {
    // I/Os must begin when they are due, not when the kernel finds it convenient.
    let _ = rustix::thread::set_current_timer_slack(std::num::NonZeroU64::new(1));
    let mut began = None;
    let mut say_ready = |notes: Vec<String>| {
        let _ = ready.send(Ok(notes));
        let schedule = go.recv().ok();
        began = Some((now_ns(), cpu_ns()));
        schedule
    };
    let ran = IoLoop::new(shared, thread, threads).and_then(|mut io_loop| body(&mut io_loop, &mut say_ready, shared));
    let busy = began.map_or(0.0, |(at_ns, worked_ns)| (cpu_ns() - worked_ns) as f64 / (now_ns() - at_ns).max(1) as f64);
    match (ran, began) {
        (Err(error), None) => {
            let _ = ready.send(Err(error));
            ThreadExit { busy, failed: None }
        }
        (ran, _) => ThreadExit { busy, failed: ran.err() },
    }
}

/// Processor time of this thread.
fn cpu_ns() -> u64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}
