//! A chart of cells in the making: what its lines are over, and what their marks say.

use super::measured::{MeasuredCell, shown};
use crate::charts::extent;
use crate::sections::prelude::*;

/// What the horizontal axis of charts counts, the place of a cell there, and its words.
pub(super) struct Along {
    pub(super) name: &'static str,
    pub(super) place: fn(&MeasuredCell<'_>) -> f64,
    pub(super) words: fn(&MeasuredCell<'_>) -> String,
}

/// Over the degree of parallelism.
pub(super) const DOPS: Along =
    Along { name: "degree of parallelism", place: |c| c.parallelism(), words: |c| dop_words(c.dop()) };
/// Over the size of a transaction.
pub(super) const SIZES: Along = Along {
    name: "rows per transaction",
    place: |c| c.cell.key.rows_per_tx as f64,
    words: |c| counted(c.cell.key.rows_per_tx, "row"),
};
/// Over the I/Os outstanding, of storage itself.
pub(super) const OUTSTANDING: Along = Along {
    name: "I/Os outstanding",
    place: |c| c.parallelism(),
    words: |c| c.cell.key.subject.storage().map_or_else(String::new, ToString::to_string),
};

/// What a line says of a cell: a value, its interval, and what else its text has.
pub(super) type Reading = (f64, Option<(f64, f64)>, String);

/// A figure of a point.
pub(super) type PointFigure = fn(&Point) -> Option<f64>;

/// A chart in the making.
pub(super) struct CellChart<'u> {
    title: String,
    /// More of the title.
    about: String,
    unit: &'u str,
    along: Along,
    series: Vec<ChartSeries>,
}

impl<'u> CellChart<'u> {
    pub(super) fn new(title: impl Into<String>, unit: &'u str, along: Along) -> Self {
        Self { title: title.into(), about: unit.to_owned(), unit, along, series: Vec::new() }
    }

    /// With more of the title than the unit alone.
    pub(super) fn about(self, about: impl Into<String>) -> Self {
        Self { about: about.into(), ..self }
    }

    /// Adds a line over these cells, if any has such a figure.
    pub(super) fn add(
        &mut self,
        name: &str,
        cells: &[&MeasuredCell<'_>],
        read: impl Fn(&MeasuredCell<'_>) -> Option<Reading>,
    ) {
        let mark = |cell: &&MeasuredCell<'_>| {
            let (y, band, more) = read(cell)?;
            let shown = |value| shown(value, self.unit);
            let interval = band.map_or_else(String::new, |(low, high)| format!(" ({} to {})", shown(low), shown(high)));
            let text = format!("{}: {name} {}{interval}{more}", (self.along.words)(cell), shown(y));
            Some(Mark { x: (self.along.place)(cell), y, band, doubtful: cell.is_doubtful(), text })
        };
        let marks: Vec<Mark> = cells.iter().filter_map(mark).collect();
        if !marks.is_empty() {
            self.series.push(ChartSeries::new(name, self.series.len(), marks));
        }
    }

    /// With a line for each of these figures of the points.
    pub(super) fn lines(mut self, cells: &[&MeasuredCell<'_>], of: &[(&str, impl Fn(&Point) -> Option<f64>)]) -> Self {
        for (name, figure) in of {
            self.add(name, cells, |c| Some((c.median(figure)?, None, String::new())));
        }
        self
    }

    /// The chart; `None` without a line, which needs two points. For one point the table is enough.
    pub(super) fn done(self, limit: Option<(f64, String)>) -> Option<LineChart> {
        let axis: AxisOf = match self.unit {
            "s" => Axis::times,
            "%" => Axis::percent,
            _ => Axis::amounts,
        };
        let values: Vec<f64> = extent(&self.series).chain(limit.iter().map(|(limit, _)| *limit)).collect();
        let chart = LineChart::of(self.title, self.about, self.along.name, [Axis::dops, axis], self.series)?;
        Some(LineChart { y: axis(values), limit, ..chart })
    }
}
