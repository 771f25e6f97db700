//! What was brought to devices for good: flushes of their caches, or completed writes where flushes do not tell. And places
//! that keep nothing through a crash, however it is brought there.
//!
//! The kernel counts flushes of whole disks alone (`/sys/block/DISK/stat`, column 16, from 5.5 on); partitions, volumes and
//! mirrors count none, so these are gone down to their disks. A disk without a cache of its own is sent none, and one that
//! takes writes past its cache (`fua`) needs none: there completed writes tell. What stays in the page cache is neither.

use crate::devices::{BlockDevices, Names, directory};
use crate::parse::{self, Mount};
use crate::root::Root;
use dbdyno_model::DeviceCounts;
use std::path::{Path, PathBuf};

/// The column of flushes, counted from 0, and that of completed writes.
const FLUSHES: usize = 15;
const WRITES: usize = 4;
/// Layers of file systems over each other that are looked through.
const DEEPEST: u32 = 8;

/// The disks below some files, and what of each tells that something was brought to it.
#[derive(Debug)]
pub struct Flushes {
    root: Root,
    disks: Vec<(String, DeviceCounts)>,
}

/// What has been brought to the disks so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Brought {
    /// So many.
    pub count: u64,
    /// Of what.
    pub counts: DeviceCounts,
}

impl Flushes {
    /// Finds the disks below these files or folders.
    ///
    /// # Errors
    /// Some lie on no disk that can be seen, or on one that does not count; the text says why.
    pub fn below(places: &[PathBuf]) -> Result<Self, String> {
        let root = Root::machine();
        let (names, problems) = BlockDevices::read(&root).of_files(places);
        match problems.is_empty() && !names.is_empty() {
            true => Self::of(root, names),
            false if problems.is_empty() => Err("no device is known that holds the log".to_owned()),
            false => Err(problems.join("; ")),
        }
    }

    /// Takes all disks of the machine.
    ///
    /// # Errors
    /// As for [`Flushes::below`].
    pub fn of_machine() -> Result<Self, String> {
        let root = Root::machine();
        let names = BlockDevices::read(&root).physical();
        if names.is_empty() { Err("no disk can be seen from here".to_owned()) } else { Self::of(root, names) }
    }

    fn of(root: Root, names: Names) -> Result<Self, String> {
        let mut disks = Vec::new();
        for name in names {
            let dir = directory(&name);
            if root.word(&format!("{dir}/queue/iostats")).is_ok_and(|on| on == "0") {
                return Err(format!("{name} does not count (its queue/iostats is 0; write 1 to it)"));
            }
            let columns = columns(&root, &name)?;
            let word = |file: &str| root.word(&format!("{dir}/queue/{file}")).unwrap_or_default();
            let flushed = word("write_cache") == "write back" && word("fua") == "0" && columns.len() > FLUSHES;
            disks.push((name, if flushed { DeviceCounts::Flushes } else { DeviceCounts::Writes }));
        }
        Ok(Self { root, disks })
    }

    /// The disks' names.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        self.disks.iter().map(|(name, _)| name.clone()).collect()
    }

    /// Reads each disk's count.
    ///
    /// # Errors
    /// One cannot be read any more.
    pub fn now(&self) -> Result<Vec<u64>, String> {
        let count = |(name, counts): &(String, DeviceCounts)| {
            let at = if *counts == DeviceCounts::Flushes { FLUSHES } else { WRITES };
            columns(&self.root, name)?.get(at).copied().ok_or_else(|| format!("/{}/stat is too short", directory(name)))
        };
        self.disks.iter().map(count).collect()
    }

    /// What was brought between two readings. A flush goes to each disk of a volume, so the most of any tells; a write goes to
    /// some of them, so all together do.
    #[must_use]
    pub fn between(&self, earlier: &[u64], later: &[u64]) -> Brought {
        let each = self
            .disks
            .iter()
            .zip(earlier.iter().zip(later))
            .map(|((_, counts), (a, b))| (*counts, b.saturating_sub(*a)));
        let (mut flushes, mut writes) = (None, 0);
        for (counts, n) in each {
            match counts {
                DeviceCounts::Flushes => flushes = flushes.max(Some(n)),
                DeviceCounts::Writes => writes += n,
            }
        }
        match flushes {
            Some(count) if count >= writes => Brought { count, counts: DeviceCounts::Flushes },
            _ if self.disks.iter().all(|(_, counts)| *counts == DeviceCounts::Flushes) => {
                Brought { count: flushes.unwrap_or(0), counts: DeviceCounts::Flushes }
            }
            _ => Brought { count: writes, counts: DeviceCounts::Writes },
        }
    }
}

