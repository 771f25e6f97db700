//! Parallel workers: as many as there are threads, or the point is invalid.

use super::FIXTURES;
use crate::document::check_point;
use crate::on_servers::{OWN, Product as _};
use crate::scratch::postgres::Server;
use crate::support::{Room, number, points, statuses, text};
use dbdyno_testkit::servers::postgres::SUPERUSER;
use serde_json::{Value, json};

#[test]
fn workers_that_were_not_launched_make_a_point_invalid() {
    let (room, server) = (Room::new(), Server::narrow());
    let target = server.socket(SUPERUSER, OWN);
    let line = format!("run T426 T512 --ramp 1,3 --duration 200ms --target {target}");
    let ending = room.run(&line).expect(4);
    let document = room.show("last");
    assert_eq!(
        statuses(&document),
        ["T426 ok", "T426 invalid", "T426 ok", "T512 ok", "T512 invalid", "T512 ok"],
        "{}",
        ending.stderr
    );
    for point in points(&document).iter().filter(|p| p["status"] == "invalid") {
        check_point(point);
        // One of three could be launched each time.
        let reason = text(point, "/reason");
        let told = reason.split("; ").find_map(|part| part.strip_prefix("the engine counted ")).unwrap_or_default();
        let (counted, expected) = told.split_once(" WorkersLaunched, dbdyno ").unwrap_or_else(|| panic!("{reason}"));
        let (counted, expected): (u64, u64) = (counted.parse().unwrap(), expected.parse().unwrap());
        assert!(counted < expected && counted > 0 && expected.is_multiple_of(3), "{reason}");
        check_plan(point);
    }
}

#[test]
fn workers_are_launched_as_many_as_there_are_threads() {
    let (room, database) = (Room::new(), FIXTURES.loaded());
    let line = format!("run T426 T512 --ramp 1,2,3 --duration 200ms --target {}", database.target());
    room.run(&line).expect(0);
    let document = room.show("last");
    assert_eq!(points(&document).len(), 8, "three of each, and the best of them again");
    for point in points(&document) {
        assert_eq!(text(point, "/status"), "ok", "{point:#}");
        assert!(point["missing"].get("proof.workerslaunched").is_none(), "{point:#}");
        check_plan(point);
    }
}

/// A small table is scanned by workers, too, where that is asked for.
#[test]
fn scans_of_small_tables_have_workers() {
    let (room, database) = (Room::new(), FIXTURES.loaded());
    let line = format!("run T421 T424 --threads 2 --ramp 1,2 --duration 200ms --json --target {}", database.target());
    let document = room.run(&line).expect(0).json();
    assert!(statuses(&document).iter().all(|status| status.ends_with(" ok")), "{document:#}");
    for point in points(&document) {
        assert_eq!(point["threads"], 2, "{point:#}");
        assert!(point["missing"].get("proof.workerslaunched").is_none(), "{point:#}");
        assert!(text(point, "/plan").contains("Parallel Seq Scan"), "{point:#}");
    }
}

/// A ramp of threads is the default of T426; jobs are ramped where the threads are fixed.
#[test]
fn jobs_scan_side_by_side_with_as_many_workers_each() {
    let (room, database) = (Room::new(), FIXTURES.loaded());
    for threads in [1, 2] {
        let target = database.target();
        let line = format!("run T426 --threads {threads} --ramp 1,2,3 --duration 200ms --json --target {target}");
        let document = room.run(&line).expect(0).json();
        let dops: Vec<_> = points(&document).iter().map(|point| (&point["jobs"], &point["threads"])).collect();
        assert!(dops.starts_with(&[
            (&json!(1), &json!(threads)),
            (&json!(2), &json!(threads)),
            (&json!(3), &json!(threads))
        ]));
        assert_eq!(dops.len(), 4, "the best again: {dops:?}");
        for point in points(&document) {
            check_point(point);
            assert_eq!(text(point, "/status"), "ok", "{point:#}");
            for proof in ["proof.workerslaunched", "proof.executions", "proof.rowsscanned"] {
                assert!(point["missing"].get(proof).is_none(), "{point:#}");
            }
            check_plan(point);
            // One scan of all rows an operation, and each job at work all the time: the rate is that of all jobs.
            let (jobs, rate) = (number(point, "/jobs"), number(point, "/ops_per_s"));
            assert!((number(point, "/rows_per_s") / rate - 102_400.0).abs() < 1.0, "{point:#}");
            let busy = number(point, "/elapsed_s") * rate;
            assert!(busy > 0.5 * jobs && busy < 1.05 * jobs, "{busy} of {jobs} jobs: {point:#}");
            assert!(number(point, "/ops_total") >= 3.0 * jobs, "{point:#}");
        }
    }
}

/// Asserts that a point shows the plan of its statement, parallel with threads; building an index has none.
#[track_caller]
fn check_plan(point: &Value) {
    if point["test"] == "T426" {
        let plan = text(point, "/plan");
        assert_eq!(plan.contains("Parallel Seq Scan"), point["threads"].as_u64() > Some(1), "{point:#}");
        assert!(plan.contains("128 x"), "{point:#}");
    } else {
        assert!(point["plan"].is_null(), "{point:#}");
    }
}
