//! The one-page summary. Speed is the rate at DOP 1. Throughput is the rate measured again at the DOP that was best. A
//! figure that means something other than the test stands in parentheses, and a missing figure is replaced by its
//! reason.

pub(crate) mod figure;
pub(crate) mod head;
pub(crate) mod lines;
mod storage;
pub(crate) mod winners;

use crate::figures::{DOUBTFUL, Figure, in_doubt};
use crate::layout::{Column, Keep, Row, Sheet};
use crate::legend::{self, Doubts, EQUIVALENT, SUSPECT, is_equivalent, marks};
use crate::numbers::{MISSING, duration, printed, short, thousands};
use crate::published::bounded;
use crate::text::hanging;
use dbdyno_catalogue::Catalogue;
use dbdyno_model::{Flag, Point, RunJson};
use figure::{LineFigures, find, most_redo, no_redo};
use lines::{REDO, Shows, SummaryLine};

use Keep::{Always, Drop};

const COLUMNS: [Column; 10] = [
    Column::left("name", &[], Always),
    Column::left("test", &["Test"], Always),
    Column::left("unit", &["Unit"], Always),
    Column::right("speed", &["Speed", "DOP 1"], Always),
    Column::right("± of speed", &["±%"], Drop(1)),
    Column::right("throughput", &["Throughput", "best DOP"], Always),
    Column::right("± of throughput", &["±%"], Drop(2)),
    Column::right("best DOP", &["at"], Drop(3)),
    Column::right("time of one operation", &["Time/op"], Drop(4)),
    Column::left("marks", &[], Always),
];

/// The ± columns show the repeats, so these two flags need no letter here.
pub(crate) const SHOWN_BY_INTERVAL: [Flag; 2] = [Flag::Noisy, Flag::NoInterval];

/// What the page has used, for the notes below.
#[derive(Default)]
struct Used<'a> {
    points: Vec<&'a Point>,
    flags: Vec<Flag>,
    doubts: Doubts<'a>,
}

impl<'a> Used<'a> {
    /// Notes the points behind figures and returns their marks.
    fn mark(&mut self, test: &str, cells: &[Option<&Figure<'a>>]) -> String {
        let points: Vec<&Point> = cells.iter().flatten().flat_map(|c| c.points.iter().copied()).collect();
        let flags = points.iter().flat_map(|p| p.flags.iter().copied());
        let flags: Vec<Flag> = flags.filter(|f| !SHOWN_BY_INTERVAL.contains(f)).collect();
        // Doubt about another value of the same point does not concern this line.
        let mut text = marks(points.iter().copied(), &flags).replace(SUSPECT, "");
        let suspects: Vec<_> = cells.iter().flatten().filter_map(|c| Some((*c, c.suspect?))).collect();
        if !suspects.is_empty() {
            text.insert(0, SUSPECT);
        }
        for (figure, suspect) in suspects {
            let place = figure.dop.map_or_else(String::new, |dop| format!(" {dop}"));
            self.doubts.add(format!("{test}{place} {}", figure.metric), suspect);
        }
        self.points.extend(points);
        self.flags.extend(flags);
        text
    }
}

/// The summary of a run on one page. `width` is the terminal's; `None` drops and wraps nothing.
#[must_use]
pub fn page(run: &RunJson, catalogue: &Catalogue, width: Option<u16>) -> String {
    if run.is_of_storage() {
        return format!("{}\n{}", head::head(run, width), storage::limits_table(run, width));
    }
    let mut used = Used::default();
    let mut rows = Vec::new();
    let mut shown: Vec<(&SummaryLine, LineFigures<'_>)> = Vec::new();
    for section in lines::sections(run) {
        let before = rows.len();
        rows.push(Row::Section(section.title.to_owned()));
        for line in section.lines {
            let found = find(line, run, catalogue);
            // A value that a source does not print is not missing.
            let not_printed = run.published.is_some() && found.figures.is_err();
            if not_printed || (line.name.is_empty() && !adds(&found)) {
                continue;
            }
            used.points.extend(&found.instead_of);
            rows.push(row(line, &found, &mut used));
            shown.push((line, found));
        }
        if rows.len() == before + 1 {
            rows.pop();
        }
    }
    let mut out = head::head(run, width);
    out.push('\n');
    if rows.is_empty() {
        out.push_str(&hanging("", "The source has none of the figures of this page (--table published).", width));
        return out;
    }
    if run.published.is_none() || most_redo(run, catalogue).is_some() {
        rows.push(redo_row(run, catalogue, &mut used));
    }
    rows.extend(per_core_rows(run, &shown));
    out.push_str(&Sheet { columns: COLUMNS.to_vec(), rows, gap: 1 }.render(width));
    out.push('\n');
    out.push_str(&storage::shares_table(run, catalogue, width));
    out.push_str(&notes(&used, width));
    out.push_str(&crate::pace::sentence(run).map_or_else(String::new, |text| hanging("", &text, width)));
    let said = winners::sentences(shown.iter().map(|(line, found)| (*line, found)));
    for sentence in said.iter().chain(&winners::extrapolated(run)) {
        out.push_str(&hanging("", sentence, width));
    }
    out.push_str(&storage::no_shares(run, catalogue, width));
    out
}

/// Whether rows/s add to the tx/s of the line above: not without rows, and not with one row a transaction.
pub(crate) fn adds(rows: &LineFigures<'_>) -> bool {
    rows.throughput().is_some_and(|c| c.points.iter().any(|p| p.rows_per_s != p.tx_per_s))
}

fn keys(name: &str, test: &str) -> Vec<String> {
    let name = if name.is_empty() { String::new() } else { format!(" {name}") };
    vec![name, test.to_owned()]
}

fn row<'a>(line: &SummaryLine, found: &LineFigures<'a>, used: &mut Used<'a>) -> Row {
    if let Err(reason) = &found.figures {
        return Row::Remark { keys: keys(&found.name, &found.test), text: reason.clone() };
    }
    let speed = found.speed();
    let throughput = found.throughput().filter(|_| line.shows == Shows::Both);
    let mut texts = keys(&found.name, &found.test);
    texts.push(line.unit.to_owned());
    texts.extend(value_and_doubt(speed));
    if line.shows == Shows::Both {
        texts.extend(value_and_doubt(throughput));
        texts.push(throughput.and_then(|c| c.dop).map_or_else(|| MISSING.to_owned(), |dop| dop.to_string()));
        texts.push(line.time.map_or_else(String::new, |time| time_text(time, throughput, found)));
    } else {
        texts.extend([String::new(), String::new(), String::new(), String::new()]);
    }
    let printed_time = found.printed_time.as_ref().filter(|_| line.shows == Shows::Both);
    texts.push(used.mark(&found.test, &[speed, throughput, printed_time]));
    Row::Figures(texts)
}

/// The time of one operation at the best DOP: measured or printed.
fn time_text(time: &str, throughput: Option<&Figure<'_>>, found: &LineFigures<'_>) -> String {
    let measured = throughput.and_then(|c| c.median_of(time));
    match found.printed_time.as_ref().filter(|_| measured.is_none()) {
        Some(printed) => bounded(printed.bound(), &duration(printed.value())),
        None => in_doubt(throughput, duration(measured)),
    }
}

/// A cell's median and half the width of its interval in percent.
fn value_and_doubt(cell: Option<&Figure<'_>>) -> [String; 2] {
    let value = in_doubt(cell, thousands(cell.map(Figure::value)));
    let width = cell.and_then(|c| c.estimate.half_width_pct());
    [value, width.map_or_else(String::new, short)]
}

fn redo_row<'a>(run: &'a RunJson, catalogue: &Catalogue, used: &mut Used<'a>) -> Row {
    let Some(cell) = most_redo(run, catalogue) else {
        return Row::Remark { keys: keys(REDO.name, ""), text: no_redo(run, catalogue) };
    };
    let test = cell.points.first().map_or("", |p| p.subject.as_str());
    let mut texts = keys(REDO.name, test);
    texts.extend([REDO.unit.to_owned(), String::new(), String::new()]);
    let width = cell.estimate.half_width_pct();
    texts.extend([
        thousands(cell.estimate.median),
        width.map_or_else(String::new, short),
        cell.dop.map_or_else(String::new, |d| d.to_string()),
    ]);
    texts.extend([String::new(), used.mark(test, &[Some(&cell)])]);
    Row::Figures(texts)
}

