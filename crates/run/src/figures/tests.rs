//! Extrapolated times, and figures from an engine on another machine.

use super::*;
use crate::work::PointWork;

#[test]
fn a_time_that_was_worked_out_says_from_what() {
    let catalogue = Catalogue::embedded().unwrap();
    let spec = |code: &str| PointSpec {
        test: catalogue.test(code).unwrap().clone(),
        size: catalogue.size("T").unwrap().clone(),
        seed: 1,
        key_seed: 1,
        nodes: 1,
        jobs: 1,
        jobs_before: 0,
        jobs_after: 0,
        threads: 1,
        rows_per_tx: 0,
        commit: dbdyno_model::CommitMode::Durable,
        drive: Drive::Server,
        sampling: dbdyno_engine::Sampling::Off,
    };
    let mut point = Point::new(dbdyno_model::TestCode::new("T151").unwrap(), jiff::Timestamp::UNIX_EPOCH);
    let window = Span { start_ns: 0, end_ns: 1_000_000_000 };
    fill_work(&mut point, PointWork::Test(&spec("T151")), &WorkLog::default(), window, 0);
    let told = "fibonacci(39) was not run: its time is that of fibonacci(22), of which it makes 3571 times the calls";
    assert_eq!(point.extrapolated["elapsed_s"], told);
    assert_eq!(extrapolated_from(&spec("T152")), None);
    let told = extrapolated_from(&spec("T154")).unwrap();
    assert!(told.starts_with("fibonacci(40) was not run") && told.ends_with("it makes 5778 times the calls"), "{told}");
    // At a million calls a second: the calls of 39 and of 40, in microseconds.
    let done = WorkDone { ops: 1e6, ..WorkDone::default() };
    let seconds = |code| elapsed_s(&spec(code), &WorkLog::default(), &done, 1.0).unwrap();
    assert_eq!([seconds("T151"), seconds("T154")], [204.668_309, 331.160_281]);
}

#[test]
fn an_engine_on_another_machine_tells_of_it() {
    let counters = |pairs: &[(Counter, u64)]| Counters {
        values: pairs.iter().copied().collect(),
        missing: [(Counter::HostIowaitNs, "not on this system".to_owned())].into(),
        ..Counters::default()
    };
    let mut point = Point::new(dbdyno_model::TestCode::new("T616").unwrap(), jiff::Timestamp::UNIX_EPOCH);
    for path in ["cpu", "io"] {
        point.lacks(path, "the target is on another machine");
    }
    fill_remote_machine(&mut point, &Counters::default(), 2.0);
    assert!(point.missing.contains_key("cpu") && point.missing.contains_key("io"));
    let told = [
        (Counter::HostBusyNs, 3_000_000_000),
        (Counter::HostIdleNs, 1_000_000_000),
        (Counter::HostUserNs, 2_000_000_000),
        (Counter::HostSystemNs, 1_000_000_000),
        (Counter::ReadRequests, 800),
        (Counter::WriteRequests, 20),
        (Counter::ReadBytes, 4 << 20),
        (Counter::WriteBytes, 2 << 20),
        (Counter::FileReads, 100),
        (Counter::FileReadNs, 50_000_000),
        (Counter::FileWrites, 0),
        (Counter::FileWriteNs, 0),
    ];
    fill_remote_machine(&mut point, &counters(&told), 2.0);
    assert_eq!((point.cpu.busy_pct, point.cpu.user_pct, point.cpu.iowait_pct), (Some(75.0), Some(50.0), None));
    assert_eq!(point.missing["cpu.iowait_pct"], "not on this system");
    assert_eq!((point.io.read_iops, point.io.write_mib_per_s), (Some(400.0), Some(1.0)));
    assert_eq!((point.io.read_service_time_s, point.io.write_service_time_s), (Some(5e-4), None));
    assert_eq!(point.missing["io.write_service_time_s"], "the engine timed none");
    assert!(!point.missing.contains_key("cpu") && !point.missing.contains_key("io"));
}
