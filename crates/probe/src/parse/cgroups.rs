//! Control groups: the group of a process, its limits, and how often it was throttled (kernel: cgroup-v1/sched-bwc.rst,
//! cgroup-v2.rst).

use super::mounts::{Mount, mounts};
use std::path::{Component, Path, PathBuf};

/// Versions of control groups, which have the same facts in different files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum CgroupVersion {
    One,
    Two,
}

/// A hierarchy with processor quotas, and where it is mounted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Hierarchy {
    pub(crate) version: CgroupVersion,
    /// The group at the root of the mount.
    root: PathBuf,
    /// Where it is mounted.
    point: PathBuf,
}

/// The hierarchies of `/proc/self/mountinfo` that have processor quotas.
pub(crate) fn hierarchies(mountinfo: &str) -> Vec<Hierarchy> {
    let hierarchy = |mount: Mount| {
        let version = match mount.kind.as_str() {
            "cgroup2" => CgroupVersion::Two,
            "cgroup" if mount.options.iter().any(|option| option == "cpu") => CgroupVersion::One,
            _ => return None,
        };
        Some(Hierarchy { version, root: mount.root, point: mount.point })
    };
    mounts(mountinfo).into_iter().filter_map(hierarchy).collect()
}

impl Hierarchy {
    /// The folders of a process's group and of all its ancestors, as far up as they are visible. `cgroup` is the
    /// process's `/proc/PID/cgroup`.
    pub(crate) fn folders(&self, cgroup: &str) -> Vec<PathBuf> {
        let of_version = |line: &&str| {
            let controllers = line.split(':').nth(1);
            match self.version {
                CgroupVersion::One => controllers.is_some_and(|all| all.split(',').any(|one| one == "cpu")),
                CgroupVersion::Two => controllers == Some("") && line.starts_with("0:"),
            }
        };
        let Some(path) = cgroup.lines().find(of_version).and_then(|line| line.splitn(3, ':').nth(2)) else {
            return Vec::new();
        };
        // A group outside this mount (in another namespace) is treated as the mount's root.
        let below = Path::new(path).strip_prefix(&self.root).unwrap_or(Path::new(""));
        let plain = below.components().all(|part| matches!(part, Component::Normal(_)));
        let below = if plain { below } else { Path::new("") };
        below.ancestors().map(|group| self.point.join(group)).collect()
    }
}

/// Processors that `cpu.max` grants: `50000 100000` is half of one, and `max 100000` is no limit.
pub(crate) fn quota_of_version_two(text: &str) -> Option<f64> {
    let (quota_us, period_us) = text.trim().split_once(' ')?;
    quota_of_version_one(quota_us, period_us)
}

/// Processors that `cpu.cfs_quota_us` over `cpu.cfs_period_us` grant; -1 is no limit.
pub(crate) fn quota_of_version_one(quota_us: &str, period_us: &str) -> Option<f64> {
    let (quota_us, period_us): (i64, i64) = (quota_us.trim().parse().ok()?, period_us.trim().parse().ok()?);
    (quota_us > 0 && period_us > 0).then(|| quota_us as f64 / period_us as f64)
}

/// The counts of `cpu.stat` since the group was made.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Throttling {
    /// Periods in which a process of the group ran.
    pub(crate) periods: u64,
    /// Periods in which its quota was used up.
    pub(crate) throttled: u64,
    /// How long its processors waited then, in total.
    pub(crate) ns: u64,
}

/// `cpu.stat`, of either version.
pub(crate) fn throttling(text: &str) -> Option<Throttling> {
    let number = |name: &str| {
        text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' ')?.trim().parse::<u64>().ok())
    };
    let ns = number("throttled_time").or_else(|| number("throttled_usec")?.checked_mul(1_000));
    Some(Throttling { periods: number("nr_periods")?, throttled: number("nr_throttled")?, ns: ns? })
}

