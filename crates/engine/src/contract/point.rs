//! What the sessions of a point have to do.

use dbdyno_model::{Cache, CommitMode, Drive, ProcedureShape, Size, TableName, Test};
use std::ops::Range;

/// What the jobs of one point have to do.
#[derive(Debug, Clone, PartialEq)]
pub struct PointSpec {
    /// The test.
    pub test: Test,
    /// Size class of the data.
    pub size: Size,
    /// Seed of the data.
    pub seed: u64,
    /// Seed of the keys that jobs draw: differs from point to point, so that no cache below the engine has seen a
    /// point's keys before.
    pub key_seed: u64,
    /// Nodes that the jobs are spread over.
    pub nodes: u32,
    /// Jobs at work here.
    pub jobs: u32,
    /// Jobs on other hosts that share the point, and whose numbers come before theirs.
    pub jobs_before: u32,
    /// Those whose numbers come after.
    pub jobs_after: u32,
    /// Parallel workers per statement.
    pub threads: u32,
    /// Rows per transaction; 0 where the test has no transactions.
    pub rows_per_tx: u64,
    /// How commits behave.
    pub commit: CommitMode,
    /// Who runs the loop: a procedure, or a client that sends each statement.
    pub drive: Drive,
    /// Whether the engine watches its sessions while they work.
    pub sampling: Sampling,
}

impl PointSpec {
    /// Tables that are to be in the cache when it begins: those of a cached test, and what inserts and loads copy from.
    #[must_use]
    pub fn warm_tables(&self) -> Vec<TableName> {
        let copies = matches!(self.test.procedure.shape, ProcedureShape::Insert | ProcedureShape::Load);
        let warm = self.test.cache == Cache::Cached || copies;
        if warm { self.test.reads() } else { Vec::new() }
    }

    /// The numbers of the jobs at work here.
    #[must_use]
    pub fn job_numbers(&self) -> Range<u32> {
        self.jobs_before..self.jobs_before + self.jobs
    }

    /// Jobs on all hosts: keys, numbers of new rows and names of what jobs make are dealt out among them.
    #[must_use]
    pub fn jobs_in_all(&self) -> u32 {
        self.jobs_before + self.jobs + self.jobs_after
    }
}

/// Whether an engine looks at its sessions while a point is measured: what they wait for, and who else is at work.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Sampling {
    /// A few times a second.
    #[default]
    On,
    /// Not at all; only what the server counts anyway is read, before and after.
    Off,
}

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
