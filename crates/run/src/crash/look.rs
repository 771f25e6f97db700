//! What is there after a cut: the rows of a cut, and what the server's own checks say.

use dbdyno_engine::{Engine, EngineError};
use dbdyno_model::Judged;
use dbdyno_workload::crash::{Acknowledged, Found, StoredRow, StoredSession, TABLES, judge};
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

/// What the server's own checks find wrong, in words; `Err` has why they could not be made.
pub(crate) fn check(engine: &dyn Engine, dialect: &Dialect) -> Result<Vec<String>, EngineError> {
    let mut wrong = Vec::new();
    for name in dialect.named("check") {
        let said = TargetWorkload::new(engine, dialect).ask(&name, &[])?;
        wrong.extend(said.into_iter().filter_map(|mut row| row.pop()).filter(|text| !text.eq_ignore_ascii_case(WELL)));
    }
    Ok(wrong)
}
