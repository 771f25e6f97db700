//! Pure functions on the kernel's texts. Nothing here reads a file, and nothing may panic: an unknown text gives `None`
//! or an empty list.

mod cgroups;
mod counters;
mod cpuinfo;
mod mounts;
mod text;

pub(crate) use cgroups::{
    CgroupVersion, Hierarchy, Throttling, hierarchies, list, quota_of_version_one, quota_of_version_two, throttling,
};
pub(crate) use counters::{
    CpuTicks, DeviceCounts, InterfaceBytes, OwnIo, cpu_ticks, cpu_ticks_of, devices, interfaces, own_io,
    pressure_some_us, resident_pages, runnable, swapped_pages,
};
pub(crate) use cpuinfo::{CpuInfo, count, cpu_info};
pub(crate) use mounts::{Mount, mount_of, mounts};
pub(crate) use text::{chosen, container_of_cgroup, kilobytes, os_release, value};

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
        assert_eq!(list("0"), Some(vec![0]));
        assert_eq!(list("0-3,8,10-11\n"), Some(vec![0, 1, 2, 3, 8, 10, 11]));
        assert_eq!(list("3-0"), None);
        assert_eq!(list(""), None);
        assert_eq!(list("0-4294967295"), None);
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
            let _ = (value(&text, &name), kilobytes(&text, &name), chosen(&text), list(&text));
            let _ = (os_release(&text, &name), container_of_cgroup(&text), cpu_info(&text), mounts(&text));
            let _ = (cpu_ticks(&text), devices(&text), interfaces(&text), own_io(&text));
            let _ = (pressure_some_us(&text), resident_pages(&text), swapped_pages(&text));
        }

        #[test]
        fn lists_count_what_they_name(numbers in proptest::collection::vec(0u32..10_000, 1..20)) {
            let text = numbers.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
            prop_assert_eq!(list(&text), Some(numbers));
        }
    }
}
