//! Tests that are no runs: each is stored with its whole document. While one is under way its document grows; one that
//! has ended as it was planned never changes.

use crate::error::shown;
use crate::write::json;
use crate::{Repository, ResultsError};
use dbdyno_model::{Experiment, RunId};
use rusqlite::{Row, named_params};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// All experiments, the newest first. It only reads their index.
const LIST: &str = "SELECT id, kind, label, started_at, target, complete FROM experiments
                    ORDER BY started_at DESC, rowid DESC";

impl Repository {
    /// Stores an experiment with its document, completely or not at all; when this returns, it is on the device. It
    /// takes the place of what was there of it while it was not complete.
    ///
    /// # Errors
    /// The id exists already and is of something else, or complete; the document cannot be read back, or the file
    /// cannot be written.
    pub fn store_experiment<T: Serialize + DeserializeOwned>(
        &mut self,
        experiment: &Experiment,
        (schema_version, document): (u32, &T),
    ) -> Result<(), ResultsError> {
        let what = format!("the document of {}", experiment.id);
        let document = json(&what, document)?;
        let transaction = self.begin("write")?;
        let is_taken = |there: &Experiment| {
            let same = (&there.kind, there.started_at) == (&experiment.kind, experiment.started_at);
            there.id == experiment.id && (there.complete || !same)
        };
        if self.experiments()?.iter().any(is_taken) || self.has(&experiment.id)? {
            return Err(ResultsError::RunExists { id: experiment.id.clone(), path: shown(self.path()) });
        }
        transaction
            .execute(
                "INSERT INTO experiments (id, kind, label, started_at, target, complete, schema_version, document)
                 VALUES (:id, :kind, :label, :started_at, :target, :complete, :schema_version, :document)
                 ON CONFLICT (id) DO UPDATE SET complete = :complete, document = :document",
                named_params! {
                    ":id": experiment.id.as_str(),
                    ":kind": experiment.kind.name(),
                    ":label": experiment.label,
                    ":started_at": format!("{:.9}", experiment.started_at),
                    ":target": experiment.target,
                    ":complete": experiment.complete,
                    ":schema_version": schema_version,
                    ":document": document,
                },
            )
            .map_err(self.failed("write"))?;
        transaction.commit().map_err(self.failed("write"))
    }

    /// All experiments, the newest first.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn experiments(&self) -> Result<Vec<Experiment>, ResultsError> {
        self.rows(&self.connection, LIST, [], |row| self.experiment_from(row))
    }

    fn experiment_from(&self, row: &Row<'_>) -> Result<Experiment, ResultsError> {
        let (id, kind, label, started_at, target, complete): (String, String, Option<String>, String, String, bool) =
            self.columns(row)?;
        let what = |part: &str| format!("the {part} of {id}");
        let (kind, started_at) = (self.word(&what("kind"), kind)?, self.word(&what("start"), started_at)?);
        Ok(Experiment { id: self.word(&what("id"), id.clone())?, kind, label, started_at, target, complete })
    }

    /// The experiment that a user means: an id, a label (its newest one) or the beginning of one id only. Names of runs
    /// precede: of a name that runs have, too, there is none.
    ///
    /// # Errors
    /// Several ids begin like this, or the file cannot be read.
    pub fn find_experiment(&self, asked: &str) -> Result<Option<Experiment>, ResultsError> {
        let all = self.experiments()?;
        let runs = self.names()?;
        let is_of_a_run = |run: &crate::RunNames| run.id.as_str() == asked || run.label.as_deref() == Some(asked);
        if all.is_empty() || asked.is_empty() || asked == "last" || runs.iter().any(is_of_a_run) {
            return Ok(None);
        }
        let whole = all.iter().find(|e| e.id.as_str() == asked);
        if let Some(found) = whole.or_else(|| all.iter().find(|e| e.label.as_deref() == Some(asked))) {
            return Ok(Some(found.clone()));
        }
        let mut begin = all.iter().filter(|e| e.id.as_str().starts_with(asked));
        let (first, others) = (begin.next(), begin.map(|e| &e.id));
        let others = others.chain(runs.iter().map(|run| &run.id).filter(|id| id.as_str().starts_with(asked)));
        let others: Vec<String> = others.map(RunId::to_string).collect();
        match first {
            Some(first) if !others.is_empty() => {
                let ids = std::iter::once(first.id.to_string()).chain(others).collect();
                Err(ResultsError::Ambiguous { asked: asked.to_owned(), ids })
            }
            first => Ok(first.cloned()),
        }
    }

    /// The document of an experiment.
    ///
    /// # Errors
    /// It does not exist, is newer than this program, or cannot be read.
    pub fn experiment<T: DeserializeOwned>(&self, id: &RunId, known: u32) -> Result<T, ResultsError> {
        let sql = "SELECT document, schema_version FROM experiments WHERE id = ?1";
        let found = self.rows(&self.connection, sql, [id.as_str()], |row| self.columns::<(String, u32)>(row))?;
        let (document, version) = found.into_iter().next().ok_or_else(|| self.no_such_run(id))?;
        let what = format!("the document of {id}");
        if version > known {
            return Err(ResultsError::NewerDocument { id: id.clone(), version, known });
        }
        serde_json::from_str(&document).map_err(|error| self.damaged(&what, error))
    }
}
