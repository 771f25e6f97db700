//! Marks behind figures, and the section that explains each of them.

use super::table::{ColumnHead, Table, TableRow, text};
use crate::figures::DOUBTFUL;
use crate::groups::{grouped, unique};
use crate::legend::{self, CLIENT, Doubts, EQUIVALENT, RATED, SUSPECT, letter, refusal};
use crate::text::clean;
use dbdyno_model::{Flag, Point, Published, RunJson, Status, SubjectName, Suspect};
use maud::{Markup, html};
use std::collections::BTreeSet;

/// The most notes that are shown for one flag; the others are counted.
const MOST_NOTES: usize = 12;

/// The marks of figures made of these points, each a link to its explanation.
pub(super) fn marks<'a>(points: impl IntoIterator<Item = &'a Point>, flags: &[Flag]) -> Markup {
    let marks = legend::marks(points, flags);
    html! { @for mark in marks.chars().filter(|m| *m != SUSPECT) { (link(mark)) } }
}

/// The marks of flags alone.
pub(super) fn marks_of(flags: &[Flag]) -> Markup {
    marks([], flags)
}

/// The mark of a doubtful published figure.
pub(super) fn suspect() -> Markup {
    link(SUSPECT)
}

fn link(mark: char) -> Markup {
    html! { a.mark href={ "#mark-" (anchor(mark)) } { (mark) } }
}

fn anchor(mark: char) -> String {
    match mark {
        EQUIVALENT => "equivalent".to_owned(),
        CLIENT => "client".to_owned(),
        RATED => "rated".to_owned(),
        SUSPECT => "suspect".to_owned(),
        letter => letter.to_string(),
    }
}

fn meaning(mark: char, points: &[&Point]) -> String {
    match mark {
        EQUIVALENT => "equivalent: done by other means than the test names".to_owned(),
        CLIENT => legend::of_client(points.iter().copied()),
        SUSPECT => "a published figure that its reader should doubt: the table of doubts below says why".to_owned(),
        RATED => "at a set rate: no measure of what the platform can do".to_owned(),
        other => Flag::ALL
            .into_iter()
            .find(|f| letter(*f) == other)
            .map_or_else(String::new, |f| format!("{}: {}", f.name(), f.advice())),
    }
}

/// A figure, in parentheses where it means something other than the test.
pub(super) fn figure(shown: String, doubtful: bool) -> Markup {
    html! {
        @if doubtful && shown != crate::numbers::MISSING {
            a.doubt href="#parentheses" title="not a figure of what the test means to measure" { "(" (shown) ")" }
        } @else { (shown) }
    }
}

/// The section on flags, marks and parentheses, of all runs on the page.
pub(super) fn section(runs: &[&RunJson]) -> Markup {
    let points: Vec<&Point> = runs.iter().flat_map(|r| &r.points).collect();
    let flags: BTreeSet<Flag> = points
        .iter()
        .flat_map(|p| p.flags.iter().copied())
        .chain(runs.iter().flat_map(|r| r.cells.iter().flat_map(|c| c.flags.iter().copied())))
        .collect();
    let doubtful = flags.iter().any(|f| DOUBTFUL.contains(f));
    let mut used = legend::marks(points.iter().copied(), &[]);
    let doubts = doubts(runs);
    if !doubts.each().is_empty() && !used.contains(SUSPECT) {
        used.insert(0, SUSPECT);
    }
    html! {
        section #flags {
            h2 { "Flags and marks" }
            @if doubtful {
                p #parentheses {
                    b { "(Figures in parentheses)" } " are not figures of what their test is meant to measure: memory answered in place of
                    the device, or the device in place of the engine's cache. The letter behind says which. Their marks in charts are hollow."
                }
            }
            @if flags.is_empty() && used.is_empty() {
                p { "No figure on this page carries a flag." }
            } @else {
                dl.marks {
                    @for mark in used.chars() {
                        dt id={ "mark-" (anchor(mark)) } { span.mark { (mark) } }
                        dd { span { (meaning(mark, &points)) } }
                    }
                    @for flag in &flags {
                        dt id={ "mark-" (letter(*flag)) } { span.mark { (letter(*flag)) } }
                        dd {
                            span { b { (flag.name()) } ": " (flag.advice()) }
                            (notes(&points, *flag))
                        }
                    }
                }
            }
            (doubts_table(&doubts))
            (equivalents(runs))
            (refusals(runs))
        }
    }
}

