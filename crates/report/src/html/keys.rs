//! The first screen: a tile for each key figure, and the whole table of key metrics below.

use super::marks::{figure, marks, suspect};
use super::reported::duration;
use super::table::{ColumnHead, Table, TableRow, text};
use crate::figures::Figure;
use crate::groups::grouped;
use crate::numbers::{MISSING, percent, thousands};
use crate::published::bounded;
use crate::summary::figure::{LineFigures, find, most_redo, no_redo};
use crate::summary::head::dop_words;
use crate::summary::lines::{REDO, Shows, SummaryLine, sections};
use crate::summary::{SHOWN_BY_INTERVAL, adds, winners};
use crate::text::clean;
use dbdyno_catalogue::Catalogue;
use dbdyno_model::{Flag, RunJson};
use maud::{Markup, html};

/// The lines that have a tile, by their names in the summary.
const TILES: [&str; 9] = [
    "Transactions",
    "String mix",
    "Full scan, cached",
    "By primary key",
    "Sequential read",
    "Random read",
    "Random write",
    "Bulk load",
    "OLTP update",
];

/// A line of the key metrics: the title of its section, the line itself, and its figures.
type FoundLine<'r> = (&'static str, &'static SummaryLine, LineFigures<'r>);

/// The section of a run; empty for a run of storage.
pub(super) fn section(run: &RunJson, catalogue: &Catalogue) -> Markup {
    if run.is_of_storage() {
        return html! {};
    }
    let lines = sections(run).iter().flat_map(|s| s.lines.iter().map(move |line| (s.title, line)));
    let found: Vec<FoundLine<'_>> = lines.map(|(title, line)| (title, line, find(line, run, catalogue))).collect();
    let tiles =
        TILES.iter().filter_map(|name| found.iter().find(|(_, line, found)| line.name == *name && found.is_measured()));
    let left_out: Vec<String> = found
        .iter()
        .filter(|(_, line, found)| !line.name.is_empty() && !found.is_measured())
        .map(|(_, line, found)| format!("{} ({})", line.name.trim(), found.test))
        .collect();
    let winners = winners::sentences(found.iter().map(|(_, line, found)| (*line, found)));
    let said = winners.into_iter().chain(winners::extrapolated(run));
    let throughput = match run.published {
        Some(_) => "the best median at any degree of parallelism",
        None => "the rate measured again at the degree of parallelism that was best",
    };
    html! {
        section #key-metrics {
            h2 { "Key metrics" }
            div.tiles { @for (title, line, found) in tiles { (tile(title, line, found)) } }
            (table(run, &found, catalogue).render())
            @if !left_out.is_empty() { p.note { "Not measured: " (left_out.join(", ")) "." } }
            p.note {
                b { "Speed" } " is the rate of one job with one thread; " b { "throughput" } " " (throughput) ", and "
                i { "at" } " says which: nodes × jobs × threads. ± is half the 95 % interval in percent of the median, empty with fewer than
                three repeats. " i { "Time/op" } " is the mean service time of one operation, or of the I/O, there."
            }
            @for sentence in said { p.note { (clean(&sentence)) } }
        }
    }
}

fn tile(title: &str, line: &SummaryLine, found: &LineFigures<'_>) -> Markup {
    let best = found.throughput().filter(|_| line.shows == Shows::Both);
    html! {
        div.tile {
            h3 { (found.name) " " span.layer { (title) } }
            @match (&found.figures, best) {
                (Ok(_), Some(cell)) => {
                    p.value {
                        (figure(thousands(cell.estimate.median), cell.is_doubtful())) " " span.unit { (line.unit) }
                    }
                    p.detail { (detail(line, cell, found)) " " (line_marks(&[Some(cell), found.printed_time.as_ref()])) }
                },
                (Err(why), _) => { p.value.none { "–" } p.detail { (clean(why)) } },
                (Ok(_), None) => { p.value.none { "–" } },
            }
        }
    }
}

/// Where the best figure was reached, and its ratio to one job's.
fn detail(line: &SummaryLine, best: &Figure<'_>, found: &LineFigures<'_>) -> String {
    let mut parts: Vec<String> = best.dop.map(dop_words).into_iter().collect();
    let ratio = found
        .speed()
        .filter(|s| s.dop != best.dop && s.estimate.median > 0.0)
        .map(|s| best.estimate.median / s.estimate.median);
    parts.extend(ratio.map(|r| format!("{r:.2} × one job")));
    let time = time(line, Some(best), found);
    parts.extend((!time.is_empty()).then(|| format!("{time} each")));
    parts.extend(best.estimate.half_width_pct().map(|pct| format!("± {}", percent(pct))));
    parts.join(" · ")
}

