//! Which processors a server is held to: of those that dbdyno itself may use, one of each core before a second of any,
//! the cores of one socket before those of the next, the lowest numbers first. More processors always include fewer,
//! so that points along a number of processors are of the same ones.

use crate::servers::ServerError;
use rustix::thread::{CpuSet, sched_getaffinity};
use std::collections::BTreeMap;
use std::path::Path;

/// The processors of a server, and those that are left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cpus {
    /// Those that a server is to be held to, in ascending order.
    pub server: Vec<u32>,
    /// Those that dbdyno may use besides, in ascending order; none where the server has all. Some may be the second
    /// threads of the server's cores.
    pub left: Vec<u32>,
}

/// Where a processor is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Core {
    socket: i32,
    /// The threads of the core, as the system lists them: all of them have the same list.
    threads: String,
}

/// Chooses so many of the processors that the thread which asks may use.
///
/// # Errors
/// It may not use so many, or none was asked for.
pub fn choose_cpus(n: u32) -> Result<Cpus, ServerError> {
    let cannot = |why: String| ServerError::Refused(format!("--cpus {n}: {why}"));
    let allowed = allowed().map_err(|error| {
        cannot(format!("the system does not say which processors dbdyno may use ({error}); leave --cpus away"))
    })?;
    choose(n, &allowed, |cpu| core(Path::new("/sys/devices/system/cpu"), cpu)).map_err(cannot)
}

/// The processors that this thread may use. Those that are off are none of them.
fn allowed() -> Result<Vec<u32>, rustix::io::Errno> {
    let set = sched_getaffinity(None)?;
    Ok((0..CpuSet::MAX_CPU).filter(|cpu| set.is_set(*cpu)).filter_map(|cpu| u32::try_from(cpu).ok()).collect())
}

fn choose(n: u32, allowed: &[u32], core: impl Fn(u32) -> Core) -> Result<Cpus, String> {
    let there = allowed.len();
    let wanted = usize::try_from(n).unwrap_or(usize::MAX);
    if wanted == 0 || wanted > there {
        let (processors, numbers) = (if there == 1 { "processor" } else { "processors" }, words(allowed));
        let ask = if there == 1 { "ask for 1".to_owned() } else { format!("ask for 1 to {there}") };
        return Err(format!("dbdyno may use {there} {processors} here ({numbers}); {ask}, or leave --cpus away"));
    }
    let mut taken: BTreeMap<Core, u32> = BTreeMap::new();
    let mut order: Vec<(u32, i32, u32)> = Vec::new();
    for &cpu in allowed {
        let core = core(cpu);
        let socket = core.socket;
        let thread_of_core = taken.entry(core).or_default();
        order.push((*thread_of_core, socket, cpu));
        *thread_of_core += 1;
    }
    order.sort_unstable();
    let (server, left) = order.split_at(wanted);
    let numbers = |of: &[(u32, i32, u32)]| {
        let mut numbers: Vec<u32> = of.iter().map(|(.., cpu)| *cpu).collect();
        numbers.sort_unstable();
        numbers
    };
    Ok(Cpus { server: numbers(server), left: numbers(left) })
}

/// The core of a processor. One of which the system tells nothing has a core of its own.
fn core(folder: &Path, cpu: u32) -> Core {
    let read = |file: &str| {
        let text = std::fs::read_to_string(folder.join(format!("cpu{cpu}/topology/{file}")));
        text.ok().map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
    };
    let threads = read("core_cpus_list").or_else(|| read("thread_siblings_list"));
    let socket = read("physical_package_id").and_then(|text| text.parse().ok());
    Core { socket: socket.unwrap_or_default(), threads: threads.unwrap_or_else(|| cpu.to_string()) }
}

/// Processors in the words of the system: `0-2,8`.
#[must_use]
pub fn words(cpus: &[u32]) -> String {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for &cpu in cpus {
        match ranges.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(cpu) => *last = cpu,
            _ => ranges.push((cpu, cpu)),
        }
    }
    let range = |(first, last): (u32, u32)| if first == last { first.to_string() } else { format!("{first}-{last}") };
    ranges.into_iter().map(range).collect::<Vec<_>>().join(",")
}

