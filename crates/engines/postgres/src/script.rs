//! Every statement that a test or a load would run, for review or by hand: psql takes it as it is.

use super::procedure::{ProcedureSpec, layout};
use super::{TABLE_NAMES, mapping};
use crate::DIALECT;
use dbdyno_engine::server::call::arguments;
use dbdyno_engine::server::example::{self, line, list};
use dbdyno_engine::{EngineError, PointSpec};
use dbdyno_model::{Cache, Mapping, Size, Test};

/// The statements of a test.
///
/// # Errors
/// A statement cannot be filled in.
pub(super) fn of_test(test: &Test, size: &Size) -> Result<String, EngineError> {
    let mapping = mapping(test);
    let mut text = example::head(test, size, &mapping);
    if matches!(mapping, Mapping::None { .. }) {
        return Ok(text);
    }
    let procedure = ProcedureSpec::of(test)?;
    let spec = example::spec(test, size);
    settings(&mut text, &procedure, &spec);
    let before = procedure.creates_before()?;
    if !before.is_empty() {
        line(&mut text, format_args!("\n-- what the point fills"));
    }
    before.iter().for_each(|sql| line(&mut text, format_args!("{sql}")));
    line(&mut text, format_args!("\n-- {}", procedure.procedure()));
    for (key, note) in procedure.notes()? {
        line(&mut text, format_args!("-- {key}: {note}"));
    }
    procedure.creates()?.iter().for_each(|sql| line(&mut text, format_args!("{sql}")));
    if test.cache == Cache::Cached {
        line(&mut text, format_args!("\n-- into the cache, by sessions of their own: {}", list(procedure.reads())));
    }
    if let Some(explain) = procedure.explain()? {
        line(&mut text, format_args!("\n-- the plan of the statement under test"));
        if let Some(expected) = procedure.expected_plan(&spec)? {
            line(&mut text, format_args!("-- must be: {expected}"));
        }
        line(&mut text, format_args!("{explain}"));
    }
    if test.procedure.has_client_form() {
        line(&mut text, format_args!("\n-- the client drive has no procedure: it sends this, prepared, for each key"));
        procedure
            .client_statement()?
            .text
            .sql
            .lines()
            .for_each(|sql| line(&mut text, format_args!("-- {}", sql.trim())));
    }
    line(&mut text, format_args!("\n-- one pass of the first of one job, with the keys of an example"));
    line(&mut text, format_args!("{};", call(&procedure, &spec)));
    line(&mut text, format_args!("\n-- away with what the point has made"));
    procedure.drops_made()?.iter().for_each(|sql| line(&mut text, format_args!("{sql}")));
    procedure.drops()?.iter().for_each(|sql| line(&mut text, format_args!("{sql}")));
    Ok(text)
}

/// The statements that create the schema, after those with which an administrator makes room for it.
///
/// # Errors
/// A statement cannot be filled in.
pub(super) fn of_schema(size: &Size) -> Result<String, EngineError> {
    let mut text =
        "-- First what an administrator runs, then what dbdyno runs as the user that it makes.\n\n".to_owned();
    line(&mut text, format_args!("{}", DIALECT.get("setup/setup")?.text));
    line(
        &mut text,
        format_args!("\n-- psql ends here. What follows is for reading: `dbdyno load` runs it, and fills the tables."),
    );
    line(&mut text, format_args!("\\quit\n\nSET ROLE dbdyno;"));
    line(
        &mut text,
        format_args!("\n-- The schema on PostgreSQL. Rows come from dbdyno's generator, by COPY in binary."),
    );
    line(
        &mut text,
        format_args!("-- Where the administrator's part is left out: {}", DIALECT.get("tables/create_schema")?.text),
    );
    one(&mut text, "tables/create_meta")?;
    for table in TABLE_NAMES {
        let (name, organisation) = (table.name(), table.organisation());
        line(&mut text, format_args!("\n-- {table}: {} rows at size {}", table.rows(size), size.id));
        layout::create(name, organisation)?.iter().for_each(|sql| line(&mut text, format_args!("{sql}")));
        line(&mut text, format_args!("\n-- after the rows of {table}"));
        for relation in layout::leaves(name, organisation).into_iter().chain(layout::parents(name, organisation)) {
            layout::index(&relation, organisation)?.iter().for_each(|sql| line(&mut text, format_args!("{sql}")));
        }
        let vacuum = DIALECT.fill("statistics/vacuum_freeze", &[("relation", name)])?;
        line(&mut text, format_args!("{vacuum}"));
    }
    Ok(text)
}

fn settings(text: &mut String, procedure: &ProcedureSpec, spec: &PointSpec) {
    line(text, format_args!("\n-- the session's settings"));
    for (name, value) in procedure.settings(spec) {
        line(text, format_args!("SET {name} = '{value}';"));
    }
    // The newest version, then what others differ in.
    for (name, value) in procedure.settings_of_version(u32::MAX) {
        line(text, format_args!("-- from version 14 on: SET {name} = '{value}';"));
    }
    for (name, value) in procedure.settings_of_version(130_000) {
        line(text, format_args!("-- version 13: SET {name} = '{value}';"));
    }
}

/// The call with its arguments written out.
fn call(procedure: &ProcedureSpec, spec: &PointSpec) -> String {
    let mut call = procedure.call();
    // From the last to the first, so that $1 is not found in $10.
    for (n, argument) in arguments(spec, 0, 0, 1).iter().enumerate().rev() {
        call = call.replace(&format!("${}::bigint", n + 1), &argument.to_string());
    }
    call
}

fn one(text: &mut String, name: &str) -> Result<(), EngineError> {
    line(text, format_args!("\n-- {}", name.rsplit('/').next().unwrap_or(name)));
    let statement = DIALECT.get(name)?;
    statement.notes.iter().for_each(|(key, note)| line(text, format_args!("-- {key}: {note}")));
    line(text, format_args!("{}", statement.text));
    Ok(())
}
