//! The engine contract, and the engines behind it: one folder each, one line in the registry each.
//!
//! An [`Engine`] is a database that can be measured; a [`Session`] is one connection at work; a [`Work`] is the state
//! machine that decides what a session does next; a [`Pump`] runs many of them. The measuring itself (windows, proofs,
//! flags) is not here but in the run room: an engine only does what it is told and counts honestly.

mod bookkeeping;
pub mod client;
mod clock;
mod contract;
pub mod data;
mod error;
#[cfg(any(feature = "sqlite", feature = "postgres", feature = "mariadb", feature = "oracle"))]
mod form;
#[cfg(any(feature = "sqlite", feature = "postgres", feature = "mariadb", feature = "oracle"))]
mod inspect;
mod mapping;
#[cfg(feature = "mariadb")]
pub mod mariadb;
pub mod null;
#[cfg(feature = "oracle")]
pub mod oracle;
#[cfg(feature = "postgres")]
pub mod postgres;
pub mod private;
mod pump;
mod registry;
mod secret;
#[cfg(any(feature = "postgres", feature = "mariadb", feature = "oracle"))]
mod server;
mod sql;
#[cfg(feature = "sqlite")]
pub mod sqlite;
mod target;
mod users;

pub use clock::{Clock, MonotonicClock, SimulatedClock};
pub(crate) use contract::finding;
pub use contract::{
    BlockWrites, Canceller, ChunkResult, Difference, Durability, DurablePlaces, Engine, Failure, Features, Finding,
    FindingLevel, Inspection, LoadReport, LoadWatch, Loaded, LostTarget, Prepared, Request, Sampling, Session, Settled,
    TableLoad, Task,
};
pub use error::EngineError;
pub use mapping::{MappingError, Mappings};
pub use pump::{Job, Pump, Reply, SimulatedPump, StartGate, Step, ThreadPump, Work};
pub use registry::{EngineInfo, engine_info, engine_of, engines, open, private_server};
pub use sql::{SqlError, SqlFile, Statement};
pub use target::{Target, TargetError};
