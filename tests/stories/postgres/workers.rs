//! Parallel workers: as many as there are threads, or the point is invalid.

use super::FIXTURES;
use crate::document::check_point;
use crate::on_servers::{OWN, Product as _};
use crate::scratch::postgres::Server;
use crate::support::{Room, points, statuses, text};
use dbdyno_testkit::servers::postgres::SUPERUSER;
use serde_json::Value;

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

/// Asserts that a point shows the plan of its statement, parallel with threads; building an index has none.
#[track_caller]
fn check_plan(point: &Value) {
    if point["test"] == "T426" {
        let parallel = text(point, "/plan").contains("Parallel Seq Scan");
        assert_eq!(parallel, point["threads"].as_u64() > Some(1), "{point:#}");
    } else {
        assert!(point["plan"].is_null(), "{point:#}");
    }
}
