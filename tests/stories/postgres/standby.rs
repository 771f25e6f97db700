//! A standby takes no writes, so nothing is measured there.

use crate::on_servers::{OWN, Product as _, refuses};
use crate::support::{Room, text, wait_until};
use dbdyno_testkit::servers::postgres::{SUPERUSER, Server, server_user};
use std::process::{Child, Stdio};

/// A copy of a server that follows it.
struct Standby {
    server: Child,
    folder: tempfile::TempDir,
}

impl Standby {
    fn of(primary: &Server) -> Self {
        let folder = tempfile::tempdir_in(primary.socket_folder()).unwrap();
        if let Some((uid, gid)) = server_user() {
            std::os::unix::fs::chown(folder.path(), Some(uid), Some(gid)).unwrap();
        }
        let data = folder.path().join("data");
        // Nobody else is at work there, so what the files hold after a checkpoint is all of it.
        primary.psql("postgres", "CHECKPOINT");
        let mut copy = primary.program("cp");
        copy.arg("--archive").arg(primary.data()).arg(&data);
        let copied = copy.output().unwrap();
        assert!(copied.status.success(), "{}", String::from_utf8_lossy(&copied.stderr));
        std::fs::remove_file(data.join("postmaster.pid")).unwrap();
        std::fs::write(data.join("standby.signal"), "").unwrap();
        let (socket, port) = (primary.socket_folder(), primary.port);
        let source = format!("primary_conninfo=host={} port={port} user={SUPERUSER}", socket.display());
        let mut server = primary.program("postgres");
        server.arg("-D").arg(&data).args(["-c", "listen_addresses=", "-c", &source]);
        server.arg("-c").arg(format!("unix_socket_directories={}", folder.path().display()));
        let server = server.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let standby = Self { server, folder };
        wait_until("the standby", || {
            let mut ready = primary.program("pg_isready");
            ready.arg("--host").arg(standby.folder.path()).args(["--port", &primary.port.to_string(), "--quiet"]);
            ready.status().unwrap().success()
        });
        standby
    }
}

impl Drop for Standby {
    fn drop(&mut self) {
        let pid = self.server.id().to_string();
        _ = std::process::Command::new("kill").args(["-QUIT", &pid]).status();
        _ = self.server.wait();
    }
}

#[test]
fn a_standby_is_refused_before_anything_is_touched() {
    let (room, primary) = (Room::new(), Server::narrow());
    let standby = Standby::of(&primary);
    let folder = standby.folder.path().display();
    let target = format!("postgres://{SUPERUSER}@/{OWN}?host={folder}&port={}", primary.port);
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
    // The primary says who follows it.
    let document =
        room.run(&format!("run T611 --ramp 1 --duration 50ms --json --target {}", primary.socket(SUPERUSER, OWN)));
    let document = document.expect(0).json();
    assert_eq!(text(&document, "/database/facts/standbys"), "0 synchronous, 1 asynchronous");
}
