//! The test classes: a part for each test with charts along its ramp and a table with every figure. The report of all
//! cells has the same rows in one table.

use super::measured::{MeasuredCell, anchor, by_test, key_metric, metric_words, ramp_name, ramps};
use super::own_platform::remarks;
use super::points::columns::figure_at;
use super::ramp_charts::{TestCells, loads, of_test};
use super::readings::PointReadings;
use super::{latency, points, waits};
use crate::legend::{self, is_equivalent};
use crate::reported::Reported;
use crate::sections::prelude::*;
use dbdyno_model::ClientLoad;
use serde_json::Value;

/// A section for each test class of a run.
pub(crate) fn sections(reported: &Reported, catalogue: &Catalogue) -> Vec<Section> {
    let cells = MeasuredCell::on_ramps(&reported.run);
    let tests = by_test(&cells);
    let readings = PointReadings::of(reported);
    let mut classes = grouped(tests.iter().map(|test| (test.0.class(), test)));
    classes.sort_by(|(a, _), (b, _)| a.cmp(b));
    let section = |(class, tests): (String, Vec<&TestCells<'_, '_>>)| {
        let about = format!(" {}", catalogue.class_title(tests[0].0));
        let section = Section::new(format!("class-{class}"), &class).titled(&class, about);
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
    let how = cells.iter().flat_map(|c| &c.points).find(|p| is_equivalent(p)).and_then(|p| p.mapping_note.as_deref());
    let note = how.map(|how| Note::led(format!("{EQUIVALENT} "), format!("equivalent: {how}")).into());
    let above = note.into_iter().chain(remarks(&reported.run, *code)).chain(of_test(test, reported, catalogue));
    let table = table(test, catalogue).into();
    let blocks = above.chain([table]).chain(waits_of(*code, cells)).chain(readings.of_test(*code));
    legend::part(anchor(*code), *code, catalogue, blocks.collect())
}

/// The waits of a test along its ramp, by degree of parallelism.
fn waits_of(code: SubjectName<'_>, cells: &[&MeasuredCell<'_>]) -> Vec<Block> {
    let ramps = ramps(cells);
    let label = |cell: &MeasuredCell<'_>| joined([cell.dop().to_string(), ramp_name(&cell.ramp(), &ramps)], ", ");
    waits::of_test(code, cells.iter().map(|cell| (label(cell), cell.ok().collect())).collect())
}

/// The report of all cells of a run: the median of the key metric, the 95 % interval, the number of repeats, and marks.
pub(crate) fn report(run: &RunJson) -> Vec<Section> {
    let rows = MeasuredCell::of(run).iter().map(|cell| row(cell, false)).collect();
    let section = alone(words::section("cells").with(explained("cells", "medians", rows)));
    let mut legend = Legend::of(&run.points);
    legend.add([], run.cells.iter().flat_map(|c| c.flags.iter().copied()));
    vec![section.with(legend.blocks()).with(source(run))]
}

/// The rows of a test, with its key metric in the caption.
fn table((code, cells): &TestCells<'_, '_>, catalogue: &Catalogue) -> Table {
    let (name, unit) = key_metric(cells).map_or(("", ""), |metric| metric_words(metric, catalogue));
    let medians = "median of the repeats at each degree of parallelism";
    let caption = format!("{code}: {}", joined([name, unit, medians], ", "));
    words::table("cells", "medians", cells.iter().map(|cell| row(cell, true)).collect()).called(caption)
}

/// The row of a cell. Where it is not among those of its test alone, it says which metric it is of, and its figures are
/// set so that very different ones can be compared.
fn row(of: &MeasuredCell<'_>, is_of_test: bool) -> Row {
    let (cell, key) = (of.cell, &of.cell.key);
    let again = if key.again { " again" } else { "" };
    let mut cells = keys(format!("{}{again}", key.subject.name()), key.dop, key.rows_per_tx);
    let load = if key.load == ClientLoad::default() { String::new() } else { latency::load_words(&key.load) };
    cells.push(Cell::words(key.subject.storage().map_or_else(String::new, |load| load.work())));
    cells.push(Cell::words(load));
    let Some(median) = cell.median else {
        let why = of.points.iter().rev().find_map(|p| refusal(p));
        return Row::Remark(cells, why.unwrap_or_else(|| "no figure: its points have no key metric".to_owned()));
    };
    let form = if is_of_test { Form::Thousands } else { Form::Scientific };
    let unit = of.points.iter().find_map(|p| p.metric.as_ref().map(|m| m.unit.as_str()));
    let metric = cell.metric.as_ref().map(MetricId::as_str);
    let [name, unit] = [metric, unit].map(|words| if is_of_test { "" } else { words.unwrap_or(MISSING) });
    cells.extend([Cell::words(name), Cell::figure(median, form).doubtful(of.is_doubtful()), Cell::words(unit)]);
    let half_pct = of.interval().map(|(low, high)| (high - low) / 2.0 / median * 100.0);
    let (n, all) = (cell.n as usize, of.points.len());
    let n = if all > n { format!("{n}/{all}") } else { n.to_string() };
    cells.extend([cell.low, cell.high].map(|end| Cell::figure(end, form)));
    cells.extend([Cell::figure(half_pct, Form::Percent), Cell::words(n)]);
    let bodies: Vec<Value> = of.ok().map(|point| serde_json::to_value(point).unwrap_or_default()).collect();
    for column in words::table("cells", "medians", Vec::new()).columns {
        let Some(form) = column.form else { continue };
        let median = median_of(bodies.iter().map(|body| figure_at(body, &column.path)));
        cells.push(Cell::known(median.filter(|_| metric != Some(column.path.as_str())), form));
    }
    cells.push(Cell::marks(marks(of.ok(), &cell.flags)));
    Row::Cells(cells)
}
