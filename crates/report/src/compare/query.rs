//! What a row asks of every run: the work, the metric, and which figure of it.

use super::row::{ComparedRow, KeyFigure};
use crate::figures::{self, Figure, FigureQuery, Figures};
use dbdyno_catalogue::Catalogue;
use dbdyno_model::{Flag, MetricId, RunJson, UsableFor};
use dbdyno_stats::Estimate;

/// A question to every run.
#[derive(Debug, Clone)]
pub(super) struct RowQuery<'q> {
    /// The test whose row it is.
    pub(super) test: &'q str,
    /// Codes that are tried in this order where a run lacks the test.
    pub(super) others: Vec<&'q str>,
    pub(super) metric: &'q str,
    /// The metric that decides where the best figure is, of whose operations `metric` is the time.
    pub(super) time_of: Option<&'q str>,
    /// The metric that is used instead where a point's figure is doubtful.
    pub(super) metric_in_doubt: Option<&'q str>,
    /// Flags with which a point has no such figure: it is shown, and used for nothing.
    pub(super) barred_by: &'q [Flag],
    pub(super) rows_per_tx: Option<u64>,
    pub(super) which: KeyFigure,
}

/// A figure of a run.
pub(super) struct Found<'a, 'q> {
    /// The code under which the run has it.
    pub(super) code: &'q str,
    pub(super) figure: Figure<'a>,
    pub(super) is_barred: bool,
}

impl<'q> RowQuery<'q> {
    /// A metric of a test, and of what is the same work.
    pub(super) fn new(test: &'q str, metric: &'q str, which: KeyFigure, catalogue: &'q Catalogue) -> Self {
        let others = catalogue.same_work(test).map(|test| test.code.as_str()).collect();
        let (time_of, metric_in_doubt, barred_by, rows_per_tx) = (None, None, &[][..], None);
        Self { test, others, metric, time_of, metric_in_doubt, barred_by, rows_per_tx, which }
    }

    /// The question that a row answers.
    pub(super) fn of(row: &'q ComparedRow, catalogue: &'q Catalogue) -> Self {
        let rows_per_tx = row.rows_per_tx;
        Self { rows_per_tx, ..Self::new(&row.test, row.metric.as_str(), row.which, catalogue) }
    }

    /// The test and the others.
    pub(super) fn codes(&self) -> impl Iterator<Item = &'q str> {
        std::iter::once(self.test).chain(self.others.iter().copied())
    }

    /// All figures of a run, under the first code that has any.
    pub(super) fn figures<'a>(&self, run: &'a RunJson, catalogue: &Catalogue) -> Result<Figures<'a>, String> {
        self.first(|code| figures::find(&self.ask(code, self.metric), run, catalogue))
    }

    /// The figure of a run, under the first code that has the row's speed or throughput.
    ///
    /// # Errors
    /// Why the run does not have it, under the row's own code.
    pub(super) fn figure<'a>(&self, run: &'a RunJson, catalogue: &Catalogue) -> Result<Found<'a, 'q>, String> {
        let (code, figures, is_barred) = self.first(|code| {
            let ask = self.ask(code, self.time_of.unwrap_or(self.metric));
            let (figures, is_barred) = match figures::find(&ask, run, catalogue) {
                Err(_) if !ask.barred_by.is_empty() => {
                    (figures::find(&FigureQuery { barred_by: &[], ..ask }, run, catalogue)?, true)
                }
                figures => (figures?, false),
            };
            match self.which {
                KeyFigure::Speed => figures.speed().ok_or("not measured at 1x1x1")?,
                _ => figures.throughput().ok_or("no throughput")?,
            };
            Ok((code, figures, is_barred))
        })?;
        let figure = match self.which {
            KeyFigure::Speed => figures.speed().cloned(),
            KeyFigure::Throughput => figures.throughput().cloned(),
            KeyFigure::Time => figures.throughput().and_then(|best| time(best, self.metric)).or_else(|| {
                let printed = figures::find(&FigureQuery::new(code, self.metric), run, catalogue).ok()?;
                printed.value().cloned()
            }),
            KeyFigure::Scaling => figures.speed().zip(figures.throughput()).and_then(|(one, best)| scaling(one, best)),
        };
        let figure = figure.ok_or_else(|| format!("no {}", self.which.words()))?;
        Ok(Found { code, figure, is_barred })
    }

    fn ask(&self, code: &'q str, metric: &'q str) -> FigureQuery<'q> {
        let Self { metric_in_doubt, barred_by, rows_per_tx, .. } = *self;
        FigureQuery { metric_in_doubt, barred_by, rows_per_tx, ..FigureQuery::new(code, metric) }
    }

    fn first<T>(&self, of: impl Fn(&'q str) -> Result<T, String>) -> Result<T, String> {
        let own = of(self.test);
        own.or_else(|why| self.others.iter().find_map(|code| of(code).ok()).ok_or(why))
    }
}

/// The time of one operation where a figure was reached.
fn time<'a>(best: &Figure<'a>, metric: &str) -> Option<Figure<'a>> {
    let estimate = figures::median(&best.points, metric)?;
    let metric = MetricId::from(metric);
    let suspect = best.points.iter().find_map(|p| p.suspect(&metric)).or(best.suspect);
    Some(Figure { metric, estimate, suspect, ..best.clone() })
}

/// How many times as much as one job the best does. At one degree of parallelism nothing scales.
fn scaling<'a>(one: &Figure<'a>, best: &Figure<'a>) -> Option<Figure<'a>> {
    let worse = if one.usable_for() < best.usable_for() { one } else { best };
    let is_other = one.dop.is_none() || one.dop != best.dop;
    let can_be = is_other && one.value() > 0.0 && worse.usable_for() > UsableFor::Nothing;
    let estimate = Estimate::of(&[best.value() / one.value()]).filter(|_| can_be)?;
    let points = one.points.iter().chain(&best.points).copied().collect();
    Some(Figure { estimate, points, suspect: worse.suspect, ..best.clone() })
}
