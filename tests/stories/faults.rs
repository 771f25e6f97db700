//! Faults of a database file: its disk fills, another process locks, damages or protects it, or drops a table while it
//! is measured. Points fail with their class and reason, and points that are not affected continue.

use crate::document::check_point;
use crate::small_disk::SmallDisk;
use crate::support::{DBDYNO, Ending, Room, Running, points, statuses, text, wait_until};
use rusqlite::Connection;
use rustix::fs::OFlags;
use serde_json::Value;
use std::io::{PipeReader, PipeWriter, Read, Write};
use std::os::unix::fs::FileExt;

/// A full pipe: a writer waits until the pipe is read.
fn full_pipe() -> (PipeReader, PipeWriter) {
    let (reader, mut writer) = std::io::pipe().unwrap();
    let flags = rustix::fs::fcntl_getfl(&writer).unwrap();
    rustix::fs::fcntl_setfl(&writer, flags | OFlags::NONBLOCK).unwrap();
    for block in [4096, 1] {
        while writer.write(&vec![b'.'; block]).is_ok() {}
    }
    rustix::fs::fcntl_setfl(&writer, flags).unwrap();
    (reader, writer)
}

fn on_disk(disk: &SmallDisk, room: &Room, line: &str) -> Ending {
    Running::start(disk.command(room, DBDYNO, line)).end()
}

#[test]
fn a_disk_that_is_too_small_is_refused_before_loading() {
    let room = Room::new();
    let disk = SmallDisk::new(&room, 16);
    let target = disk.path("x.sqlite").display().to_string();
    let ending = on_disk(&disk, &room, &format!("load --target sqlite:{target} --size T")).expect(2);
    assert!(ending.stderr.starts_with("dbdyno: loading size T takes about "), "{}", ending.stderr);
    let folder = disk.path("").display().to_string();
    let folder = folder.trim_end_matches('/');
    let end = format!(" MiB and {folder} has 16 MiB free; use a smaller size (`dbdyno list sizes`) or another place\n");
    assert!(ending.stderr.ends_with(&end), "{}", ending.stderr);
    assert!(!disk.seen("x.sqlite").exists(), "nothing was made");
}

#[test]
fn a_disk_that_fills_up_stops_a_load_which_goes_on_later() {
    let room = Room::new();
    let disk = SmallDisk::new(&room, 200);
    let target = disk.path("x.sqlite").display().to_string();
    let load = format!("load --target sqlite:{target} --size T");
    // The first line of progress does not fit into the pipe, so the load waits while the disk is filled.
    let (mut reader, writer) = full_pipe();
    let run = Running::start_unheard(disk.command(&room, DBDYNO, &load), writer.into());
    wait_until("the file", || disk.seen("x.sqlite").metadata().is_ok_and(|m| m.len() > 0));
    let ballast = disk.fill_up(512);
    let heard = std::thread::spawn(move || {
        let mut text = String::new();
        reader.read_to_string(&mut text).unwrap();
        text
    });
    let ending = run.end();
    let said = heard.join().unwrap();
    let said = said.trim_start_matches('.');
    assert_eq!(ending.code, Some(3), "{said}");
    assert!(said.contains("dbdyno: loading failed: out of space: "), "{said}");
    assert!(said.ends_with("free space there and try again: what was committed is kept\n"), "{said}");
    // With space the same command succeeds.
    std::fs::remove_file(ballast).unwrap();
    let answer = on_disk(&disk, &room, &format!("{load} --json")).expect(0).json();
    assert_eq!((&answer["resumed"], &answer["verified"]), (&true.into(), &true.into()), "{answer:#}");
}

#[test]
fn a_disk_that_is_full_fails_what_writes_and_nothing_else() {
    let room = Room::with_data();
    let disk = SmallDisk::new(&room, 64);
    std::fs::copy(room.path("x.sqlite"), disk.seen("x.sqlite")).unwrap();
    // SQLite needs a little space to open a file with a write-ahead log at all.
    let ballast = disk.fill_up(256);
    let target = disk.path("x.sqlite").display().to_string();
    let line = format!("run T211 T331 T611 T121 --ramp 1 --duration 50ms --target sqlite:{target}");
    let ending = on_disk(&disk, &room, &line).expect(4);
    let document = room.show("last");
    assert_eq!(statuses(&document), ["T211 failed", "T331 failed", "T611 ok", "T121 ok"], "{}", ending.stderr);
    for point in &points(&document)[..2] {
        check_point(point);
        assert!(text(point, "/reason").starts_with("out of space: "), "{}", point["reason"]);
        assert!(point["outcomes"]["errors"]["out_of_space"].is_u64(), "{point:#}");
    }
    // With space the failed points are measured, and the data is intact.
    std::fs::remove_file(ballast).unwrap();
    on_disk(&disk, &room, "resume last").expect(0);
    assert_eq!(statuses(&room.show("last")), ["T211 ok", "T331 ok", "T611 ok", "T121 ok"]);
}

