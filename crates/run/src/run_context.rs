//! What all points of a run share.

use crate::{Fleet, LiveWork, StopSwitch};
use dbdyno_catalogue::Catalogue;
use dbdyno_engine::{Clock, Engine, EngineError, Hold, Sampling, Settled};
use dbdyno_model::{ErrorClass, Size};
use dbdyno_probe::Pacer;
use dbdyno_workload::{DataSpec, Dialect};
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// How long an engine may take to come to rest before a point.
pub(crate) const SETTLE_LIMIT: Duration = Duration::from_secs(20);

pub(crate) const SETTLE_SLICE: Duration = Duration::from_secs(1);

/// What all points of a run share.
pub struct RunContext<'a> {
    /// The engine.
    pub engine: &'a dyn Engine,
    /// The lock that keeps other dbdynos away.
    pub hold: &'a dyn Hold,
    /// The catalogue.
    pub catalogue: &'a Catalogue,
    /// Size class of the data.
    pub size: &'a Size,
    /// Seed of the data.
    pub seed: u64,
    /// Whether the data was verified after loading.
    pub data_verified: bool,
    /// The clock.
    pub clock: &'a dyn Clock,
    /// The stop switch.
    pub stop: &'a StopSwitch,
    /// Whether the engine samples its sessions while they work.
    pub sampling: Sampling,
    /// Takes the machine's pace around each point, or the reason why it cannot be taken.
    pub pacer: Result<Pacer, String>,
    /// Workloads on the target.
    pub workloads: Vec<LoadedWorkload>,
    /// What the point that is measured does, for whoever takes readings.
    pub live: &'a LiveWork,
    /// What holds of the server for these points alone: name -> value.
    pub server_settings: BTreeMap<String, String>,
    /// The hosts that do the work, where it is not this one.
    pub fleet: Option<&'a dyn Fleet>,
}

impl RunContext<'_> {
    /// A workload on the target.
    pub(crate) fn workload(&self, name: &str) -> Option<&LoadedWorkload> {
        self.workloads.iter().find(|loaded| loaded.dialect.workload().name() == name)
    }
}

/// Waits until the engine is at rest, in slices, so that a stop is noticed in between.
pub(crate) fn settle(context: &RunContext<'_>) -> Result<Settled, EngineError> {
    let until_ns = context.clock.now_ns() + SETTLE_LIMIT.as_nanos() as u64;
    loop {
        go_on(context)?;
        context.hold.seen_lost().map_or(Ok(()), Err)?;
        let settled = context.engine.settle(SETTLE_SLICE).map_err(|e| e.while_doing("settling"))?;
        if settled != Settled::Busy || context.clock.now_ns() >= until_ns {
            return Ok(settled);
        }
    }
}

pub(crate) fn go_on(context: &RunContext<'_>) -> Result<(), EngineError> {
    if context.stop.requested() {
        Err(EngineError::new(ErrorClass::Cancelled, "stopped before the window"))
    } else {
        Ok(())
    }
}

/// A workload on a target.
#[derive(Debug)]
pub struct LoadedWorkload {
    pub(crate) dialect: Dialect,
    pub(crate) data: DataSpec,
    /// Its figures at dbdyno's last work on it in this run.
    pub(crate) last: Mutex<Option<Vec<i64>>>,
    /// Whether its rows did not lie where they should when they were looked at last in this run.
    pub(crate) displaced: AtomicBool,
}

impl LoadedWorkload {
    /// A workload that is loaded with this data.
    #[must_use]
    pub fn new(dialect: Dialect, data: DataSpec) -> Self {
        Self { dialect, data, last: Mutex::default(), displaced: AtomicBool::new(false) }
    }
}
