//! An acceptance project, as a file that its people write: the variants of a platform, what is measured of each, and
//! what is required. It is checked as a whole before anything is done: a message names the file, the entry and the key.

mod read;
mod words;

use crate::Requirement;
use dbdyno_model::TestCode;
use serde::Deserialize;
pub use words::split_words;
use xxhash_rust::xxh3::xxh3_64;

/// An acceptance project.
#[derive(Debug, Clone, PartialEq)]
pub struct Project {
    /// Its short name, with which the labels of its runs begin.
    pub name: String,
    /// Its title.
    pub title: String,
    /// The folder in which it is done: relative names of another folder are other things. Empty until it is known.
    pub folder: String,
    /// The variants of the platform, in the file's order.
    pub variants: Vec<ProjectVariant>,
    /// What is measured, in the file's order.
    pub steps: Vec<ProjectStep>,
    /// What is required, in the file's order.
    pub requirements: Vec<ProjectRequirement>,
}

/// One variant of a platform: without and with replication, before and after.
#[derive(Debug, Clone, PartialEq)]
pub struct ProjectVariant {
    /// Its short name.
    pub name: String,
    /// Its title; the name if the file says none.
    pub title: String,
    /// What it is for.
    pub role: Role,
    /// How its database is reached; absent where only storage is measured.
    pub target: Option<String>,
    /// Words of `dbdyno up` that make it.
    pub up: Option<Vec<String>>,
    /// Words of `dbdyno down` that remove it.
    pub down: Option<Vec<String>>,
    /// Shell command before its first step.
    pub before: Option<String>,
    /// Shell command after its last step.
    pub after: Option<String>,
}

/// What a variant is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Role {
    /// What there is, or what is known to do.
    Baseline,
    /// What is to be accepted: it must meet the requirements.
    Candidate,
    /// It stands beside them, as what the hardware can do at most.
    #[default]
    Other,
}

impl Role {
    /// The name, as in the file.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// What a step does: a command of dbdyno.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum StepCommand {
    /// `dbdyno run`.
    Run,
    /// `dbdyno orion`.
    Orion,
    /// `dbdyno durability`.
    Durability,
    /// `dbdyno pair`.
    Pair,
}

impl StepCommand {
    /// Every command.
    pub const ALL: [Self; 4] = [Self::Run, Self::Orion, Self::Durability, Self::Pair];

    /// The command's name, which is the key in the file.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Whether it leaves runs by which figures are judged.
    #[must_use]
    pub fn is_run(self) -> bool {
        matches!(self, Self::Run | Self::Orion)
    }
}

/// One step.
#[derive(Debug, Clone, PartialEq)]
pub struct ProjectStep {
    /// Its short name.
    pub name: String,
    /// Its title; the name if the file says none.
    pub title: String,
    /// What it does.
    pub command: StepCommand,
    /// The words behind the command.
    pub words: Vec<String>,
    /// The places of the variants on which it is done, in order. Of a pair these are A and B.
    pub variants: Vec<usize>,
}

impl ProjectStep {
    /// The variants that have a result of their own; of a pair B alone.
    #[must_use]
    pub fn with_results(&self) -> &[usize] {
        if self.command == StepCommand::Pair { self.variants.get(1..).unwrap_or_default() } else { &self.variants }
    }
}

/// A requirement of a project.
#[derive(Debug, Clone, PartialEq)]
pub struct ProjectRequirement {
    /// The author's name for it.
    pub title: String,
    /// The place of the step that it is about; absent: every step that has such a figure.
    pub step: Option<usize>,
    /// The variant that must meet it; absent: the candidates, or all variants where there is none.
    pub variant: Option<usize>,
    /// What is bound.
    pub of: Bound,
}

/// What a requirement bounds.
#[derive(Debug, Clone, PartialEq)]
pub enum Bound {
    /// A figure of runs, as in files of requirements.
    Figure(Requirement),
    /// Acknowledged commits that a crash loses: none.
    Lost {
        /// The share of cuts that may lose something at most, as far as so many cuts can tell.
        at_most_lossy_pct: Option<f64>,
    },
    /// The ratio of a pair: B over A.
    Ratio {
        /// The test, if the pair has several; absent: each of its tests.
        test: Option<PairedSubject>,
        /// The bound.
        limit: RatioLimit,
    },
}

/// What a ratio is of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PairedSubject {
    /// A test of the catalogue.
    Test(TestCode),
    /// A workload.
    Workload(String),
}

impl PairedSubject {
    /// Its name, as in results.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Test(code) => code.as_str(),
            Self::Workload(name) => name,
        }
    }
}

/// A bound on a ratio. It is met if the whole interval lies on its right side, missed if the whole of it lies on the
/// other, and undecided otherwise.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RatioLimit {
    /// No less.
    AtLeast(f64),
    /// No more.
    AtMost(f64),
}

impl Project {
    /// The variants that must meet a requirement.
    #[must_use]
    pub fn judged(&self, requirement: &ProjectRequirement) -> Vec<usize> {
        let all = || 0..self.variants.len();
        let candidates: Vec<usize> = all().filter(|n| self.variants[*n].role == Role::Candidate).collect();
        match requirement.variant {
            Some(variant) => vec![variant],
            None if candidates.is_empty() => all().collect(),
            None => candidates,
        }
    }

    /// The label of what a step leaves of a variant: the same project, variant and step with the same definition in the
    /// same folder have the same label, and nothing else has.
    #[must_use]
    pub fn label(&self, step: &ProjectStep, variant: usize) -> String {
        let mut defined = vec![self.folder.clone(), step.command.name().to_owned(), step.words.join("\0")];
        for variant in step.variants.iter().filter(|n| step.command == StepCommand::Pair || **n == variant) {
            let ProjectVariant { target, up, before, .. } = &self.variants[*variant];
            let up = up.as_ref().map(|words| words.join("\0"));
            defined.extend([target, &up, before].map(|part| part.clone().unwrap_or_default()));
        }
        let hash = xxh3_64(defined.join("\n").as_bytes()) & 0xff_ffff;
        format!("{}/{}/{}#{hash:06x}", self.name, self.variants[variant].name, step.name)
    }
}
