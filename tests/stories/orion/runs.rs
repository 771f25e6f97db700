//! Kinds of runs: their points, their files, and their reports.

use super::{POINT, endings, file, files, measured};
use crate::document::check_point;
use crate::support::{Room, number, points, text};
use serde_json::Value;
use std::collections::BTreeSet;

const SIX: [&str; 6] = ["hist.txt", "iops.csv", "lat.csv", "mbps.csv", "summary.txt", "trace.txt"];

/// A command line with a file of its own.
fn line(flags: &str) -> String {
    format!("orion {flags} -duration 0.25 -cache_size 0 --file t.dat --file-size 4M")
}

/// A run with this many points, all of them valid.
#[track_caller]
fn run(flags: &str, points_planned: usize) -> Room {
    let room = Room::on_disk();
    measured(&room, &line(flags));
    check(&room, flags, points_planned);
    room
}

/// A run with so many points that a busy device may stall for one of them.
#[track_caller]
fn run_many(flags: &str, points_planned: usize) -> Room {
    let room = Room::on_disk();
    let ending = room.run(&line(flags));
    let document = room.show("last");
    let standstills = points(&document).iter().filter(|point| stood_still(point)).count();
    assert!(standstills <= points_planned / 2, "{}", ending.stdout);
    ending.expect(if standstills == 0 { 0 } else { 4 });
    check(&room, flags, points_planned);
    room
}

fn stood_still(point: &Value) -> bool {
    point["reason"].as_str().is_some_and(|reason| reason.starts_with("no I/O ended inside the window"))
}

/// Whether the points are valid, with ORION's files beside them.
#[track_caller]
fn check(room: &Room, flags: &str, points_planned: usize) {
    let document = room.show("last");
    assert_eq!(points(&document).len(), points_planned, "{flags}");
    for point in points(&document).iter().filter(|point| !stood_still(point)) {
        check_point(point);
        let ios = |size: &str, way: &str| point["storage"][size][way]["ios"].as_u64().unwrap_or(0);
        let all: u64 = ["small", "large"].iter().map(|size| ios(size, "read") + ios(size, "write")).sum();
        assert_eq!(point["ops"].as_u64(), Some(all), "{point}");
        assert!(number(point, "/metric/value") > 0.0, "{point}");
    }
    let ends = files(room).into_iter().map(|(end, _)| end).collect::<BTreeSet<_>>();
    assert!(ends.iter().eq(SIX.iter()), "{flags}: {ends:?}");
}

#[test]
fn a_simple_run_leaves_points_and_files_that_say_the_same() {
    let room = run("-run simple -num_disks 1", 7);
    let document = room.show("last");
    // When the longest I/O was, and on which device or file.
    for point in points(&document) {
        let ios = |size: &str| point["storage"][size]["read"]["ios"].as_u64().unwrap_or(0) as f64;
        let (series, lun) = (&point["storage"]["series"], &point["storage"]["paths"][0]["figures"]);
        let rate: f64 = series["ios_per_s"].as_array().unwrap().iter().map(|n| n.as_f64().unwrap()).sum();
        let window_s = number(point, "/window_s");
        assert!((rate * window_s - ios("small") - ios("large")).abs() < 1.0, "{series}");
        assert_eq!(series["max_lun"][0], 0);
        assert_eq!(series["max_s"][0], lun["max_s"]);
        let longest = number(point, "/service_time_s/max");
        assert!((lun["max_s"].as_f64().unwrap() / longest - 1.0).abs() < 0.01, "{lun} {longest}");
        assert!(lun["max_at_s"].as_f64().unwrap() <= window_s, "{lun}");
    }
    assert!(document.get("database").is_none(), "no database was measured");
    let iops = file(&room, "iops.csv");
    let row = iops.lines().find(|line| line.trim_start().starts_with("0,")).unwrap_or_else(|| panic!("{iops}"));
    let cells: Vec<f64> = row.split(',').skip(1).map(|cell| cell.trim().parse().unwrap()).collect();
    let of_points = points(&document).iter().take(5).map(|p| number(p, "/storage/small/read/iops"));
    for (cell, iops) in cells.iter().zip(of_points) {
        assert!((cell - iops).abs() <= 1.0, "{cells:?} {iops}");
    }
    let shown = room.run("show last").expect(0).stdout;
    assert!(shown.contains("8K random reads") && shown.contains("t.dat, below any database"), "{shown}");
    let csv = room.run("export last --format csv").expect(0).stdout;
    assert!(csv.lines().next().unwrap().contains("storage.small.read.service_time_s.p99"), "{csv}");
    assert!(room.run("export last --format openmetrics").expect(0).stdout.contains("dbdyno_small_ios_per_second"));
    room.run("report last -o page.html").expect(0);
    assert!(std::fs::read_to_string(room.path("page.html")).unwrap().contains("<section id=\"storage\">"));
    let refused = room.run("resume last").expect(2).stderr;
    assert!(refused.contains("start it again with `dbdyno orion`"), "{refused}");
    // An exported run can be imported again.
    let json = room.run("export last --format json").expect(0).stdout;
    let other = Room::on_disk();
    std::fs::write(other.path("run.json"), json).unwrap();
    other.run("import run.json").expect(0);
    assert_eq!(other.show("last"), document);
}

