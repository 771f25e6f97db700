//! One line per point. The columns are paths of the JSON document, whose description also holds for them.

use crate::terminal::lines::clean;
use dbdyno_model::{Point, RunJson};
use serde_json::Value;
use std::borrow::Cow;
use std::io;

/// Columns that are the same for all points of a run.
const OF_RUN: &str = include_str!("columns/run.txt");

/// Columns of a point.
const OF_POINT: &str = include_str!("columns/point.txt");

/// Columns that only a run with storage points has.
const OF_STORAGE: &str = include_str!("columns/storage.txt");

/// The figures of a storage point for each size, small and large, and direction.
const OF_IOS: [&str; 4] = ["ios", "bytes", "iops", "mib_per_s"];
const OF_TIMES: [&str; 10] = ["mean", "min", "std_dev", "p50", "p90", "p95", "p99", "p99_9", "p99_99", "max"];

/// The columns of points.
fn of_point(with_storage: bool) -> Vec<Cow<'static, str>> {
    let mut paths: Vec<Cow<'static, str>> = OF_POINT.lines().map(Cow::Borrowed).collect();
    if !with_storage {
        return paths;
    }
    paths.extend(OF_STORAGE.lines().map(Cow::Borrowed));
    for ios in ["small.read", "small.write", "large.read", "large.write"] {
        let times = |of: &'static str| OF_TIMES.map(|time| format!("{of}.{time}"));
        let figures =
            OF_IOS.map(str::to_owned).into_iter().chain(times("service_time_s")).chain(times("response_time_s"));
        paths.extend(figures.map(|figure| Cow::Owned(format!("storage.{ios}.{figure}"))));
    }
    paths
}

/// The points of a run as CSV (RFC 4180), with a header line. Missing values are empty; doubts about published values
/// are in the last column.
///
/// # Errors
/// Never in practice, because it writes to memory.
pub fn csv(run: &RunJson) -> io::Result<String> {
    let mut writer = csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(Vec::new());
    let paths = of_point(run.points.iter().any(|p| p.subject.storage().is_some()));
    let heads = OF_RUN.lines().chain(paths.iter().map(AsRef::as_ref));
    writer.write_record(heads.chain(["doubts"])).map_err(io::Error::other)?;
    let document =
        serde_json::json!({ "run": &run.run, "tool": &run.tool, "database": &run.database, "platform": &run.platform });
    let of_run: Vec<String> = OF_RUN.lines().map(|path| cell(&document, path)).collect();
    for point in &run.points {
        let body = serde_json::to_value(point)?;
        let of_point = paths.iter().map(|path| cell(&body, path));
        let record = of_run.iter().cloned().chain(of_point).chain([doubts(point)]);
        writer.write_record(record).map_err(io::Error::other)?;
    }
    let bytes = writer.into_inner().map_err(|e| io::Error::other(e.to_string()))?;
    String::from_utf8(bytes).map_err(io::Error::other)
}

fn cell(document: &Value, path: &str) -> String {
    let value = path.split('.').try_fold(document, |value, key| value.get(key));
    value.map(text).unwrap_or_default()
}

fn text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => harmless(text),
        Value::Array(list) => list.iter().map(text).collect::<Vec<_>>().join(" "),
        Value::Object(pairs) => {
            let pairs: Vec<String> = pairs.iter().map(|(key, value)| format!("{key}={}", text(value))).collect();
            harmless(&pairs.join(" "))
        }
        other => other.to_string(),
    }
}

fn doubts(point: &Point) -> String {
    let doubts =
        point.suspects.iter().map(|(metric, suspect)| format!("{metric}: {} ({})", suspect.names(), suspect.why));
    harmless(&doubts.collect::<Vec<_>>().join("; "))
}

