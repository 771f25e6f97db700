//! A run on its way to another machine: its JSON document, with the plan and the histograms that a repository also
//! needs. Superseded attempts stay behind.
//!
//! An imported document may come from anyone. It is read completely and checked before a repository is touched, and
//! stored in one transaction.

use crate::error::shown;
use crate::unique_keys::UniqueKeys;
use crate::write::unstorable;
use crate::{HistogramKind, PointHistogram, Repository, ResultsError};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use dbdyno_model::{
    CellKey, Described, DocumentPart, Plan, RunId, RunJson, RunStatus, SCHEMA_VERSION, in_this_version,
};
use dbdyno_stats::Histogram;
use serde::{Deserialize, Serialize};
use serde_json::error::Category;
use std::collections::BTreeSet;

/// Why a text is not a run that can be stored.
#[derive(Debug, thiserror::Error)]
pub enum TransferError {
    /// The text is cut off.
    #[error("it ends in the middle, in line {line}: it was cut off; copy it again")]
    CutOff {
        /// Its last line.
        line: usize,
    },
    /// It is something else.
    #[error("it is no run of dbdyno's ({0}); `dbdyno export RUN --format json` writes one")]
    Foreign(String),
    /// Its document is newer than this program.
    #[error("it was written by a newer dbdyno (document {found}; this one knows {SCHEMA_VERSION}): use that version")]
    Newer {
        /// Its version.
        found: u32,
    },
    /// It lacks what a repository needs.
    #[error(
        "it lacks the plan of the run, as what `dbdyno show --json` prints does: use `dbdyno export RUN --format json`"
    )]
    NoPlan,
    /// A published result.
    #[error("it is a published result and no run; every dbdyno has it, as `dbdyno list platforms` shows")]
    Published,
    /// Its parts are inconsistent.
    #[error("it is damaged: {0}; export the run again")]
    Damaged(String),
}

/// What an import did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Imported {
    /// The run was not here, and is now.
    New,
    /// It was here already, and nothing changed.
    Same,
    /// It was here already without a description of its platform, and has that of the document now.
    Described,
    /// It was here already with another description of its platform, which stays.
    OtherDescription,
}

/// A whole run, ready to be stored elsewhere.
#[derive(Debug, Clone, PartialEq)]
pub struct ExportedRun {
    /// The run's document.
    pub run: RunJson,
    /// The plan that it began with.
    pub plan: Plan,
    /// The plan index of each point, from 0.
    pub plan_indexes: Vec<usize>,
    /// The histograms, each with its point's plan index.
    pub histograms: Vec<(usize, PointHistogram)>,
}

/// The keys beyond [`RunJson`]; readers of that document ignore them.
#[derive(Serialize, Deserialize)]
struct TransferParts {
    plan: Plan,
    plan_indexes: Vec<usize>,
    histograms: Vec<EncodedHistogram>,
}

#[derive(Serialize, Deserialize)]
struct EncodedHistogram {
    plan_index: usize,
    /// The transaction type; absent where the point has none.
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    transaction_type: Option<String>,
    kind: String,
    /// HdrHistogram V2, nanoseconds.
    hdr_v2_base64: String,
}

#[derive(Serialize)]
struct TransferDocument<'a> {
    #[serde(flatten)]
    run: &'a RunJson,
    #[serde(flatten)]
    extra: TransferParts,
}

/// The keys that identify a run's document in every version.
#[derive(Deserialize)]
struct DocumentHead {
    schema_version: u32,
    plan: Option<serde::de::IgnoredAny>,
    published: Option<serde::de::IgnoredAny>,
}

impl ExportedRun {
    /// The run as one JSON document.
    ///
    /// # Errors
    /// A value has no JSON.
    pub fn to_json(&self) -> Result<String, ResultsError> {
        let what = format!("run {}", self.run.run.id);
        let encoded = |(plan_index, histogram): &(usize, PointHistogram)| {
            let PointHistogram { transaction_type, kind, times } = histogram;
            let bytes = times.encode().map_err(|e| unstorable(&what, e))?;
            Ok(EncodedHistogram {
                plan_index: *plan_index,
                transaction_type: transaction_type.clone(),
                kind: kind.name().to_owned(),
                hdr_v2_base64: BASE64.encode(bytes),
            })
        };
        let histograms = self.histograms.iter().map(encoded).collect::<Result<_, ResultsError>>()?;
        let extra = TransferParts { plan: self.plan.clone(), plan_indexes: self.plan_indexes.clone(), histograms };
        serde_json::to_string_pretty(&TransferDocument { run: &self.run, extra }).map_err(|e| unstorable(&what, e))
    }