/// The divisor of a throughput and its title: the cores that the work may use, or the hardware threads where cores are
/// not known.
pub(crate) fn per_core(run: &RunJson) -> Result<(f64, String), String> {
    let cpu = &run.platform.cpu;
    let (usable, what) = match (cpu.usable_cores(), cpu.usable_threads()) {
        (Some(cores), _) => (cores, "core"),
        (None, Some(threads)) => (threads, "hardware thread"),
        (None, None) => return Err("Per core: the number of cores is not known".to_owned()),
    };
    let of = match usable.of {
        None => format!("of {}", printed(usable.n)),
        Some(all) => format!("of {} that it may use, of {all}", printed(usable.n)),
    };
    Ok((usable.n, format!("Throughput per {what} ({of})")))
}

fn per_core_rows(run: &RunJson, lines: &[(&SummaryLine, LineFigures<'_>)]) -> Vec<Row> {
    let (n, title) = match per_core(run) {
        Ok(divisor) => divisor,
        Err(why) => return vec![Row::Section(why)],
    };
    let mut rows = vec![Row::Section(title)];
    for (line, found) in lines.iter().filter(|(line, _)| line.per_core) {
        if let Some(cell) = found.throughput() {
            let mut texts = keys(&found.name, &found.test);
            texts.extend([line.unit.to_owned(), String::new(), String::new()]);
            texts.push(in_doubt(Some(cell), thousands(cell.estimate.median / n)));
            rows.push(Row::Figures(texts));
        }
    }
    if rows.len() == 1 { Vec::new() } else { rows }
}

fn notes(used: &Used<'_>, width: Option<u16>) -> String {
    let text = "± is half the 95 % interval in percent of the median; it is blank with fewer than three repeats. Time/op is \
                the service time of one operation, or of the I/O, at the best DOP; \"at\" is nodes x jobs x threads.";
    let mut out = hanging("", text, width);
    if used.flags.iter().any(|f| DOUBTFUL.contains(f)) {
        let text = "A figure in parentheses is not one of what the test is meant to measure; its letter says why.";
        out.push_str(&hanging("", text, width));
    }
    if used.points.iter().any(|p| is_equivalent(p)) {
        let text = format!("{EQUIVALENT} marks work done by other means than the test names:");
        out.push_str(&hanging("", &text, width));
    }
    out.push_str(&legend::mappings(&used.points, width));
    out.push_str(&legend::client(&used.points, width));
    out.push_str(&used.doubts.render(width));
    for flag in Flag::ALL.into_iter().filter(|f| used.flags.contains(f)) {
        out.push_str(&legend::advice(flag, width));
    }
    out
}
