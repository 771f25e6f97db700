//! The one place where reports get a figure of a run: the speed of a test, its throughput, the value of a metric. It
//! works for runs of dbdyno and for published results alike. A figure comes with its interval, flags, doubt, and where
//! it was reached.
//!
//! Points precede printed figures, because they have a degree of parallelism and can be checked.

use crate::groups::grouped;
use crate::legend::{self, refusal};
use dbdyno_catalogue::Catalogue;
use dbdyno_model::{
    Better, CellKey, Dop, Drive, FigureKind, Flag, MetricId, Point, PrintedBound, PublishedFigure, RunJson, Status,
    Suspect, UsableFor,
};
use dbdyno_stats::{Estimate, beside_the_best};
use std::collections::BTreeSet;

/// Why a test without any points has no figures.
pub(crate) const NOT_MEASURED: &str = "not measured";

/// Flags of figures that stand in parentheses.
pub const DOUBTFUL: [Flag; 4] = Flag::DOUBTFUL;

/// Whether flags put a figure in parentheses.
pub(crate) fn is_doubtful(flags: &[Flag]) -> bool {
    DOUBTFUL.iter().any(|flag| flags.contains(flag))
}

/// The figure that is asked for.
#[derive(Debug, Clone, Copy)]
pub struct FigureQuery<'q> {
    /// The test; for storage points their kind of work, as `Point::work` names it.
    pub test: &'q str,
    /// The metric.
    pub metric: &'q str,
    /// The metric that is used instead where a point's figure is doubtful.
    pub metric_in_doubt: Option<&'q str>,
    /// Flags with which a point has no such figure.
    pub barred_by: &'q [Flag],
    /// Rows per transaction of the points to choose, where there are such; else those of the test.
    pub rows_per_tx: Option<u64>,
}

impl<'q> FigureQuery<'q> {
    /// A metric of a test, without conditions.
    #[must_use]
    pub fn new(test: &'q str, metric: &'q str) -> Self {
        Self { test, metric, metric_in_doubt: None, barred_by: &[], rows_per_tx: None }
    }
}

/// One figure, with what is known of it.
#[derive(Debug, Clone)]
pub struct Figure<'a> {
    /// The metric.
    pub metric: MetricId,
    /// The median and its interval; a printed figure has no interval.
    pub estimate: Estimate,
    /// Where it was reached; absent where the source does not say.
    pub dop: Option<Dop>,
    /// Rows per transaction, 0 where there are none.
    pub rows_per_tx: u64,
    /// The points that it is made of; empty for a printed figure.
    pub points: Vec<&'a Point>,
    /// The printed figure, where there are no points.
    pub printed: Option<&'a PublishedFigure>,
    /// Doubt about it.
    pub suspect: Option<&'a Suspect>,
}

impl<'a> Figure<'a> {
    /// The value in the metric's unit.
    #[must_use]
    pub fn value(&self) -> f64 {
        self.estimate.median
    }

    /// Whether it belongs in parentheses.
    #[must_use]
    pub fn is_doubtful(&self) -> bool {
        any_has(&self.points, &DOUBTFUL)
    }

    /// Whether it is the best of its ramp, measured again.
    #[must_use]
    pub fn is_again(&self) -> bool {
        self.points.iter().any(|p| p.again)
    }

    /// What it may be used for.
    #[must_use]
    pub fn usable_for(&self) -> UsableFor {
        self.suspect.map_or(UsableFor::Value, Suspect::usable_for)
    }

    /// On which side of it the true value lies, where only that is known.
    #[must_use]
    pub fn bound(&self) -> Option<PrintedBound> {
        self.printed.and_then(|p| p.bound)
    }

    /// The flags of its points, each once.
    #[must_use]
    pub fn flags(&self) -> Vec<Flag> {
        Flag::ALL.into_iter().filter(|flag| any_has(&self.points, &[*flag])).collect()
    }

    /// The median of another metric over the same points.
    #[must_use]
    pub fn median_of(&self, metric: &str) -> Option<f64> {
        median(&self.points, metric).map(|e| e.median)
    }

    fn printed(figure: &'a PublishedFigure) -> Option<Self> {
        Some(Self {
            metric: figure.metric.clone()?,
            estimate: Estimate::of(&[figure.value])?,
            dop: (figure.kind == FigureKind::Speed).then_some(Dop::ONE),
            rows_per_tx: 0,
            points: Vec::new(),
            printed: Some(figure),
            suspect: figure.suspect.as_ref(),
        })
    }
}

/// All figures of one metric of one test.
#[derive(Debug, Clone)]
pub struct Figures<'a> {
    /// One for each cell, in the order in which they were measured.
    pub cells: Vec<Figure<'a>>,
    /// The best of each ramp, measured again. `cells` has the figures that selected it.
    pub again: Vec<Figure<'a>>,
    /// Figures that a source prints beside its series.
    pub printed: Vec<Figure<'a>>,
    /// Whether it is a published result.
    pub published: bool,
    /// Which way is better.
    pub better: Better,
}

