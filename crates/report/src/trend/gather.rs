//! Collecting the figures of runs, run by run, so that a thousand runs need not be in memory at once.

use super::change;
use super::key::{self, Place, SeriesKey};
use super::new_losses::{self, NOT_POSITIVE};
use super::result::{
    SeriesChange, SeriesLevel, SeriesOutlier, Trend, TrendError, TrendFigure, TrendRun, TrendSeries, TrendStep,
};
use crate::compare::facts_of;
use crate::figures::{DOUBTFUL, median_of};
use crate::summary::head::counted;
use dbdyno_catalogue::Catalogue;
use dbdyno_model::{Better, CellKey, MetricId, Point, RunJson, Status};
use dbdyno_stats::{Change, Changes, Level, Outlier};
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZero;
use std::panic::resume_unwind;
use std::thread;

/// A place ended if its last run is this many steps back, and as many times its longest pause before.
const ENDED_STEPS: usize = 3;

/// The confidence of intervals.
const CONFIDENCE: f64 = 0.95;

/// What a trend is of.
#[derive(Debug, Clone, Default)]
pub struct TrendOptions<'o> {
    /// The codes of the tests; all tests where there is none.
    pub tests: Option<Vec<&'o str>>,
    /// The metric; that of each point where there is none.
    pub metric: Option<&'o str>,
    /// Losses of as much as this or more that nobody has noted are listed, in percent.
    pub most_loss_pct: Option<f64>,
}

/// The runs of a trend, with their figures.
pub struct TrendRuns<'c> {
    catalogue: &'c Catalogue,
    options: TrendOptions<'c>,
    runs: Vec<TrendRun>,
    steps: Vec<TrendStep>,
    series: BTreeMap<SeriesKey, Vec<TrendFigure>>,
    left_out: BTreeMap<String, usize>,
    /// What points of the same place, work and cell had last in place of a figure, and in which step.
    without: BTreeMap<(Place, String, CellKey), (usize, &'static str)>,
}

impl<'c> TrendRuns<'c> {
    /// No runs yet.
    #[must_use]
    pub fn new(catalogue: &'c Catalogue, options: TrendOptions<'c>) -> Self {
        let (runs, steps, series) = (Vec::new(), Vec::new(), BTreeMap::new());
        Self { catalogue, options, runs, steps, series, left_out: BTreeMap::new(), without: BTreeMap::new() }
    }

    /// Adds the next run. Runs with the name of the step before belong to that step.
    pub fn add(&mut self, run: &RunJson, step: &str) {
        let at = self.runs.len();
        match self.steps.last_mut().filter(|last| last.name == step) {
            Some(last) => last.runs.push(at),
            None => self.steps.push(TrendStep { name: step.to_owned(), runs: vec![at] }),
        }
        let (step, place) = (self.steps.len() - 1, Place::of(run));
        for (key, values) in self.values_of(run, step, &place) {
            if let Some(value) = median_of(values.into_iter().map(Some)) {
                self.series.entry(key).or_default().push(TrendFigure { step, run: at, value });
            }
        }
        self.runs.push(TrendRun {
            id: run.run.id.clone(),
            label: run.run.label.clone(),
            started_at: run.run.started_at,
            notes: run.notes.clone(),
            facts: facts_of(run),
            place,
        });
    }

