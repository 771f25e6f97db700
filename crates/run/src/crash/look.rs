//! What is there after a cut: the rows of a cut, and what the server's own checks say.

use dbdyno_engine::{Engine, EngineError};
use dbdyno_model::Judged;
use dbdyno_workload::crash::{Acknowledged, Found, StoredRow, StoredSession, TABLES, judge, judge_rows, unanswered};
use dbdyno_workload::{Dialect, TargetWorkload};

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
    let stray = TargetWorkload::new(engine, dialect).ask("stray", &[i64::from(last)])?;
    let others = stray.first().and_then(|row| row.first()?.parse().ok());
    let unclear = || EngineError::other("the server does not say how many rows there are of no cut");
    Ok(all.with_strangers(others.ok_or_else(unclear)?))
}

fn found(engine: &dyn Engine, dialect: &Dialect, cut: u32) -> Result<Found, EngineError> {
    let (mut found, target) = (Found::default(), TargetWorkload::new(engine, dialect));
    let number = |row: &[String], at: usize| row.get(at).and_then(|text| text.parse().ok()).unwrap_or(i64::MIN);
    for table in 0..TABLES {
        let rows = target.ask(&format!("read_{}", table + 1), &[i64::from(cut)])?;
        found.rows.extend(rows.into_iter().map(|row| StoredRow {
            table,
            session: number(&row, 0),
            seq: number(&row, 1),
            part: number(&row, 2),
            checksum: number(&row, 3),
            body: row.get(4).cloned().unwrap_or_default(),
        }));
    }
    let sessions = target.ask("read_sessions", &[i64::from(cut)])?;
    found.sessions.extend(sessions.into_iter().map(|row| StoredSession {
        session: number(&row, 0),
        last_seq: number(&row, 1),
        rows: number(&row, 2),
    }));
    Ok(found)
}

/// Compares the statements that a log has with what was acknowledged before a cut, and with what the tables have of
/// transactions without an answer. Those of other cuts do not count.
///
/// # Errors
/// The engine's error.
pub(crate) fn logged(
    engine: &dyn Engine,
    dialect: &Dialect,
    acknowledged: &Acknowledged,
    statements: &[String],
) -> Result<Judged, EngineError> {
    let mut rows = Vec::new();
    for table in 0..TABLES {
        let written = dialect.text(&format!("client insert_{}", table + 1))?.sql;
        rows.extend(statements.iter().filter_map(|statement| stored_row(table, &values(&written, statement)?)));
    }
    let of_cut = rows.into_iter().filter(|(cut, _)| *cut == i64::from(acknowledged.cut)).map(|(_, row)| row);
    let logged: Vec<StoredRow> = of_cut.collect();
    let stored = found(engine, dialect, acknowledged.cut)?.rows;
    let [in_log, in_tables] = [&logged, &stored].map(|rows| unanswered(acknowledged, rows));
    let mut judged = judge_rows(acknowledged, &logged);
    for session in in_log.symmetric_difference(&in_tables) {
        let has = if in_log.contains(session) { "the log alone" } else { "the tables alone" };
        judged.disagreements += 1;
        judged.tell(|| format!("{has} has the commit of session {session} that was not answered"));
    }
    Ok(judged)
}

/// The row that is inserted with these values, and its cut.
fn stored_row(table: usize, values: &[&str]) -> Option<(i64, StoredRow)> {
    let [cut, session, seq, part, checksum, body] = values else { return None };
    let number = |text: &str| text.parse().ok();
    let body = body.trim_matches('\'').to_owned();
    let [cut, session, seq, part, checksum] = [cut, session, seq, part, checksum].map(|text| number(text));
    Some((cut?, StoredRow { table, session: session?, seq: seq?, part: part?, checksum: checksum?, body }))
}

/// The values of a statement that was sent with places for them (`:1`, `:2`, in this order), if it is this statement.
/// None of them has in it what comes behind its place.
fn values<'s>(with_places: &str, statement: &'s str) -> Option<Vec<&'s str>> {
    let mut parts = with_places.split(':');
    let mut rest = statement.strip_prefix(parts.next()?)?;
    let mut values = Vec::new();
    for part in parts {
        let behind = part.trim_start_matches(|c: char| c.is_ascii_digit());
        let end = if behind.is_empty() { rest.len() } else { rest.find(behind)? };
        values.push(rest.get(..end)?);
        rest = rest.get(end + behind.len()..)?;
    }
    rest.is_empty().then_some(values)
}

/// What the server's own checks find wrong, in words; `Err` has why they could not be made.
pub(crate) fn check(engine: &dyn Engine, dialect: &Dialect) -> Result<Vec<String>, EngineError> {
    let mut wrong = Vec::new();
    for name in dialect.named("check") {
        let said = TargetWorkload::new(engine, dialect).ask(&name, &[])?;
        wrong.extend(said.into_iter().filter_map(|mut row| row.pop()).filter(|text| !text.eq_ignore_ascii_case(WELL)));
    }
    Ok(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_those_of_this_statement_alone() {
        let sent = "INSERT INTO t (a, b) VALUES (:1, :2)";
        assert_eq!(values(sent, "INSERT INTO t (a, b) VALUES (17, 'ab')"), Some(vec!["17", "'ab'"]));
        for other in
            ["INSERT INTO u (a, b) VALUES (17, 'ab')", "INSERT INTO t (a, b) VALUES (17)", "", "INSERT INTO t (a"]
        {
            assert_eq!(values(sent, other), None, "{other}");
        }
        assert_eq!(values(sent, "INSERT INTO t (a, b) VALUES (17, 'ab'), (18, 'c')"), None);
    }
}
