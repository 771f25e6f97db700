//! What sessions do in Oracle's way: their settings, what the server counts for each, and plans as they were executed.
//!
//! Plans are proved twice. Before the point the statement under test is executed once where that leaves nothing that
//! the point would notice, and its plan read from the server's cache of cursors: the plan of an execution, not of an
//! explanation. So the first parse, with all that the server reads for it, is over when the counting begins. Where it
//! cannot be, EXPLAIN PLAN is asked, which is said with the plan; and after the point the plan that was executed is
//! read where the server shows it, and an execution by another one fails the point.

use super::connection::{Bind, OracleConnection};
use super::procedure::PACKAGE;
use super::product::Node;
use super::statistics::{Account, Cursors, Named, told};
use super::{client, plan, procedure, snapshot};
use crate::DIALECT;
use dbdyno_engine::client::Statements;
use dbdyno_engine::procedure::{MadeName, ProcedureSpec, Setting};
use dbdyno_engine::server::{Connection as _, Job, Member, SessionProduct, compare_plan, first, reason};
use dbdyno_engine::{Dialect, EngineError, Prepared};
use dbdyno_model::{Cache, Drive, ErrorClass, ProcedureShape, Test};
use std::sync::Arc;

/// The setting that decides whether scans by one process go past the buffer cache.
const DIRECT_READS: &str = "_serial_direct_read";
/// How many cursors are asked for their plan at most.
const CURSORS_ASKED: usize = 32;

/// A session's part in its node.
pub(super) struct OracleSession {
    member: Member<OracleConnection, Account>,
    /// What the server has counted for this session, as far as the node has it in its account.
    accounted: Named,
    /// The job whose plan is to be looked at when it has worked; only the first one's is.
    unproved: Option<Job>,
    /// Whether it has worked since it was prepared.
    worked: bool,
    /// The statements under test when the job was prepared.
    cursors: Cursors,
    /// What is to be said of the job's settings: how it scans, and what the server refused, and why.
    settings: Vec<String>,
}

impl OracleSession {
    /// Notes a session among dbdyno's own.
    ///
    /// # Errors
    /// It is in another instance than the one whose counters are read, or another of our sessions has the same number.
    pub(super) fn new(connection: &OracleConnection, node: Arc<Node>) -> Result<Self, EngineError> {
        let counted = node.account.instance();
        if counted.is_some_and(|counted| counted != connection.instance()) {
            let message = format!(
                "this session came to instance {}, and the counters of its node are those of instance {}: a listener or \
                 service spreads sessions; name each node by a host or service of its own",
                connection.instance(),
                counted.unwrap_or_default()
            );
            return Err(EngineError::new(ErrorClass::Unsupported, message));
        }
        let twice = "two sessions share one session of the server: a pool stands between (DRCP, or a connection manager), \
                     and settings and counts of one would be those of the other; name a dedicated service";
        let member = Member::new(node, connection, twice)?;
        let (accounted, cursors) = (Named::default(), Cursors::default());
        Ok(Self { member, accounted, unproved: None, worked: false, cursors, settings: Vec::new() })
    }

    /// The plan by which the statement under test was executed since the job was prepared; nothing where the server
    /// does not show it.
    fn executed_plan(&mut self, connection: &mut OracleConnection, doing: &str) -> Result<Option<String>, EngineError> {
        let Some(cursors) = cursors(connection, doing)? else { return Ok(None) };
        // One that was made invalid by DDL has no plan any more.
        for (sql_id, child) in cursors.executed_since(&self.cursors).into_iter().take(CURSORS_ASKED) {
            let binds = [Bind::Text(sql_id), Bind::Int(child)];
            let rows = connection.texts_with(doing, &DIALECT.get("statistics/cursor_plan")?.text, &binds);
            match told(rows)? {
                Ok(rows) if !rows.is_empty() => return plan::compact(&rows).map(Some),
                Ok(_) => {}
                Err(_) => return Ok(None),
            }
        }
        Ok(None)
    }

