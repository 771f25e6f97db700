//! `dbdyno check`: examines a target without changing it. It reports in advance what would stop a run or make its
//! figures doubtful.

use super::context::Context;
use super::default_target;
use super::opened_target::OpenedTarget;
use super::workloads;
use crate::cli::CheckArgs;
use crate::error::Error;
use crate::output;
use crate::progress::{Progress, about};
use crate::{secrets, signals};
use dbdyno_engine::{Finding, FindingLevel, Loaded};
use dbdyno_report::lists;
use dbdyno_report::numbers::bytes;
use dbdyno_run::{InspectError, LoadError, RunRequest, StopSwitch, anew, estimate_s};
use serde::Serialize;

#[derive(Debug, Serialize)]
struct CheckDocument {
    target: String,
    /// Absent where the target cannot be reached.
    size: Option<String>,
    findings: Vec<Finding>,
    /// The time that the suites for a first look and for decisions would take.
    estimates: Vec<SuiteEstimate>,
}

#[derive(Debug, Serialize)]
struct SuiteEstimate {
    suite: String,
    points: usize,
    /// Without loading, and without the time that statements take beyond their window.
    at_least_s: f64,
}

/// The suites whose time is estimated.
const SUITES: [&str; 2] = ["quick", "baseline"];

pub(super) fn check(args: &CheckArgs, context: &Context) -> Result<(), Error> {
    let wished = &args.target;
    let url = default_target::url(wished, "looking at", "dbdyno run", context)?;
    let place = OpenedTarget::open(&url, wished.size.as_deref(), wished.seed, &context.catalogue);
    let answer = match place {
        Ok(place) => look(&place, args, context)?,
        Err(Error::Load(LoadError::Unreachable { target, error })) => CheckDocument {
            target,
            size: None,
            findings: vec![finding(FindingLevel::Blocker, "target", error.to_string())],
            estimates: Vec::new(),
        },
        Err(error) => return Err(error),
    };
    args.shown.format().show(&answer, || page(&answer))?;
    match answer.findings.iter().filter(|f| f.level == FindingLevel::Blocker).count() {
        0 => {
            context.say_next(&next(args, &answer), "measures it");
            Ok(())
        }
        blockers => Err(Error::Blocked { target: answer.target, blockers }),
    }
}

/// The command that measures what was looked at.
fn next(args: &CheckArgs, answer: &CheckDocument) -> String {
    let wished = &args.target;
    let what = if wished.target.is_some() { " quick" } else { "" };
    let size = wished.size.as_deref().map(|size| format!(" --size {}", output::shell_word(size)));
    format!("dbdyno run{what}{}{}", wished.again(&answer.target), size.unwrap_or_default())
}

fn look(place: &OpenedTarget, args: &CheckArgs, context: &Context) -> Result<CheckDocument, Error> {
    let mut findings = place.engine.check(&place.size);
    // An engine that examines its data reports errors in it itself.
    let known = |found: &Finding| findings.iter().any(|f| f.level == found.level && f.message.contains(&found.message));
    findings.extend(data(place, args).filter(|found| !known(found)));
    findings.extend(space(place));
    findings.extend(content(place, args, context)?);
    if !matches!(place.held, Loaded::Foreign(_)) {
        findings.extend(workloads::findings(place, args.target.seed)?);
    }
    findings.extend(memory(place));
    let mut estimates = Vec::new();
    for suite in SUITES {
        let plan =
            place.plan(&RunRequest { what: vec![suite.to_owned()], ..RunRequest::default() }, &context.catalogue)?;
        let at_least_s = estimate_s(&plan.points, &context.catalogue);
        estimates.push(SuiteEstimate { suite: suite.to_owned(), points: plan.points.len(), at_least_s });
    }
    Ok(CheckDocument { target: place.target.to_string(), size: Some(place.size.id.clone()), findings, estimates })
}

/// What the engine cannot know: whether the data on the target is what the user means to measure.
fn data(place: &OpenedTarget, args: &CheckArgs) -> Option<Finding> {
    let held = place.held_words();
    let other = |size: &str, seed: u64| {
        args.target.size.as_deref().is_some_and(|s| s != size) || args.target.seed.is_some_and(|s| s != seed)
    };
    match &place.held {
        Loaded::Partly { size, seed } | Loaded::Complete { size, seed, .. } if other(size, *seed) => {
            let advice = format!("{held}, not what was asked for; leave --size and --seed away, or drop it first");
            Some(finding(FindingLevel::Blocker, "data", advice))
        }
        Loaded::Foreign(problem) => Some(finding(FindingLevel::Blocker, "data", problem.clone())),
        Loaded::Nothing | Loaded::Partly { .. } if !place.engine.features().loads_on_demand => {
            let (target, size) = (output::shell_word(&place.target.to_string()), &place.size.id);
            let load = format!("dbdyno load --target {target} --size {size}");
            Some(finding(FindingLevel::Blocker, "data", format!("{held}; load it first: `{load}`")))
        }
        _ => None,
    }
}

