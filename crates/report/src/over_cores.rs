//! Random I/O through the database as its users know it from published results: SQL executions, blocks read and
//! written, the time of a single-block read, buffer hits and idle processors, over the cores that a server was held to.

use crate::figures::is_doubtful;
use dbdyno_model::{Point, PublishedCurve, PublishedCurvePoint, RunJson, Status, Suspect, SuspectCode};
use std::collections::BTreeMap;

/// The workload, as published results call it.
const TEST: &str = "SLOB";
const BY: &str = "cores";
const PRIMARY: &str = "read_write_per_s";

type Figure = fn(&Point) -> Option<f64>;

/// The figures by their keys in published results, in units that the keys name.
const FIGURES: [(&str, Figure); 5] = [
    ("sql_executes_per_s", |p| p.ops_per_s),
    (PRIMARY, blocks_per_s),
    ("db_file_sequential_read_us", |p| p.io.read_service_time_s.map(|seconds| seconds * 1e6)),
    ("idle_cpu_pct", idle_cpu_pct),
    ("buffer_hit_pct", |p| p.database.buffer_hit_pct),
];

/// Whether a point is one of random I/O through the database.
pub(crate) fn is_random_io(point: &Point) -> bool {
    point.subject.name().name.eq_ignore_ascii_case(TEST)
}

/// Blocks that the database read from below its cache, and blocks that it wrote to data files.
pub(crate) fn blocks_per_s(point: &Point) -> Option<f64> {
    Some(point.database.physical_reads_per_s? + point.database.physical_writes_per_s?)
}

/// The share of processor time that was left: of the processors that the server was held to, else of all.
pub(crate) fn idle_cpu_pct(point: &Point) -> Option<f64> {
    point.cpu.held_busy_pct.or(point.cpu.busy_pct).map(|busy_pct| 100.0 - busy_pct)
}

/// The curve of a run that went through several numbers of cores; `None` of any other. Of repeats the one in the middle
/// by SQL executions counts.
pub(crate) fn curve(run: &RunJson) -> Option<PublishedCurve> {
    let mut by_cores: BTreeMap<u32, Vec<&Point>> = BTreeMap::new();
    for point in run.points.iter().filter(|p| p.status == Status::Ok && is_random_io(p)) {
        by_cores.entry(point.cores?).or_default().push(point);
    }
    let points: Vec<PublishedCurvePoint> =
        by_cores.iter_mut().filter_map(|(cores, points)| at(*cores, points)).collect();
    (!points.is_empty()).then(|| PublishedCurve {
        test: TEST.to_owned(),
        title: "random reads and updates through the database".to_owned(),
        by: BY.to_owned(),
        primary: Some(PRIMARY.to_owned()),
        points,
        suspects: BTreeMap::new(),
    })
}

/// A figure with four digits, as published ones have.
fn four_digits(value: f64) -> f64 {
    let factor = 10_f64.powi(3 - value.abs().max(f64::MIN_POSITIVE).log10().floor().clamp(-9.0, 9.0) as i32);
    (value * factor).round() / factor
}

fn at(cores: u32, points: &mut [&Point]) -> Option<PublishedCurvePoint> {
    points.sort_by(|a, b| a.ops_per_s.unwrap_or(0.0).total_cmp(&b.ops_per_s.unwrap_or(0.0)));
    let point = points.get(points.len() / 2)?;
    let figures = FIGURES.iter().filter_map(|(key, figure)| Some(((*key).to_owned(), four_digits(figure(point)?))));
    let values: BTreeMap<String, f64> = figures.chain([(BY.to_owned(), f64::from(cores))]).collect();
    let doubt = || {
        let notes: Vec<&str> = point.flag_notes.values().map(String::as_str).collect();
        Suspect { codes: vec![SuspectCode::Label], why: notes.join("; "), converted: false }
    };
    let doubted = values.keys().filter(|key| *key != BY && is_doubtful(&point.flags));
    let suspects = doubted.map(|key| (key.clone(), doubt())).collect();
    Some(PublishedCurvePoint { values, suspects })
}
