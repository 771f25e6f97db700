//! What a process may use of the processors: its affinity (cpusets are included) and the smallest quota of its control
//! groups up to the root. Also how often these quotas throttled it.

use crate::missing::Reading;
use crate::parse::{self, CgroupVersion, Throttling};
use crate::root::{KernelFile, Root};
use dbdyno_model::CpuLimits;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// What a process may use: the server with this id, or this process. `None` where it may use all.
///
/// # Errors
/// `/proc` and `/sys` do not tell.
pub fn cpu_limits(pid: Option<u32>) -> Result<Option<CpuLimits>, String> {
    limits(&Root::machine(), pid)
}

pub(crate) fn limits(root: &Root, pid: Option<u32>) -> Reading<Option<CpuLimits>> {
    let online = online(root)?;
    let allowed = processors(root, pid)?;
    let quota = quota(root, pid);
    let limited = allowed.len() < online.len() || quota.is_some_and(|quota| quota < allowed.len() as f64);
    let count = |n: usize| u32::try_from(n).ok();
    Ok(limited.then(|| CpuLimits {
        allowed_cores: count(cores(root, &allowed)).filter(|n| *n > 0),
        allowed_threads: count(allowed.len()),
        machine_threads: count(online.len()),
        quota_processors: quota,
    }))
}

/// The processors that a process may run on.
pub(crate) fn processors(root: &Root, pid: Option<u32>) -> Reading<Vec<u32>> {
    let file = format!("proc/{}/status", name(pid));
    let text = root.text(&file)?;
    let allowed = parse::value(&text, "Cpus_allowed_list").and_then(parse::list);
    let allowed = allowed.ok_or_else(|| format!("/{file} does not say which processors may be used"))?;
    let online = online(root)?;
    // The kernel's list contains processors that could be added one day.
    Ok(allowed.into_iter().filter(|cpu| online.contains(cpu)).collect())
}

fn online(root: &Root) -> Reading<Vec<u32>> {
    let file = "sys/devices/system/cpu/online";
    let text = root.word(file)?;
    parse::list(&text).ok_or_else(|| format!("/{file} is no list of processors"))
}

/// The smallest quota up to the root, in processors.
pub(crate) fn quota(root: &Root, pid: Option<u32>) -> Option<f64> {
    groups(root, pid).iter().filter_map(|group| group.quota(root)).reduce(f64::min)
}

fn name(pid: Option<u32>) -> String {
    pid.map_or_else(|| "self".to_owned(), |pid| pid.to_string())
}

/// The cores of some processors: the threads of one core all list the same set of threads.
pub(crate) fn cores(root: &Root, cpus: &[u32]) -> usize {
    let read = |cpu: &u32, file: &str| root.word(&format!("sys/devices/system/cpu/cpu{cpu}/topology/{file}")).ok();
    let of = |cpu| read(cpu, "core_cpus_list").or_else(|| read(cpu, "thread_siblings_list"));
    cpus.iter().filter_map(of).collect::<BTreeSet<String>>().len()
}

/// A control group.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct ControlGroup {
    version: CgroupVersion,
    folder: PathBuf,
}

impl ControlGroup {
    /// A file's path without its leading slash.
    fn file(&self, name: &str) -> String {
        self.folder.join(name).to_string_lossy().trim_start_matches('/').to_owned()
    }

    fn quota(&self, root: &Root) -> Option<f64> {
        let text = |name| root.text(&self.file(name)).ok();
        match self.version {
            CgroupVersion::Two => parse::quota_of_version_two(&text("cpu.max")?),
            CgroupVersion::One => parse::quota_of_version_one(&text("cpu.cfs_quota_us")?, &text("cpu.cfs_period_us")?),
        }
    }
}

/// The control groups of a process up to the root, of both versions.
fn groups(root: &Root, pid: Option<u32>) -> Vec<ControlGroup> {
    let Ok(mountinfo) = root.text("proc/self/mountinfo") else { return Vec::new() };
    let Ok(cgroup) = root.text(&format!("proc/{}/cgroup", name(pid))) else { return Vec::new() };
    let of = |hierarchy: parse::Hierarchy| {
        let version = hierarchy.version;
        hierarchy.folders(&cgroup).into_iter().map(move |folder| ControlGroup { version, folder })
    };
    parse::hierarchies(&mountinfo).into_iter().flat_map(of).collect()
}

/// The `cpu.stat` files, opened, of all control groups with a quota.
#[derive(Debug, Default)]
pub(crate) struct Throttles(Vec<KernelFile>);