/// The notes of a flag on single points.
fn notes(points: &[&Point], flag: Flag) -> Markup {
    let notes = legend::notes_of(points, flag);
    html! {
        @if !notes.is_empty() {
            details {
                summary { "on " (points.iter().filter(|p| p.has(flag)).count()) " points" }
                ul {
                    @for (note, places) in notes.iter().take(MOST_NOTES) {
                        li { (clean(places.first().map_or("", String::as_str))) @if places.len() > 1 { " and others" } ": " (clean(note)) }
                    }
                    @if notes.len() > MOST_NOTES { li { "and " (notes.len() - MOST_NOTES) " more in the run's JSON document" } }
                }
            }
        }
    }
}

/// The doubts about all published figures.
fn doubts<'a>(runs: &[&'a RunJson]) -> Doubts<'a> {
    let mut doubts = Doubts::default();
    for run in runs {
        doubts.add_points(&run.points.iter().collect::<Vec<_>>());
        if let Some(published) = &run.published {
            of_published(published, &mut doubts);
        }
    }
    doubts
}

/// The doubts about figures that are not points.
fn of_published<'a>(published: &'a Published, doubts: &mut Doubts<'a>) {
    let mut add = |place: String, suspect: Option<&'a Suspect>| {
        if let Some(suspect) = suspect {
            doubts.add(place, suspect);
        }
    };
    for figure in &published.figures {
        add(figure.test.clone(), figure.suspect.as_ref());
    }
    for s in published.targets.iter().chain(&published.results).chain(&published.claims) {
        add(s.metric.replace('_', " "), s.suspect.as_ref());
    }
    for curve in &published.curves {
        for (key, suspect) in curve.suspects.iter().chain(curve.points.iter().flat_map(|p| &p.suspects)) {
            add(format!("{} {key}", curve.test), Some(suspect));
        }
    }
    for waits in &published.waits {
        add(waits.title.clone(), waits.suspect.as_ref());
    }
    for histogram in &published.histograms {
        let of_buckets = histogram.buckets.iter().filter_map(|b| b.suspect.as_ref());
        histogram.suspect.iter().chain(of_buckets).for_each(|s| add(histogram.title.clone(), Some(s)));
    }
}

fn doubts_table(doubts: &Doubts<'_>) -> Markup {
    let rows: Vec<TableRow> = doubts
        .each()
        .into_iter()
        .map(|(suspect, places)| {
            let advice: Vec<&str> = suspect.codes.iter().map(|code| code.advice()).collect();
            TableRow::texts([&places.join(", "), &suspect.names(), &suspect.why, &advice.join("; ")])
        })
        .collect();
    let heads = ["Figures", "Doubt", "Why", "What follows"].map(ColumnHead::words).into();
    let table = Table { caption: text("Published figures that a reader should doubt"), heads, rows, class: "prose" };
    html! { @if !table.rows.is_empty() { (table.render()) } }
}

fn listed<'a>(caption: &str, heads: [&str; 2], said: impl Iterator<Item = (String, SubjectName<'a>)>) -> Markup {
    let said = grouped(unique(said));
    let codes = |codes: &[SubjectName<'_>]| codes.iter().map(|c| c.name).collect::<Vec<_>>().join(", ");
    let rows = said.iter().map(|(what, of)| TableRow::texts([&codes(of), what])).collect();
    let table = Table { caption: text(caption), heads: heads.map(ColumnHead::words).into(), rows, class: "prose" };
    html! { @if !said.is_empty() { (table.render()) } }
}

fn equivalents(runs: &[&RunJson]) -> Markup {
    let all = runs.iter().flat_map(|run| {
        let several = runs.len() > 1;
        run.points.iter().filter(|p| legend::is_equivalent(p)).map(move |p| {
            let how = p.mapping_note.as_deref().unwrap_or("how was not recorded");
            (if several { format!("{}: {how}", run.database.engine) } else { how.to_owned() }, p.subject.name())
        })
    });
    listed("Equivalents: what stands in for what the test names", ["Tests", "What was done instead"], all)
}

fn refusals(runs: &[&RunJson]) -> Markup {
    let all = runs.iter().flat_map(|run| {
        let several = runs.len() > 1;
        run.points.iter().filter(|p| p.status != Status::Ok).filter_map(move |p| {
            let why = refusal(p)?;
            Some((if several { format!("{}: {why}", run.run.id) } else { why }, p.subject.name()))
        })
    });
    listed("Points without figures", ["Tests", "Why"], all)
}
