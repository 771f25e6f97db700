//! What `durability` makes, cuts and removes: a private server or a database file, in a folder of its own, and with it
//! a file system where that is cut, too. A private server that users have started is another one, and is left alone.

use super::super::context::Context;
use super::super::private_servers::failed;
use super::super::up::UpWatch;
use super::control::Control;
use crate::cli::CutBy;
use crate::error::Error;
use dbdyno::EMBEDDED;
use dbdyno_engine::private::{self, HOME_VARIABLE, Home, Instance, Private, StandbyRequest, UpRequest, Which};
use dbdyno_engine::servers::{ReplicationLog, ServerError, Silent};
use dbdyno_engine::{Engine, EngineInfo, Target};
use dbdyno_model::{ErrorClass, Size};
use dbdyno_run::StopSwitch;
use dbdyno_run::crash::{CrashError, Device, FileSystem, Subject};
use std::collections::BTreeSet;
use std::fs::{DirBuilder, File};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// The size class of the server: with a small cache pages are written all the time, and the log with them.
const SIZE: &str = "D";
/// The folder of all this in the home of private servers.
const FOLDER: &str = "durability";
/// What the sessions say of errors.
const LOG: &str = "sessions.log";
/// A server that does not start with less than this has no room.
const LEAST_FREE_BYTES: u64 = 64 << 20;
/// What is known of the server, outside of what is cut.
const RECORD: &str = "instance.json";
/// A database without a server.
const FILE: &str = "crash.db";

/// What can be made, and its folder.
pub(super) struct Made {
    pub(super) info: &'static EngineInfo,
    pub(super) server: Option<Private>,
    by: CutBy,
    folder: PathBuf,
    pub(super) size: Size,
    /// Nobody else works in the folder.
    _lock: dbdyno_files::Lock,
}

impl Made {
    /// Whether dbdyno can make a database of an engine.
    pub(super) fn is_possible(info: &EngineInfo) -> bool {
        info.private.is_some() || EMBEDDED.is_some_and(|embedded| embedded.name == info.name)
    }

    /// Makes the folder, and removes what a test that was killed has left in it.
    ///
    /// # Errors
    /// Another test is at work, or something else is there.
    pub(super) fn make(info: &'static EngineInfo, by: CutBy, context: &Context) -> Result<Self, Error> {
        let home = Home::from_environment().map_err(failed("preparing", &Which::of(info.name)))?;
        let all = home.path().join(FOLDER);
        let refused = |path: &Path| {
            let path = path.display().to_string();
            move |error: io::Error| {
                Error::Usage(format!("{path}: {error}; set {HOME_VARIABLE} to a folder of your own"))
            }
        };
        // The server's user passes through.
        DirBuilder::new().mode(0o755).recursive(true).create(&all).map_err(refused(&all))?;
        // Mounts are known by their real path.
        let all = all.canonicalize().map_err(refused(&all))?;
        let folder = all.join(info.name);
        let locked = dbdyno_files::Lock::take(&all.join(format!("{}.lock", info.name))).map_err(refused(&all))?;
        let lock = locked.ok_or_else(|| {
            Error::Usage(format!(
                "another dbdyno durability is at work in {}; try again when it has ended",
                all.display()
            ))
        })?;
        let size = context.catalogue.size(SIZE)?.clone();
        let made = Self { info, server: info.private, by, folder, size, _lock: lock };
        made.clear()?;
        Ok(made)
    }

    /// Whether a server of its own is cut.
    pub(super) fn is_server(&self) -> bool {
        self.server.is_some()
    }

    /// The version of what is cut, where programs say it.
    pub(super) fn version(&self) -> Option<String> {
        let server = self.server?;
        let named = server.product.about().programs.named();
        let home = Home::from_environment().ok()?;
        Some(private::Standing::look(&home, server.product, named.as_deref()).ok()?.programs.ok()?.version)
    }

    /// Removes what an earlier test has left, and the folder.
    pub(super) fn remove(&self) -> Result<(), Error> {
        self.clear()
    }

    /// The mark stays until nothing of the folder is left.
    fn mark(&self) -> PathBuf {
        self.folder.with_extension("made-by-dbdyno")
    }

