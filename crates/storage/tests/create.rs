//! Test files: written, reused, refused, and removed where they could not be completed.
#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test that cannot go on has failed, or says what it leaves out"
)]

mod support;

use dbdyno_storage::create::{CreateError, Created, create, holes};
use dbdyno_storage::{BackendKind, IoLoad, Layout, LunAccess, Luns, Pattern, measure};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use support::{LoopDevice, output};

const MIB: u64 = 1 << 20;

fn made(path: &Path, size_bytes: u64) -> Result<Created, CreateError> {
    one(path, size_bytes, &AtomicBool::new(false), &mut |_| ())
}

/// Creates one file, and keeps it.
fn one(path: &Path, size_bytes: u64, stop: &AtomicBool, progress: &mut dyn FnMut(u64)) -> Result<Created, CreateError> {
    let files = create(&[path.to_owned()], size_bytes, stop, &mut |_, bytes| progress(bytes))?;
    let created = files.iter().next().map(|(_, created)| created);
    files.keep();
    Ok(created.unwrap())
}

#[test]
fn a_file_is_written_whole_and_proves_itself() {
    let folder = tempfile::TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let path = folder.path().join("file");
    let mut told = Vec::new();
    one(&path, 9 * MIB + 5, &AtomicBool::new(false), &mut |bytes| told.push(bytes)).unwrap();
    assert_eq!(told, [4 * MIB, 8 * MIB, 9 * MIB], "whole MiB");
    let metadata = path.metadata().unwrap();
    assert_eq!(metadata.len(), 9 * MIB);
    assert!(metadata.blocks() * 512 >= 9 * MIB, "nothing of it is left out");
    assert_eq!(holes(&path), None);
    let luns = Luns::open(std::slice::from_ref(&path), LunAccess::Read).unwrap();
    let load = IoLoad {
        small: 4,
        large: 0,
        small_bytes: 8_192,
        large_bytes: MIB,
        pattern: Pattern::Random,
        write_pct: 0,
        layout: Layout::Concat,
        warm_up_s: 0.0,
        duration_s: 0.2,
        rate: None,
        verify: true,
        huge_pages: true,
        seed: 1,
        share: None,
    };
    let measured = measure(&luns, &load, BackendKind::Threads, &AtomicBool::new(false), &mut |_| ()).unwrap();
    assert!(measured.total > 0);
    assert!(measured.mismatches.is_empty(), "{:?}", measured.mismatches);
    assert!(!measured.notes.iter().any(|note| note.contains("never written")), "{:?}", measured.notes);
}

#[test]
fn a_file_of_dbdynos_is_reused_and_one_of_another_size_is_left() {
    let folder = tempfile::TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let path = folder.path().join("file");
    if made(&path, 2 * MIB).unwrap() == Created::NewUnmarked {
        eprintln!("SKIPPED: the file system of {} keeps no marks", folder.path().display());
        return;
    }
    assert_eq!(made(&path, 2 * MIB).unwrap(), Created::Reused);
    let refusal = made(&path, 3 * MIB).unwrap_err().to_string();
    assert!(refusal.contains("2097152 bytes, not of 3145728: remove it"), "{refusal}");
    assert_eq!(path.metadata().unwrap().len(), 2 * MIB);
}

#[test]
fn files_of_others_are_never_touched() {
    let folder = tempfile::TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let path = folder.path().join("users");
    std::fs::write(&path, b"mine").unwrap();
    assert!(matches!(made(&path, 2 * MIB), Err(CreateError::Foreign(_))));
    assert_eq!(std::fs::read(&path).unwrap(), b"mine");
    assert!(matches!(made(folder.path(), 2 * MIB), Err(CreateError::Foreign(_))));
    let link = folder.path().join("link");
    std::os::unix::fs::symlink(folder.path().join("nowhere"), &link).unwrap();
    assert!(made(&link, 2 * MIB).is_err());
    assert!(!folder.path().join("nowhere").exists(), "nothing is created behind a link");
    let refusal = made(&folder.path().join("none/file"), 2 * MIB).unwrap_err();
    assert!(matches!(refusal, CreateError::NotBegun { .. }), "{refusal}");
}

#[test]
fn who_is_stopped_leaves_nothing() {
    let folder = tempfile::TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let path = folder.path().join("file");
    let stop = AtomicBool::new(false);
    let refusal = one(&path, 64 * MIB, &stop, &mut |_| stop.store(true, Relaxed)).unwrap_err();
    assert!(matches!(refusal, CreateError::Stopped(_)), "{refusal}");
    assert!(!path.exists());
}

#[test]
fn more_than_is_free_is_not_begun() {
    let folder = tempfile::TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let path = folder.path().join("file");
    let refusal = made(&path, 1 << 60).unwrap_err();
    assert!(matches!(&refusal, CreateError::NoSpace { free_bytes, .. } if *free_bytes > 0), "{refusal}");
    assert!(!path.exists());
}

