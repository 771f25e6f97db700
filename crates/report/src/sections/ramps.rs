//! The test classes: a part for each test with charts along its ramp and a table with every figure. The report of all
//! cells has the same rows in one table.

use super::columns::{KEYS, keys};
use super::measured::{MeasuredCell, anchor, by_test, key_metric, metric_words, ramps};
use super::own_platform::remarks;
use super::ramp_charts::{TestCells, loads, of_test};
use super::{latency, points, waits};
use crate::document::{Block, Caption, Cell, Column, Form, Keep, Note, Part, Row, Section, Table};
use crate::groups::grouped;
use crate::legend::{EQUIVALENT, Legend, is_equivalent, marks, refusal, source, title};
use crate::numbers::MISSING;
use crate::reported::Reported;
use dbdyno_catalogue::Catalogue;
use dbdyno_model::{ClientLoad, MetricId, RunJson, SubjectName};

use Keep::{Always, Drop};

/// A section for each test class of a run.
pub(crate) fn sections(reported: &Reported, catalogue: &Catalogue) -> Vec<Section> {
    let cells = MeasuredCell::on_ramps(&reported.run);
    let tests = by_test(&cells);
    let mut classes = grouped(tests.iter().map(|test| (test.0.class(), test)));
    classes.sort_by(|(a, _), (b, _)| a.cmp(b));
    let section = |(class, tests): (String, Vec<&TestCells<'_, '_>>)| {
        let about = tests.first().map(|(code, _)| format!(" {}", catalogue.class_title(*code)));
        let section = Section::new(format!("class-{class}"), &class).titled(&class, about.unwrap_or_default());
        let loads = loads(&tests, catalogue).map(|chart| Block::Charts(vec![chart]));
        let parts = tests.iter().map(|(code, cells)| part(*code, cells, reported, catalogue).into());
        let points = points::tables(&reported.run, catalogue, &class);
        let points = Part { title: "Every point".to_owned(), blocks: points, ..Part::default() };
        section.with(parts).with(loads).with([Block::Folded(points)])
    };
    classes.into_iter().map(section).collect()
}

fn part(code: SubjectName<'_>, cells: &[&MeasuredCell<'_>], reported: &Reported, catalogue: &Catalogue) -> Part {
    let equivalent = cells.iter().flat_map(|c| &c.points).find(|p| is_equivalent(p));
    let how = equivalent.and_then(|p| p.mapping_note.as_deref());
    let note = how.map(|how| Note::led(format!("{EQUIVALENT} "), format!("equivalent: {how}")).into());
    let (name, unit) = key_metric(cells).map_or(("Median", ""), |metric| metric_words(metric, catalogue));
    let caption = format!("{code}: median of the repeats at each degree of parallelism");
    let median = if unit.is_empty() { name.to_owned() } else { format!("{name}\n[{unit}]") };
    let blocks = note
        .into_iter()
        .chain(remarks(&reported.run, code))
        .chain(of_test(code, cells, reported, catalogue))
        .chain([table(caption, cells, Some(median), catalogue).into()])
        .chain(waits_of(code, cells));
    Part {
        id: anchor(code),
        code: code.to_string(),
        title: title(code, catalogue).to_owned(),
        blocks: blocks.collect(),
    }
}

/// The waits of a test along its ramp, by degree of parallelism.
fn waits_of(code: SubjectName<'_>, cells: &[&MeasuredCell<'_>]) -> Vec<Block> {
    let ramps = ramps(cells);
    let label = |cell: &MeasuredCell<'_>| {
        let ramp = if ramps.len() > 1 { format!(", {}", cell.ramp().name(&ramps)) } else { String::new() };
        format!("{}{ramp}", cell.dop())
    };
    waits::of_test(code, cells.iter().map(|cell| (label(cell), cell.ok().collect())))
}

/// The report of all cells of a run: the median of the key metric, the 95 % interval, the number of repeats, and marks.
pub(crate) fn report(run: &RunJson, catalogue: &Catalogue) -> Vec<Section> {
    let section = Section::new("cells", "Cells");
    if run.cells.is_empty() {
        return vec![section.with([Note::plain("This run has no cells yet.").into()])];
    }
    let cells = MeasuredCell::of(run);
    let cells: Vec<&MeasuredCell<'_>> = cells.iter().collect();
    let note = "± is half the 95 % interval in percent of the median; n counts repeats, 2/3 means that one of three gave \
                no figure.";
    let mut legend = Legend::of(&run.points);
    legend.add_flags(run.cells.iter().flat_map(|c| c.flags.iter().copied()));
    let table = table("Every cell".to_owned(), &cells, None, catalogue);
    vec![section.with([table.into(), Note::plain(note).into()]).with(legend.blocks()).with(source(run))]
}

