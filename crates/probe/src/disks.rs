//! The block devices of the inventory.

use crate::devices::{BlockDevices, DeviceNames, directory};
use crate::missing::{Missing, Reading};
use crate::parse;
use crate::root::Root;
use dbdyno_model::Disk;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Images that are mounted read-only in large numbers (snaps, CDs) say nothing about a platform.
const IMAGES: [&str; 2] = ["squashfs", "iso9660"];

/// Physical devices, and others that hold the database or are mounted.
pub(crate) fn disks(root: &Root, data_files: &[PathBuf], missing: &mut Missing) -> Vec<Disk> {
    let devices = BlockDevices::read(root);
    let (database, problems) = devices.of_files(data_files);
    if !problems.is_empty() {
        missing.note("disks.holds_database", problems.join("; "));
    }
    let mut mounted: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for mount in devices.mounts.iter().filter(|m| !IMAGES.contains(&m.kind.as_str())) {
        for name in devices.of_mount(mount).unwrap_or_default() {
            let mounts = mounted.entry(name).or_default();
            let mount = mount.describe();
            if !mounts.contains(&mount) {
                mounts.push(mount);
            }
        }
    }
    let mut names: DeviceNames = devices.physical();
    names.extend(database.iter().cloned());
    names.extend(mounted.keys().cloned());
    if names.is_empty() {
        missing.note("disks", "no block device can be seen from here");
    }
    let disk = |name: String| Disk {
        mounts: mounted.remove(&name).unwrap_or_default(),
        holds_database: database.contains(&name),
        ..properties(root, name, missing)
    };
    names.into_iter().map(disk).collect()
}

fn properties(root: &Root, name: String, missing: &mut Missing) -> Disk {
    let dir = directory(&name);
    let read = |file: &str| root.word(&format!("{dir}/{file}"));
    let mut keep = |what: &str, reading| missing.keep(&format!("disks.{name}.{what}"), reading);
    let model = keep("model", model(root, &dir));
    let scheduler = keep("scheduler", read("queue/scheduler").and_then(|text| scheduler(&text)));
    let write_cache = keep("write_cache", read("queue/write_cache"));
    let size = read("size").and_then(|text| number(&text).map(|sectors| sectors.saturating_mul(512)));
    let rotational = read("queue/rotational").and_then(|text| number(&text).map(|n| n != 0));
    Disk {
        model,
        size_bytes: missing.keep(&format!("disks.{name}.size_bytes"), size),
        rotational: missing.keep(&format!("disks.{name}.rotational"), rotational),
        scheduler,
        write_cache,
        name,
        ..Disk::default()
    }
}

fn model(root: &Root, dir: &str) -> Reading<String> {
    let word = |file: &str| root.word(&format!("{dir}/device/{file}"));
    // SATA disks all have the vendor ATA; PCI vendors are numbers.
    let vendor = word("vendor").ok().filter(|v| v != "ATA" && !v.starts_with("0x"));
    let model = word("model").or_else(|_| word("name"));
    let model = model.map_err(|_| "the device names no model (usual in virtual machines)".to_owned())?;
    Ok(vendor.map_or_else(|| model.clone(), |vendor| format!("{vendor} {model}")))
}

fn scheduler(text: &str) -> Reading<String> {
    parse::chosen(text).map(str::to_owned).ok_or_else(|| format!("'{text}' names no scheduler in force"))
}

fn number(text: &str) -> Reading<u64> {
    text.parse().map_err(|_| format!("'{text}' is no number"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::devices::tests::machine;

    #[test]
    fn disks_with_what_is_mounted_from_them() {
        let (_dir, root) = machine();
        let mut missing = Missing::default();
        let disks = disks(&root, &[], &mut missing);
        let disk = |name: &str| disks.iter().find(|d| d.name == name).unwrap();
        assert_eq!(disks.len(), 4);
        let expected = Disk {
            name: "sda".to_owned(),
            model: Some("SuperDisk 9".to_owned()),
            size_bytes: Some(4096 * 512),
            rotational: Some(true),
            scheduler: Some("mq-deadline".to_owned()),
            write_cache: Some("write back".to_owned()),
            mounts: vec!["/ ext4 (rw)".to_owned()],
            holds_database: false,
        };
        assert_eq!(*disk("sda"), expected);
        assert_eq!(disk("nvme1n1").mounts, ["/data xfs (rw,noatime)"], "through the volume and the mirror");
        assert_eq!(disk("cciss/c0d0").model.as_deref(), Some("Logical"));
        assert_eq!(missing.0["disks.nvme0n1.scheduler"], "there is no /sys/block/nvme0n1/queue/scheduler here");
        assert!(!missing.0.keys().any(|path| path.starts_with("disks.sda")));
    }

    #[test]
    fn a_machine_without_devices_says_so() {
        let (_dir, root) = crate::root::tests::tree(&[("etc/x", "")]);
        let mut missing = Missing::default();
        assert!(disks(&root, &[], &mut missing).is_empty());
        assert!(missing.0.contains_key("disks"));
    }
}
