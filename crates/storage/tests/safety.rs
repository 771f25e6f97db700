//! What may be written to, on devices that are really mounted, used for swap, or formatted.
#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test that cannot go on has failed, or says what it leaves out"
)]

mod support;

use dbdyno_storage::create::{self, Created};
use dbdyno_storage::safety::{Consent, HeldDevices, SafetyError, may_write_all};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicBool;
use support::{LoopDevice, alone, output};

/// Undoes something, however the test ends.
struct Undo<'a>(&'a str, &'a [&'a str]);

impl Drop for Undo<'_> {
    fn drop(&mut self) {
        let _ = output(self.0, self.1);
    }
}

fn asked(path: &Path, destroy: &[PathBuf], really: bool) -> Result<HeldDevices, SafetyError> {
    may_write_all(&[path.to_owned()], Consent { destroy, really, sharers: &[] })
}

/// Why a named path is not written to; with `really` it would be.
fn occupied(path: &Path) -> String {
    let named = [path.to_owned()];
    assert!(asked(path, &named, true).is_ok(), "--really");
    match asked(path, &named, false) {
        Err(SafetyError::Occupied { reason, .. }) => reason,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_device_is_written_to_where_it_is_named_and_empty() {
    let Some(device) = LoopDevice::new(8) else { return };
    let path = device.path();
    let refusal = asked(path, &[], false).unwrap_err();
    let text = refusal.to_string();
    assert!(matches!(refusal, SafetyError::NotNamed { .. }), "{text}");
    assert!(text.contains(&format!("--destroy-data {}", path.display())), "{text}");
    assert!(asked(path, &[], true).is_err(), "--really alone says of nothing that it may be destroyed");
    asked(path, &[path.to_owned()], false).unwrap();
    // The same device under another name.
    let link = device.folder().join("by-id");
    std::os::unix::fs::symlink(path, &link).unwrap();
    assert!(asked(&link, &[path.to_owned()], false).is_ok());
}

#[test]
fn a_file_system_is_not_overwritten_and_a_mounted_one_is_named() {
    let Some(device) = LoopDevice::new(8) else { return };
    output("mkfs.ext4", &["-q", device.name()]).unwrap();
    assert_eq!(occupied(device.path()), "has an ext2, ext3 or ext4 file system on it");
    let place = device.folder().join("mount point");
    std::fs::create_dir(&place).unwrap();
    let place = place.to_str().unwrap();
    if let Err(why) = output("mount", &[device.name(), place]) {
        eprintln!("SKIPPED: nothing can be mounted here ({why})");
        return;
    }
    let arguments = [place];
    let _unmount = Undo("umount", &arguments);
    assert_eq!(occupied(device.path()), format!("is mounted on {place}"));
    // The file below the device is in use, too.
    assert!(occupied(&device.folder().join("backing")).contains(device.name()));
}

#[test]
fn swap_space_is_recognised_on_it_and_in_use() {
    let Some(device) = LoopDevice::new(8) else { return };
    output("mkswap", &[device.name()]).unwrap();
    assert_eq!(occupied(device.path()), "has swap space on it");
    if let Err(why) = output("swapon", &[device.name()]) {
        eprintln!("SKIPPED: nothing can be swapped to here ({why})");
        return;
    }
    let arguments = [device.name()];
    let _off = Undo("swapoff", &arguments);
    assert_eq!(occupied(device.path()), "is in use as swap space");
}

#[test]
fn a_device_that_others_have_claimed_is_in_use() {
    let Some(device) = LoopDevice::new(8) else { return };
    let claimed = std::fs::OpenOptions::new();
    let claimed = {
        use std::os::unix::fs::OpenOptionsExt;
        claimed.clone().read(true).custom_flags(rustix::fs::OFlags::EXCL.bits() as i32).open(device.path()).unwrap()
    };
    assert!(occupied(device.path()).contains("the kernel refuses to open it alone"));
    drop(claimed);
    // A database on a raw device does not claim it, but has it open.
    let mut holder = Command::new("sleep").arg("60").stdin(File::open(device.path()).unwrap()).spawn().unwrap();
    let reason = occupied(device.path());
    holder.kill().unwrap();
    holder.wait().unwrap();
    assert!(reason.contains("is open in process") && reason.contains("sleep"), "{reason}");
    assert!(asked(device.path(), &[device.path().to_owned()], false).is_ok());
}

#[test]
fn what_may_be_written_to_is_held() {
    let Some(device) = LoopDevice::new(8) else { return };
    output("mkfs.ext4", &["-q", device.name()]).unwrap();
    let place = device.folder().join("place");
    std::fs::create_dir(&place).unwrap();
    let place = place.to_str().unwrap();
    let held = asked(device.path(), &[device.path().to_owned()], true).unwrap();
    let refusal = output("mount", &[device.name(), place]).unwrap_err();
    assert!(output("mkfs.ext4", &["-q", "-F", device.name()]).is_err(), "it is claimed");
    drop(held);
    match output("mount", &[device.name(), place]) {
        Ok(_) => _ = output("umount", &[place]).unwrap(),
        Err(why) => eprintln!("SKIPPED: nothing can be mounted here ({why}); it said {refusal} before"),
    }
}

#[test]
fn partition_tables_are_recognised() {
    let Some(device) = LoopDevice::new(8) else { return };
    let file = std::fs::OpenOptions::new().write(true).open(device.path()).unwrap();
    for (offset, magic, what) in [(510, &b"\x55\xaa"[..], "MBR"), (512, b"EFI PART", "GPT")] {
        file.write_all_at(magic, offset).unwrap();
        let reason = occupied(device.path());
        assert!(reason.contains(what), "{reason}");
        file.write_all_at(&[0; 8], offset).unwrap();
    }
}

#[test]
fn files_of_others_are_asked_for() {
    let _turn = alone();
    let folder = tempfile::TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let path = folder.path().join("users.dat");
    std::fs::write(&path, vec![7; 1 << 20]).unwrap();
    let text = asked(&path, &[], false).unwrap_err().to_string();
    assert!(text.contains("a file that dbdyno did not create") && text.contains("--destroy-data"), "{text}");
    assert!(asked(&path, std::slice::from_ref(&path), false).is_ok());
    std::fs::write(&path, b"SQLite format 3\0 and what follows").unwrap();
    assert_eq!(occupied(&path), "has an SQLite database on it");
    // Another process uses it.
    std::fs::write(&path, b"anything").unwrap();
    let mut holder = Command::new("sleep").arg("60").stdin(File::open(&path).unwrap()).spawn().unwrap();
    let reason = occupied(&path);
    holder.kill().unwrap();
    holder.wait().unwrap();
    assert!(reason.contains("is open in process") && reason.contains("sleep"), "{reason}");
    assert!(asked(&path, std::slice::from_ref(&path), false).is_ok());
}

#[test]
fn dbdynos_own_files_are_written_to_and_copies_of_them_are_not() {
    let _turn = alone();
    let folder = tempfile::TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let (own, copy) = (folder.path().join("own"), folder.path().join("copy"));
    let files = create::create(std::slice::from_ref(&own), 2 << 20, &AtomicBool::new(false), &mut |_, _| ()).unwrap();
    let unmarked = files.iter().any(|(_, created)| created == Created::NewUnmarked);
    files.keep();
    if unmarked {
        eprintln!("SKIPPED: the file system of {} keeps no marks", folder.path().display());
        return;
    }
    assert!(asked(&own, &[], false).is_ok());
    output("cp", &["--archive", own.to_str().unwrap(), copy.to_str().unwrap()]).unwrap();
    assert!(matches!(asked(&copy, &[], false), Err(SafetyError::NotNamed { .. })));
    // Data that the user has written since is the user's.
    std::fs::OpenOptions::new().write(true).open(&own).unwrap().write_all_at(b"SQLite format 3\0", 0).unwrap();
    assert!(matches!(asked(&own, &[], false), Err(SafetyError::Occupied { .. })));
}

#[test]
fn consent_to_what_is_not_measured_is_a_mistake() {
    let folder = tempfile::TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let (one, other) = (folder.path().join("one"), folder.path().join("other"));
    std::fs::write(&one, b"1").unwrap();
    std::fs::write(&other, b"1").unwrap();
    let ask = |destroy: &[PathBuf]| {
        may_write_all(std::slice::from_ref(&one), Consent { destroy, really: false, sharers: &[] })
    };
    assert!(ask(std::slice::from_ref(&one)).is_ok());
    let both = [one.clone(), other.clone()];
    assert!(matches!(ask(&both), Err(SafetyError::NotOfThisRun(path)) if path == other));
    assert!(matches!(ask(&[folder.path().join("none")]), Err(SafetyError::NotOfThisRun(_))));
}

/// Processes that share a file are named one by one: no other may have it open, whatever its program is.
#[test]
fn those_that_share_a_file_may_have_it_open() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let path = folder.path().join("shared");
    std::fs::write(&path, [7; 1 << 16]).unwrap();
    let file = File::open(&path).unwrap();
    let mut other = std::process::Command::new("sleep").arg("60").stdin(file).spawn().unwrap();
    let ask = |sharers: &[u32]| {
        may_write_all(
            std::slice::from_ref(&path),
            Consent { destroy: std::slice::from_ref(&path), really: false, sharers },
        )
    };
    let refused = ask(&[other.id() + 1]).unwrap_err().to_string();
    let allowed = ask(&[other.id()]).is_ok();
    other.kill().unwrap();
    other.wait().unwrap();
    assert!(refused.contains(&format!("is open in process {}", other.id())), "{refused}");
    assert!(allowed);
}
