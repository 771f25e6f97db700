//! The window that rates are computed over. The jobs agree on it while they work.
//!
//! The window begins when the warm-up is over and every job has done at least one chunk. It ends when the duration has
//! passed and every job has done its least number of whole chunks inside it. A job that is ready keeps working until
//! the last one is, so that the load stays constant to the end.
//!
//! Work of a fixed volume (files, loads, index builds) comes in whole pieces from the barrier on. Each job begins
//! another piece until the duration has passed, and the window ends with the last job's last piece.
//!
//! Hosts that share a window are told when it begins. It begins at that moment, or later if a job here is not warm by
//! then; comparing the hosts' windows shows such a delay.
//!
//! A window may be held. Then the measurer lets it begin and end at moments that fit the measurement (the ends of
//! checkpoints), once the jobs are ready.

use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// A span of monotonic time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    /// First nanosecond.
    pub start_ns: u64,
    /// First nanosecond after it.
    pub end_ns: u64,
}

impl Span {
    /// Its length.
    #[must_use]
    pub fn length_ns(self) -> u64 {
        self.end_ns.saturating_sub(self.start_ns)
    }

    /// The same by another clock.
    #[must_use]
    pub fn shifted(self, by_ns: i64) -> Self {
        let shifted = |ns: u64| ns.saturating_add_signed(by_ns);
        Self { start_ns: shifted(self.start_ns), end_ns: shifted(self.end_ns) }
    }

    /// Its length in seconds.
    #[must_use]
    pub fn seconds(self) -> f64 {
        self.length_ns() as f64 / 1e9
    }
}

/// How a point's time is divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WindowMode {
    /// Warm up, then work for a duration.
    Steady {
        /// Warm-up, which does not count.
        warm_up_ns: u64,
        /// Planned length of the window.
        duration_ns: u64,
        /// Whole chunks that every job does inside the window at least.
        least_chunks: u32,
    },
    /// Every job does whole pieces, at least one, until the duration has passed. The window lasts from the barrier to
    /// the last job's end.
    Pieces {
        /// How long a job begins new pieces.
        duration_ns: u64,
    },
}

/// How far a job has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    Waiting,
    Warming,
    Working,
    Passed,
}

impl WindowMode {
    /// Whole chunks that a rate needs; also the "at least three statements" of one-statement tests.
    pub const LEAST_CHUNKS: u32 = 3;

    /// Warm-up of 1 s or 20 % of the duration, whichever is longer.
    #[must_use]
    pub fn steady(duration_s: f64) -> Self {
        let duration_ns = (duration_s * 1e9).round() as u64;
        Self::Steady { warm_up_ns: (duration_ns / 5).max(1_000_000_000), duration_ns, least_chunks: Self::LEAST_CHUNKS }
    }

    /// The same for the client drive. The window has exactly its planned length, so that when a transaction ends it is
    /// known whether it ended inside.
    #[must_use]
    pub fn of_client(duration_s: f64) -> Self {
        match Self::steady(duration_s) {
            Self::Steady { warm_up_ns, duration_ns, .. } => Self::Steady { warm_up_ns, duration_ns, least_chunks: 0 },
            pieces @ Self::Pieces { .. } => pieces,
        }
    }

    /// Whole pieces for this long.
    #[must_use]
    pub fn pieces(duration_s: f64) -> Self {
        Self::Pieces { duration_ns: (duration_s * 1e9).round() as u64 }
    }

    /// When the window begins if jobs begin at this moment.
    #[must_use]
    pub fn begins_ns(self, starts_ns: u64) -> u64 {
        match self {
            Self::Steady { warm_up_ns, .. } => starts_ns + warm_up_ns,
            Self::Pieces { .. } => starts_ns,
        }
    }

    /// When the window ends if jobs begin at this moment; none where pieces take as long as they need.
    #[must_use]
    pub fn ends_ns(self, starts_ns: u64) -> Option<u64> {
        (!self.is_pieces()).then(|| self.begins_ns(starts_ns) + self.duration_ns())
    }

    /// How long jobs begin new work within the window.
    #[must_use]
    pub fn duration_ns(self) -> u64 {
        match self {
            Self::Steady { duration_ns, .. } | Self::Pieces { duration_ns } => duration_ns,
        }
    }

    /// Whether the work comes in whole pieces.
    #[must_use]
    pub fn is_pieces(self) -> bool {
        matches!(self, Self::Pieces { .. })
    }
}

#[derive(Debug, Default)]
struct State {
    jobs: usize,
    arrived: usize,
    first_arrival_ns: Option<u64>,
    last_arrival_ns: u64,
    warm: usize,
    last_warm_ns: u64,
    passed: usize,
    last_pass_ns: u64,
    earliest_start_ns: Option<u64>,
    earliest_end_ns: Option<u64>,
    end_ns: Option<u64>,
    aborted: bool,
}

