//! Which figure the summary page shows, and when it shows none.

// A test that cannot be set up fails; clippy sees that only inside #[test] functions.
#![allow(clippy::unwrap_used)]

mod fixture;

use dbdyno_catalogue::Catalogue;
use dbdyno_model::{CommitMode, Drive, Flag, Point, RunJson, Status};
use dbdyno_report::{Reported, report};

/// A fixture of other points.
fn run_of(points: Vec<Point>) -> RunJson {
    let whole = fixture::run();
    RunJson::new(whole.run, whole.platform, whole.database, points)
}

fn page(run: &RunJson) -> String {
    report("summary").unwrap().of(&Reported::of(run.clone()), &Catalogue::embedded().unwrap()).text(None)
}

/// The words of the first line that names this figure.
fn line(page: &str, name: &str) -> Vec<String> {
    let line = page.lines().find(|l| l.trim_start().starts_with(name)).unwrap_or_else(|| panic!("{name} in\n{page}"));
    line.split_whitespace().map(str::to_owned).collect()
}

fn rate(code: &str, jobs: u32, tx_per_s: f64) -> Point {
    let mut point = fixture::bare(code, (1, jobs, 1));
    point.tx_per_s = Some(tx_per_s);
    point
}

#[test]
fn a_sound_throughput_goes_before_a_larger_doubtful_one() {
    let mut cached = rate("T611", 4, 9_000.0);
    cached.flag(Flag::NotCached, None);
    let sound = page(&run_of(vec![rate("T611", 1, 1_000.0), rate("T611", 2, 1_900.0), cached.clone()]));
    assert_eq!(line(&sound, "By primary key")[3..], ["T611", "tx/s", "1,000", "1,900", "1x2x1", "-"], "{sound}");
    let doubtful = page(&run_of(vec![rate("T611", 1, 1_000.0), cached.clone(), rate("T611", 4, 8_900.0)]));
    assert_eq!(line(&doubtful, "By primary key")[3..6], ["T611", "tx/s", "1,000"], "{doubtful}");
    let only = page(&run_of(vec![cached]));
    assert_eq!(line(&only, "By primary key")[3..], ["T611", "tx/s", "-", "(9,000)", "1x4x1", "-", "c"], "{only}");
    assert!(only.contains("c not_cached: "), "{only}");
    assert!(only.contains("(4,500)"), "per core, too: {only}");
}

#[test]
fn a_failure_is_not_hidden_behind_another_test() {
    let mut failed = fixture::bare("T616", (1, 1, 1));
    failed.status = Status::Failed;
    failed.reason = Some("connection lost".into());
    let page = page(&run_of(vec![failed, rate("T611", 1, 1_000.0)]));
    assert!(page.contains("OLTP select       T616 failed: connection lost"), "{page}");
}

#[test]
fn an_unsupported_test_gives_way_and_is_named() {
    let mut unsupported = fixture::bare("T616", (1, 1, 1));
    unsupported.status = Status::Unsupported;
    unsupported.mapping = "none".into();
    unsupported.mapping_note = Some("there are no partitions".into());
    let page = page(&run_of(vec![unsupported, rate("T611", 1, 1_000.0)]));
    assert_eq!(line(&page, "OLTP select, cached")[3..5], ["T611", "tx/s"], "{page}");
    assert!(page.contains("T616 not supported: there are no partitions"), "{page}");
}

/// Data from the cache in place of rows from storage is not the same work, on whatever it is shown.
#[test]
fn a_substitute_on_cached_data_is_called_cached() {
    let run = run_of(vec![rate("T611", 1, 1_000.0), rate("T711", 1, 500.0)]);
    let text = page(&run);
    for name in ["OLTP select, cached", "OLTP update, cached"] {
        assert!(text.contains(name), "{name} in {text}");
    }
    let page = Reported::of(run).document(&Catalogue::embedded().unwrap()).page();
    assert!(page.contains("<div class=\"tile\"><h3>OLTP update, cached <span"), "{page}");
    assert!(page.contains(">OLTP select, cached</th>"), "{page}");
}

#[test]
fn speed_and_throughput_are_medians_with_their_interval() {
    let repeats = [(1, 100.0), (2, 110.0), (3, 105.0)];
    let page = page(&run_of(repeats.map(|(repeat, tx)| Point { repeat, ..rate("T611", 1, tx) }).to_vec()));
    // Half of the interval 93.2 to 118.1 is 11.9 % of the median.
    assert_eq!(line(&page, "By primary key")[3..9], ["T611", "tx/s", "105.0", "12", "105.0", "12"], "{page}");
}