#[test]
fn the_last_lines_are_those_that_scripts_read() {
    let room = Room::on_disk();
    let ending = measured(&room, &line("-run simple -num_disks 1"));
    let last: Vec<&str> = ending.stdout.trim_end().lines().rev().take(3).collect();
    for (line, text) in last.iter().rev().zip(["Maximum Large MBPS=", "Maximum Small IOPS=", "Minimum Small Latency="])
    {
        assert!(line.starts_with(text), "{text} at the end of\n{}", ending.stdout);
    }
}

#[test]
fn a_normal_run_has_every_combination() {
    run_many("-run normal -num_disks 1", 17);
}

#[test]
fn an_oltp_run_has_small_ios_alone() {
    let room = run_many("-run oltp -num_disks 1 -write 50", 20);
    let document = room.show("last");
    let measured: Vec<&Value> = points(&document).iter().filter(|point| !stood_still(point)).collect();
    let [read, write] = ["read", "write"]
        .map(|way| measured.iter().map(|point| number(point, &format!("/storage/small/{way}/ios"))).sum::<f64>());
    assert!((read / (read + write) - 0.5).abs() < 0.1, "{read} reads, {write} writes");
    assert!(measured.iter().all(|point| point["storage"]["large"]["read"].is_null()));
}

#[test]
fn a_dss_run_has_large_ios_alone_and_an_advanced_one_what_it_is_told() {
    run_many("-run dss -num_disks 1", 15);
    let flags = "-run advanced -matrix row -num_large 1 -num_disks 1 -type seq -num_streamIO 2 -write 30 -size_small 4";
    let room = run(flags, 6);
    let point = &room.show("last")["points"][5];
    assert_eq!((number(point, "/storage/small_bytes"), number(point, "/storage/large_outstanding")), (4_096.0, 2.0));
    assert_eq!((text(point, "/storage/pattern"), number(point, "/jobs")), ("sequential", 7.0));
}

#[test]
fn a_rate_is_kept_or_the_point_is_invalid() {
    let room = Room::on_disk();
    measured(&room, &format!("{POINT} --file-size 2M --rate 200 --arrivals constant"));
    let document = room.show("last");
    let point = &points(&document)[0];
    assert!(number(point, "/response_time_s/p99") > 0.0 && number(point, "/asked_per_s") == 200.0, "{point}");
    room.run(&format!("{POINT} --rate 50000000")).expect(4);
    let [(status, reason)] = &endings(&room.show("last"))[..] else { panic!("one point") };
    assert_eq!(status, "invalid");
    assert!(reason.contains("50000000 I/Os/s were asked for"), "{reason}");
    let document = room.show("last");
    let point = &points(&document)[0];
    let (completed, on_time) = (number(point, "/storage/completed_per_s"), number(point, "/storage/on_time_per_s"));
    assert!(completed > 0.0 && completed >= on_time, "{point}");
    assert!(reason.contains("a second were completed") && reason.contains("of them on time"), "{reason}");
}

#[test]
fn a_bit_that_changes_is_found_where_it_is() {
    const AT: usize = 123_456;
    let room = Room::on_disk();
    measured(&room, &format!("{POINT} --file-size 1M --verify -write 100"));
    measured(&room, &format!("{POINT} --verify"));
    let mut bytes = std::fs::read(room.path("t.dat")).unwrap();
    bytes[AT] ^= 1;
    std::fs::write(room.path("t.dat"), bytes).unwrap();
    // Each read covers the whole file, so any of them finds it.
    let line = format!("{POINT} --verify -size_small 1024 --json");
    let mut documents = (0..5).map(|_| room.run(&line).expect(4).json());
    let document = documents.find(|document| !stood_still(&points(document)[0])).unwrap();
    let [(status, reason)] = &endings(&document)[..] else { panic!("one point") };
    assert_eq!(status, "invalid");
    assert!(reason.contains(&format!("t.dat at byte {AT}: ")), "{reason}");
}

