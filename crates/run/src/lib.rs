//! The measuring: plan, settle, warm up, barrier, measure, verify, record.
//!
//! The design's section 3 has the rules. Their places here: warm-up, window and constant load in [`Window`]; chunks and
//! their calibration in [`ServerDrive`]; transactions and how they end in [`ClientDrive`]; rates in [`WorkLog`];
//! proofs, assertions on cache and durability, and noise in `judge`; the run's own proof that commits are durable in
//! `durability`; the counts of the operating system and of the engine in `figures`; the order of points in [`resolve`].
//!
//! [`Runner`] measures the points of a plan one after the other, whatever their subject, and stores each as soon as it
//! is measured. A [`Measurer`] does the measuring: [`TestMeasurer`] measures on a database, [`StorageMeasurer`]
//! measures storage below any database.

mod checkpoint_window;
mod client;
pub mod crash;
mod durability;
mod events;
mod eviction;
mod figures;
mod fleet;
mod inspect;
mod jobs;
mod judge;
mod load;
mod pairs;
mod plan;
mod point;
mod point_context;
mod readings;
mod remeasure;
mod repository_reports;
mod run_context;
mod runner;
mod server_drive;
mod shell;
mod stop;
mod storage;
mod test_measurer;
mod watch;
mod window;
mod work;
mod work_log;
mod workload;

pub use client::{ClientContext, ClientDrive, ClientResult, Counts, Timetable, TypeResult, WaitingUsers};
pub use events::{Event, Events, Silent};
pub use fleet::{
    AgentPart, AgentReady, Fleet, Member, Part, PartOrder, Ready, SessionsOrder, Share, Starts, StorageOrder,
    measure_part, measure_storage_part,
};
pub use inspect::{InspectError, Inspected, SAMPLE_ROWS, anew, inspect, prove_table};
pub use load::{LoadError, LoadRequest, LoadTrigger, LoadedData, hold, load, refuse_unfit};
pub use pairs::{BesideResting, MeasuredPair, PairRunner, PairSides, PairedRun, pair_plans};
pub use plan::{PlanContext, PlanError, RunRequest, SearchRequest, estimate_s, resolve};
pub use point::{Measurement, measure};
pub use readings::{
    HostProgress, LiveWork, Looks, RunReadings, StopCondition, StopConditionError, Taken, Taker, TakerOptions,
    TakingCost,
};
pub use remeasure::points_to_measure;
pub use repository_reports::{ReportFolder, RepositoryReports};
pub use run_context::{LoadedWorkload, RunContext};
pub use runner::{Measurer, RunError, Runner};
pub use server_drive::{Calibration, ServerDrive};
pub use shell::shell_word;
pub use stop::StopSwitch;
pub use storage::{StorageContext, StorageHosts, StorageMeasurer, storage_plan};
pub use test_measurer::TestMeasurer;
pub use window::{Span, Window, WindowMode};
pub use work_log::{Chunk, LostWork, WorkLog};
pub use workload::{WorkloadLoad, WorkloadRequest, load_workload, workload_plan};
