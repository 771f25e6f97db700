//! Every statement that a test or a load would run, for review or by hand.

use super::procedure::ProcedureSpec;
use super::{TABLE_NAMES, mapping, shape_statement, table_name};
use crate::DIALECT;
use dbdyno_engine::EngineError;
use dbdyno_model::{Mapping, Organisation, Procedure, Size, Test};
use std::fmt::Write;

/// The statements of a test.
///
/// # Errors
/// A statement cannot be filled in.
pub(super) fn of_test(test: &Test, size: &Size) -> Result<String, EngineError> {
    let mapping = mapping(test);
    let mut text = format!("-- {}: {}\n", test.code, test.title);
    let line = match mapping.note() {
        Some(note) => format!("-- {}: {note}\n", mapping.kind()),
        None => format!("-- {}\n", mapping.kind()),
    };
    text.push_str(&line);
    if matches!(mapping, Mapping::None { .. }) {
        return Ok(text);
    }
    let procedure = ProcedureSpec::of(test, 0)?;
    if let Some(table) = test.table {
        line_of(&mut text, format_args!("-- size {}: {} rows in {table}", size.id, table.rows(size)));
    }
    if matches!(test.procedure, Procedure::Insert | Procedure::BulkLoad) {
        let organisation = test.table.map_or(Organisation::Heap, |t| t.organisation());
        let table = super::procedure::load_table(test, 0);
        let mut create = vec![shape_statement(organisation)];
        if test.procedure == Procedure::Insert {
            create.push("index_customer");
            if organisation != Organisation::Iot {
                create.push("index_primary");
            }
        }
        for statement in create {
            one(&mut text, "tables", statement, &DIALECT.fill(&format!("tables/{statement}"), &[("table", &table)])?)?;
        }
    }
    let mut statements: Vec<&str> = procedure.around.iter().copied().filter(|s| *s != "commit").collect();
    statements.push(procedure.statement);
    statements.extend(procedure.around.iter().filter(|s| **s == "commit"));
    statements.extend(procedure.verify);
    for statement in statements {
        one(&mut text, "procedures", statement, &procedure.fill(statement)?)?;
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
    for (key, note) in DIALECT.get(&format!("{file}/{name}"))?.notes.iter().filter(|(key, _)| !key.starts_with("plan"))
    {
        line_of(text, format_args!("-- {key}: {note}"));
    }
    line_of(text, format_args!("{sql}"));
    Ok(())
}

fn line_of(text: &mut String, line: std::fmt::Arguments<'_>) {
    // Writing to a String cannot fail.
    _ = writeln!(text, "{line}");
}
