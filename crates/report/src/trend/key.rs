//! What makes figures of two runs the same series.

use crate::groups::grouped;
use crate::numbers::short;
use crate::summary::head::{dop_words, within};
use dbdyno_model::{CellKey, Commits, MetricId, Point, Run, RunJson};

/// The key of a series.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct SeriesKey {
    /// The code of a test, or the name of a workload or a kind of I/O.
    work: String,
    cell: CellKey,
    metric: MetricId,
    /// Where it was measured: host, engine, target, amount of data.
    host: String,
    engine: String,
    target: String,
    data: String,
    /// What else makes it other work: the definition, by other means than the test names, how durable commits were, the
    /// mix or parameters of a workload.
    definition: String,
    mapping: String,
    commits: Option<Commits>,
    way: String,
}

impl SeriesKey {
    /// The series of a point's figure. What was measured again is the same work as before.
    pub(super) fn of(point: &Point, metric: MetricId, run: &RunJson) -> Self {
        let Run { target, .. } = &run.run;
        Self {
            work: point.work().into_owned(),
            cell: CellKey { again: false, ..CellKey::of(point) },
            metric,
            host: run.platform.host.clone().unwrap_or_default(),
            engine: run.database.engine.clone(),
            target: target.clone(),
            data: run.run.data_words(),
            definition: point.definition.clone(),
            mapping: point.mapping.clone(),
            commits: point.commits(),
            way: way(point),
        }
    }

    /// The metric.
    pub(super) fn metric(&self) -> &MetricId {
        &self.metric
    }

    /// The code of a test, or the name of a workload or a kind of I/O.
    pub(super) fn work(&self) -> &str {
        &self.work
    }

    /// Where it was measured.
    pub(super) fn place(&self) -> [&str; 4] {
        [&self.host, &self.engine, &self.target, &self.data]
    }

    /// The name as far as most series need it.
    fn base(&self) -> String {
        format!("{}, {}", self.work, dop_words(self.cell.dop))
    }

    /// What else may tell two series apart, in the order for readers.
    fn parts(&self) -> Vec<String> {
        let load = &self.cell.load;
        let rate = load.rate.map(|rate| format!("{rate}")).unwrap_or_default();
        let connections = load.connections.map(|n| format!("{n} connections")).unwrap_or_default();
        let think = load.think.map(|think| format!("think {think}")).unwrap_or_default();
        let rows = self.cell.rows_per_tx;
        vec![
            self.metric.to_string(),
            format!("{:?} drive", self.cell.drive).to_lowercase(),
            if rows > 0 { format!("{} rows a transaction", short(rows as f64)) } else { String::new() },
            rate,
            connections,
            think,
            within(load).trim_start_matches(", ").to_owned(),
            self.cell.cores.map(|n| format!("{n} processors")).unwrap_or_default(),
            self.host.clone(),
            self.engine.clone(),
            self.target.clone(),
            self.data.clone(),
            self.mapping.clone(),
            self.commits.map(|commits| format!("commits {}", commits.words())).unwrap_or_default(),
            self.way.clone(),
            format!("definition {}", self.definition.get(..8).unwrap_or(&self.definition)),
        ]
    }
}

/// The weights and parameters of a workload's transactions.
fn way(point: &Point) -> String {
    let mix = point.mix.as_ref().map(|mix| format!("mix {mix}")).unwrap_or_default();
    if point.parameters.is_empty() { mix } else { format!("{mix} {}", point.parameters).trim().to_owned() }
}

/// A name for each series: what most readers need, and only such further parts as tell it from its likes.
pub(super) fn names(keys: &[&SeriesKey]) -> Vec<String> {
    let mut names = vec![String::new(); keys.len()];
    for (base, alike) in grouped(keys.iter().enumerate().map(|(at, key)| (key.base(), at))) {
        let parts: Vec<Vec<String>> = alike.iter().map(|at| keys[*at].parts()).collect();
        let differs = |part: usize| parts.iter().any(|of| of.get(part) != parts[0].get(part));
        for (at, of) in alike.iter().zip(&parts) {
            let telling = of.iter().enumerate().filter(|(part, text)| differs(*part) && !text.is_empty());
            let telling: Vec<&str> = telling.map(|(_, text)| text.as_str()).collect();
            names[*at] = [vec![base.as_str()], telling].concat().join(", ");
        }
    }
    names
}