    /// Reads a run from such a document. A run that was still being measured when it was exported becomes interrupted,
    /// because its process does not measure into this repository.
    ///
    /// # Errors
    /// [`TransferError`] says why the text is not a run.
    pub fn from_json(text: &str) -> Result<Self, TransferError> {
        let foreign = |e: serde_json::Error| match e.classify() {
            Category::Eof => TransferError::CutOff { line: e.line() },
            // The parser reports a minus without digits as a wrong number, wherever the text ends.
            Category::Syntax if text.ends_with('-') => TransferError::CutOff { line: e.line() },
            _ => TransferError::Foreign(e.to_string()),
        };
        let _: UniqueKeys = serde_json::from_str(text).map_err(|e| match e.classify() {
            Category::Data => TransferError::Damaged(e.to_string()),
            _ => foreign(e),
        })?;
        let head: DocumentHead = serde_json::from_str(text).map_err(foreign)?;
        if head.schema_version > SCHEMA_VERSION {
            return Err(TransferError::Newer { found: head.schema_version });
        }
        if head.published.is_some() {
            return Err(TransferError::Published);
        }
        if head.plan.is_none() {
            return Err(TransferError::NoPlan);
        }
        let text = in_this_version(DocumentPart::Document, head.schema_version, text).map_err(foreign)?;
        let RunJson { mut run, tool, platform, database, points, described, .. } =
            serde_json::from_str(&text).map_err(foreign)?;
        let TransferParts { plan, plan_indexes, histograms } = serde_json::from_str(&text).map_err(foreign)?;
        if run.status == RunStatus::Running {
            run.status = RunStatus::Interrupted;
        }
        // What contradicts the observations is computed here and believed from nobody.
        let described = described.map(|described| Described { differs: Vec::new(), ..described });
        let mut run = RunJson { tool, described, ..RunJson::new(run, platform, database, points) };
        // So is what its searches found.
        run.add_from_plan(&plan, &plan_indexes);
        let histograms = histograms.iter().map(decoded).collect::<Result<_, _>>()?;
        let transfer = Self { run, plan, plan_indexes, histograms };
        transfer.prove().map_err(TransferError::Damaged)?;
        Ok(transfer)
    }

    /// Checks that points, plan and histograms belong together, and that the description of the platform can be shown.
    fn prove(&self) -> Result<(), String> {
        if let Some(described) = &self.run.described {
            let said = if described.is_empty() { Err("it says nothing".to_owned()) } else { described.check() };
            said.map_err(|e| format!("its description of the platform: {e}"))?;
        }
        let (points, places) = (self.run.points.len(), self.plan_indexes.len());
        if points != places {
            return Err(format!("it has {points} points, and places in the plan for {places}"));
        }
        if !self.plan_indexes.is_sorted_by(|a, b| a < b) {
            return Err("its points are not in the plan's order".to_owned());
        }
        for (place, point) in self.plan_indexes.iter().zip(&self.run.points) {
            if self.plan.points.get(*place).is_none_or(|planned| planned.subject != point.subject.requested()) {
                let subject = point.subject.name();
                return Err(format!("a point of {subject} stands at place {place}, where its plan has none"));
            }
        }
        let mut measured = BTreeSet::new();
        for point in &self.run.points {
            if let Some(contradiction) = point.contradiction() {
                return Err(format!("a point of {}: {contradiction}", point.subject.name()));
            }
            // A duplicate would make a figure look more certain than it is.
            if !measured.insert((CellKey::of(point), point.repeat, point.started_at)) {
                let (subject, begun) = (point.subject.name(), point.started_at);
                return Err(format!("a point of {subject}, begun at {begun}, is in it twice"));
            }
        }
        let mut seen = BTreeSet::new();
        for (place, PointHistogram { transaction_type, kind, .. }) in &self.histograms {
            let at = self.plan_indexes.iter().position(|index| index == place);
            let Some(point) =
                at.map(|at| &self.run.points[at]).filter(|_| seen.insert((place, transaction_type, *kind)))
            else {
                return Err(format!("its {} histogram of place {place} belongs to no point", kind.name()));
            };
            let types: Vec<&str> = point.transactions.iter().map(|t| t.name.as_str()).collect();
            let belongs = match (kind, transaction_type) {
                (HistogramKind::ConnectionWait, of_type) => of_type.is_none(),
                (_, Some(name)) => types.contains(&name.as_str()),
                (_, None) => types.is_empty(),
            };
            if !belongs {
                let name = transaction_type.as_deref().unwrap_or("none");
                return Err(format!(
                    "its {} histogram of place {place} is of the transaction type {name}, and the point has {}",
                    kind.name(),
                    if types.is_empty() { "none".to_owned() } else { types.join(", ") }
                ));
            }
        }
        Ok(())
    }
}

