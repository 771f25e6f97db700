//! A target that has been opened and examined: the engine, the data on it, and so its size and seed.

use crate::error::Error;
use crate::{output, secrets, signals};
use dbdyno::ENGINES;
use dbdyno_catalogue::Catalogue;
use dbdyno_engine::private::Which;
use dbdyno_engine::{Engine, EngineError, EngineInfo, Loaded, Target};
use dbdyno_model::{ErrorClass, Plan, Platform, Size};
use dbdyno_run::{LoadError, LoadRequest, PlanContext, RunRequest, resolve};
use std::io::{self, IsTerminal};
use std::sync::Arc;

/// An opened target.
pub(super) struct OpenedTarget {
    pub(super) target: Target,
    pub(super) info: &'static EngineInfo,
    pub(super) engine: Arc<dyn Engine>,
    /// The data on the target.
    pub(super) held: Loaded,
    /// The size that the user named, or that a private instance was started for.
    pub(super) wished_size: Option<String>,
    /// The size of its data, else the requested one, else the default.
    pub(super) size: Size,
    /// The seed, likewise.
    pub(super) seed: u64,
}

impl OpenedTarget {
    /// Parses a target, opens it and examines its data. Changes nothing there.
    ///
    /// # Errors
    /// The target names no engine, the size does not exist, or the target cannot be reached.
    pub(super) fn open(url: &str, size: Option<&str>, seed: Option<u64>, catalogue: &Catalogue) -> Result<Self, Error> {
        Self::open_and(parsed(url)?, size, seed, catalogue, |loaded| loaded)
    }

    /// The same for a target that nobody has typed.
    ///
    /// # Errors
    /// As for [`OpenedTarget::open`].
    pub(super) fn open_parsed(
        target: Target,
        size: Option<&str>,
        seed: Option<u64>,
        catalogue: &Catalogue,
    ) -> Result<Self, Error> {
        Self::open_and(target, size, seed, catalogue, |loaded| loaded)
    }

    /// Opens a target for whoever watches others there: whether it holds data of dbdyno's, and whether this role may
    /// see that, does not matter.
    ///
    /// # Errors
    /// As for [`OpenedTarget::open`].
    pub(super) fn open_to_watch(url: &str, catalogue: &Catalogue) -> Result<Self, Error> {
        Self::open_and(parsed(url)?, None, None, catalogue, |loaded| match loaded {
            Err(error) if error.class == ErrorClass::Permission => Ok(Loaded::Nothing),
            loaded => loaded,
        })
    }

    fn open_and(
        mut target: Target,
        size: Option<&str>,
        seed: Option<u64>,
        catalogue: &Catalogue,
        seen: impl Fn(Result<Loaded, EngineError>) -> Result<Loaded, EngineError>,
    ) -> Result<Self, Error> {
        let info = ENGINES.engine_of(&target)?;
        if let Some(notice) = info.notice.filter(|_| !info.hidden) {
            output::complain(&format!("notice: {}: {notice}", info.title));
        }
        let wished_size = wished_size(&target, size)?;
        let wished = catalogue.size(wished_size.as_deref().unwrap_or(LoadRequest::DEFAULT_SIZE))?;
        let mut engine = opened(&target, wished)?;
        let mut held = engine.loaded();
        if held.as_ref().is_err_and(|error| error.class == ErrorClass::Authentication)
            && let Some(password) = asked_password(&target)
        {
            target = target.with_password(password);
            engine = opened(&target, wished)?;
            held = engine.loaded();
        }
        let held = seen(held).map_err(|error| LoadError::Unreachable { target: target.to_string(), error })?;
        let (held_size, held_seed) = match &held {
            Loaded::Partly { size, seed } | Loaded::Complete { size, seed, .. } => (Some(size), Some(*seed)),
            Loaded::Nothing | Loaded::Foreign(_) => (None, None),
        };
        let size = held_size.map_or(Ok(wished), |held| catalogue.size(held))?;
        let seed = held_seed.or(seed).unwrap_or(LoadRequest::DEFAULT_SEED);
        // The size decides the engine's cache, so an engine that was opened for another size is opened again.
        let engine = if size.id == wished.id { engine } else { opened(&target, size)? };
        Ok(Self { info, engine: Arc::from(engine), held, wished_size, size: size.clone(), seed, target })
    }

