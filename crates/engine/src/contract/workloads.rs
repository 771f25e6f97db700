//! What an engine does for workloads: programs that bring a schema and statements of their own.

use super::Sampling;
use crate::EngineError;
use crate::bookkeeping::Meta;
use crate::client::unsupported;
use dbdyno_model::CommitMode;

/// What the sessions of a point have in common that run a program with statements of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramSpec {
    /// What errors call the work.
    pub work: String,
    /// Seed of what its sessions draw: differs from point to point.
    pub key_seed: u64,
    /// Nodes that the sessions are spread over.
    pub nodes: u32,
    /// Sessions at work.
    pub jobs: u32,
    /// How commits behave.
    pub commit: CommitMode,
    /// Whether the engine watches its sessions while they work.
    pub sampling: Sampling,
}

/// What an engine does for workloads, beside opening sessions that prepare their statements.
pub trait Workloads {
    /// The book-keeping beside the data; empty where there is none.
    ///
    /// # Errors
    /// The target cannot be reached, or what it holds is not dbdyno's.
    fn books(&self) -> Result<Meta, EngineError> {
        Ok(Meta::default())
    }

    /// Sets entries of the book-keeping, by name and value, which is made where there is none. The target is held.
    ///
    /// # Errors
    /// What the target holds is not dbdyno's; the engine's.
    fn note(&self, _: &[(String, String)]) -> Result<(), EngineError> {
        Err(unsupported())
    }

    /// Prepares a point of a program: what is counted, and whom to watch. Its tables are there.
    ///
    /// # Errors
    /// The point cannot be prepared.
    fn begin_program(&self, _: &ProgramSpec) -> Result<(), EngineError> {
        Err(unsupported())
    }

    /// Cleans up after such a point, also after one that failed.
    ///
    /// # Errors
    /// The target is lost.
    fn end_program(&self, _: &ProgramSpec) -> Result<(), EngineError> {
        Ok(())
    }
}
