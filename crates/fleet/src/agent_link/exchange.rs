//! Exchanges of clocks with the coordinator: by how much the agent's shows more, and by how much that may be wrong.

use crate::message::{Offset, PointKey};
use dbdyno_run::Ready;

/// Exchanges before a point; that with the shortest round trip counts. After it fewer will do: they tell how far the
/// clock has drifted, and the whole fleet makes them at once.
const EXCHANGES: u32 = 20;
const EXCHANGES_AFTER: u32 = 5;
/// An exchange that was not answered by then is begun again.
const EXCHANGE_LIMIT_NS: u64 = 200_000_000;

/// Exchanges that are under way.
pub(super) struct Exchange {
    pub(super) key: PointKey,
    /// What is told with the offset; none after a part.
    pub(super) ready: Option<Ready>,
    /// The question that was asked last.
    n: u32,
    asked_ns: u64,
    answered: u32,
    best: Option<Offset>,
}

impl Exchange {
    pub(super) fn new(key: PointKey, ready: Option<Ready>) -> Self {
        Self { key, ready, n: 0, asked_ns: 0, answered: 0, best: None }
    }

    /// A question with this number is asked.
    pub(super) fn asks(&mut self, now_ns: u64, n: u32) {
        (self.n, self.asked_ns) = (n, now_ns);
    }

    /// Whether the answer has stayed away for too long.
    pub(super) fn is_overdue(&self, now_ns: u64) -> bool {
        now_ns.saturating_sub(self.asked_ns) >= EXCHANGE_LIMIT_NS
    }

    /// The coordinator's clock has shown this when it answered question `n`. False where that is not the question that
    /// was asked last.
    pub(super) fn takes(&mut self, now_ns: u64, n: u32, coordinator_ns: u64) -> bool {
        if n != self.n {
            return false;
        }
        let round_trip_ns = now_ns.saturating_sub(self.asked_ns);
        let middle_ns = self.asked_ns + round_trip_ns / 2;
        let offset = Offset {
            offset_ns: middle_ns.cast_signed() - coordinator_ns.cast_signed(),
            bound_ns: round_trip_ns.div_ceil(2),
        };
        if self.best.is_none_or(|best| offset.bound_ns < best.bound_ns) {
            self.best = Some(offset);
        }
        self.answered += 1;
        true
    }

    /// The best offset, once there were enough exchanges.
    pub(super) fn offset(&self) -> Option<Offset> {
        let enough = if self.ready.is_some() { EXCHANGES } else { EXCHANGES_AFTER };
        self.best.filter(|_| self.answered >= enough)
    }
}
