//! `dbdyno load`: creates and fills the test tables, and reports how long that took.

use super::context::Context;
use super::default_target;
use super::opened_target::OpenedTarget;
use super::{settings, workloads};
use crate::cli::LoadArgs;
use crate::error::Error;
use crate::output::{self, Format};
use crate::progress::Progress;
use crate::signals;
use dbdyno_engine::{Loaded, TableLoad};
use dbdyno_model::{Parameters, Scale};
use dbdyno_report::{lists, numbers};
use dbdyno_run::{LoadRequest, LoadTrigger, LoadedData, WorkloadLoad, hold};
use dbdyno_workload::{DataSpec, Workload};
use serde::Serialize;
use std::collections::BTreeMap;

/// The data that is on the target now, and what this load did.
#[derive(Debug, Serialize)]
struct LoadDocument {
    target: String,
    size: String,
    seed: u64,
    verified: bool,
    /// Whether this load continued an earlier one; absent when everything was there.
    resumed: Option<bool>,
    /// What this load did, table by table; empty when everything was there.
    tables: Vec<LoadedTable>,
    /// Checksums of tables that were there before.
    checksums: BTreeMap<String, String>,
}

#[derive(Debug, Serialize)]
struct LoadedTable {
    table: String,
    rows: u64,
    rows_written: u64,
    /// Seconds for writing rows alone, without indexes and verification.
    write_s: f64,
    elapsed_s: f64,
    rows_per_s: Option<f64>,
    checksum: String,
}

impl LoadedTable {
    fn of(load: TableLoad) -> Self {
        let TableLoad { table, rows, rows_written, elapsed_s, write_s, checksum } = load;
        let rows_per_s = (elapsed_s > 0.0).then(|| rows_written as f64 / elapsed_s);
        Self { table: table.to_string(), rows, rows_written, write_s, elapsed_s, rows_per_s, checksum }
    }
}

pub(super) fn load(args: &LoadArgs, context: &Context) -> Result<(), Error> {
    let wished = &args.target;
    let workload = args.workload.as_deref().map(workloads::known).transpose()?;
    let wish = wish(args, workload)?;
    let then = workload.map_or("dbdyno run".to_owned(), |workload| format!("dbdyno run {}", workload.name()));
    let url = default_target::url(wished, "loading", &then, context)?;
    let place = OpenedTarget::open(&url, wished.size.as_deref(), wished.seed, &context.catalogue)?;
    let stop = signals::stop(Some(&place.engine), None)?;
    let progress = Progress::new(context.verbosity);
    let target = place.target.to_string();
    if let Some(workload) = workload {
        let looked = workloads::WorkloadTarget::look(&place, workload, &wish)?;
        let _hold = match looked.dialect {
            Ok(_) => Some(hold(place.engine.as_ref(), &target, &progress, &stop)?),
            Err(_) => None,
        };
        let loaded = looked.load(&place, args.jobs, &progress, &stop)?;
        let next = format!("dbdyno run {}{}", workload.name(), wished.again(&target));
        show_workload(workload, target, loaded, args.shown.format())?;
        context.say_next(&next, "measures it");
        return Ok(());
    }
    let request = LoadRequest {
        target: &target,
        size: place.wished_size.as_deref(),
        seed: wished.seed,
        jobs: args.jobs.unwrap_or_else(dbdyno_probe::hardware_threads),
        verify: !args.no_verify,
    };
    let loaded =
        dbdyno_run::load(place.engine.as_ref(), &context.catalogue, request, LoadTrigger::Asked, &progress, &stop);
    progress.finish();
    let LoadedData { size, seed, verified, report } = loaded?;
    // What the notes of an earlier load say is a claim.
    if report.is_none() {
        dbdyno_run::inspect(place.engine.as_ref(), context.catalogue.tests(), &target, (&size, seed), &stop)?;
    }
    let checksums = match &place.held {
        Loaded::Complete { checksums, .. } => checksums.clone(),
        _ => BTreeMap::new(),
    };
    let resumed = report.as_ref().map(|report| report.resumed);
    let tables = report.into_iter().flat_map(|report| report.tables).map(LoadedTable::of).collect();
    let answer = LoadDocument { target, size: size.id, seed, verified, resumed, tables, checksums };
    args.shown.format().show(&answer, || page(&answer))?;
    context.say_next(&format!("dbdyno run quick{}", wished.again(&answer.target)), "measures it");
    Ok(())
}

