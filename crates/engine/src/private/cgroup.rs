//! Holding a server to an amount of memory, page cache included, and to processors: control groups of version 2 or 1,
//! where the system lets us make them. With less memory than data, reads that miss the engine's cache go to the device.
//!
//! A group is made as high up as is allowed: the instance outlives the session that it was started from, and must not
//! live in that session's own group. In version 2 one group has all limits; in version 1 each controller has a group.

use super::cpus::{self, of_status};
use crate::servers::{ServerError, wait_until};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// What a server needs besides its cache, at least.
const BESIDES_CACHE_BYTES: u64 = 128 << 20;

/// What a group holds its processes to: the controller, and what is written into its files.
#[derive(Debug)]
pub(super) struct Limit {
    controller: &'static str,
    version_2: Vec<(&'static str, Content)>,
    version_1: Vec<(&'static str, Content)>,
    /// The processors that a process in the group may then use, where it is held to some.
    cpus: Option<Vec<u32>>,
}

/// What is written into a file of a group.
#[derive(Debug)]
enum Content {
    Text(String),
    /// Not every system has this file.
    IfThere(&'static str),
    /// What the group has that it is made in.
    AsAbove,
}

/// Where groups can be made.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Hierarchy {
    unified: bool,
    mount: PathBuf,
    /// Our own group below the mount.
    own: String,
}

/// A group with limits, into which processes can be put.
#[derive(Debug)]
struct Group {
    folder: PathBuf,
    unified: bool,
}

/// The groups of a server, all of one name.
#[derive(Debug)]
pub(super) struct Groups {
    name: String,
    made: Vec<Group>,
}

impl Limit {
    /// No more than these bytes.
    pub(super) fn memory(bytes: u64, cache_bytes: u64) -> Result<Self, ServerError> {
        if bytes < cache_bytes + BESIDES_CACHE_BYTES {
            return Err(ServerError::Refused(format!(
                "a memory limit of {} is too small: the cache of this size takes {}, and the server needs {} besides",
                words(bytes),
                words(cache_bytes),
                words(BESIDES_CACHE_BYTES)
            )));
        }
        let bytes = || Content::Text(bytes.to_string());
        // The engine's cache must not go to the swap space instead.
        let version_2 = vec![("memory.max", bytes()), ("memory.swap.max", Content::IfThere("0"))];
        let version_1 = vec![("memory.limit_in_bytes", bytes()), ("memory.swappiness", Content::IfThere("0"))];
        Ok(Self { controller: "memory", version_2, version_1, cpus: None })
    }

    /// These processors alone.
    pub(super) fn processors(cpus: &[u32]) -> Self {
        let list = || ("cpuset.cpus", Content::Text(cpus::words(cpus)));
        let (version_2, version_1) = (vec![list()], vec![("cpuset.mems", Content::AsAbove), list()]);
        Self { controller: "cpuset", version_2, version_1, cpus: Some(cpus.to_owned()) }
    }
}

impl Groups {
    pub(super) fn named(name: String) -> Self {
        Self { name, made: Vec::new() }
    }

    /// Holds what is put into them to one more limit, and proves that a process can be put there.
    ///
    /// # Errors
    /// What was tried, and why it was refused.
    pub(super) fn add(&mut self, limit: &Limit) -> Result<(), String> {
        let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
        let found =
            Hierarchy::find(limit.controller, &read("/proc/self/mounts"), &read("/proc/self/cgroup"), |mount| {
                read(&mount.join("cgroup.controllers").to_string_lossy())
            });
        let added = found.map_or(Err(String::new()), |hierarchy| self.add_in(&hierarchy, limit));
        added.map_err(|tried| match tried.as_str() {
            "" => format!("; no hierarchy with a {} controller is mounted", limit.controller),
            _ => tried,
        })
    }

    fn add_in(&mut self, hierarchy: &Hierarchy, limit: &Limit) -> Result<(), String> {
        let refused = |folder: &Path, error: &io::Error| format!("; {}: {error}", folder.display());
        // A process is in one group of version 2.
        if let Some(group) = self.made.iter().find(|group| group.unified && hierarchy.unified) {
            return group.hold_to(limit).map_err(|error| refused(&group.folder, &error));
        }
        let mut tried = String::new();
        for parent in hierarchy.places() {
            let group = Group { folder: parent.join(&self.name), unified: hierarchy.unified };
            match group.hold_to(limit) {
                Ok(()) => {
                    self.made.push(group);
                    return Ok(());
                }
                Err(error) => {
                    remove(&group.folder);
                    tried.push_str(&refused(&parent, &error));
                }
            }
        }
        Err(tried)
    }

    /// Puts a process into them; what it starts from then on is in them, too.
    pub(super) fn take(&self, pid: u32) -> Result<(), ServerError> {
        self.made.iter().try_for_each(|group| {
            group.take(pid).map_err(|e| ServerError::io("put the server into", &group.folder, &e))
        })
    }

    pub(super) fn folders(&self) -> Vec<PathBuf> {
        self.made.iter().map(|group| group.folder.clone()).collect()
    }

    pub(super) fn remove(&self) {
        self.made.iter().for_each(|group| remove(&group.folder));
    }
}

/// The refusal of a memory limit that no group can be made for.
pub(super) fn no_memory_limit(tried: &str) -> ServerError {
    ServerError::Refused(format!(
        "--memory-limit needs a control group, and none can be made here{tried}; run as root on the machine itself, or leave --memory-limit away"
    ))
}

impl Group {
    fn hold_to(&self, limit: &Limit) -> io::Result<()> {
        let above = self.folder.parent().unwrap_or(Path::new("/"));
        if self.unified {
            let control = above.join("cgroup.subtree_control");
            let enabled = std::fs::read_to_string(&control)?;
            if !enabled.split_whitespace().any(|c| c == limit.controller) {
                std::fs::write(&control, format!("+{}", limit.controller))?;
            }
        }
        match std::fs::create_dir(&self.folder) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        for (file, content) in if self.unified { &limit.version_2 } else { &limit.version_1 } {
            let path = self.folder.join(file);
            match content {
                Content::Text(text) => std::fs::write(path, text)?,
                Content::IfThere(text) => _ = std::fs::write(path, text),
                Content::AsAbove => std::fs::write(path, std::fs::read_to_string(above.join(file))?.trim())?,
            }
        }
        self.prove(limit)
    }

    /// Puts a process that does nothing into it.
    fn prove(&self, limit: &Limit) -> io::Result<()> {
        let mut idle = Command::new("/bin/sh");
        idle.args(["-c", "read -r word"]).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut idle = idle.spawn()?;
        let taken = self.take(idle.id()).and_then(|()| shows(idle.id(), limit));
        drop(idle.stdin.take());
        idle.wait()?;
        taken
    }

    fn take(&self, pid: u32) -> io::Result<()> {
        std::fs::write(self.folder.join("cgroup.procs"), pid.to_string())
    }
}

/// Whether a process in the group shows that it is held as it was meant.
fn shows(pid: u32, limit: &Limit) -> io::Result<()> {
    let Some(meant) = &limit.cpus else { return Ok(()) };
    let allowed = of_status(&std::fs::read_to_string(format!("/proc/{pid}/status"))?).unwrap_or_default();
    if allowed == *meant {
        return Ok(());
    }
    let (meant, allowed) = (cpus::words(meant), cpus::words(&allowed));
    Err(io::Error::other(format!("a process in it may use the processors {allowed}, not {meant}")))
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
    /// The one that has a controller. `controllers` are those of a mount of version 2.
    fn find(controller: &str, mounts: &str, own: &str, controllers: impl Fn(&Path) -> String) -> Option<Self> {
        let mounts = mounts.lines().filter_map(|line| {
            let mut fields = line.split(' ').skip(1);
            Some((PathBuf::from(fields.next()?), fields.next()?, fields.next()?))
        });
        let mounts: Vec<(PathBuf, &str, &str)> = mounts.collect();
        let own = |unified: bool| {
            let ours = |line: &&str| {
                let controllers = line.split(':').nth(1).unwrap_or_default();
                if unified { line.starts_with("0::") } else { controllers.split(',').any(|c| c == controller) }
            };
            let line = own.lines().find(ours).unwrap_or_default();
            line.splitn(3, ':').nth(2).unwrap_or_default().trim_start_matches('/').to_owned()
        };
        let controls = |mount: &Path| controllers(mount).split_whitespace().any(|c| c == controller);
        let unified = mounts.iter().find(|(mount, kind, _)| *kind == "cgroup2" && controls(mount));
        if let Some((mount, ..)) = unified {
            return Some(Self { unified: true, mount: mount.clone(), own: own(true) });
        }
        let has = |options: &str| options.split(',').any(|o| o == controller);
        let (mount, ..) = mounts.iter().find(|(_, kind, options)| *kind == "cgroup" && has(options))?;
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
        cgroup /sys/fs/cgroup/cpuset cgroup rw,cpuset 0 0\ncgroup /sys/fs/cgroup/memory cgroup rw,relatime,memory 0 0\n";

    #[test]
    fn the_hierarchy_with_the_controller_is_taken() {
        let v2 = |controller: &str, own: &str, has: &str| Hierarchy::find(controller, UNIFIED, own, |_| has.to_owned());
        for controller in ["memory", "cpuset"] {
            let found = v2(controller, "0::/user.slice/x.scope\n", "cpuset cpu io memory pids\n").unwrap();
            assert_eq!((found.unified, found.own.as_str()), (true, "user.slice/x.scope"));
        }
        // What systemd lets users have: no processors.
        assert!(v2("memory", "0::/\n", "memory pids").is_some());
        assert_eq!(v2("cpuset", "0::/\n", "cpu memory pids"), None);
        let own = "4:memory:/a/b\n3:cpuset:/\n1:cpu:/x\n0::/c\n";
        let v1 = |controller: &str, has: &str| Hierarchy::find(controller, HYBRID, own, |_| has.to_owned()).unwrap();
        let group = |mount: &str, own: &str| Hierarchy { unified: false, mount: mount.into(), own: own.to_owned() };
        assert_eq!(v1("memory", ""), group("/sys/fs/cgroup/memory", "a/b"));
        assert_eq!(v1("cpuset", ""), group("/sys/fs/cgroup/cpuset", ""), "not that of `cpu`");
        // One controller in version 2 and one in version 1.
        let memory = v1("memory", "memory");
        assert_eq!((memory.unified, memory.own.as_str(), v1("cpuset", "memory").unified), (true, "c", false));
    }

    /// A folder in place of a hierarchy of version 2 takes what is written, but no process.
    #[test]
    fn what_is_written_fits_the_version_and_a_group_that_proves_nothing_is_none() {
        let dir = tempfile::tempdir().unwrap();
        let (v1, v2) = (dir.path().join("v1"), dir.path().join("v2"));
        for (parent, file, text) in [(&v1, "cpuset.mems", "0-1\n"), (&v2, "cgroup.subtree_control", "memory pids\n")] {
            std::fs::create_dir(parent).unwrap();
            std::fs::write(parent.join(file), text).unwrap();
        }
        let text = |path: PathBuf| std::fs::read_to_string(path).unwrap_or_default();
        // No processor has this number, so that no process shows that it may use that alone.
        let limit = Limit::processors(&[4095]);
        for (parent, unified) in [(&v1, false), (&v2, true)] {
            let hierarchy = Hierarchy { unified, mount: parent.clone(), own: String::new() };
            let tried = Groups::named("g".to_owned()).add_in(&hierarchy, &limit).unwrap_err();
            assert!(
                tried.contains("a process in it may use the processors") && tried.contains(", not 4095"),
                "{tried}"
            );
            assert_eq!(text(parent.join("g/cpuset.cpus")), "4095");
        }
        assert_eq!((text(v1.join("g/cpuset.mems")), text(v2.join("g/cpuset.mems"))), ("0-1".to_owned(), String::new()));
        assert_eq!(text(v2.join("cgroup.subtree_control")), "+cpuset");
    }

    #[test]
    fn version_2_has_one_group_for_both_limits_and_version_1_has_two() {
        let dir = tempfile::tempdir().unwrap();
        let hierarchy = |name: &str, unified: bool| {
            let mount = dir.path().join(name);
            std::fs::create_dir(&mount).unwrap();
            for (file, text) in [("cgroup.subtree_control", ""), ("cpuset.mems", "0")] {
                std::fs::write(mount.join(file), text).unwrap();
            }
            Hierarchy { unified, mount, own: String::new() }
        };
        let here = of_status(&std::fs::read_to_string("/proc/self/status").unwrap()).unwrap();
        let limits = [Limit::memory(1 << 30, 0).unwrap(), Limit::processors(&here)];
        let two = hierarchy("two", true);
        let mut groups = Groups::named("g".to_owned());
        limits.iter().for_each(|limit| groups.add_in(&two, limit).unwrap());
        assert_eq!(groups.folders(), [dir.path().join("two/g")]);
        let mut groups = Groups::named("g".to_owned());
        for (limit, name) in limits.iter().zip(["memory", "cpuset"]) {
            groups.add_in(&hierarchy(name, false), limit).unwrap();
        }
        assert_eq!(groups.folders(), [dir.path().join("memory/g"), dir.path().join("cpuset/g")]);
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
        let refused = Limit::memory(100 << 20, 64 << 20).unwrap_err().to_string();
        assert!(refused.contains("100 MiB is too small") && refused.contains("64 MiB"), "{refused}");
    }
}
