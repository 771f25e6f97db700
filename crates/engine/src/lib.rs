//! The engine contract, and what engines of any kind share. The engines themselves are rooms of their own
//! (`crates/engines`).
//!
//! An [`Engine`] is a database that can be measured; a [`Session`] is one connection at work; a [`Work`] is the state
//! machine that decides what a session does next; a [`Pump`] runs many of them. The measuring itself (windows, proofs,
//! flags) is not here but in the run room: an engine only does what it is told and counts honestly.

pub mod bookkeeping;
pub mod client;
mod clock;
mod contract;
pub mod data;
mod dialect;
mod error;
pub mod form;
mod hold;
pub mod inspect;
mod mapping;
pub mod private;
pub mod procedure;
pub mod program;
mod pump;
mod registry;
pub mod secret;
pub mod server;
pub mod servers;
pub mod sql;
mod statistics;
mod sums;
mod target;
pub mod users;

pub use clock::{Clock, MonotonicClock, SimulatedClock};
pub use contract::finding;
pub use contract::{
    BlockWrites, Canceller, ChunkResult, Depth, Difference, Durability, DurablePlaces, Engine, Executor, Failure,
    Features, FillTimes, Finding, FindingLevel, Inspection, LoadReport, LoadWatch, Loaded, LostTarget, Observation,
    Observer, PointSpec, Prepared, ProgramSpec, Request, RowPart, Sampling, Session, SessionAccount, Settled,
    SnapshotsTaken, StatementCount, TableLoad, TableRows, WorkloadRepository, Workloads,
};
pub use dialect::Dialect;
pub use error::EngineError;
pub use hold::{AloneAnyway, Hold};
pub use mapping::{MappingError, Mappings};
pub use pump::{Ended, Job, Pump, Reply, SimulatedPump, StartGate, Step, ThreadPump, Work};
pub use registry::{EngineInfo, Registry};
pub use sql::{SqlError, SqlFile, Statement};
pub use statistics::{Others, PointStatistics, for_everybody};
pub use sums::{Sum, modulo_2_64};
pub use target::{Target, TargetError, percent_decode};
