//! Reports of the server's own workload repository, fetched after each point into a folder of the user's choice: a file
//! for each point and instance. A point's figures do not depend on them, so whatever goes wrong is noted with the point
//! and does not fail it.

use crate::{Event, Events, RunContext};
use dbdyno_model::{AwrReport, Point, RunId};
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};

/// A report is a few MiB long at most.
const MOST_BYTES: usize = 64 << 20;
/// Files of one point and instance: it may be measured again when a run is resumed.
const MOST_FILES: u32 = 100;
/// Where a point says why reports are missing.
const MISSING: &str = "awr.reports";
const INTERRUPTED: &str = "interrupted";
const NOT_FETCHED: &str = "dbdyno ended before they were fetched";

/// A folder for reports.
#[derive(Debug, Clone)]
pub struct ReportFolder(PathBuf);

impl ReportFolder {
    /// A folder that is there and can be written to.
    ///
    /// # Errors
    /// What is wrong with it, and what to do.
    pub fn open(path: &Path) -> Result<Self, String> {
        let found = std::fs::metadata(path).map_err(|error| match error.kind() {
            ErrorKind::NotFound => "there is no such folder; make it first".to_owned(),
            _ => format!("it cannot be used: {error}; name a folder that you may write to"),
        })?;
        if !found.is_dir() {
            return Err("it is no folder; name one that you may write to".to_owned());
        }
        if dbdyno_files::lies_in_proc(path) || !dbdyno_files::may_write(path) {
            return Err("you may not create files there; name a folder that you may write to".to_owned());
        }
        Ok(Self(path.to_owned()))
    }

    /// Writes a report into a new file, which only its owner may read: it shows the statements of everybody. Returns
    /// the file's name.
    fn write(&self, name: &str, report: &str) -> io::Result<String> {
        // A report gets its name when it is whole: half a report would be taken for a whole one.
        let mut file = tempfile::Builder::new().prefix(".awr-").tempfile_in(&self.0)?;
        file.write_all(report.as_bytes())?;
        file.as_file().sync_all()?;
        for n in 1..=MOST_FILES {
            let again = if n == 1 { String::new() } else { format!("-{n}") };
            let name = format!("{name}{again}.html");
            let path = self.0.join(&name);
            match file.persist_noclobber(&path) {
                Ok(_) => return Ok(name),
                Err(kept) if kept.error.kind() == ErrorKind::AlreadyExists => file = kept.file,
                Err(kept) => return Err(kept.error),
            }
        }
        Err(io::Error::new(ErrorKind::AlreadyExists, format!("there are {MOST_FILES} files of that name already")))
    }
}

/// The reports of a run.
#[derive(Debug, Clone)]
pub struct RepositoryReports {
    folder: ReportFolder,
    run: RunId,
}

impl RepositoryReports {
    /// Reports of a run, into a folder.
    #[must_use]
    pub fn new(folder: ReportFolder, run: RunId) -> Self {
        Self { folder, run }
    }

    /// Notes that a point has no reports yet: dbdyno may end before they are fetched.
    pub(crate) fn are_due(point: &mut Point) {
        if point.awr.is_some() {
            point.lacks(MISSING, NOT_FETCHED);
        }
    }

    /// Fetches the reports of a recorded point, which has this index in the plan, and tells what went wrong.
    pub(crate) fn fetch(&self, context: &RunContext<'_>, index: usize, point: &mut Point, events: &dyn Events) {
        if context.stop.requested() {
            return point.lacks(MISSING, INTERRUPTED);
        }
        let Some(mut awr) = point.awr.take() else { return };
        point.missing.remove(MISSING);
        context.stop.at_work(context.engine.canceller().into_iter().collect());
        let mut problems = Vec::new();
        for instance in awr.instances.clone() {
            match self.report(context, index, point.subject.as_str(), (&awr, instance)) {
                Ok(file) => awr.reports.push(AwrReport { instance, file }),
                Err(why) => problems.push(format!("instance {instance}: {why}")),
            }
        }
        context.stop.at_work(Vec::new());
        if awr.instances.is_empty() {
            problems.push("it is not known which instances the point worked on".to_owned());
        }
        if !problems.is_empty() {
            let why = problems.join("; ");
            events.on(&Event::Told { text: &format!("no report of {}: {why}", point.subject.as_str()) });
            point.lacks(MISSING, why);
        }
        point.awr = Some(awr);
    }

    fn report(
        &self,
        context: &RunContext<'_>,
        index: usize,
        subject: &str,
        (awr, instance): (&dbdyno_model::Awr, u64),
    ) -> Result<String, String> {
        if context.stop.requested() {
            return Err(INTERRUPTED.to_owned());
        }
        let repository = context.engine.repository().ok_or("the engine has no workload repository")?;
        let report = repository.report(awr, instance, MOST_BYTES).map_err(|error| error.message)?;
        // The number under which tables show the point.
        let name = format!("awr-{}-{:03}-{subject}-{instance}", self.run, index + 1);
        self.folder.write(&name, &report).map_err(|error| {
            format!("the report cannot be written as {}: {error}", self.folder.0.join(format!("{name}.html")).display())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn a_folder_is_one_that_files_can_be_made_in() {
        let place = tempfile::tempdir().unwrap();
        ReportFolder::open(place.path()).unwrap();
        let refused = |path: &Path| ReportFolder::open(path).unwrap_err();
        assert_eq!(refused(&place.path().join("none")), "there is no such folder; make it first");
        let file = place.path().join("file");
        std::fs::write(&file, "mine").unwrap();
        assert!(refused(&file).starts_with("it is no folder"));
        assert!(refused(&file.join("below")).starts_with("it cannot be used"));
        assert!(refused(Path::new("/proc")).starts_with("you may not create files there"));
    }

    #[test]
    fn no_file_is_overwritten_and_only_the_owner_may_read_one() {
        let place = tempfile::tempdir().unwrap();
        let folder = ReportFolder::open(place.path()).unwrap();
        std::fs::write(place.path().join("awr-x-1.html"), "somebody's").unwrap();
        // A link is not followed, whether it leads anywhere or not.
        std::os::unix::fs::symlink(place.path().join("elsewhere"), place.path().join("awr-x-1-2.html")).unwrap();
        assert_eq!(folder.write("awr-x-1", "a report").unwrap(), "awr-x-1-3.html");
        assert_eq!(folder.write("awr-x-1", "another").unwrap(), "awr-x-1-4.html");
        let read = |name: &str| std::fs::read_to_string(place.path().join(name)).unwrap();
        assert_eq!([read("awr-x-1.html"), read("awr-x-1-3.html")], ["somebody's", "a report"]);
        assert!(!place.path().join("elsewhere").exists());
        let mode = std::fs::metadata(place.path().join("awr-x-1-3.html")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        for n in 5..=MOST_FILES {
            folder.write("awr-x-1", "").unwrap_or_else(|error| panic!("{n}: {error}"));
        }
        assert_eq!(folder.write("awr-x-1", "").unwrap_err().kind(), ErrorKind::AlreadyExists);
    }
}
