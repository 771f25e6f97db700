//! Processor time of a database server on this machine: its main process and that process's children. The time of a
//! child is added to its parent when it has ended and was waited for, so the sum only grows.

use crate::missing::Reading;
use crate::process::{self, Process};
use crate::root::Root;

/// How often the times are read again because a child ended meanwhile.
const ATTEMPTS: u32 = 5;

/// Processor time so far of a process, its children, and its ended children, in nanoseconds. A child of another thread
/// than the main one counts when it has ended.
pub(crate) fn cpu_ns(main_pid: u32) -> Reading<u64> {
    let ns_per_tick = 1_000_000_000 / rustix::param::clock_ticks_per_second().max(1);
    let root = Root::machine();
    let mut before = Process::read(&root, main_pid)?;
    for _ in 0..ATTEMPTS {
        let children = children_ticks(&root, main_pid)?;
        let after = Process::read(&root, main_pid)?;
        let ticks = after.own_ticks + after.ended_children_ticks + children;
        // A child that ended in between may have been counted twice, or not at all.
        if after.ended_children_ticks == before.ended_children_ticks {
            return Ok(ticks * ns_per_tick);
        }
        before = after;
    }
    Err("processes of the server end so fast that their time cannot be added up".to_owned())
}

fn children_ticks(root: &Root, parent: u32) -> Reading<u64> {
    // A list may lack a child while another ends.
    let mut children = process::children(parent)?;
    children.extend(process::children(parent)?);
    children.sort_unstable();
    children.dedup();
    // The time of a process that has ended meanwhile is in its parent's account.
    let children = children.into_iter().filter_map(|pid| Process::read(root, pid).ok()).filter(|p| p.parent == parent);
    Ok(children.map(|child| child.own_ticks + child.ended_children_ticks).sum())
}

#[cfg(test)]
mod tests {
    use super::*;

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
