//! What processes moved to and from devices: a database server with its children, and all processes together.
//!
//! The kernel keeps an account for each process (`/proc/PID/io`). The account of a child is added to its parent when it
//! has ended and was waited for, so the sum over a server's main process and its current children only grows.

use crate::missing::Reading;
use crate::parse::{self, OwnIo};
use crate::process::{self, Process};
use crate::root::{Root, kernel_text, unreadable};
use std::io::ErrorKind;
use std::path::Path;

/// How often the accounts are read again because children came or went meanwhile.
const ATTEMPTS: u32 = 8;
/// The most generations of a server's processes.
const DEEPEST: u32 = 8;
/// The parent of the kernel's own threads.
const KTHREADD: u32 = 2;

/// What a server's main process, its children and its ended children moved so far. If this user may not read their
/// accounts, that of the control group, if no other process is in it.
pub(crate) fn of_server(main_pid: u32) -> Reading<OwnIo> {
    of_processes(main_pid)
        .or_else(|closed| of_group(&Root::machine(), main_pid).map_err(|why| format!("{closed}; {why}")))
}

/// Bytes that a server has moved to and from devices so far: its main process, its children and its ended children.
///
/// # Errors
/// Nobody may see it, in words.
pub fn server_io_bytes(main_pid: u32) -> Result<u64, String> {
    of_server(main_pid).map(|io| io.read_bytes.saturating_add(io.written_bytes))
}

fn of_processes(main_pid: u32) -> Reading<OwnIo> {
    let mut before = process::children(main_pid)?;
    for _ in 0..ATTEMPTS {
        let mut sum = io_of(main_pid)?.ok_or_else(|| format!("there is no process {main_pid}"))?;
        let mut whole = true;
        for child in &before {
            match io_of(*child)? {
                Some(io) => sum = plus(sum, io),
                None => whole = false,
            }
        }
        // A child that ended in between may have been counted twice, or not at all.
        let after = process::children(main_pid)?;
        if whole && after == before {
            return Ok(sum);
        }
        before = after;
    }
    Err("processes of the server come and go so fast that what they read cannot be added up".to_owned())
}

/// What all processes with readable accounts moved so far, without the kernel's own threads. It is a lower bound of
/// what was moved.
pub(crate) fn of_everybody() -> Reading<OwnIo> {
    let root = Root::machine();
    let mut sum = OwnIo { read_bytes: 0, written_bytes: 0 };
    for pid in process::all()? {
        if pid != KTHREADD && Process::read(&root, pid).is_ok_and(|process| process.parent != KTHREADD) {
            sum = io_of(pid).ok().flatten().map_or(sum, |io| plus(sum, io));
        }
    }
    Ok(sum)
}

fn plus(a: OwnIo, b: OwnIo) -> OwnIo {
    OwnIo {
        read_bytes: a.read_bytes.saturating_add(b.read_bytes),
        written_bytes: a.written_bytes.saturating_add(b.written_bytes),
    }
}

/// A process's account; `None` where it has ended.
fn io_of(pid: u32) -> Reading<Option<OwnIo>> {
    let path = format!("/proc/{pid}/io");
    match kernel_text(Path::new(&path)) {
        Ok(text) => parse::own_io(&text).map(Some).ok_or_else(|| format!("{path} is not understood")),
        // ESRCH: it ended between opening and reading.
        Err(error) if error.kind() == ErrorKind::NotFound || error.raw_os_error() == Some(3) => Ok(None),
        Err(error) => Err(unreadable(&path, &error)),
    }
}

/// What the control group of a server moved; every user may read it. Only for a group without other processes.
fn of_group(root: &Root, pid: u32) -> Reading<OwnIo> {
    let group = |pid: &str| {
        let text = root.text(&format!("proc/{pid}/cgroup"))?;
        let path = text.lines().find_map(|line| line.strip_prefix("0::")).map(str::to_owned);
        path.ok_or_else(|| "its control groups are of version 1".to_owned())
    };
    let (theirs, ours) = (group(&pid.to_string())?, group("self")?);
    if theirs == "/" || Path::new(&ours).starts_with(&theirs) {
        return Err("the server has no control group to itself".to_owned());
    }
    if theirs.starts_with("/..") {
        return Err("the server's control group is not seen from here".to_owned());
    }
    let mut groups = vec![format!("sys/fs/cgroup{theirs}")];
    while let Some(group) = groups.pop() {
        for member in root.text(&format!("{group}/cgroup.procs"))?.split_ascii_whitespace() {
            if !member.parse().is_ok_and(|member| is_of_server(root, member, pid)) {
                return Err(format!("the server has no control group to itself: process {member} is in it, too"));
            }
        }
        let below = root.names(&group).into_iter().map(|name| format!("{group}/{name}"));
        groups.extend(below.filter(|folder| root.has(&format!("{folder}/cgroup.procs"))));
    }
    let text = root.text(&format!("sys/fs/cgroup{theirs}/io.stat"))?;
    let mut sum = OwnIo { read_bytes: 0, written_bytes: 0 };
    for line in text.lines() {
        let mut words = line.split_ascii_whitespace();
        let Some(device) = words.next() else { continue };
        // The bytes of volumes and mirrors are counted again at the disks below them.
        if !root.names(&format!("sys/dev/block/{device}/slaves")).is_empty() {
            continue;
        }
        let value = |name: &str| {
            let found = line.split_ascii_whitespace().find_map(|word| word.strip_prefix(name)?.strip_prefix('='));
            found.and_then(|n| n.parse().ok()).unwrap_or(0)
        };
        sum = plus(sum, OwnIo { read_bytes: value("rbytes"), written_bytes: value("wbytes") });
    }
    Ok(sum)
}

