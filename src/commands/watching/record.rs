//! A profile while it is recorded: readings and figures are stored once a minute, so that a kill loses a minute.

use super::super::tool::tool;
use crate::error::Error;
use dbdyno_model::{
    Database, Experiment, ExperimentKind, PROFILE_VERSION, Platform, ProfileCost, ProfileJson, ProfileMaker, Reading,
    RunId,
};
use dbdyno_results::{ReadingsKeeper, Repository, ResultsError};
use std::sync::{Arc, Mutex, PoisonError};

/// A profile that is recorded.
pub(super) struct Recording {
    repository: Repository,
    experiment: Experiment,
    platform: Option<Platform>,
    database: Database,
    /// What the thread that takes readings adds to.
    pub(super) gathered: Arc<Gathered>,
}

/// Readings that are not stored yet, and figures of all.
#[derive(Default)]
pub(super) struct Gathered {
    keeper: ReadingsKeeper,
    maker: Mutex<ProfileMaker>,
}

impl Gathered {
    /// Takes in a reading.
    pub(super) fn add(&self, reading: &Reading) {
        self.keeper.push(reading);
        self.maker.lock().unwrap_or_else(PoisonError::into_inner).add(reading);
    }
}

impl Recording {
    /// Begins to record.
    pub(super) fn new(
        repository: Repository,
        (id, name, target): (RunId, &str, String),
        (platform, database): (Option<Platform>, Database),
    ) -> Self {
        let experiment = Experiment {
            id,
            kind: ExperimentKind::Profile,
            label: Some(name.to_owned()),
            started_at: jiff::Timestamp::now(),
            target,
            complete: false,
        };
        Self { repository, experiment, platform, database, gathered: Arc::default() }
    }

    /// The id of the profile.
    pub(super) fn id(&self) -> &RunId {
        &self.experiment.id
    }

    /// Stores what was gathered so far.
    ///
    /// # Errors
    /// It cannot be written.
    pub(super) fn store(&mut self, cost: ProfileCost, complete: bool) -> Result<ProfileJson, Error> {
        let seen = self.gathered.maker.lock().unwrap_or_else(PoisonError::into_inner).figures();
        let Experiment { label, target, started_at, .. } = &self.experiment;
        let document = ProfileJson {
            schema_version: PROFILE_VERSION,
            name: label.clone().unwrap_or_default(),
            target: target.clone(),
            started_at: *started_at,
            ended_at: jiff::Timestamp::now(),
            tool_version: tool().version,
            platform: self.platform.clone(),
            database: self.database.clone(),
            cost,
            seen,
        };
        self.experiment.complete = complete;
        self.repository.store_experiment(&self.experiment, (PROFILE_VERSION, &document)).map_err(not_kept)?;
        self.repository.store_readings(&self.experiment.id, &self.gathered.keeper).map_err(not_kept)?;
        Ok(document)
    }
}

/// What is said of results in general is of runs, which can be gone on with.
fn not_kept(error: ResultsError) -> Error {
    let why = match error {
        ResultsError::OutOfSpace(path) => format!("no space is left on the file system of {path}"),
        error => error.to_string(),
    };
    Error::ProfileNotKept { why }
}