    fn clear(&self) -> Result<(), Error> {
        let (folder, mark) = (&self.folder, self.mark());
        let failed =
            |error: &dyn std::fmt::Display| Error::Crash(format!("cannot remove {}: {error}", folder.display()));
        if folder.symlink_metadata().is_ok() {
            if !mark.is_file() {
                return Err(Error::Usage(format!(
                    "{} is there, and not made by dbdyno; move it away, or set {HOME_VARIABLE} to a folder of your own",
                    folder.display()
                )));
            }
            self.kill().map_err(|error| failed(&error))?;
            self.end_what_is_left();
            FileSystem::clear(folder).map_err(|error| failed(&error))?;
            std::fs::remove_dir_all(folder).map_err(|error| failed(&error))?;
        }
        match std::fs::remove_file(&mark) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed(&error)),
            _ => Ok(()),
        }
    }

    /// Kills the server that was recorded, if it runs.
    pub(super) fn kill(&self) -> Result<(), CrashError> {
        let Some(server) = self.server else { return Ok(()) };
        self.instance()?.map_or(Ok(()), |instance| private::kill(&instance, server.product).map_err(subject))
    }

    /// The server that was recorded.
    fn instance(&self) -> Result<Option<Instance>, CrashError> {
        let Ok(text) = std::fs::read_to_string(self.folder.join(RECORD)) else { return Ok(None) };
        serde_json::from_str(&text).map(Some).map_err(subject)
    }

    /// Ends what one that was killed was making or starting, as its own record says.
    fn end_what_is_left(&self) {
        let Some(server) = self.server else { return };
        for home in [self.home_in(&self.folder), self.home_in(&self.folder.join(FileSystem::FOLDER))] {
            // What cannot be read has been cut, and then its server was recorded.
            _ = home.map(|home| private::down(&home, server.product, Some(false), &Silent));
        }
    }

    fn home_in(&self, folder: &Path) -> Result<Home, Error> {
        Home::at(&folder.join("home")).map_err(failed("preparing", &Which::of(self.info.name)))
    }
}

/// One database, from its making to its end.
pub(super) struct MadeSubject<'a> {
    pub(super) made: &'a Made,
    pub(super) home: Home,
    file_system: Option<FileSystem>,
    sessions: u32,
    control: Option<&'a Control>,
    log: Option<&'static dyn ReplicationLog>,
    logs_read: BTreeSet<String>,
    pub(super) watch: UpWatch,
    program: PathBuf,
}

impl<'a> MadeSubject<'a> {
    pub(super) fn new(
        made: &'a Made,
        sessions: u32,
        control: Option<&'a Control>,
        log: Option<&'static dyn ReplicationLog>,
        stop: &StopSwitch,
    ) -> Result<Self, Error> {
        made.clear()?;
        let failed = |error: String| Error::Crash(format!("cannot make {}: {error}", made.folder.display()));
        File::create(made.mark()).map_err(|error| failed(error.to_string()))?;
        DirBuilder::new().mode(0o755).create(&made.folder).map_err(|error| failed(error.to_string()))?;
        let device = match made.by {
            CutBy::Kill | CutBy::Promotion => None,
            CutBy::Filesystem => Some(Device::Faithful),
            CutBy::Device => Some(Device::Forgetful),
        };
        let options = control.and_then(|control| control.mount_options);
        let make = |device| FileSystem::make(&made.folder, device, options).map_err(|error| failed(error.to_string()));
        let file_system = device.map(make).transpose()?;
        let within = file_system.as_ref().map_or(made.folder.as_path(), FileSystem::path);
        std::fs::set_permissions(within, PermissionsExt::from_mode(0o755))
            .map_err(|error| failed(error.to_string()))?;
        let home = made.home_in(within)?;
        let program = std::env::current_exe().map_err(|error| Error::Internal(error.to_string()))?;
        let watch = UpWatch::quiet(stop.clone());
        let logs_read = BTreeSet::new();
        Ok(Self { made, home, file_system, sessions, control, log, logs_read, watch, program })
    }

    /// A new folder for the ledgers, outside of what is cut.
    pub(super) fn ledgers(&self) -> Result<PathBuf, Error> {
        let folder = self.made.folder.join("ledgers");
        let made = DirBuilder::new().mode(0o700).create(&folder);
        made.map(|()| folder).map_err(|error| Error::Crash(format!("cannot make the ledgers' folder: {error}")))
    }

    /// An error with what the sessions said, where that may explain it.
    pub(super) fn explained(&self, error: CrashError) -> CrashError {
        let said = std::fs::read_to_string(self.made.folder.join(LOG)).unwrap_or_default();
        match (error, said.lines().last()) {
            (CrashError::Idle(why), Some(last)) => CrashError::Idle(format!("{why} ({last})")),
            (error, _) => error,
        }
    }

    /// Ends and removes it.
    ///
    /// # Errors
    /// Something is left.
    pub(super) fn remove(self) -> Result<(), CrashError> {
        self.made.clear().map_err(subject)
    }

    /// Whether it was the database that did not come back, or something that was in its way.
    pub(super) fn gone(&self, error: ServerError) -> CrashError {
        // Its own file system may have room that the one below has not.
        let is_full_at = |path: &Path| dbdyno_probe::free_bytes(path).is_ok_and(|bytes| bytes < LEAST_FREE_BYTES);
        let is_full = || is_full_at(self.home.path()) || is_full_at(&self.made.folder);
        match error {
            ServerError::Failed(error)
                if !is_full()
                    && !matches!(error.class, ErrorClass::Cancelled | ErrorClass::Timeout | ErrorClass::OutOfSpace) =>
            {
                CrashError::Gone(error.to_string())
            }
            error => subject(error),
        }
    }

