//! Every statement that a test or a load would run, for review or by hand: SQL*Plus takes it as it is. Statements whose
//! values dbdyno binds, and those that it asks the server all the time, are printed for reading: SQL*Plus passes over
//! lines that begin with `-- |`.

use super::client::commit_settings;
use super::{NOTICE, layout, procedure};
use crate::DIALECT;
use dbdyno_engine::procedure::ProcedureSpec;
use dbdyno_engine::server::call::{SUMS, arguments};
use dbdyno_engine::server::example::{self, Script};
use dbdyno_engine::{EngineError, PointSpec};
use dbdyno_model::{Cache, CommitMode, Dimension, ErrorClass, Mapping, Procedure, Size, TableName, Test, TestCode};

/// What a script of SQL*Plus begins with: no text is a variable of its own, output is shown, and what fails is told. A
/// script goes on after what fails, because a part may be one that this server, or its licence, does not have.
const PREAMBLE: &str = "SET DEFINE OFF\nSET SERVEROUTPUT ON\nSET SQLBLANKLINES ON\nWHENEVER SQLERROR CONTINUE NONE";
/// Where an administrator runs the script, dbdyno's schema is the default all the same.
const SCHEMA: &str = "ALTER SESSION SET CURRENT_SCHEMA = dbdyno";
/// Marks statements that are printed for reading.
const FOR_READING: &str = "-- | ";

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
    // More than one, so that the words about them are there.
    let threads = if test.ramp.contains(&Dimension::Threads) { 2 } else { 1 };
    let (procedure, spec) = (procedure::of(test)?, PointSpec { threads, ..example::spec(test, size) });
    let all_ended = |statements: Vec<String>| statements.into_iter().map(|sql| ended(&sql));
    script.line(format!("-- {NOTICE}"));
    for part in procedure::needs(test) {
        script.line(format!("-- needs {} (--without {} leaves the test out)", part.words(), part.name()));
    }
    script.line(PREAMBLE);
    script.line(ended(SCHEMA));
    script.heading("the session's settings");
    script.lines(procedure::compiler().map(ended));
    script.lines(all_ended(procedure.set(&spec)?));
    let of_version = procedure.settings_of_version(&spec, u64::MAX)?;
    if !of_version.is_empty() {
        script.line("-- from release 18 on");
    }
    script.lines(of_version.into_iter().map(|(_, statement)| ended(&statement)));
    script.part("what the point's jobs share", all_ended(procedure::shared(&procedure, &spec)?));
    script.describe(&procedure)?;
    script.lines(all_ended(procedure::package(std::slice::from_ref(&procedure), CommitMode::Durable)?.into()));
    script.cached_tables(test, "into the cache, by a session of its own");
    for table in test.reads().into_iter().filter(|_| test.cache == Cache::Cached) {
        for name in ["statistics/warm_primary", "statistics/warm_customer"] {
            script.line(ended(&DIALECT.fill(name, &[("table", table.name())])?));
        }
    }
    script.plan(&procedure, &spec, "must have", ended)?;
    if procedure.explain(&spec)?.is_some() {
        for name in ["plan", "forget_plan"] {
            script.line(ended(&DIALECT.get(&format!("statistics/{name}"))?.text));
        }
    }
    script.heading(example::ONE_PASS);
    let numbers: Vec<String> = arguments(&spec, 0, 0, 1).iter().map(ToString::to_string).collect();
    script.line(ended(&shown_call(&procedure.name, &numbers)));
    if test.procedure.has_client_form() {
        script.line(format!("{}; for reading", example::client_heading(&spec)));
        let commits = if test.procedure.writes() { commit_settings(spec.commit) } else { &[] };
        let sent = procedure.client_form()?.texts.remove(0).sql;
        let statements = commits.iter().copied().chain([sent.as_str()]);
        let commit = test.procedure.writes().then_some("COMMIT");
        script.lines(statements.chain(commit).flat_map(|sql| reading(&ended(sql))));
    }
    script.heading(example::CLEANUP);
    script.lines(all_ended(procedure::drops_made(&procedure, &spec)?));
    script.line(ended(&procedure::drop_package()?));
    Ok(script.text())
}

