//! What every engine with procedures must do for work that calls them: output values come back in one row as the call
//! declares them, and a failed call leaves a usable session.

use super::EngineUnderTest;
use dbdyno_engine::client::{Bound, PrepareWhen, StatementText, Statements, Value, ValueType, Values};
use dbdyno_engine::{ChunkResult, Engine, Failure, Request, Session};
use dbdyno_model::{CommitMode, ErrorClass};

const ECHO: usize = 0;
const ADD_AND_COMMIT: usize = 1;
/// Its parameters are out of order.
const TURNED: usize = 2;
/// It declares another type for its output.
const MISTAKEN: usize = 3;
const READ: usize = 4;
/// Its procedure has no output values, but selects on some databases.
const MUTE: usize = 5;

/// The text of a call; `name` gives the SQL name of a procedure or table of dbdyno's.
fn call(name: &dyn Fn(&str) -> String, procedure: &str, places: &str, outputs: &[ValueType]) -> StatementText {
    StatementText { outputs: outputs.to_vec(), ..format!("CALL {}({places})", name(procedure)).into() }
}

fn statements(name: &dyn Fn(&str) -> String) -> Statements {
    use ValueType::{Cents, Day, Int, Text};
    let texts = vec![
        call(name, "echo", ":1, :2, :3, :4, :5, :6, :7, :8", &[Int, Day, Cents, Text]),
        call(name, "add_and_commit", ":1, :2, :3", &[Int]),
        call(name, "echo", ":4, :3, :2, :1, :5, :6, :7, :8", &[Int, Day, Cents, Text]),
        call(name, "echo", ":1, :2, :3, :4, :5, :6, :7, :8", &[Int, Day, Cents, Cents]),
        format!("SELECT quantity FROM {} WHERE id = :1", name("small_heap")).into(),
        call(name, "mute", ":1, :2", &[Int]),
    ];
    Statements { work: "calls".to_owned(), texts, commit: CommitMode::Durable, prepared: PrepareWhen::Beforehand }
}

/// The call of `take_row`, as the only statement of the work.
pub fn taking_rows(name: &dyn Fn(&str) -> String) -> Statements {
    let texts = vec![call(name, "take_row", ":1, :2", &[ValueType::Int])];
    Statements { work: "rows".to_owned(), texts, commit: CommitMode::Durable, prepared: PrepareWhen::Beforehand }
}

fn opened(engine: &dyn Engine, statements: &Statements) -> Box<dyn Session> {
    let mut session = engine.client_session(0, 1).unwrap();
    session.prepare_statements(statements).unwrap();
    session
}

fn execute(
    session: &mut dyn Session,
    statement: usize,
    given: &[Value<'_>],
    times: usize,
) -> Result<ChunkResult, Failure> {
    let mut values = Values::new();
    for value in given {
        values.push(*value);
    }
    session.execute(&Request::Statement(Bound { statement, values: &values, times, opens: false }))
}

/// The values of the answer.
fn answered(session: &dyn Session) -> Vec<Value<'_>> {
    assert_eq!(session.answer().rows(), 1);
    (0..).map_while(|column| session.answer().get(0, column)).collect()
}

