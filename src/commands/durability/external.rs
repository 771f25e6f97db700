//! A server of the user's own, which the user cuts: by hand, or by commands. dbdyno says when, and never touches more
//! of it than its own tables.

use super::super::context::Context;
use crate::cli::DurabilityArgs;
use crate::error::Error;
use crate::output;
use dbdyno::ENGINES;
use dbdyno_engine::{Engine, Target};
use dbdyno_model::Size;
use dbdyno_run::crash::{CrashError, Subject};
use dbdyno_run::{LoadRequest, StopSwitch};
use dbdyno_workload::crash::Crash;
use dbdyno_workload::{Dialect, TargetWorkload, Workload as _};
use std::fs::File;
use std::io::{self, BufRead as _, IsTerminal as _};
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

/// How long a server may take to come back.
const COMES_BACK: Duration = Duration::from_secs(600);
const PAUSE: Duration = Duration::from_millis(100);

/// How the user cuts it.
#[derive(Debug, Clone)]
enum Hands {
    /// Asked on the terminal.
    Manual,
    /// By commands for a shell: one that cuts it, and one that brings it back, if it does not come by itself.
    Commands { cut: String, restart: Option<String> },
}

/// A server of the user's own.
pub(super) struct External<'a> {
    target: String,
    size: Size,
    hands: Hands,
    sessions: u32,
    folder: tempfile::TempDir,
    program: PathBuf,
    stop: &'a StopSwitch,
    /// Whether it has been cut, so that it may be away for a while.
    was_cut: bool,
}

impl<'a> External<'a> {
    /// The server that the user names.
    ///
    /// # Errors
    /// Nobody says how it is cut.
    pub(super) fn new(
        args: &DurabilityArgs,
        sessions: u32,
        stop: &'a StopSwitch,
        context: &Context,
    ) -> Result<Self, Error> {
        let hands = match (&args.cut_command, args.manual) {
            (Some(cut), _) => Hands::Commands { cut: cut.clone(), restart: args.restart_command.clone() },
            (None, true) if io::stdin().is_terminal() => Hands::Manual,
            (None, _) => {
                return Err(Error::Usage(
                    "--manual asks on the terminal, and there is none; say --cut-command".to_owned(),
                ));
            }
        };
        let internal = |error: io::Error| Error::Internal(error.to_string());
        Ok(Self {
            target: args.target.clone(),
            size: context.catalogue.size(LoadRequest::DEFAULT_SIZE)?.clone(),
            hands,
            sessions,
            folder: tempfile::Builder::new().prefix("dbdyno-ledgers-").tempdir().map_err(internal)?,
            program: std::env::current_exe().map_err(internal)?,
            stop,
            was_cut: false,
        })
    }

    /// The folder of the ledgers, on this machine.
    pub(super) fn ledgers(&self) -> PathBuf {
        self.folder.path().to_owned()
    }

    /// Removes what was made on the server.
    ///
    /// # Errors
    /// It cannot be removed.
    pub(super) fn remove(&self, dialect: &Dialect) -> Result<(), Error> {
        let failed = |error: String| Error::Crash(format!("its tables may be left: {error}; dbdyno drop removes them"));
        let engine = self.open().map_err(|error| failed(error.to_string()))?;
        let removed = TargetWorkload::new(engine.as_ref(), dialect).remove(&Crash.data_by_default());
        removed.map_err(|error| failed(error.to_string()))
    }

    fn open(&self) -> Result<Box<dyn Engine>, CrashError> {
        let target = Target::parse(&self.target).map_err(subject)?;
        let engine = ENGINES.open(&target, &self.size).map_err(subject)?;
        engine.books()?;
        Ok(engine)
    }
}

fn subject(error: impl std::fmt::Display) -> CrashError {
    CrashError::Subject(error.to_string())
}

fn shell(command: &str) -> Result<(), CrashError> {
    let status = Command::new("sh").args(["-c", command]).stdout(io::stderr()).status().map_err(subject)?;
    if status.success() { Ok(()) } else { Err(subject(format!("`{command}` ended with {status}"))) }
}

impl Subject for External<'_> {
    fn start(&mut self) -> Result<Box<dyn Engine>, CrashError> {
        let until = Instant::now() + COMES_BACK;
        loop {
            match self.open() {
                Err(_) if self.was_cut && Instant::now() < until && !self.stop.requested() => std::thread::sleep(PAUSE),
                done => return done,
            }
        }
    }

    fn sessions(&self, cut: u32) -> Command {
        let mut command = Command::new(&self.program);
        command.args(["crash-sessions", "--target", &self.target]);
        // What is set on the server is what is tested.
        command.args(["--cut", &cut.to_string(), "--sessions", &self.sessions.to_string(), "--as-set"]);
        command.process_group(0);
        if let Ok(log) = File::create(self.folder.path().join("sessions.log")) {
            command.stderr(log);
        }
        command
    }

    fn cut(&mut self, _: &dyn Fn() -> Option<Instant>) -> Result<Instant, CrashError> {
        self.was_cut = true;
        let at = Instant::now();
        match &self.hands {
            Hands::Commands { cut, .. } => shell(cut)?,
            Hands::Manual => {
                output::note("cut it off now; when it is on again, press Enter");
                io::stdin().lock().read_line(&mut String::new()).map(drop).map_err(subject)?;
            }
        }
        Ok(at)
    }

    fn is_apart(&self) -> bool {
        true
    }

    fn repair(&mut self) -> Result<(), CrashError> {
        match &self.hands {
            Hands::Commands { restart: Some(restart), .. } => shell(restart),
            Hands::Commands { restart: None, .. } | Hands::Manual => Ok(()),
        }
    }
}
