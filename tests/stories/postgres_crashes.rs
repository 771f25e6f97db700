//! The server dies under a run, by one session's process or as a whole. What was measured is kept, the point says what
//! happened, and `resume` finishes when the server is back.

use super::{load, until_called};
use crate::json::{check_document, check_point};
use crate::servers::{SUPERUSER, Wish};
use crate::support::{Room, Running, points, statuses, text, wait_until};
use std::process::Command;

fn kill(pid: u32) {
    assert!(Command::new("kill").args(["-KILL", &pid.to_string()]).status().unwrap().success());
}

/// Ends a run by a kill in the middle of its second point, and looks at what is left.
#[track_caller]
fn lost(room: &Room, run: Running, kill: impl FnOnce()) -> String {
    kill();
    let ending = run.end().expect(3);
    let document = room.show("last");
    let id = text(&document, "/run/id").to_owned();
    let [complaint] = &ending.complaints()[..] else { panic!("{}", ending.stderr) };
    assert!(complaint.starts_with("dbdyno: the target was lost: connection lost: "), "{complaint}");
    assert!(complaint.ends_with(&format!("`dbdyno resume {id}` goes on when it is back")), "{complaint}");
    assert_eq!(text(&document, "/run/status"), "lost");
    let point = &points(&document)[1];
    check_point(point);
    assert!(text(point, "/reason").starts_with("connection lost: "), "{}", point["reason"]);
    assert!(point["outcomes"]["errors"]["connection_lost"].is_u64(), "{point:#}");
    id
}

#[test]
fn a_run_outlives_the_crash_of_a_session_and_of_the_server() {
    let mut server = Wish::default().set("fsync", "off").set("restart_after_crash", "on").start();
    load(&server, "postgres");
    let (room, target) = (Room::new(), server.socket(SUPERUSER, "postgres"));
    let run = room.start(&format!("run T611 T711 T621 --jobs 2 --duration 2s --target {target}"));
    run.until("[1/3] T611");
    let session = until_called(&server, "postgres");
    let id = lost(&room, run, || kill(session));
    let first = room.show(&id);
    assert_eq!(statuses(&first), ["T611 ok", "T711 failed"], "all sessions were ended, one was killed");
    // The server has come back by itself; the point is measured again, and this time all of it goes.
    wait_until("the server", || {
        let mut ready = server.program("pg_isready");
        ready.arg("--host").arg(server.socket_folder()).args(["--port", &server.port.to_string(), "--quiet"]);
        ready.status().unwrap().success()
    });
    let resumed = room.start("resume last");
    until_called(&server, "postgres");
    lost(&room, resumed, || server.kill());
    let second = room.show(&id);
    assert_eq!(statuses(&second), ["T611 ok", "T711 failed"]);
    assert_eq!(points(&second)[0], points(&first)[0], "what was measured is as it was");
    // While it is gone nothing can go on, and nothing is lost.
    let ending = room.run("resume last").expect(2);
    assert!(ending.stderr.contains("start the server"), "{}", ending.stderr);
    assert_eq!(room.show(&id)["points"], second["points"]);
    server.restart();
    room.run("resume last").expect(0);
    let document = room.show(&id);
    assert_eq!(statuses(&document), ["T611 ok", "T711 ok", "T621 ok"]);
    assert_eq!(text(&document, "/run/status"), "done");
    assert_eq!(points(&document)[0], points(&first)[0]);
    check_document(&document);
}
