//! Reports of a server's own workload repository: a file for each point and instance, in a folder of the user's choice.
//! The null engine stands for the one product that has such a repository, and cannot be had here.

use crate::document::check_point;
use crate::small_disk::SmallDisk;
use crate::support::{DBDYNO, Room, Running, points, statuses, text};
use serde_json::json;

const RUN: &str = "run T611 --ramp 1,2 --duration 50ms";

#[test]
fn each_point_keeps_its_snapshots_and_each_instance_has_a_report() {
    let room = Room::new();
    std::fs::create_dir(room.path("awr")).unwrap();
    std::fs::write(room.path("awr/mine.html"), "mine").unwrap();
    room.run(&format!("{RUN} --target null:?instances=2&report_bytes=200 --awr-report awr")).expect(0);
    let document = room.show("last");
    let id = text(&document, "/run/id").to_owned();
    assert_eq!(statuses(&document), ["T611 ok"; 3]);
    let mut files = vec!["mine.html".to_owned()];
    for (n, point) in points(&document).iter().enumerate() {
        check_point(point);
        let (begin, end) = (2 * n + 1, 2 * n + 2);
        let name = |instance| format!("awr-{id}-{:03}-T611-{instance}.html", n + 1);
        let awr = json!({
            "dbid": 1_557_521_192, "instances": [1, 2], "begin_snapshot": begin, "end_snapshot": end,
            "reports": [{"instance": 1, "file": name(1)}, {"instance": 2, "file": name(2)}],
        });
        assert_eq!(point["awr"], awr, "{point:#}");
        for instance in [1, 2] {
            let report = std::fs::read_to_string(room.path("awr").join(name(instance))).unwrap();
            let head = format!("<html>instance {instance}, snapshots {begin} to {end}</html>\n");
            assert!(report.starts_with(&head) && report.len() == 200, "{report}");
            files.push(name(instance));
        }
    }
    files.sort();
    let mut found: Vec<String> = std::fs::read_dir(room.path("awr"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    found.sort();
    assert_eq!(found, files, "nothing but the reports was made");
    // The numbers go with the run wherever it goes.
    std::fs::write(room.path("run.json"), room.run("export last").expect(0).stdout).unwrap();
    room.run("import run.json --results other.db").expect(0);
    assert_eq!(room.run("show last --json --results other.db").expect(0).json()["points"], document["points"]);
}

#[test]
fn snapshots_are_kept_without_a_folder_and_are_absent_without_a_repository() {
    let room = Room::new();
    for (target, kept) in [("null:?instances=1", true), ("null:", false)] {
        let before: Vec<_> = room.files().into_keys().collect();
        let document = room.run(&format!("{RUN} --target {target} --json")).expect(0).json();
        for point in points(&document) {
            check_point(point);
            let awr = point.get("awr");
            assert_eq!(awr.is_some(), kept, "{point:#}");
            assert!(awr.is_none_or(|awr| awr.get("reports").is_none()), "{point:#}");
        }
        let made: Vec<_> = room.files().into_keys().filter(|file| !before.contains(file)).collect();
        assert!(made.iter().all(|file| file.to_string_lossy().contains("dbdyno.db")), "{made:?}");
    }
}

#[test]
fn a_report_that_cannot_be_had_is_noted_and_fails_no_point() {
    let room = Room::new();
    let refused = "the null engine was told to give no report";
    for (bytes, why) in [("0", refused), ("67108865", "the report is longer than 67108864 bytes")] {
        let line = format!("{RUN} --target null:?instances=2&report_bytes={bytes} --awr-report . --json");
        let ending = room.run(&line).expect(0);
        assert!(ending.stderr.contains(&format!("no report of T611: instance 1: {why}")), "{}", ending.stderr);
        let document = ending.json();
        assert_eq!(statuses(&document), ["T611 ok"; 3]);
        for point in points(&document) {
            check_point(point);
            assert_eq!(text(point, "/missing/awr.reports"), format!("instance 1: {why}; instance 2: {why}"));
            assert!(point["awr"].get("reports").is_none() && point["awr"]["end_snapshot"].is_u64(), "{point:#}");
        }
    }
    assert!(room.files().into_keys().all(|file| file.extension().is_none_or(|of| of != "html")));
}

#[test]
fn a_report_that_does_not_fit_leaves_no_half() {
    let room = Room::new();
    let disk = SmallDisk::new(&room, 4);
    let folder = disk.path("").display().to_string();
    let folder = folder.trim_end_matches('/');
    let line = format!(
        "run T611 --ramp 1 --duration 50ms --target null:?instances=2&report_bytes=3000000 --awr-report {folder}"
    );
    Running::start(disk.command(&room, DBDYNO, &line)).end().expect(0);
    let document = room.show("last");
    let point = &points(&document)[0];
    check_point(point);
    let name = |instance| format!("awr-{}-001-T611-{instance}.html", text(&document, "/run/id"));
    assert_eq!(point["awr"]["reports"], json!([{"instance": 1, "file": name(1)}]), "{point:#}");
    let why = text(point, "/missing/awr.reports");
    assert!(why.starts_with(&format!("instance 2: the report cannot be written as {folder}/{}: ", name(2))), "{why}");
    assert!(why.contains("No space left"), "{why}");
    let found: Vec<_> = std::fs::read_dir(disk.seen("")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(found, [name(1).as_str()]);
}

/// A report may take minutes. A measured point does not wait for it.
#[test]
fn a_kill_before_the_reports_are_there_loses_no_point() {
    let room = Room::new();
    std::fs::create_dir(room.path("awr")).unwrap();
    let target = "null:?instances=1&report_bytes=100&report_ms=600000";
    let run = room.start(&format!("run T611 --ramp 1 --duration 50ms --target {target} --awr-report awr"));
    run.until("[1/1]");
    run.kill();
    let document = room.show("last");
    assert_eq!(statuses(&document), ["T611 ok"]);
    let point = &points(&document)[0];
    check_point(point);
    assert_eq!(text(point, "/missing/awr.reports"), "dbdyno ended before they were fetched");
    assert!(point["awr"]["end_snapshot"].is_u64() && point["awr"].get("reports").is_none(), "{point:#}");
    assert_eq!(std::fs::read_dir(room.path("awr")).unwrap().count(), 0);
}

/// What is measured when a run is resumed has reports if they are asked for then.
#[test]
fn a_resumed_run_can_have_reports_too() {
    let room = Room::new();
    std::fs::create_dir(room.path("awr")).unwrap();
    let target = "null:?instances=1&report_bytes=100&error_at=2";
    room.run(&format!("run T611 --ramp 1 --duration 50ms --target {target} --awr-report awr")).expect(4);
    let document = room.show("last");
    assert_eq!(statuses(&document), ["T611 failed"]);
    let id = text(&document, "/run/id").to_owned();
    let name = |again: &str| format!("awr-{id}-001-T611-1{again}.html");
    assert_eq!(points(&document)[0]["awr"]["reports"][0]["file"], json!(name("")), "a failed point has them, too");
    room.run("resume last --awr-report none").expect(2);
    room.run("resume last --awr-report awr").expect(4);
    let document = room.show("last");
    assert_eq!(points(&document)[0]["awr"]["reports"][0]["file"], json!(name("-2")), "the first is not overwritten");
    for again in ["", "-2"] {
        assert!(room.path("awr").join(name(again)).is_file());
    }
}