    /// The values of a run by series, one for each repeat.
    fn values_of(&mut self, run: &RunJson, step: usize, place: &Place) -> BTreeMap<SeriesKey, Vec<f64>> {
        let mut values: BTreeMap<SeriesKey, Vec<f64>> = BTreeMap::new();
        // Figures that were chosen as the best are better than the same measured again, and not every run has both.
        let again: BTreeSet<CellKey> = run.points.iter().filter(|point| point.again).map(key::cell).collect();
        for point in &run.points {
            let is_asked = self.options.tests.as_ref().is_none_or(|tests| tests.contains(&&*point.work()));
            if !is_asked || !point.again && again.contains(&key::cell(point)) {
                continue;
            }
            let without = (place.clone(), point.work().into_owned(), key::cell(point));
            if point.status != Status::Ok {
                self.without.insert(without, (step, point.status.name()));
                continue;
            }
            let asked = self.options.metric.map(MetricId::from);
            let Some(metric) = asked.or_else(|| point.metric.as_ref().map(|metric| metric.id.clone())) else {
                continue;
            };
            // A rate that was asked for says nothing of the platform; the times at it do.
            if point.load.rate.is_some() && metric.as_str().ends_with("_per_s") {
                self.leave_out("at a rate that was asked for");
                continue;
            }
            let Some(value) = point.value(&metric) else { continue };
            match doubt(point, &metric, value) {
                Some(why) => {
                    self.leave_out(why);
                    self.without.insert(without, (step, why));
                }
                None => values.entry(SeriesKey::of(point, metric, place)).or_default().push(value),
            }
        }
        values
    }

    fn leave_out(&mut self, why: &str) {
        *self.left_out.entry(why.to_owned()).or_default() += 1;
    }

    /// Looks for changes.
    ///
    /// # Errors
    /// There are no figures.
    pub fn trend(self) -> Result<Trend, TrendError> {
        let Self { catalogue, options, runs, steps, series, left_out, without } = self;
        let mut found: Vec<(SeriesKey, Vec<TrendFigure>)> = series.into_iter().collect();
        if found.is_empty() {
            let of = options.tests.into_iter().flatten().chain(options.metric).collect::<Vec<_>>().join(", ");
            let of = if of.is_empty() { of } else { format!(" of {of}") };
            return Err(TrendError::NoFigures { runs: counted(runs.len() as u64, "run"), of });
        }
        let place = |key: &SeriesKey| catalogue.tests().iter().position(|test| test.code.as_str() == key.work());
        found.sort_by_cached_key(|(key, _)| place(key).unwrap_or(usize::MAX));
        let names = key::names(&found.iter().map(|(key, _)| key).collect::<Vec<_>>());
        let named: Vec<(String, &SeriesKey, &[TrendFigure])> =
            names.into_iter().zip(&found).map(|(name, (key, figures))| (name, key, figures.as_slice())).collect();
        let mut series = in_parallel(&named, |(name, key, figures)| one(name, key, figures, catalogue));
        let places = steps_of_places(&runs, &steps);
        for (series, (key, figures)) in series.iter_mut().zip(&found) {
            let (of_place, last) = (places.get(key.place()), figures.last().map_or(0, |figure| figure.step));
            series.missing_since = of_place.and_then(|steps| steps.range(last + 1..).next().copied());
            let why = without.get(&(key.place().clone(), key.work().to_owned(), key.cell().clone()));
            let is_since = |step: usize| series.missing_since.is_some_and(|since| step >= since);
            series.missing_why = why.filter(|(step, _)| is_since(*step)).map(|(_, why)| (*why).to_owned());
            series.place_ended_since = of_place.and_then(|of| ended_since(of, steps.len()));
        }
        let judged = series.iter().filter(|series| series.is_judged()).count();
        let changes = change::all(&series, &runs, &steps);
        let new_losses = options.most_loss_pct.map(|pct| new_losses::of(&series, &changes, (&runs, &steps), pct));
        let by_chance = judged as f64 * Changes::MOST_BY_CHANCE;
        Ok(Trend { runs, steps, series, changes, by_chance, left_out, new_losses })
    }
}

/// The steps that have a run of each place, whatever its points.
fn steps_of_places<'r>(runs: &'r [TrendRun], steps: &[TrendStep]) -> BTreeMap<&'r Place, BTreeSet<usize>> {
    let mut places: BTreeMap<&Place, BTreeSet<usize>> = BTreeMap::new();
    for (step, of) in steps.iter().enumerate() {
        for run in of.runs.iter().filter_map(|at| runs.get(*at)) {
            places.entry(&run.place).or_default().insert(step);
        }
    }
    places
}

