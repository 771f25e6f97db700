//! The test classes: a part for each test with charts along its ramp and a table with every figure. The report of all
//! cells has the same rows in one table.

use super::measured::{MeasuredCell, anchor, by_test, key_metric, metric_words, ramp_name, ramps};
use super::own_platform::remarks;
use super::points::columns::{at, body};
use super::ramp_charts::{TestCells, loads, of_test};
use super::readings::PointReadings;
use super::words::{self, alone, keys, note};
use super::{latency, points, waits};
use crate::document::{Block, Cell, Column, Form, Keep, Note, Part, Row, Section, Table};
use crate::figures::median_of;
use crate::groups::grouped;
use crate::legend::{self, EQUIVALENT, Legend, is_equivalent, marks, refusal, source};
use crate::numbers::MISSING;
use crate::reported::Reported;
use dbdyno_catalogue::Catalogue;
use dbdyno_model::{ClientLoad, MetricId, RunJson, SubjectName};
use serde_json::Value;

/// A section for each test class of a run.
pub(crate) fn sections(reported: &Reported, catalogue: &Catalogue) -> Vec<Section> {
    let cells = MeasuredCell::on_ramps(&reported.run);
    let tests = by_test(&cells);
    let readings = PointReadings::of(reported);
    let mut classes = grouped(tests.iter().map(|test| (test.0.class(), test)));
    classes.sort_by(|(a, _), (b, _)| a.cmp(b));
    let section = |(class, tests): (String, Vec<&TestCells<'_, '_>>)| {
        let about = tests.first().map(|(code, _)| format!(" {}", catalogue.class_title(*code)));
        let section = Section::new(format!("class-{class}"), &class).titled(&class, about.unwrap_or_default());
        let loads = loads(&tests, catalogue).map(|chart| Block::Charts(vec![chart]));
        let parts = tests.iter().map(|test| part(test, reported, &readings, catalogue).into());
        let points = points::tables(&reported.run, catalogue, &class);
        let points = Part { title: "Every point".to_owned(), blocks: points, ..Part::default() };
        section.with(parts).with(loads).with([Block::Folded(points)])
    };
    classes.into_iter().map(section).collect()
}

fn part(test: &TestCells<'_, '_>, reported: &Reported, readings: &PointReadings<'_>, catalogue: &Catalogue) -> Part {
    let (code, cells) = test;
    let equivalent = cells.iter().flat_map(|c| &c.points).find(|p| is_equivalent(p));
    let how = equivalent.and_then(|p| p.mapping_note.as_deref());
    let note = how.map(|how| Note::led(format!("{EQUIVALENT} "), format!("equivalent: {how}")).into());
    let (name, unit) = key_metric(cells).map_or(("Median", ""), |metric| metric_words(metric, catalogue));
    let caption = format!("{code}: median of the repeats at each degree of parallelism");
    let median = if unit.is_empty() { name.to_owned() } else { format!("{name}\n[{unit}]") };
    let blocks = note
        .into_iter()
        .chain(remarks(&reported.run, *code))
        .chain(of_test(test, reported, catalogue))
        .chain([table(caption, cells, Some(median)).into()])
        .chain(waits_of(*code, cells))
        .chain(readings.of_test(*code));
    legend::part(anchor(*code), *code, catalogue, blocks.collect())
}

/// The waits of a test along its ramp, by degree of parallelism.
fn waits_of(code: SubjectName<'_>, cells: &[&MeasuredCell<'_>]) -> Vec<Block> {
    let ramps = ramps(cells);
    let label = |cell: &MeasuredCell<'_>| {
        let ramp = if ramps.len() > 1 { format!(", {}", ramp_name(&cell.ramp(), &ramps)) } else { String::new() };
        format!("{}{ramp}", cell.dop())
    };
    waits::of_test(code, cells.iter().map(|cell| (label(cell), cell.ok().collect())))
}

/// The report of all cells of a run: the median of the key metric, the 95 % interval, the number of repeats, and marks.
pub(crate) fn report(run: &RunJson) -> Vec<Section> {
    let section = words::section("cells");
    if run.cells.is_empty() {
        return vec![alone(section)];
    }
    let cells = MeasuredCell::of(run);
    let cells: Vec<&MeasuredCell<'_>> = cells.iter().collect();
    let mut legend = Legend::of(&run.points);
    legend.add_flags(run.cells.iter().flat_map(|c| c.flags.iter().copied()));
    let table = table("Every cell".to_owned(), &cells, None);
    vec![section.with([table.into(), note("cells", "medians").into()]).with(legend.blocks()).with(source(run))]
}

/// The rows of some cells. Where all are of one test, its key metric is in the head of the median; else each row says
/// which metric it is, and figures are set so that very different ones can be compared.
fn table(caption: String, cells: &[&MeasuredCell<'_>], median: Option<String>) -> Table {
    let rows = cells.iter().map(|cell| row(cell, median.is_some())).collect();
    let mut table = words::table("cells", "medians", rows).called(caption);
    if let (Some(head), Some(column)) = (median, table.columns.iter_mut().find(|column| column.name == "median")) {
        *column = Column::made(head, Keep::Always);
    }
    table
}

fn row(of: &MeasuredCell<'_>, is_of_test: bool) -> Row {
    let (cell, key) = (of.cell, &of.cell.key);
    let again = if key.again { " again" } else { "" };
    let mut cells = keys(format!("{}{again}", key.subject.name()), key.dop, key.rows_per_tx);
    let load = if key.load == ClientLoad::default() { String::new() } else { latency::words(&key.load) };
    cells.push(Cell::words(key.subject.storage().map_or_else(String::new, |load| load.work())));
    cells.push(Cell::words(load));
    let Some(median) = cell.median else {
        let why = of.points.iter().rev().find_map(|p| refusal(p));
        return Row::Remark(cells, why.unwrap_or_else(|| "no figure: its points have no key metric".to_owned()));
    };
    let form = if is_of_test { Form::Thousands } else { Form::Scientific };
    let unit = of.points.iter().find_map(|p| p.metric.as_ref().map(|m| m.unit.as_str()));
    let metric = cell.metric.as_ref().map(MetricId::as_str);
    let [metric, unit] = [metric, unit].map(|words| if is_of_test { "" } else { words.unwrap_or(MISSING) });
    cells.extend([Cell::words(metric), Cell::figure(median, form).doubtful(of.is_doubtful()), Cell::words(unit)]);
    let half_pct = of.interval().map(|(low, high)| (high - low) / 2.0 / median * 100.0);
    let n = match of.points.len() {
        all if all > cell.n as usize => format!("{}/{all}", cell.n),
        _ => cell.n.to_string(),
    };
    cells.extend([
        Cell::figure(cell.low, form),
        Cell::figure(cell.high, form),
        Cell::figure(half_pct, Form::Percent),
        Cell::words(n),
    ]);
    let bodies: Vec<Value> = of.ok().map(body).collect();
    for column in words::columns("cells", "medians") {
        let Some(form) = column.form else { continue };
        let is_key = cell.metric.as_ref().is_some_and(|metric| metric.as_str() == column.path);
        let median = median_of(bodies.iter().map(|body| at(body, &column.path))).filter(|_| !is_key);
        cells.push(Cell::known(median, form));
    }
    cells.push(Cell::marks(marks(of.ok(), &cell.flags)));
    Row::Cells(cells)
}