/// How a throughput was determined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ThroughputSource {
    /// There was nothing to select from, or the source does not say.
    Only,
    /// Measured again at the best degree of parallelism: an unbiased figure.
    Again,
    /// The best of several and not measured again, so it is biased upwards.
    Selected {
        /// Degrees of parallelism.
        of: usize,
    },
}

impl<'a> Figures<'a> {
    /// The figure at a degree of parallelism of 1.
    #[must_use]
    pub fn speed(&self) -> Option<&Figure<'a>> {
        self.at(Dop::ONE).or_else(|| self.of_kind(FigureKind::Speed))
    }

    /// The figure that was measured again at the best degree of parallelism; if none was, the best at any. A sound
    /// figure precedes a doubtful one, however much better the latter looks.
    #[must_use]
    pub fn throughput(&self) -> Option<&Figure<'a>> {
        self.measured_again().or_else(|| self.best()).or_else(|| self.of_kind(FigureKind::Throughput))
    }

    /// How the throughput was determined.
    #[must_use]
    pub fn standing(&self) -> ThroughputSource {
        match self.cells.len() {
            _ if self.measured_again().is_some() => ThroughputSource::Again,
            0 | 1 => ThroughputSource::Only,
            _ if self.published => ThroughputSource::Only,
            of => ThroughputSource::Selected { of },
        }
    }

    /// The range of degrees of parallelism whose single measurements cannot be distinguished from the best. Repeats
    /// have intervals instead.
    #[must_use]
    pub fn beside_the_best(&self) -> Option<(Dop, Dop)> {
        let again = self.measured_again().filter(|figure| figure.estimate.interval.is_none())?;
        let values: Vec<f64> = self.cells.iter().map(Figure::value).collect();
        let beside = beside_the_best(&values, Some(again.value()), self.better == Better::Higher);
        let alike = self.cells.iter().zip(beside).filter(|(_, beside)| *beside).filter_map(|(figure, _)| figure.dop);
        let mut dops: Vec<Dop> = alike.chain(again.dop).collect();
        dops.sort_by_key(|dop| (dop.parallelism(), *dop));
        let (low, high) = (*dops.first()?, *dops.last()?);
        (low != high).then_some((low, high))
    }

    fn measured_again(&self) -> Option<&Figure<'a>> {
        let again = self.again.iter().max_by_key(|figure| is_sound(figure))?;
        (is_sound(again) || !self.cells.iter().any(is_sound)).then_some(again)
    }

    /// The best of the cells that were measured to find it.
    fn best(&self) -> Option<&Figure<'a>> {
        let better = |a: f64, b: f64| match self.better {
            Better::Higher => a.total_cmp(&b),
            Better::Lower => b.total_cmp(&a),
        };
        self.cells.iter().max_by(|a, b| is_sound(a).cmp(&is_sound(b)).then(better(a.value(), b.value())))
    }

    /// The figure at one degree of parallelism.
    #[must_use]
    pub fn at(&self, dop: Dop) -> Option<&Figure<'a>> {
        self.cells.iter().find(|f| f.dop == Some(dop))
    }

    /// A printed figure that is neither speed nor throughput.
    #[must_use]
    pub fn value(&self) -> Option<&Figure<'a>> {
        self.of_kind(FigureKind::Value)
    }

    fn of_kind(&self, kind: FigureKind) -> Option<&Figure<'a>> {
        self.printed.iter().find(|f| f.printed.is_some_and(|p| p.kind == kind))
    }
}

fn is_sound(figure: &Figure<'_>) -> bool {
    !figure.is_doubtful() && figure.usable_for() >= UsableFor::LowerLimit
}

/// The figures of a metric of a test on a run, or why there are none.
///
/// # Errors
/// The reason, in words.
pub fn find<'a>(ask: &FigureQuery<'_>, run: &'a RunJson, catalogue: &Catalogue) -> Result<Figures<'a>, String> {
    let points: Vec<&Point> = run.points.iter().filter(|p| p.work() == ask.test).collect();
    let cells = measured(ask, &points, catalogue);
    let printed: Vec<Figure<'a>> = run
        .published
        .iter()
        .flat_map(|p| &p.figures)
        .filter(|f| f.test == ask.test && f.metric.as_ref().is_some_and(|m| m.as_str() == ask.metric))
        .filter_map(Figure::printed)
        .collect();
    let better = catalogue.metric(&MetricId::from(ask.metric)).map_or(Better::Higher, |m| m.better);
    let all = match cells {
        Err(_) if !printed.is_empty() => Vec::new(),
        cells => cells?,
    };
    let (again, cells) = all.into_iter().partition(Figure::is_again);
    Ok(Figures { cells, again, printed, published: run.published.is_some(), better })
}

/// Whether a run has any information on a test, even if only that it cannot be measured.
#[must_use]
pub fn knows(run: &RunJson, test: &str) -> bool {
    run.points.iter().any(|p| p.work() == test) || run.published.iter().flat_map(|p| &p.figures).any(|f| f.test == test)
}

