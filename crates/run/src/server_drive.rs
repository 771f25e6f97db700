//! The server drive: call a chunk of the procedure, again and again.

use crate::window::Stage;
use crate::{Chunk, LostWork, Window, WindowMode, WorkLog};
use dbdyno_engine::{EngineError, Failure, Reply, Request, Step, Work};
use dbdyno_model::{ErrorClass, Outcomes};

/// How the number of passes in a chunk is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Calibration {
    /// As many passes as take 50 to 200 ms, adjusted while warming up.
    Timed {
        /// Passes of the next chunk.
        passes: u64,
    },
    /// Always the same number (whole statements, loads).
    Fixed {
        /// Passes of every chunk.
        passes: u64,
    },
}

impl Calibration {
    /// Shortest chunk that is not adjusted.
    pub const SHORTEST_NS: u64 = 50_000_000;
    /// Longest chunk that is not adjusted.
    pub const LONGEST_NS: u64 = 200_000_000;
    const AIM_NS: u64 = 100_000_000;
    const MOST_PASSES: u64 = 1_000_000_000;
    /// The first chunks are too short for an estimate, so the number grows by steps.
    const MOST_GROWTH: u64 = 16;

    /// Passes of the next chunk.
    #[must_use]
    pub fn passes(self) -> u64 {
        match self {
            Self::Timed { passes } | Self::Fixed { passes } => passes,
        }
    }

    /// The calibration after a chunk that took this long.
    #[must_use]
    pub fn after(self, took_ns: u64) -> Self {
        match self {
            Self::Fixed { .. } => self,
            Self::Timed { .. } if (Self::SHORTEST_NS..=Self::LONGEST_NS).contains(&took_ns) => self,
            Self::Timed { passes } => {
                let aimed = u128::from(passes) * u128::from(Self::AIM_NS) / u128::from(took_ns.max(1));
                let most = u128::from((passes * Self::MOST_GROWTH).min(Self::MOST_PASSES));
                Self::Timed { passes: aimed.clamp(1, most) as u64 }
            }
        }
    }
}

/// One job of a point in the server drive: it calls chunks until the window is over, and logs them.
#[derive(Debug)]
pub struct ServerDrive<'w> {
    window: &'w Window,
    calibration: Calibration,
    next_pass: u64,
    chunks_inside: u32,
    least_done_ns: u64,
    stage: Stage,
    discards: bool,
    /// Time spent on removing what pieces had made, which is not part of the work.
    pub discarding_ns: u64,
    /// The chunks.
    pub log: WorkLog,
    /// The outcome of every operation.
    pub outcomes: Outcomes,
    /// The error that ended this job, if one did.
    pub error: Option<EngineError>,
}

impl<'w> ServerDrive<'w> {
    /// A job for a window.
    #[must_use]
    pub fn new(window: &'w Window, calibration: Calibration) -> Self {
        Self {
            window,
            calibration,
            next_pass: 0,
            chunks_inside: 0,
            least_done_ns: 0,
            stage: Stage::Waiting,
            discards: false,
            discarding_ns: 0,
            // Long enough for most points, so that nothing is allocated between chunks.
            log: WorkLog { chunks: Vec::with_capacity(512), checksum: 0, lost: LostWork::default() },
            outcomes: Outcomes::default(),
            error: None,
        }
    }

    fn take(&mut self, reply: Reply<'_>) {
        let Reply { started_ns, ended_ns, result, .. } = reply;
        match result {
            Ok(_) if self.discards => {
                self.discards = false;
                self.discarding_ns += ended_ns - started_ns;
            }
            Ok(done) => {
                self.log.chunks.push(Chunk { started_ns, ended_ns, ops: done.ops, rows: done.rows, bytes: done.bytes });
                self.log.checksum = self.log.checksum.wrapping_add(done.checksum);
                self.outcomes.succeed(done.ops);
                self.next_pass += self.calibration.passes();
                self.calibration = self.calibration.after(ended_ns - started_ns);
                self.window.chunk_ended(started_ns, ended_ns, done.ops);
                self.advance(started_ns, ended_ns);
            }
            Err(Failure { done, error }) => {
                self.outcomes.succeed(done.ops);
                self.outcomes.fail(error.class);
                self.error = Some(error);
                self.window.abort();
            }
        }
    }

    /// Tells the window how far this job is.
    fn advance(&mut self, started_ns: u64, ended_ns: u64) {
        if self.stage == Stage::Warming {
            self.window.warmed(ended_ns);
            self.stage = Stage::Working;
        }
        if self.stage == Stage::Passed {
            return;
        }
        match self.window.pace() {
            WindowMode::Pieces { duration_ns } => {
                let due = self.window.start_ns().is_some_and(|start_ns| ended_ns >= start_ns + duration_ns);
                if due {
                    self.window.pass(ended_ns);
                    self.stage = Stage::Passed;
                } else {
                    // The next piece begins in the same state as the first.
                    (self.discards, self.next_pass) = (true, 0);
                }
            }
            WindowMode::Steady { duration_ns, least_chunks, .. } => {
                let Some(start_ns) = self.window.start_ns() else { return };
                if started_ns >= start_ns {
                    self.chunks_inside += 1;
                }
                if self.chunks_inside == least_chunks && self.least_done_ns == 0 {
                    self.least_done_ns = ended_ns;
                }
                if self.chunks_inside >= least_chunks && ended_ns >= start_ns + duration_ns {
                    self.window.pass(self.least_done_ns);
                    self.stage = Stage::Passed;
                }
            }
        }
    }
}

impl Work for ServerDrive<'_> {
    fn next(&mut self, now_ns: u64, reply: Option<Reply<'_>>) -> Step<'_> {
        if self.stage == Stage::Waiting {
            self.window.arrive(now_ns);
            self.stage = Stage::Warming;
        }
        if let Some(reply) = reply {
            self.take(reply);
        }
        let pieces_done = self.window.pace().is_pieces() && self.stage == Stage::Passed;
        if pieces_done || self.window.over() {
            return Step::Done;
        }
        if self.discards {
            return Step::Execute(Request::Discard);
        }
        Step::Execute(Request::Chunk { first_pass: self.next_pass, passes: self.calibration.passes() })
    }

    fn abandon(&mut self) {
        self.window.abort();
    }
}

/// The first error that is a cause. The error of a job that was stopped because another failed is not.
#[must_use]
pub(crate) fn first_cause(errors: impl Iterator<Item = EngineError>) -> Option<EngineError> {
    let mut cancelled = None;
    for error in errors {
        if error.class != ErrorClass::Cancelled {
            return Some(error);
        }
        cancelled = Some(error);
    }
    cancelled
}
