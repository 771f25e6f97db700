//! Every statement that a test or a load would run, for review or by hand: the mariadb client takes it as it is.

use super::client::{BEGIN, COMMIT, written};
use super::{TABLE_NAMES, layout, procedure};
use crate::DIALECT;
use dbdyno_engine::EngineError;
use dbdyno_engine::server::call::{SUMS, arguments};
use dbdyno_engine::server::compression;
use dbdyno_engine::server::example::{self, Script};
use dbdyno_model::{Mapping, Size, Test};

/// Statements of an example's transaction that stand for all.
const SHOWN: u64 = 2;

/// Variables that take a procedure's sums.
const SUM_VARIABLES: [&str; SUMS] = ["@ops", "@rows", "@bytes", "@checksum"];

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
    let (procedure, spec) = (procedure::of(test)?, example::spec(test, size));
    let ended = |statements: Vec<String>| statements.into_iter().map(|sql| format!("{sql};"));
    let always = ["SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED", "SET SESSION max_sp_recursion_depth = 255"];
    script.heading("the session's settings");
    script.lines(ended(always.map(str::to_owned).into_iter().chain(procedure.set(&spec)?).collect()));
    script.part("what the point fills", ended(procedure::shared(&procedure)?));
    script.describe(&procedure)?;
    script.lines(ended(procedure.drops()?));
    script.line("DELIMITER //");
    script.lines(procedure.creates()?.into_iter().map(|sql| format!("{sql}//")));
    script.line("DELIMITER ;");
    script.cached_tables(test, "into the cache, by a session of its own");
    script.plan(&procedure, &spec, "must be", |explain| format!("{explain};"))?;
    script.heading(example::ONE_PASS);
    script.line(format!("SET {};", SUM_VARIABLES.map(|variable| format!("{variable} = 0")).join(", ")));
    let numbers = arguments(&spec, 0, 0, 1).map(|n| n.to_string()).into_iter();
    let call = procedure.rules()?.call_with(&procedure.name, numbers.chain(SUM_VARIABLES.map(str::to_owned)));
    script.line(format!("{call};"));
    script.lines(ended(procedure::after_pass(&procedure, 0)?.into_iter().flatten().collect()));
    script.line(format!("SELECT {};", SUM_VARIABLES.join(", ")));
    if test.procedure.has_client_form() {
        script.line(example::client_heading(&spec));
        if test.executions_per_op(spec.rows_per_tx) > SHOWN {
            script.line(format!("-- ({SHOWN} of them)"));
        }
        script.line("SET SESSION autocommit = 1;");
        script.lines(ended(procedure.client_form()?.example(&spec, SHOWN, [BEGIN, COMMIT], written)?));
    }
    script.heading(example::CLEANUP);
    script.lines(ended(procedure.drops()?));
    script.lines(ended(procedure.discards(&procedure.made_by_all(1, 1)?)?));
    Ok(script.text())
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
    let mut script =
        Script::begin("-- First what an administrator runs, then what dbdyno runs as the user that is made there.\n\n");
    script.line(&DIALECT.get("setup/setup")?.text);
    script.line("\n-- The client ends here. What follows is for reading: `dbdyno load` runs it, and fills the tables.");
    script.line("\\q\n");
    let meta = DIALECT.get("tables/create_meta")?;
    script.line(format!("-- {}", meta.notes.get("what").map_or("", String::as_str)));
    script.line(format!("{};", meta.text));
    for table in TABLE_NAMES {
        script.table(table, size);
        let create = layout::create(table.name(), table.organisation(), compression(table))?;
        script.line(format!("{create};"));
    }
    Ok(script.text())
}