    /// Makes a setting of the job. Not every server allows each: what comes of that is seen by the plan and the counts.
    fn set(&mut self, connection: &mut OracleConnection, job: &Job, (name, sql): &Setting) -> Result<(), EngineError> {
        match connection.batch(&job.preparing, sql) {
            Err(error) if matches!(error.class, ErrorClass::Permission | ErrorClass::Unsupported) => {
                self.settings.push(format!("{name} was refused: {}", reason(error)));
            }
            done => {
                done?;
                if name == DIRECT_READS {
                    let value = sql.rsplit_once("= ").map_or("", |(_, value)| value);
                    self.settings.push(format!("{name}={value}"));
                }
            }
        }
        Ok(())
    }

    /// A plan, with what is to be said of the settings by which it runs.
    fn with_settings(&self, prepared: Prepared) -> Prepared {
        let words = self.settings.join("; ");
        let plan = prepared.plan.map(|plan| if words.is_empty() { plan } else { format!("{plan} ({words})") });
        Prepared { plan, ..prepared }
    }

    /// Compares the plan that was executed during the point, where nobody could before. Says whether that is done.
    fn prove_plan(&mut self, connection: &mut OracleConnection) -> Result<bool, EngineError> {
        let Some(job) = self.unproved.take_if(|_| self.worked) else { return Ok(true) };
        if job.procedure.expected_plan(&job.spec)?.is_none() {
            return Ok(true);
        }
        let Some(executed) = self.executed_plan(connection, "reading the plan that was executed")? else {
            self.unproved = Some(job);
            return Ok(false);
        };
        match job.procedure.plan_problem(&job.spec, &executed)? {
            None => Ok(true),
            Some(problem) => Err(EngineError::new(ErrorClass::Other, format!("as it was executed, {problem}"))),
        }
    }
}

/// The statements under test that the server keeps; nothing where it does not show them.
fn cursors(connection: &mut OracleConnection, doing: &str) -> Result<Option<Cursors>, EngineError> {
    let sql = &DIALECT.get("statistics/cursors")?.text;
    let rows = told(connection.texts_with(doing, sql, &[Bind::Text(snapshot::MARK)]))?;
    Ok(rows.ok().map(|rows| Cursors::read(&rows)))
}

impl SessionProduct for OracleSession {
    type Connection = OracleConnection;

