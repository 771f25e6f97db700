//! Errors that end a command. Each message says what was asked, what is wrong and what to do; the exit code says
//! whether anything was done.

use dbdyno_catalogue::CatalogueError;
use dbdyno_engine::{EngineError, TargetError};
use dbdyno_fleet::FleetError;
use dbdyno_model::{ErrorClass, RunId};
use dbdyno_report::compare::CompareError;
use dbdyno_results::ResultsError;
use dbdyno_run::{InspectError, LoadError, PlanError, RunError};
use dbdyno_storage::StorageError;
use dbdyno_storage::create::CreateError;
use dbdyno_storage::orion::OrionError;
use dbdyno_storage::safety::SafetyError;
use std::io;

/// A requirement is not met; everything else went well.
pub(crate) const EXIT_MISSED: u8 = 1;
/// Bad usage or input; nothing was done.
pub(crate) const EXIT_USAGE: u8 = 2;
/// The target was lost, the user stopped, or dbdyno itself failed; what was measured is kept.
pub(crate) const EXIT_STOPPED: u8 = 3;
/// Some points failed or are invalid.
pub(crate) const EXIT_POINTS: u8 = 4;

/// Everything that can end a command.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// The target is none, or names no engine.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// A fleet that cannot be used.
    #[error(transparent)]
    Fleet(#[from] FleetError),
    /// The catalogue is wrong, or does not have what was asked for.
    #[error(transparent)]
    Catalogue(#[from] CatalogueError),
    /// There is no plan.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The results file.
    #[error(transparent)]
    Results(#[from] ResultsError),
    /// A point could not be recorded.
    #[error(transparent)]
    Recording(ResultsError),
    /// A profile could not be stored.
    #[error("what was watched since it was stored last is not kept: {why}")]
    ProfileNotKept {
        /// Why, in words.
        why: String,
    },
    /// The data is not there and cannot be loaded.
    #[error(transparent)]
    Load(LoadError),
    /// The user stopped a load. The text says what the same command does now.
    #[error("stopped while loading; {0}")]
    LoadStopped(&'static str),
    /// The tables are not what was loaded, or cannot be looked at.
    #[error(transparent)]
    Inspect(#[from] InspectError),
    /// A run that ended before its plan did.
    #[error("{source}; what was measured is kept, {next}")]
    Run {
        /// Why.
        source: Box<RunError>,
        /// The command that shows it or goes on, and its use.
        next: String,
    },
    /// An engine that did not do what it was asked.
    #[error("{doing} {target} failed: {source}")]
    Engine {
        /// What was being done.
        doing: &'static str,
        /// The target.
        target: String,
        /// The engine's error.
        source: EngineError,
    },
    /// The target or the definitions differ from those that the run began with.
    #[error(
        "run {run} cannot be resumed: {}; its points would not be comparable: start a new run, `dbdyno show {run}{same_files}` shows what was measured",
        changes.join("; ")
    )]
    Changed {
        /// The run.
        run: RunId,
        /// Options with which further commands find it.
        same_files: String,
        /// What differs, each as `X was A and is B now`.
        changes: Vec<String>,
    },
    /// A target that cannot be measured as it is.
    #[error("{target} cannot be measured like this: see {} above, remove it and check again", blockers_words(*blockers))]
    Blocked {
        /// The target.
        target: String,
        /// Number of obstacles.
        blockers: usize,
    },
    /// A run is complete, but not all of its points are valid.
    #[error("run {run}: {failed} failed and {invalid} invalid of {planned} points; {next}")]
    Points {
        /// The run.
        run: RunId,
        /// Commands that say more, and their use.
        next: String,
        /// Points of its plan.
        planned: usize,
        /// Points that an error ended.
        failed: usize,
        /// Points whose work was not what the test asks for.
        invalid: usize,
    },
    /// A side of a pair cannot be measured any more.
    #[error("side {side} is not measured any more: {source}; what was measured is kept")]
    Side {
        /// Its letter.
        side: char,
        /// Why.
        source: Box<Error>,
    },
    /// Points of a pair have no ratio.
    #[error("{without} of {of} ratios are missing: the table says why")]
    Pairs {
        /// How many have none.
        without: usize,
        /// How many there are.
        of: usize,
    },
    /// Flags of ORION's that cannot be measured like this.
    #[error(transparent)]
    Orion(#[from] OrionError),
    /// A file or device that may not be written to.
    #[error(transparent)]
    Safety(#[from] SafetyError),
    /// A file or device that cannot be used.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// A test file that could not be created.
    #[error(transparent)]
    TestFile(CreateError),
    /// A platform that does not carry production's load.
    #[error("the platform of {run} does not carry the load of {profile}")]
    DoesNotCarry {
        /// The profile of production.
        profile: String,
        /// The run of the platform.
        run: String,
    },
    /// A run that does not meet requirements.
    #[error("run {runs} does not meet {unmet} of {all} requirements of '{title}'")]
    Missed {
        /// The run, or the runs.
        runs: String,
        /// The title of the requirements.
        title: String,
        /// Requirements that are not met.
        unmet: usize,
        /// Number of requirements.
        all: usize,
    },
    /// Runs or platforms that cannot be compared.
    #[error(transparent)]
    Compare(#[from] CompareError),
    /// Something became worse than a limit allows.
    #[error("{rows} {} shown to be worse than the baseline by more than {limit_pct} %", if *rows == 1 { "row is" } else { "rows are" })]
    Regression {
        /// How many.
        rows: usize,
        /// The limit.
        limit_pct: f64,
    },
    /// The making of a gallery was stopped.
    #[error("stopped: nothing was changed")]
    SiteStopped,
    /// Figures lost as much as a limit or more over many runs, and nobody noted why.
    #[error(
        "{series} series lost {limit_pct} % or more{}, and nobody noted why; once that is known, `dbdyno note RUN TEXT` on \
         the first run after it keeps it",
        if *ended > 0 { format!(", {ended} have no figure any more because their points fail") } else { String::new() }
    )]
    NewLosses {
        /// How many series.
        series: usize,
        /// How many series have no figure any more.
        ended: usize,
        /// The limit.
        limit_pct: f64,
    },
    /// Acknowledged commits were lost, or something was wrong after a crash.
    #[error("{lossy} of {cuts} cuts lost something or left something wrong; {lost} acknowledged commits are lost")]
    CommitsLost {
        /// Such cuts.
        lossy: usize,
        /// All cuts.
        cuts: usize,
        /// Lost commits.
        lost: u64,
    },
    /// A project that was judged, and missed.
    #[error("'{title}': {summary}")]
    NotAccepted {
        /// The project's title.
        title: String,
        /// How its requirements came out.
        summary: String,
    },
    /// A project that what was measured cannot decide.
    #[error("'{title}': {summary}")]
    NotDecided {
        /// The project's title.
        title: String,
        /// How its requirements came out.
        summary: String,
    },
    /// A project of which not all steps were done.
    #[error("'{title}' is not judged yet: {why}; what was measured is kept{left}, and the same command goes on")]
    AcceptanceStopped {
        /// The project's title.
        title: String,
        /// Why.
        why: String,
        /// What is left of variants, with a comma before it.
        left: String,
    },
    /// A crash test could not be made as it should be.
    #[error("the crash test could not be made: {0}")]
    Crash(String),
    /// Bad input that only the command line can detect.
    #[error("{0}")]
    Usage(String),
    /// Standard output cannot be written.
    #[error("cannot write the output: {0}")]
    Output(io::Error),
    /// An internal error, or an error of the machine.
    #[error("internal error: {0}; please report this")]
    Internal(String),
}

impl Error {
    /// The exit code, as in the command line's documentation.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Load(LoadError::Engine(source)) | Self::Engine { source, .. } if source.occupied => EXIT_USAGE,
            Self::Load(LoadError::Engine(_))
            | Self::LoadStopped(_)
            | Self::SiteStopped
            | Self::Inspect(InspectError::Engine { .. })
            | Self::Recording(_)
            | Self::Run { .. }
            | Self::TestFile(_)
            | Self::Crash(_)
            | Self::AcceptanceStopped { .. }
            | Self::Engine { .. }
            | Self::Output(_)
            | Self::Side { .. }
            | Self::ProfileNotKept { .. }
            | Self::Fleet(FleetError::Lost(_) | FleetError::Stopped)
            | Self::Internal(_) => EXIT_STOPPED,
            Self::Points { .. } | Self::Pairs { .. } | Self::NotDecided { .. } => EXIT_POINTS,
            Self::Missed { .. }
            | Self::NotAccepted { .. }
            | Self::Regression { .. }
            | Self::NewLosses { .. }
            | Self::CommitsLost { .. }
            | Self::DoesNotCarry { .. } => EXIT_MISSED,
            Self::Target(_)
            | Self::Catalogue(_)
            | Self::Plan(_)
            | Self::Orion(_)
            | Self::Safety(_)
            | Self::Storage(_)
            | Self::Compare(_)
            | Self::Results(_)
            | Self::Load(_)
            | Self::Inspect(InspectError::Altered { .. })
            | Self::Changed { .. }
            | Self::Blocked { .. }
            | Self::Fleet(_)
            | Self::Usage(_) => EXIT_USAGE,
        }
    }
}

impl From<LoadError> for Error {
    fn from(error: LoadError) -> Self {
        match error {
            LoadError::Engine(error) if error.class == ErrorClass::Cancelled => {
                Self::LoadStopped("what was loaded is kept, and the same command goes on from there")
            }
            error => Self::Load(error),
        }
    }
}

/// A file that could not even be created is bad input; a file that was begun is not.
impl From<CreateError> for Error {
    fn from(error: CreateError) -> Self {
        match error {
            CreateError::Stopped(_) | CreateError::Failed { .. } => Self::TestFile(error),
            error => Self::Usage(error.to_string()),
        }
    }
}

fn blockers_words(n: usize) -> String {
    if n == 1 { "the blocker".to_owned() } else { format!("the {n} blockers") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn engine(class: ErrorClass) -> EngineError {
        EngineError::new(class, "gone")
    }

    #[test]
    fn exit_codes_say_whether_anything_was_done() {
        let run = RunId::from_random(7);
        let cases = [
            (Error::Usage(String::new()), 2),
            (TargetError::NoScheme("x".to_owned()).into(), 2),
            (PlanError::Nothing.into(), 2),
            (CompareError::Sides(1).into(), 2),
            (Error::Regression { rows: 1, limit_pct: 5.0 }, 1),
            (Error::NewLosses { series: 1, ended: 0, limit_pct: 5.0 }, 1),
            (LoadError::NotLoaded { target: "t".to_owned(), size: "D".to_owned() }.into(), 2),
            (LoadError::Engine(engine(ErrorClass::OutOfSpace)).into(), 3),
            (LoadError::Engine(engine(ErrorClass::Cancelled)).into(), 3),
            (LoadError::Engine(EngineError::occupied("loading")).into(), 2),
            (Error::Engine { doing: "dropping", target: String::new(), source: EngineError::occupied("dropping") }, 2),
            (Error::Engine { doing: "dropping", target: String::new(), source: engine(ErrorClass::Permission) }, 3),
            (Error::Run { source: Box::new(RunError::Interrupted), next: String::new() }, 3),
            (Error::Missed { runs: run.to_string(), title: String::new(), unmet: 1, all: 2 }, 1),
            (Error::Points { run, next: String::new(), planned: 2, failed: 1, invalid: 0 }, 4),
        ];
        for (error, code) in cases {
            assert_eq!(error.exit_code(), code, "{error}");
        }
    }

    #[test]
    fn a_stopped_load_says_how_to_go_on() {
        let error = Error::from(LoadError::Engine(engine(ErrorClass::Cancelled)));
        assert!(error.to_string().contains("the same command goes on"));
    }
}
