//! `--awr-report`: whether there are such reports, and whether the folder can take them. That is looked at before
//! anything is done, and without asking the server.

use super::context::Context;
use crate::error::Error;
use dbdyno::ENGINES;
use dbdyno_engine::Target;
use dbdyno_run::{LoadRequest, ReportFolder};
use std::path::Path;

/// The folder that the user named, if any.
///
/// # Errors
/// The target's engine has no such reports, or may not be asked for them; the folder cannot be used.
pub(super) fn folder(asked: Option<&Path>, url: &str, context: &Context) -> Result<Option<ReportFolder>, Error> {
    let Some(path) = asked else { return Ok(None) };
    let refused = |why: String| Error::Usage(format!("--awr-report {}: {why}", path.display()));
    let target = Target::parse(url)?;
    let engine = ENGINES.open(&target, context.catalogue.size(LoadRequest::DEFAULT_SIZE)?)?;
    let none = || format!("{} keeps no workload repository; leave it away", engine.name());
    engine.repository().ok_or_else(none).and_then(|repository| repository.is_open()).map_err(refused)?;
    ReportFolder::open(path).map(Some).map_err(refused)
}
