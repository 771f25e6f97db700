//! Holding a server to an amount of memory, page cache included: a control group of version 2 or 1, where the system
//! lets us make one. With less memory than data, reads that miss the engine's cache go to the device.
//!
//! The group is made as high up as is allowed: the instance outlives the session that it was started from, and must not
//! live in that session's own group.

use crate::servers::{ServerError, wait_until};
use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// What a server needs besides its cache, at least.
const BESIDES_CACHE_BYTES: u64 = 128 << 20;

/// Where groups can be made.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Hierarchy {
    unified: bool,
    mount: PathBuf,
    /// Our own group below the mount.
    own: String,
}

/// A group with a limit, into which processes can be put.
#[derive(Debug)]
pub(super) struct Group {
    pub(super) folder: PathBuf,
}

impl Group {
    /// Makes a group that no more than these bytes can be used in, and proves that a process can be put into it.
    pub(super) fn create(name: &str, bytes: u64, cache_bytes: u64) -> Result<Self, ServerError> {
        if bytes < cache_bytes + BESIDES_CACHE_BYTES {
            return Err(ServerError::Refused(format!(
                "a memory limit of {} is too small: the cache of this size takes {}, and the server needs {} besides",
                words(bytes),
                words(cache_bytes),
                words(BESIDES_CACHE_BYTES)
            )));
        }
        let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
        let hierarchy = Hierarchy::find(&read("/proc/self/mounts"), &read("/proc/self/cgroup"), |mount| {
            read(&mount.join("cgroup.controllers").to_string_lossy()).split_whitespace().any(|c| c == "memory")
        });
        let mut tried = String::new();
        for parent in hierarchy.iter().flat_map(Hierarchy::places) {
            match Self::below(&parent, name, bytes, hierarchy.as_ref().is_some_and(|h| h.unified)) {
                Ok(group) => return Ok(group),
                Err(error) => _ = write!(tried, "; {}: {error}", parent.display()),
            }
        }
        if tried.is_empty() {
            tried.push_str("; no hierarchy with a memory controller is mounted");
        }
        Err(ServerError::Refused(format!(
            "--memory-limit needs a control group, and none can be made here{tried}; run as root on the machine itself, or leave --memory-limit away"
        )))
    }

    fn below(parent: &Path, name: &str, bytes: u64, unified: bool) -> io::Result<Self> {
        let group = Self { folder: parent.join(name) };
        if unified {
            let control = parent.join("cgroup.subtree_control");
            let enabled = std::fs::read_to_string(&control)?;
            if !enabled.split_whitespace().any(|c| c == "memory") {
                std::fs::write(&control, "+memory")?;
            }
        }
        match std::fs::create_dir(&group.folder) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        let ready = group.limit(bytes, unified).and_then(|()| group.prove());
        if ready.is_err() {
            remove(&group.folder);
        }
        ready.map(|()| group)
    }

    fn limit(&self, bytes: u64, unified: bool) -> io::Result<()> {
        let set = |file: &str, value: String| std::fs::write(self.folder.join(file), value);
        // The engine's cache must not go to the swap space instead; not every system has these files.
        if unified {
            set("memory.max", bytes.to_string())?;
            _ = set("memory.swap.max", "0".to_owned());
        } else {
            set("memory.limit_in_bytes", bytes.to_string())?;
            _ = set("memory.swappiness", "0".to_owned());
        }
        Ok(())
    }

    /// Puts a process that does nothing into it.
    fn prove(&self) -> io::Result<()> {
        let mut idle = Command::new("/bin/sh");
        idle.args(["-c", "read -r word"]).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut idle = idle.spawn()?;
        let taken = self.take(idle.id());
        drop(idle.stdin.take());
        idle.wait()?;
        taken
    }

    /// Puts a process into it; what it starts from then on is in it, too.
    pub(super) fn take(&self, pid: u32) -> io::Result<()> {
        std::fs::write(self.folder.join("cgroup.procs"), pid.to_string())
    }
}

/// An amount of memory in words.
pub(super) fn words(bytes: u64) -> String {
    if bytes.is_multiple_of(1 << 30) {
        format!("{} GiB", bytes >> 30)
    } else {
        format!("{} MiB", bytes.div_ceil(1 << 20))
    }
}

