//! What published results state of a platform as a whole, or of a variant of it, beside the same figure of runs of
//! dbdyno's own. A source that says "more than 35,000" gives no number, and nobody knows at which load: so nothing here
//! is ranked or divided.

use super::side::Side;
use crate::document::Form;
use crate::figures::is_doubtful;
use crate::groups::unique;
use crate::summary::head::dop_words;
use dbdyno_model::{Point, PrintedBound, RunJson, Status, StorageLoad, Subject, Suspect};
use serde::Serialize;

/// What sides state, side by side.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Stated {
    /// A column for each side, or for each variant of a side.
    pub columns: Vec<StatedColumn>,
    /// A row for each figure that two columns have.
    pub rows: Vec<StatedRow>,
}

/// A side, or a variant of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StatedColumn {
    /// The index of the side.
    pub side: usize,
    /// The variant, where the source has several.
    pub variant: Option<String>,
}

/// One figure.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StatedRow {
    /// What it is.
    pub name: &'static str,
    /// The unit of its values; seconds for times.
    pub unit: &'static str,
    /// How it becomes text.
    #[serde(skip)]
    pub(crate) form: Form,
    /// One figure a column.
    pub cells: Vec<Option<StatedFigure>>,
}

/// A figure that a source states, or the same of a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StatedFigure {
    /// The figure.
    pub value: f64,
    /// On which side of it the true value lies.
    pub bound: Option<PrintedBound>,
    /// Whether it means something other than what it stands beside.
    pub doubtful: bool,
    /// Where a run had it.
    pub place: Option<String>,
    /// Doubt about a published figure.
    pub suspect: Option<Suspect>,
}

/// Of which points a run has a figure.
type IsOf = fn(&Point) -> bool;
/// The figure of a point.
type Of = fn(&Point) -> Option<f64>;

/// A figure of several sources: its metric and its unit there, what a unit of theirs is in ours, its name, unit and
/// form here, and what of a run is the same: the figure of one of its points.
struct Kind {
    metric: &'static str,
    printed_unit: &'static str,
    factor: f64,
    name: &'static str,
    unit: &'static str,
    form: Form,
    is_of: IsOf,
    of: Of,
    chosen: Chosen,
}

/// Which of a run's points has its figure.
#[derive(Clone, Copy)]
enum Chosen {
    /// That with the highest rate.
    Fastest,
    /// That whose figure is the largest: a stall counts, at whichever load it was.
    Largest,
}

const KINDS: [Kind; 4] = [
    Kind {
        metric: "io_rate",
        printed_unit: "iops",
        factor: 1.0,
        name: "Small I/Os",
        unit: "IOPS",
        form: Form::Thousands,
        is_of: is_of_small_ios,
        of: |p| Some(p.metric.as_ref()?.value),
        chosen: Chosen::Fastest,
    },
    Kind {
        metric: "io_latency_mean",
        printed_unit: "ms",
        factor: 1e-3,
        name: "  mean time",
        unit: "s",
        form: Form::Duration,
        is_of: is_of_small_ios,
        of: |p| p.service_time_s.as_ref()?.mean,
        chosen: Chosen::Fastest,
    },
    Kind {
        metric: "io_latency_peak",
        printed_unit: "ms",
        factor: 1e-3,
        name: "  longest",
        unit: "s",
        form: Form::Duration,
        is_of: is_of_small_ios,
        of: |p| p.service_time_s.as_ref()?.max,
        chosen: Chosen::Largest,
    },
    Kind {
        metric: "transactions",
        printed_unit: "tx/s",
        factor: 1.0,
        name: "Transactions",
        unit: "tx/s",
        form: Form::Thousands,
        is_of: |p| matches!(p.subject, Subject::Workload(_)),
        of: |p| p.tx_per_s,
        chosen: Chosen::Fastest,
    },
];

/// I/Os of a database's blocks are no longer than this.
const SMALL_BYTES: u64 = 32 << 10;