#[test]
fn results_on_a_full_disk_keep_what_was_recorded() {
    let room = Room::new();
    let disk = SmallDisk::new(&room, 8);
    let results = disk.path("r.db").display().to_string();
    let line = format!("run T512 T611 --jobs 1 --threads 1 --duration 1s --target null: --results {results}");
    let run = Running::start(disk.command(&room, DBDYNO, &line));
    run.until("[1/2] T512");
    let ballast = disk.fill_up(0);
    let ending = run.end().expect(3);
    let words = format!(
        "dbdyno: cannot write {results}: no space is left on its file system; everything recorded before is kept: free \
         some space, then continue with `dbdyno resume`"
    );
    // That readings are lost may be said before.
    assert_eq!(ending.complaints().last().copied(), Some(words.as_str()));
    std::fs::remove_file(ballast).unwrap();
    let show = format!("show last --json --results {results}");
    assert_eq!(statuses(&on_disk(&disk, &room, &show).expect(0).json()), ["T512 ok"]);
    on_disk(&disk, &room, &format!("resume last --results {results}")).expect(0);
    assert_eq!(statuses(&on_disk(&disk, &room, &show).expect(0).json()), ["T512 ok", "T611 ok"]);
}

#[test]
fn results_that_are_taken_away_end_the_run() {
    let lines = |end: Ending| end.complaints().iter().map(ToString::to_string).collect::<Vec<_>>();
    for replaced in [false, true] {
        let room = Room::new();
        let run = room.start("run T512 T611 T511 --jobs 1 --threads 1 --duration 1s --target null:");
        run.until("[1/3] T512");
        std::fs::rename(room.path("dbdyno.db"), room.path("moved.db")).unwrap();
        if replaced {
            std::fs::write(room.path("dbdyno.db"), "").unwrap();
        }
        let said = lines(run.end().expect(3));
        let words = "dbdyno: ./dbdyno.db was moved, removed, replaced or cut off while dbdyno wrote to it";
        // That readings are lost may be said before.
        assert!(said.last().is_some_and(|last| last.starts_with(words)), "{said:?}");
        // Moved back, it is as it was, and the run continues.
        std::fs::rename(room.path("moved.db"), room.path("dbdyno.db")).unwrap();
        assert_eq!(statuses(&room.show("last")), ["T512 ok"]);
        room.run("resume last").expect(0);
        assert_eq!(statuses(&room.show("last")), ["T512 ok", "T611 ok", "T511 ok"]);
    }
}

#[test]
fn results_that_are_cut_off_end_the_run() {
    let room = Room::new();
    let run = room.start("run T512 T611 T511 --jobs 1 --threads 1 --duration 1s --target null:");
    run.until("[2/3] T611");
    std::fs::File::options().write(true).open(room.path("dbdyno.db")).unwrap().set_len(0).unwrap();
    let end = run.end().expect(3);
    assert!(end.stderr.contains("dbdyno.db"), "{}", end.stderr);
}

#[test]
fn a_file_that_another_process_writes_fails_what_writes() {
    let room = Room::with_data();
    let other = Connection::open(room.path("x.sqlite")).unwrap();
    // With a rollback journal there is no checkpoint to wait for, and readers continue beside a session that is about
    // to write.
    other.execute_batch("PRAGMA journal_mode = DELETE; BEGIN IMMEDIATE").unwrap();
    let target = "--target sqlite:x.sqlite?journal=delete";
    let ending = room.run(&format!("run T711 T611 --ramp 1 --duration 50ms {target}")).expect(4);
    let document = room.show("last");
    assert_eq!(statuses(&document), ["T711 failed", "T611 ok"], "{}", ending.stderr);
    let point = &points(&document)[0];
    check_point(point);
    let reason = text(point, "/reason");
    assert!(reason.starts_with("timeout: "), "{reason}");
    assert!(reason.ends_with("another process holds a lock on it: end that, or wait, and try again"), "{reason}");
    assert!(point["outcomes"]["errors"]["timeout"].is_u64(), "{point:#}");
    other.execute_batch("ROLLBACK").unwrap();
    room.run("resume last").expect(0);
    assert_eq!(statuses(&room.show("last")), ["T711 ok", "T611 ok"]);
}

