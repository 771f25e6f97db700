//! Windows that begin and end with checkpoints. What is dirtied within such a window is also written within it, apart
//! from what is dirtied during the last checkpoint, which is about what the checkpoint before left.

use crate::{RunContext, Window};
use dbdyno_engine::{BlockWrites, PointSpec};
use dbdyno_model::{Drive, PacedWrites};
use std::time::{Duration, Instant};

/// Whole checkpoints that a window has at least.
pub(crate) const LEAST_CHECKPOINTS: u64 = 3;
/// Shorter windows are first looks, and are flagged with `writes_deferred`.
const FROM_S: f64 = 10.0;
/// How often the end of a checkpoint is looked for.
pub(crate) const LOOK_EVERY: Duration = Duration::from_millis(100);
/// How long an edge is waited for beyond the window's own length.
const PATIENCE: Duration = Duration::from_secs(60);

/// Whether the figure of a point depends on the writes of checkpoints.
pub(crate) fn is_to_be(spec: &PointSpec, duration_s: f64) -> bool {
    spec.test.procedure.scatters_writes() && spec.drive == Drive::Server && duration_s >= FROM_S
}

/// The measuring thread's view of checkpoints.
pub(crate) struct CheckpointWindow<'a> {
    context: &'a RunContext<'a>,
    last: Option<String>,
    ended: u64,
    /// Of these checkpoints, one that had begun before the window.
    partial: u64,
    since: Instant,
    before: Option<BlockWrites>,
    after: Option<BlockWrites>,
}

impl<'a> CheckpointWindow<'a> {
    /// Begins to look for checkpoints.
    pub(crate) fn new(context: &'a RunContext<'a>) -> Self {
        Self { context, last: None, ended: 0, partial: 0, since: Instant::now(), before: None, after: None }
    }

    /// Whether a checkpoint has ended since the last look. A server that does not answer counts as no.
    fn look(&mut self) -> bool {
        let Ok(now) = self.context.engine.last_checkpoint() else { return false };
        let ended = self.last.as_ref().is_some_and(|last| *last != now);
        self.last = Some(now);
        self.ended += u64::from(ended);
        ended
    }

    /// Whether the window begins now: a checkpoint has just ended, or none will end.
    pub(crate) fn begins(&mut self, window: &Window) -> bool {
        let ended = self.look();
        let ready = window.earliest_start_ns().is_some_and(|ns| self.context.clock.now_ns() >= ns);
        if !ready {
            self.since = Instant::now();
        }
        if !(ready && (ended || self.since.elapsed() > PATIENCE)) {
            return false;
        }
        self.before = self.context.engine.block_writes().ok();
        // A checkpoint that was under way when the window began is not one of its own.
        (self.ended, self.partial) = (0, u64::from(!ended));
        true
    }

    /// Whether the window ends now.
    pub(crate) fn ends(&mut self, window: &Window) -> bool {
        let ended = self.look() && self.whole() >= LEAST_CHECKPOINTS;
        let Some(ready_ns) = window.earliest_end_ns() else { return false };
        let late_ns = self.context.clock.now_ns().saturating_sub(ready_ns);
        if !ended && Duration::from_nanos(late_ns) < PATIENCE {
            return false;
        }
        self.after = self.context.engine.block_writes().ok();
        true
    }

    /// Checkpoints that began and ended within the window.
    fn whole(&self) -> u64 {
        self.ended.saturating_sub(self.partial)
    }

    /// What was written between the edges, once both are known.
    pub(crate) fn writes(&self) -> Option<PacedWrites> {
        let (before, after) = (self.before?, self.after?);
        let blocks_written = after.written.saturating_sub(before.written);
        let blocks_dirtied = (blocks_written + after.waiting).saturating_sub(before.waiting);
        Some(PacedWrites { checkpoints: self.whole(), blocks_dirtied, blocks_written })
    }
}
