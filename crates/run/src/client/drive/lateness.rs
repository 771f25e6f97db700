//! How a session kept its timetable: the transactions due inside the window, those late at its end, and the time in
//! which nothing was due.

use super::{Activity, ClientDrive, UNKNOWN_NS};
use crate::client::waiting_users::Pacing;
use dbdyno_engine::program::Program;

impl<P: Program> ClientDrive<'_, P> {
    /// Counts a transaction of an open loop that succeeded or failed for good.
    #[inline]
    pub(super) fn account(&mut self, ended_ns: u64) {
        if matches!(self.user.pacing, Pacing::Open) && self.start_ns != UNKNOWN_NS {
            self.enter(Some(ended_ns));
        }
    }

    /// Counts the transaction that it took last from the timetable; `ended_ns` is `None` where the transaction never
    /// began.
    #[inline]
    fn enter(&mut self, ended_ns: Option<u64>) {
        let Some(due_ns) = self.user.due_ns else { return };
        self.counts.timetable.due += u64::from((self.start_ns..self.end_ns).contains(&due_ns));
        if due_ns < self.end_ns && ended_ns.is_none_or(|ended_ns| ended_ns > self.end_ns) {
            self.late(due_ns);
        }
    }

    /// Counts a transaction that was due before the window's end and had not ended then.
    #[cold]
    fn late(&mut self, due_ns: u64) {
        self.counts.timetable.unfinished += 1;
        self.counts.timetable.waiting += u64::from(self.begun_ns.is_none_or(|begun_ns| begun_ns >= self.end_ns));
        let age_ns = self.end_ns - due_ns;
        match self.activity {
            // Its program was not asked, so its type is unknown.
            Activity::Nothing => self.counts.never_begun_ns.push(age_ns),
            _ => self.context.recorder.unfinished(self.of_type, age_ns),
        }
        if let Some(pool) = self.pool {
            pool.waited(self.waited_ns(self.end_ns));
        }
    }

    /// The transaction that it waited for is due.
    pub(super) fn wake(&mut self, now_ns: u64) {
        let Some(from_ns) = self.idle_from_ns.take() else { return };
        if self.start_ns != UNKNOWN_NS {
            let middle_ns = self.end_ns - self.duration_ns / 2;
            self.counts.timetable.idle_ns += now_ns.min(self.end_ns).saturating_sub(from_ns.max(middle_ns));
        }
    }

    /// The window is over: no further transaction begins.
    pub(super) fn go(&mut self, now_ns: u64) {
        self.wake(now_ns);
        if matches!(self.user.pacing, Pacing::Open) && self.start_ns != UNKNOWN_NS {
            self.enter(None);
        }
        if let (Some(pool), Some(waited_ns)) = (self.pool, self.untold_wait_ns.take()) {
            pool.waited(waited_ns);
        }
        self.recorder.flush();
    }
}
