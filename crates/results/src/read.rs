//! Reading: the list of runs, the run that a user means, its measurements, and its missing points.

use crate::lease::Lease;
use crate::{Repository, ResultsError};
use dbdyno_model::{
    Database, DocumentPart, Plan, Platform, Point, REFERENCE_SUITE, Run, RunId, RunJson, RunStatus, Status,
    in_this_version,
};
use rusqlite::{Connection, OptionalExtension, Row};
use serde::de::DeserializeOwned;

/// Columns of `runs` in the order in which [`Repository::run_from`] reads them.
const RUN_COLUMNS: &str = "id, label, suite, size, seed, started_at, tool_version, target, status";

/// The beginning of the suite names of storage runs.
const STORAGE_SUITES: &str = "orion ";

/// The names and suites of all runs, the newest first.
pub(crate) const IDS_AND_LABELS: &str = "SELECT id, label, suite FROM runs ORDER BY started_at DESC, rowid DESC";

/// All runs, the newest first, with the number of points by status. It only reads the indexes of migration 002.
pub(crate) fn list_sql() -> String {
    let count = |status: &str| format!("sum(ended = '{status}') AS {status}");
    // For each planned point the row with the newest attempt: SQLite takes bare columns from the row of max().
    format!(
        "WITH newest AS (SELECT run, ended, max(attempt) FROM points INDEXED BY points_in_short
                                 GROUP BY run, plan_index),
              counts AS (SELECT run, count(*) AS done, {}, {}, {}, {} FROM newest GROUP BY run)
         SELECT {RUN_COLUMNS}, points_planned, ifnull(done, 0), ifnull(ok, 0), ifnull(failed, 0),
                ifnull(invalid, 0), ifnull(unsupported, 0)
         FROM runs LEFT JOIN counts ON counts.run = runs.id ORDER BY started_at DESC, runs.rowid DESC",
        count("ok"),
        count("failed"),
        count("invalid"),
        count("unsupported"),
    )
}

/// A run and its progress, for lists. For each planned point the newest attempt counts.
#[derive(Debug, Clone, PartialEq)]
pub struct RunSummary {
    /// The run.
    pub run: Run,
    /// Points in its plan.
    pub points_planned: usize,
    /// Planned points that have been recorded, with any status.
    pub points_done: usize,
    /// Points with status `ok`.
    pub ok: usize,
    /// Points that an error ended.
    pub failed: usize,
    /// Points whose work was not what the test asks for.
    pub invalid: usize,
    /// Points that this engine cannot do.
    pub unsupported: usize,
}

/// How the newest attempt at a planned point ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedPoint {
    /// The point's plan index, from 0.
    pub plan_index: usize,
    /// 1, 2, 3 …
    pub attempt: u32,
    /// How it ended.
    pub status: Status,
    /// Why it did not end well.
    pub reason: Option<String>,
}

