//! What reached devices durably: flushes of their caches, or completed writes where flushes do not show it. Also:
//! places whose contents do not survive a crash in any case.
//!
//! The kernel counts flushes of whole disks only (`/sys/block/DISK/stat`, column 16, from 5.5 on). Partitions, volumes
//! and mirrors count none, so the disks below them are read. A disk without a cache of its own gets no flushes; there
//! completed writes count. A disk with a cache must be flushed, even if it could write past its cache (`fua`): a sync
//! is a flush there, and a write bypasses the cache only where the file was opened with O_DSYNC. With O_DSYNC nothing
//! is flushed, and completed writes count. Neither count includes what stays in the page cache.

use crate::devices::{BlockDevices, DeviceNames, directory, uncounted};
use crate::parse::{self, Mount};
use crate::root::Root;
use dbdyno_model::DeviceCounts;
use std::path::{Path, PathBuf};

/// The columns of flushes and of completed writes, counted from 0.
const FLUSHES: usize = 15;
const WRITES: usize = 4;
/// The most layers of file systems that are followed.
const DEEPEST: u32 = 8;

/// The disks below some files, and the counter that shows durable writes on each.
#[derive(Debug)]
pub struct Flushes {
    root: Root,
    disks: Vec<(String, DeviceCounts)>,
}

/// What reached the disks between two readings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Persisted {
    /// The number.
    pub count: u64,
    /// What was counted.
    pub counts: DeviceCounts,
}

impl Flushes {
    /// Finds the disks below these files or folders. `synced_by_writing`: the files are opened so that each write is
    /// also a sync.
    ///
    /// # Errors
    /// Some lie on no visible disk, or on one without counters; the text says why.
    pub fn below(places: &[PathBuf], synced_by_writing: bool) -> Result<Self, String> {
        let root = Root::machine();
        let (names, problems) = BlockDevices::read(&root).of_files(places);
        match problems.is_empty() && !names.is_empty() {
            true => Self::of(root, names, synced_by_writing),
            false if problems.is_empty() => Err("no device is known that holds the log".to_owned()),
            false => Err(problems.join("; ")),
        }
    }

    /// Takes all disks of the machine.
    ///
    /// # Errors
    /// As for [`Flushes::below`].
    pub fn of_machine(synced_by_writing: bool) -> Result<Self, String> {
        let root = Root::machine();
        let names = BlockDevices::read(&root).physical();
        match names.is_empty() {
            true => Err("no disk can be seen from here".to_owned()),
            false => Self::of(root, names, synced_by_writing),
        }
    }

