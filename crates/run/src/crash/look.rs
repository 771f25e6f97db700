//! What is there after a cut: the rows of a cut, and what the server's own checks say.

use dbdyno_engine::client::{Answer, Bound, PrepareWhen, Statements, Value, Values};
use dbdyno_engine::{Engine, EngineError, Request};
use dbdyno_model::CommitMode;
use dbdyno_workload::Dialect;
use dbdyno_workload::crash::{Acknowledged, Found, Judged, StoredRow, StoredSession, TABLES, judge};

/// Texts of the last column of a check that say that all is well; no rows say that, too.
const WELL: &str = "ok";

/// Reads what is there of each of these cuts, compares, and adds up. `last` is the last one that sessions have worked
/// before; what is there of later ones, or of none, is from nowhere.
///
/// # Errors
/// The engine's error: a table that is missing, too.
pub(crate) fn look(
    engine: &dyn Engine,
    dialect: &Dialect,
    cuts: &[Acknowledged],
    last: u32,
) -> Result<Judged, EngineError> {
    let mut all = Judged::default();
    for acknowledged in cuts {
        all = all.and(judge(acknowledged, &found(engine, dialect, acknowledged.cut)?));
    }
    let stray = ask(engine, dialect, "stray", &[i64::from(last)])?;
    let others = stray.first().and_then(|row| row.first()?.parse().ok());
    let unclear = || EngineError::other("the server does not say how many rows there are of no cut");
    Ok(all.with_strangers(others.ok_or_else(unclear)?))
}

fn found(engine: &dyn Engine, dialect: &Dialect, cut: u32) -> Result<Found, EngineError> {
    let mut found = Found::default();
    let number = |row: &[String], at: usize| row.get(at).and_then(|text| text.parse().ok()).unwrap_or(i64::MIN);
    for table in 0..TABLES {
        let rows = ask(engine, dialect, &format!("read_{}", table + 1), &[i64::from(cut)])?;
        found.rows.extend(rows.into_iter().map(|row| StoredRow {
            table,
            session: number(&row, 0),
            seq: number(&row, 1),
            part: number(&row, 2),
            checksum: number(&row, 3),
            body: row.get(4).cloned().unwrap_or_default(),
        }));
    }
    let sessions = ask(engine, dialect, "read_sessions", &[i64::from(cut)])?;
    found.sessions.extend(sessions.into_iter().map(|row| StoredSession {
        session: number(&row, 0),
        last_seq: number(&row, 1),
        rows: number(&row, 2),
    }));
    Ok(found)
}

/// What the server's own checks find wrong, in words; `Err` has why they could not be made.
pub(crate) fn check(engine: &dyn Engine, dialect: &Dialect) -> Result<Vec<String>, EngineError> {
    let mut wrong = Vec::new();
    for name in dialect.named("check") {
        let said = ask(engine, dialect, &name, &[])?;
        wrong.extend(said.into_iter().filter_map(|mut row| row.pop()).filter(|text| !text.eq_ignore_ascii_case(WELL)));
    }
    Ok(wrong)
}

/// Executes the statements of a section, one after the other.
///
/// # Errors
/// The engine's error.
pub(crate) fn execute(engine: &dyn Engine, dialect: &Dialect, section: &str) -> Result<(), EngineError> {
    dialect.named(section).iter().try_for_each(|name| ask(engine, dialect, name, &[]).map(drop))
}

/// The rows of an answer, as texts.
///
/// # Errors
/// The engine's error.
pub(crate) fn ask(
    engine: &dyn Engine,
    dialect: &Dialect,
    name: &str,
    values: &[i64],
) -> Result<Vec<Vec<String>>, EngineError> {
    let mut session = engine.client_session(0, 1)?;
    let (texts, work) = (vec![dialect.text(name)?], "crash".to_owned());
    let prepared = PrepareWhen::Sent;
    session.prepare_statements(&Statements { work, texts, commit: CommitMode::Durable, prepared })?;
    let mut bound = Values::new();
    for value in values {
        bound.push(*value);
    }
    let request = Request::Statement(Bound { statement: 0, values: &bound, times: 1, opens: false });
    session.execute(&request).map_err(|failure| failure.error)?;
    let rows = texts_of(session.answer());
    session.flush()?;
    Ok(rows)
}

fn texts_of(answer: &Answer) -> Vec<Vec<String>> {
    let text = |value| match value {
        Value::Text(text) => text.to_owned(),
        Value::Int(number) => number.to_string(),
        Value::Null | Value::Day(_) | Value::Cents(_) => String::new(),
    };
    let row = |row| (0..).map_while(|column| answer.get(row, column)).map(text).collect();
    (0..answer.rows()).map(row).collect()
}