/// Values go in and come out changed, each with its type, and null for null.
pub fn calls_give_their_output_values(under_test: &EngineUnderTest<'_>, name: &dyn Fn(&str) -> String) {
    let engine = (under_test.open)();
    let mut session = opened(&*engine, &statements(name));
    for n in -50..50 {
        // The procedure fails at this value.
        let number = if n == -1 { i64::from(i32::MAX) } else { n };
        let (cents, day, text) = (123 * n - 1, 20_000 + n as i32, format!("t{n} \u{e9}"));
        let mut given = [Value::Int(number), Value::Day(day), Value::Cents(cents), Value::Text(&text)];
        let after = format!("{text}!");
        let mut expected = [Value::Int(number + 1), Value::Day(day + 1), Value::Cents(cents + 1), Value::Text(&after)];
        // Now and then one of them is null, and sometimes all are.
        for (at, bit) in [1, 2, 4, 8].into_iter().enumerate() {
            if n % 3 == 0 && n & bit != 0 {
                (given[at], expected[at]) = (Value::Null, Value::Null);
            }
        }
        let (statement, given) =
            if n % 2 == 0 { (ECHO, given) } else { (TURNED, [given[3], given[2], given[1], given[0]]) };
        let done = execute(session.as_mut(), statement, &given, 1).unwrap();
        assert_eq!(answered(session.as_ref()), expected, "{given:?}");
        let sum = if let Value::Int(number) = expected[0] { number.cast_unsigned() } else { 0 };
        assert_eq!((done.ops, done.rows, done.checksum), (0, 1, sum));
    }
}

/// A failed call has a reason and leaves its session usable; invalid requests are refused.
pub fn a_call_that_fails_leaves_its_session_usable(under_test: &EngineUnderTest<'_>, name: &dyn Fn(&str) -> String) {
    let engine = (under_test.open)();
    let statements = statements(name);
    let [mut first, mut second] = [(); 2].map(|()| opened(&*engine, &statements));
    let numbers = |number| [Value::Int(number), Value::Null, Value::Null, Value::Text("x")];
    let fails = |session: &mut dyn Session, statement, number, times| {
        let given = numbers(number).repeat(times);
        execute(session, statement, &given, times).unwrap_err().error
    };
    for _ in 0..2 {
        let refused = fails(first.as_mut(), ECHO, -1, 1);
        assert_eq!(refused.class, ErrorClass::Other, "{refused}");
        assert!(refused.message.contains("echo was told to fail"), "{refused}");
        // Without a Rollback, the locks of the failed call are released.
        for session in [&mut second, &mut first] {
            execute(session.as_mut(), ECHO, &numbers(7), 1).unwrap();
            assert_eq!(answered(session.as_ref())[0], Value::Int(8));
        }
    }
    let refused = fails(first.as_mut(), MISTAKEN, 1, 1);
    assert!(refused.message.contains("output value 4, which is no Cents"), "{refused}");
    let refused = execute(first.as_mut(), MUTE, &[Value::Int(1)], 1).unwrap_err().error;
    assert!(refused.message.contains("answers with 0 rows of 0 values"), "{refused}");
    let refused = fails(first.as_mut(), ECHO, 1, 2);
    assert!(refused.message.contains("executed once a request, not 2 times"), "{refused}");
    execute(first.as_mut(), ECHO, &numbers(1), 1).unwrap();
    assert_eq!(answered(first.as_ref())[0], Value::Int(2), "it goes on");
    let mut out_of_order = statements.clone();
    out_of_order.texts[ADD_AND_COMMIT].sql = format!("CALL {}(:1, :1, :1)", name("add_and_commit"));
    let refused = first.prepare_statements(&out_of_order).unwrap_err();
    assert!(refused.message.contains("output values must stand"), "{refused}");
}

/// A procedure that commits works where no transaction is open, and its work stays.
pub fn a_call_may_commit(under_test: &EngineUnderTest<'_>, name: &dyn Fn(&str) -> String) {
    let engine = (under_test.open)();
    let [mut session, mut reader] = [(); 2].map(|()| opened(&*engine, &statements(name)));
    let mut quantity = || {
        execute(reader.as_mut(), READ, &[Value::Int(3)], 1).unwrap();
        reader.answer().int(0, 0).unwrap()
    };
    let before = quantity();
    for (add, after) in [(5, before + 5), (-5, before)] {
        execute(session.as_mut(), ADD_AND_COMMIT, &[Value::Int(3), Value::Int(add)], 1).unwrap();
        assert_eq!((session.answer().int(0, 0), quantity()), (Some(after), after));
    }
}
