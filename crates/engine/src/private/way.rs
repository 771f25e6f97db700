//! The way to an instance: every folder and link from the root of the file system to its own folder. Who may change one
//! of them leads what dbdyno writes, removes and kills to another place, or has it believe a record of his own making.
//! So all of them belong to root or to whoever runs dbdyno, and nobody else may write to them.

use crate::servers::ServerError;
use crate::users::{self, User};
use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs::Metadata;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Component, Path, PathBuf};

/// The variable that names another home.
pub const HOME_VARIABLE: &str = "DBDYNO_HOME";

const STICKY: u32 = 0o1000;
/// More links than any way has; the kernel follows no more either.
const MOST_LINKS: u32 = 40;

/// Refuses a folder, there or not yet, to which the way is open to others.
pub(super) fn refuse_open(folder: &Path) -> Result<(), ServerError> {
    let owner = Owner::me();
    let found = walk(folder, &owner).map_err(|error| {
        ServerError::Refused(format!(
            "cannot look at the way to {}: {error}; set {HOME_VARIABLE} to another folder",
            folder.display()
        ))
    })?;
    match found {
        None => Ok(()),
        Some(open) => Err(ServerError::Refused(owner.refusal(&open))),
    }
}

/// What is open on the way to a folder. What is not there yet will be made by whoever asks.
fn walk(folder: &Path, owner: &Owner) -> io::Result<Option<PathBuf>> {
    let mut left: VecDeque<OsString> = parts(folder);
    let (mut at, mut links) = (PathBuf::from("/"), 0);
    let mut found = at.symlink_metadata()?;
    while let Some(part) = left.pop_front() {
        // In a folder with the sticky bit nobody can touch what is another's, and whose the next is is looked at, too.
        if owner.may_be_written_by_others(&at, &found) && found.mode() & STICKY == 0 {
            return Ok(Some(at));
        }
        let next = if part == ".." { at.parent().map_or_else(|| at.clone(), PathBuf::from) } else { at.join(&part) };
        let there = match next.symlink_metadata() {
            // Who makes the rest is told what stands in the way.
            Err(error) if [io::ErrorKind::NotFound, io::ErrorKind::NotADirectory].contains(&error.kind()) => {
                return Ok(None);
            }
            there => there?,
        };
        if !owner.is_trusted(there.uid()) {
            return Ok(Some(next));
        }
        if there.is_symlink() {
            links += 1;
            if links > MOST_LINKS {
                return Err(rustix::io::Errno::LOOP.into());
            }
            let to = std::fs::read_link(&next)?;
            if to.is_absolute() {
                at = PathBuf::from("/");
                found = at.symlink_metadata()?;
            }
            left = parts(&to).into_iter().chain(left).collect();
        } else {
            (at, found) = (next, there);
        }
    }
    // Into the last folder itself nobody else may put anything.
    Ok(owner.may_be_written_by_others(&at, &found).then_some(at))
}

fn parts(path: &Path) -> VecDeque<OsString> {
    let below = path.components().filter(|part| matches!(part, Component::Normal(_) | Component::ParentDir));
    below.map(|part| part.as_os_str().to_owned()).collect()
}

/// Whoever runs dbdyno.
struct Owner {
    uid: u32,
    /// The system's users.
    users: Vec<User>,
    /// Its groups (`man 5 group`).
    group: String,
}

impl Owner {
    fn me() -> Self {
        let group = std::fs::read_to_string("/etc/group").unwrap_or_default();
        Self { uid: rustix::process::geteuid().as_raw(), users: users::of_this_system(), group }
    }

    fn is_trusted(&self, uid: u32) -> bool {
        uid == 0 || uid == self.uid
    }

    fn may_be_written_by_others(&self, folder: &Path, found: &Metadata) -> bool {
        let (world, group) = (found.mode() & 0o002 != 0, found.mode() & 0o020 != 0);
        world || (group && (!self.is_alone_in(found.gid()) || has_access_list(folder)))
    }

    /// Whether a group has nobody in it but its owner and root: systems that give each user a group let it write.
    fn is_alone_in(&self, gid: u32) -> bool {
        let trusted = |user: &User| self.is_trusted(user.uid);
        let mut its_own = self.users.iter().filter(|user| user.gid == gid);
        let named = gid.to_string();
        let groups = self.group.lines().map(|line| line.split(':').collect::<Vec<_>>());
        let Some(group) = groups.into_iter().find(|group| group.get(2) == Some(&named.as_str())) else { return false };
        let mut members = group.get(3).unwrap_or(&"").split(',').filter(|name| !name.is_empty());
        let user = |name: &str| self.users.iter().find(|user| user.name == name);
        its_own.all(trusted) && members.all(|name| user(name).is_some_and(trusted))
    }

