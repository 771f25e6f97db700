//! The key metrics on one page. Speed is the rate at DOP 1. Throughput is the rate measured again at the DOP that was
//! best. A figure that means something other than the test stands in parentheses, and a missing figure is replaced by
//! its reason.

use super::{pace, storage};
use crate::document::Tile;
use crate::figures::Figure;
use crate::sections::prelude::*;
use crate::summary::figure::{LineFigures, find, most_redo};
use crate::summary::lines::{LINES, SummaryLine, sections};
use crate::summary::winners;

/// The ± columns show the repeats, so these two flags need no letter here.
const SHOWN_BY_INTERVAL: [Flag; 2] = [Flag::Noisy, Flag::NoInterval];

/// A line: its layer, the line itself, and its figures.
type FoundLine<'r> = (&'static str, &'static SummaryLine, LineFigures<'r>);

/// The section of a run; that of a run of storage has its limits.
pub(crate) fn section(run: &RunJson, catalogue: &Catalogue) -> Section {
    key_metrics(run, catalogue).0
}

/// The report of it with its legend, a database's share of its storage's limits, and the machine's pace.
pub(crate) fn report(run: &RunJson, catalogue: &Catalogue) -> Vec<Section> {
    let (section, legend) = key_metrics(run, catalogue);
    let legend = legend.blocks().into_iter().map(brief);
    vec![section.with(legend), storage::share(run, catalogue), pace::section(run)]
}

/// A legend without its notes on single points: the summary has one page.
fn brief(block: Block) -> Block {
    match block {
        Block::Legend(entries) => Block::Legend(entries.into_iter().map(|of| entry(of.mark, of.text)).collect()),
        other => other,
    }
}

/// The section, and the marks that it has used.
fn key_metrics<'r>(run: &'r RunJson, catalogue: &Catalogue) -> (Section, Legend<'r>) {
    let mut section = words::section("key-metrics");
    let mut legend = Legend::default();
    if run.is_of_storage() {
        return (section.with(storage::limits(run)), legend);
    }
    let lines = sections(run).iter().flat_map(|s| s.lines.iter().map(move |line| (s.title, line)));
    let found = lines.map(|(layer, line)| (layer, line, find(line, run, catalogue)));
    // The test with the most redo stands below all others.
    let redo = sections(run).last().map(|last| (last.title, &LINES.redo, most_redo(run, catalogue)));
    // A value that a source does not print is not missing.
    let is_said = |found: &LineFigures<'_>| run.published.is_none() || found.figures.is_ok();
    let shown: Vec<FoundLine<'r>> =
        found.chain(redo).filter(|(_, line, of)| is_said(of) && (!line.name.is_empty() || of.adds_rows())).collect();
    if shown.is_empty() {
        return (alone(section), legend);
    }
    let with_tile = shown.iter().filter(|(_, line, of)| line.tile && of.is_measured());
    section.push(with_tile.map(tile).collect::<Vec<_>>());
    let mut rows = Vec::new();
    for (layer, lines) in grouped(shown.iter().map(|(layer, line, of)| (*layer, (*line, of)))) {
        rows.push(Row::Group(layer.to_owned()));
        rows.extend(lines.into_iter().map(|(line, of)| row(line, of, &mut legend)));
    }
    rows.extend(per_core_rows(run, &shown));
    section.push(words::table("key-metrics", "all", rows).look(Look::Keys));
    section.push(note("key-metrics", "all"));
    // What the rates say of the best DOP need not be said of their redo.
    let rates = shown.iter().filter(|(_, line, _)| line.name != LINES.redo.name);
    let said = winners::sentences(run, rates.map(|(.., of)| of));
    (section.with(said.into_iter().map(|sentence| Note::plain(sentence).into())), legend)
}

fn tile((layer, line, found): &FoundLine<'_>) -> Tile {
    let best = found.throughput();
    let shown: Vec<&Figure<'_>> = best.into_iter().chain(&found.printed_time).collect();
    let cell = best.map_or_else(Cell::empty, |best| value(Some(best)).marked(marks_of(&shown)));
    let reason = found.figures.as_ref().err().cloned();
    let detail = reason.or_else(|| Some(detail(line, best?, found))).unwrap_or_default();
    Tile { name: found.name.clone(), layer: (*layer).to_owned(), cell, unit: line.unit.to_owned(), detail }
}

/// Where the best figure was reached, and its ratio to one job's.
fn detail(line: &SummaryLine, best: &Figure<'_>, found: &LineFigures<'_>) -> String {
    let speed = found.speed().filter(|speed| speed.dop != best.dop && speed.value() > 0.0);
    let time = Some(time(line, Some(best), found)).filter(|time| !time.is_missing());
    let parts = [
        best.dop.map(dop_words),
        speed.map(|speed| format!("{:.2} × one job", best.value() / speed.value())),
        time.map(|time| format!("{} each", time.text())),
        best.estimate.half_width_pct().map(|pct| format!("± {}", percent(pct))),
    ];
    joined(parts.into_iter().flatten(), " · ")
}

