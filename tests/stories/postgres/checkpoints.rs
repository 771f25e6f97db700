//! Checkpoints: who may make them, and the effect of one within a point; how the log's writes are timed.

use super::{CHECKPOINTS_CAN_BE_GRANTED, FIXTURES, LOG_WRITES_ARE_COUNTED, version};
use crate::on_servers::{Product as _, until_called};
use crate::support::{Room, flag_note, flagged, number, points, statuses, text};

#[test]
fn a_point_without_a_checkpoint_says_whom_to_ask() {
    let (room, database) = (Room::new(), FIXTURES.loaded());
    let role = database.user();
    database.server.hand_over(&database.name, &role);
    let target = database.target_of(&role);
    let check = room.run(&format!("check --target {target}")).expect(0);
    let granted = version(database.server) >= CHECKPOINTS_CAN_BE_GRANTED;
    let checkpoints = if granted {
        format!("GRANT pg_checkpoint TO {role}")
    } else {
        "before version 15 only superusers may make checkpoints".to_owned()
    };
    let said = check.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    for helps in [checkpoints, format!("GRANT pg_monitor TO {role}")] {
        assert!(said.contains(&helps), "{}", check.stdout);
    }
    let line = format!("run T211 T611 --ramp 1 --duration 200ms --target {target}");
    room.run(&line).expect(0);
    let document = room.show("last");
    // A grant that an administrator may omit is not a failure.
    assert_eq!(statuses(&document), ["T211 unsupported", "T611 ok"]);
    let [written, selected] = &points(&document)[..] else { panic!("{document:#}") };
    let helps = if granted { "GRANT pg_checkpoint TO this user" } else { "before version 15 only superusers" };
    for why in [text(written, "/reason"), flag_note(selected, "not_settled")] {
        assert!(why.contains("points are not settled") && why.contains(helps), "{why}");
    }
    // It cannot see the sessions of others, and says so.
    let why = text(selected, "/missing/proof.foreign_busy");
    assert!(why.contains("GRANT pg_monitor TO this user"), "{why}");
    let waits = selected["waits"].as_array().unwrap();
    assert!(waits.iter().all(|wait| wait["background"].is_null()), "it cannot see the server's processes: {waits:#?}");
    // With the grant, it is measured and settled.
    if granted {
        database.sql(&format!("GRANT pg_checkpoint TO {role}"));
        room.run(&line).expect(0);
        let document = room.show("last");
        assert_eq!(statuses(&document), ["T211 ok", "T611 ok"]);
        assert!(!flagged(&points(&document)[0], "not_settled"), "{document:#}");
    }
}

#[test]
fn a_checkpoint_in_a_point_is_told() {
    let (room, database) = (Room::new(), FIXTURES.loaded());
    let run = room.start(&format!("run T711 --jobs 1 --duration 1s --target {}", database.target()));
    until_called(database.server, &database.name);
    database.sql("CHECKPOINT");
    run.end().expect(0);
    let point = points(&room.show("last"))[0].clone();
    assert!(number(&point, "/database/checkpoints") >= 1.0, "{point:#}");
    // After a checkpoint, the first change of a page logs the whole page.
    if version(database.server) >= LOG_WRITES_ARE_COUNTED {
        assert!(number(&point, "/redo/page_images_per_s") > 0.0, "{point:#}");
    }
}

/// What the server's own processes do is seen beside the sessions' waits, and is no time of theirs.
#[test]
fn the_checkpointer_stands_apart() {
    let (room, database) = (Room::new(), FIXTURES.loaded());
    let mut waits = Vec::new();
    let is_seen = (0..5).any(|_| {
        let run = room.start(&format!("run T711 --jobs 1 --duration 2s --target {}", database.target()));
        until_called(database.server, &database.name);
        for _ in 0..40 {
            database.sql("CHECKPOINT");
        }
        run.end().expect(0);
        waits = points(&room.show("last"))[0]["waits"].as_array().unwrap().clone();
        waits.iter().any(|wait| wait["background"] == true && wait["class"] != "Activity")
    });
    assert!(is_seen, "{waits:#?}");
    let of_sessions = waits.iter().filter(|wait| wait["background"].is_null());
    assert!(of_sessions.map(|wait| number(wait, "/time_s")).sum::<f64>() < 4.0, "one session, two seconds: {waits:#?}");
}

#[test]
fn writes_of_the_log_are_timed_where_the_server_does_so() {
    let (room, database) = (Room::new(), FIXTURES.loaded());
    let run = || {
        let line = format!("run T711 --jobs 1 --duration 200ms --json --target {}", database.target());
        points(&room.run(&line).expect(0).json())[0].clone()
    };
    let update = run();
    let (untimed, timed) = if version(database.server) >= LOG_WRITES_ARE_COUNTED {
        database.sql(&format!("ALTER DATABASE {} SET track_wal_io_timing = on", database.name));
        ("track_wal_io_timing is off", Some(run()))
    } else {
        ("this version does not count writes of the log; 14 does", None)
    };
    assert!(update["redo"]["write_service_time_s"].is_null(), "{update:#}");
    assert_eq!(text(&update, "/missing/redo.write_service_time_s"), untimed);
    if let Some(timed) = timed {
        assert!(number(&timed, "/redo/write_service_time_s") > 0.0, "{timed:#}");
    }
}
