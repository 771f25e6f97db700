//! Ending a server's process: in good order, at once, or as a power failure does.

use super::{Kin, Process, Product, Server, Watch};
use rustix::process::Signal;
use std::time::Duration;

/// How long a process may take to end at once.
pub(super) const AT_ONCE: Duration = Duration::from_secs(10);

/// Ends a server in good order, without waiting for its clients; false where it has not ended after this time, or when
/// the watch has called it off. It may write what its cache holds, and go on with that.
#[must_use]
pub fn end_in_order(product: &dyn Product, process: &Process, patience: Duration, watch: &dyn Watch) -> bool {
    process.signal(product.about().stop_signal);
    if process.stands_still() {
        watch.note(&format!(
            "process {} stands still, as after kill -STOP: it is let go on, so that it can end",
            process.pid
        ));
        process.let_go_on();
    }
    process.ended_within(patience, &|| watch.cancelled())
}

/// Ends a server at once; its data recovers at the next start. False where not even a kill ends it.
#[must_use]
pub fn end_at_once(product: &dyn Product, process: &Process) -> bool {
    process.signal(product.about().abort_signal);
    if !process.ended_within(AT_ONCE, &|| false) {
        process.signal(Signal::KILL);
    }
    process.ended_within(AT_ONCE, &|| false)
}

impl Server<'_> {
    /// Ends its main process and all others of it at the same moment, as a power failure does. What it has handed to
    /// the system is not lost.
    pub fn kill(&self, process: &Process) {
        process.signal(Signal::KILL);
        process.ended_within(AT_ONCE, &|| false);
        Kin::of(self.product, &self.place, self.account.uid()).kill_in(&self.place.data);
    }
}