/// Texts come from databases and users, and a spreadsheet would run a text that begins like a formula.
fn harmless(text: &str) -> String {
    let text: Cow<'_, str> = clean(text);
    if text.starts_with(['=', '+', '-', '@']) { format!("'{text}") } else { text.into_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbdyno_catalogue::Catalogue;
    use dbdyno_model::{
        Logon, Parameters, PerMinute, PumpKind, PumpUse, ResponseTime, StatementCounts, Storage, StorageIos,
        StorageLayout, StorageLoad, StoragePattern, StorageProof, StorageReadWrite, Subject,
    };
    use std::collections::BTreeSet;

    /// Texts about a point, and lists of its sources: only the JSON document has them.
    const LEFT_OUT: [&str; 16] = [
        "mapping_note",
        "durability",
        "plan",
        "flag_notes",
        "checksum",
        "outcomes.errors",
        "series",
        "io.devices",
        "storage.paths",
        "storage.notes",
        "storage.series",
        "transactions",
        "waits",
        "missing",
        "extrapolated",
        "suspects",
    ];

    /// The paths of everything in a document that contains no object.
    fn leaves(path: &str, value: &Value, found: &mut BTreeSet<String>) {
        match value {
            Value::Object(fields) if !LEFT_OUT.contains(&path) && path != "parameters" => {
                let dot = if path.is_empty() { "" } else { "." };
                fields.iter().for_each(|(key, value)| leaves(&format!("{path}{dot}{key}"), value, found));
            }
            _ => _ = found.insert(path.to_owned()),
        }
    }

    #[test]
    fn every_figure_of_a_point_has_a_column_and_every_column_a_place() {
        let platform = Catalogue::embedded().unwrap().platform("hp_dl980_violin_2012").unwrap();
        let mut point = platform.points.into_iter().find(|point| point.metric.is_some()).unwrap();
        (point.service_time_s, point.response_time_s) = (Some(ResponseTime::default()), Some(ResponseTime::default()));
        (point.connection_wait_s, point.load.connections) = (Some(ResponseTime::default()), Some(1));
        point.redo.sync_writes = Some(1.0);
        (point.parameters, point.cores) = (Parameters::from_iter([("WORK_UNIT", "64")]), Some(2));
        point.load.transactions_each = Some(400);
        point.cpu.held_busy_pct = Some(1.0);
        (point.mix, point.load.pause) = (Some("A=1".parse().unwrap()), Some("1ms".parse().unwrap()));
        let statements = StatementCounts { logon: Some(1), ..StatementCounts::default() };
        (point.statements, point.outcomes.rolled_back) = (Some(statements), 1);
        point.load.logon = Logon::Transaction;
        point.tx_per_min = Some(PerMinute { mean: 1.0, max: None });
        point.database.device_read_pct = Some(1.0);
        point.database.remote_blocks_per_s = Some(1.0);
        point.again = true;
        point.pump = Some(PumpUse { kind: PumpKind::Threads, threads: 1, sessions_follow: false });
        let columns =
            |with_storage| -> BTreeSet<String> { of_point(with_storage).iter().map(ToString::to_string).collect() };
        let places = |point: &Point| {
            let mut found = BTreeSet::new();
            leaves("", &serde_json::to_value(point).unwrap(), &mut found);
            found.retain(|path| !LEFT_OUT.contains(&path.as_str()));
            found
        };
        assert_eq!(places(&point), columns(false));
        let times = || Some(ResponseTime { min: Some(1.0), std_dev: Some(1.0), ..ResponseTime::default() });
        let ios = || {
            let service_time_s = times().unwrap();
            Some(StorageIos { service_time_s, response_time_s: times(), ..StorageIos::default() })
        };
        let both = || StorageReadWrite { read: ios(), write: ios() };
        (point.service_time_s, point.response_time_s) = (times(), times());
        let load = StorageLoad {
            small_outstanding: 1,
            large_outstanding: 1,
            small_bytes: 8_192,
            large_bytes: 1 << 20,
            pattern: StoragePattern::Sequential { streams: 4 },
            write_pct: 0,
            luns: 1,
            layout: StorageLayout::Raid0 { stripe_bytes: 1 << 20 },
            verify: false,
        };
        point.subject = Subject::Storage(Storage {
            small: both(),
            large: both(),
            completed_per_s: Some(1.0),
            on_time_per_s: Some(1.0),
            proof: Some(StorageProof::default()),
            ..Storage::requested(load)
        });
        // Storage has no test code.
        let columns: BTreeSet<String> = columns(true).into_iter().filter(|path| path != "test").collect();
        assert_eq!(places(&point), columns);
    }

    #[test]
    fn no_text_is_a_formula_and_no_number_is_text() {
        assert_eq!(harmless("=cmd|' /C calc'!A0"), "'=cmd|' /C calc'!A0");
        assert_eq!(harmless("PostgreSQL 15.1"), "PostgreSQL 15.1");
        assert_eq!(text(&serde_json::json!(-1.5)), "-1.5");
        assert_eq!(text(&serde_json::json!(["noisy", "cpu_steal"])), "noisy cpu_steal");
        assert_eq!(cell(&serde_json::json!({"a": {"b": null}}), "a.b"), "");
    }
}
