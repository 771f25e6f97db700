//! What every engine must do for work with statements of its own: several of them, with several values each, some of
//! which depend on earlier answers.

use super::EngineUnderTest;
use super::client::{send, spec};
use dbdyno_engine::client::{Bound, PrepareWhen, Statements, TestProgram, Value, Values};
use dbdyno_engine::{
    ChunkResult, Engine, Failure, Job, MonotonicClock, Reply, Request, Session, StartGate, Step, Work,
};
use dbdyno_model::{CommitMode, Counter, Drive};

const READ: usize = 0;
const WRITE: usize = 1;
const FIND: usize = 2;
const LIST: usize = 3;
const MISSING: usize = 4;
const FAIL: usize = 5;

/// More jobs than any pump has threads.
const JOBS: usize = 6;
const TRANSFERS: usize = 9;

/// Statements on a table of dbdyno's, under its SQL name.
fn statements(table: &str) -> Statements {
    let texts = [
        format!("SELECT quantity, status, amount FROM {table} WHERE id = :1"),
        format!("UPDATE {table} SET quantity = :2 WHERE id = :1"),
        format!("SELECT id FROM {table} WHERE id = :1 AND status = :2 AND amount = :3"),
        format!("SELECT id, quantity FROM {table} WHERE id >= :1 AND id < :2 ORDER BY id"),
        format!("SELECT MAX(quantity), ':1' FROM {table} WHERE id = :1"),
        format!("INSERT INTO {table} SELECT * FROM {table} WHERE id = :1"),
    ];
    Statements {
        work: "transfers".to_owned(),
        texts: texts.map(Into::into).to_vec(),
        commit: CommitMode::Durable,
        prepared: PrepareWhen::Beforehand,
    }
}

fn opened(engine: &dyn Engine, job: u32, statements: &Statements) -> Box<dyn Session> {
    let mut session = engine.client_session(job, 1).unwrap();
    session.prepare_statements(statements).unwrap();
    session
}

