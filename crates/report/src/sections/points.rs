//! The Benchware tables: 8.0 for every test, 8.4 for load and OLTP tests. Every point is a row; a point without figures
//! has its reason instead.

pub(super) mod columns;

use super::own_platform::remarks;
use super::words::{self, ColumnWords, alone, keys, note};
use crate::document::{Block, Cell, Note, Part, Row, Section, Table};
use crate::groups::{grouped, unique};
use crate::legend::{Legend, commits, gaps, marks, not_supported, refusal, source, titles};
use crate::terminal::lines::clip;
use dbdyno_catalogue::Catalogue;
use dbdyno_model::{Point, PublishedNumber, RunJson, Status};

/// A table of the documents.
pub(crate) struct Layout {
    /// Its key in `words.toml`, where a note says what heads and units mean; the caption is what it is called.
    key: &'static str,
    /// The classes whose points it has; empty for all.
    classes: &'static [&'static str],
}

/// Every test.
pub(crate) const BPS80: Layout = Layout { key: "bps80", classes: &[] };
/// The load tests (T3xx, DBL).
pub(crate) const BPS84_LOAD: Layout = Layout { key: "bps84_load", classes: &["T300", "DBL"] };
/// The select and update tests (T6xx, T7xx, DBX).
pub(crate) const BPS84_OLTP: Layout = Layout { key: "bps84_oltp", classes: &["T600", "T700", "DBX"] };

/// How many of the common columns identify a point; rows per transaction are a figure here.
const IDENTIFYING: usize = 4;
/// Characters of a run's id in a table; a prefix identifies a run.
const SHORT_ID: usize = 8;
/// With more points of a class a page leaves out the table of 8.0, whose figures are in those of cells, too: a page
/// must be small enough to be sent.
const MOST_ON_A_PAGE: usize = 50;

/// A point with its number in the run.
type NumberedPoint<'r> = (u64, &'r Point);

/// The tables of a class for a page: that of 8.0, and that of 8.4 where the class has one.
pub(crate) fn tables(run: &RunJson, catalogue: &Catalogue, class: &str) -> Vec<Block> {
    let Some((_, points)) = classes(run).into_iter().find(|(of, _)| of == class) else { return Vec::new() };
    let is_large = points.len() > MOST_ON_A_PAGE;
    let layouts = [BPS80, BPS84_LOAD, BPS84_OLTP].into_iter().filter(|layout| layout.has(class));
    let layouts = layouts.filter(|layout| !(is_large && layout.key == BPS80.key));
    let blocks = |layout: Layout| {
        let table = table(&points, catalogue, &layout, None);
        let gaps = gaps_of(&unnumbered(&points), &table, &words::columns("points", layout.key));
        [table.into()].into_iter().chain(gaps).chain([note("points", layout.key).into()])
    };
    let large = format!("`dbdyno show {} --table 8.0` has every point of this class.", run.run.id);
    layouts.flat_map(blocks).chain(is_large.then(|| Note::plain(large).into())).collect()
}

/// The report of one table: a part for each class, with its legend.
pub(crate) fn report(run: &RunJson, catalogue: &Catalogue, layout: &Layout) -> Vec<Section> {
    let mut section = words::section("points");
    for (class, numbered) in classes(run).into_iter().filter(|(class, _)| layout.has(class)) {
        let points = unnumbered(&numbered);
        let table = table(&numbered, catalogue, layout, Some(run));
        let remarks = unique(points.iter().map(|p| p.subject.name())).into_iter().flat_map(|code| remarks(run, code));
        let notes = notes(&points, &table, &words::columns("points", layout.key));
        let blocks = [table.into()].into_iter().chain(titles(&points, catalogue)).chain(remarks).chain(notes);
        let title = catalogue.class_title(points[0].subject.name()).to_owned();
        section.push(Part { id: String::new(), code: class, title, blocks: blocks.collect() });
    }
    if !section.blocks.is_empty() {
        section.push(note("points", layout.key));
        section.blocks.extend(source(run));
    }
    vec![alone(section)]
}

impl Layout {
    fn has(&self, class: &str) -> bool {
        self.classes.is_empty() || self.classes.contains(&class)
    }
}

/// The points of each class. Repeats go through the class again, so those of one test are together.
fn classes(run: &RunJson) -> Vec<(String, Vec<NumberedPoint<'_>>)> {
    let tests = grouped((1..).zip(&run.points).map(|point| (point.1.subject.name(), point)));
    let classes = grouped(tests.into_iter().map(|(test, points)| (test.class(), points)));
    classes.into_iter().map(|(class, tests)| (class, tests.concat())).collect()
}

fn unnumbered<'r>(points: &[NumberedPoint<'r>]) -> Vec<&'r Point> {
    points.iter().map(|(_, point)| *point).collect()
}

/// How the source of a published result numbers a point.
fn numbers(run: &RunJson, number: u64) -> Option<&PublishedNumber> {
    run.published.as_ref()?.numbers.get(usize::try_from(number).ok()?.checked_sub(1)?)
}

