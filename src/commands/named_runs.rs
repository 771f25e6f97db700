//! Resolving RUN: an id, the beginning of one, a label, `last`, or a reference platform.

use super::context::Context;
use crate::error::Error;
use dbdyno_catalogue::CatalogueError;
use dbdyno_model::{ChosenBy, Drive, REFERENCE_SUITE, RunId, RunJson, SameDevice, Status, StorageReference};
use dbdyno_report::compare::Side;
use dbdyno_report::{PointTimes, Reported};
use dbdyno_results::{FileAccess, HistogramKind, Histograms, PointHistogram, Repository, ResultsError};

/// The run or platform of this name; for a label, its newest run.
///
/// # Errors
/// It does not exist (the error lists the nearest runs and platforms), or cannot be read.
pub(super) fn one(asked: &str, context: &Context) -> Result<RunJson, Error> {
    match place(asked, context)? {
        NamedRun::Run(repository, id) => load(&repository, &id, context),
        NamedRun::Platform => Ok(context.catalogue.platform(asked)?),
    }
}

/// The same; for a label, all its runs, the newest first: a sample. The times are those of the newest.
///
/// # Errors
/// As for [`one`].
pub(super) fn side(asked: &str, context: &Context) -> Result<Side, Error> {
    let NamedRun::Run(repository, id) = place(asked, context)? else {
        return Ok(Side::new(asked, vec![context.catalogue.platform(asked)?]));
    };
    let ids = all_of(&repository, asked, id)?;
    let runs = ids.iter().map(|id| repository.load(id)).collect::<Result<Vec<_>, _>>()?;
    let references = references_for(&runs, &repository)?;
    let runs = runs.into_iter().map(|run| complete(run, &references, context)).collect::<Result<Vec<_>, _>>()?;
    let times = match (ids.first(), runs.first()) {
        (Some(id), Some(run)) => times(&repository, id, run)?,
        _ => Vec::new(),
    };
    Ok(Side::new(asked, runs).with_times(times))
}

/// The ids of the runs of this name, for a label of all its runs. A published platform is refused.
///
/// # Errors
/// As for [`one`].
pub(super) fn own(asked: &str, context: &Context) -> Result<Vec<RunId>, Error> {
    match place(asked, context)? {
        NamedRun::Run(repository, id) => all_of(&repository, asked, id),
        NamedRun::Platform => Err(Error::Usage(format!(
            "'{asked}' is a published platform, and what is known of it stands in its file; name a run of your own, as \
             `dbdyno list runs{}` shows them",
            context.same_files
        ))),
    }
}

/// The runs of a label, the newest first; else the run that was found. An id precedes a label with the same text.
fn all_of(repository: &Repository, asked: &str, found: RunId) -> Result<Vec<RunId>, Error> {
    let ids = repository.runs_with_label(asked)?;
    Ok(if ids.contains(&found) { ids } else { vec![found] })
}

/// The same as [`one`], with the times that the client drive recorded.
///
/// # Errors
/// As for [`one`].
pub(super) fn reported(asked: &str, context: &Context) -> Result<Reported, Error> {
    let NamedRun::Run(repository, id) = place(asked, context)? else {
        return Ok(Reported::of(context.catalogue.platform(asked)?));
    };
    let run = load(&repository, &id, context)?;
    let times = times(&repository, &id, &run)?;
    let readings = repository.readings(&id)?;
    Ok(Reported { times, readings, ..Reported::of(run) })
}

/// The times of all transactions and I/Os that dbdyno sent itself.
fn times(repository: &Repository, id: &RunId, run: &RunJson) -> Result<Vec<PointTimes>, Error> {
    let mut times = Vec::new();
    for (point, recorded) in repository.recorded(id)?.iter().enumerate() {
        if run.points.get(point).is_some_and(|p| p.drive == Drive::Client) {
            times.extend(of_all_types(point, repository.histograms(id, recorded.plan_index)?));
        }
    }
    Ok(times)
}

/// The times of a point's transactions, of all types together.
pub(super) fn of_all_types(point: usize, histograms: Histograms) -> Vec<PointTimes> {
    let mut all: Vec<PointTimes> = Vec::new();
    for PointHistogram { kind, times: histogram, .. } in histograms {
        let from_due = match kind {
            HistogramKind::Service => false,
            HistogramKind::Response => true,
            HistogramKind::ConnectionWait => continue,
        };
        match all.iter_mut().find(|times| times.from_due == from_due) {
            Some(times) => times.histogram.merge(&histogram),
            None => all.push(PointTimes { point, from_due, histogram }),
        }
    }
    all
}

