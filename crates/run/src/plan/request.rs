//! What the user asks for, and why there may be no plan for it.

use dbdyno_catalogue::CatalogueError;
use dbdyno_engine::EngineError;
use dbdyno_model::{Arrivals, CommitMode, Drive, Limit, Logon, Queue, Ramp, Rates, Think};

/// Why there is no plan.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    /// The catalogue does not have what was asked for.
    #[error(transparent)]
    Catalogue(#[from] CatalogueError),
    /// The engine's SQL is incomplete.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// A ramp and a fixed number for the same dimension.
    #[error(
        "--ramp has no use here: every test named moves a dimension that is fixed by --jobs or --threads, and has no other; leave one of them away"
    )]
    UnusedRamp,
    /// An option of the client drive used with the server drive.
    #[error(
        "{option} is for the client drive: add --drive client, or leave it away (in the server drive the database runs the loop, as fast as it can)"
    )]
    ClientOnly {
        /// The option.
        option: &'static str,
    },
    /// Think time with a timetable.
    #[error(
        "--think has no use with --rate: with a rate transactions begin when they are due, without one after a pause; leave one of them away"
    )]
    ThinkAndRate,
    /// Arrivals without a rate.
    #[error(
        "--arrivals says how the transactions of a rate are spread: add --rate, as in --rate 500/s, or leave it away"
    )]
    ArrivalsAlone,
    /// Queues without a rate.
    #[error(
        "--queue says who serves the transactions of a rate: add --rate, as in --rate 500/s, or leave it away (in a closed loop nothing queues)"
    )]
    QueueAlone,
    /// Weights that a workload does not have.
    #[error("--mix does not fit {workload}: {why}")]
    Mix {
        /// The workload.
        workload: &'static str,
        /// Why.
        why: String,
    },
    /// A pause within a call.
    #[error(
        "--pause is between the statements of a transaction, and with --drive server a transaction is one call; leave one of them away, or pause between transactions (--think)"
    )]
    PauseInCall,
    /// Sessions that are shared, and opened for each transaction.
    #[error(
        "--connections is how many sessions users share, and with --logon transaction none is kept that could be shared; leave one of them away"
    )]
    SharedLogons,
    /// More connections than jobs.
    #[error(
        "--connections {connections} is more than the {jobs} jobs that would share them: give at most as many, or more jobs (--jobs, --ramp; of a workload --users)"
    )]
    MoreConnections {
        /// The connections that were asked for.
        connections: u32,
        /// The most jobs of a point.
        jobs: u32,
    },
    /// No named test can be driven by a client.
    #[error(
        "no test that was named can be driven by a client, which sends single statements; T311 to T322 and the T600, T700 and T800 classes can (`dbdyno list tests`)"
    )]
    NoClientForm,
    /// A fixed degree of parallelism above the limit.
    #[error(
        "--max-jobs {limit} is less than the {asked} that --jobs and --threads, or --users, ask for (jobs times threads); give fewer, or raise the limit"
    )]
    OverLimit {
        /// The degree that was asked for.
        asked: u32,
        /// The limit.
        limit: u32,
    },
    /// An option that a search has no use for.
    #[error("{option} has no use with {search}: {use_instead}; leave one of them away")]
    NotWithSearch {
        /// The search.
        search: &'static str,
        /// The option.
        option: &'static str,
        /// Why, or what serves instead.
        use_instead: &'static str,
    },
    /// A search in a suite.
    #[error(
        "{search} is for tests and workloads, and {suite} is a suite: name tests, as in `dbdyno run T611 T711 {search} ...`"
    )]
    SearchOfSuite {
        /// The search.
        search: &'static str,
        /// The suite.
        suite: String,
    },
    /// A test whose jobs cannot be raised.
    #[error("--until-saturated raises jobs, and {test} has one job whose threads a ramp moves; use --ramp for it")]
    OneJob {
        /// The test.
        test: String,
    },
    /// Limits on percentiles that the server drive does not have.
    #[error(
        "--until needs the time of each transaction, which the server drive of a test does not have: add --drive client"
    )]
    NoPercentiles,
    /// Nothing was asked for.
    #[error("no test or suite was named; `dbdyno list suites` and `dbdyno list tests` show what there is")]
    Nothing,
}

/// The user's request as typed; a `None` is taken from the suite.
#[derive(Debug, Clone, Default)]
pub struct RunRequest {
    /// A suite, or codes and patterns of tests.
    pub what: Vec<String>,
    /// DOPs of the dimension that the test names.
    pub ramp: Option<Ramp>,
    /// Fixed number of nodes.
    pub nodes: Option<u32>,
    /// Fixed number of jobs.
    pub jobs: Option<u32>,
    /// Fixed number of threads.
    pub threads: Option<u32>,
    /// The most jobs at once, each counted as often as it has threads.
    pub max_jobs: Option<u32>,
    /// Window of each point.
    pub duration_s: Option<f64>,
    /// How often the whole ramp is repeated.
    pub repeat: Option<u32>,
    /// How commits behave.
    pub commit: CommitMode,
    /// Who runs the loop.
    pub drive: Drive,
    /// Rates of open loops; without them a closed loop.
    pub rates: Option<Rates>,
    /// How the transactions of a rate are spread.
    pub arrivals: Option<Arrivals>,
    /// Pause between the transactions of a closed loop.
    pub think: Option<Think>,
    /// Pause before each statement of a workload's transaction but the first.
    pub pause: Option<Think>,
    /// When the users of a workload open their sessions.
    pub logon: Logon,
    /// Who serves the transactions of a rate.
    pub queue: Option<Queue>,
    /// How many connections the jobs of a point share, where there are more jobs.
    pub connections: Option<u32>,
    /// Whether sessions may follow their server processes; the default is yes.
    pub follow: Option<bool>,
    /// A search that chooses the points, in place of a ramp or rates.
    pub search: Option<SearchRequest>,
}

/// A search that chooses its points by what it measured.
#[derive(Debug, Clone, PartialEq)]
pub enum SearchRequest {
    /// For the fewest users or jobs that saturate the platform.
    Saturation,
    /// For the highest rate that holds limits.
    Limits {
        /// The limits.
        limits: Vec<Limit>,
        /// Users or jobs at work at once.
        users: u32,
    },
}

impl SearchRequest {
    /// The option that asks for it.
    #[must_use]
    pub fn option(&self) -> &'static str {
        match self {
            Self::Saturation => "--until-saturated",
            Self::Limits { .. } => "--until",
        }
    }
}