/// The numbers in a list such as `0-3,8`. Lists that are too long for any machine are refused.
pub(crate) fn list(text: &str) -> Option<Vec<u32>> {
    const MOST: u32 = 1 << 16;
    let mut numbers = Vec::new();
    for part in text.trim().split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (u32, u32) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
        if last < first || last > MOST {
            return None;
        }
        numbers.extend(first..=last);
    }
    Some(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const V1: &str = "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime shared:9 - cgroup cgroup rw,cpu,cpuacct\n\
                      33 31 0:31 / /sys/fs/cgroup/cpuset rw,relatime - cgroup cgroup rw,cpuset\n";
    const V2: &str = "24 30 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";

    fn folders(mountinfo: &str, cgroup: &str) -> Vec<String> {
        let folders = hierarchies(mountinfo).into_iter().flat_map(|h| h.folders(cgroup));
        folders.map(|f| f.to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn a_service_has_its_group_and_all_above() {
        let v2 = folders(V2, "0::/system.slice/postgresql.service\n");
        assert_eq!(
            v2,
            ["/sys/fs/cgroup/system.slice/postgresql.service", "/sys/fs/cgroup/system.slice", "/sys/fs/cgroup/"]
        );
        let v1 = folders(V1, "4:cpu,cpuacct:/a\n3:cpuset:/b\n0::/c\n");
        assert_eq!(v1, ["/sys/fs/cgroup/cpu,cpuacct/a", "/sys/fs/cgroup/cpu,cpuacct/"]);
    }

    #[test]
    fn a_container_sees_its_own_group_as_the_mount() {
        let bind = "800 799 0:29 /docker/5f2e /sys/fs/cgroup/cpu ro - cgroup cgroup rw,cpu\n";
        assert_eq!(folders(bind, "4:cpu:/docker/5f2e\n"), ["/sys/fs/cgroup/cpu/"]);
        assert_eq!(folders(bind, "4:cpu:/docker/5f2e/x\n"), ["/sys/fs/cgroup/cpu/x", "/sys/fs/cgroup/cpu/"]);
        assert_eq!(folders(V2, "0::/\n"), ["/sys/fs/cgroup/"], "a namespace of its own");
        assert_eq!(folders(V2, "0::/../other\n"), ["/sys/fs/cgroup/"], "a process of another namespace");
        assert_eq!(folders(V1, "0::/only\n"), [""; 0]);
    }

    #[test]
    fn quotas_and_throttling_of_both_versions() {
        assert_eq!(quota_of_version_two("max 100000\n"), None);
        assert_eq!(quota_of_version_two("50000 100000\n"), Some(0.5));
        assert_eq!(quota_of_version_two("400000 100000\n"), Some(4.0));
        assert_eq!(quota_of_version_one("-1\n", "100000\n"), None);
        assert_eq!(quota_of_version_one("250000\n", "100000\n"), Some(2.5));
        assert_eq!(quota_of_version_one("1", "0"), None);
        let v1 = "nr_periods 10\nnr_throttled 3\nthrottled_time 1500000\n";
        assert_eq!(throttling(v1), Some(Throttling { periods: 10, throttled: 3, ns: 1_500_000 }));
        let v2 = "usage_usec 9\nnr_periods 10\nnr_throttled 3\nthrottled_usec 1500\nnr_bursts 0\n";
        assert_eq!(throttling(v2), throttling(v1));
        assert_eq!(throttling("usage_usec 9\n"), None, "the root group has no quota");
    }

    #[test]
    fn lists_name_processors() {
        assert_eq!(list("0-2,8\n"), Some(vec![0, 1, 2, 8]));
        for wrong in ["", "x", "3-1", "0-4294967295"] {
            assert_eq!(list(wrong), None, "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn whatever_the_kernel_says_nothing_panics(text in "([0-9a-z:/. ,\\-]{0,40}\n?){0,6}") {
            let _ = (quota_of_version_two(&text), throttling(&text), list(&text));
            let _: Vec<PathBuf> = hierarchies(&text).iter().flat_map(|h| h.folders(&text)).collect();
            let _: Vec<PathBuf> = hierarchies(V2).iter().flat_map(|h| h.folders(&text)).collect();
        }
    }
}