fn measured<'a>(ask: &FigureQuery<'_>, points: &[&'a Point], catalogue: &Catalogue) -> Result<Vec<Figure<'a>>, String> {
    let was_tried = points.iter().any(|p| p.status != Status::Unsupported);
    let rated = was_tried && points.iter().all(|p| p.load.rate.is_some());
    let ok = comparable(points, ask.rows_per_tx, catalogue);
    if ok.is_empty() {
        let set = rated.then(|| "measured at set rates alone, see --table latency".to_owned());
        let reason = set.or_else(|| points.iter().rev().find_map(|p| refusal(p)));
        return Err(reason.unwrap_or_else(|| NOT_MEASURED.to_owned()));
    }
    let all = cells(&ok, ask);
    if all.is_empty() {
        let why = ok.iter().find_map(|p| missing(p, ask.metric));
        return Err(format!("no figure: {}", why.unwrap_or("the points have no such value")));
    }
    let allowed: Vec<Figure<'_>> = all.into_iter().filter(|c| !any_has(&c.points, ask.barred_by)).collect();
    if allowed.is_empty() {
        let why: Vec<&str> = ask.barred_by.iter().map(|f| f.advice()).collect();
        return Err(format!("no figure: {}", why.join("; ")));
    }
    Ok(allowed)
}

pub(crate) fn any_has(points: &[&Point], flags: &[Flag]) -> bool {
    points.iter().any(|p| flags.iter().any(|f| p.has(*f)))
}

/// The measured points that belong to one curve: those of one drive (the server's, if there are any) and of the test's
/// transaction size, or of the one that is asked for. A last step with larger transactions is reported separately.
fn comparable<'a>(points: &[&'a Point], asked: Option<u64>, catalogue: &Catalogue) -> Vec<&'a Point> {
    let mut ok: Vec<&Point> = points.iter().copied().filter(|p| reached(p)).collect();
    if ok.iter().any(|p| p.drive == Drive::Server) {
        ok.retain(|p| p.drive == Drive::Server);
    }
    let named = |name: &str| catalogue.test(name).ok().and_then(|t| t.rows_per_tx);
    if let Some(size) = asked.or_else(|| ok.first().and_then(|p| named(p.subject.as_str())))
        && ok.iter().any(|p| p.rows_per_tx == size)
    {
        ok.retain(|p| p.rows_per_tx == size);
    }
    ok
}

/// The sizes of transactions, in rows, of the points of a test from which its figures are taken: of all, and of those
/// that are chosen where nothing else is asked for.
pub(crate) fn transaction_sizes(run: &RunJson, test: &str, catalogue: &Catalogue) -> [BTreeSet<u64>; 2] {
    let points: Vec<&Point> = run.points.iter().filter(|p| p.work() == test).collect();
    let sizes = |points: Vec<&Point>| points.iter().map(|p| p.rows_per_tx).filter(|rows| *rows > 0).collect();
    [sizes(points.iter().copied().filter(|p| reached(p)).collect()), sizes(comparable(&points, None, catalogue))]
}

/// Whether a point measured what can be reached. A point with a set rate did not.
pub(crate) fn reached(point: &Point) -> bool {
    point.status == Status::Ok && point.load.rate.is_none()
}

/// One figure for each cell that has the metric.
fn cells<'a>(points: &[&'a Point], ask: &FigureQuery<'_>) -> Vec<Figure<'a>> {
    let figure = |(key, points): (CellKey, Vec<&'a Point>)| {
        let in_doubt = ask.metric_in_doubt.filter(|_| any_has(&points, &DOUBTFUL));
        let (metric, estimate) = in_doubt
            .and_then(|m| Some((m, median(&points, m)?)))
            .or_else(|| Some((ask.metric, median(&points, ask.metric)?)))?;
        let metric = MetricId::from(metric);
        let suspect = points.iter().find_map(|p| p.suspect(&metric));
        let (dop, rows_per_tx) = (Some(key.dop), key.rows_per_tx);
        Some(Figure { metric, estimate, dop, rows_per_tx, points, printed: None, suspect })
    };
    grouped(points.iter().map(|p| (CellKey::of(p), *p))).into_iter().filter_map(figure).collect()
}

/// The median of a metric over points, with its interval.
pub(crate) fn median(points: &[&Point], metric: &str) -> Option<Estimate> {
    let metric = MetricId::from(metric);
    let values: Vec<f64> = points.iter().filter_map(|p| p.value(&metric)).collect();
    Estimate::of(&values)
}

/// The median of the values that are known.
pub(crate) fn median_of(values: impl IntoIterator<Item = Option<f64>>) -> Option<f64> {
    Estimate::of(&values.into_iter().flatten().collect::<Vec<_>>()).map(|e| e.median)
}

/// Why a point lacks a metric.
fn missing<'p>(point: &'p Point, metric: &str) -> Option<&'p str> {
    legend::missing(point, Point::path_of(metric))
}
