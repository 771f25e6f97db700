//! The summary of every side beside the others', and tests that are the same work under another code.

use super::{compared, fixture, text};
use dbdyno_model::{Flag, Point, RunId, RunJson};
use dbdyno_report::Extent;
use dbdyno_report::compare::{CompareOptions, ComparedRow, Comparison, KeyFigure, Rank, Side};

/// A run of these points.
fn side(id: &str, points: Vec<Point>) -> Side {
    let whole = fixture::run();
    let header = dbdyno_model::Run { id: RunId::new(id).unwrap(), ..whole.run };
    Side::new(id, vec![RunJson::new(header, whole.platform, whole.database, points)])
}

/// Points of a test with one job and with eight, that do six times as much.
fn ramp(test: &str, change: impl Fn(&mut Point, f64)) -> Vec<Point> {
    let point = |(jobs, factor): (u32, f64)| {
        let mut point = fixture::bare(test, (1, jobs, 1));
        change(&mut point, factor);
        point
    };
    [(1, 1.0), (8, 6.0)].map(point).into()
}

/// Random reads: I/Os, rows and the time of one read.
fn reads(id: &str, iops: f64) -> Side {
    side(
        id,
        ramp("T626", |point, factor| {
            (point.io.read_iops, point.rows_per_s) = (Some(iops * factor), Some(iops * factor * 3.0));
            point.io.read_service_time_s = Some(0.0625 * factor);
        }),
    )
}

fn both(sides: &[Side]) -> Comparison {
    compared(sides, &CompareOptions::default())
}

fn lines<'c>(comparison: &'c Comparison, name: &str) -> Vec<&'c ComparedRow> {
    let all = comparison.summary.iter().flat_map(|group| &group.rows);
    all.filter(|line| line.name == name).map(|line| &line.row).collect()
}

#[test]
fn a_test_contributes_several_metrics() {
    let comparison = both(&[reads("a", 1_000.0), reads("b", 2_000.0)]);
    let rows = lines(&comparison, "Random read");
    let what: Vec<(KeyFigure, &str)> = rows.iter().map(|row| (row.which, row.metric.as_str())).collect();
    let expected = [
        (KeyFigure::Throughput, "read_iops"),
        (KeyFigure::Time, "read_service_time_s"),
        (KeyFigure::Scaling, "read_iops"),
        (KeyFigure::Throughput, "rows_per_s"),
    ];
    assert_eq!(what, expected);
    let values: Vec<f64> = rows.iter().map(|row| row.cells[1].value.unwrap()).collect();
    // The time is that of the best degree of parallelism, not the shortest.
    assert_eq!(values, [12_000.0, 0.375, 6.0, 36_000.0]);
    assert_eq!((rows[1].cells[1].text.as_str(), rows[2].cells[1].text.as_str()), ("375 ms", "6.00"));
    assert_eq!(rows[0].cells[1].ratio.as_ref().unwrap().value, Some(2.0));
    assert_eq!(comparison.summary[0].title, "Storage");
    let json = serde_json::to_value(&comparison).unwrap();
    assert_eq!(json["summary"][0]["rows"][1]["which"], "time");
    // Only the tests that were asked for.
    let other = CompareOptions { tests: Some("T6*"), ..CompareOptions::default() };
    assert_eq!(compared(&[reads("a", 1.0), reads("b", 2.0)], &other).summary.len(), 1);
}

