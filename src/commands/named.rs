//! What a user means by RUN: an id, the beginning of one, a label, `last`, or a reference platform.

use super::Context;
use crate::error::Error;
use dbdyno_catalogue::CatalogueError;
use dbdyno_model::{ChosenBy, Drive, REFERENCE_SUITE, RunId, RunJson, SameDevice, StorageReference};
use dbdyno_report::html::{Reported, Times};
use dbdyno_results::{Access, HistogramKind, Histograms, PointHistogram, Repository, ResultsError};

/// The run or platform of that name; of a label, its newest run.
///
/// # Errors
/// There is none (the nearest runs and platforms are offered), or it cannot be read.
pub(super) fn one(asked: &str, context: &Context) -> Result<RunJson, Error> {
    match place(asked, context)? {
        Place::Run(repository, id) => load(&repository, &id, context),
        Place::Platform => Ok(context.catalogue.platform(asked)?),
    }
}

/// The same; of a label, all its runs, newest first: a sample.
///
/// # Errors
/// As for [`one`].
pub(super) fn sample(asked: &str, context: &Context) -> Result<Vec<RunJson>, Error> {
    match place(asked, context)? {
        Place::Run(repository, id) => {
            let mut ids = repository.runs_with_label(asked)?;
            // An id goes before a label that is written alike.
            if !ids.contains(&id) {
                ids = vec![id];
            }
            ids.iter().map(|id| load(&repository, id, context)).collect()
        }
        Place::Platform => Ok(vec![context.catalogue.platform(asked)?]),
    }
}

/// The same as [`one`], with the times that a run's clients recorded.
///
/// # Errors
/// As for [`one`].
pub(super) fn reported(asked: &str, context: &Context) -> Result<Reported, Error> {
    let Place::Run(repository, id) = place(asked, context)? else {
        return Ok(Reported { run: context.catalogue.platform(asked)?, times: Vec::new(), verdict: None });
    };
    let run = load(&repository, &id, context)?;
    let mut times = Vec::new();
    for (point, recorded) in repository.recorded(&id)?.iter().enumerate() {
        if run.points.get(point).is_some_and(|p| p.drive == Drive::Client && p.subject.storage().is_none()) {
            times.extend(of_all_types(point, repository.histograms(&id, recorded.plan_index)?));
        }
    }
    Ok(Reported { run, times, verdict: None })
}

/// The times of a point's transactions, of all types together.
fn of_all_types(point: usize, histograms: Histograms) -> Vec<Times> {
    let mut all: Vec<Times> = Vec::new();
    for PointHistogram { kind, times: histogram, .. } in histograms {
        let from_due = match kind {
            HistogramKind::Service => false,
            HistogramKind::Response => true,
            HistogramKind::ConnectionWait => continue,
        };
        match all.iter_mut().find(|times| times.from_due == from_due) {
            Some(times) => times.histogram.merge(&histogram),
            None => all.push(Times { point, from_due, histogram }),
        }
    }
    all
}

enum Place {
    Run(Repository, RunId),
    Platform,
}

fn place(asked: &str, context: &Context) -> Result<Place, Error> {
    let is_platform = context.catalogue.platform_ids().any(|id| id == asked);
    let repository = match Repository::open(&context.results, Access::ReadOnly) {
        Err(ResultsError::NoResults { .. }) if is_platform => return Ok(Place::Platform),
        Err(ResultsError::NoResults { path }) => {
            return Err(no_results(asked, ResultsError::NoResults { path }, context));
        }
        opened => opened?,
    };
    // A label that somebody chose can always be reached; the beginning of an id is not meant where a platform is.
    if is_platform && repository.runs_with_label(asked)?.is_empty() {
        return Ok(Place::Platform);
    }
    match repository.find(asked) {
        Ok(id) => Ok(Place::Run(repository, id)),
        Err(ResultsError::RunNotFound { asked, path, mut nearest }) => {
            nearest.extend(context.catalogue.nearest_platforms(&asked));
            Err(ResultsError::RunNotFound { asked, path, nearest }.into())
        }
        Err(ResultsError::NoResults { path }) => Err(no_results(asked, ResultsError::NoResults { path }, context)),
        Err(error) => Err(error.into()),
    }
}

/// Nothing has been measured yet, so only a platform can have been meant.
fn no_results(asked: &str, error: ResultsError, context: &Context) -> Error {
    let nearest = context.catalogue.nearest_platforms(asked);
    let platform = CatalogueError::UnknownPlatform { id: asked.to_owned(), nearest: nearest.clone() };
    if nearest.is_empty() { error.into() } else { Error::Usage(format!("{platform}; {error}")) }
}

fn load(repository: &Repository, id: &RunId, context: &Context) -> Result<RunJson, Error> {
    let mut run = repository.load(id)?;
    run.storage_reference = storage_reference(repository, &run)?;
    run.costs = match &run.run.label {
        Some(label) => context.catalogue.costs_of_run(label)?,
        None => None,
    };
    Ok(run)
}

/// What the storage below a database can do, as the newest reference run says it: of the same label, else of the same
/// host. One of another device is only taken where there is none of the database's.
///
/// # Errors
/// The results cannot be read.
pub(super) fn storage_reference(repository: &Repository, run: &RunJson) -> Result<Option<StorageReference>, Error> {
    if run.is_of_storage() {
        return Ok(None);
    }
    let mut references = Vec::new();
    for listed in repository.list_runs()?.iter().filter(|l| l.run.suite == REFERENCE_SUITE && l.ok > 0) {
        references.push(repository.load(&listed.run.id)?);
    }
    let labelled = references.iter().filter(|r| r.run.label.is_some() && r.run.label == run.run.label);
    let of_host = references.iter().filter(|r| r.platform.host.is_some() && r.platform.host == run.platform.host);
    let labelled = labelled.map(|r| StorageReference::new(r, run, ChosenBy::Label));
    let all: Vec<StorageReference> =
        labelled.chain(of_host.map(|r| StorageReference::new(r, run, ChosenBy::Host))).collect();
    let elsewhere = |r: &&StorageReference| matches!(r.same_device, SameDevice::No { .. });
    Ok(all.iter().find(|r| !elsewhere(r)).or(all.first()).cloned())
}
