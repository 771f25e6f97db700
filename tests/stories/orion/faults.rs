//! When storage fails, or the user stops a run: what was measured is complete, and the other points say why they are
//! not.

use super::{POINT, endings, file, files, measured, skipped};
use crate::small_disk::SmallDisk;
use crate::support::{DBDYNO, Room, Running, points, text};
use rustix::fs::{Mode, OFlags, open};
use rustix::io::Errno;
use rustix::process::Signal;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

/// Two points: the second begins when the first is over.
const TWO: &str = "orion -run advanced -matrix max -num_small 2 -num_large 0 -duration 0.3";

#[test]
fn a_full_disk_leaves_no_part_of_a_test_file() {
    let room = Room::on_disk();
    let disk = SmallDisk::new(&room, 8);
    let line = format!("{TWO} --file {} --file-size 64M", disk.path("t.dat").display());
    let ending = Running::start(disk.command(&room, DBDYNO, &line)).end().expect(2);
    assert!(ending.stderr.contains("t.dat needs 67108864 bytes and the file system has"), "{}", ending.stderr);
    assert!(!disk.seen("t.dat").exists());
}

#[test]
fn ctrl_c_leaves_complete_points_and_files() {
    let room = Room::on_disk();
    let run = room.start(&format!("{TWO} --file t.dat --file-size 2M"));
    run.until("[1/2]");
    run.signal(Signal::INT);
    let ending = run.end().expect(3);
    let document = room.show("last");
    let id = text(&document, "/run/id").to_owned();
    let complaint = format!("dbdyno: stopped; what was measured is kept, `dbdyno show {id}` shows it");
    assert_eq!(ending.complaints().last(), Some(&complaint.as_str()));
    assert_eq!(text(&document, "/run/status"), "interrupted");
    let endings = endings(&document);
    assert_eq!(endings[0].0, "ok");
    assert!(
        endings.len() <= 2 && endings[1..].iter().all(|e| *e == ("failed".into(), "interrupted".into())),
        "{endings:?}"
    );
    let iops = file(&room, "iops.csv");
    let row = iops.lines().find(|line| line.trim_start().starts_with("0,")).unwrap();
    let cells: Vec<&str> = row.split(',').skip(1).map(str::trim).collect();
    assert!(!cells[0].is_empty() && cells[1..].iter().all(|cell| cell.is_empty()), "{iops}");
    assert_eq!(files(&room).len(), 6);
    assert!(room.run("show last").expect(0).stdout.contains("`dbdyno orion` measures it again"));
}

#[test]
fn creating_a_file_can_be_stopped_and_leaves_nothing() {
    // A larger one only if a smaller one is done before the signal.
    for mib in [32, 128, 512] {
        let room = Room::on_disk();
        let mut run = room.start(&format!("{TWO} --file t.dat --file-size {mib}M"));
        run.until_so("a file is being created", || room.path("t.dat").exists());
        run.signal(Signal::INT);
        let ending = run.end().expect(3);
        if ending.stderr.contains("stopped while creating t.dat") {
            assert!(!room.path("t.dat").exists());
            assert!(!room.path("dbdyno.db").exists(), "nor is there a results file");
            return;
        }
    }
    panic!("every file was created before the signal came");
}

/// A run whose storage is removed by `fail` after its first point: that point is complete, the others say why they are
/// not.
#[track_caller]
fn fails_after_the_first(room: &Room, lun: &Path, fail: impl FnOnce()) {
    let run = room.start(&format!("{TWO} --file {}", lun.display()));
    run.until("[1/2]");
    fail();
    let ending = run.end().expect(4);
    assert!(ending.stderr.contains("gives the reasons"), "{}", ending.stderr);
    let document = room.show("last");
    let endings = endings(&document);
    assert_eq!((endings.len(), endings[0].0.as_str()), (2, "ok"));
    let (status, reason) = &endings[1];
    assert_eq!(status, "failed");
    assert!(reason.contains("I/Os failed") && reason.contains(&lun.display().to_string()), "{reason}");
    let last = &points(&document)[1];
    let errors: u64 = last["outcomes"]["errors"].as_object().unwrap().values().map(|n| n.as_u64().unwrap()).sum();
    let (requests, ok) = (last["outcomes"]["requests"].as_u64(), last["outcomes"]["ok"].as_u64());
    assert!(errors > 0 && requests == ok.map(|ok| ok + errors), "{last}");
    assert!(last["metric"].is_null());
    // For readers, what failed has its reason and no figures.
    let shown = room.run("show last --table storage").expect(0).stdout;
    let row = shown.lines().find(|line| line.starts_with("  2 ")).unwrap_or_else(|| panic!("{shown}"));
    assert!(row.contains(" failed: ") && row.contains("I/Os failed"), "{shown}");
    let trace = file(room, "trace.txt");
    assert!(trace.contains("failed: ") && file(room, "summary.txt").contains("Total Data Points"), "{trace}");
}