/// The processors that a process's or thread's status lists (`man 5 proc`), in ascending order.
pub(super) fn of_status(status: &str) -> Option<Vec<u32>> {
    let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"))?;
    let mut cpus = Vec::new();
    for range in list.trim().split(',') {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        cpus.extend(first.parse::<u32>().ok()?..=last.parse().ok()?);
    }
    Some(cpus)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A machine with its threads in one order or another.
    fn machine(cpus: &[(u32, i32, &str)]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for (cpu, socket, threads) in cpus {
            let topology = dir.path().join(format!("cpu{cpu}/topology"));
            std::fs::create_dir_all(&topology).unwrap();
            std::fs::write(topology.join("physical_package_id"), format!("{socket}\n")).unwrap();
            std::fs::write(topology.join("thread_siblings_list"), format!("{threads}\n")).unwrap();
        }
        dir
    }

    /// 2 sockets of 2 cores of 2 threads, as most machines number them.
    const EVEN: [(u32, i32, &str); 8] = [
        (0, 0, "0,4"),
        (1, 0, "1,5"),
        (2, 1, "2,6"),
        (3, 1, "3,7"),
        (4, 0, "0,4"),
        (5, 0, "1,5"),
        (6, 1, "2,6"),
        (7, 1, "3,7"),
    ];

    #[track_caller]
    fn chosen(cpus: &[(u32, i32, &str)], allowed: &[u32], n: u32) -> (String, String) {
        let dir = machine(cpus);
        let Cpus { server, left } = choose(n, allowed, |cpu| core(dir.path(), cpu)).unwrap();
        (words(&server), words(&left))
    }

    fn all(n: u32) -> Vec<u32> {
        (0..n).collect()
    }

    #[test]
    fn cores_come_before_second_threads_and_one_socket_before_the_next() {
        let expected = [
            (1, "0", "1-7"),
            (2, "0-1", "2-7"),
            (3, "0-2", "3-7"),
            (4, "0-3", "4-7"),
            (5, "0-4", "5-7"),
            (8, "0-7", ""),
        ];
        for (n, server, left) in expected {
            assert_eq!(chosen(&EVEN, &all(8), n), (server.to_owned(), left.to_owned()), "{n}");
        }
        // Sockets in turn, and threads of one core beside each other.
        let turns = [(0, 0, "0,2"), (1, 1, "1,3"), (2, 0, "0,2"), (3, 1, "1,3"), (4, 0, "4,6"), (6, 0, "4,6")];
        assert_eq!(chosen(&turns, &[0, 1, 2, 3, 4, 6], 2), ("0,4".to_owned(), "1-3,6".to_owned()));
        assert_eq!(chosen(&turns, &[0, 1, 2, 3, 4, 6], 4), ("0-2,4".to_owned(), "3,6".to_owned()));
    }

    #[test]
    fn only_what_dbdyno_may_use_is_chosen() {
        // Under `taskset 1,4,5,7`: the first threads of two cores are not there.
        assert_eq!(chosen(&EVEN, &[1, 4, 5, 7], 2), ("1,4".to_owned(), "5,7".to_owned()));
        assert_eq!(chosen(&EVEN, &[1, 4, 5, 7], 3), ("1,4,7".to_owned(), "5".to_owned()));
        // Processor 1 is off: the system no longer lists it beside its sibling.
        let off = [(0, 0, "0,2"), (2, 0, "0,2"), (3, 0, "3")];
        assert_eq!(chosen(&off, &[0, 2, 3], 2), ("0,3".to_owned(), "2".to_owned()));
        // A system that tells nothing.
        assert_eq!(chosen(&[], &[0, 1, 2], 2), ("0-1".to_owned(), "2".to_owned()));
    }

    #[test]
    fn more_than_there_are_and_none_are_refused() {
        let refused = |n, allowed: &[u32]| choose(n, allowed, |cpu| core(Path::new("/none"), cpu)).unwrap_err();
        for n in [0, 5, u32::MAX] {
            let expected = "dbdyno may use 4 processors here (0-2,9); ask for 1 to 4, or leave --cpus away";
            assert_eq!(refused(n, &[0, 1, 2, 9]), expected);
        }
        assert!(refused(2, &[3]).starts_with("dbdyno may use 1 processor here (3); ask for 1,"));
        let there = allowed().unwrap();
        let all = choose_cpus(u32::try_from(there.len()).unwrap()).unwrap();
        assert_eq!((all.server, all.left), (there, Vec::new()));
        assert!(choose_cpus(0).unwrap_err().to_string().starts_with("--cpus 0: dbdyno may use "));
    }

    #[test]
    fn lists_are_written_and_read_as_the_system_does() {
        for (cpus, list) in [(vec![], ""), (vec![7], "7"), (vec![0, 1, 2, 8, 10, 11], "0-2,8,10-11")] {
            assert_eq!(words(&cpus), list);
            let read = of_status(&format!("Name:\tx\nCpus_allowed:\tff\nCpus_allowed_list:\t{list}\n"));
            assert_eq!(read, (!list.is_empty()).then_some(cpus));
        }
        assert_eq!(of_status("Name:\tx\n"), None);
    }
}
