//! `dbdyno show`: the measurements of a run, as tables or as the JSON document.

use super::context::Context;
use super::named_runs;
use crate::cli::{ShowArgs, ShownTable};
use crate::error::Error;
use crate::output;
use dbdyno_catalogue::Catalogue;
use dbdyno_model::{RunJson, RunStatus, TestCode};
use dbdyno_report::{platform, published, summary, tables};

pub(super) fn show(args: &ShowArgs, context: &Context) -> Result<(), Error> {
    let run = named_runs::one(&args.run, context)?;
    let run = match &args.test {
        Some(pattern) => only(run, pattern, context)?,
        None => run,
    };
    args.shown.format().show(&run, || page(&run, args, context))
}

/// The run with the points of some tests alone.
fn only(whole: RunJson, pattern: &str, context: &Context) -> Result<RunJson, Error> {
    let codes: Vec<&TestCode> = context.catalogue.select(pattern)?.into_iter().map(|t| &t.code).collect();
    let RunJson { run, tool, platform, database, mut points, mut published, mut described, costs, .. } = whole;
    points.retain(|p| p.subject.test().is_some_and(|code| codes.contains(&code)));
    if let Some(published) = &mut published {
        published.figures.retain(|f| codes.iter().any(|code| code.as_str() == f.test));
    }
    if let Some(described) = &mut described {
        described.remarks.retain(|r| codes.iter().any(|code| code.as_str() == r.subject.name));
    }
    if points.is_empty() && published.as_ref().is_none_or(|p| p.figures.is_empty()) {
        return Err(Error::Usage(format!(
            "run {} has no points of {pattern}; `dbdyno show {}` shows those it has",
            run.id, run.id
        )));
    }
    let storage_reference = whole.storage_reference;
    Ok(RunJson {
        tool,
        published,
        described,
        costs,
        storage_reference,
        ..RunJson::new(run, platform, database, points)
    })
}

fn page(run: &RunJson, args: &ShowArgs, context: &Context) -> String {
    let catalogue = &context.catalogue;
    let width = output::width();
    let mut page = match (args.table, &args.test) {
        (Some(ShownTable::Bps80), _) => tables::bps80(run, catalogue, width),
        (Some(ShownTable::Bps84), _) => format!(
            "Load tests\n\n{}\nSelect and update tests\n\n{}",
            tables::bps84_load(run, catalogue, width),
            tables::bps84_oltp(run, catalogue, width)
        ),
        (Some(ShownTable::Cells), _) => tables::cells(run, catalogue, width),
        (Some(ShownTable::Waits), _) => tables::waits(run, catalogue, width),
        (Some(ShownTable::Latency), _) => tables::latency(run, catalogue, width),
        (Some(ShownTable::Summary), _) => summary::page(run, catalogue, width),
        (Some(ShownTable::Platform), _) => platform::sheet(run, width),
        (Some(ShownTable::Storage), _) => tables::storage(run, catalogue, width),
        (Some(ShownTable::Published), _) => published::page(run, catalogue, width),
        (None, _) if run.published.is_some() => published_page(run, args.test.is_some(), catalogue, width),
        (None, _) if run.is_of_storage() => {
            format!("{}\n{}", summary::page(run, catalogue, width), tables::storage(run, catalogue, width))
        }
        // Key metrics of some tests alone would look like those of the platform.
        (None, Some(_)) => tables::bps80(run, catalogue, width),
        (None, None) => {
            format!("{}\n{}", summary::page(run, catalogue, width), tables::bps80(run, catalogue, width))
        }
    };
    // The summary and the platform sheet have the notice themselves; a single table needs it.
    let says_it =
        matches!((args.table, &args.test), (Some(ShownTable::Summary | ShownTable::Platform), _) | (None, None));
    if let Some(notice) = run.database.notice.as_ref().filter(|_| !says_it) {
        page.push_str(&dbdyno_report::notice(notice, width));
    }
    page.push_str(&incomplete(run, context).unwrap_or_default());
    page
}

/// A published result: its key metrics, its series in the table of its suite, and everything else.
fn published_page(run: &RunJson, some: bool, catalogue: &Catalogue, width: Option<u16>) -> String {
    let mut parts = Vec::new();
    let codes = |dashed: bool| run.points.iter().any(|p| p.subject.as_str().contains('-') == dashed);
    let has = |render: fn(&RunJson, &Catalogue, Option<u16>) -> String, there: bool| {
        there.then(|| render(run, catalogue, width))
    };
    // The codes of 8.4 have a dash.
    let classes = |classes: &[&str]| run.points.iter().any(|p| classes.contains(&p.subject.name().class().as_str()));
    parts.extend(has(summary::page, !some));
    parts.extend(has(tables::bps80, codes(false)));
    parts.extend(has(tables::bps84_load, codes(true) && classes(&["DBL"])));
    parts.extend(has(tables::bps84_oltp, codes(true) && classes(&["DBX"])));
    parts.extend(has(tables::waits, !some && run.published.as_ref().is_some_and(|p| !p.waits.is_empty())));
    parts.push(published::page(run, catalogue, width));
    parts.join("\n")
}

/// What a reader of an unfinished run must know.
fn incomplete(run: &RunJson, context: &Context) -> Option<String> {
    let id = &run.run.id;
    let resume = match run.is_of_storage() {
        true => "`dbdyno orion` measures it again".to_owned(),
        false => format!("`dbdyno resume {id}{}` measures the rest", context.same_files),
    };
    let how = match run.run.status {
        RunStatus::Done => return None,
        RunStatus::Running => "is still being measured; if it is stopped,",
        RunStatus::Interrupted => "was stopped or killed before its plan was done;",
        RunStatus::Lost => "lost its target before its plan was done;",
    };
    Some(format!("\nRun {id} {how} {resume}\n"))
}
