//! What an engine answers: what it is and holds, whether it is at rest, how durable its commits are, what `dbdyno
//! check` found, and what a chunk did.

use crate::EngineError;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Blocks on their way to data files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockWrites {
    /// Written until now.
    pub written: u64,
    /// Changed, and not written yet.
    pub waiting: u64,
}

/// Whether an engine is at rest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Settled {
    /// Nothing of earlier work is left to do.
    AtRest,
    /// Still busy when the limit was reached: it is worth asking again.
    Busy,
    /// dbdyno may not bring it to rest; the text says what is missing. Asking again changes nothing.
    NotAllowed(String),
}

/// What the measuring must know about an engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Features {
    /// Runs inside dbdyno's process, so that their processor times cannot be told apart.
    pub in_process: bool,
    /// Runs on this machine, so that the operating system's figures are the platform's.
    pub local: bool,
    /// Loads what is missing without being asked (embedded files and private instances).
    pub loads_on_demand: bool,
    /// One transaction writes at a time: ramps of writing tests default to one job.
    pub single_writer: bool,
    /// Nodes that the target names, at least one: sessions take turns over them.
    pub nodes: u32,
    /// Bytes of a data block.
    pub block_bytes: u64,
}

/// How durable commits are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Durability {
    /// The settings in force.
    pub settings: BTreeMap<String, String>,
    /// What lets a crash lose commits, each with what it means: settings, and tables that are not logged.
    pub unsafe_settings: Vec<String>,
    /// What lets a crash lose commits by the engine's default, where that default was asked for. No setting is wrong,
    /// but the figures are not those of durable commits, and are flagged.
    pub by_default: Vec<String>,
    /// Why the settings are not known, where the server does not show them: then only a proof tells what commits wait
    /// for.
    pub unknown: Option<String>,
}

/// Files and folders that decide whether commits survive a crash.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DurablePlaces {
    /// Where commits are written; empty where that is not known.
    pub log: Vec<PathBuf>,
    /// Where tables lie.
    pub data: Vec<PathBuf>,
    /// Whether the log's files are opened so that writing to them is syncing them (O_DSYNC), by the engine's settings.
    pub synced_by_writing: bool,
}

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, strum::EnumString)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum FindingLevel {
    /// As it should be.
    Ok,
    /// Will make figures doubtful.
    Warning,
    /// Nothing can be measured like this.
    Blocker,
}

/// One thing that `dbdyno check` looked at.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Finding {
    /// How bad it is.
    pub level: FindingLevel,
    /// What was looked at.
    pub subject: String,
    /// What was found, and what to do about it.
    pub message: String,
}

/// Makes a finding from its parts.
pub fn finding(level: FindingLevel, subject: &str, message: String) -> Finding {
    Finding { level, subject: subject.to_owned(), message }
}

/// Which data a target holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Loaded {
    /// Nothing of dbdyno's.
    Nothing,
    /// An unfinished load.
    Partly {
        /// Its size class.
        size: String,
        /// Its seed.
        seed: u64,
    },
    /// Everything.
    Complete {
        /// Its size class.
        size: String,
        /// Its seed.
        seed: u64,
        /// Whether every checksum was verified after loading.
        verified: bool,
        /// Checksum of each table.
        checksums: BTreeMap<String, String>,
    },
    /// Something that bears our names but is not ours; the text says what.
    Foreign(String),
}

/// What an inspection of a table after its load has shown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Inspection {
    /// What is other than what was loaded.
    pub differences: Vec<Difference>,
    /// What could not be looked at, each with the reason.
    pub unseen: Vec<String>,
}

/// Something about a table that is other than what was loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// What: `small_heap has the trigger spy, which dbdyno did not make`.
    pub what: String,
    /// The statement that takes it away, where one does; else the data must be loaded anew.
    pub remedy: Option<String>,
}

/// A request that failed on the way.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{error}")]
pub struct Failure {
    /// What had succeeded before.
    pub done: ChunkResult,
    /// Why it did not go on.
    pub error: EngineError,
}

impl From<EngineError> for Failure {
    fn from(error: EngineError) -> Self {
        Self { done: ChunkResult::default(), error }
    }
}

/// What a chunk did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ChunkResult {
    /// Operations, as the test counts them.
    pub ops: u64,
    /// Rows touched.
    pub rows: u64,
    /// Bytes of the test's own work (files written), 0 where that has no meaning.
    pub bytes: u64,
    /// A sum over what was touched, so that no work can be left out unseen; adds up over chunks (wrapping).
    pub checksum: u64,
}
