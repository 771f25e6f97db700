//! Every statement that a test or a load would run, for review or by hand.

use super::{TABLE_NAMES, mapping, procedure, shape_statement, table_name};
use crate::DIALECT;
use dbdyno_engine::EngineError;
use dbdyno_engine::procedure::is_told;
use dbdyno_engine::server::example::Script;
use dbdyno_model::{Mapping, Organisation, ProcedureShape, Size, Test};
use std::fmt::Write;

/// The statements of a test.
///
/// # Errors
/// A statement cannot be filled in.
pub(super) fn of_test(test: &Test, size: &Size) -> Result<String, EngineError> {
    let mapping = mapping(test);
    let mut text = Script::of(test, size, &mapping).text();
    if matches!(mapping, Mapping::None { .. }) {
        return Ok(text);
    }
    let procedure = procedure::of(test, 0)?;
    if matches!(test.procedure.shape, ProcedureShape::Insert | ProcedureShape::Load) {
        let (organisation, table) = (procedure.table.organisation(), procedure.fill("{load}")?);
        let mut create = vec![shape_statement(organisation)];
        if test.procedure.shape == ProcedureShape::Insert {
            create.push("index_customer");
            if organisation != Organisation::Iot {
                create.push("index_primary");
            }
        }
        for statement in create {
            one(&mut text, "tables", statement, &DIALECT.fill(&format!("tables/{statement}"), &[("table", &table)])?)?;
        }
    }
    let (ends, begins): (Vec<&str>, Vec<&str>) = procedure::around(test).iter().partition(|name| **name == "commit");
    for statement in begins.into_iter().chain([procedure.statement]).chain(ends) {
        let sql = procedure.fill(&DIALECT.get(&format!("procedures/{statement}"))?.text)?;
        one(&mut text, "procedures", statement, &sql)?;
    }
    if let Some((statement, sql)) = procedure::verifies(&procedure)? {
        one(&mut text, "procedures", statement, &sql)?;
    }
    if test.procedure.has_client_form() {
        let brackets = if test.procedure.writes() { "the same brackets" } else { "no transaction around them" };
        line_of(
            &mut text,
            format_args!("\n-- the client drive executes the same statement, one a call, with {brackets}"),
        );
    }
    Ok(text)
}

/// The statements that create the schema.
///
/// # Errors
/// A statement cannot be filled in.
pub(super) fn of_schema(size: &Size) -> Result<String, EngineError> {
    let mut text = "-- The schema on SQLite. Rows come from dbdyno's generator.\n".to_owned();
    one(&mut text, "tables", "create_meta", &DIALECT.get("tables/create_meta")?.text)?;
    for table in TABLE_NAMES {
        let name = table_name(table);
        line_of(&mut text, format_args!("\n-- {table}: {} rows at size {}", table.rows(size), size.id));
        let mut statements = vec![shape_statement(table.organisation()), "insert_row"];
        if table.organisation() != Organisation::Iot {
            statements.push("index_primary");
        }
        statements.push("index_customer");
        for statement in statements {
            one(&mut text, "tables", statement, &DIALECT.fill(&format!("tables/{statement}"), &[("table", &name)])?)?;
        }
    }
    Ok(text)
}

fn one(text: &mut String, file: &str, name: &str, sql: &str) -> Result<(), EngineError> {
    line_of(text, format_args!("\n-- {name}"));
    for (key, note) in DIALECT.get(&format!("{file}/{name}"))?.notes.iter().filter(|(key, _)| is_told(key)) {
        line_of(text, format_args!("-- {key}: {note}"));
    }
    line_of(text, format_args!("{sql}"));
    Ok(())
}

fn line_of(text: &mut String, line: std::fmt::Arguments<'_>) {
    // Writing to a String cannot fail.
    _ = writeln!(text, "{line}");
}
