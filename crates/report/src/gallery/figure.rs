//! The key figures of the index: for each layer a few, found as on the page of a run.

use crate::document::{Cell, Form};
use crate::figures::Figure;
use crate::legend;
use crate::summary::figure::find;
use crate::summary::lines::{LINES, SummaryLine, SummarySection};
use dbdyno_catalogue::Catalogue;
use dbdyno_model::{Commits, Flag, PrintedBound, RunJson, StorageLimit, StorageLimits, UsableFor};
use std::sync::LazyLock;

/// Shown by the interval of a figure, which the index does not have.
const OF_INTERVALS: [Flag; 2] = [Flag::Noisy, Flag::NoInterval];
/// The layer of storage, as the key metrics call it.
const STORAGE: &str = "Storage";

/// A column of figures. Of several with one name the index has that of which most platforms have figures.
pub(super) struct IndexColumn {
    pub(super) layer: &'static str,
    pub(super) name: &'static str,
    pub(super) unit: &'static str,
    source: Source,
}

/// Where a column has its figures.
enum Source {
    /// A line of the key metrics, in its own metric or in another one.
    Line(&'static SummaryLine, &'static str),
    /// The storage below any database, by I/Os of so many bytes.
    Limit(fn(&StorageLimits) -> Option<&StorageLimit>, u64),
}

/// What sources may count in place of transactions.
const IN_PLACE_OF_TRANSACTIONS: (&str, &str) = ("rows_per_s", "rows/s");

/// A figure of the index.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct IndexFigure {
    /// The test; empty where there is none.
    pub(super) test: String,
    /// The first test of the catalogue with the same work.
    pub(super) work: String,
    pub(super) text: String,
    pub(super) marks: String,
    /// Whether it competes with others: it is sound, and no mere bound.
    pub(super) is_ranked: bool,
}

/// The columns, layer by layer.
pub(super) static COLUMNS: LazyLock<Vec<IndexColumn>> = LazyLock::new(|| {
    let of_line = |layer: &'static str, line: &'static SummaryLine| {
        let others = Some(IN_PLACE_OF_TRANSACTIONS).filter(|_| line.metric == "tx_per_s" && !line.tests.is_empty());
        let metrics = std::iter::once((line.metric, line.unit)).chain(others);
        metrics.map(move |(metric, unit)| IndexColumn {
            layer,
            name: line.name,
            unit,
            source: Source::Line(line, metric),
        })
    };
    let of_lines = |section: &'static SummarySection| {
        let lines = section.lines.iter().filter(|line| line.tile);
        lines.flat_map(move |line| of_line(section.title, line))
    };
    let below =
        |name, unit, limit, bytes| IndexColumn { layer: STORAGE, name, unit, source: Source::Limit(limit, bytes) };
    let mut columns: Vec<IndexColumn> = LINES.platform.iter().chain(&LINES.workload).flat_map(of_lines).collect();
    let after_storage = columns.iter().rposition(|column| column.layer == STORAGE).map_or(0, |at| at + 1);
    let of_storage = [
        below("Sequential read, no database", "MiB/s", |l| l.sequential_read_mib_per_s.as_ref(), 1 << 20),
        below("Random read, no database", "IOPS", |l| l.random_read_iops.as_ref(), 8 << 10),
    ];
    columns.splice(after_storage..after_storage, of_storage);
    columns
});

/// The figure of each column, where a run has it.
pub(super) fn of_run(run: &RunJson, catalogue: &Catalogue) -> Vec<Option<IndexFigure>> {
    let limits = if run.is_of_storage() { StorageLimits::of(run) } else { StorageLimits::default() };
    let figure = |column: &IndexColumn| match column.source {
        Source::Line(line, metric) => of_line(line, metric, run, catalogue),
        Source::Limit(limit, bytes) => limit(&limits).map(|limit| of_limit(limit, bytes)),
    };
    COLUMNS.iter().map(figure).collect()
}

fn of_line(line: &SummaryLine, metric: &'static str, run: &RunJson, catalogue: &Catalogue) -> Option<IndexFigure> {
    // A workload and the tests of a platform are not in one run.
    if line.tests.is_empty() != run.run.is_of_workload() {
        return None;
    }
    let found = find(&line.in_metric(metric), run, catalogue);
    let best = found.throughput()?;
    let is_doubtful = best.is_doubtful();
    let text = Cell::figure(best.value(), Form::Thousands).bounded(best.bound()).doubtful(is_doubtful).text();
    let works = catalogue.tests().iter().map(|test| test.code.as_str());
    let same =
        |code: &&str| *code == found.test || catalogue.same_work(&found.test).any(|test| test.code.as_str() == *code);
    let work = works.clone().find(same).unwrap_or(&found.test).to_owned();
    let is_value = best.bound().is_none_or(|bound| bound == PrintedBound::About);
    let is_sound = !is_doubtful && best.metric.as_str() == metric && best.usable_for() >= UsableFor::LowerLimit;
    let marks = marks(best);
    Some(IndexFigure { work, text, marks, is_ranked: is_value && is_sound && !is_unsafe(best), test: found.test })
}

/// Whether a crash may lose its commits.
fn is_unsafe(figure: &Figure<'_>) -> bool {
    figure.points.iter().filter_map(|point| point.commits()).any(|commits| commits == Commits::Unsafe)
}

fn marks(figure: &Figure<'_>) -> String {
    let flags: Vec<Flag> = figure.flags().into_iter().filter(|flag| !OF_INTERVALS.contains(flag)).collect();
    let marks = legend::marks(figure.points.iter().copied(), &flags).replace(legend::SUSPECT, "");
    legend::doubt(figure.suspect).into_iter().chain(marks.chars()).collect()
}

/// I/Os of another size are other work.
fn of_limit(limit: &StorageLimit, bytes: u64) -> IndexFigure {
    let is_ranked = limit.io_bytes == bytes;
    let text = Cell::figure(limit.value, Form::Thousands).doubtful(!is_ranked).text();
    IndexFigure { test: String::new(), work: String::new(), text, marks: String::new(), is_ranked }
}
