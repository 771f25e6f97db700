//! What a point tells besides its rate: waits, the log, the server's settings; and why where it does not.

use super::{Database, LOG_WRITES_ARE_COUNTED, until_called, version};
use crate::json::{absent_without_a_reason, check_document};
use crate::support::{Room, number, points, text};

#[test]
fn waits_are_told_with_counts_and_times_or_not_at_all() {
    let (room, database) = (Room::new(), Database::loaded());
    let line = format!("run T711 --jobs 2 --duration 500ms --json --target {}", database.target());
    let document = room.run(&line).expect(0).json();
    check_document(&document);
    let point = &points(&document)[0];
    let waits = point["waits"].as_array().unwrap();
    assert!(!waits.is_empty(), "{point:#}");
    for wait in waits {
        assert!(!text(wait, "/class").is_empty() && !text(wait, "/event").is_empty(), "{wait}");
        assert!(number(wait, "/count") >= 1.0 && number(wait, "/time_s") > 0.0, "{wait}");
    }
    // Two sessions were seen for as long as they worked, and no longer.
    let seen_s: f64 = waits.iter().map(|w| number(w, "/time_s")).sum();
    let worked_s = 2.0 * number(point, "/counters_s");
    assert!(seen_s > 0.3 * worked_s && seen_s < 2.0 * worked_s + 1.0, "{seen_s} of {worked_s}: {waits:#?}");
    // Nobody looks: none is told, and why.
    let document = room.run(&format!("{line} --no-sampling")).expect(0).json();
    let point = &points(&document)[0];
    assert_eq!(point["waits"].as_array().unwrap().len(), 0, "{point:#}");
    for path in ["waits", "proof.foreign_busy"] {
        assert_eq!(point["missing"][path], "the sessions were not watched (--no-sampling)", "{point:#}");
    }
}

#[test]
fn the_log_is_counted_and_timed() {
    let (room, database) = (Room::new(), Database::loaded());
    let run = |code: &str| {
        let line = format!("run {code} --jobs 1 --duration 200ms --json --target {}", database.target());
        points(&room.run(&line).expect(0).json())[0].clone()
    };
    let update = run("T711");
    // Each commit of a job alone writes the log once; a row that changes takes some dozen bytes there at least.
    let (tx, mib) = (number(&update, "/tx_per_s"), number(&update, "/redo/mib_per_s"));
    assert!(mib * 1_048_576.0 > 50.0 * tx, "{mib} MiB/s for {tx} transactions a second");
    let (untimed, timed) = if version(database.server) >= LOG_WRITES_ARE_COUNTED {
        assert!(number(&update, "/redo/writes_per_s") > 0.3 * tx, "{update:#}");
        database.psql(&format!("ALTER DATABASE {} SET track_wal_io_timing = on", database.name));
        ("track_wal_io_timing is off", Some(run("T711")))
    } else {
        ("this version does not count writes of the log; 14 does", None)
    };
    assert!(update["redo"]["write_service_time_s"].is_null(), "{update:#}");
    assert_eq!(text(&update, "/missing/redo.write_service_time_s"), untimed);
    if let Some(timed) = timed {
        assert!(number(&timed, "/redo/write_service_time_s") > 0.0, "{timed:#}");
    }
    let logical = number(&update, "/database/logical_reads_per_s");
    assert!(logical >= 2.0 * tx, "an index and a table are read for each: {logical} of {tx}");
}

#[test]
fn a_checkpoint_in_a_point_is_told() {
    let (room, database) = (Room::new(), Database::loaded());
    let run = room.start(&format!("run T711 --jobs 1 --duration 1s --target {}", database.target()));
    until_called(database.server, &database.name);
    database.psql("CHECKPOINT");
    run.end().expect(0);
    let point = points(&room.show("last"))[0].clone();
    assert!(number(&point, "/database/checkpoints") >= 1.0, "{point:#}");
    // What is changed after a checkpoint goes into the log as a whole page first.
    if version(database.server) >= LOG_WRITES_ARE_COUNTED {
        assert!(number(&point, "/redo/page_images_per_s") > 0.0, "{point:#}");
    }
}

/// A reader of any figure finds the figure or the reason why there is none.
#[test]
fn whatever_is_absent_says_why() {
    let (room, database) = (Room::new(), Database::loaded());
    let line = format!(
        "run T121 T611 T711 T512 T426 T211 --jobs 1 --threads 1 --duration 50ms --json --target {}",
        database.target()
    );
    let document = room.run(&line).expect(0).json();
    check_document(&document);
    let silent: Vec<String> = absent_without_a_reason(&document).into_iter().collect();
    assert!(silent.is_empty(), "absent without a reason in `missing`:\n{}", silent.join("\n"));
    // The settings that figures depend on, those that somebody has set, and what the server is.
    let parameters = &document["database"]["parameters"];
    for (name, value) in
        [("shared_buffers", "64MB"), ("fsync", "off"), ("max_worker_processes", "16"), ("autovacuum", "off")]
    {
        assert_eq!(parameters[name], value, "{parameters:#}");
    }
    assert!(!text(&document, "/database/version").is_empty());
    for fact in ["database", "user", "connection", "standbys", "role in replication"] {
        assert!(document["database"]["facts"][fact].is_string(), "{fact}: {:#}", document["database"]["facts"]);
    }
    let page = room.run("show last --table platform").expect(0).stdout;
    assert!(page.contains("shared_buffers") && page.contains("64MB"), "{page}");
}
