//! The JSON document of a run: keys and types, sums that add up, and a reason for every absent value.

use crate::support::{number, points, text};
use serde_json::Value;
use std::collections::BTreeSet;

/// The type of a key's value.
#[derive(Debug, Clone, Copy)]
enum Is {
    Text,
    TextOrNull,
    Count,
    Number,
    /// A figure; if it is absent, `missing` has the reason.
    Figure,
    Object,
    ObjectOrNull,
    Array,
}

impl Is {
    fn holds(self, value: &Value) -> bool {
        match self {
            Self::Text => value.is_string(),
            Self::TextOrNull => value.is_string() || value.is_null(),
            Self::Count => value.is_u64(),
            Self::Number => value.is_number(),
            Self::Figure => value.is_number() || value.is_null(),
            Self::Object => value.is_object(),
            Self::ObjectOrNull => value.is_object() || value.is_null(),
            Self::Array => value.is_array(),
        }
    }
}

use Is::{Array, Count, Figure, Number, Object, ObjectOrNull, Text, TextOrNull};

const DOCUMENT: &[(&str, Is)] = &[
    ("/schema_version", Count),
    ("/run/id", Text),
    ("/run/label", TextOrNull),
    ("/run/suite", Text),
    ("/run/size", Text),
    ("/run/seed", Count),
    ("/run/started_at", Text),
    ("/run/tool_version", Text),
    ("/tool/version", Text),
    ("/tool/profile", TextOrNull),
    ("/tool/libc", TextOrNull),
    ("/tool/libc_version", TextOrNull),
    ("/tool/allocator", TextOrNull),
    ("/tool/embedded/sqlite", Array),
    ("/tool/missing", Object),
    ("/run/target", Text),
    ("/run/status", Text),
    ("/platform/cpu/model", TextOrNull),
    ("/platform/cpu/sockets", Figure),
    ("/platform/cpu/cores", Figure),
    ("/platform/cpu/threads", Figure),
    ("/platform/cpu/clock_mhz", Figure),
    ("/platform/cpu/governor", TextOrNull),
    ("/platform/memory/total_bytes", Figure),
    ("/platform/memory/huge_pages_bytes", Figure),
    ("/platform/numa_nodes", Figure),
    ("/platform/os", TextOrNull),
    ("/platform/kernel", TextOrNull),
    ("/platform/virtualisation", TextOrNull),
    ("/platform/disks", Array),
    ("/database/engine", Text),
    ("/database/version", Text),
    ("/database/parameters", Object),
    ("/points", Array),
    ("/cells", Array),
];

const POINT: &[(&str, Is)] = &[
    ("/subject/kind", Text),
    ("/subject/name", Text),
    ("/definition", Text),
    ("/mapping", Text),
    ("/drive", Text),
    ("/nodes", Count),
    ("/jobs", Count),
    ("/threads", Count),
    ("/rows_per_tx", Count),
    ("/rate", TextOrNull),
    ("/arrivals", TextOrNull),
    ("/think", TextOrNull),
    ("/asked_per_s", Figure),
    ("/repeat", Count),
    ("/started_at", Text),
    ("/commit", TextOrNull),
    ("/plan", TextOrNull),
    ("/status", Text),
    ("/reason", TextOrNull),
    ("/flags", Array),
    ("/checksum", TextOrNull),
    ("/metric", ObjectOrNull),
    ("/outcomes/requests", Count),
    ("/outcomes/ok", Count),
    ("/outcomes/retries", Count),
    ("/outcomes/errors", Object),
    ("/service_time_s", ObjectOrNull),
    ("/response_time_s", ObjectOrNull),
    ("/series", ObjectOrNull),
    ("/io/devices", Array),
    ("/memory", Object),
    ("/network", Object),
    ("/pressure", Object),
    ("/waits", Array),
    ("/missing", Object),
];

/// What a measured point has as a value or as missing with a reason.
const FIGURES: &[&str] = &[
    "/window_s",
    "/counters_s",
    "/ops",
    "/rows",
    "/checksum",
    "/ops_per_s",
    "/rows_per_s",
    "/tx_per_s",
    "/metric",
    "/service_time_s/mean",
    "/service_time_s/p50",
    "/service_time_s/p99",
    "/service_time_s/max",
    "/response_time_s",
    "/series",
    "/asked_per_s",
    "/cpu/busy_pct",
    "/cpu/user_pct",
    "/cpu/system_pct",
    "/cpu/iowait_pct",
    "/cpu/steal_pct",
    "/cpu/harness_pct",
    "/io/read_iops",
    "/io/write_iops",
    "/io/read_mib_per_s",
    "/io/write_mib_per_s",
    "/redo/mib_per_s",
    "/redo/writes_per_s",
    "/redo/write_service_time_s",
    "/redo/sync_writes_per_s",
    "/redo/sync_service_time_s",
    "/database/logical_reads_per_s",
    "/database/physical_reads_per_s",
    "/database/physical_writes_per_s",
    "/database/buffer_hit_pct",
    "/database/write_blocks_per_s",
    "/database/flash_hit_pct",
    "/database/cell_flash_hit_pct",
];

