//! The histograms of points: which times of which transactions they contain, and how they are read.

use crate::{Repository, ResultsError};
use dbdyno_model::RunId;
use dbdyno_stats::Histogram;
use rusqlite::Connection;

/// Which times a histogram contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, strum::EnumString, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum HistogramKind {
    /// Service time: the time of one operation as its caller sees it.
    Service,
    /// Response time: from the moment an operation was due.
    Response,
    /// Time from when a transaction could begin until it had a connection, for all types together.
    ConnectionWait,
}

impl HistogramKind {
    /// The name as in the file.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// A histogram of a point.
#[derive(Debug, Clone, PartialEq)]
pub struct PointHistogram {
    /// The transaction type; `None` for all types together, or where a point has no transactions.
    pub transaction_type: Option<String>,
    /// Which times it contains.
    pub kind: HistogramKind,
    /// The times.
    pub times: Histogram,
}

/// The histograms of one point.
pub type Histograms = Vec<PointHistogram>;

/// The histograms of a run, ?1, or of one of its points, ?2. Where points are asked for one by one, each is found by
/// the index: else a run of many points is read again for each.
pub(crate) fn histograms_sql(plan_index: Option<usize>) -> String {
    let asked_for = if plan_index.is_some() { "p.plan_index = ?2" } else { "?2 IS NULL" };
    format!(
        "SELECT p.plan_index, h.type, h.kind, h.histogram
         FROM histograms AS h JOIN newest_points AS p ON p.id = h.point
         WHERE p.run = ?1 AND {asked_for}
         ORDER BY p.plan_index, h.type = '', h.type, h.kind = 'response'"
    )
}

impl Repository {
    /// The histograms of the newest attempt at a planned point; empty where none were recorded.
    ///
    /// # Errors
    /// The run does not exist, or the file cannot be read.
    pub fn histograms(&self, run: &RunId, plan_index: usize) -> Result<Histograms, ResultsError> {
        self.run(&self.connection, run)?;
        let found = self.read_histograms(&self.connection, run, Some(plan_index))?;
        Ok(found.into_iter().map(|(_, histogram)| histogram).collect())
    }

    /// The histograms of one planned point, or of all, each with the point's plan index.
    pub(crate) fn read_histograms(
        &self,
        connection: &Connection,
        run: &RunId,
        plan_index: Option<usize>,
    ) -> Result<Vec<(usize, PointHistogram)>, ResultsError> {
        self.rows(connection, &histograms_sql(plan_index), (run.as_str(), plan_index), |row| {
            let (plan_index, of_type, kind, bytes): (usize, String, String, Vec<u8>) = self.columns(row)?;
            let what = || format!("the {kind} histogram of point {plan_index} of run {run}");
            let known = kind.parse::<HistogramKind>().map_err(|_| self.damaged(&what(), "unknown kind"))?;
            let times = Histogram::decode(&bytes).map_err(|e| self.damaged(&what(), e))?;
            let transaction_type = Some(of_type).filter(|name| !name.is_empty());
            Ok((plan_index, PointHistogram { transaction_type, kind: known, times }))
        })
    }
}
