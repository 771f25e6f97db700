//! The user that a server runs as. Servers refuse to run as root, and rightly: so root's instances belong to an
//! unprivileged user, and everybody else's to themselves.

use super::ServerError;
use crate::users;
use std::io;
use std::os::unix::fs::lchown;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Used when the engine's own user does not exist.
const LAST_RESORT: &str = "nobody";
/// What a server needs of the environment; anything else (passwords, locales, another server's variables) would only
/// change what is measured, or leak.
const ENVIRONMENT: [&str; 3] = ["PATH", "LD_LIBRARY_PATH", "TZ"];

/// A user to run as.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    /// The name.
    pub name: String,
    /// User and group to become; `None`: stay who we are.
    ids: Option<(u32, u32)>,
}

impl Account {
    /// Who a server started by this user runs as: the first of these names for root, the user himself for others.
    ///
    /// # Errors
    /// Root has no user to run it as.
    pub fn choose(preferred: &[&str]) -> Result<Self, ServerError> {
        let (users, me) = (users::of_this_system(), rustix::process::geteuid());
        if !me.is_root() {
            let listed = users.into_iter().find(|user| user.uid == me.as_raw());
            return Ok(Self { name: listed.map_or_else(|| me.as_raw().to_string(), |user| user.name), ids: None });
        }
        let mut names = preferred.iter().chain([&LAST_RESORT]);
        let found = names.find_map(|name| users.iter().find(|user| user.name == *name && user.uid != 0));
        match found {
            Some(user) => Ok(Self { name: user.name.clone(), ids: Some((user.uid, user.gid)) }),
            None => Err(ServerError::Refused(format!(
                "a database server does not run as root, and /etc/passwd has no user {} or {LAST_RESORT} to run it as; create one, or start dbdyno as another user",
                preferred.join(", ")
            ))),
        }
    }

    /// A command that runs as this user with a plain environment, in a folder that every user may be in.
    pub fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.env_clear().env("LC_ALL", "C").current_dir("/");
        for name in ENVIRONMENT {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        if let Some((uid, gid)) = self.ids {
            // Becoming another user gives up all other groups, too.
            command.uid(uid).gid(gid);
        }
        command
    }

    /// Gives a path to this user. Only for what lies in a folder of root's own.
    ///
    /// # Errors
    /// The system refuses.
    pub fn give(&self, path: &Path) -> io::Result<()> {
        self.ids.map_or(Ok(()), |(uid, gid)| lchown(path, Some(uid), Some(gid)))
    }

    /// User and group of a server's that do not start it; `None` where it runs as who starts it.
    #[must_use]
    pub fn ids(&self) -> Option<(u32, u32)> {
        self.ids
    }

    /// The user's number.
    #[must_use]
    pub fn uid(&self) -> u32 {
        self.ids.map_or_else(|| rustix::process::geteuid().as_raw(), |(uid, _)| uid)
    }

    /// The first folder on the way to this one that the user may not enter.
    #[must_use]
    pub fn closed_on_the_way(&self, folder: &Path) -> Option<PathBuf> {
        let mut way: Vec<&Path> = folder.ancestors().filter(|f| f.is_dir()).collect();
        way.reverse();
        // Asked of the system, because modes are not all that decides (access lists, mounts).
        match way.last().map(|last| self.may_enter(last)) {
            None | Some(true) => None,
            Some(false) => Some(way.into_iter().find(|f| !self.may_enter(f)).unwrap_or(folder).to_owned()),
        }
    }

    fn may_enter(&self, folder: &Path) -> bool {
        let mut command = self.command(Path::new("/bin/sh"));
        command.args(["-c", "cd -- \"$1\"", "sh"]).arg(folder);
        let status = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
        status.is_ok_and(|status| status.success())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn root_becomes_somebody_else_and_others_stay() {
        let account = Account::choose(&["no-such-user"]).unwrap();
        let output = account.command(Path::new("/bin/sh")).args(["-c", "id -u; id -G; env"]).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        if rustix::process::geteuid().is_root() {
            assert_eq!(account.name, LAST_RESORT);
            assert!(!text.starts_with("0\n") && text.lines().nth(1).is_some_and(|groups| !groups.contains(' ')));
        } else {
            assert!(text.starts_with(&rustix::process::geteuid().as_raw().to_string()), "{text}");
        }
        assert!(!text.contains("CARGO"), "{text}");
    }

    #[test]
    fn a_closed_folder_on_the_way_is_named() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::set_permissions(dir.path(), PermissionsExt::from_mode(0o755)).unwrap();
        let inner = dir.path().join("closed/inner/not-yet");
        std::fs::create_dir_all(inner.parent().unwrap()).unwrap();
        let account = Account::choose(&[]).unwrap();
        assert_eq!(account.closed_on_the_way(&inner), None);
        if !rustix::process::geteuid().is_root() {
            return;
        }
        let closed = dir.path().join("closed");
        std::fs::set_permissions(&closed, PermissionsExt::from_mode(0o700)).unwrap();
        assert_eq!(account.closed_on_the_way(&inner), Some(closed));
    }
}