impl Throttles {
    /// Those of this process, and of a server if one is named. Each group counts once.
    pub(crate) fn open(root: &Root, server_pid: Option<u32>) -> Self {
        let mut all: BTreeSet<ControlGroup> = groups(root, None).into_iter().collect();
        all.extend(server_pid.into_iter().flat_map(|pid| groups(root, Some(pid))));
        let limited = all.iter().filter(|group| group.quota(root).is_some());
        Self(limited.map(|group| KernelFile::open(root, group.file("cpu.stat"))).collect())
    }

    /// The counts of all groups so far; `None` where no group has a quota.
    pub(crate) fn read(&self, buffer: &mut Vec<u8>) -> Option<Reading<Vec<Throttling>>> {
        (!self.0.is_empty()).then(|| self.0.iter().map(|file| file.read(buffer, parse::throttling)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::root::tests::tree;

    const V2: &str = "24 30 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n";

    /// 8 processors on 4 cores; this process on all of them, the server 77 on some.
    fn machine(more: &[(&str, &str)]) -> (tempfile::TempDir, Root) {
        let mut files: Vec<(String, String)> = (0..8)
            .map(|cpu| {
                let core = format!("{},{}\n", cpu % 4, cpu % 4 + 4);
                (format!("sys/devices/system/cpu/cpu{cpu}/topology/core_cpus_list"), core)
            })
            .collect();
        let mut add = |file: &str, text: &str| files.push((file.to_owned(), text.to_owned()));
        add("sys/devices/system/cpu/online", "0-7\n");
        add("proc/self/status", "Name:\tdbdyno\nCpus_allowed:\tffff\nCpus_allowed_list:\t0-127\n");
        add("proc/77/status", "Name:\tpostgres\nCpus_allowed_list:\t0,1,4\n");
        add("proc/self/mountinfo", V2);
        add("proc/self/cgroup", "0::/user.slice\n");
        add("proc/77/cgroup", "0::/system.slice/pg.service\n");
        for (file, text) in more {
            add(file, text);
        }
        tree(&files)
    }

    #[test]
    fn who_may_use_all_has_no_limits() {
        let (_dir, root) = machine(&[("sys/fs/cgroup/user.slice/cpu.max", "max 100000\n")]);
        assert_eq!(limits(&root, None), Ok(None), "processors that are not there are not missed");
    }

    #[test]
    fn the_servers_own_affinity_counts() {
        let (_dir, root) = machine(&[]);
        let server = limits(&root, Some(77)).unwrap().unwrap();
        assert_eq!((server.allowed_threads, server.machine_threads), (Some(3), Some(8)));
        assert_eq!((server.allowed_cores, server.quota_processors), (Some(2), None), "0 and 4 are one core");
    }

    #[test]
    fn the_smallest_quota_up_to_the_root_counts() {
        let (_dir, root) = machine(&[
            ("sys/fs/cgroup/system.slice/pg.service/cpu.max", "400000 100000\n"),
            ("sys/fs/cgroup/system.slice/cpu.max", "150000 100000\n"),
        ]);
        assert_eq!(quota(&root, Some(77)), Some(1.5));
        assert_eq!(limits(&root, None), Ok(None), "another group's quota is not ours");
    }

    #[test]
    fn the_first_version_is_read_too_in_a_container() {
        let bind = "800 799 0:29 /docker/5f2e /sys/fs/cgroup/cpu ro - cgroup cgroup rw,cpu,cpuacct\n";
        let (_dir, root) = machine(&[
            ("proc/self/mountinfo", bind),
            ("proc/self/cgroup", "4:cpu,cpuacct:/docker/5f2e\n"),
            ("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "400000\n"),
            ("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n"),
            ("sys/fs/cgroup/cpu/cpu.stat", "nr_periods 7\nnr_throttled 2\nthrottled_time 30\n"),
        ]);
        assert_eq!(limits(&root, None).unwrap().unwrap().quota_processors, Some(4.0));
        let throttles = Throttles::open(&root, None);
        assert_eq!(throttles.read(&mut vec![0; 4096]), Some(Ok(vec![Throttling { periods: 7, throttled: 2, ns: 30 }])));
    }

    #[test]
    fn nobody_is_held_back_without_a_quota_and_an_account_that_cannot_be_read_says_why() {
        let (_dir, root) = machine(&[]);
        assert_eq!(Throttles::open(&root, Some(77)).read(&mut vec![0; 4096]), None);
        let (_dir, root) = machine(&[("sys/fs/cgroup/user.slice/cpu.max", "50000 100000\n")]);
        let why = Throttles::open(&root, None).read(&mut vec![0; 4096]).unwrap().unwrap_err();
        assert!(why.contains("/sys/fs/cgroup/user.slice/cpu.stat"), "{why}");
        let (_dir, root) = tree(&[("etc/x", "")]);
        assert!(limits(&root, None).unwrap_err().contains("/sys/devices/system/cpu/online"));
    }
}
