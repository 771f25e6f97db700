//! Published series over something other than jobs and threads (cores, outstanding I/Os), side by side: every key that
//! two sides have. The catalogue does not say which way is better for a key, so nothing is ranked.

use super::side::Side;
use crate::groups::unique;
use crate::over_cores;
use dbdyno_model::{PublishedCurve, Suspect};
use serde::Serialize;

/// One key of a series over cores or the like.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OtherSeries {
    /// The test; the catalogue does not have it.
    pub test: String,
    /// What it shows.
    pub title: String,
    /// What it varies over.
    pub by: String,
    /// What is counted, in the unit that the key names.
    pub key: String,
    /// One row for each position that a side has.
    pub rows: Vec<OtherSeriesRow>,
}

/// One position of a series.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OtherSeriesRow {
    /// The number of cores, or the like.
    pub at: f64,
    /// One value a side, as printed.
    pub values: Vec<Option<f64>>,
    /// Doubts about them.
    pub suspects: Vec<Option<Suspect>>,
}

impl OtherSeries {
    /// Number of sides that have it.
    fn sides(&self) -> usize {
        let sides = self.rows.iter().map(|row| row.values.len()).max().unwrap_or(0);
        (0..sides).filter(|side| self.rows.iter().any(|row| row.values.get(*side).is_some_and(Option::is_some))).count()
    }
}

/// Every key of every such series that two sides have; the series' own result comes first.
pub(super) fn of(sides: &[Side]) -> Vec<OtherSeries> {
    let curves: Vec<Vec<PublishedCurve>> = sides.iter().map(curves).collect();
    let kinds = unique(curves.iter().flatten().flat_map(|curve| {
        let keys = curve.points.iter().flat_map(|p| p.values.keys()).map(String::as_str);
        let keys = curve.primary.as_deref().into_iter().chain(keys).filter(move |key| *key != curve.by);
        keys.map(move |key| (curve.test.as_str(), curve.by.as_str(), key))
    }));
    let others = kinds.iter().map(|(test, by, key)| {
        let found: Vec<Option<&PublishedCurve>> =
            curves.iter().map(|c| c.iter().find(|c| c.test == *test && c.by == *by)).collect();
        other(test, by, key, &found)
    });
    others.filter(|other| other.sides() > 1).collect()
}

/// The series of a side whose result the source names, and that of its newest run over cores; labels of charts belong
/// to no test.
pub(super) fn curves(side: &Side) -> Vec<PublishedCurve> {
    let published = side.runs.iter().filter_map(|run| run.published.as_ref());
    let published = published.flat_map(|p| &p.curves).filter(|c| c.primary.is_some()).cloned();
    published.chain(side.runs.first().and_then(over_cores::curve)).collect()
}

fn other(test: &str, by: &str, key: &str, curves: &[Option<&PublishedCurve>]) -> OtherSeries {
    let places = curves.iter().flatten().flat_map(|c| &c.points).filter_map(|p| p.values.get(by).copied());
    let mut places: Vec<f64> = places.collect();
    places.sort_unstable_by(f64::total_cmp);
    places.dedup();
    let rows = places.iter().map(|at| {
        let points: Vec<_> = curves
            .iter()
            .map(|c| (*c)?.points.iter().find(|p| p.values.get(by) == Some(at)).map(|point| ((*c), point)))
            .collect();
        let suspect =
            |(curve, point): (Option<&PublishedCurve>, &dbdyno_model::PublishedCurvePoint)| -> Option<Suspect> {
                // Doubt about the position is doubt about everything at the position.
                point.suspects.get(key).or_else(|| point.suspects.get(by)).or_else(|| curve?.suspects.get(key)).cloned()
            };
        OtherSeriesRow {
            at: *at,
            values: points.iter().map(|p| p.and_then(|(_, point)| point.values.get(key).copied())).collect(),
            suspects: points.iter().map(|p| p.and_then(suspect)).collect(),
        }
    });
    let title = curves.iter().flatten().next().map_or_else(String::new, |c| c.title.clone());
    let rows = rows.filter(|row| row.values.iter().any(Option::is_some)).collect();
    OtherSeries { test: test.to_owned(), title, by: by.to_owned(), key: key.to_owned(), rows }
}
