//! From a file to the devices that hold it. A file lies on a file system. The file system lies on a partition, a volume
//! or a loop device, and that on whole devices. Only the counters of whole devices show what really reached storage.

use crate::missing::Reading;
use crate::os::{self, DeviceNumber};
use crate::parse::{self, Mount};
use crate::root::{Root, names_in, unreadable};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// A deeper stack of devices is a cycle.
const DEEPEST: u32 = 16;

/// Kernel names of whole devices at the bottom of their stacks.
pub(crate) type DeviceNames = BTreeSet<String>;

/// The machine's block devices and what is mounted from them.
#[derive(Debug)]
pub(crate) struct BlockDevices {
    root: Root,
    /// All mounts.
    pub(crate) mounts: Vec<Mount>,
}

impl BlockDevices {
    /// Reads the table of mounts.
    pub(crate) fn read(root: &Root) -> Self {
        let mounts = parse::mounts(&root.text("proc/self/mountinfo").unwrap_or_default());
        Self { root: root.clone(), mounts }
    }

    /// All whole devices, including those made of others.
    pub(crate) fn whole(&self) -> DeviceNames {
        self.root.names("sys/block").into_iter().map(|n| n.replace('!', "/")).collect()
    }

    /// Whole devices with real or virtual hardware behind them; no optical or floppy drives.
    pub(crate) fn physical(&self) -> DeviceNames {
        const SCSI_OPTICAL: &str = "5";
        let real = |name: &String| {
            let dir = directory(name);
            let optical = self.root.word(&format!("{dir}/device/type")).is_ok_and(|t| t == SCSI_OPTICAL);
            self.root.has(&format!("{dir}/device")) && !optical && !name.starts_with("fd")
        };
        self.whole().into_iter().filter(real).collect()
    }

    /// The devices below all of these files, and why some files have none.
    pub(crate) fn of_files(&self, files: &[PathBuf]) -> (DeviceNames, Vec<String>) {
        let (mut devices, mut problems) = (DeviceNames::new(), Vec::new());
        for file in files {
            match self.of_file(file) {
                Ok(found) => devices.extend(found),
                Err(why) if !problems.contains(&why) => problems.push(why),
                Err(_) => {}
            }
        }
        (devices, problems)
    }

    /// The devices below a file, or below the folder where it will be created.
    pub(crate) fn of_file(&self, file: &Path) -> Reading<DeviceNames> {
        self.below_file(file, DEEPEST)
    }

    /// The devices below a mount.
    pub(crate) fn of_mount(&self, mount: &Mount) -> Reading<DeviceNames> {
        self.below_mount(mount, DEEPEST)
    }

    fn below_file(&self, file: &Path, depth: u32) -> Reading<DeviceNames> {
        let place = existing(file)?;
        // A device node itself lies in memory, as all of /dev does.
        if let Ok(device) = os::device_of_node(&place) {
            return self.below_device(device, depth);
        }
        let device = os::device_of(&place).map_err(|e| unreadable(&place, &e))?;
        // File systems without a device of their own have major 0.
        if device.0 != 0 {
            return self.below_device(device, depth);
        }
        let unknown = || format!("{} lies on a file system that is not in the table of mounts", place.display());
        if let Some((process, inside)) = inside_process(&place) {
            let table = process.join("mountinfo");
            let text = std::fs::read_to_string(&table).map_err(|e| unreadable(&table, &e))?;
            let mounts = parse::mounts(&text);
            return self.below_mount(parse::mount_of(&mounts, &inside).ok_or_else(unknown)?, depth);
        }
        self.below_mount(parse::mount_of(&self.mounts, &place).ok_or_else(unknown)?, depth)
    }

    /// Why reads of the devices below a file do not show reads of the file: a loop device without direct I/O has the
    /// page cache below it again, under the name of its own file.
    pub(crate) fn cached_below(&self, file: &Path) -> Option<String> {
        const LOOP: u32 = 7;
        let device = os::device_of(&existing(file).ok()?).ok().filter(|device| device.0 == LOOP)?;
        let direct = self.root.word(&format!("{}/loop/dio", number_link(device)));
        direct.is_ok_and(|dio| dio == "0").then(|| {
            "the files lie on a loop device, below which the page cache keeps them once more (losetup --direct-io=on)".to_owned()
        })
    }

    /// Whether a file lies in memory: on a file system in memory, on a disk in memory, or on a loop device over such a
    /// file.
    pub(crate) fn in_memory(&self, file: &Path) -> bool {
        let disk = |name: &String| self.disk_in_memory(name).is_some();
        crate::is_memory(file) || self.of_file(file).is_ok_and(|names| !names.is_empty() && names.iter().all(disk))
    }

