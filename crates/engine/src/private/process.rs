//! Processes by name that never means another: a process id alone may be reused, but together with the process's start
//! and the machine's boot it names one process for ever (`man 5 proc`: /proc/PID/stat, fields 3 and 22).

use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const LOOK_EVERY: Duration = Duration::from_millis(20);

/// One process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Process {
    /// Process id.
    pub pid: u32,
    /// When it started, in clock ticks after the boot.
    started_ticks: u64,
    /// Which boot.
    boot_id: String,
}

impl Process {
    /// A process that lives.
    pub(crate) fn of(pid: u32) -> Option<Self> {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        let boot_id = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
        Some(Self { pid, started_ticks: started_ticks(&stat)?, boot_id: boot_id.trim().to_owned() })
    }

    /// Whether it still lives.
    pub(crate) fn lives(&self) -> bool {
        Self::of(self.pid).as_ref() == Some(self)
    }

    /// Sends it a signal, if it lives.
    pub(crate) fn signal(&self, signal: Signal) {
        if let Some(pid) = pid(self.pid).filter(|_| self.lives()) {
            // It may have ended just now, which is as good.
            _ = kill_process(pid, signal);
        }
    }

    /// Ends it and all of its group at once. Only for processes that lead a group of their own.
    pub(super) fn kill_group(&self) {
        if let Some(pid) = pid(self.pid).filter(|_| self.lives()) {
            _ = kill_process_group(pid, Signal::KILL);
            _ = kill_process(pid, Signal::KILL);
        }
    }

    /// Waits until it has ended; false when it has not after this time, or when `give_up` says so.
    pub(super) fn ended_within(&self, patience: Duration, give_up: &dyn Fn() -> bool) -> bool {
        wait_until(patience, give_up, || !self.lives())
    }
}

/// Asks again and again until it is so; false when it is not after this time, or when `give_up` says so.
pub(super) fn wait_until(patience: Duration, give_up: &dyn Fn() -> bool, is_so: impl Fn() -> bool) -> bool {
    let begun = Instant::now();
    loop {
        if is_so() {
            return true;
        }
        if begun.elapsed() >= patience || give_up() {
            return false;
        }
        std::thread::sleep(LOOK_EVERY);
    }
}

fn pid(pid: u32) -> Option<Pid> {
    i32::try_from(pid).ok().and_then(Pid::from_raw)
}

/// The start of a process from its stat line; `None` for one that has ended and only waits to be noticed.
fn started_ticks(stat: &str) -> Option<u64> {
    // The name in parentheses may itself contain spaces and parentheses.
    let (_, rest) = stat.rsplit_once(") ")?;
    let mut fields = rest.split(' ');
    match fields.next()? {
        "Z" | "X" => None,
        _ => fields.nth(18)?.parse().ok(),
    }
}

/// Processes that work in a folder. A server's processes all have its data folder as their working directory, so this
/// finds those that a killed main process left behind, whatever has become of their parent.
pub(super) fn working_in(folder: &Path) -> Vec<Process> {
    let folder = std::fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let here = |pid: &u32| std::fs::read_link(PathBuf::from(format!("/proc/{pid}/cwd"))).is_ok_and(|cwd| cwd == folder);
    pids.filter(here).filter_map(Process::of).collect()
}

/// Ends what a killed main process left behind in its folder: first leaves it time to notice by itself.
pub(super) fn end_all_in(folder: &Path) {
    const NOTICE: Duration = Duration::from_secs(5);
    const END: Duration = Duration::from_secs(5);
    let never = || false;
    if wait_until(NOTICE, &never, || working_in(folder).is_empty()) {
        return;
    }
    for process in working_in(folder) {
        process.signal(Signal::KILL);
    }
    wait_until(END, &never, || working_in(folder).is_empty());
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn the_start_is_found_behind_any_name() {
        let rest = "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 4711 20";
        assert_eq!(started_ticks(&format!("7 (a b) R) (x) S {rest}")), Some(4711));
        assert_eq!(started_ticks(&format!("7 (gone) Z {rest}")), None);
        assert_eq!(started_ticks("nonsense"), None);
    }

    #[test]
    fn a_process_is_known_by_its_start_and_found_by_its_folder() {
        let dir = tempfile::tempdir().unwrap();
        let mut child = Command::new("sleep").arg("60").current_dir(dir.path()).spawn().unwrap();
        let process = Process::of(child.id()).unwrap();
        assert!(process.lives());
        assert!(wait_until(Duration::from_secs(5), &|| false, || working_in(dir.path()) == vec![process.clone()]));
        assert!(!Process { started_ticks: process.started_ticks + 1, ..process.clone() }.lives(), "a reused id");
        Process { boot_id: "another".to_owned(), ..process.clone() }.signal(Signal::KILL);
        assert!(!process.ended_within(Duration::from_millis(60), &|| false), "another boot's process is not signalled");
        process.signal(Signal::KILL);
        assert!(process.ended_within(Duration::from_secs(5), &|| false), "a zombie has ended");
        assert!(working_in(dir.path()).is_empty());
        child.wait().unwrap();
    }
}
