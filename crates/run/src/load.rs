//! Making sure that the target has the data that the tests need.

use crate::{Event, Events, StopSwitch, shell_word};
use dbdyno_catalogue::{Catalogue, CatalogueError};
use dbdyno_engine::{Engine, EngineError, Finding, FindingLevel, Hold, LoadReport, LoadWatch, Loaded};
use dbdyno_model::{ErrorClass, Size};
use std::path::Path;
use std::sync::Arc;

/// Why the data is not there.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The target has another size or seed.
    #[error(
        "{target} holds size {found} (seed {found_seed}), but {wanted} was asked for; leave --size and --seed away, or run `dbdyno drop --target {}` first",
        shell_word(target)
    )]
    Other {
        /// The target.
        target: String,
        /// Size of its data.
        found: String,
        /// Seed of its data.
        found_seed: u64,
        /// The size or seed that was asked for.
        wanted: String,
    },
    /// The target has no data, and dbdyno does not load there without being asked.
    #[error(
        "{target} holds no data of dbdyno's; load it first: `dbdyno load --target {} --size {size}`",
        shell_word(target)
    )]
    NotLoaded {
        /// The target.
        target: String,
        /// The size that was asked for.
        size: String,
    },
    /// Something on the target has dbdyno's names but was not made by dbdyno.
    #[error("{target} cannot be used: {problem}; dbdyno changed nothing there")]
    Foreign {
        /// The target.
        target: String,
        /// What it is.
        problem: String,
    },
    /// Something prevents the load.
    #[error("{target} cannot be used: {problem}")]
    Blocked {
        /// The target.
        target: String,
        /// What prevents it, and what to do.
        problem: String,
    },
    /// The device is too small.
    #[error(
        "loading size {size} takes about {needed_mib} MiB and {folder} has {free_mib} MiB free; use a smaller size (`dbdyno list sizes`) or another place"
    )]
    NoSpace {
        /// The size.
        size: String,
        /// MiB that it takes.
        needed_mib: u64,
        /// The folder.
        folder: String,
        /// MiB that are free.
        free_mib: u64,
    },
    /// The size that the target reports is unknown.
    #[error(transparent)]
    Catalogue(#[from] CatalogueError),
    /// The engine's error.
    #[error("loading failed: {0}")]
    Engine(#[from] EngineError),
    /// The target cannot be reached.
    #[error("{target} cannot be used: {error}")]
    Unreachable {
        /// The target.
        target: String,
        /// The engine's error.
        error: EngineError,
    },
}

/// Who asked for a load.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoadTrigger {
    /// The user: `dbdyno load`.
    Asked,
    /// A run that needs the data: only where the engine loads on demand.
    OnDemand,
}

/// The data that is asked for.
#[derive(Debug, Clone, Copy)]
pub struct LoadRequest<'a> {
    /// The target, for messages.
    pub target: &'a str,
    /// The size, if the user named one.
    pub size: Option<&'a str>,
    /// The seed, if the user named one.
    pub seed: Option<u64>,
    /// Jobs that load at the same time.
    pub jobs: u32,
    /// Whether every table's checksum is verified after loading.
    pub verify: bool,
}

impl LoadRequest<'_> {
    /// The size for a target that holds no data yet.
    pub const DEFAULT_SIZE: &'static str = "D";
    /// The seed for a target that holds no data yet.
    pub const DEFAULT_SEED: u64 = dbdyno_engine::data::DEFAULT_SEED;

    fn wanted(&self) -> String {
        let size = self.size.map(|s| format!("size {s}"));
        let seed = self.seed.map(|s| format!("seed {s}"));
        size.into_iter().chain(seed).collect::<Vec<_>>().join(", ")
    }
}

/// The data on a target.
#[derive(Debug, Clone, PartialEq)]
pub struct LoadedData {
    /// Its size class.
    pub size: Size,
    /// Its seed.
    pub seed: u64,
    /// Whether every checksum was verified after loading.
    pub verified: bool,
    /// The result of the load, if anything was loaded.
    pub report: Option<LoadReport>,
}