    /// The kind of a disk that is memory: zram, brd, or a loop over a file in memory.
    pub(crate) fn disk_in_memory(&self, disk: &str) -> Option<String> {
        let number = |rest: &str| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit());
        if ["ram", "zram"].iter().any(|kind| disk.strip_prefix(kind).is_some_and(number)) {
            return Some(format!("{disk}, which is memory"));
        }
        let file = self.root.word(&format!("{}/loop/backing_file", directory(disk))).ok()?;
        crate::is_memory(Path::new(&file)).then(|| format!("{disk}, whose file {file} lies in memory"))
    }

    fn below_mount(&self, mount: &Mount, depth: u32) -> Reading<DeviceNames> {
        if depth == 0 {
            return Err(format!("the devices below {} go round in a circle", mount.point.display()));
        }
        if mount.device.0 != 0 {
            return self.below_device(mount.device, depth);
        }
        let what = format!("{} is {}", mount.point.display(), mount.kind);
        if mount.kind == "overlay" {
            let upper = mount.option("upperdir").map(Path::new).filter(|dir| dir.exists());
            let upper = upper.ok_or_else(|| format!("{what}, whose upper layer cannot be seen from here"))?;
            return self.below_file(upper, depth - 1);
        }
        if !mount.source.starts_with("/dev/") {
            return Err(format!("{what}, which has no block device of its own"));
        }
        let node = os::device_of_node(Path::new(&mount.source))
            .map_err(|e| format!("{what} on {}, which cannot be examined: {e}", mount.source))?;
        let mut devices = self.below_device(node, depth)?;
        for member in self.btrfs_members(node) {
            devices.extend(self.below(&member, depth)?);
        }
        Ok(devices)
    }

    /// The other devices of a btrfs file system, from one device.
    fn btrfs_members(&self, known: DeviceNumber) -> Vec<PathBuf> {
        let known = std::fs::canonicalize(self.root.path(&number_link(known))).ok();
        let systems = self.root.names("sys/fs/btrfs");
        let members = systems.iter().map(|id| {
            let dir = self.root.path(&format!("sys/fs/btrfs/{id}/devices"));
            names_in(&dir).iter().filter_map(|n| std::fs::canonicalize(dir.join(n)).ok()).collect::<Vec<_>>()
        });
        members.into_iter().find(|m| m.iter().any(|d| Some(d) == known.as_ref())).unwrap_or_default()
    }

    fn below_device(&self, device: DeviceNumber, depth: u32) -> Reading<DeviceNames> {
        let link = number_link(device);
        let dir =
            std::fs::canonicalize(self.root.path(&link)).map_err(|e| unreadable(Path::new("/").join(&link), &e))?;
        self.below(&dir, depth)
    }

    /// Goes down from a device's directory in /sys.
    fn below(&self, dir: &Path, depth: u32) -> Reading<DeviceNames> {
        if depth == 0 {
            return Err(format!("the devices below {} go round in a circle", dir.display()));
        }
        if dir.join("partition").exists() {
            return dir.parent().map_or_else(|| Ok(DeviceNames::new()), |whole| self.below(whole, depth - 1));
        }
        let slaves = names_in(&dir.join("slaves"));
        if !slaves.is_empty() {
            let mut devices = DeviceNames::new();
            for slave in slaves {
                let link = dir.join("slaves").join(slave);
                let dir = std::fs::canonicalize(&link).map_err(|e| unreadable(&link, &e))?;
                devices.extend(self.below(&dir, depth - 1)?);
            }
            return Ok(devices);
        }
        let backing = std::fs::read_to_string(dir.join("loop/backing_file")).ok();
        if let Some(found) = backing.and_then(|file| self.below_file(Path::new(file.trim_end()), depth - 1).ok()) {
            return Ok(found);
        }
        // The bottom, or a loop device whose file is not visible from here.
        Ok(dir.file_name().map(|name| name.to_string_lossy().replace('!', "/")).into_iter().collect())
    }
}

/// A device's directory. The kernel writes `!` for the slash in names such as `cciss/c0d0`.
pub(crate) fn directory(name: &str) -> String {
    format!("sys/block/{}", name.replace('/', "!"))
}

/// Why a device counts nothing, if its counters are switched off.
pub(crate) fn uncounted(root: &Root, name: &str) -> Option<String> {
    let off = root.word(&format!("{}/queue/iostats", directory(name))).is_ok_and(|on| on == "0");
    off.then(|| format!("{name} does not count (its queue/iostats is 0; write 1 to it)"))
}

fn number_link((major, minor): DeviceNumber) -> String {
    format!("sys/dev/block/{major}:{minor}")
}