/// The data that was asked for.
///
/// # Errors
/// Options that the workload has no use for, or settings that it cannot have.
fn wish(args: &LoadArgs, workload: Option<&'static dyn Workload>) -> Result<workloads::DataWish, Error> {
    let Some(workload) = workload else {
        settings::refuse(&args.settings)?;
        return Ok(workloads::DataWish::default());
    };
    let refused = |problem: &str| Err(Error::Usage(problem.to_owned()));
    match workload.about().unit {
        Some(_) if args.scale.is_some() => {
            return refused(
                "--scale has no use with slob: --schemas says how many there are, and --set SCALE=80M how large each is",
            );
        }
        None if args.schemas.is_some() => return refused("--schemas is for the workload slob; say --scale"),
        _ => {}
    }
    let scale = args.schemas.map(Scale::units).or(args.scale);
    let settings = settings::of(workload, &args.settings)?;
    Ok(workloads::DataWish { scale, units_at_least: None, seed: args.target.seed, settings })
}

/// The workload's data on the target now, and what this load did.
#[derive(Debug, Serialize)]
struct WorkloadLoadDocument {
    target: String,
    workload: &'static str,
    scale: Scale,
    seed: u64,
    /// Parameters that decide its rows; absent where there are none.
    #[serde(skip_serializing_if = "Parameters::is_empty")]
    parameters: Parameters,
    /// Whether an unfinished earlier load was started over.
    anew: bool,
    /// Rows that were made, by table; empty when everything was there.
    rows: BTreeMap<String, u64>,
    /// Seconds for writing rows, all jobs together; this and what follows is absent when everything was there.
    write_s: Option<f64>,
    /// Seconds for reading them back.
    read_back_s: Option<f64>,
    /// Seconds for bringing rows into their order, where that is for afterwards.
    arrange_s: Option<f64>,
    index_s: Option<f64>,
    /// Seconds for statistics.
    finish_s: Option<f64>,
    /// Seconds for counting, and for looking for what must not be.
    prove_s: Option<f64>,
    /// Seconds for everything, from the tables to the proof.
    elapsed_s: Option<f64>,
}

fn show_workload(
    workload: &'static dyn Workload,
    target: String,
    load: WorkloadLoad,
    format: Format,
) -> Result<(), Error> {
    let WorkloadLoad { data, rows, anew, times } = load;
    let size = match data.seed {
        LoadRequest::DEFAULT_SEED => workload.data_words(&data),
        seed => format!("{}, seed {seed}", workload.data_words(&data)),
    };
    let (DataSpec { scale, seed, parameters }, workload) = (data, workload.name());
    if format == Format::Json {
        let rows = rows.into_iter().collect();
        return output::json(&WorkloadLoadDocument {
            target,
            workload,
            scale,
            seed,
            parameters,
            anew,
            rows,
            write_s: times.map(|times| times.write_s),
            read_back_s: times.map(|times| times.read_back_s),
            arrange_s: times.map(|times| times.arrange_s),
            index_s: times.map(|times| times.index_s),
            finish_s: times.map(|times| times.finish_s),
            prove_s: times.map(|times| times.prove_s),
            elapsed_s: times.map(|times| times.elapsed_s),
        });
    }
    if rows.is_empty() {
        return output::line(&format!("{target} holds {workload} at {size} already; there was nothing to load"));
    }
    let made: Vec<String> = rows.iter().map(|(what, n)| format!("{} {what}", numbers::count(*n))).collect();
    let how = if anew { "began an earlier load anew: " } else { "" };
    output::line(&format!("{how}{target} now holds {workload} at {size}: {}, counted and proved", made.join(", ")))
}

fn page(answer: &LoadDocument) -> String {
    let LoadDocument { target, size, seed, .. } = answer;
    let proof = if answer.verified { "every checksum verified" } else { "checksums not verified" };
    let width = output::width();
    match answer.resumed {
        None => {
            let rows: Vec<Vec<String>> = answer.checksums.iter().map(|(t, c)| vec![t.clone(), c.clone()]).collect();
            let list = if rows.is_empty() { String::new() } else { lists::table(&["table", "checksum"], &rows, width) };
            let looked_at = numbers::count(dbdyno_run::SAMPLE_ROWS);
            format!(
                "{list}\n{target} holds size {size} (seed {seed}) already, {proof} when it was loaded; up to {looked_at} rows \
                 of each table are as they were (`dbdyno check --deep` proves all); there was nothing to load\n"
            )
        }
        Some(resumed) => {
            let rows: Vec<Vec<String>> = answer.tables.iter().map(row).collect();
            let list = lists::table(&["table", "rows", "written", "time", "rows/s", "checksum"], &rows, width);
            let how = if resumed { "went on with an earlier load: " } else { "" };
            format!("{list}\n{how}{target} now holds size {size} (seed {seed}), {proof}\n")
        }
    }
    .trim_start()
    .to_owned()
}

fn row(table: &LoadedTable) -> Vec<String> {
    vec![
        table.table.clone(),
        numbers::count(table.rows),
        numbers::count(table.rows_written),
        numbers::duration(table.elapsed_s),
        numbers::thousands(table.rows_per_s),
        table.checksum.clone(),
    ]
}