/// Small I/Os alone.
fn is_of_small_ios(point: &Point) -> bool {
    let load = point.subject.storage().map(|storage| &storage.load);
    let is_small = |load: &StorageLoad| {
        load.small_outstanding > 0 && load.large_outstanding == 0 && load.small_bytes <= SMALL_BYTES
    };
    load.is_some_and(is_small)
}

/// What two sides state; without rows where there is no such figure.
pub(super) fn of(sides: &[Side]) -> Stated {
    let columns: Vec<StatedColumn> = sides.iter().enumerate().flat_map(|(at, side)| columns(at, side)).collect();
    let row = |kind: &Kind| {
        let cell = |column: &StatedColumn| {
            let runs = &sides[column.side].runs;
            let stated = runs.iter().find(|run| run.published.is_some());
            stated.map_or_else(|| kind.measured(runs), |run| kind.stated(run, column.variant.as_deref()))
        };
        StatedRow { name: kind.name, unit: kind.unit, form: kind.form, cells: columns.iter().map(cell).collect() }
    };
    let of_two_sides = |row: &StatedRow| {
        let there = columns.iter().zip(&row.cells).filter(|(_, cell)| cell.is_some()).map(|(column, _)| column.side);
        unique(there).len() > 1
    };
    let rows: Vec<StatedRow> = KINDS.iter().map(row).filter(of_two_sides).collect();
    // Figures of runs of one's own stand side by side elsewhere.
    let is_published = sides.iter().flat_map(|side| &side.runs).any(|run| run.published.is_some());
    if is_published && !rows.is_empty() { Stated { columns, rows } } else { Stated::default() }
}

/// The columns of a side: one for each variant that its source states something of.
fn columns(at: usize, side: &Side) -> Vec<StatedColumn> {
    let published = side.runs.first().and_then(|run| run.published.as_ref());
    let variants = unique(published.iter().flat_map(|p| &p.results).filter_map(|result| result.variant.clone()));
    if variants.is_empty() {
        return vec![StatedColumn { side: at, variant: None }];
    }
    variants.into_iter().map(|variant| StatedColumn { side: at, variant: Some(variant) }).collect()
}

impl Kind {
    fn stated(&self, run: &RunJson, variant: Option<&str>) -> Option<StatedFigure> {
        let mut results = run.published.iter().flat_map(|published| &published.results);
        let is_it = |unit: &str, metric: &str| (unit, metric) == (self.printed_unit, self.metric);
        let found = results.find(|s| is_it(&s.unit, &s.metric) && s.variant.as_deref() == variant)?;
        // The worse end of a range: a reader decides by it.
        let value = if self.form == Form::Duration { found.high } else { found.low };
        let suspect = found.suspect.clone();
        Some(StatedFigure { value: value * self.factor, bound: found.bound, doubtful: false, place: None, suspect })
    }

    /// The figure of one of the points that are of this kind, in closed loops: a set rate says what was asked for. Of
    /// the fastest ones a sound one, where there is any; of the largest times any, as doubt makes no stall undone.
    fn measured(&self, runs: &[RunJson]) -> Option<StatedFigure> {
        let points = runs.iter().flat_map(|run| &run.points);
        let points = points.filter(|p| p.status == Status::Ok && p.load.rate.is_none() && (self.is_of)(p));
        let of = |point: &'_ Point| {
            let value = (self.of)(point)?;
            let doubtful = is_doubtful(&point.flags);
            let by = match self.chosen {
                Chosen::Fastest => (!doubtful, point.metric.as_ref()?.value),
                Chosen::Largest => (true, value),
            };
            Some((value, by, doubtful))
        };
        let figures = points.filter_map(|point| Some((point, of(point)?)));
        let (point, (value, _, doubtful)) =
            figures.max_by(|(_, a), (_, b)| a.1.0.cmp(&b.1.0).then_with(|| a.1.1.total_cmp(&b.1.1)))?;
        let place = match point.subject.storage() {
            Some(storage) => format!("{}, {} outstanding", point.work(), storage.load.small_outstanding),
            None => format!("{}, {}", point.subject.as_str(), dop_words(point.dop)),
        };
        Some(StatedFigure { value, bound: None, doubtful, place: Some(place), suspect: None })
    }
}