enum NamedRun {
    Run(Repository, RunId),
    Platform,
}

fn place(asked: &str, context: &Context) -> Result<NamedRun, Error> {
    let is_platform = context.catalogue.platform_ids().any(|id| id == asked);
    let repository = match Repository::open(&context.results, FileAccess::ReadOnly) {
        Err(ResultsError::NoResults(_)) if is_platform => return Ok(NamedRun::Platform),
        Err(error @ ResultsError::NoResults(_)) => return Err(no_results(asked, error, context)),
        opened => opened?,
    };
    // A user's label can always be reached; the beginning of an id does not hide a platform.
    if is_platform && repository.runs_with_label(asked)?.is_empty() {
        return Ok(NamedRun::Platform);
    }
    match repository.find(asked) {
        Ok(id) => Ok(NamedRun::Run(repository, id)),
        Err(ResultsError::RunNotFound { asked, path, mut nearest }) => {
            nearest.extend(context.catalogue.nearest_platforms(&asked));
            Err(ResultsError::RunNotFound { asked, path, nearest }.into())
        }
        Err(error @ ResultsError::NoResults(_)) => Err(no_results(asked, error, context)),
        Err(error) => Err(error.into()),
    }
}

/// The error where there are no results yet, so only a platform can have been meant.
fn no_results(asked: &str, error: ResultsError, context: &Context) -> Error {
    let nearest = context.catalogue.nearest_platforms(asked);
    let platform = CatalogueError::Unknown { kind: "platform", name: asked.to_owned(), nearest: nearest.clone() };
    if nearest.is_empty() { error.into() } else { Error::Usage(format!("{platform}; {error}")) }
}

/// A run with what is known of it beside its points: the limits of its storage, and what its owner says of the
/// platform. A description that was attached to the run precedes that of its label in a catalogue.
///
/// # Errors
/// It cannot be read, or a platform file of the catalogue is unsound.
pub(super) fn load(repository: &Repository, id: &RunId, context: &Context) -> Result<RunJson, Error> {
    let run = repository.load(id)?;
    let references = references_for(std::slice::from_ref(&run), repository)?;
    complete(run, &references, context)
}

fn complete(mut run: RunJson, references: &[RunJson], context: &Context) -> Result<RunJson, Error> {
    run.storage_reference = storage_reference(&run, references);
    with_description(run, context)
}

/// A run with what its owner says of the platform: with it, or in the catalogue of its label.
///
/// # Errors
/// A platform file of the catalogue is unsound.
pub(super) fn with_description(mut run: RunJson, context: &Context) -> Result<RunJson, Error> {
    let described = match (run.described.take(), &run.run.label) {
        (None, Some(label)) => context.catalogue.description_of_label(label)?,
        (described, _) => described,
    };
    run.describe(described);
    Ok(run)
}

/// The reference runs that these runs may have their storage's limits from, the newest first. One of which nothing was
/// measured hides no older one.
fn references_for(runs: &[RunJson], repository: &Repository) -> Result<Vec<RunJson>, Error> {
    let mut references = Vec::new();
    if runs.iter().all(RunJson::is_of_storage) {
        return Ok(references);
    }
    for named in repository.names()?.into_iter().filter(|named| named.suite == REFERENCE_SUITE) {
        if repository.recorded(&named.id)?.iter().any(|point| point.status == Status::Ok) {
            references.push(repository.load(&named.id)?);
        }
    }
    Ok(references)
}

/// The limits of the storage below a database, from the newest reference run: of the same label, else of the same host.
/// A reference of another device is only used where there is none of the database's device.
fn storage_reference(run: &RunJson, references: &[RunJson]) -> Option<StorageReference> {
    if run.is_of_storage() {
        return None;
    }
    let labelled = references.iter().filter(|r| r.run.label.is_some() && r.run.label == run.run.label);
    let of_host = references.iter().filter(|r| r.platform.host.is_some() && r.platform.host == run.platform.host);
    let labelled = labelled.map(|r| StorageReference::new(r, run, ChosenBy::Label));
    let all: Vec<StorageReference> =
        labelled.chain(of_host.map(|r| StorageReference::new(r, run, ChosenBy::Host))).collect();
    let elsewhere = |r: &&StorageReference| matches!(r.same_device, SameDevice::No { .. });
    all.iter().find(|r| !elsewhere(r)).or(all.first()).cloned()
}
