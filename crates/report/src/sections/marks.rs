//! What the marks on a page mean, of all its runs: flags, doubts, equivalents, and points without figures.

use super::published::add_doubts;
use super::words::{self, alone, text};
use crate::document::{Block, Caption, Column, Keep, Look, Row, Section, Table};
use crate::groups::{grouped, unique};
use crate::legend::{
    DOUBT_WORDS, EQUIVALENT, EQUIVALENT_WORDS, Legend, SUSPECT, UNMET, entry, is_equivalent, join, refusal,
};
use dbdyno_model::{Point, RunJson, Status, SubjectName, Suspect};

/// The section of all runs on the page.
pub(crate) fn section(runs: &[&RunJson]) -> Section {
    let points = || runs.iter().flat_map(|run| &run.points);
    let mut legend = Legend::of(points());
    legend.add_flags(runs.iter().flat_map(|run| &run.cells).flat_map(|cell| cell.flags.iter().copied()));
    for published in runs.iter().filter_map(|run| run.published.as_ref()) {
        add_doubts(published, &mut legend.doubts);
    }
    let mut entries = Vec::from_iter(legend.parentheses());
    let has_equivalents = points().any(is_equivalent);
    let told = [
        // Tables below say more of these two.
        (!legend.doubts.each().is_empty(), SUSPECT, format!("{DOUBT_WORDS}: the table of doubts below says why")),
        (has_equivalents, EQUIVALENT, format!("{EQUIVALENT_WORDS}; the table of equivalents below says how")),
        (points().any(|point| point.status == Status::Invalid), UNMET, text("flags", "unmet").to_owned()),
    ];
    entries.extend(told.into_iter().filter(|(is, ..)| *is).map(|(_, mark, text)| entry(mark, text)));
    entries.extend(legend.signs());
    let section = alone(words::section("flags").with([entries.into()]));
    section.with([doubts(&legend), equivalents(runs), refusals(runs)].map(Block::from))
}

/// A table of sentences; it is not shown where it has no rows.
fn sentences<const N: usize>(caption: &str, heads: [&'static str; N], rows: Vec<Row>) -> Table {
    let columns = heads.map(|head| Column::words(head, head, Keep::Always));
    Table::new(Caption::Shown(caption.to_owned()), columns.into(), rows).look(Look::Prose)
}

fn doubts(legend: &Legend<'_>) -> Table {
    let row = |(suspect, places): (&Suspect, Vec<String>)| {
        let advice: Vec<&str> = suspect.codes.iter().map(|code| code.advice()).collect();
        Row::words([places.join(", "), suspect.names(), suspect.why.clone(), advice.join("; ")])
    };
    let rows = legend.doubts.each().into_iter().map(row).collect();
    sentences("Published figures that a reader should doubt", ["Figures", "Doubt", "Why", "What follows"], rows)
}

/// What is said of points, each once with the tests of which it is said; with several runs, whose it is.
fn said<'r>(
    runs: &[&'r RunJson],
    of: impl Fn(&'r Point) -> Option<String>,
    whose: impl Fn(&'r RunJson) -> &'r str,
) -> Vec<Row> {
    let of_run = |run: &&'r RunJson| -> Vec<(String, SubjectName<'r>)> {
        let whose = if runs.len() > 1 { format!("{}: ", whose(run)) } else { String::new() };
        run.points.iter().filter_map(|p| Some((format!("{whose}{}", of(p)?), p.subject.name()))).collect()
    };
    let said = grouped(unique(runs.iter().flat_map(of_run)));
    said.into_iter().map(|(what, tests)| Row::words([join(&tests), what])).collect()
}

fn equivalents(runs: &[&RunJson]) -> Table {
    let how = |p: &Point| p.mapping_note.clone().unwrap_or_else(|| "how was not recorded".to_owned());
    let rows = said(runs, |p| is_equivalent(p).then(|| how(p)), |run| &run.database.engine);
    sentences("Equivalents: what stands in for what the test names", ["Tests", "What was done instead"], rows)
}

fn refusals(runs: &[&RunJson]) -> Table {
    sentences("Points without figures", ["Tests", "Why"], said(runs, refusal, |run| run.run.id.as_str()))
}
