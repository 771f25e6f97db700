//! What processes moved to and from devices: a database server's, its children among them, and everybody's together.
//!
//! The kernel keeps an account of each process (`/proc/PID/io`). What a child moved goes to its parent when it has ended and
//! been waited for, so that the sum over a server's main process and the children that it has now only grows.

use crate::missing::Reading;
use crate::parse::{self, OwnIo};
use crate::root::{Root, unreadable};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// How often the account is read again because children came or went meanwhile.
const ATTEMPTS: u32 = 8;
/// The parent of the kernel's own threads.
const KTHREADD: u32 = 2;

/// What a server's main process, its children and the children that have ended moved so far. Where their account is closed to
/// this user, that of the control group which they have to themselves.
pub(crate) fn of_server(main_pid: u32) -> Reading<OwnIo> {
    of_processes(main_pid)
        .or_else(|closed| of_group(&Root::machine(), main_pid).map_err(|why| format!("{closed}; {why}")))
}

fn of_processes(main_pid: u32) -> Reading<OwnIo> {
    let mut before = children(main_pid)?;
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
        let after = children(main_pid)?;
        if whole && after == before {
            return Ok(sum);
        }
        before = after;
    }
    Err("processes of the server come and go so fast that what they read cannot be added up".to_owned())
}

/// What all processes moved so far whose accounts this user may read, the kernel's own threads left out: no less than what was
/// moved, and seldom all of it.
pub(crate) fn of_everybody() -> Reading<OwnIo> {
    let proc = Path::new("/proc");
    let mut sum = OwnIo { read_bytes: 0, written_bytes: 0 };
    for entry in std::fs::read_dir(proc).map_err(|e| unreadable(proc, &e))?.flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else { continue };
        if pid != KTHREADD && parent(pid) != Some(KTHREADD) {
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

/// A process's account; none where it has ended.
fn io_of(pid: u32) -> Reading<Option<OwnIo>> {
    let path = process(pid).join("io");
    match std::fs::read_to_string(&path) {
        Ok(text) => parse::own_io(&text).map(Some).ok_or_else(|| format!("{} is not understood", path.display())),
        // ESRCH: it ended between opening and reading.
        Err(error) if error.kind() == ErrorKind::NotFound || error.raw_os_error() == Some(3) => Ok(None),
        Err(error) => Err(unreadable(&path, &error)),
    }
}

fn children(pid: u32) -> Reading<Vec<u32>> {
    let path = process(pid).join("task").join(pid.to_string()).join("children");
    let text = std::fs::read_to_string(&path).map_err(|e| unreadable(&path, &e))?;
    let mut children: Vec<u32> = text.split_ascii_whitespace().filter_map(|pid| pid.parse().ok()).collect();
    children.sort_unstable();
    Ok(children)
}

fn parent(pid: u32) -> Option<u32> {
    let stat = std::fs::read_to_string(process(pid).join("stat")).ok()?;
    // The name, in parentheses, may hold anything.
    stat.rsplit_once(')')?.1.split_ascii_whitespace().nth(1)?.parse().ok()
}

fn process(pid: u32) -> PathBuf {
    Path::new("/proc").join(pid.to_string())
}

/// What the control group of a process moved, as everybody may read it. Only a group that dbdyno itself is not in, and that is
/// not the whole machine.
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
    let text = root.text(&format!("sys/fs/cgroup{theirs}/io.stat"))?;
    let mut sum = OwnIo { read_bytes: 0, written_bytes: 0 };
    for line in text.lines() {
        let mut words = line.split_ascii_whitespace();
        let Some(device) = words.next() else { continue };
        // What volumes and mirrors moved is counted again at the disks below them.
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
        crate::page_cache::evict(&file, crate::page_cache::EvictMode::FlushFirst).unwrap();
        // A shell whose child reads, and ends, before the shell does.
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
        let files = [
            ("proc/7/cgroup", "0::/system.slice/database.service\n"),
            ("proc/8/cgroup", "0::/user.slice\n"),
            ("proc/self/cgroup", "0::/user.slice/me\n"),
            (
                "sys/fs/cgroup/system.slice/database.service/io.stat",
                "254:0 rbytes=100 wbytes=30 rios=1 wios=1\n253:3 rbytes=100 wbytes=30\n8:0 rbytes=5 wbytes=1\n",
            ),
            ("sys/dev/block/253:3/slaves/vda/x", ""),
        ];
        let (_dir, root) = tree(&files);
        assert_eq!(of_group(&root, 7), Ok(OwnIo { read_bytes: 105, written_bytes: 31 }));
        assert!(of_group(&root, 8).unwrap_err().contains("to itself"), "dbdyno is in it, too");
        assert!(of_group(&root, 9).is_err());
    }
}
