//! Processes by name that never means another: a process id alone may be reused, but together with the process's start
//! and the machine's boot it names one process for ever (`man 5 proc`: /proc/PID/stat, fields 3 and 22).

use super::{Place, Product};
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
    pub fn of(pid: u32) -> Option<Self> {
        let stat = Stat::of(pid).filter(|stat| !stat.has_ended())?;
        let boot_id = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
        Some(Self { pid, started_ticks: stat.started_ticks, boot_id: boot_id.trim().to_owned() })
    }

    /// Whether it still lives.
    pub fn lives(&self) -> bool {
        Self::of(self.pid).as_ref() == Some(self)
    }

    /// Whether it was stopped and stands still.
    pub(crate) fn stands_still(&self) -> bool {
        self.lives() && Stat::of(self.pid).is_some_and(|stat| stat.was_stopped())
    }

    /// Lets it and its children go on.
    pub(super) fn let_go_on(&self) {
        let children = pids().filter(|pid| Stat::of(*pid).is_some_and(|stat| stat.parent == self.pid));
        let children: Vec<Self> = children.filter_map(Self::of).collect();
        std::iter::once(self).chain(&children).for_each(|process| process.signal(Signal::CONT));
    }

    /// Sends it a signal, if it lives.
    pub fn signal(&self, signal: Signal) {
        if let Some(pid) = pid(self.pid).filter(|_| self.lives()) {
            // It may have ended just now, which is as good.
            _ = kill_process(pid, signal);
        }
    }

    /// Ends it and all of its group at once. Only for processes that lead a group of their own.
    pub(crate) fn kill_group(&self) {
        if let Some(pid) = pid(self.pid).filter(|_| self.lives()) {
            _ = kill_process_group(pid, Signal::KILL);
            _ = kill_process(pid, Signal::KILL);
        }
    }

    /// Waits until it has ended; false when it has not after this time, or when `give_up` says so.
    pub fn ended_within(&self, patience: Duration, give_up: &dyn Fn() -> bool) -> bool {
        wait_until(patience, give_up, || !self.lives())
    }
}