/// Removes a group whose processes have ended.
pub(super) fn remove(folder: &Path) {
    const PATIENCE: Duration = Duration::from_secs(2);
    // An empty group that stays behind is in nobody's way, and the next start uses it again.
    wait_until(PATIENCE, &|| false, || match std::fs::remove_dir(folder) {
        Ok(()) => true,
        Err(error) => error.raw_os_error() != Some(rustix::io::Errno::BUSY.raw_os_error()),
    });
}

impl Hierarchy {
    /// The one that has the memory controller.
    fn find(mounts: &str, own: &str, controls_memory: impl Fn(&Path) -> bool) -> Option<Self> {
        let mounts = mounts.lines().filter_map(|line| {
            let mut fields = line.split(' ').skip(1);
            Some((PathBuf::from(fields.next()?), fields.next()?, fields.next()?))
        });
        let mounts: Vec<(PathBuf, &str, &str)> = mounts.collect();
        let own = |unified: bool| {
            let ours = |line: &&str| {
                let controllers = line.split(':').nth(1).unwrap_or_default();
                if unified { line.starts_with("0::") } else { controllers.split(',').any(|c| c == "memory") }
            };
            let line = own.lines().find(ours).unwrap_or_default();
            line.splitn(3, ':').nth(2).unwrap_or_default().trim_start_matches('/').to_owned()
        };
        let unified = mounts.iter().find(|(mount, kind, _)| *kind == "cgroup2" && controls_memory(mount));
        if let Some((mount, ..)) = unified {
            return Some(Self { unified: true, mount: mount.clone(), own: own(true) });
        }
        let memory = |options: &str| options.split(',').any(|o| o == "memory");
        let (mount, ..) = mounts.iter().find(|(_, kind, options)| *kind == "cgroup" && memory(options))?;
        Some(Self { unified: false, mount: mount.clone(), own: own(false) })
    }

    /// Groups that ours could be made in: from the top down to our own.
    fn places(&self) -> Vec<PathBuf> {
        let own = self.mount.join(&self.own);
        let mut places: Vec<PathBuf> =
            own.ancestors().take_while(|p| p.starts_with(&self.mount)).map(PathBuf::from).collect();
        places.reverse();
        places.retain(|place| place.is_dir());
        places.dedup();
        places
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNIFIED: &str = "proc /proc proc rw 0 0\ncgroup2 /sys/fs/cgroup cgroup2 rw,nosuid 0 0\n";
    const HYBRID: &str = "cgroup2 /sys/fs/cgroup/unified cgroup2 rw 0 0\ncgroup /sys/fs/cgroup/cpu cgroup rw,cpu 0 0\n\
        cgroup /sys/fs/cgroup/memory cgroup rw,relatime,memory 0 0\n";

    #[test]
    fn the_hierarchy_with_the_memory_controller_is_taken() {
        let found = Hierarchy::find(UNIFIED, "0::/user.slice/x.scope\n", |_| true).unwrap();
        assert_eq!((found.unified, found.own.as_str()), (true, "user.slice/x.scope"));
        let found = Hierarchy::find(HYBRID, "4:memory:/a/b\n1:cpu:/\n0::/c\n", |_| false).unwrap();
        let expected = Hierarchy { unified: false, mount: "/sys/fs/cgroup/memory".into(), own: "a/b".to_owned() };
        assert_eq!(found, expected);
        assert_eq!(Hierarchy::find(UNIFIED, "0::/\n", |_| false), None);
    }

    #[test]
    fn groups_are_made_as_high_up_as_there_are_any() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(dir.path().join("a/b")).unwrap();
        let places = |own: &str| Hierarchy { unified: true, mount: dir.path().into(), own: own.to_owned() }.places();
        assert_eq!(places("a/b"), [dir.path().to_owned(), dir.path().join("a"), dir.path().join("a/b")]);
        assert_eq!(places("gone/b"), [dir.path().to_owned()]);
        assert_eq!(places(""), [dir.path().to_owned()]);
    }

    #[test]
    fn a_limit_that_the_cache_does_not_fit_into_is_refused() {
        let refused = Group::create("x", 100 << 20, 64 << 20).unwrap_err().to_string();
        assert!(refused.contains("100 MiB is too small") && refused.contains("64 MiB"), "{refused}");
    }
}