fn decoded(encoded: &EncodedHistogram) -> Result<(usize, PointHistogram), TransferError> {
    let EncodedHistogram { plan_index, transaction_type, kind, hdr_v2_base64 } = encoded;
    let damaged = |why: String| TransferError::Damaged(format!("the {kind} histogram of place {plan_index}: {why}"));
    let known = kind.parse::<HistogramKind>().map_err(|_| damaged("there is no such kind".to_owned()))?;
    let bytes = BASE64.decode(hdr_v2_base64).map_err(|e| damaged(e.to_string()))?;
    let times = Histogram::decode(&bytes).map_err(|e| damaged(e.to_string()))?;
    Ok((*plan_index, PointHistogram { transaction_type: transaction_type.clone(), kind: known, times }))
}

impl Repository {
    /// A run with everything that another repository needs.
    ///
    /// # Errors
    /// The run does not exist, or the file cannot be read.
    pub fn transfer(&self, run: &RunId) -> Result<ExportedRun, ResultsError> {
        let snapshot = self.connection.unchecked_transaction().map_err(self.failed("read"))?;
        let plan = self.plan(run)?;
        let (run, plan_indexes) = self.read_run(&snapshot, run)?;
        let histograms = self.read_histograms(&snapshot, &run.run.id, None)?;
        Ok(ExportedRun { run, plan, plan_indexes, histograms })
    }

    /// Stores a run that was measured elsewhere, completely or not at all. The same run may be imported twice. What is
    /// said of its platform is not part of what was measured: it is added where there is nothing yet, and replaces
    /// nothing.
    ///
    /// # Errors
    /// `OtherContent` where another run with this id has other contents; or the file cannot be written.
    pub fn import(&mut self, transfer: &ExportedRun) -> Result<Imported, ResultsError> {
        let ExportedRun { run, plan, plan_indexes, histograms } = transfer;
        let id = &run.run.id;
        if self.has(id)? {
            let mut known = self.transfer(id)?;
            let said = std::mem::replace(&mut known.run.described, run.described.clone());
            if known != *transfer {
                return Err(ResultsError::OtherContent { id: id.clone(), path: shown(&self.path) });
            }
            return match (said, &run.described) {
                (None, Some(described)) => {
                    self.describe(std::slice::from_ref(id), Some(described)).map(|_| Imported::Described)
                }
                (Some(ours), Some(other)) if ours != *other => Ok(Imported::OtherDescription),
                _ => Ok(Imported::Same),
            };
        }
        let transaction = self.begin("write")?;
        self.insert_run(&transaction, &run.run, plan, &run.platform, &run.database, run.tool.as_ref())?;
        transaction
            .execute("UPDATE runs SET imported = 1 WHERE id = ?1", [id.as_str()])
            .map_err(self.failed("write"))?;
        self.set_description(&transaction, id, run.described.as_ref())?;
        for (plan_index, point) in plan_indexes.iter().zip(&run.points) {
            let of_point = histograms.iter().filter(|(place, _)| place == plan_index);
            let of_point: Vec<_> = of_point.map(|(_, histogram)| histogram.clone()).collect();
            self.insert_point(&transaction, id, *plan_index, point, &of_point)?;
        }
        transaction.commit().map_err(self.failed("write"))?;
        Ok(Imported::New)
    }
}
