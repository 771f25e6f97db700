//! What the marks on a page mean, of all its runs: flags, doubts, equivalents, and points without figures.

use super::published::add_doubts;
use crate::legend::{DOUBT_WORDS, EQUIVALENT_WORDS, advice, equivalent};
use crate::sections::prelude::*;
use dbdyno_model::Suspect;

/// The section of all runs on the page.
pub(crate) fn section(runs: &[&RunJson]) -> Section {
    let points = || runs.iter().flat_map(|run| &run.points);
    let mut legend = Legend::of(points());
    legend.add([], runs.iter().flat_map(|run| &run.cells).flat_map(|cell| cell.flags.iter().copied()));
    for published in runs.iter().filter_map(|run| run.published.as_ref()) {
        add_doubts(published, &mut legend.doubts);
    }
    let doubts: Vec<Row> = legend.doubts.each().into_iter().map(doubt).collect();
    let equivalents = said(runs, |p| equivalent(p).map(str::to_owned), |run| &run.database.engine);
    let refusals = said(runs, refusal, |run| run.run.id.as_str());
    let told = [
        // Tables below say more of these two.
        (!doubts.is_empty(), SUSPECT, format!("{DOUBT_WORDS}: the table of doubts below says why")),
        (!equivalents.is_empty(), EQUIVALENT, format!("{EQUIVALENT_WORDS}; the table of equivalents below says how")),
        (points().any(|point| point.status == Status::Invalid), UNMET, text("flags", "unmet").to_owned()),
    ];
    let told = told.into_iter().filter(|(is, ..)| *is).map(|(_, mark, text)| entry(mark, text));
    let section = alone(words::section("flags").with([Block::Legend(legend.entries(told))]));
    let tables = [("doubts", doubts), ("equivalents", equivalents), ("refusals", refusals)];
    section.with(tables.map(|(name, rows)| words::table("flags", name, rows).look(Look::Prose).into()))
}

fn doubt((suspect, places): (&Suspect, Vec<String>)) -> Row {
    let follows = joined(advice(suspect).map(|(_, advice)| advice), "; ");
    Row::words([places.join(", "), suspect.names(), suspect.why.clone(), follows])
}

/// What is said of points, each once with the tests of which it is said; with several runs, whose it is.
fn said<'r>(runs: &[&'r RunJson], of: impl Fn(&'r Point) -> Option<String>, whose: fn(&RunJson) -> &str) -> Vec<Row> {
    let of_run = |run: &&'r RunJson| -> Vec<(String, SubjectName<'r>)> {
        let whose = if runs.len() > 1 { format!("{}: ", whose(run)) } else { String::new() };
        run.points.iter().filter_map(|p| Some((format!("{whose}{}", of(p)?), p.subject.name()))).collect()
    };
    let said = grouped(unique(runs.iter().flat_map(of_run)));
    said.into_iter().map(|(what, tests)| Row::words([join(&tests), what])).collect()
}