#[test]
fn a_file_that_another_process_has_for_itself_is_refused() {
    let room = Room::with_data();
    let other = Connection::open(room.path("x.sqlite")).unwrap();
    other.execute_batch("PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE").unwrap();
    for line in ["run T611", "load", "check"] {
        let ending = room.run(&format!("{line} --target sqlite:x.sqlite"));
        let said = format!("{}{}", ending.stdout, ending.stderr);
        assert!(said.contains("another process holds a lock on it"), "{said}");
        assert_eq!(ending.code, Some(2), "nothing was done: {said}");
    }
}

fn damage(room: &Room, at: u64, bytes: &[u8]) {
    let file = std::fs::OpenOptions::new().write(true).open(room.path("x.sqlite")).unwrap();
    file.write_all_at(bytes, at).unwrap();
}

#[test]
fn a_file_with_a_damaged_head_is_refused_and_left_alone() {
    // The magic number, or the page size and everything after it.
    for at in [0, 16] {
        let room = Room::with_data();
        damage(&room, at, &[0xa5; 84]);
        let before = std::fs::read(room.path("x.sqlite")).unwrap();
        let ending = room.run("run T611 --target sqlite:x.sqlite --ramp 1").expect(2);
        assert!(ending.stderr.starts_with("dbdyno: sqlite:x.sqlite cannot be used: "), "{}", ending.stderr);
        assert!(std::fs::read(room.path("x.sqlite")).unwrap() == before, "the evidence was changed");
    }
}

#[test]
fn damage_in_a_table_fails_the_points_that_meet_it() {
    let room = Room::with_data();
    // Nine tenths of the file belong to the large table, so the middle of the file is in the middle of the table.
    let middle = std::fs::metadata(room.path("x.sqlite")).unwrap().len() / 2 / 65_536 * 65_536;
    damage(&room, middle, &[0xa5; 65_536]);
    let ending = room.run("run T611 T426 T121 --ramp 1 --duration 50ms --target sqlite:x.sqlite").expect(4);
    let document = room.show("last");
    assert_eq!(statuses(&document), ["T611 ok", "T426 failed", "T121 ok"], "{}", ending.stderr);
    let point = &points(&document)[1];
    check_point(point);
    assert!(text(point, "/reason").starts_with("data corrupted: "), "{}", point["reason"]);
    assert!(point["outcomes"]["errors"]["corruption"].is_u64(), "{point:#}");
}

#[test]
fn a_file_in_a_read_only_place_is_named_as_such() {
    let room = Room::with_data();
    let disk = SmallDisk::new(&room, 64);
    std::fs::copy(room.path("x.sqlite"), disk.seen("x.sqlite")).unwrap();
    disk.make_read_only(&room);
    let target = disk.path("x.sqlite").display().to_string();
    let check = on_disk(&disk, &room, &format!("check --target sqlite:{target}")).expect(2);
    assert!(check.stdout.contains("is not writable"), "{}", check.stdout);
    let line = format!("run T711 --ramp 1 --duration 50ms --target sqlite:{target}");
    let ending = on_disk(&disk, &room, &line).expect(2);
    let folder = target.trim_end_matches("/x.sqlite");
    let words = format!(
        "dbdyno: sqlite:{target} cannot be used: the folder {folder} is not writable; SQLite keeps its log beside the file\n"
    );
    assert_eq!(ending.stderr, words);
    assert!(!room.path("dbdyno.db").exists(), "nothing was measured, so there are no results");
}

#[test]
fn a_table_dropped_in_the_middle_of_a_run_fails_its_points_alone() {
    let room = Room::with_data();
    let run = room.start("run T611 T612 T621 --ramp 1 --duration 2s --target sqlite:x.sqlite");
    run.until("[1/3] T611");
    let other = Connection::open(room.path("x.sqlite")).unwrap();
    other.busy_timeout(std::time::Duration::from_secs(60)).unwrap();
    other.execute_batch("DROP TABLE dbdyno_small_iot").unwrap();
    drop(other);
    let ending = run.end().expect(4);
    let document = room.show("last");
    assert_eq!(statuses(&document), ["T611 ok", "T612 failed", "T621 ok"], "{}", ending.stderr);
    let point: &Value = &points(&document)[1];
    check_point(point);
    assert!(text(point, "/reason").starts_with("unknown object: "), "{}", point["reason"]);
    assert!(text(point, "/reason").contains("no such table: dbdyno_small_iot"), "{}", point["reason"]);
    assert!(point["outcomes"]["errors"]["unknown_object"].is_u64(), "{point:#}");
    assert_eq!(text(&document, "/run/status"), "done");
}
