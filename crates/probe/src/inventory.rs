//! The platform sheet, read once a run.

use crate::missing::{Missing, Reading};
use crate::parse;
use crate::root::Root;
use crate::{cpu, disks, firmware, virtualisation};
use dbdyno_model::{Memory, Platform};
use std::path::PathBuf;

/// Everything that the operating system says about this machine. `data_files` are the database's files (or their future
/// places), so that the disks below them are marked. A value that cannot be read is absent, with the reason in
/// `missing`.
#[must_use]
pub fn inventory(data_files: &[PathBuf]) -> Platform {
    platform(&Root::machine(), data_files)
}

fn platform(root: &Root, data_files: &[PathBuf]) -> Platform {
    let mut missing = Missing::default();
    let info = root.text("proc/cpuinfo").map(|text| parse::cpu_info(&text)).unwrap_or_default();
    Platform {
        host: missing.keep("host", root.word("proc/sys/kernel/hostname")),
        cpu: cpu::cpu(root, &info, &mut missing),
        memory: memory(root, &mut missing),
        numa_nodes: missing.keep("numa_nodes", numa_nodes(root)),
        os: missing.keep("os", distribution(root)),
        kernel: missing.keep("kernel", root.word("proc/sys/kernel/osrelease")),
        virtualisation: missing.keep("virtualisation", virtualisation::virtualisation(root, &info)),
        product: missing.keep("product", virtualisation::product(root)),
        family: None,
        disks: disks::disks(root, data_files, &mut missing),
        firmware: firmware::firmware(root),
        missing: missing.0,
    }
}

fn memory(root: &Root, missing: &mut Missing) -> Memory {
    let text = root.text("proc/meminfo");
    let read = |name: &str| {
        text.clone().and_then(|t| parse::kilobytes(&t, name).ok_or_else(|| format!("/proc/meminfo has no {name}")))
    };
    let transparent = "sys/kernel/mm/transparent_hugepage/enabled";
    let transparent = root.word(transparent).and_then(|text| {
        parse::chosen(&text).map(str::to_owned).ok_or_else(|| format!("/{transparent} has no choice in force"))
    });
    // Kernels before 4.18 lack the sum over all page sizes.
    let huge = read("Hugetlb").or_else(|why| {
        let text = text.as_deref().map_err(String::clone)?;
        let pages = parse::value(text, "HugePages_Total").and_then(|n| n.parse::<u64>().ok());
        pages.zip(parse::kilobytes(text, "Hugepagesize")).and_then(|(n, size)| n.checked_mul(size)).ok_or(why)
    });
    Memory {
        total_bytes: missing.keep("memory.total_bytes", read("MemTotal")),
        huge_pages_bytes: missing.keep("memory.huge_pages_bytes", huge),
        transparent_huge_pages: missing.keep("memory.transparent_huge_pages", transparent),
        swap_bytes: missing.keep("memory.swap_bytes", read("SwapTotal")),
    }
}

fn numa_nodes(root: &Root) -> Reading<u32> {
    let nodes = root.word("sys/devices/system/node/online")?;
    let listed = parse::list(&nodes).and_then(|all| parse::count(all.len()));
    listed.ok_or_else(|| format!("'{nodes}' is no list of nodes"))
}

fn distribution(root: &Root) -> Reading<String> {
    let text = root.text("etc/os-release").or_else(|_| root.text("usr/lib/os-release"))?;
    let name = parse::os_release(&text, "PRETTY_NAME").or_else(|| parse::os_release(&text, "NAME"));
    name.map(str::to_owned).ok_or_else(|| "os-release names no system".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::root::tests::tree;

    #[test]
    fn a_recorded_machine() {
        let (_dir, root) = tree(&[
            ("proc/sys/kernel/hostname", "db1\n"),
            ("proc/sys/kernel/osrelease", "6.1.0-22-amd64\n"),
            ("proc/meminfo", "MemTotal: 1024 kB\nSwapTotal: 0 kB\nHugePages_Total: 3\nHugepagesize: 2048 kB\n"),
            ("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n"),
            ("sys/devices/system/node/online", "0-1\n"),
            ("usr/lib/os-release", "NAME=x\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n"),
        ]);
        let sheet = platform(&root, &[]);
        assert_eq!(sheet.host.as_deref(), Some("db1"));
        assert_eq!(sheet.os.as_deref(), Some("Debian GNU/Linux 12 (bookworm)"));
        assert_eq!(sheet.kernel.as_deref(), Some("6.1.0-22-amd64"));
        assert_eq!(sheet.numa_nodes, Some(2));
        assert_eq!(sheet.memory.total_bytes, Some(1 << 20));
        assert_eq!(sheet.memory.huge_pages_bytes, Some(6 << 20));
        assert_eq!(sheet.memory.swap_bytes, Some(0), "no swap is known to be none");
        assert_eq!(sheet.memory.transparent_huge_pages.as_deref(), Some("madvise"));
        let absent: Vec<&str> = sheet.missing.keys().map(String::as_str).collect();
        let expected = [
            "cpu.clock_mhz",
            "cpu.cores",
            "cpu.governor",
            "cpu.limits",
            "cpu.model",
            "cpu.sockets",
            "disks",
            "product",
            "virtualisation",
        ];
        assert_eq!(absent, expected);
    }

    #[test]
    fn an_empty_machine_gives_a_reason_for_everything() {
        let (_dir, root) = tree(&[("etc/x", "")]);
        let sheet = platform(&root, &[]);
        for path in ["host", "os", "kernel", "numa_nodes", "memory.total_bytes", "memory.huge_pages_bytes"] {
            assert!(!sheet.missing[path].is_empty(), "{path}");
        }
    }
}
