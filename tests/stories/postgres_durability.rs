//! How durable commits are: sessions are made durable where the server's setting is not, and where they cannot be, the
//! point is flagged with the setting's name.

use super::{Database, LOG_WRITES_ARE_COUNTED, version};
use crate::support::{Room, flag_note, flagged, number, points, text};

#[test]
fn durable_sessions_wait_for_the_log_and_others_are_flagged() {
    let (room, database) = (Room::new(), Database::loaded());
    database.psql(&format!("ALTER DATABASE {} SET synchronous_commit = off", database.name));
    let run = |mode: &str| {
        let line = format!("run T711 T611 --jobs 1 --duration 200ms {mode} --json --target {}", database.target());
        room.run(&line).expect(0).json()
    };
    let durable = run("");
    let [update, select] = &points(&durable)[..] else { panic!("{durable:#}") };
    assert_eq!(text(update, "/commit"), "durable");
    assert_eq!(
        text(update, "/durability/synchronous_commit"),
        "on (set by dbdyno; the server's own is off)",
        "{update:#}"
    );
    assert_eq!(text(update, "/durability/fsync"), "off");
    // The server as a whole is not safe, and that is all that there is to say.
    let note = flag_note(update, "unsafe_durability");
    assert!(note.contains("fsync=off") && !note.contains("synchronous_commit"), "{update:#}");
    assert!(!flagged(select, "unsafe_durability"), "a select commits nothing that could be lost: {select:#}");

    let default = run("--commit engine_default");
    let [loose, _] = &points(&default)[..] else { panic!("{default:#}") };
    assert_eq!((text(loose, "/commit"), text(loose, "/durability/synchronous_commit")), ("engine_default", "off"));
    let note = flag_note(loose, "unsafe_durability");
    assert!(note.contains("fsync=off") && note.contains("synchronous_commit=off"), "{loose:#}");
    // It is so: a durable commit writes the log, another leaves that to the server's writer.
    if version(database.server) >= LOG_WRITES_ARE_COUNTED {
        let writes_per_commit = |point| number(point, "/redo/writes_per_s") / number(point, "/tx_per_s");
        let (waited, left) = (writes_per_commit(update), writes_per_commit(loose));
        assert!(waited > 0.3 && left < waited / 3.0, "{waited} and {left} writes of the log for each commit");
    }
    let page = room.run("show last").expect(0).stdout;
    assert!(page.contains("unsafe_durability") && page.contains("synchronous_commit=off"), "{page}");
    let check = room.run(&format!("check --target {}", database.target())).expect(0);
    assert!(check.stdout.contains("fsync=off") && check.stdout.contains("synchronous_commit=off"), "{}", check.stdout);
}

#[test]
fn a_server_with_safe_settings_is_not_flagged() {
    let server = crate::servers::Server::start();
    super::load(&server, "postgres");
    let room = Room::new();
    let target = server.socket(crate::servers::SUPERUSER, "postgres");
    let document = room.run(&format!("run T711 --ramp 1 --duration 200ms --json --target {target}")).expect(0).json();
    let point = &points(&document)[0];
    let in_memory = flag_note(point, "unsafe_durability").contains("the files lie in memory");
    assert!(!flagged(point, "unsafe_durability") || in_memory, "{point:#}");
    assert_eq!(text(point, "/durability/synchronous_commit"), "on");
}
