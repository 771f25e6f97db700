//! How much of its files a server can have in the page cache, where a control group limits its memory. The group counts
//! pages that the server has read, and takes them back when it has no room.

use std::path::{Path, PathBuf};

/// Bytes that the page cache of files may take in the group that limits memory: what its processes do not need
/// themselves. `None` where no group limits memory.
pub(super) fn room_bytes(groups: &[PathBuf]) -> Option<u64> {
    groups.iter().find_map(|group| of_version_2(group).or_else(|| of_version_1(group)))
}

fn of_version_2(group: &Path) -> Option<u64> {
    let number = |file: &str| std::fs::read_to_string(group.join(file)).ok()?.trim().parse().ok();
    let stat = std::fs::read_to_string(group.join("memory.stat")).ok()?;
    room(number("memory.max")?, number("memory.current")?, (counted(&stat, "file")?, counted(&stat, "shmem")?))
}

fn of_version_1(group: &Path) -> Option<u64> {
    let number = |file: &str| std::fs::read_to_string(group.join(file)).ok()?.trim().parse().ok();
    let stat = std::fs::read_to_string(group.join("memory.stat")).ok()?;
    let pages = (counted(&stat, "total_cache")?, counted(&stat, "total_shmem")?);
    room(number("memory.limit_in_bytes")?, number("memory.usage_in_bytes")?, pages)
}

/// Shared memory is counted with the page cache, and cannot be taken back.
fn room(limit: u64, used: u64, (file, shared): (u64, u64)) -> Option<u64> {
    let needed = used.saturating_sub(file.saturating_sub(shared));
    Some(limit.saturating_sub(needed))
}

fn counted(stat: &str, name: &str) -> Option<u64> {
    stat.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' ')?.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_processes_need_themselves_leaves_the_page_cache_its_room() {
        let folder = tempfile::tempdir().unwrap();
        let group = |name: &str, files: &[(&str, &str)]| {
            let group = folder.path().join(name);
            std::fs::create_dir(&group).unwrap();
            files.iter().for_each(|(file, text)| std::fs::write(group.join(file), text).unwrap());
            group
        };
        // 64 of shared memory and 36 of processes are used, and 50 by files.
        let two = group(
            "two",
            &[("memory.max", "200\n"), ("memory.current", "150\n"), ("memory.stat", "file 114\nshmem 64\n")],
        );
        let stat = "cache 1\nshmem 1\ntotal_cache 114\ntotal_shmem 64\n";
        let one = group(
            "one",
            &[("memory.limit_in_bytes", "200\n"), ("memory.usage_in_bytes", "150\n"), ("memory.stat", stat)],
        );
        let none = group(
            "none",
            &[("memory.max", "max\n"), ("memory.current", "150\n"), ("memory.stat", "file 1\nshmem 0\n")],
        );
        let processors = group("processors", &[("cpuset.cpus", "0\n")]);
        assert_eq!(room_bytes(&[processors.clone(), two]), Some(100));
        assert_eq!(room_bytes(&[one]), Some(100));
        assert_eq!(room_bytes(&[none, processors]), None);
    }
}
