//! A server with a certificate: everything works over TLS, in every mode.

use super::{OWN, PASSWORD, Product, SCOTT, stories, until_called, until_gone};
use crate::support::{Ending, Room, Running, flagged, points, statuses, text};
use dbdyno_testkit::servers::RoundTrips;
use rustix::process::Signal;

stories!(a_server_is_loaded_and_measured_in_every_mode_of_tls,);

/// Servers with TLS.
pub(crate) trait Tls: Product {
    /// A server with a certificate for `localhost`, where scott may work in the database `OWN` with his password.
    fn with_tls() -> Self;
}

fn a_server_is_loaded_and_measured_in_every_mode_of_tls<S: Tls>() {
    let (room, server) = (Room::new(), S::with_tls());
    let target = |mode: &str| {
        let roots = if mode.starts_with("verify") {
            format!("&sslrootcert={}", server.authority().display())
        } else {
            String::new()
        };
        format!("{}://{SCOTT}@localhost:{}/{OWN}?sslmode={mode}{roots}", S::ENGINE, server.port)
    };
    let start = |line: &str, mode: &str| {
        let mut command = room.command(&format!("{line} --target {}", target(mode)));
        command.env("DBDYNO_PASSWORD", PASSWORD);
        Running::start(command)
    };
    let run = |line: &str, mode: &str| -> Ending { start(line, mode).end().expect(0) };
    // tests/tls loads in every mode that works with a certificate.
    let loaded = run("load --size T --json", "verify-full").json();
    assert_eq!((&loaded["resumed"], &loaded["verified"]), (&false.into(), &true.into()), "{loaded:#}");
    for mode in ["disable", "prefer", "require", "verify-ca"] {
        run("check", mode);
    }
    for drive in ["server", "client"] {
        let document =
            run(&format!("run T611 T311 --drive {drive} --jobs 2 --duration 1s --json"), "verify-full").json();
        assert!(points(&document).iter().all(|point| text(point, "/status") == "ok"), "{document:#}");
    }
    // A network may cut answers anywhere: they mean the same, and are proved.
    let relay = RoundTrips::in_pieces(server.port, 3);
    let relayed = target("disable").replace(&format!(":{}/", server.port), &format!(":{}/", relay.port));
    let mut command =
        room.command(&format!("run T611 T711 T626 --drive client --jobs 3 --duration 1s --json --target {relayed}"));
    command.env("DBDYNO_PASSWORD", PASSWORD);
    let document = Running::start(command).end().expect(0).json();
    for point in points(&document) {
        assert!(text(point, "/status") == "ok" && !flagged(point, "not_proved"), "{point:#}");
    }
    let stopped = start("run T611 --jobs 2 --duration 60s", "verify-full");
    until_called(&server, OWN);
    stopped.signal(Signal::INT);
    stopped.end().expect(3);
    assert_eq!(statuses(&room.show("last")), ["T611 failed"]);
    until_gone(&server, OWN);
}
