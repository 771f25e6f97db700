//! Every statement that a test or a load would run, for review or by hand: the mariadb client takes it as it is.

use super::client::{Form, SHOWN};
use super::procedure::ProcedureSpec;
use super::{TABLE_NAMES, layout, mapping};
use crate::DIALECT;
use dbdyno_engine::EngineError;
use dbdyno_engine::server::call::{SUMS, arguments};
use dbdyno_engine::server::example::{self, head, line, list};
use dbdyno_model::{Cache, Drive, Mapping, Size, Test};

/// Variables that take a procedure's sums.
const SUM_VARIABLES: [&str; SUMS] = ["@ops", "@rows", "@bytes", "@checksum"];

/// The statements of a test.
///
/// # Errors
/// A statement cannot be filled in.
pub(super) fn of_test(test: &Test, size: &Size) -> Result<String, EngineError> {
    let mapping = mapping(test);
    let mut text = head(test, size, &mapping);
    if matches!(mapping, Mapping::None { .. }) {
        return Ok(text);
    }
    let procedure = ProcedureSpec::of(test)?;
    line(&mut text, format_args!("\n-- the session's settings"));
    line(&mut text, format_args!("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED;"));
    line(&mut text, format_args!("SET SESSION max_sp_recursion_depth = 255;"));
    for (name, value) in procedure.settings(Drive::Server) {
        line(&mut text, format_args!("SET SESSION {name} = {value};"));
    }
    let before = procedure.creates_before()?;
    if !before.is_empty() {
        line(&mut text, format_args!("\n-- what the point fills"));
    }
    before.iter().for_each(|sql| line(&mut text, format_args!("{sql};")));
    line(&mut text, format_args!("\n-- {}", procedure.procedure()));
    for (key, note) in procedure.notes()? {
        line(&mut text, format_args!("-- {key}: {note}"));
    }
    procedure.drops()?.iter().for_each(|sql| line(&mut text, format_args!("{sql};")));
    line(&mut text, format_args!("DELIMITER //"));
    procedure.creates()?.iter().for_each(|sql| line(&mut text, format_args!("{sql}//")));
    line(&mut text, format_args!("DELIMITER ;"));
    if test.cache == Cache::Cached {
        line(&mut text, format_args!("\n-- into the cache, by a session of its own: {}", list(procedure.reads())));
    }
    if let Some(explain) = procedure.explain()? {
        line(&mut text, format_args!("\n-- the plan of the statement under test"));
        if let Some(expected) = procedure.expected_plan()? {
            line(&mut text, format_args!("-- must be: {expected}"));
        }
        line(&mut text, format_args!("{explain};"));
    }
    line(&mut text, format_args!("\n-- one pass of the first of one job, with the keys of an example"));
    let zero = SUM_VARIABLES.map(|variable| format!("{variable} = 0")).join(", ");
    line(&mut text, format_args!("SET {zero};"));
    let numbers = arguments(&example::spec(test, size), 0, 0, 1).map(|n| n.to_string()).join(", ");
    let sums = SUM_VARIABLES.join(", ");
    line(&mut text, format_args!("CALL {}({numbers}, {sums});", procedure.procedure()));
    if let Some(after) = procedure.after_pass(0)? {
        after.iter().for_each(|sql| line(&mut text, format_args!("{sql};")));
    }
    line(&mut text, format_args!("SELECT {sums};"));
    if test.procedure.has_client_form() {
        let spec = example::spec(test, size);
        line(&mut text, format_args!("{}", example::client_heading(&spec)));
        if test.executions_per_op(spec.rows_per_tx) > SHOWN {
            line(&mut text, format_args!("-- ({SHOWN} of them)"));
        }
        line(&mut text, format_args!("SET SESSION autocommit = 1;"));
        Form::of(&procedure, &spec)?.example(&spec)?.iter().for_each(|sql| line(&mut text, format_args!("{sql};")));
    }
    line(&mut text, format_args!("\n-- away with what the point has made"));
    procedure.drops()?.iter().for_each(|sql| line(&mut text, format_args!("{sql};")));
    procedure.drops_made()?.iter().for_each(|sql| line(&mut text, format_args!("{sql};")));
    Ok(text)
}

/// A statement with what ends it: one with statements inside is ended by another delimiter than they are.
pub(super) fn ended(sql: &str) -> String {
    if sql.contains(';') { format!("DELIMITER //\n{sql}//\nDELIMITER ;") } else { format!("{sql};") }
}

/// The statements that create the schema, after those with which an administrator makes room for it.
///
/// # Errors
/// A statement cannot be filled in.
pub(super) fn of_schema(size: &Size) -> Result<String, EngineError> {
    let mut text =
        "-- First what an administrator runs, then what dbdyno runs as the user that is made there.\n\n".to_owned();
    line(&mut text, format_args!("{}", DIALECT.get("setup/setup")?.text));
    line(
        &mut text,
        format_args!(
            "\n-- The client ends here. What follows is for reading: `dbdyno load` runs it, and fills the tables."
        ),
    );
    line(&mut text, format_args!("\\q\n"));
    let meta = DIALECT.get("tables/create_meta")?;
    line(&mut text, format_args!("-- {}", meta.notes.get("what").map_or("", String::as_str)));
    line(&mut text, format_args!("{};", meta.text));
    for table in TABLE_NAMES {
        line(&mut text, format_args!("\n-- {table}: {} rows at size {}", table.rows(size), size.id));
        let create = layout::create(table.name(), table.organisation(), layout::Pages::of(table))?;
        line(&mut text, format_args!("{create};"));
    }
    Ok(text)
}