/// Asks again and again until it is so; false when it is not after this time, or when `give_up` says so.
pub(crate) fn wait_until(patience: Duration, give_up: &dyn Fn() -> bool, is_so: impl Fn() -> bool) -> bool {
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

/// What the kernel says of a process (`man 5 proc`: /proc/PID/stat, fields 3, 4 and 22).
pub struct Stat {
    state: char,
    /// The process that has started it.
    pub parent: u32,
    started_ticks: u64,
}

impl Stat {
    /// That of a process that is there.
    pub fn of(pid: u32) -> Option<Self> {
        Self::parse(&std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
    }

    fn parse(stat: &str) -> Option<Self> {
        // The name in parentheses may itself contain spaces and parentheses.
        let mut fields = stat.rsplit_once(") ")?.1.split(' ');
        let (state, parent) = (fields.next()?.chars().next()?, fields.next()?.parse().ok()?);
        Some(Self { state, parent, started_ticks: fields.nth(17)?.parse().ok()? })
    }

    /// Whether it has been stopped, and stands still.
    pub fn was_stopped(&self) -> bool {
        matches!(self.state, 'T' | 't')
    }

    /// Whether it has ended, and only waits to be noticed.
    fn has_ended(&self) -> bool {
        matches!(self.state, 'Z' | 'X')
    }
}

/// Whether no thread of a process does anything of its own: each is stopped, has ended, or waits for a device within
/// the system, where it stops when that is over. One that has ended has no thread.
pub fn has_stopped(pid: u32) -> bool {
    let threads = std::fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let mut states = threads.filter_map(|thread| {
        Stat::parse(&std::fs::read_to_string(thread.path().join("stat")).ok()?).map(|stat| stat.state)
    });
    states.all(|state| matches!(state, 'T' | 't' | 'D' | 'Z' | 'X'))
}

/// Every process that there is.
pub fn pids() -> impl Iterator<Item = u32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// Processes that work in a folder. A server's processes all have its data folder as their working directory, so this
/// finds those that a killed main process left behind, whatever has become of their parent.
pub(crate) fn working_in(folder: &Path) -> Vec<Process> {
    let folder = std::fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
    let here = |pid: &u32| std::fs::read_link(PathBuf::from(format!("/proc/{pid}/cwd"))).is_ok_and(|cwd| cwd == folder);
    pids().filter(here).filter_map(Process::of).collect()
}

/// The processes that a server may have left behind: its user's, and running its programs. Whoever else works
/// in its folder (somebody's shell, a copy that is being made) is none of them.
pub(crate) struct Kin {
    uid: u32,
    programs: Vec<PathBuf>,
}

impl Kin {
    /// Those of a server in a place, which runs as this user.
    pub(crate) fn of(product: &dyn Product, place: &Place, uid: u32) -> Self {
        // Each by itself: their folder may be one of links, or hold all the programs of a system.
        let resolved = |program: &&str| {
            let path = product.about().programs.place(&place.programs, program);
            path.canonicalize().unwrap_or(path)
        };
        Self { uid, programs: product.about().programs.needed.iter().map(resolved).collect() }
    }

    /// Ends those that a killed main process left behind in its folder: first leaves them time to notice by themselves.
    pub(crate) fn end_in(&self, folder: &Path) {
        const NOTICE: Duration = Duration::from_secs(5);
        if !wait_until(NOTICE, &|| false, || self.working_in(folder).is_empty()) {
            self.kill_in(folder);
        }
    }

    /// Ends those that work in a folder at once.
    pub(crate) fn kill_in(&self, folder: &Path) {
        const END: Duration = Duration::from_secs(5);
        wait_until(END, &|| false, || {
            let left = self.working_in(folder);
            left.iter().for_each(|process| process.signal(Signal::KILL));
            left.is_empty()
        });
    }

    /// Stops those that work in a folder where they are (SIGSTOP); false where one goes on.
    pub(crate) fn hold_in(&self, folder: &Path) -> bool {
        const STOP: Duration = Duration::from_secs(5);
        wait_until(STOP, &|| false, || {
            // One that waits for a device has to be told, too; and one may have come meanwhile.
            let all = self.working_in(folder);
            let had_stopped = all.iter().all(|process| has_stopped(process.pid));
            all.iter().for_each(|process| process.signal(Signal::STOP));
            had_stopped
        })
    }

    /// Whether a process was started for a folder. Its working directory and its program say so; or what it was called
    /// with, as what makes data is a script, and what has just been started is the gate's shell still.
    pub(crate) fn started(&self, process: &Process, folder: &Path) -> bool {
        let works_there = self.has(process) && working_in(folder).contains(process);
        works_there || (self.runs(process) && arguments_name(process.pid, folder) && process.lives())
    }

    fn working_in(&self, folder: &Path) -> Vec<Process> {
        working_in(folder).into_iter().filter(|process| self.has(process)).collect()
    }

    /// Whether it is the user's. Asked after the process was named, so that a reused id cannot be signalled.
    fn runs(&self, process: &Process) -> bool {
        let status = std::fs::read_to_string(format!("/proc/{}/status", process.pid)).unwrap_or_default();
        user(&status) == Some(self.uid)
    }

    /// Whether it is the user's and runs one of the programs.
    fn has(&self, process: &Process) -> bool {
        let program = std::fs::read_link(format!("/proc/{}/exe", process.pid)).unwrap_or_default();
        // A program that was replaced since it was started, by an upgrade.
        let program =
            program.to_str().and_then(|p| p.strip_suffix(" (deleted)")).map_or(program.clone(), PathBuf::from);
        self.runs(process) && self.programs.contains(&program)
    }
}

/// Whether an argument of a process is a folder, or ends in one behind an option's name.
fn arguments_name(pid: u32, folder: &Path) -> bool {
    let arguments = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let folder = folder.as_os_str().as_encoded_bytes();
    let mut before = arguments.split(|byte| *byte == 0).filter_map(|argument| argument.strip_suffix(folder));
    before.any(|before| before.is_empty() || before.ends_with(b"="))
}

/// The user in a process's status (`man 5 proc`).
fn user(status: &str) -> Option<u32> {
    status.lines().find_map(|line| line.strip_prefix("Uid:"))?.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::super::Account;
    use super::*;
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::CommandExt;
    use std::process::Command;

    #[test]
    fn the_start_is_found_behind_any_name() {
        let rest = "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 4711 20";
        let stat = |name: &str| Stat::parse(&format!("7 ({name} {rest}")).unwrap();
        let (named_oddly, gone) = (stat("a b) R) (x) S"), stat("gone) Z"));
        assert_eq!((named_oddly.state, named_oddly.parent, named_oddly.started_ticks), ('S', 1, 4711));
        assert!(gone.has_ended() && !named_oddly.has_ended() && stat("stopped) T").was_stopped());
        assert!(Stat::parse("nonsense").is_none());
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

    #[test]
    fn only_the_servers_own_processes_are_stopped_and_ended_in_its_folder() {
        let dir = tempfile::Builder::new().permissions(PermissionsExt::from_mode(0o755)).tempdir().unwrap();
        let (data, server) = (dir.path().join("data"), dir.path().join("server"));
        std::fs::create_dir(&data).unwrap();
        std::fs::set_permissions(&data, PermissionsExt::from_mode(0o755)).unwrap();
        // Not by this process: what that is writing is open in whatever another test just starts, too, and nobody can
        // run it.
        assert!(Command::new("install").args(["-m", "755", "/bin/sleep"]).arg(&server).status().unwrap().success());
        let server = server.canonicalize().unwrap();
        let me = rustix::process::geteuid();
        let sleep = |program: &Path, uid: u32| {
            let mut command = Command::new(program);
            command.arg("60").current_dir(&data);
            if me.is_root() {
                command.uid(uid);
            }
            command.spawn().unwrap()
        };
        let account = Account::choose(&[]).unwrap().uid();
        let mut ours = sleep(&server, account);
        let mut others = vec![sleep(Path::new("/bin/sleep"), account)];
        if me.is_root() {
            others.push(sleep(&server, me.as_raw()));
        }
        let all = others.len() + 1;
        assert!(wait_until(Duration::from_secs(5), &|| false, || working_in(&data).len() == all));
        let kin = Kin { uid: account, programs: vec![server] };
        // Its file may be replaced while it runs.
        std::fs::remove_file(&kin.programs[0]).unwrap();
        let process = Process::of(ours.id()).unwrap();
        assert!(kin.started(&process, &data) && !kin.started(&process, dir.path()), "it works in this folder alone");
        let mut called = Command::new("/bin/sh");
        called.args(["-c", "read -r word", "sh"]).arg(format!("--datadir={}", data.display()));
        let mut called = called.uid(account).stdin(std::process::Stdio::piped()).spawn().unwrap();
        let process = Process::of(called.id()).unwrap();
        assert!(
            kin.started(&process, &data) && !kin.started(&process, dir.path()),
            "it was called for this folder alone"
        );
        process.signal(Signal::KILL);
        called.wait().unwrap();
        let stands_still = |pid: u32| Process::of(pid).is_some_and(|process| process.stands_still());
        assert!(kin.hold_in(&data) && stands_still(ours.id()) && has_stopped(ours.id()));
        assert!(others.iter().all(|other| !stands_still(other.id())));
        kin.end_in(&data);
        assert!(ours.try_wait().unwrap().is_some());
        for mut other in others {
            assert!(!kin.started(&Process::of(other.id()).unwrap(), &data), "nor is it taken for the server");
            assert!(other.try_wait().unwrap().is_none(), "it does not belong to the server");
            other.kill().and_then(|()| other.wait()).unwrap();
        }
    }
}