    /// Starts the server, with a standby where one is asked for.
    ///
    /// # Errors
    /// As for [`Subject::start`].
    pub(super) fn up(&self, server: Private, standby: Option<StandbyRequest<'_>>) -> Result<(), CrashError> {
        let programs = server.product.about().programs.named();
        let request = UpRequest {
            size: &self.made.size,
            memory_limit_bytes: None,
            cpus: &[],
            replication_log: self.log.is_some(),
            keep: Some(true),
            programs: programs.as_deref(),
            hardware_threads: dbdyno_probe::hardware_threads(),
            standby,
        };
        let up = private::up(&self.home, server.product, &request, &self.watch).map_err(|error| self.gone(error))?;
        // What is cut may not be readable then, and may have forgotten it.
        let record = serde_json::to_string(&up.instance).map_err(subject)?;
        std::fs::write(self.made.folder.join(RECORD), record).map_err(subject)
    }

    /// The server that was started last.
    fn instance(&self) -> Result<Instance, CrashError> {
        self.made.instance()?.ok_or_else(|| subject("it is not recorded which server runs"))
    }

    /// The file of a database without a server.
    fn file(&self) -> PathBuf {
        let within = self.file_system.as_ref().map_or(self.made.folder.as_path(), FileSystem::path);
        within.join(FILE)
    }

    /// The target as sessions of another process know it.
    fn target(&self) -> String {
        match self.made.server {
            Some(_) => Which::of(self.made.info.name).target(),
            None => {
                let options = self.control.and_then(|control| control.target_options.as_deref());
                let options = options.map(|options| format!("?{options}")).unwrap_or_default();
                format!("{}:{}{options}", self.made.info.name, self.file().display())
            }
        }
    }
}

pub(super) fn subject(error: impl std::fmt::Display) -> CrashError {
    CrashError::Subject(error.to_string())
}

impl Subject for MadeSubject<'_> {
    fn start(&mut self) -> Result<Box<dyn Engine>, CrashError> {
        let size = &self.made.size;
        let Some(server) = self.made.server else {
            let target = Target::parse(&self.target()).map_err(subject)?;
            return (self.made.info.open)(&target, size).map_err(subject);
        };
        self.up(server, None)?;
        let found = private::find(&self.home, server.product, None).map_err(subject)?;
        (server.open)(&found, size).map_err(subject)
    }

    fn sessions(&self, cut: u32) -> Command {
        let mut command = Command::new(&self.program);
        command.args(["crash-sessions", "--target", &self.target()]);
        command.args(["--cut", &cut.to_string(), "--sessions", &self.sessions.to_string()]);
        if self.control.is_some_and(|control| control.mount_options.is_none()) {
            command.arg("--as-set");
        }
        command.env(HOME_VARIABLE, self.home.path());
        // Ctrl-C is for this process alone, which ends them.
        command.process_group(0);
        if let Ok(log) = File::create(self.made.folder.join(LOG)) {
            command.stderr(log);
        }
        command
    }

    fn cut(&mut self, _: &dyn Fn() -> Option<Instant>) -> Result<Instant, CrashError> {
        let at = Instant::now();
        if let Some(file_system) = &self.file_system {
            file_system.shut_down().map_err(subject)?;
        }
        // Without a server the sessions are the database; whoever called this ends them now.
        self.made.kill()?;
        Ok(at)
    }

    fn is_apart(&self) -> bool {
        self.made.is_server()
    }

    fn hold(&mut self, sessions: &dyn Fn() -> Result<(), CrashError>) -> Result<(), CrashError> {
        match (&self.file_system, self.made.server) {
            (None, _) => Ok(()),
            (Some(_), None) => sessions(),
            (Some(_), Some(server)) => private::hold(&self.instance()?, server.product).map_err(subject),
        }
    }

    fn logged(&mut self) -> Result<Option<Vec<String>>, CrashError> {
        let Some(log) = self.log else { return Ok(None) };
        let instance = self.instance()?;
        log.committed(&instance.place(), &mut self.logs_read).map(Some).map_err(subject)
    }

    fn keep(&mut self) -> Result<(), CrashError> {
        self.file_system.as_ref().map_or(Ok(()), |file_system| file_system.sync().map_err(subject))
    }

    fn repair(&mut self) -> Result<(), CrashError> {
        self.file_system.as_ref().map_or(Ok(()), |file_system| file_system.recover().map_err(subject))
    }
}

impl Drop for MadeSubject<'_> {
    fn drop(&mut self) {
        _ = self.made.clear();
    }
}
