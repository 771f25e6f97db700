//! The disk of the data is full while a point writes: the point fails with that reason, cleans up, and the next points
//! continue.

use super::{OWN, Product, leftovers, stories};
use crate::document::check_point;
use crate::small_disk::SmallDisk;
use crate::support::{Room, Running, points, statuses, text, wait_until};
use rustix::process::Signal;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

stories!(
    a_disk_that_is_full_fails_what_writes_and_nothing_else,
    a_disk_that_fills_up_stops_a_load_which_goes_on_later,
    a_disk_that_fills_up_under_a_shop_loses_no_order,
);

/// Enough for Order Entry at its least scale.
const SHOP_MIB: u32 = 900;
/// KiB left on the disk, which orders of some seconds fill.
const SHOP_LEFT_KIB: usize = 512;

/// Servers with a part of their data on a small disk.
pub(crate) trait FullDisk: Product {
    /// The disk's size: enough for data of size T.
    const MIB: u32;

    /// KiB left on the disk: too few for the tests of `FAIL`, but enough for a procedure or an empty table; and so few
    /// that a load can begin but not end.
    const LEFT_KIB: [usize; 2];

    /// Tests that write more than there is space for.
    const FAIL: &'static [&'static str];

    /// Makes the database `OWN` in this folder, which belongs to the server's user.
    fn put_in(&self, folder: &Path);

    /// Whether the server survives a disk that is full during the rollback of a load.
    const SURVIVES: bool;

    /// Bytes of the files of a database.
    fn bytes(&self, database: &str) -> u64;
}

/// A server that sees the small disk, with its database `OWN` on it and other files elsewhere.
struct Beside<S: FullDisk> {
    server: S,
    process: Option<Running>,
}

impl<S: FullDisk> Beside<S> {
    fn start(room: &Room, disk: &SmallDisk) -> Self {
        std::fs::set_permissions(room.folder(), std::fs::Permissions::from_mode(0o755)).unwrap();
        // Made like any other, and started again where the disk is visible.
        let mut server = S::doomed();
        server.stop();
        let space = disk.seen("space");
        std::fs::create_dir(&space).unwrap();
        if let Some((uid, gid)) = server.ids() {
            std::os::unix::fs::chown(&space, Some(uid), Some(gid)).unwrap();
        }
        let mut started = Self { server, process: None };
        started.go_on(room, disk);
        started.server.put_in(&disk.path("space"));
        started
    }

    /// Starts it again. A server that is going down may take its time to end.
    fn go_on(&mut self, room: &Room, disk: &SmallDisk) {
        if let Some(process) = self.process.take() {
            process.kill();
        }
        let server = &self.server;
        let mut process = Running::start(self.command(room, disk));
        wait_until("the server", || {
            // The kernel may still be busy with the files of the one before.
            if process.ended() {
                process = Running::start(self.command(room, disk));
            }
            server.is_ready()
        });
        self.process = Some(process);
    }

    fn command(&self, room: &Room, disk: &SmallDisk) -> Command {
        let line = self.server.start_line();
        match self.server.ids() {
            Some((uid, gid)) => {
                disk.command(room, "setpriv", &format!("--reuid={uid} --regid={gid} --clear-groups {line}"))
            }
            // In a user namespace we appear as root, which no server accepts; in a nested one we do not.
            None => disk.command(room, "unshare", &format!("-U {line}")),
        }
    }
}

impl<S: FullDisk> Drop for Beside<S> {
    fn drop(&mut self) {
        let Some(process) = self.process.take() else { return };
        process.signal(Signal::QUIT);
        process.end();
    }
}

fn a_disk_that_is_full_fails_what_writes_and_nothing_else<S: FullDisk>() {
    let room = Room::new();
    let disk = SmallDisk::new(&room, S::MIB);
    let small = Beside::<S>::start(&room, &disk);
    let server = &small.server;
    let target = server.socket(S::SUPERUSER, OWN);
    room.run(&format!("load --size T --target {target}")).expect(0);
    let before = server.bytes(OWN);
    let ballast = disk.fill_up(S::LEFT_KIB[0]);
    let all = |how: &str| -> Vec<String> {
        let fail = S::FAIL.iter().map(|test| format!("{test} {how}"));
        fail.chain(["T611 ok", "T121 ok"].map(str::to_owned)).collect()
    };
    let fail = S::FAIL.join(" ");
    let ending = room.run(&format!("run {fail} T611 T121 --jobs 1 --duration 50ms --target {target}")).expect(4);
    let document = room.show("last");
    assert_eq!(statuses(&document), all("failed"), "{}", ending.stderr);
    for point in &points(&document)[..S::FAIL.len()] {
        check_point(point);
        assert!(text(point, "/reason").starts_with("out of space: "), "{}", point["reason"]);
        assert!(text(point, "/reason").contains("free space where the server writes"), "{}", point["reason"]);
        assert!(point["outcomes"]["errors"]["out_of_space"].is_u64(), "{point:#}");
    }
    assert_eq!(leftovers(server, OWN), [""; 0], "what they had made is gone");
    let after = server.bytes(OWN);
    assert!(after < before + (2 << 20), "and so is its space: {before} and {after} bytes");
    // With space the failed points are measured.
    std::fs::remove_file(ballast).unwrap();
    room.run("resume last").expect(0);
    assert_eq!(statuses(&room.show("last")), all("ok"));
}

fn a_disk_that_fills_up_stops_a_load_which_goes_on_later<S: FullDisk>() {
    let room = Room::new();
    let disk = SmallDisk::new(&room, S::MIB);
    let mut small = Beside::<S>::start(&room, &disk);
    let ballast = disk.fill_up(S::LEFT_KIB[1]);
    let load = format!("load --size T --target {}", small.server.socket(S::SUPERUSER, OWN));
    let ending = room.run(&load).expect(3);
    let full = ending.stderr.contains("dbdyno: loading failed: out of space: ");
    // Which session notices first that the server is ending is random.
    let lost = !S::SURVIVES && ending.stderr.contains("dbdyno: loading failed: connection lost: ");
    assert!(full || lost, "{}", ending.stderr);
    std::fs::remove_file(ballast).unwrap();
    if !S::SURVIVES {
        small.go_on(&room, &disk);
    }
    let answer = room.run(&format!("{load} --json")).expect(0).json();
    assert_eq!((&answer["resumed"], &answer["verified"]), (&true.into(), &true.into()), "{answer:#}");
}

fn a_disk_that_fills_up_under_a_shop_loses_no_order<S: FullDisk>() {
    let room = Room::new();
    let disk = SmallDisk::new(&room, SHOP_MIB);
    let small = Beside::<S>::start(&room, &disk);
    let target = small.server.socket(S::SUPERUSER, OWN);
    room.run(&format!("load order-entry --scale 0.01 --target {target}")).expect(0);
    let ballast = disk.fill_up(SHOP_LEFT_KIB);
    let ending = room.run(&format!("run order-entry --users 4 --duration 60s --target {target}")).expect(4);
    let document = room.show("last");
    let point = &points(&document)[0];
    check_point(point);
    assert_eq!(text(point, "/status"), "failed", "{}", ending.stderr);
    assert!(text(point, "/reason").starts_with("out of space: "), "{}", point["reason"]);
    assert!(point["missing"]["proof.workload"].is_null(), "what was acknowledged is proved: {:#}", point["missing"]);
    std::fs::remove_file(ballast).unwrap();
    room.run(&format!("run order-entry --users 4 --duration 1s --target {target}")).expect(0);
}
