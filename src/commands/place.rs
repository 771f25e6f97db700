//! A target that has been looked at: the engine, the data that it holds, and so the size and seed that count.

use crate::error::Error;
use crate::{output, secrets};
use dbdyno_catalogue::Catalogue;
use dbdyno_engine::{Engine, EngineInfo, Loaded, Target, engine_info, open};
use dbdyno_model::{Plan, Platform, Size};
use dbdyno_run::{Ground, LoadError, LoadWish, Wish, resolve};

/// Where something is about to be done.
pub(super) struct Place {
    pub(super) target: Target,
    pub(super) info: &'static EngineInfo,
    pub(super) engine: Box<dyn Engine>,
    /// What the target holds.
    pub(super) held: Loaded,
    /// The size that it holds, or else the one wished for, or else the default.
    pub(super) size: Size,
    /// The seed, likewise.
    pub(super) seed: u64,
}

impl Place {
    /// Takes a target apart, opens it and looks at what it holds. Changes nothing there.
    ///
    /// # Errors
    /// The target names no engine, the size does not exist, or the target cannot be reached.
    pub(super) fn open(url: &str, size: Option<&str>, seed: Option<u64>, catalogue: &Catalogue) -> Result<Self, Error> {
        let target = Target::parse(url)?;
        if secrets::contains_password(url) {
            output::complain(
                "warning: the target contains a password, which others on this machine can read in the list of processes \
                 and in your shell's history; it is neither stored nor shown",
            );
        }
        let info = engine_info(&target.scheme)?;
        let wished = catalogue.size(size.unwrap_or(LoadWish::DEFAULT_SIZE))?;
        let engine = open(&target, wished)?;
        let unreachable = |error| LoadError::Unreachable { target: target.to_string(), error };
        let held = engine.loaded().map_err(unreachable)?;
        let (held_size, held_seed) = match &held {
            Loaded::Partly { size, seed } | Loaded::Complete { size, seed, .. } => (Some(size), Some(*seed)),
            Loaded::Nothing | Loaded::Foreign(_) => (None, None),
        };
        let size = held_size.map_or(Ok(wished), |held| catalogue.size(held))?;
        let seed = held_seed.or(seed).unwrap_or(LoadWish::DEFAULT_SEED);
        // The size decides the engine's cache, so an engine that was opened for another is opened again.
        let engine = if size.id == wished.id { engine } else { open(&target, size)? };
        Ok(Self { info, engine, held, size: size.clone(), seed, target })
    }

    /// What would be measured here.
    ///
    /// # Errors
    /// A test or suite does not exist.
    pub(super) fn plan(&self, wish: &Wish, catalogue: &Catalogue) -> Result<Plan, Error> {
        let ground = Ground {
            catalogue,
            engine: self.info,
            features: self.engine.features(),
            size: &self.size,
            seed: self.seed,
            hardware_threads: dbdyno_probe::hardware_threads(),
        };
        Ok(resolve(wish, ground)?)
    }

    /// The sheet of the platform, as far as it is this machine.
    pub(super) fn platform(&self) -> Platform {
        if self.engine.features().local {
            return dbdyno_probe::inventory(&self.engine.data_files());
        }
        let why = "the target is on another machine, whose operating system dbdyno does not see";
        let missing = ["host", "cpu", "memory", "os", "kernel", "virtualisation", "disks"];
        let missing = missing.map(|path| (path.to_owned(), why.to_owned())).into();
        Platform { missing, ..Platform::default() }
    }

    /// Nodes that the target names: the hosts of its URL, one for what has none.
    pub(super) fn nodes(&self) -> u32 {
        let authority = self.target.rest.strip_prefix("//").map(|rest| rest.split('/').next().unwrap_or_default());
        let hosts = authority.map_or(1, |a| a.rsplit('@').next().unwrap_or_default().split(',').count());
        u32::try_from(hosts).unwrap_or(u32::MAX)
    }

    /// What the target holds, in words.
    pub(super) fn held_words(&self) -> String {
        match &self.held {
            Loaded::Nothing => "no data of dbdyno's".to_owned(),
            Loaded::Partly { size, seed } => format!("an unfinished load of size {size} (seed {seed})"),
            Loaded::Complete { size, seed, verified: true, .. } => format!("size {size} (seed {seed}), verified"),
            Loaded::Complete { size, seed, verified: false, .. } => format!("size {size} (seed {seed}), not verified"),
            Loaded::Foreign(problem) => problem.clone(),
        }
    }

    /// Says an engine's error with the target and what was being done.
    pub(super) fn failed(&self, doing: &'static str) -> impl Fn(dbdyno_engine::EngineError) -> Error {
        move |source| Error::Engine { doing, target: self.target.to_string(), source }
    }

    /// The error for a target that holds something of our names that is not ours, if that is so.
    pub(super) fn refuse_foreign(&self) -> Result<(), Error> {
        match &self.held {
            Loaded::Foreign(problem) => {
                Err(LoadError::Foreign { target: self.target.to_string(), problem: problem.clone() }.into())
            }
            _ => Ok(()),
        }
    }
}
