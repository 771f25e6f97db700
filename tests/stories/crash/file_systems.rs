//! Whether file systems can be cut here, and that a cut which cut nothing is told from one.

#[cfg(feature = "sqlite")]
use super::{folder, room};
#[cfg(feature = "sqlite")]
use crate::small_disk::leave_mounts_of_others;
#[cfg(feature = "sqlite")]
use crate::support::Running;
#[cfg(feature = "sqlite")]
use serde_json::Value;
use std::path::Path;

/// A program that shuts nothing down and says that it did, and one that has everything written first: nothing would be
/// lost by that, whatever the settings are.
#[test]
#[cfg(feature = "sqlite")]
fn a_file_system_that_loses_nothing_proves_nothing() {
    if !has_file_systems() {
        return;
    }
    let room = room();
    let (path, fake) = (std::env::var("PATH").unwrap(), room.path("programs").join("xfs_io"));
    std::fs::create_dir(room.path("programs")).unwrap();
    let flushes = format!("sync --file-system \"$4\"; PATH={path}; exec xfs_io \"$@\"");
    for (by, program, why) in [
        ("filesystem", "exit 0", "it still takes files"),
        ("device", "exit 0", "it still takes files"),
        ("filesystem", &flushes, "what was not flushed is there afterwards"),
    ] {
        std::fs::write(&fake, format!("#!/bin/sh\n{program}\n")).unwrap();
        std::fs::set_permissions(&fake, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        let mut command = room.command(&format!("durability --target private:sqlite --by {by} --cuts 2 --json"));
        command.env("PATH", format!("{}:{path}", room.path("programs").display()));
        let ending = Running::start(command).end().expect(3);
        assert!(ending.stderr.contains("was not cut: ") && ending.stderr.contains(why), "{}", ending.stderr);
        assert_eq!(ending.json()["at_most_lossy_pct"], Value::Null, "{}", ending.stdout);
        assert!(!folder(&room, "sqlite").exists());
    }
}

/// A container that starts meanwhile has copies of all mounts. Whoever mounts the file then gets what was shut down.
#[test]
#[cfg(feature = "sqlite")]
fn a_file_system_that_others_keep_is_not_taken_for_one_that_has_recovered() {
    if !has_file_systems() {
        return;
    }
    let room = room();
    let (path, programs) = (std::env::var("PATH").unwrap(), room.path("programs"));
    std::fs::create_dir(&programs).unwrap();
    let (fake, kept) = (programs.join("xfs_io"), room.path("kept"));
    let keeps = format!(
        "unshare --mount sh -c \"$KEEP\" > {0}.log 2>&1 &
         until [ -s {0} ]; do sleep 0.01; done; PATH={path}; exec xfs_io \"$@\"",
        kept.display()
    );
    let keep = format!("{}; echo $$ > {}; exec sleep 600", leave_mounts_of_others(&room), kept.display());
    std::fs::write(&fake, format!("#!/bin/sh\n{keeps}\n")).unwrap();
    std::fs::set_permissions(&fake, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let mut command = room.command("durability --target private:sqlite --by filesystem --cuts 2 --json");
    command.env("PATH", format!("{}:{path}", programs.display())).env("KEEP", keep);
    let ending = Running::start(command).end();
    let keeper = std::fs::read_to_string(&kept).unwrap();
    assert!(std::process::Command::new("kill").arg(keeper.trim()).status().unwrap().success());
    let ending = ending.expect(3);
    assert!(ending.stderr.contains("mounted is still mounted by a process in a mount namespace"), "{}", ending.stderr);
    assert_eq!(ending.json()["at_most_lossy_pct"], Value::Null, "{}", ending.stdout);
    assert!(!folder(&room, "sqlite").exists());
}

/// Bytes that the devices of two stories side by side take.
const ROOM_BYTES: u64 = 10 << 30;

/// Whether file systems can be made and shut down here: as root, with room, and with loop devices that can be mounted.
/// A container may have none, or its kernel may not let them; then they are not verified there.
pub(super) fn has_file_systems() -> bool {
    if !rustix::process::geteuid().is_root() {
        return false;
    }
    let here = tempfile::tempdir().unwrap();
    if dbdyno_probe::free_bytes(here.path()).unwrap() < ROOM_BYTES {
        return false;
    }
    let (device, mount) = (here.path().join("device"), here.path().join("mounted"));
    std::fs::create_dir(&mount).unwrap();
    std::fs::File::create(&device).unwrap().set_len(16 << 20).unwrap();
    let run = |program: &str, arguments: &[&str], paths: &[&Path]| {
        std::process::Command::new(program).args(arguments).args(paths).output().unwrap().status.success()
    };
    assert!(run("mkfs.ext4", &["-q", "-F"], &[&device]));
    if !run("mount", &["-o", "loop"], &[&device, &mount]) {
        return false;
    }
    let is_shut_down = run("xfs_io", &["-x", "-c", "shutdown"], &[&mount]);
    assert!(run("umount", &[], &[&mount]));
    is_shut_down
}