#[test]
fn a_last_step_with_larger_transactions_is_reported_apart() {
    let point = |rows_per_tx, tx| Point { rows_per_tx, ..rate("T311", 2, tx) };
    let page = page(&run_of(vec![point(2, 500.0), point(10, 400.0), point(1, 900.0)]));
    assert_eq!(line(&page, "OLTP insert")[2..6], ["T311", "tx/s", "-", "500.0"], "{page}");
}

#[test]
fn the_client_drive_stands_in_only_where_there_is_no_other() {
    let client = Point { drive: Drive::Client, ..rate("T611", 1, 2_000.0) };
    let both = page(&run_of(vec![client.clone(), rate("T611", 1, 1_000.0)]));
    assert_eq!(line(&both, "By primary key")[5], "1,000", "{both}");
    let alone = page(&run_of(vec![client]));
    assert_eq!(line(&alone, "By primary key")[5], "2,000", "{alone}");
    assert!(alone.contains("* client drive"), "{alone}");
}

#[test]
fn deferred_writes_give_no_random_write_figure() {
    let mut deferred = fixture::bare("T721", (1, 1, 1));
    deferred.io.write_iops = Some(5_000.0);
    let mut written = Point { dop: dbdyno_model::Dop { jobs: 2, ..deferred.dop }, ..deferred.clone() };
    written.io.write_iops = Some(3_000.0);
    deferred.flag(Flag::WritesDeferred, None);
    let none = page(&run_of(vec![deferred.clone()]));
    assert!(none.contains("T721 no figure: pages were dirtied faster than written"), "{none}");
    let some = page(&run_of(vec![deferred, written]));
    assert_eq!(line(&some, "Random write")[2..6], ["T721", "IOPS", "-", "3,000"], "{some}");
}

#[test]
fn figures_per_core_fall_back_on_threads_and_say_so() {
    let mut run = run_of(vec![rate("T611", 1, 1_000.0)]);
    run.platform.cpu.cores = None;
    run.platform.cpu.threads = Some(8);
    assert!(page(&run).contains("Throughput per hardware thread (of 8)"), "{}", page(&run));
    run.platform.cpu.threads = None;
    assert!(page(&run).contains("the number of cores is not known"), "{}", page(&run));
}

/// Storage of which nothing was measured: what its work was is not the reason, and nobody did its I/O.
#[test]
fn failed_points_of_storage_are_no_other_kind_of_work() {
    let mut whole = fixture::storage::run();
    for point in &mut whole.points {
        (point.status, point.metric, point.service_time_s) = (Status::Failed, None, None);
        point.subject.storage_mut().unwrap().backend.clear();
    }
    let run = RunJson::new(whole.run, whole.platform, whole.database, whole.points);
    let summary = page(&run);
    assert!(summary.contains("None of its points has figures that count"), "{summary}");
    let storage = report("storage").unwrap().of(&Reported::of(run), &Catalogue::embedded().unwrap()).text(None);
    assert!(storage.contains("Input/output error") && !storage.contains("I/O by"), "{storage}");
}

#[test]
fn what_is_not_supported_says_why_at_a_set_rate_too() {
    let mut point = fixture::bare("T711", (1, 4, 1));
    (point.status, point.load.rate) = (Status::Unsupported, Some("500/s".parse().unwrap()));
    point.reason = Some("4 jobs cannot own disjoint keys".into());
    let page = page(&run_of(vec![point]));
    assert!(page.contains("T711 not supported: 4 jobs cannot own disjoint keys"), "{page}");
}

#[test]
fn redo_of_transactions_of_every_size_counts() {
    let writing = |rows_per_tx: u64, redo_mib_per_s: f64| {
        let mut point = rate("T311", 1, 1_000.0);
        (point.rows_per_tx, point.commit) = (rows_per_tx, Some(CommitMode::Durable));
        point.redo.mib_per_s = Some(redo_mib_per_s);
        point
    };
    let sizes = page(&run_of(vec![writing(2, 10.0), writing(10, 40.0)]));
    assert_eq!(line(&sizes, "Redo, maximum")[2..], ["T311", "MiB/s", "40.00", "40.00", "1x1x1"], "{sizes}");
    assert!(!sizes.contains("the best of"), "{sizes}");
    let nothing = page(&run_of(vec![writing(2, 0.0)]));
    assert_eq!(line(&nothing, "Redo, maximum")[2..], ["not", "measured"], "{nothing}");
    let reading = page(&run_of(vec![rate("T611", 1, 1_000.0)]));
    assert!(reading.contains("not measured: no test that writes"), "{reading}");
}