fn columns(root: &Root, disk: &str) -> Result<Vec<u64>, String> {
    let file = format!("{}/stat", directory(disk));
    let columns: Option<Vec<u64>> = root.word(&file)?.split_ascii_whitespace().map(|n| n.parse().ok()).collect();
    columns.filter(|c| c.len() > WRITES).ok_or_else(|| format!("/{file} is not understood"))
}

/// Why what is brought to a place may not survive a crash: it lies in memory, or is mounted so that nothing is flushed. None
/// where nothing of that kind is seen.
#[must_use]
pub fn forgetful(place: &Path) -> Option<String> {
    forgetful_in(&Root::machine(), place, DEEPEST)
}

fn forgetful_in(root: &Root, place: &Path, depth: u32) -> Option<String> {
    let shown = place.display();
    if crate::is_memory(place) {
        return Some(format!("{shown} lies in memory, which a crash empties"));
    }
    let devices = BlockDevices::read(root);
    let real = place.ancestors().find_map(|p| std::fs::canonicalize(p).ok())?;
    let mount = parse::mount_of(&devices.mounts, &real)?;
    if let Some(option) = drops_barriers(mount) {
        let point = mount.point.display();
        return Some(format!("{shown} lies on {point}, which is mounted with {option}: nothing is flushed there"));
    }
    if let Some(upper) = mount.option("upperdir").map(Path::new).filter(|dir| depth > 0 && dir.exists()) {
        return forgetful_in(root, upper, depth - 1);
    }
    let disks = devices.of_file(&real).ok()?;
    let in_memory = disks.iter().find_map(|disk| device_in_memory(root, disk))?;
    Some(format!("{shown} lies on {in_memory}"))
}

/// The option with which a mount leaves flushes away (ext4, btrfs and others: barriers; overlay: volatile; f2fs).
fn drops_barriers(mount: &Mount) -> Option<&str> {
    const NONE: [&str; 6] =
        ["nobarrier", "barrier=0", "barrier=none", "barrier=off", "barrier=flush=none", "fsync_mode=nobarrier"];
    let drops =
        |option: &&String| NONE.contains(&option.as_str()) || (mount.kind == "overlay" && *option == "volatile");
    mount.options.iter().find(drops).map(String::as_str)
}

