//! Every statement that a test or a load would run, for review or by hand: SQL*Plus takes it as it is. Statements whose
//! values dbdyno binds, and those that it asks the server all the time, are printed for reading: SQL*Plus passes over
//! lines that begin with `-- |`.

use super::client::Form;
use super::layout;
use super::procedure::{self, ProcedureSpec};
use super::{NOTICE, mapping};
use crate::DIALECT;
use dbdyno_engine::EngineError;
use dbdyno_engine::server::call::{SUMS, arguments};
use dbdyno_engine::server::example::{self, head, line, list};
use dbdyno_engine::server::grants::Grant;
use dbdyno_model::{Cache, CommitMode, Dimension, ErrorClass, Mapping, Procedure, Size, TableName, Test, TestCode};
use std::sync::LazyLock;

/// What the set-up grants.
pub(super) static GRANTS: LazyLock<Vec<Grant>> =
    LazyLock::new(|| DIALECT.get("setup/setup").map(|script| Grant::all(&script.text)).unwrap_or_default());

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
    let mapping = mapping(test);
    let mut text = head(test, size, &mapping);
    if matches!(mapping, Mapping::None { .. }) {
        return Ok(text);
    }
    let procedure = ProcedureSpec::of(test);
    // More than one, so that the words about them are there.
    let threads = if test.ramp.contains(&Dimension::Threads) { 2 } else { 1 };
    let spec = dbdyno_engine::PointSpec { threads, ..example::spec(test, size) };
    line(&mut text, format_args!("-- {NOTICE}"));
    for part in procedure.needs() {
        line(&mut text, format_args!("-- needs {} (--without {} leaves the test out)", part.words(), part.name()));
    }
    line(&mut text, format_args!("{PREAMBLE}"));
    run(&mut text, SCHEMA);
    line(&mut text, format_args!("\n-- the session's settings"));
    ProcedureSpec::compiler().iter().for_each(|sql| run(&mut text, sql));
    procedure.settings(&spec).iter().for_each(|sql| run(&mut text, sql));
    let before = procedure.creates_before(&spec)?;
    if !before.is_empty() {
        line(&mut text, format_args!("\n-- what the point's jobs share"));
    }
    before.iter().for_each(|sql| run(&mut text, sql));
    line(&mut text, format_args!("\n-- {}", procedure.procedure()));
    for (key, note) in procedure.notes()? {
        line(&mut text, format_args!("-- {key}: {note}"));
    }
    procedure.package(CommitMode::Durable)?.iter().for_each(|sql| run(&mut text, sql));
    if test.cache == Cache::Cached {
        line(&mut text, format_args!("\n-- into the cache, by a session of its own: {}", list(procedure.reads())));
        for table in procedure.reads() {
            statements_of("warm", table.name())?.iter().for_each(|sql| run(&mut text, sql));
        }
    }
    if let Some(explain) = procedure.explain()? {
        line(&mut text, format_args!("\n-- the plan of the statement under test"));
        if let Some(expected) = procedure.expected_plan()? {
            line(&mut text, format_args!("-- must have: {expected}"));
        }
        run(&mut text, &explain);
        for name in ["plan", "forget_plan"] {
            run(&mut text, &DIALECT.get(&format!("statistics/{name}"))?.text);
        }
    }
    line(&mut text, format_args!("\n-- one pass of the first of one job, with the keys of an example"));
    let numbers: Vec<String> = arguments(&spec, 0, 0, 1).iter().map(ToString::to_string).collect();
    run(&mut text, &shown_call(&procedure, &numbers));
    if test.procedure.has_client_form() {
        let form = Form::of(&procedure, &spec)?;
        line(&mut text, format_args!("{}; for reading", example::client_heading(&spec)));
        form.settings().iter().for_each(|sql| reading(&mut text, &ended(sql)));
        reading(&mut text, &ended(form.sql()));
        if test.procedure.writes() {
            reading(&mut text, &ended("COMMIT"));
        }
    }
    line(&mut text, format_args!("\n-- away with what the point has made"));
    procedure.drops_made(&spec)?.iter().for_each(|sql| run(&mut text, sql));
    run(&mut text, &ProcedureSpec::drop_package()?);
    Ok(text)
}

