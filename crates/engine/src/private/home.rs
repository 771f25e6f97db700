//! Where private instances live: `$DBDYNO_HOME`, one folder an engine. Instances of different homes know nothing of
//! each other, so tests that each have a home of their own can run at the same time. An instance with a name lives in
//! such a home, too: one within the other, in `named/NAME`.

use super::Which;
use super::way::{HOME_VARIABLE, refuse_open};
use super::which::check_name;
use crate::servers::{Account, DataFolder, ServerError};
use std::fs::{DirBuilder, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// The folder that holds every private instance of one user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Home {
    path: PathBuf,
    /// The user's own, in which this one may be.
    outer: PathBuf,
    /// The name of its instances, where it is the home of those of a name.
    name: Option<String>,
}

/// The folder of the homes of instances with a name, in the user's own.
const NAMED: &str = "named";
/// The folder of the homes of standbys.
const STANDBY: &str = "standby";

impl Home {
    /// `$DBDYNO_HOME`, or else `/var/lib/dbdyno` for root and `~/.local/state/dbdyno` for others.
    ///
    /// # Errors
    /// Neither is known, or the path is none that can be written down.
    pub fn from_environment() -> Result<Self, ServerError> {
        let set = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
        if let Some(home) = set(HOME_VARIABLE) {
            return Self::at(&home);
        }
        if rustix::process::geteuid().is_root() {
            return Self::at(Path::new("/var/lib/dbdyno"));
        }
        match set("HOME") {
            Some(home) => Self::at(&home.join(".local/state/dbdyno")),
            None => Err(ServerError::Refused(format!(
                "neither {HOME_VARIABLE} nor HOME is set, so there is no folder for a private instance; set {HOME_VARIABLE} to one"
            ))),
        }
    }

    /// A folder; it need not exist yet.
    ///
    /// # Errors
    /// The path is no text, so that it could not be recorded.
    pub fn at(folder: &Path) -> Result<Self, ServerError> {
        let refused = |why: &str| ServerError::Refused(format!("the home folder {} {why}", folder.display()));
        let absolute = std::path::absolute(folder).map_err(|e| refused(&format!("cannot be found: {e}")))?;
        match absolute.to_str() {
            Some(text) if !text.chars().any(char::is_control) => {
                Ok(Self { path: absolute.clone(), outer: absolute, name: None })
            }
            _ => Err(refused("has a name that is no plain text; choose another")),
        }
    }

    /// The home of the instances of a name; this one where there is none.
    ///
    /// # Errors
    /// It is no name.
    pub fn named(&self, name: Option<&str>) -> Result<Self, ServerError> {
        let Some(name) = name else { return Ok(self.clone()) };
        check_name(name)?;
        Ok(Self { path: self.path.join(NAMED).join(name), outer: self.outer.clone(), name: Some(name.to_owned()) })
    }

    /// The names of which there are homes, in order.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.path.join(NAMED)).into_iter().flatten().flatten();
        let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
        let mut names: Vec<String> = names.filter(|name| check_name(name).is_ok()).collect();
        names.sort_unstable();
        names
    }

    /// The folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The part that belongs to one engine.
    ///
    /// # Errors
    /// Others may change the way to it.
    pub fn instance_folder(&self, engine: &str) -> Result<InstanceFolder, ServerError> {
        let which = Which { engine: engine.to_owned(), name: self.name.clone() };
        let instance_folder = InstanceFolder { path: self.path.join(engine), home: self.outer.clone(), which };
        refuse_open(&instance_folder.path)?;
        Ok(instance_folder)
    }
}

/// Names of files beside the data.
pub(super) const RECORD: &str = "instance.json";
pub(super) const LOCK: &str = "lock";
pub(super) const LOG: &str = "log";

/// The folder of one engine's instance.
#[derive(Debug, Clone)]
pub struct InstanceFolder {
    pub(super) path: PathBuf,
    /// The user's home, which stays.
    home: PathBuf,
    /// Whose it is.
    pub(super) which: Which,
}

impl InstanceFolder {
    /// The server's data, whole.
    pub(super) fn data(&self) -> PathBuf {
        self.path.join("data")
    }

    /// The folder of its standby, which lives in a home of its own, too.
    pub(super) fn standby(&self) -> Self {
        let home = self.path.parent().unwrap_or(&self.home);
        let path = home.join(STANDBY).join(&self.which.engine);
        Self { path, home: self.home.clone(), which: self.which.clone() }
    }

    /// The server's data while it is being made.
    pub(super) fn making(&self) -> PathBuf {
        self.path.join("data.making")
    }

    /// The server's data while it is being removed.
    pub(super) fn removing(&self) -> PathBuf {
        self.path.join("data.removing")
    }

    /// What the server says.
    pub(super) fn log(&self) -> PathBuf {
        self.path.join(LOG)
    }

    /// What is known of the instance.
    pub(super) fn record(&self) -> PathBuf {
        self.path.join(RECORD)
    }

