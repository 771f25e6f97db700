//! The threads that measure. They are prepared, released together, and abandoned if their device never answers.

use crate::backend::{BackendKind, BlockingQueue, NullQueue, UringQueue, clock_ns, now_ns};
use crate::io_loop::IoLoop;
use crate::shared_state::{PointSchedule, SharedState};
use rustix::time::ClockId;
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

/// Threads of the blocking backend are many and need little.
const STACK_BYTES: usize = 256 << 10;

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
    /// How threads ended.
    pub exits: Receiver<ThreadExit>,
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
            let mut queue = UringQueue::new(&mut ring, &shared.luns, &io_loop.arena, io_loop.outstanding())?;
            let notes = std::mem::take(&mut queue.notes);
            ready(notes).map_or(Ok(()), |schedule| io_loop.run(&schedule, &mut queue))
        }),
        BackendKind::Threads => Arc::new(|io_loop, ready, shared| {
            let mut queue = BlockingQueue { luns: shared.luns.clone(), pushed: vec![] };
            ready(vec![]).map_or(Ok(()), |schedule| io_loop.run(&schedule, &mut queue))
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
    let cpu_ns = || clock_ns(ClockId::ThreadCPUTime);
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