/// The statements that create the schema, after those with which an administrator makes room for it, and the package
/// with every procedure.
///
/// # Errors
/// A statement cannot be filled in.
pub(super) fn of_schema(size: &Size) -> Result<String, EngineError> {
    let mut text = format!(
        "-- Oracle Database: {NOTICE}. The statements are checked by grammars, not by Oracle.\n\
         -- First what an administrator runs, then what dbdyno runs as the user that is made there. An administrator who goes\n\
         -- on in this script does it in dbdyno's schema. `dbdyno load` fills the tables; a script leaves them empty.\n\n\
         {PREAMBLE}\n\n"
    );
    line(&mut text, format_args!("{}", DIALECT.get("setup/setup")?.text));
    line(
        &mut text,
        format_args!("\n-- Only with a licence of the Diagnostics Pack, for runs with --diagnostics-pack:"),
    );
    reading(&mut text, &DIALECT.get("setup/diagnostics")?.text);
    line(&mut text, format_args!("\n-- The schema"));
    run(&mut text, SCHEMA);
    let meta = DIALECT.get("tables/create_meta")?;
    line(&mut text, format_args!("\n-- {}", meta.notes.get("what").map_or("", String::as_str)));
    run(&mut text, &meta.text);
    for table in TableName::ALL {
        line(&mut text, format_args!("\n-- {table}: {} rows at size {}", table.rows(size), size.id));
        if let Some(part) = layout::needs(table.organisation()) {
            line(&mut text, format_args!("-- needs {} (--without {} leaves it out)", part.words(), part.name()));
        }
        layout::tables(table, size)?.iter().for_each(|sql| run(&mut text, sql));
    }
    line(&mut text, format_args!("\n-- Keys come when the tables are full, and statistics after them"));
    for table in TableName::ALL {
        layout::indexes(table, LOADERS)?.iter().for_each(|sql| run(&mut text, sql));
        statements_of("analyse", table.name())?.iter().for_each(|sql| run(&mut text, sql));
    }
    line(
        &mut text,
        format_args!("\n-- The package with every procedure; a point makes it with its own alone, and drops it"),
    );
    ProcedureSpec::compiler().iter().for_each(|sql| run(&mut text, sql));
    procedure::package(&every_recipe()?, CommitMode::Durable)?.iter().for_each(|sql| run(&mut text, sql));
    line(&mut text, format_args!("SHOW ERRORS PACKAGE BODY {}\n", procedure::PACKAGE));
    run(&mut text, &ProcedureSpec::drop_package()?);
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
        line(&mut text, format_args!("\n-- {title}; for reading"));
        let file = DIALECT.file(file)?;
        for name in file.names() {
            let what = file.get(name)?.notes.get("what").map(|what| format!(": {what}")).unwrap_or_default();
            line(&mut text, format_args!("-- {name}{what}"));
            reading(&mut text, &ended(&with_examples(&file.get(name)?.text)));
        }
    }
    Ok(text)
}

/// Processes that build an index at the end of a load, as shown.
const LOADERS: u32 = 4;

/// Statements about a table that warm it or analyse it.
fn statements_of(what: &str, table: &str) -> Result<Vec<String>, EngineError> {
    let of = |name: &str| Ok(DIALECT.fill(name, &[("table", table)])?);
    match what {
        "analyse" => Ok(vec![of("load/analyse")?]),
        _ => ["statistics/warm_primary", "statistics/warm_customer"].into_iter().map(of).collect(),
    }
}

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
    ];
    let noted = text
        .replace("'{step} {leaf}'", "'filled small_heap_list_p3'")
        .replace("{table} TRUNCATE SUBPARTITION {part}", "large_compressed TRUNCATE SUBPARTITION r07_p2");
    examples.iter().fold(noted, |text, (name, example)| text.replace(name, example))
}

