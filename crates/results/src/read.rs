//! Reading: the list of runs, the run that a user means, its measurements, and its missing points.

use crate::error::shown;
use crate::lease::Lease;
use crate::{Repository, ResultsError};
use dbdyno_model::{
    Database, DocumentPart, Experiment, Plan, Platform, Point, REFERENCE_SUITE, Run, RunId, RunJson, RunStatus, Status,
    in_this_version,
};
use rusqlite::{Connection, Params, Row};
use serde::de::DeserializeOwned;
use std::collections::{BTreeMap, BTreeSet};

/// Columns of `runs` in the order in which [`Repository::run_from`] reads them.
const RUN_COLUMNS: &str = "id, label, suite, size, seed, started_at, tool_version, target, status";

/// Their types.
type RunRow = (String, Option<String>, String, String, String, String, String, String, String);

/// The beginning of the suite names of storage runs.
const STORAGE_SUITES: &str = "orion ";

/// The names and suites of all runs, the newest first.
pub(crate) const IDS_AND_LABELS: &str = "SELECT id, label, suite FROM runs ORDER BY started_at DESC, rowid DESC";

/// All runs, the newest first, with the number of points by status. It only reads the indexes of migration 002.
pub(crate) fn list_sql() -> String {
    let count = |status: &str| format!("sum(ended = '{status}') AS {status}");
    let counts = ["ok", "failed", "invalid", "unsupported"].map(count).join(", ");
    // For each planned point the row with the newest attempt: SQLite takes bare columns from the row of max().
    format!(
        "WITH newest AS (SELECT run, ended, max(attempt) FROM points INDEXED BY points_in_short
                                 GROUP BY run, plan_index),
              counts AS (SELECT run, count(*) AS done, {counts} FROM newest GROUP BY run)
         SELECT {RUN_COLUMNS}, points_planned, ifnull(done, 0), ifnull(ok, 0), ifnull(failed, 0),
                ifnull(invalid, 0), ifnull(unsupported, 0)
         FROM runs LEFT JOIN counts ON counts.run = runs.id ORDER BY started_at DESC, runs.rowid DESC"
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

/// A run by its names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunNames {
    /// Its id.
    pub id: RunId,
    /// Its label.
    pub label: Option<String>,
    /// What it measured: a suite, tests, or a kind of storage run.
    pub suite: String,
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
        self.rows(&self.connection, &list_sql(), [], |row| {
            let number = |column: usize| row.get::<_, usize>(column).map_err(self.failed("read"));
            Ok(RunSummary {
                run: self.run_from(row)?,
                points_planned: number(9)?,
                points_done: number(10)?,
                ok: number(11)?,
                failed: number(12)?,
                invalid: number(13)?,
                unsupported: number(14)?,
            })
        })
    }

    /// The names of all runs, the newest first. Files of every version have them, so a glance at one is enough.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn names(&self) -> Result<Vec<RunNames>, ResultsError> {
        self.rows(&self.connection, IDS_AND_LABELS, [], |row| {
            let (id, label, suite): (String, Option<String>, String) = self.columns(row)?;
            Ok(RunNames { id: self.word(&format!("the id of run {id}"), id.clone())?, label, suite })
        })
    }

    /// The targets of all runs, each once, the most recent first. For a glance, too.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn targets(&self) -> Result<Vec<String>, ResultsError> {
        let sql = "SELECT target FROM runs GROUP BY target ORDER BY max(started_at) DESC";
        self.rows(&self.connection, sql, [], |row| {
            let (target,): (String,) = self.columns(row)?;
            Ok(target)
        })
    }

    /// The run that a user means: `last`, an id, a label (its newest run) or the beginning of one id only. A complete
    /// match precedes a prefix, so that a label can always be reached.
    ///
    /// # Errors
    /// There are no runs yet, none with this name (the error lists the nearest), or several ids begin like this; or it
    /// is an experiment.
    pub fn find(&self, asked: &str) -> Result<RunId, ResultsError> {
        if let Some(Experiment { kind, .. }) = self.find_experiment(asked)? {
            return Err(ResultsError::NoRun { asked: asked.to_owned(), what: kind.words() });
        }
        let runs = self.names()?;
        let Some(newest) = runs.first() else {
            return Err(ResultsError::NoResults(shown(&self.path)));
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
                path: shown(&self.path),
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
        let runs = self.names()?;
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
        let columns = "platform, database, tool";
        let (platform, database, tool): (String, String, Option<String>) = self.of_run(connection, columns, run)?;
        let platform: Platform = self.parsed(&format!("the platform of run {run}"), &platform)?;
        let database: Database = self.parsed(&format!("the database of run {run}"), &database)?;
        let tool = tool.map(|tool| self.parsed(&format!("the tool of run {run}"), &tool)).transpose()?;
        let described = self.description(connection, run)?;
        let notes = self.notes(connection, run)?;
        let (plan_indexes, points): (Vec<usize>, _) = self.points(connection, run)?.into_iter().unzip();
        let mut read = RunJson { tool, described, notes, ..RunJson::new(header, platform, database, points) };
        // Few plans say more than points, and plans may be long.
        let says_more = "coalesce(json_type(plan, '$.searches'), json_type(plan, '$.pairing')) IS NOT NULL";
        let (says_more,): (bool,) = self.of_run(connection, says_more, run)?;
        if says_more {
            read.add_from_plan(&self.plan(run)?, &plan_indexes);
        }
        Ok((read, plan_indexes))
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
        let (body, version): (String, u32) = self.of_run(&self.connection, "plan, schema_version", run)?;
        self.in_this_version(&format!("the plan of run {run}"), DocumentPart::Plan, version, &body)
    }

    /// How the recorded points of a run ended, in the plan's order.
    ///
    /// # Errors
    /// The run does not exist, or the file cannot be read.
    pub fn recorded(&self, run: &RunId) -> Result<Vec<RecordedPoint>, ResultsError> {
        self.run(&self.connection, run)?;
        let sql = "SELECT plan_index, attempt, status, reason FROM newest_points WHERE run = ?1 ORDER BY plan_index";
        self.rows(&self.connection, sql, [run.as_str()], |row| {
            let (plan_index, attempt, status, reason): (usize, u32, String, Option<String>) = self.columns(row)?;
            let status = self.word(&format!("the status of point {plan_index} of run {run}"), status)?;
            Ok(RecordedPoint { plan_index, attempt, status, reason })
        })
    }

    /// The plan indexes that `resume` has to measure: points that are missing or whose newest attempt failed.
    ///
    /// # Errors
    /// The run does not exist, or the file cannot be read.
    pub fn unmeasured(&self, run: &RunId) -> Result<Vec<usize>, ResultsError> {
        let planned = 0..self.plan(run)?.points.len();
        let ended: BTreeMap<usize, Status> =
            self.recorded(run)?.into_iter().map(|recorded| (recorded.plan_index, recorded.status)).collect();
        let is_left = |index: &usize| ended.get(index).is_none_or(|status| *status == Status::Failed);
        Ok(planned.filter(is_left).collect())
    }

    pub(crate) fn run(&self, connection: &Connection, run: &RunId) -> Result<Run, ResultsError> {
        let sql = format!("SELECT {RUN_COLUMNS} FROM runs WHERE id = ?1");
        let found = self.rows(connection, &sql, [run.as_str()], |row| self.run_from(row))?;
        found.into_iter().next().ok_or_else(|| self.no_such_run(run))
    }

    fn run_from(&self, row: &Row<'_>) -> Result<Run, ResultsError> {
        let (id, label, suite, size, seed, started_at, tool_version, target, status): RunRow = self.columns(row)?;
        let what = |part: &str| format!("the {part} of run {id}");
        let status: RunStatus = self.word(&what("status"), status)?;
        let seed = seed.parse::<u64>().map_err(|e| self.damaged(&what("seed"), e))?;
        let started_at = self.word(&what("start"), started_at)?;
        let id: RunId = self.word(&what("id"), id.clone())?;
        // A process that was killed could not store the status itself.
        let is_abandoned = status == RunStatus::Running && self.is_abandoned(&id)?;
        let status = if is_abandoned { RunStatus::Interrupted } else { status };
        Ok(Run { id, label, suite, size, seed, started_at, tool_version, target, status })
    }

    /// Whether the process that measured a run has ended. Without a lease, it may live.
    fn is_abandoned(&self, run: &RunId) -> Result<bool, ResultsError> {
        Ok(self.lease(&self.connection, run)?.is_some_and(|lease| !lease.holds()))
    }

    /// The lease of the process that measures a run, if it has one.
    pub(crate) fn lease(&self, connection: &Connection, run: &RunId) -> Result<Option<Lease>, ResultsError> {
        let (stored,): (Option<String>,) = self.of_run(connection, "lease", run)?;
        stored.map(|lease| self.parsed(&format!("the lease of run {run}"), &lease)).transpose()
    }

    /// Whether a run was imported.
    ///
    /// # Errors
    /// The run does not exist, or the file cannot be read.
    pub fn is_imported(&self, run: &RunId) -> Result<bool, ResultsError> {
        let (imported,): (bool,) = self.of_run(&self.connection, "imported", run)?;
        Ok(imported)
    }

    /// The newest measurement of each recorded point, with its place in the plan.
    ///
    /// # Errors
    /// The run does not exist, or the file cannot be read.
    pub fn measured(&self, run: &RunId) -> Result<Vec<(usize, Point)>, ResultsError> {
        self.points(&self.connection, run)
    }

    fn points(&self, connection: &Connection, run: &RunId) -> Result<Vec<(usize, Point)>, ResultsError> {
        let sql = "SELECT plan_index, point, schema_version FROM newest_points WHERE run = ?1 ORDER BY plan_index";
        self.rows(connection, sql, [run.as_str()], |row| {
            let (plan_index, body, version): (usize, String, u32) = self.columns(row)?;
            let what = format!("point {plan_index} of run {run}");
            Ok((plan_index, self.in_this_version(&what, DocumentPart::Point, version, &body)?))
        })
    }

    /// What `of` makes of each row of a query.
    pub(crate) fn rows<T>(
        &self,
        connection: &Connection,
        sql: &str,
        params: impl Params,
        mut of: impl FnMut(&Row<'_>) -> Result<T, ResultsError>,
    ) -> Result<Vec<T>, ResultsError> {
        let mut query = connection.prepare_cached(sql).map_err(self.failed("read"))?;
        let mut rows = query.query(params).map_err(self.failed("read"))?;
        let mut found = Vec::new();
        while let Some(row) = rows.next().map_err(self.failed("read"))? {
            found.push(of(row)?);
        }
        Ok(found)
    }

    /// All columns of a row.
    pub(crate) fn columns<'r, T>(&self, row: &'r Row<'r>) -> Result<T, ResultsError>
    where
        T: TryFrom<&'r Row<'r>, Error = rusqlite::Error>,
    {
        T::try_from(row).map_err(self.failed("read"))
    }

    /// Some columns of a run.
    pub(crate) fn of_run<T>(&self, connection: &Connection, columns: &str, run: &RunId) -> Result<T, ResultsError>
    where
        T: for<'r> TryFrom<&'r Row<'r>, Error = rusqlite::Error>,
    {
        let sql = format!("SELECT {columns} FROM runs WHERE id = ?1");
        let found = self.rows(connection, &sql, [run.as_str()], |row| self.columns(row))?;
        found.into_iter().next().ok_or_else(|| self.no_such_run(run))
    }

    fn parsed<T: DeserializeOwned>(&self, what: &str, body: &str) -> Result<T, ResultsError> {
        serde_json::from_str(body).map_err(|e| self.damaged(what, e))
    }

    /// A document that may have been stored by an older version.
    pub(crate) fn in_this_version<T: DeserializeOwned>(
        &self,
        what: &str,
        part: DocumentPart,
        version: u32,
        body: &str,
    ) -> Result<T, ResultsError> {
        self.parsed(what, &in_this_version(part, version, body).map_err(|e| self.damaged(what, e))?)
    }

    /// A value that is one word in JSON.
    pub(crate) fn word<T: DeserializeOwned>(&self, what: &str, word: String) -> Result<T, ResultsError> {
        serde_json::from_value(serde_json::Value::String(word)).map_err(|e| self.damaged(what, e))
    }
}

/// The runs of a label. A reference run of the platform's storage has the label of the runs beside it but is not part
/// of their sample; it is used only where the label has no other runs. In a label with both, runs of databases precede
/// other runs of storage.
fn labelled<'r>(runs: &'r [RunNames], label: &str) -> Vec<&'r RunNames> {
    let mut all: Vec<&RunNames> = runs.iter().filter(|run| run.label.as_deref() == Some(label)).collect();
    if all.iter().any(|run| run.suite != REFERENCE_SUITE) {
        all.retain(|run| run.suite != REFERENCE_SUITE);
    }
    all.sort_by_key(|run| run.suite.starts_with(STORAGE_SUITES));
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
    let mut seen = BTreeSet::new();
    alike.into_iter().map(|(_, name)| name).filter(|name| seen.insert(*name)).take(OFFERED).map(str::to_owned).collect()
}
