//! Whether a server answers at all. A session that is told to stop waits for its answer, and one that stands still
//! gives none.

use crate::EngineError;
use crate::servers::{Stat, pids};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

/// How long a new connection may take. A server on this machine whose processes run is only busy, as everything here
/// is.
const ELSEWHERE: Duration = Duration::from_millis(1_500);
const HERE: Duration = Duration::from_secs(10);

/// Whether a server answers: `pid` is its main process where that is on this machine, `open` opens a connection.
pub fn answers(pid: Option<u32>, open: impl FnOnce() -> Result<(), EngineError> + Send + 'static) -> bool {
    if pid.is_some_and(stands_still) {
        return false;
    }
    let (say, heard) = channel();
    // What turns us away has answered.
    let asked = thread::Builder::new().spawn(move || _ = say.send(open().map_or_else(|e| !e.target_lost(), |()| true)));
    asked.is_err() || heard.recv_timeout(if pid.is_some() { HERE } else { ELSEWHERE }).unwrap_or(false)
}

/// Whether a process or one of its children was stopped.
pub(crate) fn stands_still(pid: u32) -> bool {
    let stopped = |other: u32| Stat::of(other).is_some_and(|s| s.was_stopped() && (other == pid || s.parent == pid));
    pids().any(stopped)
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbdyno_model::ErrorClass;
    use rustix::process::{Pid, Signal, kill_process};
    use std::process::Command;

    #[test]
    fn a_process_that_was_stopped_stands_still() {
        let mut child = Command::new("sleep").arg("60").spawn().unwrap();
        let pid = Pid::from_raw(child.id().cast_signed()).unwrap();
        assert!(!stands_still(child.id()));
        kill_process(pid, Signal::STOP).unwrap();
        while !stands_still(child.id()) {
            thread::sleep(Duration::from_millis(1));
        }
        assert!(!answers(Some(child.id()), || Ok(())));
        kill_process(pid, Signal::CONT).unwrap();
        while stands_still(child.id()) {
            thread::sleep(Duration::from_millis(1));
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }

    #[test]
    fn what_refuses_has_answered_and_what_hangs_has_not() {
        let said = |class| Err(EngineError::new(class, "no"));
        assert!(answers(None, || Ok(())));
        assert!(answers(None, move || said(ErrorClass::Authentication)));
        assert!(!answers(None, move || said(ErrorClass::ConnectionLost)));
        let (hold, held) = channel::<()>();
        assert!(!answers(None, move || {
            _ = held.recv();
            Ok(())
        }));
        drop(hold);
    }
}