impl Repository {
    /// All runs, newest first.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn list_runs(&self) -> Result<Vec<RunSummary>, ResultsError> {
        let mut query = self.connection.prepare_cached(&list_sql()).map_err(self.failed("read"))?;
        let mut rows = query.query([]).map_err(self.failed("read"))?;
        let mut runs = Vec::new();
        while let Some(row) = rows.next().map_err(self.failed("read"))? {
            let number = |column: usize| row.get::<_, usize>(column).map_err(self.failed("read"));
            runs.push(RunSummary {
                run: self.run_from(row)?,
                points_planned: number(9)?,
                points_done: number(10)?,
                ok: number(11)?,
                failed: number(12)?,
                invalid: number(13)?,
                unsupported: number(14)?,
            });
        }
        Ok(runs)
    }

    /// The run that a user means: `last`, an id, a label (its newest run) or the beginning of one id only. A complete
    /// match precedes a prefix, so that a label can always be reached.
    ///
    /// # Errors
    /// There are no runs yet, none with this name (the error lists the nearest), or several ids begin like this.
    pub fn find(&self, asked: &str) -> Result<RunId, ResultsError> {
        let runs = self.ids_and_labels()?;
        let Some(newest) = runs.first() else {
            return Err(ResultsError::NoResults { path: self.path.clone() });
        };
        if asked == "last" {
            return Ok(newest.id.clone());
        }
        let whole = runs.iter().find(|run| run.id.as_str() == asked);
        let labelled = || labelled(&runs, asked).into_iter().next();
        if let Some(run) = whole.or_else(labelled) {
            return Ok(run.id.clone());
        }
        let begins = |id: &RunId| !asked.is_empty() && id.as_str().starts_with(asked);
        let candidates: Vec<&RunId> = runs.iter().map(|run| &run.id).filter(|id| begins(id)).collect();
        match candidates[..] {
            [one] => Ok(one.clone()),
            [] => Err(ResultsError::RunNotFound {
                asked: asked.to_owned(),
                path: self.path.clone(),
                nearest: nearest(asked, &runs),
            }),
            _ => Err(ResultsError::Ambiguous {
                asked: asked.to_owned(),
                ids: candidates.into_iter().map(RunId::to_string).collect(),
            }),
        }
    }

    /// The runs that share a label, the newest first: a sample.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn runs_with_label(&self, label: &str) -> Result<Vec<RunId>, ResultsError> {
        let runs = self.ids_and_labels()?;
        Ok(labelled(&runs, label).into_iter().map(|run| run.id.clone()).collect())
    }

    /// A whole run as its JSON document, with the newest attempt of each point, in the plan's order. A point that
    /// another process records meanwhile is included completely or not at all.
    ///
    /// # Errors
    /// The run does not exist, or the file cannot be read.
    pub fn load(&self, run: &RunId) -> Result<RunJson, ResultsError> {
        let snapshot = self.connection.unchecked_transaction().map_err(self.failed("read"))?;
        Ok(self.read_run(&snapshot, run)?.0)
    }

    /// A run, and the plan index of each of its points.
    pub(crate) fn read_run(&self, connection: &Connection, run: &RunId) -> Result<(RunJson, Vec<usize>), ResultsError> {
        let header = self.run(connection, run)?;
        let platform: Platform = self.document(connection, run, "platform")?;
        let database: Database = self.document(connection, run, "database")?;
        let tool = self.document_if_any(connection, run, "tool")?;
        let (plan_indexes, points) = self.points(connection, run)?.into_iter().unzip();
        Ok((RunJson { tool, ..RunJson::new(header, platform, database, points) }, plan_indexes))
    }

    /// Whether there is a run with exactly this id.
    pub(crate) fn has(&self, run: &RunId) -> Result<bool, ResultsError> {
        let sql = "SELECT EXISTS (SELECT 1 FROM runs WHERE id = ?1)";
        self.connection.query_row(sql, [run.as_str()], |row| row.get(0)).map_err(self.failed("read"))
    }

    /// The plan that a run began with.
    ///
    /// # Errors
    /// The run does not exist, or the file cannot be read.
    pub fn plan(&self, run: &RunId) -> Result<Plan, ResultsError> {
        let sql = "SELECT plan, schema_version FROM runs WHERE id = ?1";
        let (body, version): (String, u32) = self
            .connection
            .query_row(sql, [run.as_str()], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()
            .map_err(self.failed("read"))?
            .ok_or_else(|| self.no_such_run(run))?;
        let plan = in_this_version(DocumentPart::Plan, version, &body).and_then(|body| serde_json::from_str(&body));
        plan.map_err(|e| self.damaged(&format!("the plan of run {run}"), e))
    }

    /// How the recorded points of a run ended, in the plan's order.
    ///
    /// # Errors
    /// The run does not exist, or the file cannot be read.
    pub fn recorded(&self, run: &RunId) -> Result<Vec<RecordedPoint>, ResultsError> {
        self.run(&self.connection, run)?;
        let sql = "SELECT plan_index, attempt, status, reason FROM newest_points WHERE run = ?1 ORDER BY plan_index";
        let mut query = self.connection.prepare_cached(sql).map_err(self.failed("read"))?;
        let mut rows = query.query([run.as_str()]).map_err(self.failed("read"))?;
        let mut recorded = Vec::new();
        while let Some(row) = rows.next().map_err(self.failed("read"))? {
            let plan_index = row.get(0).map_err(self.failed("read"))?;
            let status: String = row.get(2).map_err(self.failed("read"))?;
            recorded.push(RecordedPoint {
                plan_index,
                attempt: row.get(1).map_err(self.failed("read"))?,
                status: self.word(&format!("the status of point {plan_index} of run {run}"), status)?,
                reason: row.get(3).map_err(self.failed("read"))?,
            });
        }
        Ok(recorded)
    }

    /// The plan indexes that `resume` has to measure: points that are missing or whose newest attempt failed.
    ///
    /// # Errors
    /// The run does not exist, or the file cannot be read.
    pub fn unmeasured(&self, run: &RunId) -> Result<Vec<usize>, ResultsError> {
        let mut left: Vec<bool> = vec![true; self.plan(run)?.points.len()];
        for recorded in self.recorded(run)? {
            if let Some(left) = left.get_mut(recorded.plan_index) {
                *left = recorded.status == Status::Failed;
            }
        }
        Ok(left.iter().enumerate().filter(|(_, left)| **left).map(|(index, _)| index).collect())
    }

    pub(crate) fn run(&self, connection: &Connection, run: &RunId) -> Result<Run, ResultsError> {
        let sql = format!("SELECT {RUN_COLUMNS} FROM runs WHERE id = ?1");
        let mut query = connection.prepare_cached(&sql).map_err(self.failed("read"))?;
        let mut rows = query.query([run.as_str()]).map_err(self.failed("read"))?;
        match rows.next().map_err(self.failed("read"))? {
            Some(row) => self.run_from(row),
            None => Err(self.no_such_run(run)),
        }
    }

    fn run_from(&self, row: &Row<'_>) -> Result<Run, ResultsError> {
        let text = |column: usize| row.get::<_, String>(column).map_err(self.failed("read"));
        let id = text(0)?;
        let what = |part: &str| format!("the {part} of run {id}");
        let status = match self.word(&what("status"), text(8)?)? {
            // The process was killed, so it could not store the status itself.
            RunStatus::Running if self.is_abandoned(&id)? => RunStatus::Interrupted,
            status => status,
        };
        Ok(Run {
            label: row.get(1).map_err(self.failed("read"))?,
            suite: text(2)?,
            size: text(3)?,
            seed: text(4)?.parse().map_err(|e| self.damaged(&what("seed"), e))?,
            started_at: self.word(&what("start"), text(5)?)?,
            tool_version: text(6)?,
            target: text(7)?,
            status,
            id: self.word(&what("id"), id.clone())?,
        })
    }

    /// Whether the process that measured a run has ended. Without a lease, it may live.
    fn is_abandoned(&self, run: &str) -> Result<bool, ResultsError> {
        let sql = "SELECT lease FROM runs WHERE id = ?1";
        let mut query = self.connection.prepare_cached(sql).map_err(self.failed("read"))?;
        let held: Option<String> = query.query_row([run], |row| row.get(0)).map_err(self.failed("read"))?;
        Ok(self.lease(run, held)?.is_some_and(|lease| !lease.holds()))
    }

    /// The lease of a process, as it is stored.
    pub(crate) fn lease(&self, run: &str, stored: Option<String>) -> Result<Option<Lease>, ResultsError> {
        let lease = stored.map(|text| serde_json::from_str(&text)).transpose();
        lease.map_err(|e| self.damaged(&format!("the lease of run {run}"), e))
    }

    /// Whether a run was imported.
    ///
    /// # Errors
    /// The run does not exist, or the file cannot be read.
    pub fn is_imported(&self, run: &RunId) -> Result<bool, ResultsError> {
        let sql = "SELECT imported FROM runs WHERE id = ?1";
        let imported = self.connection.query_row(sql, [run.as_str()], |row| row.get(0)).optional();
        imported.map_err(self.failed("read"))?.ok_or_else(|| self.no_such_run(run))
    }

    fn points(&self, connection: &Connection, run: &RunId) -> Result<Vec<(usize, Point)>, ResultsError> {
        let sql = "SELECT plan_index, point, schema_version FROM newest_points WHERE run = ?1 ORDER BY plan_index";
        let mut query = connection.prepare_cached(sql).map_err(self.failed("read"))?;
        let mut rows = query.query([run.as_str()]).map_err(self.failed("read"))?;
        let mut points = Vec::new();
        while let Some(row) = rows.next().map_err(self.failed("read"))? {
            let plan_index: usize = row.get(0).map_err(self.failed("read"))?;
            let body: String = row.get(1).map_err(self.failed("read"))?;
            let version: u32 = row.get(2).map_err(self.failed("read"))?;
            let point =
                in_this_version(DocumentPart::Point, version, &body).and_then(|body| serde_json::from_str(&body));
            let point = point.map_err(|e| self.damaged(&format!("point {plan_index} of run {run}"), e))?;
            points.push((plan_index, point));
        }
        Ok(points)
    }

    /// One of a run's JSON columns.
    fn document<T: DeserializeOwned>(
        &self,
        connection: &Connection,
        run: &RunId,
        column: &'static str,
    ) -> Result<T, ResultsError> {
        let found = self.document_if_any(connection, run, column)?;
        found.ok_or_else(|| self.damaged(&format!("the {column} of run {run}"), "there is none"))
    }

    /// One of a run's JSON columns that may be empty.
    fn document_if_any<T: DeserializeOwned>(
        &self,
        connection: &Connection,
        run: &RunId,
        column: &'static str,
    ) -> Result<Option<T>, ResultsError> {
        let sql = format!("SELECT {column} FROM runs WHERE id = ?1");
        let body: Option<String> = connection
            .query_row(&sql, [run.as_str()], |row| row.get(0))
            .optional()
            .map_err(self.failed("read"))?
            .ok_or_else(|| self.no_such_run(run))?;
        let value = body.map(|body| serde_json::from_str(&body)).transpose();
        value.map_err(|e| self.damaged(&format!("the {column} of run {run}"), e))
    }

    /// A value that is one word in JSON.
    fn word<T: DeserializeOwned>(&self, what: &str, word: String) -> Result<T, ResultsError> {
        serde_json::from_value(serde_json::Value::String(word)).map_err(|e| self.damaged(what, e))
    }

    fn ids_and_labels(&self) -> Result<Vec<RunNames>, ResultsError> {
        let mut query = self.connection.prepare_cached(IDS_AND_LABELS).map_err(self.failed("read"))?;
        let columns = |row: &Row<'_>| Ok((row.get::<_, String>(0)?, row.get(1)?, row.get::<_, String>(2)?));
        let rows = query.query_map([], columns).map_err(self.failed("read"))?;
        rows.map(|row| {
            let (id, label, suite) = row.map_err(self.failed("read"))?;
            let (is_reference, is_of_storage) = (suite == REFERENCE_SUITE, suite.starts_with(STORAGE_SUITES));
            Ok(RunNames {
                id: self.word(&format!("the id of run {id}"), id.clone())?,
                label,
                is_reference,
                is_of_storage,
            })
        })
        .collect()
    }
}

