//! Kinds of runs: their points, their files, and what shows them.

use super::{POINT, endings, file, files, measured};
use crate::json::check_point;
use crate::support::{Room, number, points, text};
use serde_json::Value;
use std::collections::BTreeSet;

const SIX: [&str; 6] = ["hist.txt", "iops.csv", "lat.csv", "mbps.csv", "summary.txt", "trace.txt"];

/// What is measured on a file of its own.
fn line(flags: &str) -> String {
    format!("orion {flags} -duration 0.25 -cache_size 0 --file t.dat --file-size 4M")
}

/// A run of so many points, all of them figures.
#[track_caller]
fn run(flags: &str, points_planned: usize) -> Room {
    let room = Room::on_disk();
    measured(&room, &line(flags));
    check(&room, flags, points_planned);
    room
}

/// A run of so many points that a device that others keep busy stands still for one of them.
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

/// Whether the points are figures, with ORION's files beside them.
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
    // What was exported elsewhere comes back.
    let json = room.run("export last --format json").expect(0).stdout;
    let other = Room::on_disk();
    std::fs::write(other.path("run.json"), json).unwrap();
    other.run("import run.json").expect(0);
    assert_eq!(other.show("last"), document);
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
    run("-run dss -num_disks 2", 4);
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
    // Each read is of the whole file, so that any finds it.
    let line = format!("{POINT} --verify -size_small 1024 --json");
    let mut documents = (0..5).map(|_| room.run(&line).expect(4).json());
    let document = documents.find(|document| !stood_still(&points(document)[0])).unwrap();
    let [(status, reason)] = &endings(&document)[..] else { panic!("one point") };
    assert_eq!(status, "invalid");
    assert!(reason.contains(&format!("t.dat at byte {AT}: ")), "{reason}");
}