    fn refusal(&self, open: &Path) -> String {
        let (name, is_root) = (open.display(), self.uid == 0);
        let is_mine = open.symlink_metadata().is_ok_and(|found| found.uid() == self.uid);
        let close = match (is_root, is_mine) {
            (true, _) => format!(", or close it: chown root {name} && chmod go-w {name}"),
            (false, true) => format!(", or close it: chmod go-w {name}"),
            (false, false) => String::new(),
        };
        let who = if is_root { "root" } else { "you and root" };
        format!(
            "others than {who} may change {name}, and so lead to another place what is done below it; set {HOME_VARIABLE} to a folder to \
             which nobody else may write{close}"
        )
    }
}

/// Whether a folder has an access list: then the bits of the group are a bound on what that grants to anybody.
fn has_access_list(folder: &Path) -> bool {
    let mut list = [0; 1024];
    !matches!(
        rustix::fs::getxattr(folder, "system.posix_acl_access", &mut list),
        Err(rustix::io::Errno::NODATA | rustix::io::Errno::OPNOTSUPP)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, chown, symlink};

    const SOMEBODY: u32 = 54_321;

    fn place() -> tempfile::TempDir {
        tempfile::Builder::new().permissions(PermissionsExt::from_mode(0o755)).tempdir().unwrap()
    }

    fn mode(path: &Path, mode: u32) {
        std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
    }

    fn refused(way: &Path) -> Result<(), String> {
        refuse_open(way).map_err(|error| error.to_string())
    }

    #[track_caller]
    fn refused_for(way: &Path, open: &Path) {
        let text = refused(way).unwrap_err();
        assert!(text.contains(&format!("may change {},", open.display())), "{text}");
    }

    #[test]
    fn a_way_that_others_may_change_is_refused_with_the_part_that_is_open() {
        let dir = place();
        let (mine, inner) = (dir.path().join("mine"), dir.path().join("mine/inner"));
        std::fs::create_dir_all(&inner).unwrap();
        let link = dir.path().join("link");
        symlink("mine/../mine/inner", &link).unwrap();
        for way in [&inner, &inner.join("not/yet"), &link, &link.join("not-yet"), &inner.join("../inner")] {
            assert_eq!(refused(way), Ok(()), "{}", way.display());
        }
        for open in [0o777, 0o757, 0o703] {
            mode(&mine, open);
            for way in [&inner, &inner.join("not-yet"), &link] {
                refused_for(way, &mine);
            }
            assert!(refused(&inner).unwrap_err().contains(&format!("chmod go-w {}", mine.display())));
        }
        // With the sticky bit others can make things there, but not touch what is another's.
        mode(&mine, 0o1777);
        assert_eq!((refused(&inner), refused(&mine.join("not-yet"))), (Ok(()), Ok(())));
        refused_for(&mine, &mine);
        mode(&mine, 0o755);
        symlink("loop", dir.path().join("loop")).unwrap();
        assert!(refused(&dir.path().join("loop/x")).unwrap_err().contains("cannot look at the way"));
    }

    #[test]
    fn a_folder_or_link_of_somebody_elses_is_refused() {
        if !rustix::process::geteuid().is_root() {
            return;
        }
        let dir = place();
        let (theirs, below) = (dir.path().join("theirs"), dir.path().join("theirs/below"));
        std::fs::create_dir_all(&below).unwrap();
        chown(&theirs, Some(SOMEBODY), None).unwrap();
        for way in [&theirs, &below, &theirs.join("not-yet")] {
            refused_for(way, &theirs);
        }
        // Root's own, but somebody else has laid the link.
        let (mine, link) = (dir.path().join("mine"), dir.path().join("link"));
        std::fs::create_dir(&mine).unwrap();
        symlink(&mine, &link).unwrap();
        assert_eq!(refused(&link), Ok(()));
        std::os::unix::fs::lchown(&link, Some(SOMEBODY), None).unwrap();
        refused_for(&link, &link);
    }

    #[test]
    fn a_group_of_nobody_else_may_write() {
        let passwd = "root:x:0:0::/:/bin/sh\nscott:x:1000:1000::/:/bin/sh\nadams:x:1001:1001::/:/bin/sh\nblake:x:1002:7::/:/bin/sh\n";
        let group = "root:x:0:\nscott:x:1000:\nours:x:5:scott,root\nteam:x:6:scott,adams\nold:x:7:\ngone:x:8:miller\n";
        let scott = Owner { uid: 1000, users: users::listed(passwd), group: group.to_owned() };
        for (gid, alone) in
            [(0, true), (1000, true), (5, true), (6, false), (7, false), (8, false), (9, false), (1001, false)]
        {
            assert_eq!(scott.is_alone_in(gid), alone, "{gid}");
        }
    }
}
