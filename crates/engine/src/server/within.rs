//! Work that waits for a server, with a limit of time. What waits cannot be stopped: it is left behind on its thread,
//! and ends with the connection or the process.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

/// What is said where no thread could be had, or it broke down.
pub const NO_THREAD: &str = "dbdyno could not ask: no thread could be started for it, or it broke down";

/// Does something on a thread of its own.
///
/// # Errors
/// `Timeout` where it took longer, `Disconnected` where it panicked or never began.
pub fn within<T: Send + 'static>(
    limit: Duration,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, RecvTimeoutError> {
    let (sender, receiver) = mpsc::channel();
    // Nobody listens any more where it took too long. Where there is no thread to be had, the sender has gone, which
    // says so.
    _ = thread::Builder::new().spawn(move || _ = sender.send(work()));
    receiver.recv_timeout(limit)
}

/// What is said of a server that was connected to and then did not answer in time.
pub fn fell_silent(limit: Duration) -> String {
    format!(
        "the server let us in and then gave no answer within {} s: is it overloaded, or stopped? (connect_timeout=S waits \
         longer)",
        limit.as_secs()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_ends_in_time_or_is_left_behind() {
        assert_eq!(within(Duration::from_secs(60), || 7), Ok(7));
        let (keep, wait) = mpsc::channel::<()>();
        assert_eq!(within(Duration::from_millis(10), move || wait.recv()), Err(RecvTimeoutError::Timeout));
        drop(keep);
    }
}
