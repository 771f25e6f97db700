//! Pure functions on the kernel's texts. Nothing here reads a file, and nothing may panic: an unknown text gives `None`
//! or an empty list.

mod cgroups;
mod counters;
mod cpuinfo;
mod mounts;

pub(crate) use cgroups::{
    CgroupVersion, Hierarchy, Throttling, hierarchies, list, quota_of_version_one, quota_of_version_two, throttling,
};
pub(crate) use counters::{
    CpuTicks, DeviceCounts, InterfaceBytes, OwnIo, cpu_ticks, devices, interfaces, own_io, pressure_some_us,
    resident_pages, swapped_pages,
};
pub(crate) use cpuinfo::{CpuInfo, cpu_info};
pub(crate) use mounts::{Mount, mount_of, mounts};

/// The value of a `name: value`, `name : value` or `name=value` line.
pub(crate) fn value<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.lines().find_map(|line| {
        let rest = line.strip_prefix(name)?.trim_start();
        rest.strip_prefix([':', '=']).map(str::trim)
    })
}

/// A value in kB (`MemTotal:  16 kB`), in bytes.
pub(crate) fn kilobytes(text: &str, name: &str) -> Option<u64> {
    value(text, name)?.strip_suffix("kB")?.trim_end().parse::<u64>().ok()?.checked_mul(1024)
}

/// The active choice in a list such as `always [madvise] never`; a single word is active.
pub(crate) fn chosen(text: &str) -> Option<&str> {
    let text = text.trim();
    match text.split_once('[') {
        Some((_, rest)) => rest.split_once(']').map(|(word, _)| word),
        None => (!text.is_empty() && !text.contains(char::is_whitespace)).then_some(text),
    }
}

/// The number of items in a list such as `0-3,8`.
pub(crate) fn list_length(text: &str) -> Option<u32> {
    text.trim().split(',').try_fold(0u32, |sum, part| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (u32, u32) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
        sum.checked_add(last.checked_sub(first)?.checked_add(1)?)
    })
}

/// A value of os-release, without its quotes.
pub(crate) fn os_release<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    value(text, name).map(|v| v.trim_matches(['"', '\''])).filter(|v| !v.is_empty())
}

/// The container runtime that a control-group path shows, in either version of control groups.
pub(crate) fn container_of_cgroup(text: &str) -> Option<&'static str> {
    const MARKS: [(&str, &str); 6] = [
        ("kubepods", "kubernetes"),
        ("docker", "docker"),
        ("libpod", "podman"),
        ("crio", "cri-o"),
        ("containerd", "containerd"),
        ("lxc", "lxc"),
    ];
    // Only scopes and slices of a runtime mark a container; docker.service is the daemon itself.
    let paths = text.lines().filter_map(|l| l.splitn(3, ':').nth(2)).filter(|p| !p.ends_with(".service"));
    let paths: Vec<&str> = paths.collect();
    MARKS.iter().find(|(mark, _)| paths.iter().any(|p| p.contains(mark))).map(|(_, name)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn values_of_lines() {
        let text = "MemTotal:       24684084 kB\nHugePages_Total:       4\nNAME=\"Debian GNU/Linux\"\nEmpty=\n";
        assert_eq!(kilobytes(text, "MemTotal"), Some(24_684_084 * 1024));
        assert_eq!(kilobytes(text, "HugePages_Total"), None, "a count is no size");
        assert_eq!(value(text, "HugePages_Total"), Some("4"));
        assert_eq!(value(text, "Mem"), None, "a prefix is no name");
        assert_eq!(os_release(text, "NAME"), Some("Debian GNU/Linux"));
        assert_eq!(os_release(text, "Empty"), None);
        assert_eq!(value("", "x"), None);
    }

    #[test]
    fn choices() {
        assert_eq!(chosen("always [madvise] never\n"), Some("madvise"));
        assert_eq!(chosen("[none] mq-deadline kyber"), Some("none"));
        assert_eq!(chosen("none"), Some("none"), "multi-queue devices with one scheduler");
        assert_eq!(chosen("always madvise"), None);
        assert_eq!(chosen("[broken"), None);
        assert_eq!(chosen(""), None);
    }

    #[test]
    fn lists() {
        assert_eq!(list_length("0"), Some(1));
        assert_eq!(list_length("0-3,8,10-11\n"), Some(7));
        assert_eq!(list_length("3-0"), None);
        assert_eq!(list_length(""), None);
        assert_eq!(list_length("0-4294967295"), None);
    }

    #[test]
    fn containers_leave_marks_in_both_versions_of_control_groups() {
        let v1 = "12:cpu,cpuacct:/docker/5f2e\n1:name=systemd:/docker/5f2e\n";
        assert_eq!(container_of_cgroup(v1), Some("docker"));
        assert_eq!(
            container_of_cgroup("0::/kubepods.slice/kubepods-pod1.slice/cri-containerd-2b.scope"),
            Some("kubernetes")
        );
        assert_eq!(container_of_cgroup("0::/machine.slice/libpod-9c.scope"), Some("podman"));
        assert_eq!(container_of_cgroup("11:memory:/lxc/web\n0::/"), Some("lxc"));
        assert_eq!(container_of_cgroup("0::/system.slice/docker.service"), None, "the daemon is no container");
        assert_eq!(container_of_cgroup("9:name=systemd:/\n0::/user.slice/user-0.slice"), None);
        assert_eq!(container_of_cgroup(""), None);
    }

    /// Lines that look like the kernel's, with random contents.
    fn kernel_like() -> impl Strategy<Value = String> {
        let word = prop_oneof![
            Just("cpu ".to_owned()),
            Just("processor\t: ".to_owned()),
            Just("some total=".to_owned()),
            Just("eth0: ".to_owned()),
            Just(" - ".to_owned()),
            Just("18446744073709551615 ".to_owned()),
            Just("\\040".to_owned()),
            Just("\\9é".to_owned()),
            Just("[".to_owned()),
            Just("\n".to_owned()),
            "[0-9]{1,22} ",
            any::<String>(),
        ];
        proptest::collection::vec(word, 0..40).prop_map(|words| words.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]

        #[test]
        fn no_text_makes_a_parser_panic(text in kernel_like(), name in "[a-zA-Z ]{0,9}") {
            let _ = (value(&text, &name), kilobytes(&text, &name), chosen(&text), list_length(&text));
            let _ = (os_release(&text, &name), container_of_cgroup(&text), cpu_info(&text), mounts(&text));
            let _ = (cpu_ticks(&text), devices(&text), interfaces(&text), own_io(&text));
            let _ = (pressure_some_us(&text), resident_pages(&text), swapped_pages(&text));
        }

        #[test]
        fn lists_count_what_they_name(numbers in proptest::collection::vec(0u32..10_000, 1..20)) {
            let text = numbers.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
            prop_assert_eq!(list_length(&text), u32::try_from(numbers.len()).ok());
        }
    }
}
