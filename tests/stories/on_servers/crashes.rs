//! The server dies during a run, by one session or as a whole. What was measured is kept, the point says what happened,
//! and `resume` completes when the server is back.

use super::{OWN, Product, load, stories, until_called};
use crate::document::{check_document, check_point};
use crate::support::{Room, Running, as_measured, points, statuses, text, wait_until};

stories!(a_run_outlives_the_crash_of_a_session_and_of_the_server);

/// Ends a run by a kill within its second point, and checks what is left.
#[track_caller]
pub(super) fn lost(room: &Room, run: Running, kill: impl FnOnce()) -> String {
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

fn a_run_outlives_the_crash_of_a_session_and_of_the_server<S: Product>() {
    let mut server = S::doomed();
    server.sql(S::HOME, &format!("CREATE DATABASE {OWN}"));
    load(&server, OWN);
    let (room, target) = (Room::new(), server.socket(S::SUPERUSER, OWN));
    let run = room.start(&format!("run T611 T711 T621 --jobs 2 --duration 2s --target {target}"));
    run.until("[1/3] T611");
    let session = until_called(&server, OWN);
    let id = lost(&room, run, || server.crash_session(session));
    let first = room.show(&id);
    assert_eq!(statuses(&first), ["T611 ok", "T711 failed"], "a session was ended in the second point");
    // The server is there, or comes back by itself; this time the point is measured completely.
    wait_until("the server", || server.is_ready());
    let resumed = room.start("resume last");
    until_called(&server, OWN);
    lost(&room, resumed, || server.kill());
    let second = room.show(&id);
    assert_eq!(statuses(&second), ["T611 ok", "T711 failed"]);
    assert_eq!(as_measured(&second)[0], as_measured(&first)[0], "what was measured is as it was");
    // While it is gone nothing continues, and nothing is lost.
    let ending = room.run("resume last").expect(2);
    assert!(ending.stderr.contains("start the server"), "{}", ending.stderr);
    assert_eq!(room.show(&id)["points"], second["points"]);
    server.restart();
    room.run("resume last").expect(0);
    let document = room.show(&id);
    assert_eq!(statuses(&document), ["T611 ok", "T711 ok", "T621 ok"]);
    assert_eq!(text(&document, "/run/status"), "done");
    assert_eq!(as_measured(&document)[0], as_measured(&first)[0]);
    check_document(&document);
}