/// The marks of the figures of a line. Doubt about another value of the same point does not concern it.
fn marks_of(figures: &[&Figure<'_>]) -> String {
    let points = figures.iter().flat_map(|figure| figure.points.iter().copied());
    let marks = marks(points, &flags(figures)).replace(SUSPECT, "");
    suspect_mark(figures.iter().any(|figure| figure.suspect.is_some())) + &marks
}

fn flags(figures: &[&Figure<'_>]) -> Vec<Flag> {
    figures.iter().flat_map(|figure| figure.flags()).filter(|flag| !SHOWN_BY_INTERVAL.contains(flag)).collect()
}

fn value(figure: Option<&Figure<'_>>) -> Cell {
    Cell::figure(figure.map(Figure::value), Form::Thousands).doubtful(figure.is_some_and(Figure::is_doubtful))
}

/// A figure and half the width of its interval in percent.
fn with_interval(figure: Option<&Figure<'_>>) -> [Cell; 2] {
    let width_pct = figure.and_then(|figure| figure.estimate.half_width_pct());
    [value(figure), Cell::known(width_pct, Form::Short)]
}

fn place(figure: Option<&Figure<'_>>) -> Cell {
    Cell::words(figure.and_then(|figure| figure.dop).map_or_else(|| MISSING.to_owned(), |dop| dop.to_string()))
}

/// The time of one operation at the best DOP: measured or printed.
fn time(line: &SummaryLine, best: Option<&Figure<'_>>, found: &LineFigures<'_>) -> Cell {
    let Some(metric) = line.time else { return Cell::empty() };
    match (best.and_then(|best| best.median_of(metric)), &found.printed_time) {
        (None, Some(printed)) => Cell::figure(printed.value(), Form::Duration).bounded(printed.bound()),
        (time_s, _) => Cell::figure(time_s, Form::Duration).doubtful(best.is_some_and(Figure::is_doubtful)),
    }
}

/// The row of a line, whose marks the legend then explains.
fn row<'r>(line: &SummaryLine, found: &LineFigures<'r>, legend: &mut Legend<'r>) -> Row {
    legend.add(found.instead_of.iter().copied(), []);
    if let Err(reason) = &found.figures {
        return Row::Remark([&found.name, &found.test].map(Cell::words).into(), reason.clone());
    }
    let (speed, best) = (found.speed(), found.throughput());
    let shown: Vec<&Figure<'r>> = speed.into_iter().chain(best).chain(&found.printed_time).collect();
    for figure in &shown {
        let place = figure.dop.map_or_else(String::new, |dop| format!(" {dop}"));
        legend.doubts.add(format!("{}{place} {}", found.test, figure.metric), figure.suspect);
    }
    legend.add(shown.iter().flat_map(|figure| figure.points.iter().copied()), flags(&shown));
    let (throughput, place) = if line.speed_alone { Default::default() } else { (with_interval(best), place(best)) };
    let last = [place, time(line, best, found), Cell::marks(marks_of(&shown))];
    let cells = with_interval(speed).into_iter().chain(throughput).chain(last);
    Row::led([found.name.as_str(), &found.test, line.unit], cells)
}

/// The divisor of a throughput and its title: the cores that the work may use, or the hardware threads where cores are
/// not known; `None` where neither is.
pub(super) fn per_core(run: &RunJson) -> Option<(f64, String)> {
    let cpu = &run.platform.cpu;
    let cores = cpu.usable_cores().map(|cores| (cores, "core"));
    let (usable, what) = cores.or_else(|| Some((cpu.usable_threads()?, "hardware thread")))?;
    let of_all = usable.of.map_or_else(String::new, |all| format!(" that it may use, of {all}"));
    Some((usable.n, format!("Throughput per {what} (of {}{of_all})", printed(usable.n))))
}

fn per_core_rows(run: &RunJson, lines: &[FoundLine<'_>]) -> Vec<Row> {
    let Some((n, title)) = per_core(run) else {
        return vec![Row::Group("Per core: the number of cores is not known".to_owned())];
    };
    let row = |(_, line, found): &FoundLine<'_>| {
        let best = found.throughput()?;
        let share = Cell::figure(best.value() / n, Form::Thousands).doubtful(best.is_doubtful());
        let cells = [Cell::empty(), Cell::empty(), share, Cell::empty(), place(Some(best)), Cell::empty()];
        let cells = cells.into_iter().chain([Cell::marks(marks_of(&[best]))]);
        Some(Row::led([found.name.as_str(), &found.test, line.unit], cells))
    };
    let rows: Vec<Row> = lines.iter().filter(|(_, line, _)| line.per_core).filter_map(row).collect();
    let title = (!rows.is_empty()).then_some(Row::Group(title));
    title.into_iter().chain(rows).collect()
}
