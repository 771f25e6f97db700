//! The disk of the data is full while a point writes: it fails as what it is, clears up, and the next ones go on.

use crate::json::check_point;
use crate::servers::{SUPERUSER, Server, Wish, server_user};
use crate::small_disk::SmallDisk;
use crate::support::{Room, Running, points, statuses, text, wait_until};
use rustix::process::Signal;
use std::os::unix::fs::PermissionsExt;

/// A server that sees the small disk, where a tablespace can lie; its own files lie elsewhere.
struct Beside {
    server: Server,
    process: Option<Running>,
}

impl Beside {
    fn start(room: &Room, disk: &SmallDisk) -> Self {
        // Made as any other, and started again among those that see the disk.
        let mut server = Wish::default().set("fsync", "off").start();
        server.stop();
        let postgres = crate::servers::program("postgres").display().to_string();
        let line = format!("{postgres} -D {}", server.data().display());
        let command = match server_user() {
            Some((uid, gid)) => {
                let line = format!("--reuid={uid} --regid={gid} --clear-groups {line}");
                disk.command(room, "setpriv", &line)
            }
            // In a user namespace we seem to be root, which no server may be; in another one inside we are not.
            None => disk.command(room, "unshare", &format!("-U {line}")),
        };
        let started = Self { server, process: Some(Running::start(command)) };
        wait_until("the server", || {
            let mut ready = started.server.program("pg_isready");
            ready.arg("--host").arg(started.server.socket_folder());
            ready.args(["--port", &started.server.port.to_string(), "--quiet"]).status().unwrap().success()
        });
        started
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        let Some(process) = self.process.take() else { return };
        process.signal(Signal::QUIT);
        process.end();
    }
}

#[test]
fn a_disk_that_is_full_fails_what_writes_and_nothing_else() {
    let room = Room::new();
    std::fs::set_permissions(room.folder(), std::fs::Permissions::from_mode(0o755)).unwrap();
    let disk = SmallDisk::new(&room, 160);
    let space = disk.seen("space");
    std::fs::create_dir(&space).unwrap();
    if let Some((uid, gid)) = server_user() {
        std::os::unix::fs::chown(&space, Some(uid), Some(gid)).unwrap();
    }
    let small = Beside::start(&room, &disk);
    let server = &small.server;
    server.psql("postgres", &format!("CREATE TABLESPACE small LOCATION '{}'", disk.path("space").display()));
    server.psql("postgres", "CREATE DATABASE bench TABLESPACE small");
    let target = server.socket(SUPERUSER, "bench");
    room.run(&format!("load --size T --target {target}")).expect(0);
    let sizes = || server.psql("bench", "SELECT pg_database_size('bench')").parse::<u64>().unwrap();
    let before = sizes();
    // Enough for a procedure, too little for a file of 8 MiB or for a month of the large table.
    let ballast = disk.fill_up(1024);
    let ending = room.run(&format!("run T211 T331 T611 T121 --jobs 1 --duration 50ms --target {target}")).expect(4);
    let document = room.show("last");
    assert_eq!(statuses(&document), ["T211 failed", "T331 failed", "T611 ok", "T121 ok"], "{}", ending.stderr);
    for point in &points(&document)[..2] {
        check_point(point);
        assert!(text(point, "/reason").starts_with("out of space: "), "{}", point["reason"]);
        assert!(text(point, "/reason").contains("free space where the server writes"), "{}", point["reason"]);
        assert!(point["outcomes"]["errors"]["out_of_space"].is_u64(), "{point:#}");
    }
    assert_eq!(super::leftovers(server, "bench"), "", "what they had made is gone");
    assert!(sizes() < before + (2 << 20), "and so is its space: {before} and {} bytes", sizes());
    // With space the failed ones are measured.
    std::fs::remove_file(ballast).unwrap();
    room.run("resume last").expect(0);
    assert_eq!(statuses(&room.show("last")), ["T211 ok", "T331 ok", "T611 ok", "T121 ok"]);
}

#[test]
fn a_disk_that_fills_up_stops_a_load_which_goes_on_later() {
    let room = Room::new();
    std::fs::set_permissions(room.folder(), std::fs::Permissions::from_mode(0o755)).unwrap();
    let disk = SmallDisk::new(&room, 160);
    let space = disk.seen("space");
    std::fs::create_dir(&space).unwrap();
    if let Some((uid, gid)) = server_user() {
        std::os::unix::fs::chown(&space, Some(uid), Some(gid)).unwrap();
    }
    let small = Beside::start(&room, &disk);
    let server = &small.server;
    server.psql("postgres", &format!("CREATE TABLESPACE small LOCATION '{}'", disk.path("space").display()));
    server.psql("postgres", "CREATE DATABASE bench TABLESPACE small");
    let ballast = disk.fill_up(20 << 10);
    let load = format!("load --size T --target {}", server.socket(SUPERUSER, "bench"));
    let ending = room.run(&load).expect(3);
    assert!(ending.stderr.contains("dbdyno: loading failed: out of space: "), "{}", ending.stderr);
    std::fs::remove_file(ballast).unwrap();
    let answer = room.run(&format!("{load} --json")).expect(0).json();
    assert_eq!((&answer["resumed"], &answer["verified"]), (&true.into(), &true.into()), "{answer:#}");
}