const CELL: &[(&str, Is)] = &[
    ("/subject/kind", Text),
    ("/subject/name", Text),
    ("/drive", Text),
    ("/nodes", Count),
    ("/jobs", Count),
    ("/threads", Count),
    ("/rows_per_tx", Count),
    ("/rate", TextOrNull),
    ("/n", Count),
    ("/median", Figure),
    ("/low", Figure),
    ("/high", Figure),
    ("/flags", Array),
];

fn check_shape(what: &str, value: &Value, shape: &[(&str, Is)]) {
    for (pointer, is) in shape {
        let found = value.pointer(pointer).unwrap_or_else(|| panic!("{what} has no {pointer}"));
        assert!(is.holds(found), "{what}: {pointer} is to be {is:?} and is {found}");
    }
}

/// Asserts that a document has the right form and that its figures are consistent.
#[track_caller]
pub(crate) fn check_document(document: &Value) {
    check_shape("the document", document, DOCUMENT);
    assert_eq!(document["schema_version"], 2);
    text(document, "/run/started_at").parse::<jiff::Timestamp>().unwrap();
    assert!(["running", "done", "interrupted", "lost"].contains(&text(document, "/run/status")));
    for point in points(document) {
        check_point(point);
    }
    check_cells(document);
}

/// Asserts that a point is complete, whatever its status.
#[track_caller]
pub(crate) fn check_point(point: &Value) {
    let code = text(point, "/subject/name");
    check_shape(code, point, POINT);
    check_subject(point);
    check_transactions(point);
    check_awr(point);
    text(point, "/started_at").parse::<jiff::Timestamp>().unwrap();
    let hash = text(point, "/definition");
    assert!(hash.len() == 16 && hash.chars().all(|c| c.is_ascii_hexdigit()), "{code}: {hash}");
    let errors = point["outcomes"]["errors"].as_object().unwrap().values().map(|n| n.as_u64().unwrap()).sum::<u64>();
    let (requests, ok) = (point["outcomes"]["requests"].as_u64(), point["outcomes"]["ok"].as_u64());
    assert_eq!(requests, ok.map(|ok| ok + errors), "{code}: requests must be the sum of outcomes");
    match text(point, "/status") {
        "ok" => check_figures(code, point),
        "failed" => assert!(errors > 0 && !text(point, "/reason").is_empty(), "{code}: {point:#}"),
        "invalid" => assert!(!text(point, "/reason").is_empty(), "{code}"),
        "unsupported" => {
            assert!(text(point, "/reason").len() >= 10, "{code}: an expert wants to know why: {}", point["reason"]);
        }
        other => panic!("{code} has status '{other}'"),
    }
}

/// Tests still have the key of version 1, and storage has its load.
fn check_subject(value: &Value) {
    let (kind, name) = (text(value, "/subject/kind"), &value["subject"]["name"]);
    let (test, storage) = (value.get("test"), value.get("storage"));
    let expected = match kind {
        "test" => (Some(name), false),
        "workload" => (None, false),
        "storage" => (None, true),
        other => panic!("{name} is of the kind '{other}'"),
    };
    assert_eq!((test, storage.is_some_and(Value::is_object)), expected, "{kind} {name}");
}

/// The client drive's times of a test have one type, with the point's own figures; the server drive and storage have no
/// types. A workload is timed in both forms and has types of its own, whose figures add up to the point's.
fn check_transactions(point: &Value) {
    let is_of_workload = point["subject"]["kind"] == "workload";
    let is_of_client = is_of_workload || point["subject"]["kind"] == "test" && point["drive"] == "client";
    let Some(types) = point.get("transactions").and_then(Value::as_array) else {
        assert!(!is_of_client || point["service_time_s"].is_null(), "{point:#}");
        return;
    };
    assert!(is_of_client, "{point:#}");
    let [only] = types.as_slice() else {
        assert!(is_of_workload && types.len() > 1, "{types:?}");
        for path in ["/ops", "/outcomes/requests", "/outcomes/ok", "/outcomes/retries"] {
            let sum: f64 = types.iter().map(|of_type| number(of_type, path)).sum();
            assert_eq!(sum, number(point, path), "{path}");
        }
        return;
    };
    assert!(is_of_workload || only["type"] == point["subject"]["name"], "{only}");
    assert!(is_of_workload || only["weight"] == 1, "{only}");
    for key in ["ops", "ops_per_s", "service_time_s", "response_time_s", "outcomes"] {
        assert_eq!(only.get(key).unwrap_or(&Value::Null), &point[key], "{key}");
    }
}