/// Checks whether the requested data can be had on a target that has `loaded`, before anything is touched.
///
/// # Errors
/// The target has other data, or something that dbdyno did not make, or no data although dbdyno does not load unasked;
/// it has too little space; or something else prevents the load.
pub fn refuse_unfit(
    engine: &dyn Engine,
    loaded: &Loaded,
    size: &Size,
    request: LoadRequest<'_>,
    loading: LoadTrigger,
) -> Result<(), LoadError> {
    let target = || request.target.to_owned();
    match loaded {
        Loaded::Foreign(problem) => {
            return Err(LoadError::Foreign { target: target(), problem: problem.clone() });
        }
        Loaded::Partly { size, seed } | Loaded::Complete { size, seed, .. }
            if request.size.is_some_and(|s| s != size) || request.seed.is_some_and(|s| s != *seed) =>
        {
            let (found, found_seed, wanted) = (size.clone(), *seed, request.wanted());
            return Err(LoadError::Other { target: target(), found, found_seed, wanted });
        }
        _ => {}
    }
    let complete = matches!(loaded, Loaded::Complete { .. });
    if !complete && loading == LoadTrigger::OnDemand && !engine.features().loads_on_demand {
        return Err(LoadError::NotLoaded { target: target(), size: size.id.clone() });
    }
    let blocker = engine.check(size).into_iter().find(|finding| finding.level == FindingLevel::Blocker);
    if let Some(Finding { message, .. }) = blocker {
        return Err(LoadError::Blocked { target: target(), problem: message });
    }
    if complete { Ok(()) } else { enough_space(engine, size) }
}

/// Loads what is missing. A target that has everything is left as it is.
///
/// # Errors
/// As for [`refuse_unfit`], and whatever ends a load.
pub fn load(
    engine: &dyn Engine,
    catalogue: &Catalogue,
    request: LoadRequest<'_>,
    loading: LoadTrigger,
    events: &dyn Events,
    stop: &StopSwitch,
) -> Result<LoadedData, LoadError> {
    let loaded =
        engine.loaded().map_err(|error| LoadError::Unreachable { target: request.target.to_owned(), error })?;
    let (size, seed) = match &loaded {
        Loaded::Nothing | Loaded::Foreign(_) => {
            (request.size.unwrap_or(LoadRequest::DEFAULT_SIZE), request.seed.unwrap_or(LoadRequest::DEFAULT_SEED))
        }
        Loaded::Partly { size, seed } | Loaded::Complete { size, seed, .. } => (size.as_str(), *seed),
    };
    let size = catalogue.size(size)?.clone();
    refuse_unfit(engine, &loaded, &size, request, loading)?;
    if let Loaded::Complete { verified, .. } = loaded {
        return Ok(LoadedData { size, seed, verified, report: None });
    }
    let report = engine.load(&size, seed, request.jobs, request.verify, &LoadProgress { events, stop })?;
    Ok(LoadedData { size, seed, verified: request.verify, report: Some(report) })
}

/// Locks other dbdynos out of the target while the returned value lives, and makes sure that no earlier one left
/// anything running there.
///
/// # Errors
/// Another dbdyno is at work there, the target cannot be reached, or the user stopped the waiting.
pub fn hold(
    engine: &dyn Engine,
    target: &str,
    events: &dyn Events,
    stop: &StopSwitch,
) -> Result<Arc<dyn Hold>, LoadError> {
    engine.hold(&LoadProgress { events, stop }).map_err(|error| match error.class {
        ErrorClass::Cancelled => LoadError::Engine(error),
        _ => LoadError::Unreachable { target: target.to_owned(), error },
    })
}

fn enough_space(engine: &dyn Engine, size: &Size) -> Result<(), LoadError> {
    let Some(place) = engine.data_place() else { return Ok(()) };
    let held = engine.data_files().iter().filter_map(|f| std::fs::metadata(f).ok()).map(|m| m.len()).sum();
    let needed = engine.space_needed_bytes(size).saturating_sub(held);
    // If the file system does not tell, the load itself will find out.
    let Ok(free) = dbdyno_probe::free_bytes(&place) else { return Ok(()) };
    if free >= needed {
        return Ok(());
    }
    let folder = place.parent().map(Path::to_path_buf).filter(|f| !f.as_os_str().is_empty());
    Err(LoadError::NoSpace {
        size: size.id.clone(),
        needed_mib: needed >> 20,
        folder: folder.map_or_else(|| "this folder".to_owned(), |f| f.display().to_string()),
        free_mib: free >> 20,
    })
}

pub(crate) struct LoadProgress<'a> {
    pub(crate) events: &'a dyn Events,
    pub(crate) stop: &'a StopSwitch,
}

impl LoadWatch for LoadProgress<'_> {
    fn progress(&self, what: &str, rows: u64, of: u64) {
        self.events.on(&Event::Loading { what, rows, of });
    }

    fn cancelled(&self) -> bool {
        self.stop.requested()
    }
}
