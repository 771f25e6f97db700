//! What the storage itself can do, measured by storage points. These limits are shown beside a database's own figures.

use crate::{
    Cell, CellKey, ChosenBy, Point, RunJson, SameDevice, Status, StorageLimit, StorageLimits, StorageLoad,
    StoragePattern, StorageReference,
};

/// The suite name of reference runs.
pub const REFERENCE_SUITE: &str = "orion reference";

impl StorageLimits {
    /// The limits that a run shows. Points with a set rate do not count: they do not show what can be reached.
    #[must_use]
    pub fn of(run: &RunJson) -> Self {
        // The null backend shows dbdyno's own limit, not the storage's.
        if run.points.iter().filter_map(|p| p.subject.storage()).any(|storage| storage.backend == NO_IO) {
            return Self::default();
        }
        let sound = run.points.iter().filter(|p| p.status == Status::Ok && p.load.rate.is_none());
        let measured: Vec<&Point> = sound.filter(|p| p.subject.storage().is_some()).collect();
        let small = |pct| best(run, &measured, &|l| l.large_outstanding == 0 && l.write_pct == pct);
        let sequential = |l: &StorageLoad| matches!(l.pattern, StoragePattern::Sequential { .. });
        let large = |pct| best(run, &measured, &|l| l.small_outstanding == 0 && l.write_pct == pct && sequential(l));
        let alone = |pct| {
            let load = |l: &StorageLoad| (l.small_outstanding, l.large_outstanding, l.write_pct) == (1, 0, pct);
            best(run, &measured, &load).and_then(|limit| limit.service_time_s)
        };
        Self {
            random_read_iops: small(0),
            random_read_by_depth: by_depth(run, &measured),
            random_write_iops: small(100),
            sequential_read_mib_per_s: large(0),
            sequential_write_mib_per_s: large(100),
            read_service_time_s: alone(0),
            write_service_time_s: alone(100),
        }
    }

    /// Whether no limit is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// The name of the backend that does no I/O.
const NO_IO: &str = "null";

/// The cells of the loads that `is_meant` accepts, with their medians.
fn cells<'r>(run: &'r RunJson, is_meant: &'r dyn Fn(&StorageLoad) -> bool) -> impl Iterator<Item = (&'r Cell, f64)> {
    let meant = move |cell: &&Cell| cell.key.subject.storage().is_some_and(is_meant) && cell.key.load.rate.is_none();
    run.cells.iter().filter(meant).filter_map(|cell| Some((cell, cell.median?)))
}

/// The best of these cells by its key metric: I/Os/s for small I/Os, MiB/s for large ones.
fn best(run: &RunJson, points: &[&Point], is_meant: &dyn Fn(&StorageLoad) -> bool) -> Option<StorageLimit> {
    let (cell, value) = cells(run, is_meant).max_by(|(_, a), (_, b)| a.total_cmp(b))?;
    Some(limit(cell, value, points))
}

/// Small random reads at each depth.
fn by_depth(run: &RunJson, points: &[&Point]) -> Vec<StorageLimit> {
    let reads = |l: &StorageLoad| l.large_outstanding == 0 && l.write_pct == 0;
    let mut limits: Vec<StorageLimit> = cells(run, &reads).map(|(cell, value)| limit(cell, value, points)).collect();
    limits.sort_by_key(|limit| limit.outstanding);
    limits
}

fn limit(cell: &Cell, value: f64, points: &[&Point]) -> StorageLimit {
    let times = points.iter().filter(|p| CellKey::of(p) == cell.key);
    let times: Vec<f64> = times.filter_map(|p| p.service_time_s.as_ref()?.mean).collect();
    let service_time_s = dbdyno_stats::Estimate::of(&times).map(|e| e.median);
    let bytes = |l: &StorageLoad| if l.small_outstanding > 0 { l.small_bytes } else { l.large_bytes };
    let io_bytes = cell.key.subject.storage().map_or(0, bytes);
    StorageLimit { value, outstanding: cell.key.dop.jobs, io_bytes, service_time_s }
}

impl StorageReference {
    /// The limits of a reference run, for a run of a database.
    #[must_use]
    pub fn new(reference: &RunJson, of: &RunJson, chosen_by: ChosenBy) -> Self {
        Self {
            run: reference.run.id.clone(),
            started_at: reference.run.started_at,
            paths: reference.run.target.clone(),
            chosen_by,
            same_device: same_device(reference, of),
            limits: StorageLimits::of(reference),
        }
    }
}