/// Whether a process is a server's main process, or its descendant. A process that has ended meanwhile does not count
/// as another's.
fn is_of_server(root: &Root, member: u32, server_pid: u32) -> bool {
    let mut pid = member;
    for _ in 0..DEEPEST {
        if pid == server_pid {
            return true;
        }
        match Process::read(root, pid) {
            Ok(process) => pid = process.parent,
            Err(_) => return pid == member && pid > 0 && !root.has(&format!("proc/{pid}")),
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::root::tests::tree;
    use std::process::{Command, Stdio};

    #[test]
    fn children_count_while_they_run_and_after_they_have_ended() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("x");
        std::fs::write(&file, vec![7u8; 4 << 20]).unwrap();
        let evictor = crate::page_cache::Evictor::open(std::slice::from_ref(&file)).unwrap();
        evictor.evict_all(crate::page_cache::EvictMode::FlushFirst).unwrap();
        // A shell whose child reads, and ends before the shell does.
        let script = format!("cat {0} > /dev/null; echo read; read line", file.display());
        let mut shell =
            Command::new("sh").args(["-c", &script]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut told = [0u8; 4];
        std::io::Read::read_exact(shell.stdout.as_mut().unwrap(), &mut told).unwrap();
        let io = of_server(shell.id()).unwrap();
        assert!(io.read_bytes >= 4 << 20, "{io:?}");
        assert!(of_everybody().is_err() || of_everybody().unwrap().read_bytes >= io.read_bytes);
        drop(shell.stdin.take());
        shell.wait().unwrap();
    }

    #[test]
    fn a_process_that_is_not_there_has_no_account() {
        assert!(of_processes(u32::MAX).is_err());
    }

    #[test]
    fn a_group_of_its_own_speaks_for_a_server_whose_processes_are_closed() {
        let stat = |parent: u32| format!("1 (x) S {parent} 7 7 0 -1 0 0 0 0 0 1 2 3 4 20 0 1 0 100 0 0");
        let group = "sys/fs/cgroup/system.slice/database.service";
        let mut files: Vec<(String, String)> = [
            ("proc/7/cgroup", "0::/system.slice/database.service\n"),
            ("proc/8/cgroup", "0::/user.slice\n"),
            ("proc/self/cgroup", "0::/user.slice/me\n"),
            ("sys/dev/block/253:3/slaves/vda/x", ""),
            // 72 has ended since it was listed.
            ("sys/fs/cgroup/system.slice/database.service/cgroup.procs", "7\n71\n72\n"),
            ("sys/fs/cgroup/system.slice/database.service/workers/cgroup.procs", "73\n"),
            (
                "sys/fs/cgroup/system.slice/database.service/io.stat",
                "254:0 rbytes=100 wbytes=30 rios=1 wios=1\n253:3 rbytes=100 wbytes=30\n8:0 rbytes=5 wbytes=1\n",
            ),
        ]
        .map(|(file, text)| (file.to_owned(), text.to_owned()))
        .into();
        files.extend([(7, 1), (71, 7), (73, 71), (99, 1)].map(|(pid, of)| (format!("proc/{pid}/stat"), stat(of))));
        let (_dir, root) = tree(&files);
        assert_eq!(of_group(&root, 7), Ok(OwnIo { read_bytes: 105, written_bytes: 31 }));
        assert!(of_group(&root, 8).unwrap_err().contains("to itself"), "dbdyno is in it, too");
        assert!(of_group(&root, 9).is_err());
        // Another process in the group, or in a group below it, uses the same account; 0 is a process of another
        // namespace.
        for (below, members) in [("", "7\n71\n99\n"), ("/workers", "73\n99\n"), ("/workers", "73\n0\n")] {
            let file = root.path(&format!("{group}{below}/cgroup.procs"));
            let before = std::fs::read(&file).unwrap();
            std::fs::write(&file, members).unwrap();
            let why = of_group(&root, 7).unwrap_err();
            assert!(why.contains("to itself: process ") && why.ends_with("is in it, too"), "{why}");
            std::fs::write(&file, before).unwrap();
        }
        assert!(of_group(&root, 7).is_ok());
    }
}