    /// Held by whoever starts or stops the instance.
    pub(super) fn lock(&self) -> PathBuf {
        self.path.join(LOCK)
    }

    /// The files beside the data, by their names: by the same rules as those in it.
    pub(super) fn files(&self) -> io::Result<DataFolder> {
        DataFolder::open(&self.path.canonicalize()?)
    }

    /// The socket, where its path is short enough.
    pub(super) fn run(&self) -> PathBuf {
        self.path.join("run")
    }

    /// Makes the folder and those above it. Root's are open to be passed through, because the server runs as another
    /// user.
    pub(super) fn create(&self) -> Result<(), ServerError> {
        const ATTEMPTS: u32 = 20;
        self.create_in(ATTEMPTS)
    }

    fn create_in(&self, attempts: u32) -> Result<(), ServerError> {
        let missing: Vec<&Path> = self.path.ancestors().take_while(|f| !f.exists()).collect();
        let mode = if rustix::process::geteuid().is_root() { 0o755 } else { 0o700 };
        for folder in missing.into_iter().rev() {
            let made = DirBuilder::new().mode(mode).create(folder);
            // A mask of the shell must not close it; one that another dbdyno has just made is left alone.
            let made = match made {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
                // Another one has just tidied it away.
                Err(error) if error.kind() == io::ErrorKind::NotFound && attempts > 0 => {
                    return self.create_in(attempts - 1);
                }
                made => made.and_then(|()| std::fs::set_permissions(folder, Permissions::from_mode(mode))),
            };
            made.map_err(|error| {
                ServerError::Refused(format!(
                    "cannot create the folder {}: {error}; set {HOME_VARIABLE} to a folder that you may write to",
                    folder.display()
                ))
            })?;
        }
        // In a folder that others may write to, one of them may have been quicker.
        refuse_open(&self.path)
    }

    /// Refuses a place that the server's user cannot come to, naming the folder on the way that is closed.
    pub(super) fn refuse_closed(&self, account: &Account) -> Result<(), ServerError> {
        match account.closed_on_the_way(&self.path) {
            None => Ok(()),
            Some(closed) => Err(ServerError::Refused(format!(
                "the server runs as the user {}, who may not enter {1}; set {HOME_VARIABLE} to a folder that every user can come to, or allow it: chmod o+x {1}",
                account.name,
                closed.display()
            ))),
        }
    }

    /// Everything that dbdyno makes beside the lock and the record.
    pub(super) fn made(&self) -> [PathBuf; 5] {
        [self.data(), self.making(), self.removing(), self.run(), self.log()]
    }

    /// Removes the lock when nothing of ours is there any more, and the folder when it is empty then; only who holds
    /// the lock may ask.
    pub(super) fn tidy(&self) {
        let is_gone = |path: PathBuf| path.symlink_metadata().is_err();
        if self.made().into_iter().chain([self.record()]).all(is_gone) {
            // Whatever cannot be removed is not in anybody's way.
            _ = std::fs::remove_file(self.lock());
            let within = self.path.ancestors().take_while(|folder| *folder != self.home);
            _ = within.map(std::fs::remove_dir).take_while(Result::is_ok).count();
        }
    }
}

/// Removes a folder with all that is in it, if there is one.
pub(super) fn remove_folder(folder: &Path) -> Result<(), ServerError> {
    match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(ServerError::io("remove", folder, &error)),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_home_is_an_absolute_path_that_can_be_written_down() {
        assert!(Home::at(Path::new("x")).unwrap().path().is_absolute());
        assert!(Home::at(Path::new("/a\nb")).is_err());
        let odd = <std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(b"/\xff");
        assert!(Home::at(Path::new(odd)).unwrap_err().to_string().contains("no plain text"));
    }

    #[test]
    fn a_folder_that_holds_nothing_is_tidied_away() {
        let dir = tempfile::tempdir().unwrap();
        let instance_folder = Home::at(&dir.path().join("a/b")).unwrap().instance_folder("engine").unwrap();
        instance_folder.create().unwrap();
        std::fs::write(instance_folder.lock(), "1").unwrap();
        std::fs::write(instance_folder.log(), "x").unwrap();
        instance_folder.tidy();
        assert!(instance_folder.log().exists());
        std::fs::remove_file(instance_folder.log()).unwrap();
        std::fs::write(instance_folder.path.join("notes"), "somebody's").unwrap();
        instance_folder.tidy();
        assert!(!instance_folder.lock().exists(), "a lock that nobody needs is nobody's surprise");
        std::fs::remove_file(instance_folder.path.join("notes")).unwrap();
        instance_folder.tidy();
        assert!(!instance_folder.path.exists() && dir.path().join("a").exists());
        let file = dir.path().join("file");
        std::fs::write(&file, "").unwrap();
        let error = Home::at(&file).unwrap().instance_folder("engine").unwrap().create().unwrap_err();
        assert!(matches!(&error, ServerError::Refused(text) if text.contains("set DBDYNO_HOME")), "{error}");
    }
}
