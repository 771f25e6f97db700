//! Versions of what runs below the operating system: the machine's firmware, the processors' microcode, the disks'
//! firmware. Virtual machines show few of them.

use crate::devices::directory;
use crate::parse;
use crate::root::Root;
use std::collections::BTreeMap;

/// The versions by what they are of. What is not shown is not there.
pub(crate) fn firmware(root: &Root) -> BTreeMap<String, String> {
    let dmi = |file: &str| root.word(&format!("sys/class/dmi/id/{file}")).ok();
    let bios = dmi("bios_version").map(|version| match dmi("bios_date") {
        Some(date) => format!("{version} ({date})"),
        None => version,
    });
    let info = root.text("proc/cpuinfo").unwrap_or_default();
    let microcode = parse::value(&info, "microcode").map(str::to_owned);
    let of_machine = [("BIOS", bios), ("microcode", microcode)];
    let of_machine = of_machine.into_iter().filter_map(|(of, version)| Some((of.to_owned(), version?)));
    let of_disks = root.names("sys/block").into_iter().filter_map(|disk| {
        let files = ["firmware_rev", "rev"].map(|file| format!("{}/device/{file}", directory(&disk)));
        let version = files.iter().find_map(|file| root.word(file).ok())?;
        Some((disk, version))
    });
    of_machine.chain(of_disks).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::root::tests::tree;

    #[test]
    fn machine_processors_and_disks_have_versions() {
        let (_dir, root) = tree(&[
            ("sys/class/dmi/id/bios_version", "U30 v2.90\n"),
            ("sys/class/dmi/id/bios_date", "07/20/2023\n"),
            ("proc/cpuinfo", "processor\t: 0\nmicrocode\t: 0x1000065\n"),
            ("sys/block/nvme0n1/device/firmware_rev", "GDC5602Q\n"),
            ("sys/block/sda/device/rev", "0003\n"),
            ("sys/block/vda/size", "8\n"),
        ]);
        let shown = firmware(&root);
        let shown: Vec<_> = shown.iter().map(|(of, version)| (of.as_str(), version.as_str())).collect();
        let bios = ("BIOS", "U30 v2.90 (07/20/2023)");
        assert_eq!(shown, [bios, ("microcode", "0x1000065"), ("nvme0n1", "GDC5602Q"), ("sda", "0003")]);
        let (_dir, root) = tree(&[("etc/x", "")]);
        assert!(firmware(&root).is_empty(), "a machine that shows none");
    }
}