    fn dialect() -> &'static Dialect {
        &DIALECT
    }

    fn procedure(test: &Test) -> Result<ProcedureSpec, EngineError> {
        procedure::of(test)
    }

    fn set_up(&mut self, connection: &mut OracleConnection, job: &Job) -> Result<(), EngineError> {
        self.unproved = None;
        self.settings.clear();
        let release = connection.version().major.into();
        let of_release = job.procedure.settings_of_version(&job.spec, release)?;
        for setting in job.procedure.settings(&job.spec)?.iter().chain(&of_release) {
            self.set(connection, job, setting)?;
        }
        if job.spec.drive == Drive::Client && job.spec.test.procedure.writes() {
            client::set_commit(connection, &job.preparing, job.spec.commit)?;
        }
        if is_first_on_its_node(job) {
            self.cursors = cursors(connection, &job.preparing)?.unwrap_or_default();
        }
        Ok(())
    }

    fn set_up_statements(
        &mut self,
        connection: &mut OracleConnection,
        statements: &Statements,
    ) -> Result<(), EngineError> {
        self.unproved = None;
        client::set_commit(connection, &statements.work, statements.commit)
    }

    /// The first call of a session loads the package, and one that does a pass makes the cursor.
    fn passes_beforehand(&self, job: &Job) -> Option<u64> {
        Some(u64::from(is_first_on_its_node(job) && can_come_before(job)))
    }

    fn plan(&mut self, connection: &mut OracleConnection, job: &Job) -> Result<Prepared, EngineError> {
        self.worked = false;
        if !job.is_first() {
            return Ok(Prepared::default());
        }
        let doing = &job.preparing;
        if can_come_before(job) {
            if let Some(plan) = self.executed_plan(connection, doing)? {
                let prepared = compare_plan(plan, job)?;
                let said = prepared.plan.map(|plan| format!("{plan} (as executed)"));
                return Ok(self.with_settings(Prepared { plan: said, ..prepared }));
            }
        } else {
            self.unproved = Some(job.clone());
        }
        let Some(explain) = job.procedure.explain(&job.spec)? else {
            if let Some(expected) = job.procedure.expected_plan(&job.spec)? {
                let plan = Some(format!("must be {expected} (looked at after the point)"));
                return Ok(self.with_settings(Prepared { plan, ..Prepared::default() }));
            }
            // What decides a figure of procedural code is how it was compiled.
            let sql = DIALECT.fill("statistics/code_type", &[("package", PACKAGE)])?;
            let compiled = first(connection.texts(doing, &sql)?);
            let plan = compiled.map(|code| format!("no statement; PL/SQL compiled to {} code", code.to_lowercase()));
            return Ok(self.with_settings(Prepared { plan, ..Prepared::default() }));
        };
        connection.batch(doing, &DIALECT.get("statistics/forget_plan")?.text)?;
        connection.batch(doing, &explain)?;
        let rows = connection.texts(doing, &DIALECT.get("statistics/plan")?.text)?;
        // What was written is the session's own and goes with it; the transaction must not stay open.
        connection.batch(doing, "ROLLBACK")?;
        let prepared = compare_plan(Self::plan_of(rows)?, job)?;
        let said = prepared.plan.map(|plan| format!("{plan} (by EXPLAIN PLAN, before the first execution)"));
        Ok(self.with_settings(Prepared { plan: said, ..prepared }))
    }

    fn plan_of(rows: Vec<Vec<Option<String>>>) -> Result<String, EngineError> {
        plan::compact(&rows)
    }

    fn account_work(&mut self, connection: &mut OracleConnection) -> Result<(), EngineError> {
        let now = snapshot::done(connection)?;
        self.member.node.account.add(&now.since(&self.accounted));
        self.accounted = now;
        Ok(())
    }

    fn account_overhead(&mut self, connection: &mut OracleConnection) -> Result<(), EngineError> {
        let now = snapshot::done(connection)?;
        self.member.node.account.add_commits(&now.since(&self.accounted));
        self.accounted = now;
        Ok(())
    }

    fn begin_request(&mut self) {
        self.worked = true;
    }

    /// What goes takes the plans of its statements with it.
    fn before_discard(
        &mut self,
        connection: &mut OracleConnection,
        _: &Job,
        _: &[MadeName],
        _: u64,
    ) -> Result<(), EngineError> {
        self.account_work(connection)?;
        self.prove_plan(connection).map(drop)
    }

    fn flush(&mut self, connection: &mut OracleConnection) -> Result<(), EngineError> {
        self.account_work(connection)?;
        if self.prove_plan(connection)? {
            return Ok(());
        }
        // Nothing but its plan tells that a load went by direct path.
        let is_load = |job: &Job| job.spec.test.procedure.shape == ProcedureShape::Load;
        if self.unproved.as_ref().is_some_and(is_load) {
            self.member.node.account.no_plan("the server shows no plan of what was executed");
        }
        Ok(())
    }
}

/// Whether a job is the first of its node: jobs take turns over the nodes. A node parses for itself.
fn is_first_on_its_node(job: &Job) -> bool {
    job.number - job.spec.jobs_before < job.spec.nodes.max(1)
}

/// Whether a pass may be done before the point: it makes nothing, and what it changes is what tests change themselves.
/// A client would leave a change without its commit.
fn can_come_before(job: &Job) -> bool {
    match job.spec.test.procedure.shape {
        ProcedureShape::Select => true,
        // A pass over what is to be read from storage takes its time, and fills the caches below.
        ProcedureShape::Statement => job.spec.test.cache == Cache::Cached,
        ProcedureShape::Update => job.spec.drive == Drive::Server,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbdyno_engine::PointSpec;

    #[test]
    fn what_makes_something_is_not_done_before_a_point() {
        let can_come_before = |code: &str, drive| {
            let tests = dbdyno_testkit::conformance::catalogue::tests();
            let test = tests.iter().find(|test| test.code.as_str() == code).unwrap();
            let spec = PointSpec { drive, ..dbdyno_testkit::conformance::catalogue::spec(test, 1) };
            super::can_come_before(&Job::new(&spec, 0, procedure::of(test).unwrap()))
        };
        for code in ["T611", "T811", "T421", "T711"] {
            assert!(can_come_before(code, Drive::Server), "{code}");
        }
        for code in ["T111", "T211", "T311", "T331", "T426", "T511", "T513"] {
            assert!(!can_come_before(code, Drive::Server), "{code}");
        }
        assert!(can_come_before("T611", Drive::Client) && !can_come_before("T711", Drive::Client));
    }
}