#[test]
fn what_may_not_be_divided_is_in_parentheses() {
    let writes = |id: &str, flagged: bool| {
        side(
            id,
            ramp("T721", |point, factor| {
                (point.io.write_iops, point.rows_per_s) = (Some(500.0 * factor), Some(900.0 * factor));
                if flagged {
                    point.flag(Flag::WritesDeferred, None);
                }
            }),
        )
    };
    let comparison = both(&[writes("a", false), writes("b", true)]);
    let cell = &lines(&comparison, "Random write")[0].cells[1];
    assert_eq!((cell.value, cell.doubtful, cell.rank), (Some(3_000.0), true, Rank::None));
    let ratio = cell.ratio.as_ref().unwrap();
    assert!(ratio.value.is_none() && ratio.why.as_ref().unwrap().contains("writes_deferred"), "{ratio:?}");

    // One row a transaction is other work than 32.
    let selects = |id: &str, test: &str, rows_per_tx: u64| {
        side(
            id,
            ramp(test, |point, factor| {
                (point.rows_per_tx, point.tx_per_s) = (rows_per_tx, Some(100.0 * factor));
                point.rows_per_s = Some(100.0 * factor * rows_per_tx as f64);
            }),
        )
    };
    let comparison = both(&[selects("a", "T616", 32), selects("b", "DBX-12", 1), selects("c", "T616", 32)]);
    let cells = &lines(&comparison, "OLTP select")[0].cells;
    assert_eq!((cells[1].test.as_deref(), cells[1].rank), (Some("DBX-12"), Rank::None));
    assert!(cells[1].unlike.as_ref().unwrap().contains("other work than T616"), "{cells:?}");
    assert!(cells[1].ratio.as_ref().unwrap().value.is_none() && cells[2].ratio.as_ref().unwrap().value.is_some());
    let text = text(&comparison, Extent::Screen, Some(100));
    assert!(text.contains("(600.0)") && text.contains("& T616 B: measured as DBX-12\n"), "{text}");
}

/// An index build under one of its codes.
fn build(id: &str, codes: &[&str]) -> Side {
    let point = |code: &&str| {
        let mut point = fixture::bare(code, (1, 1, 1));
        (point.elapsed_s, point.rows_per_s) = (Some(2.0), Some(1e6));
        point
    };
    side(id, codes.iter().map(point).collect())
}

#[test]
fn codes_of_the_same_work_share_a_row() {
    let comparison = both(&[build("a", &["T512"]), build("b", &["DBA-12"])]);
    let row = &comparison.rows[0];
    assert_eq!((row.test.as_str(), row.cells[0].test.as_deref()), ("T512", None));
    assert_eq!((row.cells[1].test.as_deref(), row.cells[1].unlike.as_ref()), (Some("DBA-12"), None));
    assert!(row.cells[1].ratio.as_ref().unwrap().value.is_some());
    assert!(comparison.alone.is_empty() && comparison.warnings.is_empty(), "{:?}", comparison.warnings);
    let text = text(&comparison, Extent::Screen, None);
    assert!(text.contains("& T512 B: measured as DBA-12, which is the same work"), "{text}");

    let tests = |sides: &[Side]| -> Vec<String> {
        let comparison = both(sides);
        let of = |row: &ComparedRow| {
            let codes = row.cells.iter().map(|cell| match (&cell.test, cell.value) {
                (_, None) => "-",
                (Some(code), _) => code,
                (None, _) => "own",
            });
            format!("{} {}", row.test, codes.collect::<Vec<_>>().join(" "))
        };
        let rows = comparison.rows.iter().filter(|row| row.which == KeyFigure::Throughput).map(of);
        rows.chain(comparison.alone.iter().map(|(test, side)| format!("{test} alone {side}"))).collect()
    };
    let [t, dba] = [&["T512"][..], &["DBA-12"][..]];
    let two = &["T512", "DBA-12"][..];
    let four = [build("a", t), build("b", t), build("c", dba), build("d", dba)];
    assert_eq!(tests(&four), ["T512 own own DBA-12 DBA-12"]);
    assert_eq!(tests(&[build("a", two), build("b", dba)]), ["DBA-12 own own", "T512 alone 0"]);
    assert_eq!(tests(&[build("a", two), build("b", two)]), ["T512 own own", "DBA-12 own own"]);
    assert_eq!(tests(&[build("a", t), build("b", dba), build("c", dba)]), ["DBA-12 T512 own own"]);
}