#[test]
fn a_file_that_shrinks_fails_the_points_after_it() {
    let room = Room::on_disk();
    measured(&room, &format!("{POINT} --file-size 2M"));
    std::fs::read_dir(room.folder()).unwrap().map(|e| e.unwrap().path()).for_each(|path| {
        if path.file_name().unwrap().to_str().unwrap().starts_with("orion_") {
            std::fs::remove_file(path).unwrap();
        }
    });
    let path = room.path("t.dat");
    fails_after_the_first(&room, Path::new("t.dat"), || {
        std::fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(0).unwrap();
    });
}

#[test]
fn what_failed_has_no_figures_for_readers_though_half_of_its_reads_were_timed() {
    let room = Room::on_disk();
    let path = room.path("t.dat");
    std::fs::write(&path, vec![0x5a; 2 << 20]).unwrap();
    fails_after_the_first(&room, Path::new("t.dat"), || {
        std::fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(1 << 20).unwrap();
    });
    let document = room.show("last");
    let failed = &points(&document)[1];
    assert!(!failed["service_time_s"].is_null(), "{failed}");
}

/// A loop device for a story.
struct LoopDevice(PathBuf);

impl LoopDevice {
    /// On a file; `None`, with the reason printed, where this machine has none for us.
    #[allow(clippy::print_stderr, reason = "who runs the tests is told what is left out")]
    fn on(file: &Path) -> Option<Self> {
        // A program that loses the race for a free device still claims it for a moment, and the winner finds it in use.
        static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
        let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        let made = Command::new("losetup").args(["--find", "--show"]).arg(file).output();
        let said = made.map_err(|e| e.to_string()).and_then(|made| match made.status.success() {
            true => Ok(String::from_utf8_lossy(&made.stdout).trim().to_owned()),
            false => Err(String::from_utf8_lossy(&made.stderr).trim().to_owned()),
        });
        match said {
            Ok(path) => Some(Self(path.into())),
            Err(why) => {
                skipped(&format!("no loop device here: {why}"));
                None
            }
        }
    }
}

impl Drop for LoopDevice {
    fn drop(&mut self) {
        let _ = Command::new("losetup").arg("--detach").arg(&self.0).output();
    }
}

#[test]
fn a_device_that_fails_fails_the_points_after_it() {
    let room = Room::on_disk();
    let path = room.path("disk");
    std::fs::write(&path, vec![7; 4 << 20]).unwrap();
    let Some(device) = LoopDevice::on(&path) else { return };
    fails_after_the_first(&room, &device.0, || {
        std::fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(0).unwrap();
    });
}

#[test]
fn a_device_that_is_written_to_is_held_until_the_end() {
    let room = Room::on_disk();
    let path = room.path("disk");
    std::fs::write(&path, vec![7; 4 << 20]).unwrap();
    let Some(device) = LoopDevice::on(&path) else { return };
    let claimed = || open(&device.0, OFlags::RDONLY | OFlags::EXCL, Mode::empty());
    let name = device.0.display();
    let run = room.start(&format!("{TWO} --file {name} -write 50 --destroy-data {name}"));
    run.until("[1/2]");
    assert_eq!(claimed().unwrap_err(), Errno::BUSY);
    run.end().expect(0);
    claimed().unwrap();
}
