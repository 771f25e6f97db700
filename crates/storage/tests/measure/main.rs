//! Measuring as a whole: on files, and on loop devices where they can be made.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test that cannot go on has failed")]

mod faults;
mod loop_device;
mod proofs;
mod refused;

use dbdyno_storage::{
    BackendKind, IoLoad, Layout, LunAccess, Luns, Pattern, StorageError, StorageMeasurement, measure,
};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use tempfile::TempDir;

/// Reads, small and random, for a moment.
fn load() -> IoLoad {
    IoLoad {
        small: 8,
        large: 0,
        small_bytes: 8192,
        large_bytes: 1 << 20,
        pattern: Pattern::Random,
        write_pct: 0,
        layout: Layout::Concat,
        warm_up_s: 0.05,
        duration_s: 0.3,
        rate: None,
        verify: false,
        huge_pages: true,
        seed: 1,
        share: None,
    }
}

/// A folder on the disk that the sources are built on: that of temporary files may be memory.
fn folder() -> TempDir {
    TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

/// A file that is really there.
fn file(folder: &TempDir, name: &str, bytes: usize) -> PathBuf {
    let path = folder.path().join(name);
    std::fs::write(&path, vec![0x5a; bytes]).unwrap();
    path
}

fn open(paths: &[&Path], access: LunAccess) -> Result<Luns, StorageError> {
    Luns::open(&paths.iter().map(|path| path.to_path_buf()).collect::<Vec<_>>(), access)
}

fn measured(paths: &[&Path], load: &IoLoad, backend: BackendKind) -> StorageMeasurement {
    let access = if load.write_pct > 0 { LunAccess::ReadWrite } else { LunAccess::Read };
    let measured = measure(&open(paths, access).unwrap(), load, backend, &AtomicBool::new(false), &mut |_| ()).unwrap();
    measured.notes.iter().for_each(|note| println!("note: {note}"));
    measured
}