/// The time of one operation at the best degree of parallelism: measured or printed.
fn time(line: &SummaryLine, best: Option<&Figure<'_>>, found: &LineFigures<'_>) -> String {
    let measured = line.time.and_then(|metric| best?.median_of(metric));
    match (measured, &found.printed_time) {
        (Some(time_s), _) => duration(time_s),
        (None, Some(printed)) => bounded(printed.bound(), &duration(printed.value())),
        (None, None) => String::new(),
    }
}

fn line_marks(cells: &[Option<&Figure<'_>>]) -> Markup {
    let points = || cells.iter().flatten().flat_map(|c| c.points.iter().copied());
    let flags: Vec<Flag> =
        points().flat_map(|p| p.flags.iter().copied()).filter(|f| !SHOWN_BY_INTERVAL.contains(f)).collect();
    let doubted = cells.iter().flatten().any(|c| c.suspect.is_some());
    html! { @if doubted { (suspect()) } (marks(points(), &flags)) }
}

fn table(run: &RunJson, found: &[FoundLine<'_>], catalogue: &Catalogue) -> Table {
    let heads = ColumnHead::row(
        "Metric | Test | Unit | Speed [DOP 1] | ± [%] | Throughput [best DOP] | ± [%] | at [] | Time/op [] | Remarks",
    );
    let measured = found.iter().filter(|(_, _, found)| found.is_measured());
    let shown = measured.filter(|(_, line, found)| !line.name.is_empty() || adds(found));
    let mut rows = Vec::new();
    for (title, lines) in grouped(shown.map(|(title, line, found)| (*title, row(line, found)))) {
        rows.push(TableRow::Group(title.to_owned()));
        rows.extend(lines);
    }
    rows.push(redo(run, catalogue));
    rows.extend(per_core(run, found));
    Table { caption: text("All key metrics"), heads, rows, class: "keys" }
}

fn dop(figure: &Figure<'_>) -> String {
    figure.dop.map_or_else(|| MISSING.to_owned(), |dop| dop.to_string())
}

fn keys(name: &str, test: &str) -> Vec<Markup> {
    vec![text(name.trim()), text(test)]
}

/// Median and half-width of a cell.
fn value(cell: Option<&Figure<'_>>) -> [Markup; 2] {
    let shown = thousands(cell.map(|c| c.estimate.median));
    let width = cell.and_then(|c| c.estimate.half_width_pct()).map_or_else(String::new, crate::numbers::short);
    [figure(shown, cell.is_some_and(Figure::is_doubtful)), text(&width)]
}

fn row(line: &SummaryLine, found: &LineFigures<'_>) -> TableRow {
    let mut cells = keys(&found.name, &found.test);
    if let Err(reason) = &found.figures {
        return TableRow::Remark(cells, reason.clone());
    }
    let speed = found.speed();
    let best = found.throughput().filter(|_| line.shows == Shows::Both);
    cells.push(text(line.unit));
    cells.extend(value(speed));
    if line.shows == Shows::Both {
        cells.extend(value(best));
        cells.push(text(&best.map_or_else(|| MISSING.to_owned(), dop)));
        let time = time(line, best, found);
        cells.push(figure(time.clone(), !time.is_empty() && best.is_some_and(Figure::is_doubtful)));
    } else {
        cells.extend(std::iter::repeat_with(|| text("")).take(4));
    }
    cells.push(line_marks(&[speed, best, found.printed_time.as_ref()]));
    TableRow::Figures(cells)
}

fn redo(run: &RunJson, catalogue: &Catalogue) -> TableRow {
    let Some(cell) = most_redo(run, catalogue) else {
        return TableRow::Remark(keys(REDO.name, ""), no_redo(run, catalogue));
    };
    let mut cells = keys(REDO.name, cell.points.first().map_or("", |p| p.subject.as_str()));
    cells.extend([text(REDO.unit), text(""), text("")]);
    cells.extend(value(Some(&cell)));
    cells.extend([text(&dop(&cell)), text(""), line_marks(&[Some(&cell)])]);
    TableRow::Figures(cells)
}

/// Throughput divided by the cores that the work may use.
fn per_core(run: &RunJson, found: &[FoundLine<'_>]) -> Vec<TableRow> {
    let (n, title) = match crate::summary::per_core(run) {
        Ok(divisor) => divisor,
        Err(why) => return vec![TableRow::Group(why)],
    };
    let lines = found.iter().filter(|(_, line, _)| line.per_core);
    let rows: Vec<TableRow> = lines
        .filter_map(|(_, line, found)| {
            let cell = found.throughput()?;
            let mut cells = keys(&found.name, &found.test);
            cells.extend([text(line.unit), text(""), text("")]);
            cells.push(figure(thousands(cell.estimate.median / n), cell.is_doubtful()));
            cells.extend([text(""), text(&dop(cell)), text(""), line_marks(&[Some(cell)])]);
            Some(TableRow::Figures(cells))
        })
        .collect();
    let title = TableRow::Group(title);
    if rows.is_empty() { rows } else { std::iter::once(title).chain(rows).collect() }
}
