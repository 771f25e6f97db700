//! The Benchware tables: 8.0 for every test, 8.4 for load and OLTP tests. Every point is a row; a point without figures
//! has its reason instead.

pub(super) mod columns;

use super::own_platform::remarks;
use crate::legend::{commits, missing, not_supported, titles};
use crate::sections::prelude::*;

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
/// With more points of a class a page leaves out the table of 8.0, whose figures are in those of cells, too: a page
/// must be small enough to be sent.
const MOST_ON_A_PAGE: usize = 50;

/// The tables of a class for a page: that of 8.0, and that of 8.4 where the class has one.
pub(crate) fn tables(run: &RunJson, catalogue: &Catalogue, class: &str) -> Vec<Block> {
    let Some((_, points)) = classes(run).into_iter().find(|(of, _)| of == class) else { return Vec::new() };
    let is_large = points.len() > MOST_ON_A_PAGE;
    let layouts = [BPS80, BPS84_LOAD, BPS84_OLTP].into_iter().filter(|layout| layout.has(class));
    let layouts = layouts.filter(|layout| !(is_large && layout.key == BPS80.key));
    let blocks = |layout: Layout| {
        let table = table(run, &points, catalogue, &layout);
        let gaps = gaps(&points, &table);
        [table.into()].into_iter().chain(gaps).chain([note("points", layout.key).into()])
    };
    let large = format!("`dbdyno show {} --table 8.0` has every point of this class.", run.run.id);
    layouts.flat_map(blocks).chain(is_large.then(|| Note::plain(large).into())).collect()
}

/// The report of one table: a part for each class, with its legend.
pub(crate) fn report(run: &RunJson, catalogue: &Catalogue, layout: &Layout) -> Vec<Section> {
    let mut section = words::section("points").titled(format!("Points of {}", run.run.id), "");
    for (class, points) in classes(run).into_iter().filter(|(class, _)| layout.has(class)) {
        let table = table(run, &points, catalogue, layout);
        let remarks = unique(points.iter().map(|p| p.subject.name())).into_iter().flat_map(|code| remarks(run, code));
        let notes = notes(&points, &table);
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
fn classes(run: &RunJson) -> Vec<(String, Vec<&Point>)> {
    let tests = grouped(run.points.iter().map(|point| (point.subject.name(), point)));
    let classes = grouped(tests.into_iter().map(|(test, points)| (test.class(), points)));
    classes.into_iter().map(|(class, tests)| (class, tests.concat())).collect()
}

/// The table of some points. Those of a published result have the numbers of their source; as in the documents, the
/// first row of each test in a run of the source says which run it is.
fn table(run: &RunJson, points: &[&Point], catalogue: &Catalogue, layout: &Layout) -> Table {
    // The run and the test of the row above.
    let mut above = None;
    let keyed = points.iter().map(|point| {
        let place = run.points.element_offset(point).unwrap_or_default();
        let of_source = run.published.as_ref().and_then(|published| published.numbers.get(place));
        let number = of_source.and_then(|of| of.point).unwrap_or(place as u64 + 1);
        let of_run = (of_source.and_then(|of| of.run.as_deref()).unwrap_or_default(), point.subject.name());
        let is_first = above.replace(of_run) != Some(of_run);
        let keys = keys(point.subject.name(), point.dop, point.rows_per_tx).into_iter().take(IDENTIFYING);
        let name = Cell::words(if is_first { of_run.0 } else { "" });
        (*point, [name, Cell::count(number)].into_iter().chain(keys).collect::<Vec<_>>())
    });
    let table = of_points("points", layout.key, keyed);
    let title = catalogue.class_title(points[0].subject.name());
    let caption = format!("{title}: every point, in the table of {}", table.caption);
    table.called(caption)
}

/// A table of a section with a row for each point, which begins with these cells.
fn of_points<'p>(section: &str, name: &str, keyed: impl Iterator<Item = (&'p Point, Vec<Cell>)>) -> Table {
    let table = words::table(section, name, Vec::new());
    let rows = keyed.map(|(point, keys)| row(point, keys, &table.columns)).collect();
    Table { rows, ..table }
}

/// The row of a point.
fn row(point: &Point, mut cells: Vec<Cell>, columns: &[Column]) -> Row {
    if let Some(why) = refusal(point) {
        return Row::Remark(cells, why);
    }
    cells.extend(columns::cells(columns, point));
    cells.push(Cell::marks(marks([point], &point.flags)));
    Row::Cells(cells)
}

/// What is to be said below a table of points: how commits behaved, why figures are missing, and what marks mean.
fn notes(points: &[&Point], table: &Table) -> Vec<Block> {
    let legend = Legend::of(points.iter().copied().filter(|p| p.status == Status::Ok)).blocks();
    [commits(points), gaps(points, table), legend, not_supported(points)].concat()
}

/// A section with a row for each of these points, its note, what else is to be said of them, and what marks mean;
/// without blocks where there are no points.
pub(super) fn points_section<'p>(id: &str, points: impl Iterator<Item = &'p Point>, also: Option<Note>) -> Section {
    let points: Vec<&Point> = points.collect();
    if points.is_empty() {
        return words::section(id);
    }
    let keyed = points.iter().map(|p| (*p, keys(p.subject.name(), p.dop, p.rows_per_tx)));
    let table = of_points(id, "points", keyed);
    let notes = notes(&points, &table);
    words::section(id).with([table.into(), note(id, "points").into()]).with(also.map(Block::from)).with(notes)
}

/// Why figures are missing in the columns that a table of these points has: each reason once, with the columns and,
/// unless it concerns all, the tests.
fn gaps(points: &[&Point], table: &Table) -> Vec<Block> {
    let figures = points.iter().zip(&table.rows).filter(|(_, row)| matches!(row, Row::Cells(_)));
    let tests = unique(figures.clone().map(|(point, _)| point.subject.name())).len();
    let kept = table.kept(|_| false);
    let reasons = figures.flat_map(|(point, row)| {
        let lacks = kept.iter().filter(move |at| row.cells()[**at].is_missing()).map(|at| &table.columns[*at]);
        lacks.filter_map(move |of| Some((missing(point, &of.path)?, (of.name(), point.subject.name()))))
    });
    let line = |(reason, of): (&str, Vec<(String, SubjectName<'_>)>)| {
        let (names, codes): (Vec<String>, Vec<SubjectName<'_>>) = of.into_iter().unzip();
        let codes = unique(codes);
        let which = if codes.len() < tests { format!(" of {}", join(&codes)) } else { String::new() };
        Note::led("- ", format!("{}{which}: {reason}", unique(names).join(", "))).into()
    };
    grouped(reasons).into_iter().map(line).collect()
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
