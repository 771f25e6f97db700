//! What a session did of its timetable: what was due inside the window, what was late at its end, and how long nothing
//! was due.

use super::{ClientDrive, Doing, UNKNOWN_NS};
use crate::client::pool::Beat;
use dbdyno_engine::program::Program;

impl<P: Program> ClientDrive<'_, P> {
    /// Accounts for a transaction of an open loop, which has succeeded or failed for good.
    #[inline]
    pub(super) fn account(&mut self, ended_ns: u64) {
        if matches!(self.user.beat, Beat::Open) && self.start_ns != UNKNOWN_NS {
            self.enter(Some(ended_ns));
        }
    }

    /// Enters the transaction that it took last into what became of the timetable; `ended_ns` is absent where it never
    /// began.
    #[inline]
    fn enter(&mut self, ended_ns: Option<u64>) {
        let Some(due_ns) = self.user.due_ns else { return };
        self.tally.kept.due += u64::from((self.start_ns..self.end_ns).contains(&due_ns));
        if due_ns < self.end_ns && ended_ns.is_none_or(|ended_ns| ended_ns > self.end_ns) {
            self.late(due_ns);
        }
    }

    /// It was due before the window's end, and had not ended then.
    #[cold]
    fn late(&mut self, due_ns: u64) {
        self.tally.kept.unfinished += 1;
        self.tally.kept.waiting += u64::from(self.begun_ns.is_none_or(|begun_ns| begun_ns >= self.end_ns));
        let age_ns = self.end_ns - due_ns;
        match self.doing {
            // Its program was not asked, so nobody knows of which type it would have been.
            Doing::Nothing => self.tally.never_begun_ns.push(age_ns),
            _ => self.team.recorder.unfinished(self.of_type, age_ns),
        }
        if let Some(pool) = self.pool {
            pool.waited(self.waited_ns(self.end_ns));
        }
    }

    /// What it waited for is due.
    pub(super) fn wake(&mut self, now_ns: u64) {
        let Some(from_ns) = self.idle_from_ns.take() else { return };
        if self.start_ns != UNKNOWN_NS {
            let middle_ns = self.end_ns - self.duration_ns / 2;
            self.tally.kept.idle_ns += now_ns.min(self.end_ns).saturating_sub(from_ns.max(middle_ns));
        }
    }

    /// The window is over: nothing begins any more.
    pub(super) fn go(&mut self, now_ns: u64) {
        self.wake(now_ns);
        if matches!(self.user.beat, Beat::Open) && self.start_ns != UNKNOWN_NS {
            self.enter(None);
        }
        if let (Some(pool), Some(waited_ns)) = (self.pool, self.untold_wait_ns.take()) {
            pool.waited(waited_ns);
        }
        self.pen.pour();
    }
}
