//! A loop device for tests, whose counters show what really happened.

use crate::{file, folder, load, measured};
use dbdyno_storage::{BackendKind, IoLoad, Pattern};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Removed when the test ends.
pub(crate) struct LoopDevice(PathBuf);

impl LoopDevice {
    /// On a file; `None`, with the reason printed, where this machine has none for us.
    pub(crate) fn on(file: &Path) -> Option<Self> {
        let made = Command::new("losetup").args(["--find", "--show"]).arg(file).output();
        match made {
            Ok(made) if made.status.success() => Some(Self(String::from_utf8(made.stdout).unwrap().trim().into())),
            Ok(made) => {
                println!("skipped: no loop device here: {}", String::from_utf8_lossy(&made.stderr).trim());
                None
            }
            Err(error) => {
                println!("skipped: no loop device here: losetup: {error}");
                None
            }
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// I/Os and sectors read, then written, by the kernel's count.
    fn counts(&self) -> [u64; 4] {
        let name = self.0.file_name().unwrap().to_str().unwrap();
        let stat = std::fs::read_to_string(format!("/sys/block/{name}/stat")).unwrap();
        let fields: Vec<u64> = stat.split_whitespace().map(|field| field.parse().unwrap()).collect();
        [fields[0], fields[2], fields[4], fields[6]]
    }
}

impl Drop for LoopDevice {
    fn drop(&mut self) {
        let _ = Command::new("losetup").arg("--detach").arg(&self.0).output();
    }
}

/// Whether two counts differ by at most one in a thousand.
fn same(ours: u64, kernels: u64) -> bool {
    ours.abs_diff(kernels) * 1000 <= kernels
}

#[test]
fn every_io_is_counted_once() {
    let folder = folder();
    let Some(device) = LoopDevice::on(&file(&folder, "disk", 128 << 20)) else { return };
    // Wait until programs that look at new devices have done so.
    let _ = Command::new("udevadm").arg("settle").output();
    for backend in [BackendKind::Uring, BackendKind::Threads] {
        let mixed = IoLoad { small: 3, large: 2, write_pct: 40, duration_s: 0.2, ..load() };
        let sequential = IoLoad { small: 0, large: 4, pattern: Pattern::Sequential { streams: 2 }, ..mixed.clone() };
        for (load, exact) in
            [(load(), true), (IoLoad { write_pct: 25, ..load() }, true), (mixed, false), (sequential, false)]
        {
            let before = device.counts();
            let measured = measured(&[device.path()], &load, backend);
            let after = device.counts();
            let [reads, read_sectors, writes, written_sectors] = std::array::from_fn(|n| after[n] - before[n]);
            let said = format!("{:?} {load:?}: {after:?} - {before:?}, {measured:?}", measured.backend);
            assert!(measured.errors.is_empty() && measured.total > 100, "{said}");
            assert!(same(measured.total_bytes, (read_sectors + written_sectors) * 512), "{said}");
            // The block layer splits larger I/Os.
            assert!(!exact || same(measured.total, reads + writes), "{said}");
            let of = |kind: [u64; 2]| kind[0] as f64 / (kind[0] + kind[1]) as f64;
            let written = of([written_sectors, read_sectors]);
            let aimed = f64::from(load.write_pct) / 100.0;
            assert!(load.large > 0 || (written - aimed).abs() < 0.01, "{written} written: {said}");
        }
    }
}
