//! Reads: page cache, memory file systems, reads of others, devices that are not visible.

use crate::support::{Room, Running, flag_note, flagged, number, points, text};
use serde_json::Value;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The most attempts, because other work may disturb one.
const PLAYS: usize = 10;

/// The points of a run of some tests.
fn measured(room: &Room, what: &str, target: &str, more: &str) -> Vec<Value> {
    let document =
        room.run(&format!("run {what} --target {target} --jobs 1 --duration 500ms --json {more}")).expect(0).json();
    points(&document).clone()
}

/// Repeats until it succeeds, because a busy machine may hide the effect.
fn again(what: &str, mut play: impl FnMut() -> Result<(), String>) {
    let mut why = String::new();
    for _ in 0..PLAYS {
        match play() {
            Ok(()) => return,
            Err(other) => why = other,
        }
    }
    panic!("{what}: {why}");
}

fn must(so: bool, point: &Value) -> Result<(), String> {
    if so { Ok(()) } else { Err(format!("{point:#}")) }
}

/// Figures of storage tests come from a device: none of the flags that deny it was raised.
fn is_of_a_device(point: &Value) -> bool {
    ["served_from_os_cache", "not_proved"].iter().all(|flag| !flagged(point, flag))
}

fn needs() -> &'static str {
    "title = \"Shop\"\n[[requirement]]\ntitle = \"Scan\"\ntest = \"T426\"\nmetric = \"rows_per_s\"\nminimum = 1\n"
}

/// A file system in a file, on a loop device.
struct Mounted(std::path::PathBuf);

impl Mounted {
    /// `None` where this user may not mount.
    fn new(room: &Room) -> Option<Self> {
        let (image, point) = (room.path("image"), room.path("mounted"));
        std::fs::File::create(&image).unwrap().set_len(300 << 20).unwrap();
        std::fs::create_dir(&point).unwrap();
        let done = |command: &mut Command| command.stderr(Stdio::null()).status().is_ok_and(|status| status.success());
        let made = done(Command::new("mkfs.ext4").arg("-q").arg(&image));
        (made && done(Command::new("mount").args(["-o", "loop"]).args([&image, &point]))).then_some(Self(point))
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        _ = Command::new("umount").arg(&self.0).status();
    }
}

/// Pages below a loop device stay in the page cache under another name, where eviction does not reach them. The control
/// is the file on the disk above.
#[test]
fn pages_that_stay_cached_below_are_no_device() {
    let _machine = crate::in_company();
    let disk = Room::on_disk();
    let Some(mounted) = Mounted::new(&disk) else {
        eprintln!("not provoked: this user may not mount");
        return;
    };
    std::fs::copy(Room::with_data().path("x.sqlite"), mounted.0.join("x.sqlite")).unwrap();
    for point in measured(&disk, "T426 T616", "sqlite:mounted/x.sqlite", "") {
        assert!(flag_note(&point, "not_proved").contains("loop device"), "{point:#}");
    }
}

/// A process that reads a file from its device, over and over.
struct ForeignReader(Child);

impl ForeignReader {
    fn start(file: &Path) -> Self {
        std::fs::write(file, vec![7u8; 64 << 20]).unwrap();
        let script = "while :; do dd if=\"$1\" of=/dev/null bs=1M iflag=direct 2> /dev/null; done";
        let mut shell = Command::new("sh");
        shell.args(["-c", script, "sh"]).arg(file).stdin(Stdio::null()).process_group(0);
        Self(shell.spawn().unwrap())
    }
}

impl Drop for ForeignReader {
    fn drop(&mut self) {
        // The shell and its children, a group of their own.
        _ = Command::new("kill").args(["-KILL", "--", &format!("-{}", self.0.id())]).status();
        _ = self.0.wait();
    }
}