    /// The plan of what would be measured here.
    ///
    /// # Errors
    /// A test or suite does not exist.
    pub(super) fn plan(&self, request: &RunRequest, catalogue: &Catalogue) -> Result<Plan, Error> {
        let ground = PlanContext {
            catalogue,
            engine: self.info,
            features: self.engine.features(),
            size: &self.size,
            seed: self.seed,
            hardware_threads: dbdyno_probe::hardware_threads(),
        };
        Ok(resolve(request, ground)?)
    }

    /// The platform sheet, if the target is on this machine.
    pub(super) fn platform(&self) -> Platform {
        if self.engine.features().local {
            let mut sheet = dbdyno_probe::inventory(&self.engine.data_files());
            // If a server does the work, its limits count, not those of dbdyno.
            if let Some(pid) = self.engine.server_pid() {
                sheet.missing.remove("cpu.limits");
                sheet.cpu.limits = dbdyno_probe::cpu_limits(Some(pid)).unwrap_or_else(|why| {
                    sheet.missing.insert("cpu.limits".to_owned(), why);
                    None
                });
            }
            return sheet;
        }
        let why = "the target is on another machine, whose operating system dbdyno does not see";
        let missing = ["host", "cpu", "memory", "os", "kernel", "virtualisation", "disks"];
        let missing = missing.map(|path| (path.to_owned(), why.to_owned())).into();
        Platform { missing, ..Platform::default() }
    }

    /// The data on the target, in words.
    pub(super) fn held_words(&self) -> String {
        match &self.held {
            Loaded::Nothing => "no data of dbdyno's".to_owned(),
            Loaded::Partly { size, seed } => format!("an unfinished load of size {size} (seed {seed})"),
            Loaded::Complete { size, seed, verified: true, .. } => format!("size {size} (seed {seed}), verified"),
            Loaded::Complete { size, seed, verified: false, .. } => format!("size {size} (seed {seed}), not verified"),
            Loaded::Foreign(problem) => problem.clone(),
        }
    }

    /// Converts an engine's error to an error with the target and the activity.
    pub(super) fn failed(&self, doing: &'static str) -> impl Fn(dbdyno_engine::EngineError) -> Error {
        move |source| Error::Engine { doing, target: self.target.to_string(), source }
    }

    /// The error for a target with objects of dbdyno's names that dbdyno did not make, if that is so.
    pub(super) fn refuse_foreign(&self) -> Result<(), Error> {
        let Loaded::Foreign(problem) = &self.held else { return Ok(()) };
        Err(LoadError::Foreign { target: self.target.to_string(), problem: problem.clone() }.into())
    }
}

/// A target as somebody has typed it.
fn parsed(url: &str) -> Result<Target, Error> {
    let target = Target::parse(url)?;
    if secrets::contains_password(url) {
        output::complain(
            "warning: the target contains a password, which others on this machine can read in the list of processes \
             and in your shell's history; it is neither stored nor shown",
        );
    }
    Ok(target)
}

/// Opens an engine. A request that will never be answered ends the command.
fn opened(target: &Target, size: &Size) -> Result<Box<dyn Engine>, Error> {
    let engine = ENGINES.open(target, size)?;
    engine.on_lost(Box::new(|error| signals::leave(&format!("the target was lost: {error}"))));
    Ok(engine)
}

/// The requested size: the user's, or else that of the private instance, which must not differ.
fn wished_size(target: &Target, size: Option<&str>) -> Result<Option<String>, Error> {
    match (ENGINES.private_server(target)?, size) {
        (Some(server), Some(size)) if server.size != size => Err(Error::Usage(format!(
            "{target} was started for size {}, not {size}; leave --size away, or start it anew: dbdyno down {arguments} --keep=false && dbdyno up {arguments} --size {size}",
            server.size,
            arguments = Which::of_target(target)?.arguments()
        ))),
        (Some(server), _) => Ok(Some(server.size)),
        (None, size) => Ok(size.map(str::to_owned)),
    }
}

/// Asks for the password of a target that was refused without one, if there is a terminal.
fn asked_password(target: &Target) -> Option<String> {
    let somebody = io::stdin().is_terminal() && io::stderr().is_terminal();
    if !somebody || target.password().is_some() {
        return None;
    }
    // Empty input, and a terminal that cannot be read, leave the server's refusal in force.
    let prompt = format!("Password for {}: ", output::clean(&target.to_string()));
    rpassword::prompt_password(prompt).ok().filter(|password| !password.is_empty())
}
