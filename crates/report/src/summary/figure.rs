//! Finding the figures of a summary line: those of its test, or of a substitute test.

use super::lines::{LINES, SummaryLine};
use crate::figures::{self, Figure, FigureQuery, Figures};
use crate::legend::refusal;
use dbdyno_catalogue::Catalogue;
use dbdyno_model::{Cache, Point, RunJson, Status, SubjectKind};

/// The text of a line without any points.
pub(crate) const NOT_MEASURED: &str = "not measured";

/// What a line shows.
#[derive(Debug, Clone)]
pub(crate) struct LineFigures<'a> {
    /// The line's name; a test on cached data in the place of one that reads from storage is named as such.
    pub(crate) name: String,
    /// The test whose figures these are, or whose lack of figures is explained.
    pub(crate) test: String,
    /// Its figures, or why there are none.
    pub(crate) figures: Result<Figures<'a>, String>,
    /// Whether it has the figure at DOP 1 alone.
    pub(crate) speed_alone: bool,
    /// The printed time of one operation.
    pub(crate) printed_time: Option<Figure<'a>>,
    /// Unsupported tests that it replaces.
    pub(crate) instead_of: Vec<&'a Point>,
}

impl<'a> LineFigures<'a> {
    /// The figure at DOP 1.
    pub(crate) fn speed(&self) -> Option<&Figure<'a>> {
        self.figures.as_ref().ok()?.speed()
    }

    /// Whether there are points to find figures in.
    pub(crate) fn is_measured(&self) -> bool {
        !matches!(&self.figures, Err(why) if why == NOT_MEASURED)
    }

    /// Whether rows/s add to the tx/s of the line above: not without rows, and not with one row a transaction.
    pub(crate) fn adds_rows(&self) -> bool {
        self.throughput().is_some_and(|c| c.points.iter().any(|p| p.rows_per_s != p.tx_per_s))
    }

    /// The best figure, where the line has one.
    pub(crate) fn throughput(&self) -> Option<&Figure<'a>> {
        self.figures.as_ref().ok()?.throughput().filter(|_| !self.speed_alone)
    }
}

/// Finds the figures of a line.
pub(crate) fn find<'a>(line: &SummaryLine, run: &'a RunJson, catalogue: &Catalogue) -> LineFigures<'a> {
    let speed_alone = line.speed_alone;
    let mut instead_of = Vec::new();
    let workload = run.points.iter().map(|p| &p.subject).find(|subject| subject.kind() == SubjectKind::Workload);
    let of_workload: Vec<&str> = workload.map(|subject| subject.as_str()).into_iter().collect();
    let tests = if line.tests.is_empty() { &of_workload } else { &line.tests };
    for code in tests.iter().filter(|code| figures::knows(run, code)) {
        let points: Vec<&Point> = run.points.iter().filter(|p| p.subject.as_str() == *code).collect();
        if let Some(point) = points.iter().copied().find(|_| points.iter().all(|p| p.status == Status::Unsupported)) {
            instead_of.push(point);
            continue;
        }
        let ask = FigureQuery {
            metric_in_doubt: line.metric_in_doubt,
            barred_by: &line.barred_by,
            ..FigureQuery::new(code, line.metric)
        };
        let time = line.time.and_then(|time| figures::find(&FigureQuery::new(code, time), run, catalogue).ok());
        let printed_time = time.and_then(|t| t.value().cloned());
        let figures = figures::find(&ask, run, catalogue);
        let name = name(line, code, catalogue);
        return LineFigures { name, test: (*code).to_owned(), figures, speed_alone, printed_time, instead_of };
    }
    let unsupported = instead_of.first().copied();
    let test = unsupported.map_or(tests.first().copied(), |point| Some(point.subject.as_str()));
    let reason = unsupported.and_then(refusal).unwrap_or_else(|| NOT_MEASURED.to_owned());
    let (name, test) = (line.name.to_owned(), test.unwrap_or_default().to_owned());
    LineFigures { name, test, figures: Err(reason), speed_alone, printed_time: None, instead_of: Vec::new() }
}

/// The name of a line with the figures of a test.
pub(crate) fn name(line: &SummaryLine, test: &str, catalogue: &Catalogue) -> String {
    let is_cached = |code: &str| catalogue.test(code).is_ok_and(|test| test.cache == Cache::Cached);
    let meant = line.tests.first().is_none_or(|meant| is_cached(meant));
    let instead = !line.name.is_empty() && !meant && is_cached(test);
    if instead { format!("{}, cached", line.name) } else { line.name.to_owned() }
}

/// Whether a point's work writes. A workload counts as writing, and a source that prints a redo rate says what it
/// belongs to.
fn writes(run: &RunJson, point: &Point, catalogue: &Catalogue) -> bool {
    run.published.is_some()
        || point.subject.kind() == SubjectKind::Workload
        || catalogue.test(point.subject.as_str()).is_ok_and(|test| test.procedure.writes())
}

/// The cell with the highest redo rate of all tests that write, or why there is none. Redo of others during a reading
/// test does not count.
pub(crate) fn most_redo<'a>(run: &'a RunJson, catalogue: &Catalogue) -> Result<Figure<'a>, String> {
    let writing: Vec<&Point> = run.points.iter().filter(|p| figures::reached(p) && writes(run, p, catalogue)).collect();
    // Where the best of a ramp was measured again, the figures that selected it do not count.
    let ramp = |p: &'a Point| (&p.subject, p.drive, p.rows_per_tx, p.load.of_ramp());
    let again: Vec<_> = writing.iter().copied().filter(|p| p.again && p.redo.mib_per_s.is_some()).map(ramp).collect();
    let counted: Vec<&Point> = writing.iter().copied().filter(|&p| p.again || !again.contains(&ramp(p))).collect();
    let cells = figures::cells(&counted, &FigureQuery::new("", LINES.redo.metric)).into_iter();
    let most = cells.filter(|c| c.value() > 0.0).max_by(|a, b| a.value().total_cmp(&b.value()));
    most.ok_or_else(|| match writing.iter().find_map(|p| figures::missing(p, LINES.redo.metric)) {
        Some(why) => format!("no figure: {why}"),
        None if writing.is_empty() && !run.points.is_empty() => format!("{NOT_MEASURED}: no test that writes"),
        None => NOT_MEASURED.to_owned(),
    })
}