/// A file that dbdyno stamped throughout, after something else was written to a part of it.
fn spoiled(room: &Room, spoil: impl FnOnce(&mut [u8])) {
    measured(room, &format!("{POINT} --file-size 1M --verify -write 50"));
    let mut bytes = std::fs::read(room.path("t.dat")).unwrap();
    spoil(&mut bytes);
    // In place, because a new file would have no mark.
    let mut file = std::fs::OpenOptions::new().write(true).open(room.path("t.dat")).unwrap();
    std::io::Write::write_all(&mut file, &bytes).unwrap();
    file.sync_all().unwrap();
}

/// Each read covers the whole file, so any of them finds it.
const VERIFY: &str = "-size_small 1024 --verify --json";

#[test]
fn garbage_in_a_file_that_was_stamped_throughout_is_an_error_with_its_place() {
    fn noise(bytes: &mut [u8]) {
        bytes.iter_mut().zip(0u32..).for_each(|(b, n)| *b = (n.wrapping_mul(0x9e37_79b1) >> 13) as u8);
    }
    type Spoil = fn(&mut [u8]);
    let spoils: [(&str, usize, Spoil); 3] = [
        ("a zeroed block", 40 << 13, |bytes| bytes[40 << 13..41 << 13].fill(0)),
        ("half of the file random", 1 << 19, |bytes| noise(&mut bytes[1 << 19..])),
        ("the whole file random", 0, noise),
    ];
    for (what, at, spoil) in spoils {
        let room = Room::on_disk();
        spoiled(&room, spoil);
        let line = format!("{POINT} {VERIFY}");
        let mut documents = (0..5).map(|_| room.run(&line).expect(4).json());
        let document = documents.find(|document| !stood_still(&points(document)[0])).unwrap();
        let [(status, reason)] = &endings(&document)[..] else { panic!("one point") };
        assert_eq!(status, "invalid", "{what}");
        assert!(reason.contains(&format!("t.dat at byte {at}: the sector carries no stamp")), "{what}: {reason}");
        assert!(points(&document)[0]["storage"]["proof"]["wrong"].as_u64().unwrap() > 0, "{what}");
    }
}

#[test]
fn what_was_never_stamped_throughout_is_not_verified() {
    let room = Room::on_disk();
    // A file of another program, and one of dbdyno's after unstamped writes: nothing can be verified on either.
    std::fs::write(room.path("t.dat"), vec![7; 1 << 20]).unwrap();
    let foreign = room.run(&format!("{POINT} --verify")).expect(2).stderr;
    assert!(foreign.contains("t.dat was never stamped throughout") && foreign.contains("--file-size"), "{foreign}");
    std::fs::remove_file(room.path("t.dat")).unwrap();
    measured(&room, &format!("{POINT} --file-size 1M"));
    measured(&room, &format!("{POINT} --verify"));
    measured(&room, &format!("{POINT} -write 50"));
    let written = room.run(&format!("{POINT} --verify")).expect(2).stderr;
    assert!(written.contains("may have been written to without stamps") && written.contains("remove it"), "{written}");
    let asked = room.run(&format!("{POINT} --verify --file-size 1M")).expect(2).stderr;
    assert!(asked.contains("remove it"), "{asked}");
    // What a run writes itself can be verified all the same, and the run says that this is all.
    let mixed = room.run(&format!("{POINT} --verify -write 50"));
    assert!(mixed.stderr.contains("proves only what a run itself has written"), "{}", mixed.stderr);
    std::fs::remove_file(room.path("t.dat")).unwrap();
    measured(&room, &format!("{POINT} --file-size 1M --verify"));
}

#[test]
fn runs_of_a_label_are_repeats_of_each_other_and_may_stand_beside_a_database() {
    let room = Room::with_data();
    for label in ["one", "other"] {
        for _ in 0..2 {
            measured(&room, &format!("{POINT} --file-size 1M --label {label}"));
        }
        measured(&room, &format!("run T611 --target sqlite:x.sqlite --duration 100ms --ramp 1 --label {label}"));
        measured(&room, &format!("{POINT} --label {label}"));
    }
    assert_eq!(text(&room.show("one"), "/run/suite"), "T611", "the database's run is meant");
    let compared = room.run("compare one other --json").expect(0).json();
    let warnings = compared["warnings"].to_string();
    assert!(!warnings.contains("not repeats of each other"), "{warnings}");
    let tests: Vec<&str> = compared["rows"].as_array().unwrap().iter().map(|row| text(row, "/test")).collect();
    assert!(tests.contains(&"T611") && tests.iter().any(|test| test.starts_with("ORION")), "{tests:?}");
    measured(&room, &format!("{POINT} --seed 7 --label one"));
    assert_eq!(room.show("last")["run"]["seed"], 7);
    let compared = room.run("compare one other --json").expect(0).json();
    assert!(compared["warnings"].to_string().contains("differ in seed"), "{}", compared["warnings"]);
}