/// The first step without a place, if it has ended: other places have gone on for longer than its longest pause.
fn ended_since(of_place: &BTreeSet<usize>, steps: usize) -> Option<usize> {
    let pauses = of_place.iter().zip(of_place.iter().skip(1)).map(|(one, next)| next - one);
    let last = *of_place.last()?;
    (steps - 1 - last >= ENDED_STEPS * pauses.max().unwrap_or(1)).then_some(last + 1)
}

/// Why a value does not count.
fn doubt(point: &Point, metric: &MetricId, value: f64) -> Option<&'static str> {
    let flag = DOUBTFUL.iter().find(|flag| point.has(**flag)).map(|flag| flag.name());
    let suspect = || point.suspect(metric).map(|_| "doubted by its source");
    flag.or_else(suspect).or_else(|| (value <= 0.0).then_some(NOT_POSITIVE))
}

/// What `of` makes of each thing, on all processors; in order.
fn in_parallel<T: Sync, R: Send>(things: &[T], of: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    let each = things.len().div_ceil(threads).max(1);
    thread::scope(|scope| {
        let started: Vec<_> =
            things.chunks(each).map(|part| scope.spawn(|| part.iter().map(&of).collect::<Vec<R>>())).collect();
        started.into_iter().flat_map(|part| part.join().unwrap_or_else(|panic| resume_unwind(panic))).collect()
    })
}

/// A series, with its changes.
fn one(name: &str, key: &SeriesKey, figures: &[TrendFigure], catalogue: &Catalogue) -> TrendSeries {
    let known = catalogue.metric(key.metric()).ok();
    let better = known.map_or(Better::Higher, |metric| metric.better);
    let by_step = || figures.chunk_by(|one, next| one.step == next.step);
    let steps: Vec<usize> = by_step().map(|of| of[0].step).collect();
    let values: Vec<Vec<f64>> = by_step().map(|of| of.iter().map(|figure| figure.value).collect()).collect();
    let mut series = TrendSeries {
        name: name.to_owned(),
        subject: key.work().to_owned(),
        metric: key.metric().clone(),
        unit: known.map_or_else(String::new, |metric| metric.unit.clone()),
        better,
        figures: figures.to_vec(),
        levels: Vec::new(),
        changes: Vec::new(),
        outliers: Vec::new(),
        not_judged: None,
        missing_since: None,
        missing_why: None,
        place_ended_since: None,
    };
    match Changes::of(&values) {
        Err(why) => series.not_judged = Some(why.to_string()),
        Ok(found) => {
            series.levels = found.levels.iter().map(|of| level(of, &steps)).collect();
            series.changes = found.changes.iter().filter_map(|of| changed(of, &steps, better)).collect();
            series.outliers = found.outliers.iter().filter_map(|of| outlier(of, &steps)).collect();
        }
    }
    series
}

fn level(of: &Level, steps: &[usize]) -> SeriesLevel {
    let step = |at: usize| steps.get(at).copied().unwrap_or_default();
    let (from, to) = (step(of.first), step(of.last));
    SeriesLevel { from, to, steps: of.steps, mean: of.mean, spread_pct: of.spread_pct }
}

fn changed(of: &Change, steps: &[usize], better: Better) -> Option<SeriesChange> {
    let (ratio, interval) = (of.difference.ratio(), of.difference.interval(CONFIDENCE));
    Some(SeriesChange {
        before_step: *steps.get(of.before.last)?,
        after_step: *steps.get(of.at)?,
        ratio,
        low: interval.low,
        high: interval.high,
        p_value: of.p_value,
        is_worse: (ratio < 1.0) == (better == Better::Higher),
    })
}

fn outlier(of: &Outlier, steps: &[usize]) -> Option<SeriesOutlier> {
    Some(SeriesOutlier { step: *steps.get(of.step)?, ratio: of.ratio, has_returned: of.has_returned })
}
