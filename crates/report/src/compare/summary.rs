//! The lines of a platform's summary for every side. Several metrics of one test stand below each other: what is done
//! in a second, how long one operation takes, and how it scales.

use super::alike;
use super::cells;
use super::query::RowQuery;
use super::row::{ComparedCell, ComparedRow, KeyFigure};
use super::side::Side;
use crate::groups::unique;
use crate::summary::figure;
use crate::summary::lines::{SummaryLine, SummarySection, sections};
use dbdyno_catalogue::Catalogue;
use dbdyno_model::SubjectKind;
use serde::Serialize;

/// What is shown in place of a line's metric where no side has it.
const RATES: [&str; 2] = ["rows_per_s", "tx_per_s"];

/// The lines of one layer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SummaryGroup {
    /// The layer's name.
    pub title: String,
    /// Its lines, those of one test below each other.
    pub rows: Vec<SummaryRow>,
}

/// One figure of a line.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SummaryRow {
    /// The line's name.
    pub name: String,
    /// The figures.
    #[serde(flatten)]
    pub row: ComparedRow,
}

/// The groups that have a figure of any side, of these tests alone.
pub(super) fn of(sides: &[Side], baseline: usize, tests: &[String], catalogue: &Catalogue) -> Vec<SummaryGroup> {
    let mut all: Vec<&'static SummarySection> = Vec::new();
    for section in sides.iter().flat_map(|side| &side.runs).flat_map(sections) {
        if all.iter().all(|known| known.title != section.title) {
            all.push(section);
        }
    }
    let builder = Builder { sides, baseline, tests, catalogue };
    let group = |section: &&'static SummarySection| SummaryGroup {
        title: section.title.to_owned(),
        rows: builder.rows(section),
    };
    all.iter().map(group).filter(|group| !group.rows.is_empty()).collect()
}

struct Builder<'a> {
    sides: &'a [Side],
    baseline: usize,
    tests: &'a [String],
    catalogue: &'a Catalogue,
}

impl<'a> Builder<'a> {
    fn rows(&self, section: &'a SummarySection) -> Vec<SummaryRow> {
        let mut rows: Vec<SummaryRow> = Vec::new();
        let mut name = String::new();
        for line in &section.lines {
            name = match line.name {
                "" => name,
                further if further.starts_with(' ') => format!("{name},{further}"),
                whole => whole.to_owned(),
            };
            // A published result may count something else than the line does.
            let named = |metric: &&str| line.metric == *metric || !names(section, &line.tests, metric);
            let others = RATES.iter().copied().filter(|_| !line.name.is_empty() && !line.speed_alone);
            let mut metrics = std::iter::once(line.metric).chain(others).filter(named);
            let Some(query) = metrics.find_map(|metric| self.query(line, metric)) else { continue };
            let Some(first) = self.row(&query) else { continue };
            // A server counts a call of a workload where a client counts its statements.
            if line.name.is_empty() && line.tests.is_empty() && self.drives_differ(query.test) {
                continue;
            }
            if !line.name.is_empty() && !line.name.starts_with(' ') {
                name = figure::name(line, query.test, self.catalogue);
            }
            if rows.iter().any(|before| says_the_same(&before.row, &first)) {
                continue;
            }
            let is_first = rows.iter().all(|before| before.name != name);
            let mut all = vec![first];
            if let Some(metric) = line.time {
                let time_of = Some(query.metric);
                let time = RowQuery { metric, time_of, metric_in_doubt: None, which: KeyFigure::Time, ..query.clone() };
                all.extend(self.row(&time));
            }
            if !line.speed_alone && is_first {
                all.extend(self.row(&RowQuery { which: KeyFigure::Scaling, ..query.clone() }));
            }
            if let Some(metric) = self.own_metric(query.test, section).filter(|own| *own != query.metric) {
                all.extend(self.row(&RowQuery { metric, metric_in_doubt: None, barred_by: &[], ..query }));
            }
            rows.extend(all.into_iter().map(|row| SummaryRow { name: name.clone(), row }));
        }
        rows
    }

    /// What a line asks for: that of its tests which most sides have, and in its place what is the same work or, in
    /// parentheses, the line's other tests.
    fn query(&self, line: &'a SummaryLine, metric: &'a str) -> Option<RowQuery<'a>> {
        let points = self.sides.iter().flat_map(|side| &side.runs).flat_map(|run| &run.points);
        let workloads = points.map(|point| &point.subject).filter(|subject| subject.kind() == SubjectKind::Workload);
        let codes: Vec<&'a str> = match line.tests.as_slice() {
            [] => unique(workloads.map(|subject| subject.as_str())),
            tests => tests.to_vec(),
        };
        let which = if line.speed_alone { KeyFigure::Speed } else { KeyFigure::Throughput };
        let query = |code: &'a str| {
            let query = RowQuery::new(code, metric, which, self.catalogue);
            match metric == line.metric {
                true => RowQuery { metric_in_doubt: line.metric_in_doubt, barred_by: &line.barred_by, ..query },
                false => query,
            }
        };
        let asked = |query: &RowQuery<'_>| query.codes().any(|code| self.tests.iter().any(|test| test == code));
        let having = |query: &RowQuery<'_>| {
            let has = |side: &&Side| side.runs.iter().any(|run| query.figure(run, self.catalogue).is_ok());
            self.sides.iter().filter(has).count()
        };
        let queries = codes.iter().map(|code| query(code)).filter(asked).map(|query| (having(&query), query));
        // Of several with as many sides the first.
        let mut best = queries.rev().max_by_key(|(sides, _)| *sides).filter(|(sides, _)| *sides > 0)?.1;
        best.rows_per_tx = alike::transactions(self.sides, &best, self.catalogue);
        best.others = unique(best.codes().chain(codes)).split_off(1);
        Some(best)
    }

    /// Whether a workload ran in the server for one run and sent its statements for another.
    fn drives_differ(&self, workload: &str) -> bool {
        let points = self.sides.iter().flat_map(|side| &side.runs).flat_map(|run| &run.points);
        unique(points.filter(|p| p.subject.as_str() == workload).map(|p| p.drive)).len() > 1
    }

    /// The row, if a side has such a figure.
    fn row(&self, query: &RowQuery<'_>) -> Option<ComparedRow> {
        let row = cells::row(self.sides, query, self.baseline, self.catalogue);
        row.cells.iter().any(|cell| cell.value.is_some()).then_some(row)
    }

    /// The key metric of a test, where no line of the section has it: rows/s of a test whose line counts I/Os.
    fn own_metric(&self, test: &str, section: &SummarySection) -> Option<&'a str> {
        let own = self.catalogue.test(test).ok()?.metrics.first()?.as_str();
        (!names(section, &[test], own)).then_some(own)
    }
}

/// Whether a line of one of these tests has a metric.
fn names(section: &SummarySection, tests: &[&str], metric: &str) -> bool {
    let mut lines = section.lines.iter().filter(|line| tests.iter().any(|test| line.tests.contains(test)));
    lines.any(|line| line.metric == metric || line.time == Some(metric))
}

/// Whether a further metric of a test says no more than another: rows/s where a transaction has one row.
fn says_the_same(before: &ComparedRow, further: &ComparedRow) -> bool {
    let same = |(a, b): (&ComparedCell, &ComparedCell)| b.value.is_none() || a.value == b.value;
    before.test == further.test && before.metric != further.metric && before.cells.iter().zip(&further.cells).all(same)
}
