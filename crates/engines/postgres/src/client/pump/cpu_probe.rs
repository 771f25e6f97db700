//! Finds out on which processor server processes run, one process at a time: a look takes some microseconds, for which
//! answers wait.

use std::fs::File;
use std::io::Read as _;

/// How long until the next look. With a hundred sessions each has several a second, as often as the scheduler moves
/// one.
const PERIOD_NS: u64 = 2_500_000;
/// The head of a `stat` is shorter; no field after the processor's is needed.
const STAT_BYTES: usize = 1_024;
/// The processor's field of a `stat`, after the name: the 39th of all (proc_pid_stat(5)).
const PROCESSOR: usize = 39 - 3;

/// When to look next, and at which session's process.
#[derive(Debug, Default)]
pub(super) struct CpuProbe {
    due_ns: u64,
    next: usize,
}

impl CpuProbe {
    /// Whether it is time to look.
    pub(super) fn is_due(&mut self, now_ns: u64) -> bool {
        let due = now_ns >= self.due_ns;
        if due {
            self.due_ns = now_ns + PERIOD_NS;
        }
        due
    }

    /// The next of `n` sessions that is `there`.
    pub(super) fn next(&mut self, n: usize, there: impl Fn(usize) -> bool) -> Option<usize> {
        let next = (0..n).map(|i| (self.next + i) % n).find(|i| there(*i));
        self.next = next.map_or(0, |next| next + 1);
        next
    }
}

/// The processor that a server process ran on last. None where there is no such process here, or it is no server's: a
/// loopback port may be a tunnel to another machine, or lead into a container.
pub(super) fn processor_of(pid: u32) -> Option<usize> {
    let mut stat = [0; STAT_BYTES];
    let bytes = File::open(format!("/proc/{pid}/stat")).ok()?.read(&mut stat).ok()?;
    processor_in(std::str::from_utf8(&stat[..bytes]).ok()?)
}

/// The same of what `stat` says.
fn processor_in(stat: &str) -> Option<usize> {
    // The name stands in parentheses, and may contain any.
    let (head, fields) = stat.rsplit_once(')')?;
    let (_, name) = head.split_once('(')?;
    let processor = fields.split_ascii_whitespace().nth(PROCESSOR)?;
    if name.starts_with("postgres") { processor.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_processor_is_read_of_server_processes_alone() {
        let fields: Vec<String> = (4..=52).map(|n| (n * 10).to_string()).collect();
        let stat = |name: &str| format!("17 ({name}) S {}\n", fields.join(" "));
        assert_eq!(processor_in(&stat("postgres")), Some(390));
        assert_eq!(processor_in(&stat("postgres: a) (b")), Some(390));
        assert_eq!(processor_in(&stat("sleep")), None);
        assert_eq!(processor_in("17 (postgres) S 1 2"), None);
        assert_eq!(processor_in(""), None);
        assert_eq!(processor_of(std::process::id()), None);
        assert_eq!(processor_of(u32::MAX), None);
    }

    #[test]
    fn a_process_of_ours_runs_where_the_kernel_says() {
        // By another name the same file is what it is read from.
        let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
        let (_, fields) = stat.rsplit_once(')').unwrap();
        let processor = processor_in(&format!("1 (postgres){fields}")).unwrap();
        let cpus = std::fs::read_to_string("/proc/cpuinfo").unwrap();
        assert!(
            cpus.lines().any(|line| line.starts_with("processor") && line.ends_with(&format!(" {processor}"))),
            "{processor}"
        );
    }

    #[test]
    fn all_get_their_turn() {
        let mut probe = CpuProbe::default();
        let seen: Vec<_> = (0..12).map(|_| probe.next(10, |n| n % 2 == 1).unwrap()).collect();
        assert_eq!(seen, [1, 3, 5, 7, 9, 1, 3, 5, 7, 9, 1, 3]);
        assert_eq!(probe.next(10, |n| n == 3), Some(3), "round to the same");
        assert_eq!(probe.next(10, |_| false), None);
        assert_eq!(probe.next(0, |_| true), None);
    }

    #[test]
    fn looks_come_in_their_time() {
        let mut probe = CpuProbe::default();
        assert!(probe.is_due(5));
        assert!(!probe.is_due(5 + PERIOD_NS - 1));
        assert!(probe.is_due(5 + PERIOD_NS));
    }
}
