//! Finding the figures of a summary line: those of its test, or of a substitute test.

use super::lines::{LINES, SummaryLine};
use crate::figures::{self, Figure, FigureQuery, Figures, NOT_MEASURED};
use crate::groups::unique;
use dbdyno_catalogue::Catalogue;
use dbdyno_model::{Cache, Point, RunJson, Status, SubjectKind};

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
    let workload = run.points.iter().map(|p| &p.subject).find(|subject| subject.kind() == SubjectKind::Workload);
    let of_workload: Vec<&str> = workload.map(|subject| subject.as_str()).into_iter().collect();
    let tests = if line.tests.is_empty() { &of_workload } else { &line.tests };
    let known: Vec<&str> = tests.iter().copied().filter(|code| figures::knows(run, code)).collect();
    let unsupported = |code: &&str| {
        let mut points = run.points.iter().filter(|p| p.subject.as_str() == *code);
        let is_unsupported = points.clone().all(|p| p.status == Status::Unsupported);
        points.next().filter(|_| is_unsupported)
    };
    // Where none is supported, the first one that is known says why there are no figures.
    let supported = known.iter().position(|code| unsupported(code).is_none());
    let (before, rest) = known.split_at(supported.unwrap_or(0));
    let code = rest.first().or(tests.first()).copied().unwrap_or_default();
    LineFigures { instead_of: before.iter().filter_map(unsupported).collect(), ..of_test(line, code, run, catalogue) }
}

/// The figures of a test for a line.
fn of_test<'a>(line: &SummaryLine, test: &str, run: &'a RunJson, catalogue: &Catalogue) -> LineFigures<'a> {
    let ask = FigureQuery {
        metric_in_doubt: line.metric_in_doubt,
        barred_by: &line.barred_by,
        ..FigureQuery::new(test, line.metric)
    };
    let time = line.time.and_then(|time| figures::find(&FigureQuery::new(test, time), run, catalogue).ok());
    LineFigures {
        name: name(line, test, catalogue),
        test: test.to_owned(),
        figures: figures::find(&ask, run, catalogue),
        speed_alone: line.speed_alone,
        printed_time: time.and_then(|time| time.value().cloned()),
        instead_of: Vec::new(),
    }
}

/// The name of a line with the figures of a test.
pub(crate) fn name(line: &SummaryLine, test: &str, catalogue: &Catalogue) -> String {
    let is_cached = |code: &str| catalogue.test(code).is_ok_and(|test| test.cache == Cache::Cached);
    let meant = line.tests.first().is_none_or(|meant| is_cached(meant));
    let instead = !line.name.is_empty() && !meant && is_cached(test);
    if instead { format!("{}, cached", line.name) } else { line.name.to_owned() }
}

/// The line of the test with the most redo, or why there is none. Redo of others during a reading test does not count.
pub(crate) fn most_redo<'a>(run: &'a RunJson, catalogue: &Catalogue) -> LineFigures<'a> {
    // A source that prints a redo rate says what it belongs to.
    let writes = |p: &Point| p.commit.is_some() || run.published.is_some();
    let writing = run.points.iter().filter(|p| figures::reached(p) && writes(p));
    let found = |(test, rows_per_tx): (&str, Option<u64>)| {
        let ask = FigureQuery { rows_per_tx, ..FigureQuery::new(test, LINES.redo.metric) };
        LineFigures { figures: figures::find(&ask, run, catalogue), ..of_test(&LINES.redo, test, run, catalogue) }
    };
    let rate = |found: &LineFigures<'_>| found.throughput().map_or(0.0, Figure::value);
    // Transactions of every size count, also where the test's own figures are of one.
    let tests = unique(writing.map(|p| (p.subject.as_str(), Some(p.rows_per_tx))));
    let why = if tests.is_empty() { format!("{NOT_MEASURED}: no test that writes") } else { NOT_MEASURED.to_owned() };
    let told = tests.into_iter().map(found).filter(|found| found.figures.is_err() || rate(found) > 0.0);
    let most = told.max_by(|a, b| rate(a).total_cmp(&rate(b)));
    most.unwrap_or_else(|| LineFigures { figures: Err(why), ..found(("", None)) })
}
