//! What makes figures of two runs the same series.

use crate::groups::grouped;
use crate::summary::head::{counted, dop_words, within};
use dbdyno_model::{
    CellKey, ClientLoad, Commits, MetricId, Point, RunJson, StorageLayout, StorageLoad, StoragePattern,
};

/// Where a run was measured. Figures of two places are never in one series.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Place {
    host: String,
    engine: String,
    target: String,
    /// The amount of data, in words.
    data: String,
}

impl Place {
    /// The place of a run.
    pub(super) fn of(run: &RunJson) -> Self {
        Self {
            host: run.platform.host.clone().unwrap_or_default(),
            engine: run.database.engine.clone(),
            target: run.run.target.clone(),
            data: run.run.data_words(),
        }
    }
}

/// The key of a series.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct SeriesKey {
    /// The code of a test, or the name of a workload or a kind of I/O.
    work: String,
    cell: CellKey,
    metric: MetricId,
    place: Place,
    /// What else makes it other work: the definition, by other means than the test names, how durable commits were, the
    /// mix or parameters of a workload.
    definition: String,
    mapping: String,
    commits: Option<Commits>,
    way: String,
}

impl SeriesKey {
    /// The series of a point's figure. What was measured again is the same work as before.
    pub(super) fn of(point: &Point, metric: MetricId, place: &Place) -> Self {
        Self {
            work: point.work().into_owned(),
            cell: cell(point),
            metric,
            place: place.clone(),
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

    /// The cell, as if nothing had been measured again.
    pub(super) fn cell(&self) -> &CellKey {
        &self.cell
    }

    /// Where it was measured.
    pub(super) fn place(&self) -> &Place {
        &self.place
    }

    /// The name as far as most series need it.
    fn base(&self) -> String {
        format!("{}, {}", self.work, dop_words(self.cell.dop))
    }

    /// What else may tell two series apart, in the order for readers. Every field is named here: a key that gets a
    /// further one does not compile before its series have names of their own.
    fn parts(&self) -> Vec<String> {
        let Self { work: _, cell, metric, place, definition, mapping, commits, way } = self;
        let CellKey { subject, drive, dop: _, rows_per_tx, load, cores, again: _ } = cell;
        let ClientLoad { rate, arrivals, think, queue, connections, pause: _, logon: _, transactions_each } = load;
        let Place { host, engine, target, data } = place;
        let mut parts = vec![
            metric.to_string(),
            format!("{drive:?} drive").to_lowercase(),
            if *rows_per_tx > 0 { format!("{rows_per_tx} rows a transaction") } else { String::new() },
            words(*rate, |rate| format!("{rate}")),
            words(*arrivals, |arrivals| format!("{} arrivals", arrivals.name())),
            words(*queue, |queue| format!("queue: {}", <&str>::from(queue))),
            words(*connections, |n| counted(n.into(), "connection")),
            words(*think, |think| format!("think {think}")),
            within(load).trim_start_matches(", ").to_owned(),
            words(*transactions_each, |n| format!("{} each", counted(n, "transaction"))),
            words(*cores, |n| counted(n.into(), "processor")),
            host.clone(),
            engine.clone(),
            target.clone(),
            data.clone(),
            mapping.clone(),
            words(*commits, |commits| format!("commits {}", commits.words())),
            way.clone(),
            format!("definition {}", definition.get(..8).unwrap_or(definition)),
        ];
        parts.extend(subject.storage().map(parts_of_storage).into_iter().flatten());
        parts
    }
}

/// What tells loads of storage apart. The kind of I/O has most of it, but only as far as it is asked for.
fn parts_of_storage(load: &StorageLoad) -> Vec<String> {
    let StorageLoad {
        small_outstanding,
        large_outstanding,
        small_bytes,
        large_bytes,
        pattern,
        write_pct,
        luns,
        layout,
        verify,
    } = load;
    let streams = match pattern {
        StoragePattern::Random => "random".to_owned(),
        StoragePattern::Sequential { streams } => counted((*streams).into(), "stream"),
    };
    let stripes = match layout {
        StorageLayout::Concat => String::new(),
        StorageLayout::Raid0 { stripe_bytes } => format!("stripes of {stripe_bytes} B"),
    };
    vec![
        format!("{small_outstanding} small and {large_outstanding} large outstanding"),
        format!("small of {small_bytes} B"),
        format!("large of {large_bytes} B"),
        streams,
        format!("{write_pct} % writes"),
        counted((*luns).into(), "LUN"),
        stripes,
        if *verify { "verified" } else { "" }.to_owned(),
    ]
}

/// The cell of a point. What was measured again is the same cell as before.
pub(super) fn cell(point: &Point) -> CellKey {
    CellKey { again: false, ..CellKey::of(point) }
}

fn words<T>(of: Option<T>, words: impl Fn(T) -> String) -> String {
    of.map_or_else(String::new, words)
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

#[cfg(test)]
mod tests {
    use super::*;
    use dbdyno_model::{Arrivals, Dop, Drive, Logon, Queue, Storage, Subject};

    fn all_named(changes: &[fn(&mut Point)], base: &Point) {
        let points = changes.iter().map(|change| {
            let mut point = base.clone();
            change(&mut point);
            point
        });
        let place = Place::default();
        let keys: Vec<SeriesKey> = points.map(|point| SeriesKey::of(&point, "tx_per_s".into(), &place)).collect();
        let mut names = names(&keys.iter().collect::<Vec<_>>());
        names.sort_unstable();
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{names:#?}");
    }

    #[test]
    fn series_that_differ_have_names_that_differ() {
        let base = Point::new(Subject::of_database("T611").unwrap(), jiff::Timestamp::UNIX_EPOCH);
        all_named(
            &[
                |_| (),
                |point| point.drive = Drive::Client,
                |point| point.dop = Dop { jobs: 2, ..Dop::ONE },
                |point| point.rows_per_tx = 1_000_001,
                |point| point.rows_per_tx = 1_000_002,
                |point| point.load.rate = Some("100/s".parse().unwrap()),
                |point| point.load.arrivals = Some(Arrivals::Constant),
                |point| point.load.arrivals = Some(Arrivals::Poisson),
                |point| point.load.queue = Some(Queue::Shared),
                |point| point.load.queue = Some(Queue::Session),
                |point| point.load.connections = Some(4),
                |point| point.load.think = Some("5ms".parse().unwrap()),
                |point| point.load.pause = Some("5ms".parse().unwrap()),
                |point| point.load.logon = Logon::Transaction,
                |point| point.load.transactions_each = Some(4),
                |point| point.cores = Some(4),
                |point| point.definition = "feed".to_owned(),
                |point| point.mapping = "equivalent".to_owned(),
                |point| point.mix = Some("BP=1".parse().unwrap()),
            ],
            &base,
        );
    }

    #[test]
    fn loads_of_storage_that_differ_have_names_that_differ() {
        let load = |load: StorageLoad| Subject::Storage(Storage::requested(load));
        let base = Point::new(load(StorageLoad::default()), jiff::Timestamp::UNIX_EPOCH);
        fn of(point: &mut Point) -> &mut StorageLoad {
            &mut point.subject.storage_mut().unwrap().load
        }
        all_named(
            &[
                |_| (),
                |point| of(point).small_outstanding = 4,
                |point| of(point).large_outstanding = 4,
                |point| of(point).small_bytes = 8_192,
                |point| of(point).large_bytes = 1 << 20,
                |point| of(point).pattern = StoragePattern::Sequential { streams: 2 },
                |point| of(point).write_pct = 7,
                |point| of(point).luns = 1,
                |point| of(point).layout = StorageLayout::Raid0 { stripe_bytes: 4_096 },
                |point| of(point).verify = true,
            ],
            &base,
        );
    }
}
