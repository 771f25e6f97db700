//! A standby accepts no writes, so nothing is measured there.

use crate::on_servers::{OWN, Product as _, refuses};
use crate::scratch::postgres::{Server, ServerOptions};
use crate::support::{Room, text};
use dbdyno_testkit::servers::postgres::SUPERUSER;

/// A copy of a server that follows it. No other session works there, so after a checkpoint the files are complete.
fn standby_of(primary: &Server) -> Server {
    primary.psql("postgres", "CHECKPOINT");
    let (socket, port) = (primary.socket_folder(), primary.port);
    let source = format!("host={} port={port} user={SUPERUSER}", socket.display());
    ServerOptions::default().copy_of(&primary.data(), "standby.signal").set("primary_conninfo", &source).start()
}

#[test]
fn a_standby_is_refused_before_anything_is_touched() {
    let (room, primary) = (Room::new(), Server::narrow());
    let standby = standby_of(&primary);
    let target = standby.socket(SUPERUSER, OWN);
    let words =
        format!("dbdyno: {target} cannot be used: the server is a standby, which takes no writes; name the primary\n");
    for what in ["run T611", "run T111", "run T711 --size T"] {
        refuses(&room, &format!("{what} --target {target}"), &words);
    }
    let check = room.run(&format!("check --target {target}")).expect(2);
    assert!(check.stdout.contains("the server is a standby"), "{}", check.stdout);
    let ending = room.run(&format!("drop --target {target}"));
    assert!(ending.code == Some(2) || ending.code == Some(3), "{ending:?}");
    assert!(ending.stderr.contains("standby") || ending.stderr.contains("read-only"), "{}", ending.stderr);
    // The primary reports its followers.
    let document =
        room.run(&format!("run T611 --ramp 1 --duration 50ms --json --target {}", primary.socket(SUPERUSER, OWN)));
    let document = document.expect(0).json();
    assert_eq!(text(&document, "/database/facts/standbys"), "0 synchronous, 1 asynchronous");
}