/// A disk that is memory: zram, brd, or a loop over a file in memory.
fn device_in_memory(root: &Root, disk: &str) -> Option<String> {
    let numbered =
        |kind: &str| disk.strip_prefix(kind).is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()));
    if numbered("zram") || numbered("ram") {
        return Some(format!("{disk}, which is memory"));
    }
    let file = root.word(&format!("{}/loop/backing_file", directory(disk))).ok()?;
    crate::is_memory(Path::new(&file)).then(|| format!("{disk}, whose file {file} lies in memory"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::root::tests::tree;

    fn disk(name: &str, cache: &str, fua: &str, stat: &str) -> Vec<(String, String)> {
        let dir = format!("sys/block/{name}");
        let files = [("queue/write_cache", cache), ("queue/fua", fua), ("stat", stat)];
        files.into_iter().map(|(file, text)| (format!("{dir}/{file}"), text.to_owned())).collect()
    }

    fn counted(disks: &[Vec<(String, String)>], names: &[&str]) -> (tempfile::TempDir, Flushes) {
        let files: Vec<(String, String)> = disks.iter().flatten().cloned().collect();
        let (dir, root) = tree(&files);
        (dir, Flushes::of(root, names.iter().map(|n| (*n).to_owned()).collect()).unwrap())
    }

    const NEW: &str = "1 2 3 4 50 6 7 8 0 10 11 12 13 14 15 160 17";
    const OLD: &str = "1 2 3 4 50 6 7 8 0 10 11";

    #[test]
    fn flushes_count_where_a_cache_must_be_flushed_and_writes_where_not() {
        let of = |cache, fua, stat| {
            let (_dir, flushes) = counted(&[disk("vda", cache, fua, stat)], &["vda"]);
            (flushes.disks[0].1, flushes.now().unwrap()[0])
        };
        assert_eq!(of("write back", "0", NEW), (DeviceCounts::Flushes, 160));
        assert_eq!(of("write back", "1", NEW), (DeviceCounts::Writes, 50), "writes may pass the cache");
        assert_eq!(of("write through", "0", NEW), (DeviceCounts::Writes, 50), "there is no cache to flush");
        assert_eq!(of("write back", "0", OLD), (DeviceCounts::Writes, 50), "before kernel 5.5");
    }

    #[test]
    fn a_volume_of_several_disks_is_flushed_on_each_and_written_on_some() {
        let back = |name| disk(name, "write back", "0", NEW);
        let through = |name| disk(name, "write through", "0", NEW);
        let (_mirror_dir, mirror) = counted(&[back("a"), back("b")], &["a", "b"]);
        let brought = |count, counts| Brought { count, counts };
        assert_eq!(mirror.between(&[5, 5], &[15, 14]), brought(10, DeviceCounts::Flushes));
        assert_eq!(mirror.between(&[5, 5], &[5, 5]), brought(0, DeviceCounts::Flushes));
        let (_stripes_dir, stripes) = counted(&[through("a"), through("b")], &["a", "b"]);
        assert_eq!(stripes.between(&[5, 5], &[15, 14]), brought(19, DeviceCounts::Writes));
        let (_mixed_dir, mixed) = counted(&[back("a"), through("b")], &["a", "b"]);
        assert_eq!(mixed.between(&[0, 0], &[3, 9]), brought(9, DeviceCounts::Writes));
        assert_eq!(mixed.between(&[0, 0], &[9, 3]), brought(9, DeviceCounts::Flushes));
    }

    #[test]
    fn a_disk_that_does_not_count_is_said() {
        let mut files = disk("sda", "write back", "0", NEW);
        files.push(("sys/block/sda/queue/iostats".to_owned(), "0\n".to_owned()));
        let (_dir, root) = tree(&files);
        assert!(Flushes::of(root, Names::from(["sda".to_owned()])).unwrap_err().contains("iostats"));
    }

    #[test]
    fn mounts_that_drop_barriers_and_disks_of_memory_are_known() {
        let mount = |line: &str| parse::mounts(line).remove(0);
        let drops = |line: &str| drops_barriers(&mount(line)).map(str::to_owned);
        assert_eq!(drops("1 1 8:1 / / rw - ext4 /dev/sda1 rw,nobarrier\n").as_deref(), Some("nobarrier"));
        assert_eq!(drops("1 1 8:1 / / rw - ext4 /dev/sda1 rw,barrier=0\n").as_deref(), Some("barrier=0"));
        assert_eq!(drops("1 1 0:9 / / rw - overlay overlay rw,upperdir=/x,volatile\n").as_deref(), Some("volatile"));
        assert_eq!(drops("1 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw,discard\n"), None);
        let (_dir, root) = tree(&[
            ("sys/block/loop3/loop/backing_file", "/dev/shm/disk\n"),
            ("sys/block/loop4/loop/backing_file", "/proc/x\n"),
        ]);
        assert!(device_in_memory(&root, "zram0").is_some() && device_in_memory(&root, "ram1").is_some());
        assert_eq!(device_in_memory(&root, "ramdisk"), None);
        assert_eq!(device_in_memory(&root, "loop4"), None);
        if crate::is_memory(Path::new("/dev/shm")) {
            assert!(device_in_memory(&root, "loop3").unwrap().contains("/dev/shm/disk"));
            assert!(forgetful(Path::new("/dev/shm/x.db")).unwrap().contains("memory"));
        }
        assert_eq!(forgetful(&std::env::current_dir().unwrap()), None);
    }

    #[test]
    fn what_a_process_syncs_is_seen_on_the_disk_below() {
        let folder = tempfile::TempDir::new_in(std::env::current_exe().unwrap().parent().unwrap()).unwrap();
        // A machine without a disk that can be seen has nothing to show.
        let Ok(flushes) = Flushes::below(&[folder.path().to_owned()]) else { return };
        let before = flushes.now().unwrap();
        for n in 0..20 {
            let file = folder.path().join(format!("{n}"));
            std::fs::write(&file, b"x").unwrap();
            std::fs::File::open(&file).unwrap().sync_all().unwrap();
        }
        assert!(flushes.between(&before, &flushes.now().unwrap()).count >= 20);
    }
}
