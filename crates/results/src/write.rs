//! Writing: the plan first, then point by point, each completely or not at all.

use crate::error::shown;
use crate::lease::Lease;
use crate::{PointHistogram, Repository, ResultsError, file};
use dbdyno_model::{Database, Plan, PlannedPoint, Platform, Point, Run, RunId, RunStatus, SCHEMA_VERSION, Tool};
use rusqlite::{Transaction, TransactionBehavior, named_params, params};
use serde::Serialize;
use serde::de::DeserializeOwned;

impl Repository {
    /// Stores a run with everything that is known before its first point. A run in status `running` gets this process's
    /// lease.
    ///
    /// # Errors
    /// The id exists already, or the file cannot be written.
    pub fn begin_run(
        &mut self,
        run: &Run,
        plan: &Plan,
        platform: &Platform,
        database: &Database,
        tool: Option<&Tool>,
    ) -> Result<(), ResultsError> {
        let transaction = self.begin("write")?;
        self.insert_run(&transaction, run, plan, platform, database, tool)?;
        transaction.commit().map_err(self.failed("write"))
    }

    pub(crate) fn insert_run(
        &self,
        transaction: &Transaction<'_>,
        run: &Run,
        plan: &Plan,
        platform: &Platform,
        database: &Database,
        tool: Option<&Tool>,
    ) -> Result<(), ResultsError> {
        let lease = Lease::ours().filter(|_| run.status == RunStatus::Running);
        let (plan, platform) = (json("the plan", plan)?, json("the platform", platform)?);
        let (database, lease) = (json("the database", database)?, json("the lease", &lease)?);
        let tool = tool.map(|tool| json("the tool", tool)).transpose()?;
        if self.has(&run.id)? {
            return Err(ResultsError::RunExists { id: run.id.clone(), path: shown(&self.path) });
        }
        transaction
            .execute(
                "INSERT INTO runs (id, label, suite, size, seed, started_at, tool_version, target, status, plan, platform,
                                   database, lease, points_planned, schema_version, tool)
                 VALUES (:id, :label, :suite, :size, :seed, :started_at, :tool_version, :target, :status, :plan,
                         :platform, :database, nullif(:lease, 'null'), json_array_length(:plan, '$.points'),
                         :schema_version, :tool)",
                named_params! {
                    ":id": run.id.as_str(),
                    ":label": run.label,
                    ":suite": run.suite,
                    ":size": run.size,
                    ":seed": run.seed.to_string(),
                    ":started_at": format!("{:.9}", run.started_at),
                    ":tool_version": run.tool_version,
                    ":target": run.target,
                    ":status": run.status.name(),
                    ":plan": plan,
                    ":platform": platform,
                    ":database": database,
                    ":lease": lease,
                    ":schema_version": SCHEMA_VERSION,
                    ":tool": tool,
                },
            )
            .map_err(self.failed("write"))?;
        Ok(())
    }

    /// Adds a point to a run's plan, at its end. What was planned before stays as it is.
    ///
    /// # Errors
    /// The run does not exist, or the file cannot be written.
    pub fn extend_plan(&mut self, run: &RunId, planned: &PlannedPoint) -> Result<(), ResultsError> {
        self.still_there()?;
        let planned = json("a planned point", planned)?;
        let sql =
            "UPDATE runs SET plan = json_insert(plan, '$.points[#]', json(?2)), points_planned = points_planned + 1
                   WHERE id = ?1";
        self.change(sql, run, &planned)
    }

    /// Stores a point and its histograms, completely or not at all; when this returns, they are on the device.
    /// `plan_index` counts the plan's points from 0. An earlier attempt stays, and this one becomes the newest.
    ///
    /// # Errors
    /// The run or the planned point does not exist, a value is not a number, or the file cannot be written
    /// (`OutOfSpace`, `Locked`); then the file is unchanged.
    pub fn record_point(
        &mut self,
        run: &RunId,
        plan_index: usize,
        point: &Point,
        histograms: &[PointHistogram],
    ) -> Result<(), ResultsError> {
        let transaction = self.begin("write")?;
        self.insert_point(&transaction, run, plan_index, point, histograms)?;
        transaction.commit().map_err(self.failed("write"))
    }

    pub(crate) fn insert_point(
        &self,
        transaction: &Transaction<'_>,
        run: &RunId,
        plan_index: usize,
        point: &Point,
        histograms: &[PointHistogram],
    ) -> Result<(), ResultsError> {
        let what = format!("point {plan_index} ({}) of run {run}", point.subject.name());
        let body = json(&what, point)?;
        let (planned,): (usize,) = self.of_run(transaction, "points_planned", run)?;
        if plan_index >= planned {
            return Err(ResultsError::OutsidePlan { run: run.clone(), plan_index, planned });
        }
        transaction
            .prepare_cached(
                "INSERT INTO points (run, plan_index, attempt, point, ended, schema_version)
                 SELECT ?1, ?2, 1 + coalesce(max(attempt), 0), ?3, ?3 ->> 'status', ?4
                 FROM points WHERE run = ?1 AND plan_index = ?2",
            )
            .and_then(|mut insert| insert.execute(params![run.as_str(), plan_index, body, SCHEMA_VERSION]))
            .map_err(self.failed("write"))?;
        let point_id = transaction.last_insert_rowid();
        for PointHistogram { transaction_type, kind, times } in histograms {
            let bytes = times.encode().map_err(|e| unstorable(&what, e))?;
            let of_type = transaction_type.as_deref().unwrap_or_default();
            transaction
                .prepare_cached("INSERT INTO histograms (point, type, kind, histogram) VALUES (?1, ?2, ?3, ?4)")
                .and_then(|mut insert| insert.execute(params![point_id, of_type, kind.name(), bytes]))
                .map_err(self.failed("write"))?;
        }
        Ok(())
    }

    /// Stores what was added to the newest attempt of a point after it was recorded: the reports of its snapshots, and
    /// why some are missing. Nothing else of it changes.
    ///
    /// # Errors
    /// The point is not recorded, or the file cannot be written; then it is unchanged.
    pub fn supplement_point(&mut self, run: &RunId, plan_index: usize, point: &Point) -> Result<(), ResultsError> {
        self.still_there()?;
        let what = format!("point {plan_index} of run {run}");
        let (awr, missing) = (json(&what, &point.awr)?, json(&what, &point.missing)?);
        let changed = self
            .connection
            .execute(
                "UPDATE points SET point = json_set(point, '$.awr', json(?3), '$.missing', json(?4))
                 WHERE run = ?1 AND plan_index = ?2
                       AND attempt = (SELECT max(attempt) FROM points WHERE run = ?1 AND plan_index = ?2)",
                params![run.as_str(), plan_index, awr, missing],
            )
            .map_err(self.failed("write"))?;
        if changed == 0 { Err(unstorable(&what, "it is not recorded")) } else { Ok(()) }
    }

    /// Replaces what is known of a run's database.
    ///
    /// # Errors
    /// The run does not exist, or the file cannot be written.
    pub fn set_database(&mut self, run: &RunId, database: &Database) -> Result<(), ResultsError> {
        self.still_there()?;
        let database = json("the database", database)?;
        self.change("UPDATE runs SET database = ?2 WHERE id = ?1", run, &database)
    }

    fn change(&self, sql: &str, run: &RunId, value: &str) -> Result<(), ResultsError> {
        let changed = self.connection.execute(sql, [run.as_str(), value]).map_err(self.failed("write"))?;
        if changed == 0 { Err(self.no_such_run(run)) } else { Ok(()) }
    }

    /// Sets a run's status. A run that is no longer `running` loses its lease.
    ///
    /// # Errors
    /// The run does not exist, or the file cannot be written.
    pub fn set_status(&mut self, run: &RunId, status: RunStatus) -> Result<(), ResultsError> {
        self.still_there()?;
        let sql = "UPDATE runs SET status = ?2, lease = CASE ?2 WHEN 'running' THEN lease END WHERE id = ?1";
        self.change(sql, run, status.name())?;
        // Damage to the file during the run must be reported now and not the next time.
        if status == RunStatus::Running { Ok(()) } else { file::must_be_whole(&self.connection, &self.path) }
    }

    /// Gives a run this process's lease before it is resumed. A lease whose process has ended is replaced.
    ///
    /// # Errors
    /// `BeingMeasured` while another living process has the lease; the run does not exist; the file cannot be written.
    pub fn claim(&mut self, run: &RunId) -> Result<(), ResultsError> {
        let ours = Lease::ours();
        let mark = json("the lease", &ours)?;
        let transaction = self.begin("write")?;
        let held = self.lease(&transaction, run)?;
        if let Some(other) = held.filter(|lease| Some(lease) != ours.as_ref() && lease.holds()) {
            return Err(ResultsError::BeingMeasured { run: run.clone(), pid: other.pid });
        }
        transaction
            .execute("UPDATE runs SET lease = nullif(?2, 'null') WHERE id = ?1", [run.as_str(), &mark])
            .map_err(self.failed("write"))?;
        transaction.commit().map_err(self.failed("write"))
    }

    /// Begins a transaction that may write; it is rolled back unless it is committed. The callers take `&mut self`, so
    /// no second transaction can be open on the connection.
    pub(crate) fn begin(&self, doing: &'static str) -> Result<Transaction<'_>, ResultsError> {
        self.still_there()?;
        Transaction::new_unchecked(&self.connection, TransactionBehavior::Immediate).map_err(self.failed(doing))
    }

    pub(crate) fn no_such_run(&self, run: &RunId) -> ResultsError {
        ResultsError::RunNotFound { asked: run.to_string(), path: shown(&self.path), nearest: Vec::new() }
    }
}

/// A value as JSON that can be read back. JSON cannot express "not a number", and one unreadable value in a file would
/// make the whole run unreadable.
pub(crate) fn json<T: Serialize + DeserializeOwned>(what: &str, value: &T) -> Result<String, ResultsError> {
    let text = serde_json::to_string(value).map_err(|e| unstorable(what, e))?;
    serde_json::from_str::<T>(&text).map_err(|e| unstorable(what, e))?;
    Ok(text)
}

pub(crate) fn unstorable(what: &str, why: impl std::fmt::Display) -> ResultsError {
    ResultsError::Unstorable { what: what.to_owned(), why: why.to_string() }
}