/// A recipe for every procedure: each kind of work on each table that it is for.
fn every_recipe() -> Result<Vec<ProcedureSpec>, EngineError> {
    use Procedure::{
        BulkLoad, CpuDecimalMix, CpuDoubleMix, CpuFibonacci, CpuFloatMix, CpuIntegerMix, CpuLoop, CpuPrimes,
        CpuQuicksort, CpuRandomNumber, CpuRandomString, CpuStringMix, Group, IndexNonUnique, IndexUnique, Insert, Join,
        Report, Scan, ScanRange, SelectPrimary, SelectSecondary, Sort, UpdatePrimary, UpdateSecondary, WriteFile,
    };
    let small = [
        TableName::SmallHeap,
        TableName::SmallIot,
        TableName::SmallHash,
        TableName::SmallHeapList,
        TableName::SmallIotList,
    ];
    let large = TableName::LargeHeapRangeList;
    let cpu = [
        CpuLoop,
        CpuRandomNumber,
        CpuRandomString,
        CpuIntegerMix,
        CpuDecimalMix,
        CpuFloatMix,
        CpuDoubleMix,
        CpuStringMix,
        CpuFibonacci,
        CpuPrimes,
        CpuQuicksort,
    ];
    let mut all: Vec<(Procedure, Option<TableName>)> =
        cpu.into_iter().chain([WriteFile]).map(|work| (work, None)).collect();
    for work in [Insert, Scan, SelectPrimary, SelectSecondary, UpdatePrimary] {
        all.extend(small.map(|table| (work, Some(table))));
    }
    all.extend([TableName::SmallHeap, TableName::SmallIot].map(|table| (Join, Some(table))));
    all.extend([(BulkLoad, Some(TableName::SmallHeap)), (UpdateSecondary, Some(TableName::SmallHeap))]);
    all.push((Scan, Some(TableName::LargeCompressed)));
    for work in [
        BulkLoad,
        Scan,
        ScanRange,
        IndexUnique,
        IndexNonUnique,
        Sort,
        Group,
        Report,
        SelectPrimary,
        SelectSecondary,
        UpdatePrimary,
        Join,
    ] {
        all.push((work, Some(large)));
    }
    let code = TestCode::new("T111").map_err(|error| EngineError::new(ErrorClass::Other, error.to_string()))?;
    let test = |(work, table)| Test::plain(code.clone(), work, table, Cache::Any);
    Ok(all.into_iter().map(|of| ProcedureSpec::of(&test(of))).collect())
}

/// The call with numbers for what is bound, and a word about what came of it.
fn shown_call(procedure: &ProcedureSpec, numbers: &[String]) -> String {
    let sums: [&str; SUMS] = ["v_ops", "v_rows", "v_bytes", "v_checksum"];
    let declared = sums.map(|sum| format!("  {sum} NUMBER;\n")).concat();
    format!(
        "DECLARE\n{declared}BEGIN\n  {}.{}({}, {});\n  DBMS_OUTPUT.PUT_LINE({});\nEND;",
        procedure::PACKAGE,
        procedure.procedure(),
        numbers.join(", "),
        sums.join(", "),
        sums.join(" || ' ' || ")
    )
}

/// A statement with what ends it in SQL*Plus: PL/SQL is ended by a line with a slash, everything else by a semicolon.
pub(super) fn ended(sql: &str) -> String {
    let first = sql.trim_start();
    let is_block = ["BEGIN", "DECLARE", "CREATE OR REPLACE"].iter().any(|word| first.starts_with(word));
    if is_block { format!("{sql}\n/") } else { format!("{sql};") }
}

fn run(text: &mut String, sql: &str) {
    line(text, format_args!("{}", ended(sql)));
}

fn reading(text: &mut String, sql: &str) {
    sql.lines().for_each(|sql| line(text, format_args!("{FOR_READING}{sql}")));
}