fn execute(
    session: &mut dyn Session,
    statement: usize,
    given: &[Value<'_>],
    opens: bool,
) -> Result<ChunkResult, Failure> {
    let mut values = Values::new();
    for value in given {
        values.push(*value);
    }
    session.execute(&Request::Statement(Bound { statement, values: &values, times: 1, opens }))
}

/// Quantities of rows `1 .. 1 + rows`.
fn quantities(session: &mut dyn Session, rows: usize) -> Vec<i64> {
    let to = 1 + rows as i64;
    let done = execute(session, LIST, &[Value::Int(1), Value::Int(to)], false).unwrap();
    let answer = session.answer();
    assert_eq!((done.ops, done.rows, answer.rows()), (0, rows as u64, rows));
    assert_eq!((done.checksum, answer.get(0, 2)), (answer.sum(), None));
    let ids: Vec<_> = (0..rows).map(|row| answer.int(row, 0)).collect();
    assert_eq!(ids, (1..to).map(Some).collect::<Vec<_>>());
    (0..rows).map(|row| answer.int(row, 1).unwrap()).collect()
}

/// Restores the quantities, because other tests use the table, too.
fn give_back(session: &mut dyn Session, quantities_before: &[i64]) {
    for (id, quantity) in (1..).zip(quantities_before) {
        execute(session, WRITE, &[Value::Int(id), Value::Int(*quantity)], false).unwrap();
    }
    assert_eq!(quantities(session, quantities_before.len()), quantities_before);
}

/// Any values go in and come out, and invalid requests are refused, whenever statements are prepared.
pub fn statements_of_ones_own_take_values_and_answer(under_test: &EngineUnderTest<'_>, table: &str) {
    let engine = (under_test.open)();
    for prepared in [PrepareWhen::Beforehand, PrepareWhen::Sent] {
        let mut session = opened(&*engine, 0, &Statements { prepared, ..statements(table) });
        take_values_and_answer(under_test, &*engine, table, session.as_mut());
        session.end().unwrap();
    }
}

fn take_values_and_answer(
    under_test: &EngineUnderTest<'_>,
    engine: &dyn Engine,
    table: &str,
    session: &mut dyn Session,
) {
    let done = execute(session, READ, &[Value::Int(7)], false).unwrap();
    let (answer, quantity) = (session.answer(), session.answer().int(0, 0).unwrap());
    assert_eq!((done.rows, done.checksum, answer.rows()), (1, quantity.cast_unsigned(), 1));
    let (status, amount) = (answer.text(0, 1).unwrap().to_owned(), answer.text(0, 2).unwrap().to_owned());
    assert!(amount.parse::<f64>().unwrap() > 0.0, "{amount}");
    let find = [Value::Int(7), Value::Text(&status), Value::Text(&amount)];
    execute(session, FIND, &find, false).unwrap();
    assert_eq!((session.answer().rows(), session.answer().int(0, 0)), (1, Some(7)), "{find:?}");
    for nobody in [[find[0], Value::Text("-"), find[2]], [find[0], Value::Null, find[2]]] {
        assert_eq!(execute(session, FIND, &nobody, false).unwrap().rows, 0, "{nobody:?}");
        assert_eq!(session.answer().rows(), 0);
    }
    execute(session, MISSING, &[Value::Int(-1)], false).unwrap();
    assert_eq!((session.answer().get(0, 0), session.answer().text(0, 1)), (Some(Value::Null), Some(":1")));
    for (statement, values) in [(99, &[][..]), (READ, &[]), (READ, &[Value::Int(1), Value::Int(2)])] {
        let refused = execute(session, statement, values, false).unwrap_err().error;
        assert!(refused.message.contains(&format!("transfers: statement {statement}")), "{refused}");
        session.execute(&Request::Rollback).unwrap();
    }
    assert_eq!(execute(session, READ, &[Value::Int(7)], false).unwrap(), done, "it goes on");
    // And back to a test, with another statement.
    let test = under_test.tests().into_iter().find(|test| test.procedure == "select_primary").unwrap();
    let spec = spec(under_test, &test, 1);
    engine.begin_point(&spec).unwrap();
    let mut program = TestProgram::new(&spec, 0, session.prepare(&spec, 0).unwrap().form.unwrap());
    execute(session, LIST, &[Value::Int(7), Value::Int(8)], false).unwrap_err();
    assert_eq!(send(session, &mut program, 1).unwrap().rows, spec.rows_per_tx);
    session.prepare_statements(&statements(table)).unwrap();
    assert_eq!(quantities(session, 3).len(), 3);
    let nonsense = Statements { texts: vec![format!("SELECT nothing FROM {table}").into()], ..statements(table) };
    // Some servers check a statement when it is prepared, and others when it is executed.
    let refused =
        session.prepare_statements(&nonsense).map_err(Failure::from).and_then(|()| execute(session, 0, &[], false));
    assert!(refused.unwrap_err().error.message.to_lowercase().contains("nothing"));
    engine.end_point(&spec).unwrap();
}

/// A job's transfers between two rows of its own: it reads both, writes the new values, commits two of three
/// transactions and rolls back the third, and pauses in between.
struct Transfers {
    ids: [i64; 2],
    values: Values,
    read: [i64; 2],
    step: usize,
    done: usize,
    committed: i64,
}

impl Transfers {
    fn new(job: usize) -> Self {
        let first = 1 + 2 * job as i64;
        Self { ids: [first, first + 1], values: Values::new(), read: [0; 2], step: 0, done: 0, committed: 0 }
    }
}

impl Work for Transfers {
    fn next(&mut self, _: u64, reply: Option<Reply<'_>>) -> Step<'_> {
        if let Some(reply) = reply {
            assert!(reply.started_ns <= reply.ended_ns);
            let did = reply.result.unwrap();
            match self.step {
                0 | 1 => self.read[self.step] = reply.answer.int(0, 0).unwrap(),
                2 | 3 => assert_eq!((did.rows, reply.answer.rows()), (1, 0)),
                _ => self.done += 1,
            }
            self.step = (self.step + 1) % 5;
            if self.step == 0 {
                return if self.done == TRANSFERS { Step::Done } else { Step::ThinkNs(500_000) };
            }
        }
        let row = self.step % 2;
        let given = match self.step {
            0 | 1 => self.values.set(&[self.ids[row]]),
            2 => self.values.set(&[self.ids[0], self.read[0] - 1]),
            3 => self.values.set(&[self.ids[1], self.read[1] + 1]),
            _ if self.done % 3 == 2 => return Step::Execute(Request::Rollback),
            _ => {
                self.committed += 1;
                return Step::Execute(Request::Commit);
            }
        };
        let statement = if self.step < 2 { READ } else { WRITE };
        Step::Execute(Request::Statement(Bound { statement, values: given, times: 1, opens: self.step == 0 }))
    }
}

/// Transactions of several statements that depend on each other, with many sessions at a time: committed work is there,
/// and nothing else.
pub fn transactions_go_by_what_they_have_read(under_test: &EngineUnderTest<'_>, table: &str) {
    let engine = (under_test.open)();
    let statements = statements(table);
    // Counters belong to a point.
    let update = under_test.tests().into_iter().find(|test| test.procedure == "update_primary").unwrap();
    let spec = spec(under_test, &update, JOBS as u32);
    engine.begin_point(&spec).unwrap();
    let mut reader = opened(&*engine, 0, &statements);
    let before = quantities(reader.as_mut(), 2 * JOBS);
    let mut sessions: Vec<_> = (0..JOBS).map(|job| opened(&*engine, job as u32, &statements)).collect();
    sessions.iter_mut().chain([&mut reader]).for_each(|session| session.flush().unwrap());
    let counted = engine.point_statistics(None).unwrap();
    let mut works: Vec<Transfers> = (0..JOBS).map(Transfers::new).collect();
    let jobs = sessions.iter_mut().zip(&mut works);
    let jobs = jobs.map(|(session, work)| Job { session: session.as_mut(), work }).collect();
    engine.pump(Drive::Client, None).run(jobs, &MonotonicClock::default(), &StartGate::new(JOBS)).unwrap();
    sessions.iter_mut().for_each(|session| session.flush().unwrap());
    let counted = engine.evidence(&counted).unwrap();
    let committed: i64 = works.iter().map(|work| work.committed).sum();
    assert_eq!(committed, (JOBS * TRANSFERS * 2 / 3) as i64);
    let commits = counted.get(Counter::Commits);
    assert!(
        commits == Some(committed.cast_unsigned()) || under_test.missing_counters.contains(&Counter::Commits),
        "{counted:?}"
    );
    let mut expected = before.clone();
    for (job, work) in works.iter().enumerate() {
        expected[2 * job] -= work.committed;
        expected[2 * job + 1] += work.committed;
    }
    assert_eq!(quantities(reader.as_mut(), 2 * JOBS), expected);
    give_back(reader.as_mut(), &before);
    drop((sessions, reader));
    engine.end_point(&spec).unwrap();
}

/// A failed statement rolls back its transaction and leaves the session usable.
pub fn a_statement_that_fails_takes_its_transaction_with_it(under_test: &EngineUnderTest<'_>, table: &str) {
    let engine = (under_test.open)();
    let mut session = opened(&*engine, 0, &statements(table));
    let session = session.as_mut();
    let before = quantities(session, 3);
    assert_eq!(execute(session, WRITE, &[Value::Int(1), Value::Int(before[0] + 1)], true).unwrap().rows, 1);
    assert_eq!(quantities(session, 3)[0], before[0] + 1, "it sees what it has done");
    // The row exists already.
    execute(session, FAIL, &[Value::Int(2)], false).unwrap_err();
    session.execute(&Request::Rollback).unwrap();
    assert_eq!(quantities(session, 3), before);
    assert_eq!(execute(session, WRITE, &[Value::Int(1), Value::Int(before[0] + 1)], false).unwrap().rows, 1);
    // It was a transaction of its own, so there is nothing to roll back.
    session.execute(&Request::Rollback).unwrap();
    assert_eq!(quantities(session, 3)[0], before[0] + 1);
    give_back(session, &before);
}