/// Splits `/proc/PID/root/...`, the path of a file as another process sees it: the process's folder, and the path that
/// the process sees.
fn inside_process(path: &Path) -> Option<(PathBuf, PathBuf)> {
    let mut parts = path.strip_prefix("/proc").ok()?.components();
    let pid: u32 = parts.next()?.as_os_str().to_str()?.parse().ok()?;
    (parts.next()?.as_os_str() == "root")
        .then(|| (Path::new("/proc").join(pid.to_string()), Path::new("/").join(parts.as_path())))
}

/// The path without links, or its nearest parent that exists. A path through another process stays as it is, because
/// its link leads into another table of mounts, which no text can express.
fn existing(path: &Path) -> Reading<PathBuf> {
    let absolute = std::path::absolute(path).map_err(|e| unreadable(path, &e))?;
    if inside_process(&absolute).is_some() {
        let place = absolute.ancestors().find(|p| p.exists() && inside_process(p).is_some());
        return place.map(Path::to_owned).ok_or_else(|| format!("{} cannot be reached", path.display()));
    }
    let place = absolute.ancestors().find_map(|p| std::fs::canonicalize(p).ok());
    place.ok_or_else(|| format!("no part of {} can be reached", path.display()))
}

/// The share of these files' bytes that lie in memory: on tmpfs or ramfs, on a disk in memory, or on a loop device over
/// such. `None` where there are no files.
#[must_use]
pub fn share_in_memory(files: &[PathBuf]) -> f64 {
    let devices = BlockDevices::read(&Root::machine());
    let (mut inside, mut all) = (0, 0);
    for file in files {
        let bytes = std::fs::metadata(file).map_or(0, |about| about.len());
        all += bytes;
        inside += if devices.in_memory(file) { bytes } else { 0 };
    }
    if all == 0 { 0.0 } else { inside as f64 / all as f64 }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    /// A machine with a partitioned disk, a mirror of two NVMe drives with a volume on it, a disk of a RAID controller
    /// and an optical drive.
    pub(crate) fn machine() -> (tempfile::TempDir, Root) {
        let files = [
            ("sys/devices/pci/block/sda/size", "4096\n"),
            ("sys/devices/pci/block/sda/device/vendor", "ATA     \n"),
            ("sys/devices/pci/block/sda/device/model", "SuperDisk 9\n"),
            ("sys/devices/pci/block/sda/queue/rotational", "1\n"),
            ("sys/devices/pci/block/sda/queue/scheduler", "none [mq-deadline] bfq\n"),
            ("sys/devices/pci/block/sda/queue/write_cache", "write back\n"),
            ("sys/devices/pci/block/sda/sda1/partition", "1\n"),
            ("sys/devices/pci/block/nvme0n1/device/model", "Fast One\n"),
            ("sys/devices/pci/block/nvme1n1/device/model", "Fast One\n"),
            ("sys/devices/pci/block/nvme1n1/nvme1n1p2/partition", "2\n"),
            ("sys/devices/pci/block/cciss!c0d0/device/model", "Logical\n"),
            ("sys/devices/pci/block/sr0/device/type", "5\n"),
            ("sys/devices/virtual/block/md0/size", "8\n"),
            ("sys/devices/virtual/block/dm-3/size", "8\n"),
            ("sys/devices/virtual/block/dm-4/size", "8\n"),
            (
                "proc/self/mountinfo",
                "27 1 8:1 / / rw - ext4 /dev/sda1 rw\n28 27 253:3 / /data rw,noatime - xfs /dev/mapper/vg-data rw\n\
                 29 27 0:50 / /dev/shm rw - tmpfs tmpfs rw\n31 27 0:5 / /proc rw - proc proc rw\n30 27 7:1 / /snap/core ro - squashfs /dev/loop1 ro\n",
            ),
        ];
        let (dir, root) = crate::root::tests::tree(&files);
        let link = |at: &str, to: &str| {
            let at = root.path(at);
            std::fs::create_dir_all(at.parent().unwrap()).unwrap();
            symlink(root.path("sys/devices").canonicalize().unwrap().join(to), at).unwrap();
        };
        for name in ["sda", "nvme0n1", "nvme1n1", "cciss!c0d0", "sr0"] {
            link(&format!("sys/block/{name}"), &format!("pci/block/{name}"));
        }
        for name in ["md0", "dm-3", "dm-4"] {
            link(&format!("sys/block/{name}"), &format!("virtual/block/{name}"));
        }
        link("sys/dev/block/8:1", "pci/block/sda/sda1");
        link("sys/dev/block/9:0", "virtual/block/md0");
        link("sys/dev/block/104:0", "pci/block/cciss!c0d0");
        link("sys/dev/block/253:3", "virtual/block/dm-3");
        link("sys/dev/block/253:4", "virtual/block/dm-4");
        link("sys/devices/virtual/block/md0/slaves/nvme0n1", "pci/block/nvme0n1");
        link("sys/devices/virtual/block/md0/slaves/nvme1n1p2", "pci/block/nvme1n1/nvme1n1p2");
        link("sys/devices/virtual/block/dm-3/slaves/md0", "virtual/block/md0");
        link("sys/devices/virtual/block/dm-4/slaves/dm-4", "virtual/block/dm-4");
        (dir, root)
    }

    fn names(names: &DeviceNames) -> Vec<&str> {
        names.iter().map(String::as_str).collect()
    }

    #[test]
    fn partitions_volumes_and_mirrors_lead_to_whole_devices() {
        let (_dir, root) = machine();
        let devices = BlockDevices::read(&root);
        let below = |number| devices.below_device(number, DEEPEST).unwrap();
        assert_eq!(names(&below((8, 1))), ["sda"]);
        assert_eq!(names(&below((253, 3))), ["nvme0n1", "nvme1n1"]);
        assert_eq!(names(&below((104, 0))), ["cciss/c0d0"]);
        assert!(devices.below_device((253, 4), DEEPEST).unwrap_err().contains("circle"));
        assert!(devices.below_device((1, 1), DEEPEST).unwrap_err().contains("/sys/dev/block/1:1"));
    }

    #[test]
    fn physical_devices_have_hardware_behind_them() {
        let (_dir, root) = machine();
        let devices = BlockDevices::read(&root);
        assert_eq!(names(&devices.physical()), ["cciss/c0d0", "nvme0n1", "nvme1n1", "sda"]);
        assert!(devices.whole().contains("dm-3"));
    }

    #[test]
    fn memory_file_systems_say_that_they_have_no_device() {
        let (_dir, root) = machine();
        let devices = BlockDevices::read(&root);
        let why = devices.of_mount(&devices.mounts[2]).unwrap_err();
        assert_eq!(why, "/dev/shm is tmpfs, which has no block device of its own");
        let overlay = parse::mounts("1 0 0:9 / / rw - overlay overlay rw,upperdir=/no/such/layer\n");
        assert!(devices.of_mount(&overlay[0]).unwrap_err().contains("upper layer cannot be seen"));
    }

    #[test]
    fn a_file_may_be_named_through_the_eyes_of_a_process() {
        let seen = inside_process(Path::new("/proc/71/root/var/lib/x")).unwrap();
        assert_eq!(seen, (PathBuf::from("/proc/71"), PathBuf::from("/var/lib/x")));
        assert_eq!(inside_process(Path::new("/proc/self/root/x")), None);
        assert_eq!(inside_process(Path::new("/var/proc/71/root")), None);
        // Through `/proc/self/root` everything looks as without it.
        let root = Root::machine();
        let devices = BlockDevices::read(&root);
        let here = std::env::current_exe().unwrap();
        let through = format!("/proc/{}/root{}", std::process::id(), here.display());
        assert_eq!(devices.of_file(Path::new(&through)), devices.of_file(&here));
        let yet_to_come = format!("{through}.not-there");
        assert_eq!(devices.of_file(Path::new(&yet_to_come)).is_ok(), devices.of_file(&here).is_ok());
    }

    #[test]
    fn memory_is_no_device_whatever_it_is_called() {
        let devices = BlockDevices::read(&Root::machine());
        assert!(!devices.in_memory(&std::env::current_exe().unwrap()));
        if crate::is_memory(Path::new("/dev/shm")) {
            assert!(devices.in_memory(Path::new("/dev/shm/x")));
        }
        let (_dir, root) = crate::root::tests::tree(&[
            ("sys/block/loop3/loop/backing_file", "/dev/shm/disk\n"),
            ("sys/block/loop4/loop/backing_file", "/proc/x\n"),
        ]);
        let devices = BlockDevices::read(&root);
        assert!(devices.disk_in_memory("zram0").is_some() && devices.disk_in_memory("ram1").is_some());
        assert_eq!(devices.disk_in_memory("ramdisk"), None);
        assert_eq!(devices.disk_in_memory("loop4"), None);
        if crate::is_memory(Path::new("/dev/shm")) {
            assert!(devices.disk_in_memory("loop3").unwrap().contains("/dev/shm/disk"));
        }
    }

    #[test]
    fn a_file_that_is_yet_to_come_lies_where_its_folder_is() {
        let place = existing(Path::new("no/such/folder/x.db")).unwrap();
        assert_eq!(place, std::env::current_dir().unwrap().canonicalize().unwrap());
    }
}