/// The window, shared by the jobs of a point and the measuring thread.
#[derive(Debug)]
pub struct Window {
    pace: WindowMode,
    held: bool,
    begins_ns: Option<u64>,
    state: Mutex<State>,
    changed: Condvar,
    // Jobs read these after each operation, so they are outside the lock; they change while it is held.
    start_ns: AtomicU64,
    over: AtomicBool,
    // The chunk that ended last, for readers that follow the jobs: when it ended, and how long it took.
    last_ended_ns: AtomicU64,
    last_took_ns: AtomicU64,
    chunks: Arc<ChunkTotals>,
}

/// What chunks have done so far.
#[derive(Debug, Default)]
struct ChunkTotals {
    chunks: AtomicU64,
    ops: AtomicU64,
    busy_ns: AtomicU64,
}

/// What chunks have done between two looks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct ChunksDone {
    /// Chunks.
    pub(crate) chunks: u64,
    /// Operations.
    pub(crate) ops: u64,
    /// The chunks' own time, all together.
    pub(crate) busy_ns: u64,
}

/// Looks at the chunks of a window's jobs again and again. It may outlive the window.
#[derive(Debug)]
pub(crate) struct ChunkFollower {
    totals: Arc<ChunkTotals>,
    seen: ChunksDone,
}

impl ChunkFollower {
    /// What the chunks did that have ended since the last look.
    pub(crate) fn since_last(&mut self) -> ChunksDone {
        let read = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let ChunkTotals { chunks, ops, busy_ns } = &*self.totals;
        let now = ChunksDone { chunks: read(chunks), ops: read(ops), busy_ns: read(busy_ns) };
        let seen = std::mem::replace(&mut self.seen, now);
        ChunksDone { chunks: now.chunks - seen.chunks, ops: now.ops - seen.ops, busy_ns: now.busy_ns - seen.busy_ns }
    }
}

impl Window {
    const UNKNOWN_NS: u64 = u64::MAX;

    /// A window for this number of jobs.
    #[must_use]
    pub fn new(pace: WindowMode, jobs: usize) -> Self {
        let state = Mutex::new(State { jobs, ..State::default() });
        let (start_ns, over) = (AtomicU64::new(Self::UNKNOWN_NS), AtomicBool::new(false));
        let (last_ended_ns, last_took_ns) = (AtomicU64::new(0), AtomicU64::new(0));
        let (held, begins_ns, changed) = (false, None, Condvar::new());
        let chunks = Arc::default();
        Self { pace, held, begins_ns, state, changed, start_ns, over, last_ended_ns, last_took_ns, chunks }
    }

    /// The same with a given beginning. Work in whole pieces ignores it, because its window begins with the first
    /// piece.
    #[must_use]
    pub fn beginning_at(self, begins_ns: u64) -> Self {
        Self { begins_ns: Some(begins_ns), ..self }
    }

    /// The same, held: the measurer lets it begin and end.
    #[must_use]
    pub fn held(self) -> Self {
        Self { held: true, ..self }
    }

    /// Whether the measurer lets it begin and end.
    #[must_use]
    pub fn is_held(&self) -> bool {
        self.held
    }

    /// The earliest beginning of a held window, once it is known.
    #[must_use]
    pub fn earliest_start_ns(&self) -> Option<u64> {
        self.state().earliest_start_ns
    }

    /// The earliest end of a held window, once it is known.
    #[must_use]
    pub fn earliest_end_ns(&self) -> Option<u64> {
        self.state().earliest_end_ns
    }

    /// Lets a held window begin now.
    pub fn begin(&self, now_ns: u64) {
        let state = self.state();
        if state.earliest_start_ns.is_some() && self.start_ns().is_none() {
            self.start_ns.store(now_ns, Ordering::Release);
            self.changed.notify_all();
        }
    }

    /// Lets a held window end now.
    pub fn end(&self, now_ns: u64) {
        let mut state = self.state();
        if state.earliest_end_ns.is_some() && state.end_ns.is_none() {
            state.end_ns = Some(now_ns);
            self.over.store(true, Ordering::Release);
            self.changed.notify_all();
        }
    }

