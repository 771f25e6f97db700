//! What sessions do in Oracle's way: their settings, what the server counts for each, and plans as they were executed.
//!
//! Plans are proved twice. Before the point the statement under test is executed once where that changes nothing and
//! takes no time, and its plan read from the server's cache of cursors: the plan of an execution, not of an
//! explanation. Where it cannot be, EXPLAIN PLAN is asked, which is said with the plan; and after the point the plan
//! that was executed is read all the same, and an execution by another one fails the point.

use super::connection::{Bind, OracleConnection};
use super::procedure::PACKAGE;
use super::product::Node;
use super::statistics::{Account, Cursors, Named, told};
use super::{client, plan, procedure, snapshot};
use crate::DIALECT;
use dbdyno_engine::client::Statements;
use dbdyno_engine::procedure::ProcedureSpec;
use dbdyno_engine::server::{Connection as _, Job, Member, SessionProduct, compare_plan, first};
use dbdyno_engine::{Dialect, EngineError, Prepared};
use dbdyno_model::{Drive, ErrorClass, Procedure, ProcedureShape, Test};
use std::sync::Arc;

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
        Ok(Self { member, accounted, unproved: None, worked: false, cursors })
    }

    /// The plan by which the statement under test was executed since the job was prepared; nothing where the server
    /// does not show it.
    fn executed_plan(&mut self, connection: &mut OracleConnection, doing: &str) -> Result<Option<String>, EngineError> {
        let Some(cursors) = cursors(connection, doing)? else { return Ok(None) };
        let Some((sql_id, child)) = cursors.most_executed_since(&self.cursors) else { return Ok(None) };
        let binds = [Bind::Text(sql_id), Bind::Int(child)];
        let rows = connection.texts_with(doing, &DIALECT.get("statistics/cursor_plan")?.text, &binds);
        match told(rows)? {
            Ok(rows) if !rows.is_empty() => plan::compact(&rows).map(Some),
            _ => Ok(None),
        }
    }

    /// Compares the plan that was executed during the point, where nobody could before.
    fn prove_plan(&mut self, connection: &mut OracleConnection) -> Result<(), EngineError> {
        let Some(job) = self.unproved.take_if(|_| self.worked) else { return Ok(()) };
        if job.procedure.expected_plan(&job.spec)?.is_none() {
            return Ok(());
        }
        let executed = self.executed_plan(connection, "reading the plan that was executed")?;
        let problem = executed.map(|plan| job.procedure.plan_problem(&job.spec, &plan)).transpose()?.flatten();
        match problem {
            None => Ok(()),
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
        job.procedure.set(&job.spec)?.iter().try_for_each(|sql| connection.batch(&job.preparing, sql))?;
        if job.spec.drive == Drive::Client && job.spec.test.procedure.writes() {
            client::set_commit(connection, &job.preparing, job.spec.commit)?;
        }
        if job.is_first() {
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
        Some(u64::from(job.is_first() && leaves_no_trace(job.spec.test.procedure)))
    }

    fn plan(&mut self, connection: &mut OracleConnection, job: &Job) -> Result<Prepared, EngineError> {
        self.worked = false;
        if !job.is_first() {
            return Ok(Prepared::default());
        }
        let doing = &job.preparing;
        if leaves_no_trace(job.spec.test.procedure) {
            if let Some(plan) = self.executed_plan(connection, doing)? {
                return compare_plan(plan, job);
            }
        } else {
            self.unproved = Some(job.clone());
        }
        let Some(explain) = job.procedure.explain()? else {
            // What decides a figure of procedural code is how it was compiled.
            let sql = DIALECT.fill("statistics/code_type", &[("package", PACKAGE)])?;
            let compiled = first(connection.texts(doing, &sql)?);
            let plan = compiled.map(|code| format!("no statement; PL/SQL compiled to {} code", code.to_lowercase()));
            return Ok(Prepared { plan, ..Prepared::default() });
        };
        connection.batch(doing, &DIALECT.get("statistics/forget_plan")?.text)?;
        connection.batch(doing, &explain)?;
        let rows = connection.texts(doing, &DIALECT.get("statistics/plan")?.text)?;
        // What was written is the session's own and goes with it; the transaction must not stay open.
        connection.batch(doing, "ROLLBACK")?;
        let prepared = compare_plan(Self::plan_of(rows)?, job)?;
        let said = prepared.plan.map(|plan| format!("{plan} (by EXPLAIN PLAN, before the first execution)"));
        Ok(Prepared { plan: said, ..prepared })
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

    fn flush(&mut self, connection: &mut OracleConnection) -> Result<(), EngineError> {
        self.account_work(connection)?;
        self.prove_plan(connection)
    }
}

/// Whether a pass changes nothing and takes a moment only, so that it may be done before the point.
fn leaves_no_trace(procedure: Procedure) -> bool {
    procedure.shape == ProcedureShape::Select
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_changes_nothing_is_done_before_a_point() {
        let leaves_no_trace = |name| leaves_no_trace(Procedure::named(name).unwrap());
        assert!(leaves_no_trace("select_primary") && leaves_no_trace("join"));
        for name in ["insert", "update_primary", "scan", "write_file"] {
            assert!(!leaves_no_trace(name), "{name}");
        }
    }
}
