//! Every statement that a test or a load would run, for review or by hand: psql takes it as it is.

use super::procedure::layout;
use super::{TABLE_NAMES, procedure};
use crate::DIALECT;
use dbdyno_engine::EngineError;
use dbdyno_engine::server::call::arguments;
use dbdyno_engine::server::example::{self, Script};
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
    let (procedure, spec) = (procedure::of(test)?, example::spec(test, size));
    let rules = procedure.rules()?;
    script.part("the session's settings", procedure.set(&spec)?.into_iter().map(|sql| format!("{sql};")));
    // The newest version, then what others differ in.
    for (versions, version) in [("from version 14 on", u64::MAX), ("version 13", 130_000)] {
        let settings = procedure.settings_of_version(&spec, version)?;
        script.lines(settings.iter().map(|setting| format!("-- {versions}: {};", rules.setting(setting))));
    }
    script.part("what the point fills", procedure::shared(&procedure)?);
    script.describe(&procedure)?;
    script.lines(procedure.creates()?);
    script.cached_tables(test, "into the cache, by sessions of their own");
    script.plan(&procedure, &spec, "must be", str::to_owned)?;
    if test.procedure.has_client_form() {
        script.heading("the client drive has no procedure: it sends this, prepared, for each key");
        let client = procedure.client_form()?;
        script.lines(client.texts[0].sql.lines().map(|sql| format!("-- {}", sql.trim())));
    }
    script.heading(example::ONE_PASS);
    let numbers = arguments(&spec, 0, 0, 1).map(|n| n.to_string()).into_iter();
    script.line(format!("{};", rules.call_with(&procedure.name, numbers)));
    script.heading(example::CLEANUP);
    script.lines(procedure.discards(&procedure.made_by_all(1, 1)?)?);
    script.lines(procedure.drops()?);
    Ok(script.text())
}

/// The statements that create the schema, after those with which an administrator makes room for it.
///
/// # Errors
/// A statement cannot be filled in.
pub(super) fn of_schema(size: &Size) -> Result<String, EngineError> {
    let mut script =
        Script::begin("-- First what an administrator runs, then what dbdyno runs as the user that it makes.\n\n");
    script.line(&DIALECT.get("setup/setup")?.text);
    script.line("\n-- psql ends here. What follows is for reading: `dbdyno load` runs it, and fills the tables.");
    script.line("\\quit\n\nSET ROLE dbdyno;");
    script.line("\n-- The schema on PostgreSQL. Rows come from dbdyno's generator, by COPY in binary.");
    let (create_schema, meta) = (&DIALECT.get("tables/create_schema")?.text, DIALECT.get("tables/create_meta")?);
    script.line(format!("-- Where the administrator's part is left out: {create_schema}"));
    script.heading("create_meta");
    script.lines(meta.notes.iter().map(|(key, note)| format!("-- {key}: {note}")));
    script.line(&meta.text);
    for table in TABLE_NAMES {
        let (name, organisation) = (table.name(), table.organisation());
        script.table(table, size);
        script.lines(layout::create(name, organisation)?);
        script.heading(&format!("after the rows of {table}"));
        for relation in layout::relations(name, organisation) {
            script.lines(layout::index(&relation, organisation)?);
        }
        script.line(DIALECT.fill("statistics/vacuum_freeze", &[("relation", name)])?);
    }
    Ok(script.text())
}
