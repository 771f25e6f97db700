//! The files of which a gallery is made: exported runs and platform files.

use super::words::{in_one_line, unfit};
use crate::commands::context::Context;
use crate::commands::{named_runs, transfer};
use crate::error::Error;
use dbdyno_model::Drive;
use dbdyno_report::{PointTimes, Reported};
use dbdyno_results::ExportedRun;
use std::path::{Path, PathBuf};

/// What stands in a folder.
pub(super) struct Source {
    /// In the order of their names.
    pub(super) files: Vec<PathBuf>,
    /// Names of what is of another kind.
    pub(super) left_out: Vec<String>,
}

/// What the name of a file says that it is.
#[derive(PartialEq, Eq)]
enum Kind {
    Run,
    Platform,
}

impl Source {
    /// Looks at a folder.
    ///
    /// # Errors
    /// It cannot be read, or has neither runs nor platforms.
    pub(super) fn of(folder: &Path) -> Result<Self, Error> {
        let unreadable = |e| unfit(format!("cannot read the folder {}: {e}", folder.display()));
        let entries = std::fs::read_dir(folder).map_err(unreadable)?;
        let entries = entries.collect::<Result<Vec<_>, _>>().map_err(unreadable)?;
        let mut all: Vec<PathBuf> = entries.iter().map(std::fs::DirEntry::path).collect();
        all.sort_unstable();
        // Hidden files are nobody's results.
        all.retain(|path| !name(path).starts_with('.'));
        let (files, others): (Vec<PathBuf>, Vec<PathBuf>) =
            all.into_iter().partition(|path| kind(path).is_some() && !path.is_dir());
        if files.is_empty() {
            return Err(unfit(format!(
                "{} holds no exported run (.json, as `dbdyno export RUN` writes it) and no platform file (.toml)",
                folder.display()
            )));
        }
        Ok(Self { files, left_out: others.iter().map(|path| name(path)).collect() })
    }
}

/// The name of a file.
pub(super) fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn kind(path: &Path) -> Option<Kind> {
    let extension = path.extension()?.to_string_lossy().to_ascii_lowercase();
    match extension.as_str() {
        "json" => Some(Kind::Run),
        "toml" => Some(Kind::Platform),
        _ => None,
    }
}

/// Reads a run or a platform.
///
/// # Errors
/// It cannot be read, or is no such thing.
pub(super) fn read(file: &Path, context: &Context) -> Result<Reported, Error> {
    if kind(file) == Some(Kind::Platform) {
        let text = dbdyno_files::text(file).map_err(|e| unfit(format!("cannot read {}: {e}", file.display())))?;
        return Ok(Reported::of(context.catalogue.platform_of(&in_one_line(&file.display().to_string()), &text)?));
    }
    let exported = transfer::read(file, "show")?;
    let times = times(&exported);
    Ok(Reported { times, ..Reported::of(named_runs::with_description(exported.run, context)?) })
}

/// The times of all transactions and I/Os that dbdyno sent itself.
fn times(exported: &ExportedRun) -> Vec<PointTimes> {
    let points = exported.run.points.iter().zip(&exported.plan_indexes).enumerate();
    let of_client = points.filter(|(_, (point, _))| point.drive == Drive::Client);
    let times = of_client.flat_map(|(at, (_, place))| {
        let of_point = exported.histograms.iter().filter(|(other, _)| other == place);
        named_runs::of_all_types(at, of_point.map(|(_, histogram)| histogram.clone()).collect())
    });
    times.collect()
}
