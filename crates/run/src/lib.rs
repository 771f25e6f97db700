//! The measuring: plan, settle, warm up, barrier, measure, verify, record.
//!
//! The rules are those of the design's section 3. Where each lives: warm-up, window and constant load in [`Window`];
//! chunks and their calibration in [`ServerDrive`]; transactions and what becomes of them in [`ClientDrive`]; rates in
//! [`Log`]; proofs, cache and durability assertions and noise in `judge`; the run's own proof that commits are durable
//! in `durable`; what the operating system and the engine counted in `figures`; the order of points in [`resolve`].
//!
//! [`Runner`] takes the points of a plan one after the other, whatever their subject, and keeps each as soon as it is
//! measured. Who measures is a [`Measurer`]: [`TestMeasurer`] tests on a database, [`StorageMeasurer`] storage below
//! any.

mod again;
mod client;
mod drive;
mod durable;
mod events;
mod eviction;
mod figures;
mod inspect;
mod jobs;
mod judge;
mod load;
mod log;
mod on_database;
mod paced;
mod plan;
mod point;
mod runner;
mod shell;
mod stop;
mod storage;
mod window;
mod work;
mod workload;

pub use again::left;
pub use client::{ClientDrive, ClientResult, OfType, Pool, Tally, Team, Timetable};
pub use drive::{Calibration, ServerDrive};
pub use events::{Event, Events, Silent};
pub use inspect::{InspectError, Inspected, SAMPLE_ROWS, anew, inspect, prove_table};
pub use load::{Data, LoadError, LoadWish, Loading, hold, load, refuse_unfit};
pub use log::{Chunk, Log, Lost};
pub use on_database::TestMeasurer;
pub use plan::{Ground, PlanError, Wish, estimate_s, resolve};
pub use point::{Bench, Measurement, measure};
pub use runner::{Measurer, RunError, Runner};
pub use shell::shell_word;
pub use stop::Stop;
pub use storage::{StorageBench, StorageMeasurer, storage_plan};
pub use window::{Pace, Span, Window};
pub use work::Loaded as LoadedWorkload;
pub use workload::{WorkloadLoad, WorkloadWish, load_workload, workload_plan};