/// What the column of the run says in each row: where the source of a published result numbers its runs, the number in
/// the first row of each test in a run, as in the documents; else the run's id in the first row.
fn run_names(run: &RunJson, points: &[NumberedPoint<'_>]) -> Vec<String> {
    let of_source = |number: u64| numbers(run, number).and_then(|of| of.run.clone());
    let is_numbered = points.iter().any(|(number, _)| of_source(*number).is_some());
    let key = |(number, point): &NumberedPoint<'_>| {
        let name = of_source(*number).unwrap_or_else(|| clip(run.run.id.as_str(), SHORT_ID).into_owned());
        (name, is_numbered.then(|| point.subject.as_str().to_owned()))
    };
    let keys: Vec<_> = points.iter().map(key).collect();
    let is_first = |n: usize| n == 0 || keys[n] != keys[n - 1];
    (0..keys.len()).map(|n| if is_first(n) { keys[n].0.clone() } else { String::new() }).collect()
}

/// The table of some points; that of a run alone says which run it is, and numbers points as the source does.
fn table(points: &[NumberedPoint<'_>], catalogue: &Catalogue, layout: &Layout, run: Option<&RunJson>) -> Table {
    let columns = words::columns("points", layout.key);
    let names = run.map(|run| run_names(run, points)).unwrap_or_default();
    let rows = points.iter().enumerate().map(|(n, (number, point))| {
        let number = run.and_then(|run| numbers(run, *number)?.point).unwrap_or(*number);
        let keys = keys(point.subject.name(), point.dop, point.rows_per_tx).into_iter().take(IDENTIFYING);
        let of_run = names.get(n).map(Cell::words);
        row(point, of_run.into_iter().chain([Cell::count(number)]).chain(keys).collect(), &columns)
    });
    let title = catalogue.class_title(points[0].1.subject.name());
    let mut table = words::table("points", layout.key, rows.collect());
    table.caption = format!("{title}: every point, in the table of {}", table.caption);
    if run.is_none() {
        table.columns.remove(0);
    }
    table
}

/// The row of a point.
fn row(point: &Point, mut cells: Vec<Cell>, columns: &[&ColumnWords]) -> Row {
    if let Some(why) = refusal(point) {
        return Row::Remark(cells, why);
    }
    cells.extend(columns::cells(columns, point));
    cells.push(Cell::marks(marks([point], &point.flags)));
    Row::Cells(cells)
}

/// What is to be said below a table of points: how commits behaved, why figures are missing, and what marks mean.
fn notes(points: &[&Point], table: &Table, columns: &[&ColumnWords]) -> Vec<Block> {
    let legend = Legend::of(points.iter().copied().filter(|p| p.status == Status::Ok)).blocks();
    [commits(points), gaps_of(points, table, columns), legend, not_supported(points)].concat()
}

/// A section with a row for each of these points, its note, what else is to be said of them, and what marks mean;
/// without blocks where there are no points.
pub(super) fn points_section<'p>(id: &str, points: impl Iterator<Item = &'p Point>, also: Option<Note>) -> Section {
    let points: Vec<&Point> = points.collect();
    if points.is_empty() {
        return words::section(id);
    }
    let columns = words::columns(id, "points");
    let rows = points.iter().map(|p| row(p, keys(p.subject.name(), p.dop, p.rows_per_tx), &columns));
    let table = words::table(id, "points", rows.collect());
    let notes = notes(&points, &table, &columns);
    words::section(id).with([table.into(), note(id, "points").into()]).with(also.map(Block::from)).with(notes)
}

/// Why figures are missing in the columns that a table of these points has.
fn gaps_of(points: &[&Point], table: &Table, columns: &[&ColumnWords]) -> Vec<Block> {
    let kept = table.kept(|_| false);
    let skipped = columns.len() - table.columns.len();
    let (mut missing, mut tests) = (Vec::new(), Vec::new());
    for (point, row) in points.iter().zip(&table.rows) {
        let Row::Cells(cells) = row else { continue };
        tests.push(point.subject.name());
        let lacks = kept.iter().filter(|at| cells[**at].is_missing());
        missing.extend(lacks.map(|at| (*point, &*table.columns[*at].name, &*columns[skipped + at].path)));
    }
    gaps(&missing, unique(tests).len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_has_the_tables_of_its_suites_with_the_columns_that_it_needs() {
        let catalogue = Catalogue::embedded().unwrap();
        let run = catalogue.platform("hp_dl980_violin_2012").unwrap();
        let of_class = |class| {
            let tables = tables(&run, &catalogue, class);
            let text = crate::document::Document::of(vec![Section::default().with(tables.clone())]).text(None);
            (tables.iter().filter(|block| matches!(block, Block::Table(_))).count(), text)
        };
        let (n, load) = of_class("T300");
        assert!(n == 2 && load.contains("[rpt]") && load.contains("Sync"), "{load}");
        let (n, write) = of_class("T200");
        assert!(n == 1 && write.contains("  330 ") && !write.contains("process  "), "{write}");
        assert_eq!(of_class("T900"), (0, String::new()));
    }
}
