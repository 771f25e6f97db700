//! Series of a platform file as points: each key is converted to its field and unit here, once.

use super::raw::{RawRow, RawSeries, Scalar};
use crate::document::{Document, Entry, SourcePlace};
use crate::error::CatalogueError;
use crate::nearest::nearest;
use dbdyno_model::{
    CommitMode, Dop, MetricId, Point, PublishedCurve, PublishedCurvePoint, PublishedNumber, Subject, Suspect,
    SuspectCode, Test, UsableFor,
};
use std::collections::BTreeMap;

/// A key of a point: its name, the metric that doubts about it are kept under, the path under which a point says why it
/// is missing, and its field.
type PointKey = (&'static str, &'static str, &'static str, fn(&mut Point) -> &mut Option<f64>);

/// Keys whose zero means that it was not counted in this test. Other zeros mean that it did not happen.
const RATES: [&str; 3] = ["rows_per_s", "ops_per_s", "tx_per_s"];

/// Every key of a point with a degree of parallelism, except those that identify it. MB are 2^20 bytes in the
/// documents.
const KEYS: &[PointKey] = &[
    ("rows_per_s", "rows_per_s", "rows_per_s", |p| &mut p.rows_per_s),
    ("ops_per_s", "ops_per_s", "ops_per_s", |p| &mut p.ops_per_s),
    ("tx_per_s", "tx_per_s", "tx_per_s", |p| &mut p.tx_per_s),
    ("elapsed_s", "elapsed_s", "window_s", |p| &mut p.window_s),
    ("service_time_s", "service_time_s", "service_time_s.mean", |p| &mut p.service_time_s.get_or_insert_default().mean),
    ("cpu_busy_pct", "cpu_busy_pct", "cpu.busy_pct", |p| &mut p.cpu.busy_pct),
    ("read_iops", "read_iops", "io.read_iops", |p| &mut p.io.read_iops),
    ("write_iops", "write_iops", "io.write_iops", |p| &mut p.io.write_iops),
    ("total_iops", "total_iops", "io.total_iops", |p| &mut p.io.total_iops),
    ("read_mb_per_s", "read_mib_per_s", "io.read_mib_per_s", |p| &mut p.io.read_mib_per_s),
    ("write_mb_per_s", "write_mib_per_s", "io.write_mib_per_s", |p| &mut p.io.write_mib_per_s),
    ("total_mb_per_s", "total_mib_per_s", "io.total_mib_per_s", |p| &mut p.io.total_mib_per_s),
    ("chart_read_service_time_ms", "read_service_time_s", "io.read_service_time_s", |p| &mut p.io.read_service_time_s),
    ("redo_mb_per_s", "redo_mib_per_s", "redo.mib_per_s", |p| &mut p.redo.mib_per_s),
    ("redo_writes_per_s", "redo_writes_per_s", "redo.writes_per_s", |p| &mut p.redo.writes_per_s),
    ("redo_service_time_us", "redo_write_service_time_s", "redo.write_service_time_s", |p| {
        &mut p.redo.write_service_time_s
    }),
    ("redo_sync_writes", "redo_sync_writes_per_s", "redo.sync_writes", |p| &mut p.redo.sync_writes),
    ("redo_sync_service_time_us", "redo_sync_service_time_s", "redo.sync_service_time_s", |p| {
        &mut p.redo.sync_service_time_s
    }),
    ("write_blocks_per_s", "write_blocks_per_s", "database.write_blocks_per_s", |p| &mut p.database.write_blocks_per_s),
    ("buffer_hit_pct", "buffer_hit_pct", "database.buffer_hit_pct", |p| &mut p.database.buffer_hit_pct),
    ("flash_cache_hit_pct", "flash_hit_pct", "database.flash_hit_pct", |p| &mut p.database.flash_hit_pct),
    ("cell_flash_hit_pct", "cell_flash_hit_pct", "database.cell_flash_hit_pct", |p| &mut p.database.cell_flash_hit_pct),
];

/// Keys that identify a point, or that express doubt.
const OTHERS: [&str; 7] = ["seq", "nodes", "jobs", "threads", "rows_per_tx", "suspect", "suspect_keys"];

/// Whether the rows of a series have a degree of parallelism.
pub(super) fn has_dop(series: &RawSeries) -> bool {
    series.points.iter().all(|p| p.contains_key("jobs")) && !series.points.is_empty()
}

/// The first row without jobs, counted from 1, in a series where other rows have them.
pub(super) fn lacks_jobs(series: &RawSeries) -> Option<usize> {
    let has = |row: &RawRow| row.contains_key("jobs");
    series.points.iter().any(has).then(|| series.points.iter().position(|row| !has(row)))?.map(|at| at + 1)
}

/// The points of a series. `test` is the catalogue's, where it knows the code.
pub(super) fn points(
    series: &Entry<RawSeries>,
    test: Option<&Test>,
    started_at: jiff::Timestamp,
    document: &Document<'_>,
) -> Result<Vec<Point>, CatalogueError> {
    let Entry { value: series, place } = series;
    let subject = Subject::of_database(&series.test).map_err(|e| place.invalid(format!("key 'test': {e}")))?;
    let common = place.check(series.doubt().by_key())?;
    let mut points: Vec<Point> = Vec::new();
    for row in &series.points {
        let mut point = Point::new(subject.clone(), started_at);
        "native".clone_into(&mut point.mapping);
        point.commit = commit(test);
        point.dop = dop(row, place, document)?;
        point.rows_per_tx = whole(row, "rows_per_tx", place, document)?.or(series.rows_per_tx).unwrap_or(0);
        let mut doubts = common.clone();
        doubts.extend(place_of(row, place, document).check(doubt_of(row))?);
        for path in ["io", "redo", "database", "service_time_s", "cpu", "waits", "window_s", "memory"] {
            point.lacks(path, "the source does not print it");
        }
        for (name, value) in row.iter().filter(|(name, _)| !OTHERS.contains(&name.as_str())) {
            let at = document.within(place, value.span().start);
            let key = at.check(KEYS.iter().find(|(known, ..)| known == name).ok_or_else(|| unknown_key(name)))?;
            let number = value.get_ref().number().ok_or_else(|| format!("key '{name}' must be a number"));
            let number = at.check(number)?;
            fill(&mut point, key, number, doubts.remove(name));
        }
        complete(&mut point, test);
        let same = points.iter().filter(|p| (p.dop, p.rows_per_tx) == (point.dop, point.rows_per_tx)).count();
        point.repeat = u32::try_from(same).unwrap_or(0) + 1;
        points.push(point);
    }
    Ok(points)
}

/// How the source numbers the points of a series.
pub(super) fn numbers(
    Entry { value: series, place }: &Entry<RawSeries>,
    document: &Document<'_>,
) -> Result<Vec<PublishedNumber>, CatalogueError> {
    let run = series.run.as_ref().map(Scalar::text);
    let number = |row: &RawRow| Ok(PublishedNumber { run: run.clone(), point: whole(row, "seq", place, document)? });
    series.points.iter().map(number).collect()
}

/// How commits behaved: the loops of all sources ran in database procedures, which commit without waiting.
pub(super) fn commit(test: Option<&Test>) -> Option<CommitMode> {
    test.filter(|t| t.procedure.writes()).map(|_| CommitMode::EngineDefault)
}

/// Stores a printed value in its field, or the reason why it is missing.
fn fill(point: &mut Point, key: &PointKey, printed: f64, doubt: Option<Suspect>) {
    let (name, metric, path, figure) = *key;
    // A key names the unit that was found to be right, whatever the column says.
    let doubt = doubt.map(|d| Suspect { converted: d.codes.contains(&SuspectCode::Unit), ..d });
    let unusable = doubt.as_ref().filter(|d| d.usable_for() == UsableFor::Nothing);
    let lost = printed == 0.0 && doubt.as_ref().is_some_and(|d| d.codes.contains(&SuspectCode::Rounding));
    if let Some(doubt) = unusable {
        point.lacks(path, format!("printed as {printed} ({}): {}", doubt.names(), doubt.why));
    } else if lost {
        point.lacks(path, "lost by rounding: printed as 0");
    } else if printed == 0.0 && RATES.contains(&name) {
        point.lacks(path, "not counted in this test: printed as 0");
    } else {
        // The end of a name is its unit, where that is not dbdyno's own.
        let factor = match name.rsplit('_').next() {
            Some("ms") => 1e-3,
            Some("us") => 1e-6,
            _ => 1.0,
        };
        *figure(point) = Some(printed * factor);
        if let Some(doubt) = doubt {
            point.suspects.insert(MetricId::from(metric), doubt);
        }
    }
}

/// Fills in what follows from the printed values.
fn complete(point: &mut Point, test: Option<&Test>) {
    let counts = |metric: &str| test.is_some_and(|t| t.metrics.iter().any(|m| m.as_str() == metric));
    // An operation of such a test is a transaction; Benchware 8.0 prints operations only.
    if point.tx_per_s.is_none() && counts("tx_per_s") {
        point.tx_per_s = point.ops_per_s;
        let doubt = point.suspects.get(&MetricId::from("ops_per_s")).cloned();
        point.suspects.extend(doubt.map(|d| (MetricId::from("tx_per_s"), d)));
    }
    // Such a test writes nothing but its own work.
    if counts("work_mib_per_s") {
        point.work_mib_per_s = point.io.write_mib_per_s;
        let doubt = point.suspects.get(&MetricId::from("write_mib_per_s")).cloned();
        point.suspects.extend(doubt.map(|d| (MetricId::from("work_mib_per_s"), d)));
    }
    if counts("elapsed_s") {
        point.elapsed_s = point.window_s;
    }
    point.redo.sync_writes_per_s = point.redo.sync_writes.zip(point.window_s).map(|(n, s)| n / s);
    for path in RATES {
        if point.value(&MetricId::from(path)).is_none() && !point.missing.contains_key(path) {
            point.lacks(path, "the source does not print it");
        }
    }
    point.missing.retain(|path, _| path != "window_s");
    let metric = test.and_then(|t| t.metrics.iter().find(|m| point.value(m).is_some())).cloned();
    point.metric = metric.and_then(|id| {
        let value = point.value(&id)?;
        Some(dbdyno_model::MetricValue { unit: super::units::unit(&id).to_owned(), id, value })
    });
}

fn dop(row: &RawRow, place: &SourcePlace, document: &Document<'_>) -> Result<Dop, CatalogueError> {
    let part = |key: &str| -> Result<u32, CatalogueError> {
        let n = whole(row, key, place, document)?.unwrap_or(1);
        u32::try_from(n).ok().filter(|n| *n > 0).ok_or_else(|| {
            place_of(row, place, document).invalid(format!("key '{key}' is {n}, which is no degree of parallelism"))
        })
    };
    Ok(Dop { nodes: part("nodes")?, jobs: part("jobs")?, threads: part("threads")? })
}

fn whole(row: &RawRow, key: &str, place: &SourcePlace, document: &Document<'_>) -> Result<Option<u64>, CatalogueError> {
    let Some(value) = row.get(key) else { return Ok(None) };
    let number = value.get_ref().number().filter(|n| n.fract() == 0.0 && (0.0..1e15).contains(n));
    let wrong = || document.within(place, value.span().start).invalid(format!("key '{key}' must be a whole number"));
    Ok(Some(number.ok_or_else(wrong)? as u64))
}

/// The place of a row: that of its first value.
fn place_of(row: &RawRow, place: &SourcePlace, document: &Document<'_>) -> SourcePlace {
    let first = row.values().map(|v| v.span().start).min();
    first.map_or_else(|| place.clone(), |offset| document.within(place, offset))
}

/// The doubts of one row.
fn doubt_of(row: &RawRow) -> Result<BTreeMap<String, Suspect>, String> {
    let text = |key: &str| row.get(key).map(|v| v.get_ref().text());
    let keys = text("suspect_keys").unwrap_or_default();
    let keys: Vec<String> = keys.split(", ").filter(|k| !k.is_empty()).map(str::to_owned).collect();
    super::raw::RawDoubt::new(text("suspect").as_deref(), &keys).by_key()
}

fn unknown_key(name: &str) -> String {
    let known = KEYS.iter().map(|(name, ..)| *name).chain(OTHERS);
    match nearest(name, known.clone()).first() {
        Some(near) => format!("unknown key '{name}'; did you mean '{near}'?"),
        None => format!("unknown key '{name}'; it can be {}", known.collect::<Vec<_>>().join(", ")),
    }
}

/// The keys that a series may vary over where it has no degree of parallelism, in order of preference.
const MOVED: [&str; 4] = ["cores", "outstanding_small", "jobs", "position"];

/// Rows as points of a curve: every number under its own key.
pub(super) fn curve(
    (test, title, primary, by): (&str, &str, Option<&str>, Option<&str>),
    rows: &[RawRow],
    suspects: BTreeMap<String, Suspect>,
    place: &SourcePlace,
) -> Result<PublishedCurve, CatalogueError> {
    let by = by.or_else(|| MOVED.into_iter().find(|key| rows.iter().any(|row| row.contains_key(*key))));
    let over_nothing = || format!("its points are over nothing; each needs one of {}", MOVED.join(", "));
    let by = place.check(by.ok_or_else(over_nothing))?;
    let point = |row: &RawRow| -> Result<PublishedCurvePoint, CatalogueError> {
        let values = row.iter().filter_map(|(key, value)| Some((key.clone(), value.get_ref().number()?)));
        Ok(PublishedCurvePoint { values: values.collect(), suspects: place.check(doubt_of(row))? })
    };
    Ok(PublishedCurve {
        test: test.to_owned(),
        title: title.to_owned(),
        by: by.to_owned(),
        primary: primary.map(str::to_owned),
        points: rows.iter().map(point).collect::<Result<_, _>>()?,
        suspects,
    })
}
