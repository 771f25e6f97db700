//! A session: one connection, prepared for a job of a point, that calls the test's procedure or sends what a client
//! sends.
//!
//! Plans are proved twice. Before the point the statement under test is executed once where that changes nothing and
//! takes no time, and its plan read from the server's cache of cursors: the plan of an execution, not of an
//! explanation. Where it cannot be, EXPLAIN PLAN is asked, which is said with the plan; and after the point the plan
//! that was executed is read all the same, and an execution by another one fails the point.

use super::Node;
use super::client::Client;
use super::connection::{Bind, OracleConnection};
use super::procedure::{PACKAGE, ProcedureSpec};
use super::snapshot;
use super::statistics::{Cursors, Named};
use crate::DIALECT;
use dbdyno_engine::client::{Answer, Bound, Statements, TestProgram};
use dbdyno_engine::program::{Act, Program as _};
use dbdyno_engine::server::call::{SUMS, arguments};
use dbdyno_engine::server::{Connection as _, first, recover};
use dbdyno_engine::{Canceller, ChunkResult, EngineError, Failure, PointSpec, Prepared, Request, Session, modulo_2_64};
use dbdyno_model::{Drive, ErrorClass, Procedure, Size};
use std::sync::Arc;

/// A job's work, understood.
struct Work {
    spec: PointSpec,
    job: u32,
    procedure: ProcedureSpec,
    call: String,
    /// What it sends instead, where a client drives it.
    client: Option<Client>,
    /// Bytes that one operation reads by scanning; 0 where it does not scan.
    scanned_bytes: u64,
    /// Whether the plan of an execution has been looked at; only the first job does.
    proved: bool,
    /// The statements under test when the job was prepared.
    cursors: Cursors,
    calls: u64,
    /// Passes of the last piece.
    made_passes: u64,
}

/// One connection at work.
pub(super) struct OracleSession {
    connection: OracleConnection,
    node: Arc<Node>,
    work: Option<Work>,
    /// What it sends, where it is prepared for statements of a work's own.
    own: Option<Client>,
    /// What the server has counted for this session, as far as the node has it in its account.
    accounted: Named,
}

impl OracleSession {
    /// A session of its own connection.
    ///
    /// # Errors
    /// It is in another instance than the one whose counters are read, or another of our sessions has the same number.
    pub(super) fn new(connection: OracleConnection, node: Arc<Node>) -> Result<Self, EngineError> {
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
        if !recover(&node.ours).insert(connection.session_id()) {
            let message = "two sessions share one session of the server: a pool stands between (DRCP, or a connection \
                           manager), and settings and counts of one would be those of the other; name a dedicated service";
            return Err(EngineError::new(ErrorClass::Unsupported, message));
        }
        Ok(Self { connection, node, work: None, own: None, accounted: Named::default() })
    }

    fn prepare_work(&mut self, spec: &PointSpec, job: u32) -> Result<Prepared, EngineError> {
        self.forget()?;
        let procedure = ProcedureSpec::of(&spec.test);
        let doing = format!("preparing {}", spec.test.code);
        for setting in procedure.settings(spec) {
            self.connection.batch(&doing, &setting)?;
        }
        let scanned_bytes = self.scanned_bytes(&procedure, spec, &doing)?;
        let call = procedure.call();
        let cursors =
            if job == spec.jobs_before { self.cursors(&doing)?.unwrap_or_default() } else { Cursors::default() };
        let (client, form) = match spec.drive {
            Drive::Server => (None, None),
            Drive::Client => {
                let (client, form) = Client::prepare(&mut self.connection, &procedure, spec, job)?;
                (Some(client), Some(form))
            }
        };
        let (task_of_work, proved) = (spec.clone(), job > spec.jobs_before);
        let work = Work {
            spec: task_of_work,
            job,
            procedure,
            call,
            client,
            scanned_bytes,
            proved,
            cursors,
            calls: 0,
            made_passes: 0,
        };
        self.work = Some(work);
        // The first call of a session loads the package, and one that does a pass makes the cursor.
        let executed = job == spec.jobs_before && leaves_no_trace(spec.test.procedure);
        match &form {
            None => _ = self.call(0, u64::from(executed))?,
            Some(form) if executed => self.send_one(TestProgram::new(spec, job, form.clone()))?,
            Some(_) => {}
        }
        let mut prepared = if job == spec.jobs_before { self.plan(executed, &doing)? } else { Prepared::default() };
        if let Some(work) = &mut self.work {
            work.calls = 0;
            work.proved |= executed;
        }
        prepared.form = form;
        self.account_commits()?;
        Ok(prepared)
    }

    /// Sends the first statement of a program.
    fn send_one(&mut self, mut program: TestProgram) -> Result<(), EngineError> {
        program.begin();
        let Act::Execute { statement, times, opens } = program.act(None) else { return Ok(()) };
        let bound = Bound { statement, values: program.values(), times, opens };
        self.send(&Request::Statement(bound)).map(drop)
    }

    /// Forgets what it was prepared for.
    fn forget(&mut self) -> Result<(), EngineError> {
        let client = self.work.take().and_then(|work| work.client).or(self.own.take());
        client.map_or(Ok(()), |mut client| client.roll_back(&mut self.connection).map(drop))
    }