/// The statements that create the schema, after those with which an administrator makes room for it, and the package
/// with every procedure.
///
/// # Errors
/// A statement cannot be filled in.
pub(super) fn of_schema(size: &Size) -> Result<String, EngineError> {
    let mut script = Script::begin(format!(
        "-- Oracle Database: {NOTICE}. The statements are checked by grammars, not by Oracle.\n\
         -- First what an administrator runs, then what dbdyno runs as the user that is made there. An administrator who goes\n\
         -- on in this script does it in dbdyno's schema. `dbdyno load` fills the tables; a script leaves them empty.\n\n\
         {PREAMBLE}\n\n"
    ));
    let all_ended = |statements: Vec<String>| statements.into_iter().map(|sql| ended(&sql));
    script.line(&DIALECT.get("setup/setup")?.text);
    script.heading("Only with a licence of the Diagnostics Pack, for runs with --diagnostics-pack:");
    script.lines(reading(&DIALECT.get("setup/diagnostics")?.text));
    script.heading("The schema");
    script.line(ended(SCHEMA));
    let meta = DIALECT.get("tables/create_meta")?;
    script.heading(meta.notes.get("what").map_or("", String::as_str));
    script.line(ended(&meta.text));
    for table in TableName::ALL {
        script.table(table, size);
        for part in layout::needs(table.organisation()) {
            script.line(format!("-- needs {} (--without {} leaves it out)", part.words(), part.name()));
        }
        script.lines(all_ended(layout::tables(table, size)?));
    }
    script.heading("Keys come when the tables are full, and statistics after them");
    for table in TableName::ALL {
        script.lines(all_ended(layout::indexes(table, LOADERS)?));
        script.line(ended(&layout::analyse(table, LOADERS)?));
    }
    script.heading("The package with every procedure; a point makes it with its own alone, and drops it");
    script.lines(procedure::compiler().map(ended));
    script.lines(all_ended(procedure::package(&every_procedure()?, CommitMode::Durable)?.into()));
    script.line(format!("SHOW ERRORS PACKAGE BODY dbdyno.{}\n", procedure::PACKAGE));
    script.line(ended(&procedure::drop_package()?));
    for (title, file) in [
        ("What dbdyno asks while it measures", "statistics"),
        ("What it asks about the server", "describe"),
        ("What it tells of the server in a run's record", "facts"),
        ("What it asks about commits", "durability"),
        ("How it loads, proves and drops", "load"),
        ("How it looks at tables again that were loaded earlier", "inspect"),
        ("How it loads by direct path", "fill"),
        ("What `dbdyno check` finds", "check"),
        ("What it asks with a licence of the Diagnostics Pack alone", "diagnostics"),
    ] {
        script.heading(&format!("{title}; for reading"));
        let file = DIALECT.file(file)?;
        for name in file.names() {
            let what = file.get(name)?.notes.get("what").map(|what| format!(": {what}")).unwrap_or_default();
            script.line(format!("-- {name}{what}"));
            script.lines(reading(&ended(&with_examples(&file.get(name)?.text))));
        }
    }
    Ok(script.text())
}

/// Processes that build an index at the end of a load, as shown.
const LOADERS: u32 = 4;

/// A text with an example for each placeholder.
fn with_examples(text: &str) -> String {
    let examples = [
        ("{table} ({columns}) VALUES ({places})", "tpcb_tellers (tid, bid) VALUES (:1, :2)"),
        (
            "{columns} FROM {table} WHERE {key} BETWEEN {from} AND {to}",
            "tid, bid FROM tpcb_tellers WHERE tid BETWEEN 1 AND 10",
        ),
        ("{table}", "small_heap_list"),
        ("{leaf}", "small_heap_list PARTITION (p3)"),
        ("{source}", "large_heap_range_list SUBPARTITION (r07_p2)"),
        ("{part}", "p3"),
        ("{view}", "v$session"),
        ("{step}", "filled"),
        ("{package}", procedure::PACKAGE),
        ("{nodes}", "1"),
        ("{threads}", "4"),
    ];
    let noted = text
        .replace("'{step} {leaf}'", "'filled small_heap_list_p3'")
        .replace("{table} TRUNCATE SUBPARTITION {part}", "large_compressed TRUNCATE SUBPARTITION r07_p2");
    examples.iter().fold(noted, |text, (name, example)| text.replace(name, example))
}

/// Every procedure, on each table that it is for.
fn every_procedure() -> Result<Vec<ProcedureSpec>, EngineError> {
    let code = TestCode::new("T111").map_err(|error| EngineError::new(ErrorClass::Other, error.to_string()))?;
    let of = |work: Procedure, table| procedure::of(&Test::plain(code.clone(), work, table, Cache::Any));
    let mut all = Vec::new();
    for work in Procedure::all() {
        match work.tables.as_slice() {
            [] => all.push(of(work, None)?),
            tables => all.extend(tables.iter().map(|table| of(work, Some(*table))).collect::<Result<Vec<_>, _>>()?),
        }
    }
    Ok(all)
}

/// The call with numbers for what is bound, and a word about what came of it.
fn shown_call(procedure: &str, numbers: &[String]) -> String {
    let sums: [&str; SUMS] = ["v_ops", "v_rows", "v_bytes", "v_checksum"];
    let declared = sums.map(|sum| format!("  {sum} NUMBER;\n")).concat();
    format!(
        "DECLARE\n{declared}BEGIN\n  {}.{procedure}({}, {});\n  DBMS_OUTPUT.PUT_LINE({});\nEND;",
        procedure::PACKAGE,
        numbers.join(", "),
        sums.join(", "),
        sums.join(" || ' ' || ")
    )
}

/// A statement with what ends it in SQL*Plus: PL/SQL is ended by a line with a slash, everything else by a semicolon.
pub(super) fn ended(sql: &str) -> String {
    let first = sql.trim_start();
    let is_block =
        ["BEGIN", "DECLARE", "CREATE OR REPLACE", "CREATE PROCEDURE"].iter().any(|word| first.starts_with(word));
    if is_block { format!("{sql}\n/") } else { format!("{sql};") }
}

/// The lines of a statement that is printed for reading.
fn reading(sql: &str) -> impl Iterator<Item = String> + use<> {
    sql.lines().map(|sql| format!("{FOR_READING}{sql}")).collect::<Vec<_>>().into_iter()
}