    fn of(root: Root, names: DeviceNames, synced_by_writing: bool) -> Result<Self, String> {
        let mut disks = Vec::new();
        for name in names {
            let dir = directory(&name);
            if let Some(why) = uncounted(&root, &name) {
                return Err(why);
            }
            let columns = columns(&root, &name)?;
            let word = |file: &str| root.word(&format!("{dir}/queue/{file}")).unwrap_or_default();
            let past_cache = synced_by_writing && word("fua") == "1";
            let counts = match columns.get(FLUSHES) {
                _ if past_cache || word("write_cache") == "write through" => DeviceCounts::Writes,
                Some(_) => DeviceCounts::Flushes,
                None => return Err(format!("{name} does not count flushes of its cache (Linux does from 5.5 on)")),
            };
            disks.push((name, counts));
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

    /// What reached the disks between two readings. A flush goes to each disk of a volume, so the largest count of any
    /// disk is used. A write goes to some of the disks, so the counts are added. A disk that has counted no flush since
    /// the machine started is ignored.
    ///
    /// # Errors
    /// No disk has a usable count.
    pub fn between(&self, earlier: &[u64], later: &[u64]) -> Result<Persisted, String> {
        let (mut flushes, mut writes) = (None, None);
        for ((_, counts), (from, to)) in self.disks.iter().zip(earlier.iter().zip(later)) {
            let n = to.saturating_sub(*from);
            match counts {
                DeviceCounts::Flushes if *to == 0 => {}
                DeviceCounts::Flushes => flushes = flushes.max(Some(n)),
                DeviceCounts::Writes => writes = Some(writes.unwrap_or(0) + n),
            }
        }
        match (flushes, writes) {
            (Some(count), writes) if writes.is_none_or(|writes| count >= writes) => {
                Ok(Persisted { count, counts: DeviceCounts::Flushes })
            }
            (_, Some(count)) => Ok(Persisted { count, counts: DeviceCounts::Writes }),
            _ => {
                let names = self.names().join(", ");
                Err(format!("{names}: no flush was counted since the machine started, so that they may not be counted"))
            }
        }
    }
}

fn columns(root: &Root, disk: &str) -> Result<Vec<u64>, String> {
    let file = format!("{}/stat", directory(disk));
    let columns: Option<Vec<u64>> = root.word(&file)?.split_ascii_whitespace().map(|n| n.parse().ok()).collect();
    columns.filter(|c| c.len() > WRITES).ok_or_else(|| format!("/{file} is not understood"))
}

/// Why data in a place may not survive a crash: it lies in memory, or is mounted so that nothing is flushed. `None`
/// where no such reason is found.
#[must_use]
pub fn why_volatile(place: &Path) -> Option<String> {
    why_volatile_in(&Root::machine(), place, DEEPEST)
}

fn why_volatile_in(root: &Root, place: &Path, depth: u32) -> Option<String> {
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
        return why_volatile_in(root, upper, depth - 1);
    }
    let disks = devices.of_file(&real).ok()?;
    let in_memory = disks.iter().find_map(|disk| devices.disk_in_memory(disk))?;
    Some(format!("{shown} lies on {in_memory}"))
}

/// The option by which a mount omits flushes (ext4, btrfs and others: barriers; overlay: volatile; f2fs).
fn drops_barriers(mount: &Mount) -> Option<&str> {
    const NONE: [&str; 6] =
        ["nobarrier", "barrier=0", "barrier=none", "barrier=off", "barrier=flush=none", "fsync_mode=nobarrier"];
    let drops =
        |option: &&String| NONE.contains(&option.as_str()) || (mount.kind == "overlay" && *option == "volatile");
    mount.options.iter().find(drops).map(String::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::root::tests::tree;
    use rustix::fs::{Mode, OFlags};

    fn disk(name: &str, cache: &str, fua: &str, stat: &str) -> Vec<(String, String)> {
        let dir = format!("sys/block/{name}");
        let files = [("queue/write_cache", cache), ("queue/fua", fua), ("stat", stat)];
        files.into_iter().map(|(file, text)| (format!("{dir}/{file}"), text.to_owned())).collect()
    }

    fn counted(disks: &[Vec<(String, String)>], synced_by_writing: bool) -> Result<(Flushes, Vec<u64>), String> {
        let files: Vec<(String, String)> = disks.iter().flatten().cloned().collect();
        let (_dir, root) = tree(&files);
        let flushes = Flushes::of(root.clone(), root.names("sys/block").into_iter().collect(), synced_by_writing)?;
        let now = flushes.now()?;
        Ok((flushes, now))
    }

    const NEW: &str = "1 2 3 4 50 6 7 8 0 10 11 12 13 14 15 160 17";
    const OLD: &str = "1 2 3 4 50 6 7 8 0 10 11";

    #[test]
    fn flushes_count_where_a_cache_must_be_flushed_and_writes_where_not() {
        let counts = |cache, fua, stat, synced_by_writing| {
            let counted = counted(&[disk("vda", cache, fua, stat)], synced_by_writing);
            counted.map(|(flushes, now)| (flushes.disks[0].1, now[0]))
        };
        let (flushes, writes) = (Ok((DeviceCounts::Flushes, 160)), Ok((DeviceCounts::Writes, 50)));
        for synced_by_writing in [false, true] {
            assert_eq!(counts("write back", "0", NEW, synced_by_writing), flushes);
            assert_eq!(counts("write through", "0", NEW, synced_by_writing), writes, "there is no cache to flush");
            assert_eq!(counts("write through", "1", OLD, synced_by_writing), writes);
        }
        // Writes that stay in the device's cache (O_DIRECT, and syncs that do nothing) are not durable.
        assert_eq!(counts("write back", "1", NEW, false), flushes);
        assert_eq!(counts("write back", "1", NEW, true), writes, "each passes the cache");
        assert_eq!(counts("write back", "1", OLD, true), writes);
        assert!(counts("write back", "0", OLD, false).unwrap_err().contains("5.5"));
    }

    #[test]
    fn a_volume_of_several_disks_is_flushed_on_each_and_written_on_some() {
        let back = |name| disk(name, "write back", "0", NEW);
        let through = |name| disk(name, "write through", "0", NEW);
        let brought = |count, counts| Ok(Persisted { count, counts });
        let (mirror, _) = counted(&[back("a"), back("b")], false).unwrap();
        assert_eq!(mirror.between(&[5, 5], &[15, 14]), brought(10, DeviceCounts::Flushes));
        assert_eq!(mirror.between(&[5, 5], &[5, 5]), brought(0, DeviceCounts::Flushes));
        // A disk that has never counted a flush is ignored.
        assert_eq!(mirror.between(&[0, 5], &[0, 9]), brought(4, DeviceCounts::Flushes));
        assert!(mirror.between(&[0, 0], &[0, 0]).unwrap_err().starts_with("a, b: no flush was counted"));
        let (stripes, _) = counted(&[through("a"), through("b")], false).unwrap();
        assert_eq!(stripes.between(&[5, 5], &[15, 14]), brought(19, DeviceCounts::Writes));
        let (mixed, _) = counted(&[back("a"), through("b")], false).unwrap();
        assert_eq!(mixed.between(&[0, 0], &[3, 9]), brought(9, DeviceCounts::Writes));
        assert_eq!(mixed.between(&[0, 0], &[9, 3]), brought(9, DeviceCounts::Flushes));
        assert_eq!(mixed.between(&[0, 0], &[0, 3]), brought(3, DeviceCounts::Writes));
    }

    #[test]
    fn a_disk_that_does_not_count_is_said() {
        let mut files = disk("sda", "write back", "0", NEW);
        files.push(("sys/block/sda/queue/iostats".to_owned(), "0\n".to_owned()));
        let (_dir, root) = tree(&files);
        assert!(Flushes::of(root, DeviceNames::from(["sda".to_owned()]), false).unwrap_err().contains("iostats"));
    }

    #[test]
    fn mounts_that_drop_barriers_and_places_in_memory_are_known() {
        let mount = |line: &str| parse::mounts(line).remove(0);
        let drops = |line: &str| drops_barriers(&mount(line)).map(str::to_owned);
        assert_eq!(drops("1 1 8:1 / / rw - ext4 /dev/sda1 rw,nobarrier\n").as_deref(), Some("nobarrier"));
        assert_eq!(drops("1 1 8:1 / / rw - ext4 /dev/sda1 rw,barrier=0\n").as_deref(), Some("barrier=0"));
        assert_eq!(drops("1 1 0:9 / / rw - overlay overlay rw,upperdir=/x,volatile\n").as_deref(), Some("volatile"));
        assert_eq!(drops("1 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw,discard\n"), None);
        if crate::is_memory(Path::new("/dev/shm")) {
            assert!(why_volatile(Path::new("/dev/shm/x.db")).unwrap().contains("memory"));
        }
        assert_eq!(why_volatile(&std::env::current_dir().unwrap()), None);
    }

    #[test]
    fn what_a_process_syncs_is_seen_on_the_disk_below() {
        let folder = tempfile::TempDir::new_in(std::env::current_exe().unwrap().parent().unwrap()).unwrap();
        // On a machine without a visible disk there is nothing to test.
        let Ok(flushes) = Flushes::below(&[folder.path().to_owned()], false) else { return };
        let before = flushes.now().unwrap();
        for n in 0..20 {
            let file = folder.path().join(format!("{n}"));
            std::fs::write(&file, b"x").unwrap();
            std::fs::File::open(&file).unwrap().sync_all().unwrap();
        }
        assert!(flushes.between(&before, &flushes.now().unwrap()).unwrap().count >= 20);
    }

    /// Direct writes of a block each, into a file of this many blocks; what the disk below counted.
    fn seen_of_direct_writes(blocks: usize, more: OFlags) -> Option<Persisted> {
        let folder = tempfile::TempDir::new_in(std::env::current_exe().unwrap().parent().unwrap()).unwrap();
        let file = folder.path().join("x");
        std::fs::write(&file, vec![0; blocks * BLOCK]).unwrap();
        std::fs::File::open(&file).unwrap().sync_all().unwrap();
        let flushes = Flushes::below(std::slice::from_ref(&file), more.contains(OFlags::DSYNC)).ok()?;
        // On a file system without direct writes there is nothing to test.
        let opened = rustix::fs::open(&file, OFlags::WRONLY | OFlags::DIRECT | more, Mode::empty()).ok()?;
        // Aligned memory is required.
        let memory = vec![1u8; 2 * BLOCK];
        let from = memory.as_ptr().align_offset(BLOCK);
        let before = flushes.now().unwrap();
        for n in 0..blocks {
            rustix::io::pwrite(&opened, &memory[from..from + BLOCK], (n * BLOCK) as u64).ok()?;
        }
        Some(flushes.between(&before, &flushes.now().unwrap()).unwrap())
    }

    const BLOCK: usize = 4_096;

    #[test]
    fn writes_past_the_page_cache_count_where_they_are_syncs() {
        let Some(synced) = seen_of_direct_writes(50, OFlags::DSYNC) else { return };
        assert!(synced.count >= 50, "{synced:?}");
        // Others may flush meanwhile, but not each time.
        let unsynced = || seen_of_direct_writes(2_000, OFlags::empty()).unwrap();
        let seen: Vec<Persisted> = (0..5).map(|_| unsynced()).collect();
        let in_cache = |brought: &Persisted| brought.counts == DeviceCounts::Writes || brought.count < 1_000;
        assert!(seen.iter().any(in_cache), "{seen:?}");
    }
}
