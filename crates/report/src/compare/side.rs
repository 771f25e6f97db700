//! A side of a comparison: its runs, and what is known of it.

use crate::reported::PointTimes;
use dbdyno_model::{Cpu, Money, RunJson};
use serde::Serialize;

/// The most platforms in a comparison.
pub const MOST_SIDES: usize = 20;

/// One platform of a comparison: its runs are a sample. A published result counts as a single run.
#[derive(Debug, Clone)]
pub struct Side {
    /// The name that the user gave.
    pub name: String,
    /// Its runs, at least one, the newest first.
    pub runs: Vec<RunJson>,
    /// How the times of its newest run are spread; may be empty.
    pub times: Vec<PointTimes>,
}

impl Side {
    /// A side of this name.
    #[must_use]
    pub fn new(name: impl Into<String>, runs: Vec<RunJson>) -> Self {
        Self { name: name.into(), runs, times: Vec::new() }
    }

    /// The same, with the times of its newest run.
    #[must_use]
    pub fn with_times(self, times: Vec<PointTimes>) -> Self {
        Self { times, ..self }
    }
}

/// Why two or more sides cannot be compared.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CompareError {
    /// Too few or too many sides.
    #[error(
        "a comparison is of 2 to {MOST_SIDES} runs or platforms; {0} were named (`dbdyno list runs`, `dbdyno list platforms`)"
    )]
    Sides(usize),
    /// The same side twice.
    #[error("'{0}' is named twice; a comparison with itself says nothing")]
    Twice(String),
    /// There is no such baseline.
    #[error("the baseline '{asked}' is none of what is compared: {}", sides.join(", "))]
    Baseline {
        /// As given.
        asked: String,
        /// The sides.
        sides: Vec<String>,
    },
    /// No test is known to two sides.
    #[error("nothing in common: no test has a figure of the same kind on two of {}{}", sides.join(", "), only(pattern.as_deref()))]
    NothingInCommon {
        /// The sides.
        sides: Vec<String>,
        /// The tests that were asked for.
        pattern: Option<String>,
    },
}

fn only(pattern: Option<&str>) -> String {
    pattern.map_or_else(
        || "; `dbdyno show` says what each has".to_owned(),
        |p| format!(" among {p}; leave --test away to see all that they share"),
    )
}

/// What is known of a side.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SideInfo {
    /// The name that the user gave.
    pub name: String,
    /// A description: its label, its platform's name, its processor.
    pub title: String,
    /// Ids of its runs.
    pub runs: Vec<String>,
    /// The source document, where it is a published result.
    pub source: Option<String>,
    /// What its platform is one of; lines of a family look alike.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub family: Option<String>,
    /// Cores.
    pub cores: Option<u32>,
    /// Hardware threads.
    pub threads: Option<u32>,
    /// Cores that the work could use, which throughput is divided by; fewer under an affinity or a quota.
    pub usable_cores: Option<f64>,
    /// Hardware threads that the work could use.
    pub usable_threads: Option<f64>,
    /// How it was limited, if it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub may_use: Option<String>,
    /// Licences that its cores need.
    pub licences: Option<f64>,
    /// All its prices together.
    pub price_usd: Option<f64>,
    /// The same in the currency that all its prices can be stated in: US dollars where that is known.
    pub price: Option<Money>,
    /// What the prices cover.
    pub price_terms: Option<String>,
}

impl SideInfo {
    /// What is known of a side.
    pub(super) fn of(side: &Side) -> Self {
        let first = side.runs.first();
        let cpu = first.map(|run| &run.platform.cpu);
        let costs = first.and_then(|run| run.costs.as_ref());
        let cores = cpu.and_then(|c| c.cores).filter(|n| *n > 0);
        let title = first.map_or_else(String::new, |run| match &run.published {
            Some(_) => run.name().to_owned(),
            None => {
                let parts = [run.platform.product.clone(), run.platform.cpu.model.clone(), run.platform.host.clone()];
                let parts: Vec<String> = parts.into_iter().flatten().collect();
                let database = if run.is_of_storage() { "storage" } else { &run.database.engine };
                format!("{}, {}", format!("{database} {}", run.database.version).trim_end(), parts.join(", "))
            }
        });
        Self {
            name: side.name.clone(),
            title: title.trim_end_matches([',', ' ']).to_owned(),
            runs: side.runs.iter().map(|run| run.run.id.to_string()).collect(),
            source: first.and_then(|run| run.published.as_ref()).map(|p| p.source.clone()),
            family: first.and_then(family),
            cores,
            threads: cpu.and_then(|c| c.threads).filter(|n| *n > 0),
            usable_cores: cpu.and_then(Cpu::usable_cores).map(|usable| usable.n),
            usable_threads: cpu.and_then(Cpu::usable_threads).map(|usable| usable.n),
            may_use: cpu.and_then(crate::sections::platform::may_use),
            licences: first.and_then(RunJson::licences),
            price_usd: costs.and_then(|c| c.total_usd()).filter(|usd| *usd > 0.0),
            price: first.and_then(RunJson::price).filter(|price| price.amount > 0.0),
            price_terms: costs.and_then(|c| c.terms.clone()),
        }
    }
}

/// What a platform is one of: by its publication, or as its owner says.
fn family(run: &RunJson) -> Option<String> {
    let said = || Some(run.described.as_ref()?.platform.get("family")?.to_string());
    run.platform.family.clone().or_else(said)
}