fn same_device(reference: &RunJson, of: &RunJson) -> SameDevice {
    let holding = |run: &RunJson| -> Vec<String> {
        run.platform.disks.iter().filter(|d| d.holds_database).map(|d| d.name.clone()).collect()
    };
    let (measured, database) = (holding(reference), holding(of));
    match (&reference.platform.host, &of.platform.host) {
        (Some(there), Some(here)) if there != here => {
            let named = |host: &str, disks: Vec<String>| {
                if disks.is_empty() {
                    vec![host.to_owned()]
                } else {
                    disks.iter().map(|d| format!("{d} of {host}")).collect()
                }
            };
            SameDevice::No { measured: named(there, measured), database: named(here, database) }
        }
        _ if measured.is_empty() || database.is_empty() => SameDevice::NotKnown,
        _ if measured.iter().any(|disk| database.contains(disk)) => SameDevice::Yes,
        _ => SameDevice::No { measured, database },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Database, Disk, Dop, MetricValue, Platform, ResponseTime, Run, RunId, RunStatus, Storage, StorageLayout,
        Subject,
    };

    fn run(points: Vec<Point>, disk: Option<&str>, host: &str) -> RunJson {
        let disks = disk.map(|name| Disk { name: name.to_owned(), holds_database: true, ..Disk::default() });
        let platform =
            Platform { host: Some(host.to_owned()), disks: disks.into_iter().collect(), ..Platform::default() };
        let run = Run {
            id: RunId::from_random(1),
            label: None,
            suite: REFERENCE_SUITE.to_owned(),
            size: String::new(),
            seed: 1,
            started_at: jiff::Timestamp::UNIX_EPOCH,
            tool_version: String::new(),
            target: "/data/file".to_owned(),
            status: RunStatus::Done,
        };
        RunJson::new(run, platform, Database::default(), points)
    }

    fn point(small: u32, large: u32, write_pct: u8, value: f64) -> Point {
        let load = StorageLoad {
            small_outstanding: small,
            large_outstanding: large,
            small_bytes: 8_192,
            large_bytes: 1 << 20,
            pattern: StoragePattern::Sequential { streams: 1 },
            write_pct,
            luns: 1,
            layout: StorageLayout::Concat,
            verify: false,
        };
        Point {
            dop: Dop { jobs: load.outstanding(), ..Dop::ONE },
            metric: Some(MetricValue { id: "small_iops".into(), value, unit: "1/s".to_owned() }),
            service_time_s: Some(ResponseTime { mean: Some(1.0 / value), ..ResponseTime::default() }),
            ..Point::new(
                Subject::Storage(Storage { backend: "threads".to_owned(), ..Storage::requested(load) }),
                jiff::Timestamp::UNIX_EPOCH,
            )
        }
    }

    #[test]
    fn what_does_no_io_knows_no_limits() {
        let mut point = point(8, 0, 0, 7e9);
        point.subject.storage_mut().unwrap().backend = NO_IO.to_owned();
        assert!(StorageLimits::of(&run(vec![point], None, "a")).is_empty());
    }

    #[test]
    fn limits_are_the_best_of_their_kind() {
        let rated = Point {
            load: crate::ClientLoad { rate: Some("9/s".parse().unwrap()), ..Default::default() },
            ..point(64, 0, 0, 9e9)
        };
        let failed = Point { status: Status::Failed, ..point(32, 0, 0, 8e9) };
        let mixed = point(8, 8, 0, 7e9);
        let points = vec![
            point(1, 0, 0, 100.0),
            point(8, 0, 0, 700.0),
            point(1, 0, 100, 50.0),
            point(0, 2, 0, 900.0),
            rated,
            failed,
            mixed,
        ];
        let limits = StorageLimits::of(&run(points, None, "a"));
        let read = limits.random_read_iops.unwrap();
        assert_eq!((read.value, read.outstanding, read.io_bytes), (700.0, 8, 8_192));
        let depths: Vec<_> = limits.random_read_by_depth.iter().map(|l| (l.outstanding, l.value)).collect();
        assert_eq!(depths, [(1, 100.0), (8, 700.0)]);
        assert_eq!((limits.read_service_time_s, limits.write_service_time_s), (Some(0.01), Some(0.02)));
        assert_eq!(limits.sequential_read_mib_per_s.map(|l| l.value), Some(900.0));
        assert_eq!(limits.sequential_write_mib_per_s, None);
        assert!(StorageLimits::of(&run(Vec::new(), None, "a")).is_empty());
    }

    #[test]
    fn a_reference_is_of_the_same_device_or_says_not() {
        let of = |a: (Option<&str>, &str), b: (Option<&str>, &str)| {
            let reference =
                StorageReference::new(&run(Vec::new(), a.0, a.1), &run(Vec::new(), b.0, b.1), ChosenBy::Host);
            reference.same_device
        };
        assert_eq!(of((Some("sda"), "a"), (Some("sda"), "a")), SameDevice::Yes);
        assert_eq!(of((None, "a"), (Some("sda"), "a")), SameDevice::NotKnown);
        assert!(matches!(of((Some("sdb"), "a"), (Some("sda"), "a")), SameDevice::No { .. }));
        assert!(matches!(of((Some("sda"), "a"), (Some("sda"), "b")), SameDevice::No { .. }));
    }
}