    /// How time is divided.
    #[must_use]
    pub fn pace(&self) -> WindowMode {
        self.pace
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A job has passed the barrier. Returns when timetables begin: when the first job passed, or a warm-up before the
    /// window's given beginning.
    pub fn arrive(&self, now_ns: u64) -> u64 {
        let mut state = self.state();
        state.arrived += 1;
        state.last_arrival_ns = state.last_arrival_ns.max(now_ns);
        let first_ns = state.first_arrival_ns.map_or(now_ns, |first| first.min(now_ns));
        state.first_arrival_ns = Some(first_ns);
        if self.pace.is_pieces() && state.arrived == state.jobs {
            self.start_ns.store(first_ns, Ordering::Release);
            self.changed.notify_all();
        }
        match (self.pace, self.begins_ns) {
            (WindowMode::Steady { warm_up_ns, .. }, Some(begins_ns)) => begins_ns.saturating_sub(warm_up_ns),
            _ => first_ns,
        }
    }

    /// A job has done a chunk of so many operations.
    pub(crate) fn chunk_ended(&self, started_ns: u64, ended_ns: u64, ops: u64) {
        let took_ns = ended_ns.saturating_sub(started_ns);
        self.chunks.chunks.fetch_add(1, Ordering::Relaxed);
        self.chunks.ops.fetch_add(ops, Ordering::Relaxed);
        self.chunks.busy_ns.fetch_add(took_ns, Ordering::Relaxed);
        self.last_took_ns.store(took_ns, Ordering::Relaxed);
        self.last_ended_ns.store(ended_ns, Ordering::Relaxed);
    }

    /// What looks at the jobs' chunks.
    pub(crate) fn follow(&self) -> ChunkFollower {
        ChunkFollower { totals: Arc::clone(&self.chunks), seen: ChunksDone::default() }
    }

    /// When the last chunk ended, and how long it took; `None` before the first.
    pub(crate) fn last_chunk(&self) -> Option<(u64, u64)> {
        let ended_ns = self.last_ended_ns.load(Ordering::Relaxed);
        (ended_ns > 0).then(|| (ended_ns, self.last_took_ns.load(Ordering::Relaxed)))
    }

    /// A job has done its first chunk. With the last job's first chunk the window's start is known.
    pub fn warmed(&self, ended_ns: u64) {
        let WindowMode::Steady { warm_up_ns, .. } = self.pace else { return };
        let mut state = self.state();
        state.warm += 1;
        state.last_warm_ns = state.last_warm_ns.max(ended_ns);
        if state.warm == state.jobs {
            let begins_ns = self.begins_ns.unwrap_or(state.last_arrival_ns + warm_up_ns);
            let start_ns = state.last_warm_ns.max(begins_ns);
            state.earliest_start_ns = Some(start_ns);
            if self.held {
                return;
            }
            self.start_ns.store(start_ns, Ordering::Release);
            self.changed.notify_all();
        }
    }

    /// When the window begins, once that is known.
    #[must_use]
    pub fn start_ns(&self) -> Option<u64> {
        Some(self.start_ns.load(Ordering::Acquire)).filter(|ns| *ns != Self::UNKNOWN_NS)
    }

    /// A job has worked until the duration's end and done its least chunks; the last of them ended at `least_done_ns`.
    pub fn pass(&self, least_done_ns: u64) {
        let mut state = self.state();
        state.passed += 1;
        state.last_pass_ns = state.last_pass_ns.max(least_done_ns);
        if state.passed < state.jobs {
            return;
        }
        let end_ns = match (self.pace, self.start_ns()) {
            (WindowMode::Steady { duration_ns, .. }, Some(start_ns)) => {
                Some(state.last_pass_ns.max(start_ns + duration_ns))
            }
            (WindowMode::Pieces { .. }, Some(_)) => Some(state.last_pass_ns),
            (_, None) => None,
        };
        state.earliest_end_ns = end_ns;
        if !self.held {
            state.end_ns = end_ns;
        }
        self.over.store(state.aborted || state.end_ns.is_some(), Ordering::Release);
        self.changed.notify_all();
    }

    /// Something failed: all jobs stop after the current chunk.
    pub fn abort(&self) {
        self.state().aborted = true;
        self.over.store(true, Ordering::Release);
        self.changed.notify_all();
    }

    /// All jobs have ended: a window without an end will not get one.
    pub fn close(&self) {
        if !self.over() {
            self.abort();
        }
    }

    /// Whether to stop: the window has ended for every job, or was aborted.
    #[must_use]
    pub fn over(&self) -> bool {
        self.over.load(Ordering::Acquire)
    }

    /// The window, once it has ended.
    #[must_use]
    pub fn span(&self) -> Option<Span> {
        let state = self.state();
        Some(Span { start_ns: self.start_ns()?, end_ns: state.end_ns.filter(|_| !state.aborted)? })
    }

    /// When the first job passed the barrier.
    #[must_use]
    pub fn barrier_ns(&self) -> Option<u64> {
        self.state().first_arrival_ns
    }

    /// Waits until the start is known, the window is over, or the time is up.
    pub fn wait_for_start(&self, limit: Duration) -> Option<u64> {
        let state = self.state();
        let unknown = |s: &mut State| self.start_ns().is_none() && !s.aborted && s.end_ns.is_none();
        drop(self.changed.wait_timeout_while(state, limit, unknown));
        self.start_ns()
    }

    /// Waits until the window is over or the time is up.
    pub fn wait_for_end(&self, limit: Duration) -> bool {
        let state = self.state();
        let open = |s: &mut State| !s.aborted && s.end_ns.is_none();
        let (state, _) = self.changed.wait_timeout_while(state, limit, open).unwrap_or_else(PoisonError::into_inner);
        state.aborted || state.end_ns.is_some()
    }
}
