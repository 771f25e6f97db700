//! Every statement that a test or a load would run, for review or by hand.

use super::{DIALECT, TABLE_NAMES, about_table, index_statements, procedure, shape_statement, table_name};
use dbdyno_engine::EngineError;
use dbdyno_engine::procedure::is_told;
use dbdyno_engine::server::example::Script;
use dbdyno_model::{Mapping, Size, Test};

/// The statements of a test.
///
/// # Errors
/// A statement cannot be filled in.
pub(super) fn of_test(test: &Test, size: &Size) -> Result<String, EngineError> {
    let mapping = DIALECT.mapping(test);
    let mut script = Script::of(test, size, &mapping);
    if matches!(mapping, Mapping::None { .. }) {
        return Ok(script.text());
    }
    let procedure = procedure::of(test, 0)?;
    for statement in procedure::load_table(&procedure) {
        about(&mut script, statement, &procedure.fill("{load}")?)?;
    }
    let (ends, begins): (Vec<&str>, Vec<&str>) = procedure::around(test).iter().partition(|name| **name == "commit");
    for statement in begins.into_iter().chain([procedure.statement]).chain(ends) {
        let sql = procedure.fill(&DIALECT.get(&format!("procedures/{statement}"))?.text)?;
        one(&mut script, "procedures", statement, &sql)?;
    }
    if let Some((statement, sql)) = procedure::verifies(&procedure)? {
        one(&mut script, "procedures", statement, &sql)?;
    }
    if test.procedure.has_client_form() {
        let brackets = if test.procedure.writes() { "the same brackets" } else { "no transaction around them" };
        script.heading(&format!("the client drive executes the same statement, one a call, with {brackets}"));
    }
    Ok(script.text())
}

/// The statements that create the schema.
///
/// # Errors
/// A statement cannot be filled in.
pub(super) fn of_schema(size: &Size) -> Result<String, EngineError> {
    let mut script = Script::begin("-- The schema on SQLite. Rows come from dbdyno's generator.\n");
    one(&mut script, "tables", "create_meta", &DIALECT.get("tables/create_meta")?.text)?;
    for table in TABLE_NAMES {
        script.table(table, size);
        let create = [shape_statement(table.organisation()), "insert_row"];
        for statement in create.iter().chain(index_statements(table.organisation())) {
            about(&mut script, statement, &table_name(table))?;
        }
    }
    Ok(script.text())
}

fn about(script: &mut Script, name: &str, table: &str) -> Result<(), EngineError> {
    one(script, "tables", name, &about_table(name, table)?)
}

fn one(script: &mut Script, file: &str, name: &str, sql: &str) -> Result<(), EngineError> {
    script.heading(name);
    let notes = DIALECT.get(&format!("{file}/{name}"))?.notes.iter().filter(|(key, _)| is_told(key));
    script.lines(notes.map(|(key, note)| format!("-- {key}: {note}")));
    script.line(sql);
    Ok(())
}