/// Whether the tables are as they were loaded: their definitions and some rows, or all rows.
fn content(place: &OpenedTarget, args: &CheckArgs, context: &Context) -> Result<Vec<Finding>, Error> {
    if !matches!(place.held, Loaded::Complete { .. }) {
        return Ok(Vec::new());
    }
    let (target, data) = (place.target.to_string(), (&place.size, place.seed));
    let anew = anew(&target, &place.size.id);
    let tests = context.catalogue.tests();
    // A long check can be stopped, and checks the switch itself.
    let stop = if args.deep { signals::stop(Some(&place.engine), None)? } else { StopSwitch::default() };
    let mut findings = Vec::new();
    match dbdyno_run::inspect(place.engine.as_ref(), tests, &target, data, &stop) {
        Ok(inspected) if !inspected.sampled.is_empty() || !inspected.unseen.is_empty() => {
            findings.push(finding(FindingLevel::Ok, "tables", inspected.in_words(&place.size)));
        }
        Ok(_) => {}
        Err(InspectError::Altered { differences, .. }) => findings.extend(differences.into_iter().map(|difference| {
            let remedy = difference.remedy.map_or_else(String::new, |remedy| format!(": `{remedy}`"));
            finding(FindingLevel::Blocker, "tables", format!("{}{remedy}; {anew}", difference.what))
        })),
        Err(InspectError::Engine { error, .. }) => {
            findings.push(finding(FindingLevel::Warning, "tables", format!("could not be looked at: {error}")));
        }
    }
    // Tables with another definition cannot be compared row by row.
    if !args.deep || findings.iter().any(|found| found.level == FindingLevel::Blocker) {
        return Ok(findings);
    }
    let progress = Progress::new(context.verbosity);
    for table in place.engine.tables() {
        let proved = dbdyno_run::prove_table(place.engine.as_ref(), table, data, &progress, &stop);
        findings.push(match proved {
            Ok(None) => {
                let rows = table.rows(&place.size);
                let text =
                    format!("{table}: all {rows} rows are as generated, but for amount and status, which tests change");
                finding(FindingLevel::Ok, "content", text)
            }
            Ok(Some(differs)) => finding(FindingLevel::Blocker, "content", format!("{differs}; {anew}")),
            Err(error) => {
                progress.finish();
                return Err(place.failed("reading the tables of")(error));
            }
        });
    }
    progress.finish();
    Ok(findings)
}

/// Whether there is space for the data that must be loaded, if its files are on this machine.
fn space(place: &OpenedTarget) -> Option<Finding> {
    let data_place = place.engine.data_place();
    let data_place = data_place.filter(|_| !matches!(place.held, Loaded::Complete { .. } | Loaded::Foreign(_)))?;
    let free_bytes = dbdyno_probe::free_bytes(&data_place).ok()?;
    let needed_bytes = place.engine.space_needed_bytes(&place.size);
    let text = format!("size {} takes about {}, {} free", place.size.id, bytes(needed_bytes), bytes(free_bytes));
    Some(if free_bytes >= needed_bytes {
        finding(FindingLevel::Ok, "space", text)
    } else {
        finding(FindingLevel::Blocker, "space", format!("{text}; use a smaller size or another place"))
    })
}

/// Whether reads from storage could be served from memory unnoticed.
fn memory(place: &OpenedTarget) -> Option<Finding> {
    let warning = |text: String| Some(finding(FindingLevel::Warning, "memory", text));
    let data_place = place.engine.data_place();
    let in_memory = |place: &std::path::PathBuf| {
        dbdyno_probe::is_memory(place) || dbdyno_probe::share_in_memory(std::slice::from_ref(place)) > 0.0
    };
    if data_place.as_ref().is_some_and(in_memory) {
        return warning(
            "the files lie in memory, so tests of storage measure no device; use a file system on one".to_owned(),
        );
    }
    let takes = bytes(place.engine.space_needed_bytes(&place.size));
    match (place.engine.features().local, data_place.is_some()) {
        (true, true) => None,
        (true, false) => warning(
            "the server's files are not seen from here, so nothing shows whether tests read them from a device; run dbdyno \
             as a user that may read them"
                .to_owned(),
        ),
        (false, _) => warning(format!(
            "size {} takes about {takes}, which may fit the server's memory; its devices are not seen from here, so figures \
             of storage stand only where the server times its reads. Use a size that is larger than its memory, or run \
             dbdyno on its machine",
            place.size.id
        )),
    }
}

fn finding(level: FindingLevel, subject: &str, message: String) -> Finding {
    // A driver's or server's message may quote what was typed.
    Finding { level, subject: subject.to_owned(), message: secrets::hidden(&message) }
}

fn page(answer: &CheckDocument) -> String {
    let rows: Vec<Vec<String>> =
        answer.findings.iter().map(|f| vec![mark(f.level).to_owned(), f.subject.clone(), f.message.clone()]).collect();
    let mut page = lists::table(&["level", "what", "finding"], &rows, output::width());
    if !answer.estimates.is_empty() {
        page.push_str("\nTime that measuring takes, without loading:\n");
    }
    for estimate in &answer.estimates {
        let time = about(estimate.at_least_s);
        page.push_str(&format!("  {:<9} {:>4} points, at least {time}\n", estimate.suite, estimate.points));
    }
    page
}

fn mark(level: FindingLevel) -> &'static str {
    match level {
        FindingLevel::Ok => "ok",
        FindingLevel::Warning => "WARNING",
        FindingLevel::Blocker => "BLOCKER",
    }
}
