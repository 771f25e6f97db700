//! `dbdyno show`: the measurements of a run, as tables or as the JSON document.

use super::context::Context;
use super::{experiments, fleet, named_runs};
use crate::cli::ShowArgs;
use crate::error::Error;
use crate::output::{self, shell_word};
use dbdyno_model::{RunJson, RunStatus, TestCode};
use dbdyno_report::{Reported, texts};

pub(super) fn show(args: &ShowArgs, context: &Context) -> Result<(), Error> {
    if let Some((repository, experiment)) = experiments::named(&args.run, context)? {
        return experiments::show(&repository, &experiment, args);
    }
    let run = named_runs::one(&args.run, context)?;
    let run = match &args.test {
        Some(pattern) => only(run, pattern, context)?,
        None => run,
    };
    args.shown.format().show(&run, || page(&run, args, context))?;
    context.suggest_next(&format!("dbdyno report {}", shell_word(&args.run)), "makes a page of it for a browser");
    Ok(())
}

/// The run with the points of some tests alone.
fn only(whole: RunJson, pattern: &str, context: &Context) -> Result<RunJson, Error> {
    let codes: Vec<&TestCode> = context.catalogue.select(pattern)?.into_iter().map(|t| &t.code).collect();
    let RunJson {
        run, tool, platform, database, mut points, mut published, mut described, costs, mut searches, ..
    } = whole;
    searches.retain(|search| search.subject.test().is_some_and(|code| codes.contains(&code)));
    let is_asked = |name: &str| codes.iter().any(|code| code.as_str() == name);
    if let Some(published) = &mut published {
        // The source's numbers of points go with them.
        let numbers = std::mem::take(&mut published.numbers).into_iter();
        let of_points = points.iter().zip(numbers).filter(|(point, _)| is_asked(point.subject.as_str()));
        published.numbers = of_points.map(|(_, number)| number).collect();
        published.figures.retain(|f| is_asked(&f.test));
        published.curves.retain(|curve| is_asked(&curve.test));
        published.waits.retain(|waits| waits.test.as_deref().is_none_or(is_asked));
        published.latency_shares.retain(|shares| is_asked(&shares.test));
    }
    points.retain(|p| p.subject.test().is_some_and(|code| codes.contains(&code)));
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
        searches,
        ..RunJson::new(run, platform, database, points)
    })
}

fn page(run: &RunJson, args: &ShowArgs, context: &Context) -> String {
    let width = output::width();
    let reports = match (args.table, &args.test) {
        (Some(table), _) => table.reports().to_vec(),
        (None, _) if run.published.is_some() => of_published(run, args.test.is_some()),
        (None, _) if run.is_of_storage() => vec!["summary", "storage"],
        // Key metrics of some tests alone would look like those of the platform.
        (None, Some(_)) => vec!["bps8.0"],
        (None, None) if !run.searches.is_empty() => vec!["searches", "summary", "bps8.0"],
        (None, None) => vec!["summary", "bps8.0"],
    };
    let mut page = texts(&reports, &Reported::of(run.clone()), &context.catalogue, width);
    // The summary and the platform sheet have the notice themselves; a single table needs it.
    let says_it = reports.iter().any(|name| ["summary", "platform"].contains(name));
    if let Some(notice) = run.database.notice.as_ref().filter(|_| !says_it) {
        page.push_str(&dbdyno_report::notice(notice, width));
    }
    page.push_str(&incomplete(run, context).unwrap_or_default());
    page
}

/// The reports on a published result: its key metrics, its series in the table of its suite, and everything else.
fn of_published(run: &RunJson, some: bool) -> Vec<&'static str> {
    let codes = |dashed: bool| run.points.iter().any(|p| p.subject.as_str().contains('-') == dashed);
    let has_class = |class: &str| run.points.iter().any(|p| p.subject.name().class() == class);
    // The codes of 8.4 have a dash.
    let reports = [
        ("summary", !some),
        ("bps8.0", codes(false)),
        ("bps8.4-load", codes(true) && has_class("DBL")),
        ("bps8.4-oltp", codes(true) && has_class("DBX")),
        ("waits", !some && run.published.as_ref().is_some_and(|p| !p.waits.is_empty())),
        ("published", true),
    ];
    reports.into_iter().filter(|(_, is_there)| *is_there).map(|(name, _)| name).collect()
}

/// What a reader of an unfinished run must know.
fn incomplete(run: &RunJson, context: &Context) -> Option<String> {
    let id = &run.run.id;
    let resume = match run.is_of_storage() {
        true => "`dbdyno orion` measures it again".to_owned(),
        false => format!("`dbdyno resume {id}{}{}` measures the rest", fleet::as_option(run), context.same_files),
    };
    let how = match run.run.status {
        RunStatus::Done => return None,
        RunStatus::Running => "is still being measured; if it is stopped,",
        RunStatus::Interrupted => "was stopped or killed before its plan was done;",
        RunStatus::Lost => "lost its target before its plan was done;",
    };
    Some(format!("\nRun {id} {how} {resume}\n"))
}