/// A run by its names.
struct RunNames {
    id: RunId,
    label: Option<String>,
    /// Whether it is a reference run, which measured the storage below the other runs of its label.
    is_reference: bool,
    /// Whether it measured storage alone.
    is_of_storage: bool,
}

/// The runs of a label. A reference run of the platform's storage has the label of the runs beside it but is not part
/// of their sample; it is used only where the label has no other runs. In a label with both, runs of databases precede
/// other runs of storage.
fn labelled<'r>(runs: &'r [RunNames], label: &str) -> Vec<&'r RunNames> {
    let mut all: Vec<&RunNames> = runs.iter().filter(|run| run.label.as_deref() == Some(label)).collect();
    if all.iter().any(|run| !run.is_reference) {
        all.retain(|run| !run.is_reference);
    }
    all.sort_by_key(|run| run.is_of_storage);
    all
}

/// Up to three ids and labels that look like what was asked for, the most similar first.
fn nearest(asked: &str, runs: &[RunNames]) -> Vec<String> {
    const ALIKE: f64 = 0.75;
    const OFFERED: usize = 3;
    let names = runs.iter().flat_map(|run| std::iter::once(run.id.as_str()).chain(run.label.as_deref()));
    let mut alike: Vec<(f64, &str)> = names
        .map(|name| (strsim::jaro_winkler(asked, name), name))
        .filter(|(likeness, _)| *likeness >= ALIKE)
        .collect();
    alike.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut offered: Vec<String> = Vec::new();
    for (_, name) in alike {
        if offered.len() < OFFERED && !offered.iter().any(|o| o == name) {
            offered.push(name.to_owned());
        }
    }
    offered
}