/// Snapshots of a server's own repository are numbers, or have a reason.
fn check_awr(point: &Value) {
    let Some(awr) = point.get("awr") else { return };
    for key in ["dbid", "begin_snapshot", "end_snapshot"] {
        let has_reason = point["missing"][format!("awr.{key}")].is_string();
        assert!(awr[key].is_u64() != has_reason && (has_reason || !awr[key].is_null()), "{key}: {point:#}");
    }
    let instances = awr["instances"].as_array().unwrap();
    assert!(instances.iter().all(Value::is_u64), "{awr}");
    for report in awr.get("reports").and_then(Value::as_array).into_iter().flatten() {
        assert!(instances.contains(&report["instance"]) && text(report, "/file").ends_with(".html"), "{awr}");
    }
}

/// Rates, counts and the window must be consistent.
fn check_figures(code: &str, point: &Value) {
    assert!(point["reason"].is_null(), "{code}");
    // Removing pieces is not part of the work.
    let window_s = number(point, "/window_s") - point["discarding_s"].as_f64().unwrap_or(0.0);
    let (ops, rate) = (number(point, "/ops"), number(point, "/ops_per_s"));
    assert!(window_s > 0.0 && rate > 0.0, "{code}: {rate} operations/s in {window_s} s");
    assert!((rate * window_s - ops).abs() <= 0.5 + 1e-6 * ops, "{code}: {ops} operations at {rate}/s in {window_s} s");
    if let Some(rows_per_s) = point["rows_per_s"].as_f64() {
        let rows = number(point, "/rows");
        assert!((rows_per_s * window_s - rows).abs() <= 0.5 + 1e-6 * rows, "{code}: {rows} rows at {rows_per_s}/s");
    }
    assert_eq!(point["outcomes"]["ok"], point["ops_total"], "{code}: every operation has an outcome");
    assert!(ops <= number(point, "/ops_total"), "{code}: the window is a part of the work");
    check_shape(code, &point["metric"], &[("/id", Text), ("/value", Number), ("/unit", Text)]);
    let reasons = point["missing"].as_object().unwrap();
    assert!(reasons.values().all(|why| why.as_str().is_some_and(|w| w.len() >= 10)), "{code}: {reasons:?}");
}

/// Figures that measured points lack without a reason: a reason is at their own path or at one above.
pub(crate) fn absent_without_a_reason(document: &Value) -> BTreeSet<String> {
    let mut silent = BTreeSet::new();
    for point in points(document).iter().filter(|p| p["status"] == "ok") {
        for pointer in FIGURES {
            if point.pointer(pointer).is_some_and(|v| !v.is_null()) {
                continue;
            }
            let path = pointer.trim_start_matches('/').replace('/', ".");
            let above = path.split('.').next().unwrap();
            if point["missing"].get(&path).or_else(|| point["missing"].get(above)).is_none() {
                let engine = text(document, "/database/engine");
                silent.insert(format!("{engine} {} {path}", text(point, "/test")));
            }
        }
    }
    silent
}

/// Each point belongs to one cell, and a cell's figures come from its points.
fn check_cells(document: &Value) {
    let cells = document["cells"].as_array().unwrap();
    let mut counted = 0;
    for cell in cells {
        let code = text(cell, "/subject/name");
        check_shape(code, cell, CELL);
        check_subject(cell);
        let same = |p: &&Value| {
            [
                "subject",
                "test",
                "drive",
                "nodes",
                "jobs",
                "threads",
                "rows_per_tx",
                "rate",
                "arrivals",
                "think",
                "connections",
                "again",
            ]
            .iter()
            .all(|key| p[*key] == cell[*key])
        };
        let members: Vec<&Value> = points(document).iter().filter(same).collect();
        counted += members.len();
        let mut values: Vec<f64> =
            members.iter().filter(|p| p["status"] == "ok").map(|p| number(p, "/metric/value")).collect();
        values.sort_by(f64::total_cmp);
        assert_eq!(cell["n"].as_u64(), Some(values.len() as u64), "{code}");
        let middle = values.len() / 2;
        let median = match values.len() {
            0 => None,
            n if n % 2 == 1 => Some(values[middle]),
            _ => Some((values[middle - 1] + values[middle]) / 2.0),
        };
        match (median, cell["median"].as_f64()) {
            (None, None) => {}
            (Some(ours), Some(theirs)) => assert!((ours - theirs).abs() <= 1e-9 * ours, "{code}: {ours} {theirs}"),
            other => panic!("{code}: {other:?}"),
        }
        let interval = (cell["low"].as_f64(), cell["high"].as_f64());
        assert_eq!(interval.0.is_some(), values.len() >= 3, "{code}: an interval from three repeats on");
        if let ((Some(low), Some(high)), Some(least), Some(most)) = (interval, values.first(), values.last()) {
            // The interval is around the mean of logarithms; for a few skewed values the median may lie outside.
            assert!(0.0 < low && low <= *most && *least <= high, "{code}: {low} {high} {values:?}");
        }
    }
    assert_eq!(counted, points(document).len(), "each point is in one cell");
}
