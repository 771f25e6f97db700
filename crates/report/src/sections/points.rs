//! The Benchware tables: 8.0 for every test, 8.4 for load and OLTP tests. Every point is a row; a point without figures
//! has its reason instead.

pub(super) mod columns;

use super::columns::{KEYS, keys};
use super::own_platform::remarks;
use crate::document::{Block, Caption, Cell, Column, Keep, Note, Part, Row, Section, Table};
use crate::groups::{grouped, unique};
use crate::legend::{Legend, commits, gaps, marks, not_supported, refusal, source, titles};
use crate::terminal::lines::clip;
use columns::PointColumn;
use dbdyno_catalogue::Catalogue;
use dbdyno_model::{Point, RunJson, Status};

use Keep::{Always, Drop};

/// A table of the documents.
pub(crate) struct Layout {
    /// What it is called.
    name: &'static str,
    /// The classes whose points it has; empty for all.
    classes: &'static [&'static str],
    figures: &'static [PointColumn],
    /// What heads and units mean.
    legend: &'static str,
}

/// Every test.
pub(crate) const BPS80: Layout = Layout {
    name: "Benchware 8.0",
    classes: &[],
    figures: &columns::BPS80,
    legend: "#N nodes, #J jobs, #T threads; [rpt] rows per transaction, [rps] rows/s, [ops] operations/s, [qpm] \
             queries/minute, [bgps] buffer gets/s: blocks asked of the database's cache; [iops] I/O operations/s at \
             the devices, [MBps] 2^20 bytes/s, [KiB] mean size of one I/O; per process is rows/s, or operations/s \
             without rows, over jobs x threads; time is the window that the rates are of.",
};

/// The load tests (T3xx, DBL).
pub(crate) const BPS84_LOAD: Layout = Layout {
    name: "Benchware 8.4",
    classes: &["T300", "DBL"],
    figures: &columns::BPS84_LOAD,
    legend: "#N nodes, #J jobs, #T threads; [rpt] rows per transaction, [rps] rows/s, [tps] transactions/s, [iops] \
             I/O operations/s, [bps] blocks/s, [MBps] 2^20 bytes/s; per process is rows/s over jobs x threads; svc \
             is service time, sync the wait until redo is on the device.",
};

/// The select and update tests (T6xx, T7xx, DBX).
pub(crate) const BPS84_OLTP: Layout = Layout {
    name: "Benchware 8.4",
    classes: &["T600", "T700", "DBX"],
    figures: &columns::BPS84_OLTP,
    legend: "#N nodes, #J jobs, #T threads; [rps] rows/s, [tps] transactions/s, [iops] I/O operations/s, [MBps] 2^20 \
             bytes/s; per process is rows/s over jobs x threads; svc time is service time.",
};

/// How many of the common columns identify a point; rows per transaction are a figure here.
const IDENTIFYING: usize = 4;
/// Characters of a run's id in a table; a prefix identifies a run.
const SHORT_ID: usize = 8;
/// With more points of a class a page leaves out the table of 8.0, whose figures are in those of cells, too: a page
/// must be small enough to be sent.
const MOST_ON_A_PAGE: usize = 50;
/// As in the documents, the run's number stands in one row only.
const RUN: Column = Column::figures("run", "Run", Drop(3));

/// The tables of a class for a page: that of 8.0, and that of 8.4 where the class has one.
pub(crate) fn tables(run: &RunJson, catalogue: &Catalogue, class: &str) -> Vec<Block> {
    let places = places(run).into_iter().find(|(of, _)| of == class).map(|(_, places)| places).unwrap_or_default();
    let ok = measured(places.iter().map(|at| &run.points[*at]));
    let is_large = places.len() > MOST_ON_A_PAGE;
    let layouts = [BPS80, BPS84_LOAD, BPS84_OLTP].into_iter().filter(|layout| !places.is_empty() && layout.has(class));
    let layouts = layouts.filter(|layout| !(is_large && layout.name == BPS80.name));
    let blocks = |layout: Layout| {
        let mut blocks = vec![table(run, catalogue, &places, &layout).into()];
        blocks.extend(gaps_of(&ok, layout.figures));
        blocks.push(Note::plain(layout.legend).into());
        blocks
    };
    let mut blocks: Vec<Block> = layouts.flat_map(blocks).collect();
    if is_large {
        let text = format!("`dbdyno show {} --table bps8.0` has every point of this class.", run.run.id);
        blocks.push(Note::plain(text).into());
    }
    blocks
}