#[test]
fn a_disk_that_is_full_meanwhile_leaves_nothing() {
    let Some(device) = LoopDevice::new(32) else { return };
    let place = device.folder().join("small");
    std::fs::create_dir(&place).unwrap();
    // A file system without extents cannot preallocate, so the disk fills only during the write.
    for options in ["^extent,^has_journal,^64bit,^metadata_csum", "^has_journal"] {
        output("mkfs.ext4", &["-q", "-F", "-m", "0", "-O", options, device.name()]).unwrap();
        if let Err(why) = output("mount", &[device.name(), place.to_str().unwrap()]) {
            eprintln!("SKIPPED: nothing can be mounted here ({why})");
            return;
        }
        let path = place.join("file");
        let free_before = rustix::fs::statvfs(&place).unwrap().f_bavail;
        // Another process takes the space after the check.
        let mut taken = false;
        let refusal = one(&path, 20 * MIB, &AtomicBool::new(false), &mut |_| {
            if !std::mem::replace(&mut taken, true) {
                std::fs::write(place.join("other"), vec![1; 20 << 20]).unwrap_or_default();
            }
        });
        let gone = !path.exists();
        std::fs::remove_file(place.join("other")).unwrap_or_default();
        let free_after = rustix::fs::statvfs(&place).unwrap().f_bavail;
        output("umount", &[place.to_str().unwrap()]).unwrap();
        if options.contains("^extent") {
            let refusal = refusal.unwrap_err();
            assert!(matches!(&refusal, CreateError::NoSpace { .. }), "{refusal}");
            assert!(gone, "nothing is left");
            assert!(free_after + 64 >= free_before, "{free_before} {free_after}");
        } else {
            // Preallocated space cannot be taken by others.
            assert_eq!(refusal.unwrap(), Created::New);
        }
    }
}

#[test]
fn what_another_is_writing_is_left() {
    let folder = tempfile::TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let path = folder.path().join("file");
    let mut seen = None;
    let created = one(&path, 8 * MIB, &AtomicBool::new(false), &mut |_| {
        seen.get_or_insert_with(|| made(&path, 8 * MIB));
    });
    match created.unwrap() {
        Created::NewUnmarked => eprintln!("SKIPPED: the file system of {} keeps no marks", folder.path().display()),
        _ => assert!(matches!(seen, Some(Err(CreateError::Busy(_)))), "{seen:?}"),
    }
}

#[test]
fn parts_that_were_never_written_are_told() {
    let folder = tempfile::TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let path = folder.path().join("sparse");
    std::fs::File::create(&path).unwrap().set_len(8 * MIB).unwrap();
    let told = holes(&path).unwrap();
    assert!(told.contains("the first at 0"), "{told}");
}

#[test]
fn several_are_made_all_or_none() {
    let folder = tempfile::TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let paths = ["a", "b", "c"].map(|name| folder.path().join(name));
    let there = || paths.iter().filter(|path| path.exists()).count();
    let stop = AtomicBool::new(false);
    // Each file would fit, but not all of them, whatever others write and remove meanwhile.
    let stat = rustix::fs::statvfs(folder.path()).unwrap();
    let size_bytes = stat.f_bavail * stat.f_frsize / 10 * 9;
    let refusal = create(&paths, size_bytes, &stop, &mut |_, _| ()).unwrap_err();
    assert!(matches!(&refusal, CreateError::NoSpace { paths, .. } if paths.len() == 3), "{refusal}");
    assert!(refusal.to_string().contains("c need together"), "{refusal}");
    assert_eq!(there(), 0);
    // An obstacle for one file is an obstacle for all, before anything is created.
    std::fs::write(&paths[1], b"mine").unwrap();
    assert!(matches!(create(&paths, MIB, &stop, &mut |_, _| ()), Err(CreateError::Foreign(path)) if path == paths[1]));
    assert_eq!(there(), 1);
    std::fs::remove_file(&paths[1]).unwrap();
    // Complete files are removed with the incomplete one; older files stay.
    if made(&paths[0], MIB).unwrap() == Created::NewUnmarked {
        eprintln!("SKIPPED: the file system of {} keeps no marks", folder.path().display());
        return;
    }
    let mut stops = |path: &Path, _| stop.store(path == paths[1], Relaxed);
    let refusal = create(&paths, MIB, &stop, &mut stops).unwrap_err();
    assert!(matches!(&refusal, CreateError::Stopped(path) if *path == paths[2]), "{refusal}");
    assert_eq!((paths[0].exists(), there()), (true, 1));
    // On a file system without marks they are not dbdyno's.
    let files = create(&paths, MIB, &AtomicBool::new(false), &mut |_, _| ()).unwrap();
    let created: Vec<Created> = files.iter().map(|(_, created)| created).collect();
    assert_eq!((created, there()), (vec![Created::Reused, Created::New, Created::New], 3));
    drop(files);
    assert_eq!((paths[0].exists(), there()), (true, 1));
}
