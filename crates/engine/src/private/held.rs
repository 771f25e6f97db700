//! Holding a server to processors, and looking whether it is held: what is said of a server is what every thread of all
//! its processes shows.

use super::cpus::{of_status, words};
use crate::servers::{ServerError, Stat, pids};
use dbdyno_model::ErrorClass;
use rustix::io::Errno;
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What holds a server to processors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HeldBy {
    /// A control group, which no process in it can leave by itself.
    Cpuset,
    /// The affinity that its processes inherit from the one that started them.
    Affinity,
}

impl HeldBy {
    /// In one word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Cpuset => "cpuset",
            Self::Affinity => "affinity",
        }
    }
}

/// This thread, held to processors for as long as this lives. What it starts meanwhile inherits that.
pub(super) struct HeldThread {
    before: CpuSet,
}

impl HeldThread {
    pub(super) fn to(cpus: &[u32]) -> Result<Self, ServerError> {
        let set = || {
            let before = sched_getaffinity(None)?;
            let mut set = CpuSet::new();
            for cpu in cpus.iter().filter_map(|cpu| usize::try_from(*cpu).ok()) {
                if cpu >= CpuSet::MAX_CPU {
                    return Err(Errno::INVAL);
                }
                set.set(cpu);
            }
            sched_setaffinity(None, &set)?;
            Ok(Self { before })
        };
        set().map_err(|error: Errno| {
            let text = format!("cannot hold the server to the processors {}: {error}; leave --cpus away", words(cpus));
            ServerError::failed(ErrorClass::Other, text)
        })
    }
}

impl Drop for HeldThread {
    fn drop(&mut self) {
        // What was allowed before is allowed still, but for processors that were taken away meanwhile.
        _ = sched_setaffinity(None, &self.before);
    }
}

/// What a server with this main process may use other than these processors, if it may.
pub(super) fn exception(pid: u32, cpus: &[u32]) -> Option<String> {
    let mut seen = false;
    for process in tree(pid) {
        let threads = std::fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
        for thread in threads {
            // What has just ended uses nothing.
            let Ok(status) = std::fs::read_to_string(thread.path().join("status")) else { continue };
            let Some(allowed) = of_status(&status) else { continue };
            if allowed != cpus {
                return Some(format!("its process {process} may use the processors {}", words(&allowed)));
            }
            seen |= process == pid;
        }
    }
    (!seen).then(|| format!("the system does not show which processors its process {pid} may use"))
}

/// A process and all that it has started, and they in turn.
fn tree(root: u32) -> Vec<u32> {
    let mut children: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (pid, stat) in pids().filter_map(|pid| Some((pid, Stat::of(pid)?))) {
        children.entry(stat.parent).or_default().push(pid);
    }
    let (mut tree, mut looked_at) = (vec![root], 0);
    while let Some(pid) = tree.get(looked_at) {
        tree.extend(children.remove(pid).unwrap_or_default());
        looked_at += 1;
    }
    tree
}

#[cfg(test)]
mod tests {
    use super::super::choose_cpus;
    use super::*;
    use std::process::{Command, Stdio};

    #[test]
    fn what_is_started_meanwhile_is_held_with_its_children_and_this_thread_is_free_again() {
        let before = sched_getaffinity(None).unwrap();
        let one = choose_cpus(1).unwrap();
        let held = HeldThread::to(&one.server).unwrap();
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", "sleep 60 & echo; wait"]).stdout(Stdio::piped());
        let mut shell = shell.spawn().unwrap();
        drop(held);
        assert_eq!(sched_getaffinity(None).unwrap(), before);
        std::io::Read::read_exact(shell.stdout.as_mut().unwrap(), &mut [0]).unwrap();
        let family = tree(shell.id());
        assert_eq!(family.len(), 2);
        assert_eq!(exception(shell.id(), &one.server), None);
        if let Some(other) = one.left.first() {
            let text = exception(shell.id(), &[*other]).unwrap();
            assert!(text.ends_with(&format!("may use the processors {}", words(&one.server))), "{text}");
            // One that is held no longer, as by another's `taskset`: a child, not the process itself.
            let mut free = CpuSet::new();
            free.set(usize::try_from(*other).unwrap());
            let child = rustix::process::Pid::from_raw(i32::try_from(family[1]).unwrap());
            sched_setaffinity(child, &free).unwrap();
            let text = exception(shell.id(), &one.server).unwrap();
            assert!(text.starts_with(&format!("its process {} may use", family[1])), "{text}");
        }
        for pid in family.iter().rev() {
            let pid = rustix::process::Pid::from_raw(i32::try_from(*pid).unwrap()).unwrap();
            rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
        }
        shell.wait().unwrap();
        assert!(exception(shell.id(), &one.server).unwrap().contains("does not show"));
    }

    #[test]
    fn processors_that_are_not_there_are_refused() {
        let before = sched_getaffinity(None).unwrap();
        for cpus in [vec![1 << 20], vec![]] {
            let error = HeldThread::to(&cpus).map(drop).unwrap_err().to_string();
            assert!(error.contains("cannot hold the server to the processors"), "{error}");
        }
        assert_eq!(sched_getaffinity(None).unwrap(), before);
    }
}