    /// None of what was done until now is the test's work; its commits are ours all the same.
    fn account_commits(&mut self) -> Result<(), EngineError> {
        let now = snapshot::done(&mut self.connection)?;
        self.node.account.add_commits(&now);
        self.accounted = now;
        Ok(())
    }

    /// The plan of the statement under test under the session's settings, compared.
    fn plan(&mut self, executed: bool, doing: &str) -> Result<Prepared, EngineError> {
        let Some(procedure) = self.work.as_ref().map(|work| work.procedure.clone()) else {
            return Ok(Prepared::default());
        };
        if executed && let Some(plan) = self.executed_plan(doing)? {
            let problem = procedure.plan_problem(&plan)?;
            return Ok(Prepared { plan: Some(plan), problems: problem.into_iter().collect(), form: None });
        }
        let Some(explain) = procedure.explain()? else {
            // What decides a figure of procedural code is how it was compiled.
            let sql = DIALECT.fill("statistics/code_type", &[("package", PACKAGE)])?;
            let compiled = first(self.connection.texts(doing, &sql)?);
            let plan = compiled.map(|code| format!("no statement; PL/SQL compiled to {} code", code.to_lowercase()));
            return Ok(Prepared { plan, ..Prepared::default() });
        };
        self.connection.batch(doing, &DIALECT.get("statistics/forget_plan")?.text)?;
        self.connection.batch(doing, &explain)?;
        let rows = self.connection.texts(doing, &DIALECT.get("statistics/plan")?.text)?;
        // What was written is the session's own and goes with it; the transaction must not stay open.
        self.connection.batch(doing, "ROLLBACK")?;
        let plan = super::plan::compact(&rows)?;
        let problem = procedure.plan_problem(&plan)?;
        let said = format!("{plan} (by EXPLAIN PLAN, before the first execution)");
        Ok(Prepared { plan: Some(said), problems: problem.into_iter().collect(), form: None })
    }

    /// The statements under test that the server keeps; nothing where it does not show them.
    fn cursors(&mut self, doing: &str) -> Result<Option<Cursors>, EngineError> {
        let sql = &DIALECT.get("statistics/cursors")?.text;
        let rows = snapshot::told(self.connection.texts_with(doing, sql, &[Bind::Text(snapshot::MARK)]))?;
        Ok(rows.ok().map(|rows| Cursors::read(&rows)))
    }

    /// The plan by which the statement under test was executed since the job was prepared; nothing where the server
    /// does not show it.
    fn executed_plan(&mut self, doing: &str) -> Result<Option<String>, EngineError> {
        let Some(cursors) = self.cursors(doing)? else { return Ok(None) };
        let Some(work) = &self.work else { return Ok(None) };
        let Some((sql_id, child)) = cursors.most_executed_since(&work.cursors) else { return Ok(None) };
        let binds = [Bind::Text(sql_id), Bind::Int(child)];
        let rows = self.connection.texts_with(doing, &DIALECT.get("statistics/cursor_plan")?.text, &binds);
        match snapshot::told(rows)? {
            Ok(rows) if !rows.is_empty() => super::plan::compact(&rows).map(Some),
            _ => Ok(None),
        }
    }

    /// Compares the plan that was executed during the point, where nobody could before.
    fn prove_plan(&mut self) -> Result<(), EngineError> {
        let Some(work) = self.work.as_mut().filter(|work| !work.proved && work.calls > 0) else { return Ok(()) };
        work.proved = true;
        let procedure = work.procedure.clone();
        if procedure.expected_plan()?.is_none() {
            return Ok(());
        }
        let Some(plan) = self.executed_plan("reading the plan that was executed")? else { return Ok(()) };
        match procedure.plan_problem(&plan)? {
            None => Ok(()),
            Some(problem) => Err(EngineError::new(ErrorClass::Other, format!("as it was executed, {problem}"))),
        }
    }

    /// Bytes of what one operation scans, as its segments have them.
    fn scanned_bytes(&mut self, procedure: &ProcedureSpec, spec: &PointSpec, doing: &str) -> Result<u64, EngineError> {
        let share = match spec.test.procedure {
            Procedure::Scan | Procedure::Sort | Procedure::Group | Procedure::Report => 1,
            Procedure::ScanRange => Size::RANGES,
            _ => return Ok(0),
        };
        let mut bytes = 0;
        for table in procedure.reads() {
            let sql = DIALECT.fill("statistics/table_bytes", &[("table", table.name())])?;
            bytes += first(self.connection.texts(doing, &sql)?).and_then(|n| n.parse::<u64>().ok()).unwrap_or(0);
        }
        Ok(bytes / share)
    }

    /// Sends what a client sends.
    fn send(&mut self, request: &Request<'_>) -> Result<ChunkResult, EngineError> {
        let client = match (&mut self.own, &mut self.work) {
            (None, Some(work)) => {
                work.calls += 1;
                &mut work.client
            }
            (own, _) => own,
        };
        match (request, client) {
            (Request::Statement(bound), Some(client)) => client.statement(&mut self.connection, bound),
            (Request::Commit, Some(client)) => client.commit(&mut self.connection),
            (Request::Rollback, Some(client)) => client.roll_back(&mut self.connection),
            _ => Err(unprepared()),
        }
    }

