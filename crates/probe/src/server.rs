//! Processor time of a database server on this machine: its main process and the children that it has made. What a child
//! used stays with its parent after it has ended and been waited for, so the sum only grows.

use crate::missing::Reading;
use crate::os;
use crate::root::unreadable;
use std::path::Path;

/// How often the account is read again because a child ended meanwhile.
const ATTEMPTS: u32 = 5;

/// Processor time used so far by a process, its children, and the children that have ended, in nanoseconds.
pub(crate) fn cpu_ns(main_pid: u32) -> Reading<u64> {
    let Some(ticks_per_s) = os::ticks_per_s().filter(|n| *n > 0) else { return Err(crate::root::NOT_LINUX.to_owned()) };
    let mut before = main_process(main_pid)?;
    for _ in 0..ATTEMPTS {
        let children = children_ticks(main_pid)?;
        let after = main_process(main_pid)?;
        let ticks = after.own_ticks + after.ended_children_ticks + children;
        // A child that ended in between may have been counted twice, or not at all.
        if after.ended_children_ticks == before.ended_children_ticks {
            return Ok(ticks * (1_000_000_000 / ticks_per_s));
        }
        before = after;
    }
    Err("processes of the server end so fast that their time cannot be added up".to_owned())
}

fn main_process(pid: u32) -> Reading<Process> {
    let path = Path::new("/proc").join(pid.to_string()).join("stat");
    let text = std::fs::read_to_string(&path).map_err(|e| unreadable(&path, &e))?;
    Process::parse(&text).ok_or_else(|| format!("{} is not understood", path.display()))
}

fn children_ticks(parent: u32) -> Reading<u64> {
    let proc = Path::new("/proc");
    let mut ticks = 0;
    for entry in std::fs::read_dir(proc).map_err(|e| unreadable(proc, &e))?.flatten() {
        if !entry.file_name().as_encoded_bytes().iter().all(u8::is_ascii_digit) {
            continue;
        }
        // A process that has ended meanwhile is in its parent's account.
        let Ok(text) = std::fs::read_to_string(entry.path().join("stat")) else { continue };
        if let Some(child) = Process::parse(&text).filter(|p| p.parent == parent) {
            ticks += child.own_ticks + child.ended_children_ticks;
        }
    }
    Ok(ticks)
}

/// What `/proc/PID/stat` says (proc(5): fields 4 and 14 to 17).
#[derive(Debug, PartialEq, Eq)]
struct Process {
    parent: u32,
    own_ticks: u64,
    ended_children_ticks: u64,
}

impl Process {
    fn parse(text: &str) -> Option<Self> {
        // The name, in parentheses, may hold anything, parentheses too.
        let fields: Vec<&str> = text.rsplit_once(')')?.1.split_ascii_whitespace().collect();
        let number = |field: usize| fields.get(field - 3)?.parse::<i64>().ok().map(|n| n.max(0).cast_unsigned());
        Some(Self {
            parent: fields.get(1)?.parse().ok()?,
            own_ticks: number(14)? + number(15)?,
            ended_children_ticks: number(16)? + number(17)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_may_hold_anything() {
        let text = "71 (post) (x y) S 7 71 71 0 -1 4194560 100 200 0 0 11 22 33 44 20 0 1 0 100 0 0";
        assert_eq!(Process::parse(text), Some(Process { parent: 7, own_ticks: 33, ended_children_ticks: 77 }));
        assert_eq!(Process::parse("71 (x) S 7"), None);
    }

    #[test]
    fn a_process_that_is_not_there_has_no_time() {
        assert!(cpu_ns(u32::MAX).unwrap_err().contains("/proc/4294967295"));
    }

    #[test]
    fn children_count_while_they_run_and_after_they_have_ended() {
        let before = cpu_ns(std::process::id()).unwrap();
        let status = std::process::Command::new("sh")
            .args(["-c", "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done"])
            .status()
            .unwrap();
        assert!(status.success());
        assert!(cpu_ns(std::process::id()).unwrap() > before);
    }
}