/// The report of one table: a part for each class, with its legend.
pub(crate) fn report(run: &RunJson, catalogue: &Catalogue, layout: &Layout) -> Vec<Section> {
    let mut section = Section::new("points", layout.name);
    for (class, places) in places(run).into_iter().filter(|(class, _)| layout.has(class)) {
        let points: Vec<&Point> = places.iter().map(|at| &run.points[*at]).collect();
        let title = points.first().map_or("", |first| catalogue.class_title(first.subject.name())).to_owned();
        let mut table = table(run, catalogue, &places, layout);
        table.columns.insert(0, RUN);
        let id = clip(run.run.id.as_str(), SHORT_ID).into_owned();
        let ids = std::iter::once(Cell::words(id)).chain(std::iter::repeat(Cell::empty()));
        for (row, id) in table.rows.iter_mut().zip(ids) {
            if let Row::Cells(cells) | Row::Remark(cells, _) = row {
                cells.insert(0, id);
            }
        }
        let codes = unique(points.iter().map(|p| p.subject.name()));
        let remarks = codes.into_iter().flat_map(|code| remarks(run, code));
        let blocks = [table.into()].into_iter().chain(titles(&points, catalogue)).chain(remarks);
        let blocks = blocks.chain(notes(&points, layout.figures));
        section.push(Part { id: String::new(), code: class, title, blocks: blocks.collect() });
    }
    if section.blocks.is_empty() {
        section.push(Note::plain("This run has no such points."));
    } else {
        section.push(Note::plain(layout.legend));
        section.blocks.extend(source(run));
    }
    vec![section]
}

impl Layout {
    fn has(&self, class: &str) -> bool {
        self.classes.is_empty() || self.classes.contains(&class)
    }
}

/// The places of the points of each class. Repeats go through the class again, so those of one test are together.
fn places(run: &RunJson) -> Vec<(String, Vec<usize>)> {
    let name = |at: usize| run.points[at].subject.name();
    let classes = grouped((0..run.points.len()).map(|at| (name(at).class(), at))).into_iter();
    let by_test = |places: Vec<usize>| grouped(places.into_iter().map(|at| (name(at), at))).into_iter();
    classes.map(|(class, places)| (class, by_test(places).flat_map(|(_, places)| places).collect())).collect()
}

fn table(run: &RunJson, catalogue: &Catalogue, places: &[usize], layout: &Layout) -> Table {
    let head = [Column::figures("test number", "Tst", Drop(4))].into_iter().chain(KEYS.into_iter().take(IDENTIFYING));
    let rows = places.iter().map(|at| {
        let point = &run.points[*at];
        let keys = keys(point.subject.name(), point.dop, point.rows_per_tx).into_iter().take(IDENTIFYING);
        row(point, [Cell::count(*at as u64 + 1)].into_iter().chain(keys).collect(), layout.figures)
    });
    let title = places.first().map_or("", |at| catalogue.class_title(run.points[*at].subject.name()));
    let caption = Caption::Page(format!("{title}: every point, in the table of {}", layout.name));
    Table::new(caption, columns_of(head, layout.figures), rows.collect())
}

/// The columns of a table of points: those that identify a point, its figures, and its marks.
pub(super) fn columns_of(keys: impl IntoIterator<Item = Column>, figures: &[PointColumn]) -> Vec<Column> {
    let figures = figures.iter().map(|figure| figure.column.clone());
    keys.into_iter().chain(figures).chain([Column::words("marks", "", Always)]).collect()
}

/// The row of a point.
pub(super) fn row(point: &Point, mut cells: Vec<Cell>, figures: &[PointColumn]) -> Row {
    if let Some(why) = refusal(point) {
        return Row::Remark(cells, why);
    }
    cells.extend(figures.iter().map(|figure| figure.cell(point)));
    cells.push(Cell::marks(marks([point], &point.flags)));
    Row::Cells(cells)
}

/// What is to be said below a table of points: how commits behaved, why figures are missing, and what marks mean.
pub(super) fn notes(points: &[&Point], figures: &[PointColumn]) -> Vec<Block> {
    let ok = measured(points.iter().copied());
    let mut blocks = commits(points);
    blocks.extend(gaps_of(&ok, figures));
    blocks.extend(Legend::of(ok).blocks());
    blocks.extend(not_supported(points));
    blocks
}

fn measured<'a>(points: impl Iterator<Item = &'a Point>) -> Vec<&'a Point> {
    points.filter(|p| p.status == Status::Ok).collect()
}

/// Why figures are missing in the columns that a table has.
fn gaps_of(ok: &[&Point], figures: &[PointColumn]) -> Vec<Block> {
    let lacks = |figure: &PointColumn, point: &Point| figure.cell(point).is_missing();
    let has = |figure: &&PointColumn| !figure.column.optional || !ok.iter().all(|p| lacks(figure, p));
    let there: Vec<&PointColumn> = figures.iter().filter(has).collect();
    let of = ok.iter().flat_map(|p| there.iter().filter(|f| lacks(f, p)).map(|f| (*p, &*f.column.name, f.path)));
    gaps(&of.collect::<Vec<_>>(), unique(ok.iter().map(|p| p.subject.name())).len())
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