    /// Removes what the last piece has made, which counts for nothing.
    fn discard(&mut self) -> Result<(), EngineError> {
        let Some(work) = &mut self.work else { return Ok(()) };
        let passes = std::mem::take(&mut work.made_passes);
        let statements = work.procedure.discards(work.job, work.spec.jobs_in_all(), passes)?;
        let now = snapshot::done(&mut self.connection)?;
        self.node.account.add(&now.since(&self.accounted));
        self.accounted = now;
        statements.iter().try_for_each(|sql| self.connection.batch("removing what a piece has made", sql))?;
        self.account_commits()
    }

    fn call(&mut self, first_pass: u64, passes: u64) -> Result<ChunkResult, EngineError> {
        let work = self.work.as_mut().ok_or_else(unprepared)?;
        let doing = format!("{} job {}", work.spec.test.code, work.job + 1);
        let numbers = arguments(&work.spec, work.job, first_pass, passes);
        work.calls += 1;
        work.made_passes = first_pass + passes;
        let answer = self.connection.call(&doing, &work.call, &numbers, SUMS)?;
        let unclear =
            || EngineError::new(ErrorClass::Other, format!("{doing}: the procedure's answer is not understood"));
        let [ops, rows, bytes, checksum] = sums(&answer).ok_or_else(unclear)?;
        Ok(ChunkResult { ops, rows, bytes: bytes + ops * work.scanned_bytes, checksum })
    }
}

/// The error of a session that nobody has prepared for what it is asked.
fn unprepared() -> EngineError {
    EngineError::new(ErrorClass::Other, "a session was asked to work before it was prepared")
}

/// Whether a pass changes nothing and takes a moment only, so that it may be done before the point.
fn leaves_no_trace(work: Procedure) -> bool {
    matches!(work, Procedure::SelectPrimary | Procedure::SelectSecondary | Procedure::Join)
}

/// The four sums that a procedure gives back. A sum of the server's has more digits than 64 bits have; dbdyno's own
/// counts go round there.
fn sums(answer: &[i128]) -> Option<[u64; SUMS]> {
    let [ops, rows, bytes, checksum] = answer else { return None };
    let count = |number: &i128| u64::try_from(*number).ok();
    Some([count(ops)?, count(rows)?, count(bytes)?, modulo_2_64(*checksum)?])
}

impl Session for OracleSession {
    fn prepare(&mut self, spec: &PointSpec, job: u32) -> Result<Prepared, EngineError> {
        self.prepare_work(spec, job)
    }

    fn prepare_statements(&mut self, statements: &Statements) -> Result<(), EngineError> {
        self.forget()?;
        self.own = Some(Client::prepare_own(&mut self.connection, statements)?);
        self.account_commits()
    }

    fn answer(&self) -> &Answer {
        self.own.as_ref().map_or(Answer::NONE, Client::answer)
    }

    /// A call that fails gives no account of what it did before: the server returns a procedure's sums at its end.
    fn execute(&mut self, request: &Request<'_>) -> Result<ChunkResult, Failure> {
        Ok(match request {
            Request::Chunk { first_pass, passes } => self.call(*first_pass, *passes)?,
            Request::Discard => {
                self.discard()?;
                ChunkResult::default()
            }
            request => self.send(request)?,
        })
    }

    fn flush(&mut self) -> Result<(), EngineError> {
        let now = snapshot::done(&mut self.connection)?;
        self.node.account.add(&now.since(&self.accounted));
        self.accounted = now;
        self.prove_plan()
    }

    fn canceller(&self) -> Arc<dyn Canceller> {
        self.connection.canceller()
    }
}

impl Drop for OracleSession {
    fn drop(&mut self) {
        recover(&self.node.ours).remove(&self.connection.session_id());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_go_round_where_64_bits_end() {
        assert_eq!(sums(&[1, 2, 3, 4]), Some([1, 2, 3, 4]));
        assert_eq!(sums(&[1, 2, 3, -1]), Some([1, 2, 3, u64::MAX]));
        let beyond = i128::from(u64::MAX) + 8;
        assert_eq!(sums(&[1, 2, 3, beyond]), Some([1, 2, 3, 7]));
        assert_eq!(sums(&[beyond, 2, 3, 4]), None, "no count is as large");
        assert_eq!(sums(&[-1, 2, 3, 4]), None);
        assert_eq!(sums(&[1, 2, 3]), None);
    }

    #[test]
    fn only_what_changes_nothing_is_done_before_a_point() {
        assert!(leaves_no_trace(Procedure::SelectPrimary) && leaves_no_trace(Procedure::Join));
        for work in [Procedure::Insert, Procedure::UpdatePrimary, Procedure::Scan, Procedure::WriteFile] {
            assert!(!leaves_no_trace(work) && (work == Procedure::Scan || work.writes()));
        }
    }
}
