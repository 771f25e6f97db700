//! Which statements a test is made of: the one place that says so, for running them, for printing them and for checking
//! their plans.

use super::{DIALECT, TABLE_NAMES, index_statements, shape_statement, table_name};
use dbdyno_engine::EngineError;
use dbdyno_engine::procedure::{MADE_BY_POINTS, ProcedureSpec};
use dbdyno_model::{ErrorClass, ProcedureShape, Test};

/// The procedure of a test, for all of its jobs.
///
/// # Errors
/// `Unsupported` where SQLite has no such table or no such procedure.
pub(super) fn of_point(test: &Test) -> Result<ProcedureSpec, EngineError> {
    if let Some(table) = test.table.filter(|table| !TABLE_NAMES.contains(table)) {
        let message = format!("{}: SQLite has no table {table}", test.code);
        return Err(EngineError::new(ErrorClass::Unsupported, message));
    }
    let procedure = ProcedureSpec::of(&DIALECT, test)?;
    let load = format!("dbdyno_{MADE_BY_POINTS}{}", procedure.table.organisation().name());
    let table = table_name(procedure.table);
    Ok(procedure.with("load", load).with("table", table))
}

/// The procedure of a test for one of its jobs: `{load}` is the table that it fills, `{index}` the index that it
/// builds.
///
/// # Errors
/// As for [`of_point`].
pub(super) fn of(test: &Test, job: u32) -> Result<ProcedureSpec, EngineError> {
    let mut procedure = of_point(test)?;
    for (kind, name) in procedure.made_for(job)? {
        procedure = procedure.with(if kind == "index" { "index" } else { "load" }, name);
    }
    Ok(procedure)
}

/// The statements that make a table which jobs fill: those of inserts have indexes.
pub(super) fn load_table(procedure: &ProcedureSpec) -> Vec<&'static str> {
    let (organisation, mut statements) = (procedure.table.organisation(), Vec::new());
    let shape = procedure.test.procedure.shape;
    if matches!(shape, ProcedureShape::Insert | ProcedureShape::Load) {
        statements.push(shape_statement(organisation));
        statements.extend(index_statements(organisation).iter().rev().filter(|_| shape == ProcedureShape::Insert));
    }
    statements
}

/// Statements around the one under test, in their order: what goes before it, and what ends it.
pub(super) fn around(test: &Test) -> &'static [&'static str] {
    match test.procedure {
        procedure if procedure.shape == ProcedureShape::File => &["write_file_table", "begin_write", "commit"],
        procedure if procedure.writes() => &["begin_write", "commit"],
        procedure if procedure.rows_by.is_some() => &["begin_read", "commit"],
        _ => &[],
    }
}

/// The statement that verifies, after the timed part, what was made in it.
///
/// # Errors
/// It cannot be filled in.
pub(super) fn verifies(procedure: &ProcedureSpec) -> Result<Option<(&'static str, String)>, EngineError> {
    const NAME: &str = "verify_index";
    if procedure.test.procedure.shape != ProcedureShape::Index {
        return Ok(None);
    }
    let built_on = procedure.note("built on")?.unwrap_or_default();
    let sql = procedure.clone().with("key", built_on).fill(&DIALECT.get(&format!("procedures/{NAME}"))?.text)?;
    Ok(Some((NAME, sql)))
}
