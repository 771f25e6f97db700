//! Failures before a point, within it, and by a stop.

use crate::loop_device::LoopDevice;
use crate::{file, folder, load, measured, open};
use dbdyno_storage::{BackendKind, IoError, IoLoad, LunAccess, StorageError, StorageMeasurement, WindowEdge, measure};
use std::fs::{File, OpenOptions};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

const BACKENDS: [BackendKind; 2] = [BackendKind::Uring, BackendKind::Threads];

/// Measures while something happens to the storage, from the window's beginning on.
fn while_it_happens(path: &Path, load: &IoLoad, backend: BackendKind, mut happens: impl FnMut()) -> StorageMeasurement {
    let luns = open(&[path], LunAccess::Read).unwrap();
    let mut on_edge = |edge| {
        if edge == WindowEdge::WindowBegins {
            happens();
        }
    };
    measure(&luns, load, backend, &AtomicBool::new(false), &mut on_edge).unwrap()
}

#[test]
fn a_device_that_fails_in_the_middle_ends_the_point_with_the_reason() {
    let folder = folder();
    let disk = file(&folder, "disk", 32 << 20);
    let Some(device) = LoopDevice::on(&disk) else { return };
    for backend in BACKENDS {
        let file = OpenOptions::new().write(true).open(&disk).unwrap();
        file.set_len(32 << 20).unwrap();
        let begun = Instant::now();
        let long = IoLoad { duration_s: 60.0, ..load() };
        let measured = while_it_happens(device.path(), &long, backend, || file.set_len(0).unwrap());
        assert!(measured.errors[&IoError::Io] > 0, "{measured:?}");
        let first = measured.first_error.unwrap();
        assert!(first.contains("reading 8192 bytes at offset") && first.contains("/dev/loop"), "{first}");
        assert!(measured.ended_early.unwrap().contains("no I/O has succeeded for a second"));
        assert!(measured.window_s < 30.0 && begun.elapsed() < Duration::from_secs(30), "it did not wait for the end");
        assert!(measured.total > 0, "what was done before is kept");
    }
}

#[test]
fn a_file_that_becomes_shorter_gives_short_reads() {
    let folder = folder();
    for backend in BACKENDS {
        let path = file(&folder, "file", 32 << 20);
        let cut = || File::options().write(true).open(&path).unwrap().set_len(16 << 20).unwrap();
        let measured = while_it_happens(&path, &load(), backend, cut);
        assert!(measured.errors[&IoError::Short] > 0 && measured.errors.len() == 1, "{measured:?}");
        let first = measured.first_error.as_deref().unwrap_or_default();
        assert!(first.ends_with("0 of 8192 bytes") && first.contains("file"), "{first}");
        assert!(
            measured.ended_early.is_none() && measured.small.read.count > 0,
            "the other half can be read: {measured:?}"
        );
    }
}

#[test]
fn who_stops_does_not_wait() {
    let folder = folder();
    let path = file(&folder, "file", 8 << 20);
    for backend in BACKENDS {
        let stop = AtomicBool::new(false);
        let luns = open(&[&path], LunAccess::Read).unwrap();
        let long = IoLoad { duration_s: 600.0, ..load() };
        let mut edges = Vec::new();
        let measured = std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(400));
                stop.store(true, Relaxed);
            });
            measure(&luns, &long, backend, &stop, &mut |edge| edges.push(edge)).unwrap()
        });
        assert!(measured.stopped && measured.window_s < 60.0 && measured.errors.is_empty());
        assert_eq!(edges, [WindowEdge::WindowBegins, WindowEdge::WindowEnds]);
        assert!(measured.small.read.count > 0 && measured.small.read.count < measured.total);
    }
}

#[test]
fn what_cannot_be_measured_is_refused_with_what_to_do() {
    let folder = folder();
    let path = file(&folder, "file", 8 << 20);
    let refused = |paths: &[&Path], access| open(paths, access).unwrap_err().to_string();
    assert!(refused(&[], LunAccess::Read).contains("no device or file"));
    assert!(
        refused(&[&folder.path().join("none")], LunAccess::Read).contains("cannot be opened for reading: No such file")
    );
    assert!(refused(&[folder.path()], LunAccess::Read).contains("is a folder"));
    assert!(refused(&[Path::new("/dev/null")], LunAccess::ReadWrite).contains("is a character device"));
    let stop = AtomicBool::new(false);
    let luns = open(&[&path], LunAccess::Read).unwrap();
    let writes = IoLoad { write_pct: 1, ..load() };
    let error = measure(&luns, &writes, BackendKind::Uring, &stop, &mut |_| ()).unwrap_err();
    assert!(matches!(&error, StorageError::Load(why) if why.contains("reading alone")), "{error}");
    let empty = file(&folder, "empty", 0);
    let error =
        measure(&open(&[&path, &empty], LunAccess::Read).unwrap(), &load(), BackendKind::Uring, &stop, &mut |_| ());
    assert!(error.unwrap_err().to_string().contains("has 0 bytes, less than one I/O"));
}

#[test]
fn a_cache_is_warmed_by_as_much_as_asked() {
    let folder = folder();
    let path = file(&folder, "file", 8 << 20);
    let warmed =
        dbdyno_storage::warm_cache(&open(&[&path], LunAccess::Read).unwrap(), 64 << 20, &AtomicBool::new(false));
    let warmed = warmed.unwrap();
    assert!(warmed.total_bytes >= 64 << 20 && warmed.first_error.is_none(), "{warmed:?}");
    // A short measurement is a measurement, too, on every backend.
    assert!(measured(&[&path], &load(), BackendKind::Uring).small.read.count > 0);
}