/// A further figure of a cell.
type CellFigure = fn(&MeasuredCell<'_>) -> Option<f64>;

/// The columns behind the key metric. What the key metric is already is left out.
const MORE: [(Column, CellFigure, Form); 9] = [
    (
        more("rows/s", "Rows\n[1/s]", 1),
        |c| c.median(|p| p.rows_per_s).filter(|_| !c.has_key(&MetricId::from("rows_per_s"))),
        Form::Thousands,
    ),
    (more("service time", "Service\ntime", 1), |c| c.median(|p| p.service_time_s.as_ref()?.mean), Form::Duration),
    (more("CPU", "CPU\n[%]", 1), |c| c.median(|p| p.cpu.busy_pct), Form::Short),
    (more("reads/s", "Read\n[IOPS]", 0), |c| c.median(|p| p.io.read_iops), Form::Short),
    (more("writes/s", "Write\n[IOPS]", 0), |c| c.median(|p| p.io.write_iops), Form::Short),
    (more("MiB/s read", "Read\n[MiB/s]", 0), |c| c.median(|p| p.io.read_mib_per_s), Form::Short),
    (more("MiB/s written", "Write\n[MiB/s]", 0), |c| c.median(|p| p.io.write_mib_per_s), Form::Short),
    (more("redo", "Redo\n[MiB/s]", 0), |c| c.median(|p| p.redo.mib_per_s), Form::Short),
    (more("window", "Window\n[s]", 0), |c| c.median(|p| p.window_s), Form::Short),
];

const fn more(name: &'static str, head: &'static str, order: u8) -> Column {
    Column::figures(name, head, Drop(order)).optional()
}

/// The rows of some cells. Where all are of one test, its key metric is in the head of the median; else each row says
/// which metric it is, and figures are set so that very different ones can be compared.
fn table(caption: String, cells: &[&MeasuredCell<'_>], median: Option<String>, catalogue: &Catalogue) -> Table {
    let mut columns = KEYS.to_vec();
    columns.push(Column::words("storage load", "Storage", Drop(6)).optional());
    columns.push(Column::words("load", "Load", Always).optional());
    let form = if median.is_some() { Form::Thousands } else { Form::Scientific };
    let is_of_run = median.is_none();
    match median {
        Some(head) => columns.push(Column::made(head, Always)),
        None => columns.extend([
            Column::words("metric", "Metric", Drop(4)),
            Column::figures("median", "Median", Always),
            Column::words("unit", "Unit", Always),
        ]),
    }
    columns.extend([
        Column::figures("low", "95 %\nfrom", Drop(2)),
        Column::figures("high", "95 %\nto", Drop(3)),
        Column::figures("half-width", "±", Always),
        Column::figures("n", "n", Always),
    ]);
    columns.extend(MORE.map(|(column, ..)| column));
    columns.push(Column::words("marks", "", Always));
    let rows = cells.iter().map(|cell| row(cell, is_of_run.then_some(catalogue), form)).collect();
    Table::new(Caption::Page(caption), columns, rows)
}

fn row(of: &MeasuredCell<'_>, metric_from: Option<&Catalogue>, form: Form) -> Row {
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
    let figure = Cell::figure(median, form).doubtful(of.is_doubtful());
    match metric_from {
        None => cells.push(figure),
        Some(catalogue) => {
            let metric = cell.metric.as_ref();
            let known = metric.and_then(|id| catalogue.metric(id).ok()).map(|m| m.unit.as_str());
            let own = || of.points.iter().find_map(|p| p.metric.as_ref().map(|m| m.unit.as_str()));
            cells.push(Cell::words(metric.map_or(MISSING, MetricId::as_str)));
            cells.extend([figure, Cell::words(known.or_else(own).unwrap_or(MISSING))]);
        }
    }
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
    cells.extend(MORE.iter().map(|(_, figure, form)| Cell::known(figure(of), *form)));
    cells.push(Cell::marks(marks(of.ok(), &cell.flags)));
    Row::Cells(cells)
}
