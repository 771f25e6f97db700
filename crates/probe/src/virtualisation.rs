//! Whether this is bare metal, a virtual machine or a container, and the vendor and product of the machine.

use crate::missing::Reading;
use crate::names::{NAMES, name_in};
use crate::parse::{self, CpuInfo};
use crate::root::Root;

/// The folder with the firmware's texts about the machine.
const DMI: &str = "sys/class/dmi/id";

/// `none` on bare metal, else the hypervisor. In a container, its runtime and what is below: `docker on kvm`.
pub(crate) fn virtualisation(root: &Root, info: &CpuInfo) -> Reading<String> {
    match (container(root), hypervisor(root, info)) {
        (Some(container), Ok(None)) => Ok(format!("{container} on bare metal")),
        (Some(container), Ok(Some(hypervisor))) => Ok(format!("{container} on {hypervisor}")),
        (Some(container), Err(_)) => Ok(container),
        (None, Ok(hypervisor)) => Ok(hypervisor.unwrap_or("none").to_owned()),
        (None, Err(why)) => Err(why),
    }
}

fn container(root: &Root) -> Option<String> {
    // All container managers should write this file (a convention of systemd). The other marks are of one manager.
    if let Ok(name) = root.word("run/systemd/container") {
        return Some(name);
    }
    if root.has("run/.containerenv") {
        return Some("podman".to_owned());
    }
    let by_cgroup = root.text("proc/self/cgroup").ok().and_then(|text| parse::container_of_cgroup(&text));
    by_cgroup.or_else(|| root.has(".dockerenv").then_some("docker")).map(str::to_owned)
}

/// The hypervisor; `None` on bare metal.
fn hypervisor(root: &Root, info: &CpuInfo) -> Reading<Option<&'static str>> {
    let firmware = ["sys_vendor", "product_name", "bios_vendor", "board_vendor", "product_version"]
        .map(|file| root.word(&format!("{DMI}/{file}")).unwrap_or_default());
    let clock_sources = "sys/devices/system/clocksource/clocksource0/available_clocksource";
    let named = name_in(&NAMES.firmware, &firmware)
        .or_else(|| root.word("sys/hypervisor/type").ok().and_then(|t| (t == "xen").then_some("xen")))
        .or_else(|| name_in(&NAMES.clock_sources, &[root.word(clock_sources).ok()?]))
        .or_else(|| name_in(&NAMES.device_trees, &[root.word("proc/device-tree/hypervisor/compatible").ok()?]));
    match info.hypervisor {
        // A cloud's bare-metal instance has the cloud's name in its firmware, but the processor's flag is not set.
        Some(false) => Ok(None),
        Some(true) => Ok(Some(named.unwrap_or("unknown hypervisor"))),
        // Only x86 has the flag. Elsewhere, firmware that names no hypervisor means bare metal.
        None if named.is_some() || firmware.iter().any(|text| !text.is_empty()) => Ok(named),
        None => Err("neither the processor nor the firmware tells whether this is a virtual machine".to_owned()),
    }
}

/// Vendor and product of the server.
pub(crate) fn product(root: &Root) -> Reading<String> {
    // What the firmware has where the maker of the board has filled in nothing.
    let placeholders = ["To Be Filled By O.E.M.", "System manufacturer", "System Product Name", "Default string"];
    let word = |file| root.word(&format!("{DMI}/{file}")).ok().filter(|w| !placeholders.contains(&w.as_str()));
    let parts: Vec<String> = [word("sys_vendor"), word("product_name")].into_iter().flatten().collect();
    if parts.is_empty() {
        let model = root.word("proc/device-tree/model");
        return model.map_err(|_| "the firmware names neither vendor nor product".to_owned());
    }
    Ok(parts.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::root::tests::tree;

    fn flag(hypervisor: impl Into<Option<bool>>) -> CpuInfo {
        CpuInfo { hypervisor: hypervisor.into(), ..CpuInfo::default() }
    }

    #[test]
    fn bare_metal_even_in_a_cloud() {
        let (_dir, root) = tree(&[
            ("sys/class/dmi/id/sys_vendor", "Amazon EC2\n"),
            ("sys/class/dmi/id/product_name", "m5.metal\n"),
            ("proc/self/cgroup", "0::/user.slice\n"),
        ]);
        assert_eq!(virtualisation(&root, &flag(false)).unwrap(), "none");
        assert_eq!(virtualisation(&root, &flag(true)).unwrap(), "kvm (Amazon EC2)");
        assert_eq!(product(&root).unwrap(), "Amazon EC2 m5.metal");
    }

    #[test]
    fn virtual_machines_and_containers() {
        let (_dir, root) = tree(&[
            ("sys/class/dmi/id/sys_vendor", "VMware, Inc.\n"),
            ("sys/class/dmi/id/product_name", "Default string\n"),
            ("proc/self/cgroup", "0::/kubepods.slice/x.scope\n"),
        ]);
        assert_eq!(virtualisation(&root, &flag(true)).unwrap(), "kubernetes on vmware");
        assert_eq!(virtualisation(&root, &flag(false)).unwrap(), "kubernetes on bare metal");
        assert_eq!(product(&root).unwrap(), "VMware, Inc.");

        let clock = ("sys/devices/system/clocksource/clocksource0/available_clocksource", "tsc kvm-clock \n");
        let (_dir, root) = tree(&[clock]);
        assert_eq!(virtualisation(&root, &flag(true)).unwrap(), "kvm", "no firmware table: small hypervisors");
        let (_dir, root) = tree(&[("etc/x", "")]);
        assert_eq!(virtualisation(&root, &flag(true)).unwrap(), "unknown hypervisor");
    }

    #[test]
    fn other_architectures_have_no_flag() {
        let (_dir, arm) = tree(&[("sys/class/dmi/id/sys_vendor", "QEMU\n")]);
        assert_eq!(virtualisation(&arm, &flag(None)).unwrap(), "kvm");
        let (_dir, metal) = tree(&[("sys/class/dmi/id/sys_vendor", "Supermicro\n")]);
        assert_eq!(virtualisation(&metal, &flag(None)).unwrap(), "none");
        let (_dir, silent) = tree(&[("proc/device-tree/model", "Raspberry Pi 5\0")]);
        assert!(virtualisation(&silent, &flag(None)).is_err());
        assert_eq!(product(&silent).unwrap(), "Raspberry Pi 5");
    }
}
