//! `--awr-report`, or a workload's parameter that asks for the same: whether there are such reports, and whether the
//! folder can take them. That is looked at before anything is done, and without asking the server.

use super::context::Context;
use crate::error::Error;
use dbdyno::ENGINES;
use dbdyno_engine::Target;
use dbdyno_run::{LoadRequest, ReportFolder};
use dbdyno_workload::Settings;
use std::path::Path;

/// What asks for the reports, in words, and where they go.
pub(super) struct Asked<'a> {
    by: String,
    folder: &'a Path,
}

impl<'a> Asked<'a> {
    /// The user named a folder.
    pub(super) fn by_option(folder: &'a Path) -> Self {
        Self { by: format!("--awr-report {}", folder.display()), folder }
    }

    /// A workload's settings ask for reports, which then go to the folder where dbdyno is called.
    pub(super) fn by_settings(settings: &Settings) -> Option<Self> {
        Some(Self { by: settings.repository_reports.clone()?, folder: Path::new(".") })
    }
}

/// The folder for the reports, if any are asked for.
///
/// # Errors
/// The target's engine has no such reports, or may not be asked for them; the folder cannot be used.
pub(super) fn folder(asked: Option<Asked<'_>>, url: &str, context: &Context) -> Result<Option<ReportFolder>, Error> {
    let Some(Asked { by, folder: path }) = asked else { return Ok(None) };
    let refused = |why: String| Error::Usage(format!("{by}: {why}"));
    let target = Target::parse(url)?;
    let engine = ENGINES.open(&target, context.catalogue.size(LoadRequest::DEFAULT_SIZE)?)?;
    let none = || format!("{} keeps no workload repository; leave it away", engine.name());
    engine.repository().ok_or_else(none).and_then(|repository| repository.is_open()).map_err(refused)?;
    ReportFolder::open(path).map(Some).map_err(refused)
}
