//! Sessions commit durably even if the server's setting is unsafe.

use super::{FIXTURES, LOG_WRITES_ARE_COUNTED, version};
use crate::scratch::postgres::ServerOptions;
use crate::support::{Room, flag_note, number, points, text};
use dbdyno_testkit::servers::postgres::SUPERUSER;

#[test]
fn durable_sessions_wait_for_the_log_and_others_do_not() {
    let room = Room::new();
    // No other session writes to the log there, so its writes are those of the whole server.
    let (server, database) = FIXTURES.loaded_server_alone();
    server.psql(&database, &format!("ALTER DATABASE {database} SET synchronous_commit = off"));
    let target = server.socket(SUPERUSER, &database);
    let run = |mode: &str| {
        let line = format!("run T711 --jobs 1 --duration 200ms {mode} --json --target {target}");
        points(&room.run(&line).expect(0).json())[0].clone()
    };
    let durable = run("");
    assert_eq!(text(&durable, "/commit"), "durable");
    let set = "on (set by dbdyno; the server's own is off)";
    assert_eq!(text(&durable, "/durability/synchronous_commit"), set, "{durable:#}");
    assert_eq!(text(&durable, "/durability/fsync"), "off");
    // The server's setting is unsafe, which is the only remark.
    let note = flag_note(&durable, "unsafe_durability");
    assert!(note.contains("fsync=off") && !note.contains("synchronous_commit"), "{durable:#}");
    // A durable commit writes the log; another leaves that to the server's writer.
    let loose = run("--commit engine_default");
    if version(&server) >= LOG_WRITES_ARE_COUNTED {
        let writes_per_commit = |point| number(point, "/redo/writes_per_s") / number(point, "/tx_per_s");
        let (waited, left) = (writes_per_commit(&durable), writes_per_commit(&loose));
        assert!(waited > 0.3 && left < waited / 3.0, "{waited} and {left} writes of the log for each commit");
    }
}

/// Whoever may not see the settings cannot tell what commits wait for. Here they wait for nothing, and no figure says
/// otherwise.
#[test]
fn hidden_settings_give_no_figure_of_durable_commits() {
    let (room, server) = (Room::new(), ServerOptions::default().start());
    server.create_user("low");
    server.let_work("low", "postgres");
    let target = server.socket("low", "postgres");
    room.run(&format!("load --size T --target {target}")).expect(0);
    server.psql("postgres", "ALTER ROLE low SET synchronous_commit = off");
    server.psql("postgres", "REVOKE SELECT ON pg_catalog.pg_settings FROM PUBLIC");
    for mode in ["--drive server", "--drive client", "--commit engine_default"] {
        let line = format!("run T711 --jobs 1 --duration 200ms {mode} --json --target {target}");
        let point = points(&room.run(&line).expect(4).json())[0].clone();
        assert_eq!(text(&point, "/status"), "failed", "{point:#}");
        assert!(text(&point, "/reason").contains("pg_settings"), "{point:#}");
        assert!(point["metric"]["value"].is_null(), "{point:#}");
    }
}
