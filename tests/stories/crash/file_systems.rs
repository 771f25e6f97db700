//! Whether file systems can be cut here, and that a cut which cut nothing is told from one.

#[cfg(feature = "sqlite")]
use super::{folder, room};
#[cfg(feature = "sqlite")]
use crate::small_disk::leave_mounts_of_others;
#[cfg(feature = "sqlite")]
use crate::support::{Ending, Room, Running};
#[cfg(feature = "sqlite")]
use serde_json::Value;
use std::path::Path;

/// A test of two cuts, of which nothing may be told and nothing may be left. A script stands for `xfs_io`; the real one
/// is in `$REAL`.
#[cfg(feature = "sqlite")]
fn cut_by(room: &Room, by: &str, script: &str) -> Ending {
    let (path, programs) = (std::env::var("PATH").unwrap(), room.path("programs"));
    std::fs::create_dir_all(&programs).unwrap();
    let fake = programs.join("xfs_io");
    std::fs::write(&fake, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&fake, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let mut command = room.command(&format!("durability --target private:sqlite --by {by} --cuts 2 --json"));
    command.env("PATH", format!("{}:{path}", programs.display())).env("REAL", path);
    let ending = Running::start(command).end().expect(3);
    assert_eq!(ending.json()["at_most_lossy_pct"], Value::Null, "{}", ending.stdout);
    assert!(!folder(room, "sqlite").exists());
    ending
}

/// A program that shuts nothing down and says that it did, and one that has everything written first: nothing would be
/// lost by that, whatever the settings are.
#[test]
#[cfg(feature = "sqlite")]
fn a_file_system_that_loses_nothing_proves_nothing() {
    if !has_file_systems() {
        return;
    }
    let room = room();
    let flushes = "sync --file-system \"$4\"; PATH=$REAL; exec xfs_io \"$@\"";
    for (by, script, why) in [
        ("filesystem", "exit 0", "it still takes files"),
        ("device", "exit 0", "it still takes files"),
        ("filesystem", flushes, "what was not flushed is there afterwards"),
    ] {
        let ending = cut_by(&room, by, script);
        assert!(ending.stderr.contains("was not cut: ") && ending.stderr.contains(why), "{}", ending.stderr);
    }
}

/// A container that starts meanwhile has copies of all mounts. Whoever mounts the file then gets what was shut down, as
/// where it is mounted at another place, too.
#[test]
#[cfg(feature = "sqlite")]
fn a_file_system_that_others_keep_is_not_taken_for_one_that_has_recovered() {
    if !has_file_systems() {
        return;
    }
    let room = room();
    let (kept, place) = (room.path("kept"), room.path("place"));
    std::fs::create_dir(&place).unwrap();
    let container = format!(
        "cat > {0}.sh << 'end'
         {1}; echo $$ > {0}; exec sleep 600
         end
         unshare --mount sh {0}.sh > {0}.log 2>&1 &
         until [ -s {0} ]; do sleep 0.01; done",
        kept.display(),
        leave_mounts_of_others(&room)
    );
    let place = place.display();
    for (keeps, lets_go) in [
        (container.replace("\n         ", "\n"), format!("kill $(cat {})", kept.display())),
        (format!("mount --bind \"$4\" {place}"), format!("umount {place}")),
    ] {
        let ending = cut_by(&room, "filesystem", &format!("{keeps}\nPATH=$REAL; exec xfs_io \"$@\""));
        assert!(std::process::Command::new("sh").args(["-c", &lets_go]).status().unwrap().success());
        assert!(ending.stderr.contains("mounted is still mounted elsewhere"), "{}", ending.stderr);
    }
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