#[test]
fn a_scan_reports_the_bytes_that_the_database_consumed() {
    let _machine = crate::in_company();
    let disk = Room::on_disk();
    std::fs::copy(Room::with_data().path("x.sqlite"), disk.path("x.sqlite")).unwrap();
    // The table's pages according to SQLite; each scan reads all of them once.
    let pages = "SELECT sum(pgsize), (SELECT count(*) FROM dbdyno_large_heap_range_list) FROM dbstat WHERE name = 'dbdyno_large_heap_range_list'";
    let (bytes, rows): (f64, f64) = rusqlite::Connection::open(disk.path("x.sqlite"))
        .and_then(|file| file.query_row(pages, [], |row| Ok((row.get(0)?, row.get(1)?))))
        .unwrap();
    // Bytes are counted for longer than the window, and on a busy machine the two may differ.
    again("what a scan consumed", || {
        let point = measured(&disk, "T426", "sqlite:x.sqlite", "").remove(0);
        let consumed = number(&point, "/rows") / rows * bytes;
        assert_eq!(number(&point, "/metric/value"), number(&point, "/database/read_mib_per_s"));
        let reported = number(&point, "/metric/value") * 1_048_576.0 * number(&point, "/window_s");
        must((0.97..1.03).contains(&(reported / consumed)), &point)
    });
}

#[cfg(feature = "postgres")]
mod postgres;

/// Nothing else may run on the machine meanwhile.
mod alone {
    use super::*;

    #[test]
    fn a_file_that_memory_holds_is_no_device_and_one_on_a_disk_is() {
        let company = crate::in_company();
        let room = Room::with_data();
        let (memory, disk) = (tempfile::tempdir_in("/dev/shm").unwrap(), Room::on_disk());
        for folder in [memory.path(), disk.folder()] {
            std::fs::copy(room.path("x.sqlite"), folder.join("x.sqlite")).unwrap();
        }
        for point in measured(&room, "T426 T616 T626", &format!("sqlite:{}/x.sqlite", memory.path().display()), "") {
            assert!(flag_note(&point, "served_from_os_cache").contains("memory"), "{point:#}");
        }
        std::fs::write(room.path("needs.toml"), needs()).unwrap();
        room.run("verdict last --requirements needs.toml").expect(1);
        drop(company);
        let _machine = crate::alone();
        again("a file on a disk", || {
            // Size T is so small that T626 reads its blocks again before they can be evicted.
            let points = measured(&disk, "T426 T616", "sqlite:x.sqlite", "");
            points.iter().try_for_each(|point| must(is_of_a_device(point), point))
        });
    }

    #[test]
    fn what_others_read_is_foreign_and_the_databases_own_rate_is_printed() {
        let _machine = crate::alone();
        let disk = Room::on_disk();
        std::fs::copy(Room::with_data().path("x.sqlite"), disk.path("x.sqlite")).unwrap();
        let measured = || measured(&disk, "T426", "sqlite:x.sqlite", "").remove(0);
        let reader = ForeignReader::start(&disk.path("foreign"));
        again("a foreign reader", || {
            let point = measured();
            must(flag_note(&point, "foreign_load").contains("for the database and the rest for others"), &point)?;
            let (device, own) = (number(&point, "/io/read_mib_per_s"), number(&point, "/metric/value"));
            must(own < device && own == number(&point, "/database/read_mib_per_s"), &point)
        });
        drop(reader);
        again("without it", || {
            let point = measured();
            must(!flag_note(&point, "foreign_load").contains("for the database"), &point)
        });
    }

    /// A process that writes meanwhile.
    #[test]
    fn what_others_write_is_foreign() {
        let _machine = crate::alone();
        let disk = Room::on_disk();
        std::fs::copy(Room::with_data().path("x.sqlite"), disk.path("x.sqlite")).unwrap();
        let measured = || measured(&disk, "T716", "sqlite:x.sqlite", "").remove(0);
        let script = "while :; do dd if=/dev/zero of=foreign bs=1M count=256 conv=fsync 2> /dev/null; done";
        let mut shell = Command::new("sh");
        shell.args(["-c", script]).current_dir(disk.folder()).stdin(Stdio::null()).process_group(0);
        let writer = ForeignReader(shell.spawn().unwrap());
        again("a foreign writer", || {
            let point = measured();
            must(flag_note(&point, "foreign_load").contains("other processes"), &point)
        });
        drop(writer);
        again("without it", || {
            let point = measured();
            must(!flag_note(&point, "foreign_load").contains("other processes"), &point)
        });
    }
}
