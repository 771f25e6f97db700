//! Servers that run on this machine in namespaces of their own, as in a container: their processes are seen here under
//! other numbers, and their files through `/proc/PID/root`.

use std::fs;
use std::path::{Path, PathBuf};

/// Processes by one of these names that have a number of their own in a namespace below ours.
pub fn processes(names: &[&str]) -> Vec<u32> {
    let all = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = all.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let is_one = |pid: &u32| {
        let name = fs::read_to_string(folder(*pid).join("comm")).unwrap_or_default();
        names.contains(&name.trim_end()) && numbers(*pid).len() > 1
    };
    pids.filter(is_one).collect()
}

/// The number by which a process knows itself.
pub fn inner_pid(pid: u32) -> Option<u32> {
    numbers(pid).pop()
}

/// Whether a process is in a namespace below ours.
pub fn is_contained(pid: u32) -> bool {
    numbers(pid).len() > 1
}

/// A file of a process's own view.
pub fn seen_by(pid: u32, file: &Path) -> PathBuf {
    folder(pid).join("root").join(file.strip_prefix("/").unwrap_or(file))
}

/// A folder of a server's as it is seen from here, in this process's own view or else through the server's: the first
/// that can be read and that is the server's own.
pub fn seen_folder(server_pid: u32, path: &Path, is_of: impl Fn(&Path, u32) -> bool) -> Option<PathBuf> {
    let through = seen_by(server_pid, path);
    let own = (!is_contained(server_pid)).then(|| path.to_owned());
    own.into_iter().chain([through]).find(|path| fs::read_dir(path).is_ok() && is_of(path, server_pid))
}

/// The name of the machine that a process believes to be on, where it is noted in its view.
pub fn host_name(pid: u32) -> Option<String> {
    let noted = fs::read_to_string(seen_by(pid, Path::new("/etc/hostname"))).ok()?;
    Some(noted.trim().to_owned())
}

/// The numbers of a process, from our namespace down to its own.
fn numbers(pid: u32) -> Vec<u32> {
    let status = fs::read_to_string(folder(pid).join("status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("NSpid:")).unwrap_or_default();
    line.split_ascii_whitespace().filter_map(|pid| pid.parse().ok()).collect()
}

/// The process that a process comes from.
pub fn parent(pid: u32) -> Option<u32> {
    stat(pid, 4)?.parse().ok()
}

/// A field of `/proc/PID/stat` after the name, by its number in proc(5).
fn stat(pid: u32, field: usize) -> Option<String> {
    let text = fs::read_to_string(folder(pid).join("stat")).ok()?;
    // The name, the second, stands in parentheses and may hold anything.
    Some(text.rsplit_once(')')?.1.split_ascii_whitespace().nth(field - 3)?.to_owned())
}

/// Seconds since a process started.
pub fn age_s(pid: u32) -> Option<f64> {
    // In ticks after the machine's own start.
    let started: f64 = stat(pid, 22)?.parse().ok()?;
    let machine = fs::read_to_string("/proc/uptime").ok()?;
    let machine: f64 = machine.split_ascii_whitespace().next()?.parse().ok()?;
    Some(machine - started / rustix::param::clock_ticks_per_second() as f64)
}

fn folder(pid: u32) -> PathBuf {
    Path::new("/proc").join(pid.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_is_in_its_own_namespace() {
        let own = std::process::id();
        assert!(!is_contained(own) && inner_pid(own) == Some(own));
        assert!(processes(&["no such name"]).is_empty());
        assert_eq!(seen_by(7, Path::new("/var/x")), Path::new("/proc/7/root/var/x"));
        assert!(parent(own).is_some_and(|pid| pid > 0) && parent(u32::MAX).is_none());
        assert!(age_s(own).is_some_and(|age_s| (-1.0..3_600.0).contains(&age_s)) && age_s(u32::MAX).is_none());
    }
}
