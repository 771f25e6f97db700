//! Stopping: Ctrl-C once and twice, a signal, a lost target. What was measured is kept, the exit code is 3, and the run
//! can be resumed.

use crate::document::{check_document, check_point};
use crate::support::{DBDYNO, Room, Running, as_measured, points, statuses, text, wait_until};
use rustix::process::Signal;
use std::process::Command;

/// A command that a closed terminal stops, even if the tests run under nohup.
fn start(room: &Room, line: &str) -> Running {
    let mut command = Command::new("env");
    command.args(["--default-signal=HUP", DBDYNO]).args(line.split_whitespace());
    room.settle_in(&mut command);
    Running::start(command)
}

/// A run of two points, stopped within the second.
fn in_the_middle_of_a_point(room: &Room) -> Running {
    let run = start(room, "run T512 T611 --jobs 8 --threads 1 --duration 3s --target null:");
    run.until("[1/2] T512");
    // Each job is a thread.
    run.until_threads(8);
    run
}

fn stopped_by(signal: Signal) {
    let room = Room::new();
    let run = in_the_middle_of_a_point(&room);
    run.signal(signal);
    let ending = run.end().expect(3);
    let document = room.show("last");
    let id = text(&document, "/run/id").to_owned();
    assert_eq!(
        ending.complaints(),
        [
            "dbdyno: stopping: current work is cancelled, what was measured is kept; once more leaves at once"
                .to_owned(),
            format!("dbdyno: stopped; what was measured is kept, `dbdyno resume {id}` goes on")
        ]
    );
    assert_eq!(statuses(&document), ["T512 ok", "T611 failed"]);
    assert_eq!(text(&document, "/points/1/reason"), "interrupted");
    assert_eq!(text(&document, "/run/status"), "interrupted");
    check_document(&document);
    let page = room.run("show last").expect(0).stdout;
    assert!(page.contains(&format!("`dbdyno resume {id}` measures the rest")), "{page}");
    // It can be resumed, and stopped again.
    let again = start(&room, "resume last");
    again.until_threads(8);
    again.signal(signal);
    again.end().expect(3);
    assert_eq!(statuses(&room.show(&id)), ["T512 ok", "T611 failed"]);
}

#[test]
fn ctrl_c_records_the_point_as_interrupted() {
    stopped_by(Signal::INT);
}

#[test]
fn a_polite_kill_is_a_ctrl_c() {
    stopped_by(Signal::TERM);
}

#[test]
fn a_terminal_that_closes_is_a_ctrl_c() {
    stopped_by(Signal::HUP);
}

/// Unless the run was started to survive its terminal.
#[test]
fn a_run_under_nohup_outlives_its_terminal() {
    let room = Room::new();
    let mut command = Command::new("nohup");
    command.arg(DBDYNO).args("run T512 T611 --jobs 8 --threads 1 --duration 1s --target null:".split(' '));
    room.settle_in(&mut command);
    let run = Running::start(command);
    run.until("[1/2] T512");
    run.signal(Signal::HUP);
    run.end().expect(0);
    assert_eq!(statuses(&room.show("last")), ["T512 ok", "T611 ok"]);
}

/// A run whose process is gone is not shown as running.
#[test]
fn a_killed_run_is_shown_as_interrupted() {
    let room = Room::new();
    let run = in_the_middle_of_a_point(&room);
    let status = || (text(&room.show("last"), "/run/status").to_owned(), text(&room.runs()[0], "/status").to_owned());
    assert_eq!(status(), ("running".to_owned(), "running".to_owned()));
    run.kill();
    assert_eq!(status(), ("interrupted".to_owned(), "interrupted".to_owned()));
    let page = room.run("show last").expect(0).stdout;
    assert!(page.contains("was stopped or killed before its plan was done"), "{page}");
}

#[test]
fn a_run_ends_politely_when_its_time_is_over() {
    let room = Room::new();
    let line = "run T512 T611 --jobs 8 --threads 1 --duration 1h --max-duration 3s --target null:?delay_us=1000";
    let ending = room.run(line).expect(3);
    let document = room.show("last");
    let id = text(&document, "/run/id").to_owned();
    assert_eq!(
        ending.complaints(),
        [
            "dbdyno: the time of --max-duration is over: current work is cancelled, what was measured is kept"
                .to_owned(),
            format!("dbdyno: stopped; what was measured is kept, `dbdyno resume {id}` goes on")
        ]
    );
    assert_eq!(statuses(&document), ["T512 failed"]);
    assert_eq!(text(&document, "/points/0/reason"), "interrupted");
    assert_eq!(text(&document, "/run/status"), "interrupted");
}

#[test]
fn a_second_ctrl_c_leaves_at_once() {
    let room = Room::new();
    let mut run = in_the_middle_of_a_point(&room);
    // A lock on the results keeps dbdyno from recording the point that the first Ctrl-C ended.
    let results = room.results();
    results.execute_batch("BEGIN IMMEDIATE").unwrap();
    run.signal(Signal::INT);
    run.until("once more leaves at once");
    assert!(!run.ended(), "the point cannot have been recorded");
    run.signal(Signal::INT);
    let ending = run.end().expect(3);
    assert_eq!(ending.complaints().len(), 1, "it had no time for more words: {}", ending.stderr);
    results.execute_batch("ROLLBACK").unwrap();
    let document = room.show("last");
    assert_eq!(statuses(&document), ["T512 ok"], "what was recorded is there, the rest is not");
    assert_eq!(text(&document, "/run/status"), "interrupted");
    check_document(&document);
    let sound: String = results.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(sound, "ok");
}

#[test]
fn a_stopped_load_goes_on() {
    let room = Room::new();
    let load = "load --target sqlite:x.sqlite --size D";
    let run = room.start(load);
    run.until("small_heap: 32,000");
    run.signal(Signal::INT);
    let ending = run.end().expect(3);
    assert_eq!(
        ending.complaints().last(),
        Some(&"dbdyno: stopped while loading; what was loaded is kept, and the same command goes on from there")
    );
    let found = room.run("check --target sqlite:x.sqlite").expect(0);
    assert!(found.stdout.contains("an unfinished load"), "{}", found.stdout);
    let answer = room.run(&format!("{load} --json")).expect(0).json();
    assert_eq!((&answer["resumed"], &answer["verified"]), (&true.into(), &true.into()), "{answer:#}");
    assert_eq!(answer["tables"][0]["rows_written"], 0, "the first table was there: {answer:#}");
}

#[test]
fn a_stopped_load_of_a_workload_goes_on_or_begins_anew_at_another_scale() {
    let room = Room::new();
    let run = room.start("load tpcb --target sqlite:x.sqlite --scale 500");
    run.until("tpcb tellers");
    run.signal(Signal::INT);
    let ending = run.end().expect(3);
    assert_eq!(
        ending.complaints().last(),
        Some(&"dbdyno: stopped while loading; the same command goes on with the load")
    );
    let anew = room.run("load tpcb --target sqlite:x.sqlite --scale 1").expect(0).stdout;
    assert!(anew.starts_with("began an earlier load anew"), "{anew}");
}

/// As on a server; a kill leaves no lock.
#[test]
fn nobody_else_measures_or_drops_in_a_file_that_is_being_measured() {
    let room = Room::with_data();
    let target = "--target sqlite:x.sqlite";
    let run = room.start(&format!("run T611 T111 --ramp 1 --duration 20s {target}"));
    run.until("measuring");
    let small = format!("run T611 --ramp 1 --duration 50ms {target}");
    for line in [small.clone(), format!("drop {target}")] {
        let ending = room.run(&line).expect(2);
        assert!(ending.stderr.contains("another dbdyno is measuring, loading or dropping here"), "{}", ending.stderr);
    }
    // There is nothing to load, and checking disturbs nobody.
    room.run(&format!("load {target}")).expect(0);
    room.run(&format!("check {target}")).expect(0);
    run.kill();
    let lock = room.path("x.sqlite.dbdyno-lock");
    assert!(lock.exists(), "a kill leaves the file");
    room.run(&small).expect(0);
    assert!(!lock.exists(), "the next one takes it away");
    room.run(&format!("drop {target}")).expect(0);
    assert!(!room.path("x.sqlite").exists());
}

#[test]
fn a_lost_target_keeps_what_was_measured() {
    let room = Room::new();
    // Each of these tests makes one call, which lasts longer than it is asked to.
    let line = "run T211 T512 T511 T331 --jobs 1 --threads 1 --duration 100ms \
                --target null:?delay_us=300000&error_at=3&error_class=connection_lost";
    let ending = room.run(line).expect(3);
    let document = room.show("last");
    let id = text(&document, "/run/id").to_owned();
    assert_eq!(
        ending.complaints(),
        [format!(
            "dbdyno: the target was lost: connection lost: call 3 was told to fail; what was measured is kept, `dbdyno \
             resume {id}` goes on when it is back"
        )]
    );
    assert_eq!(statuses(&document), ["T211 ok", "T512 ok", "T511 failed"]);
    assert_eq!(text(&document, "/run/status"), "lost");
    points(&document).iter().for_each(check_point);
    room.run("resume last --target null:").expect(0);
    let resumed = room.show(&id);
    assert_eq!(statuses(&resumed), ["T211 ok", "T512 ok", "T511 ok", "T331 ok"]);
    assert_eq!(text(&resumed, "/run/status"), "done");
    assert_eq!(as_measured(&resumed)[..2], as_measured(&document)[..2], "what was measured before is as it was");
}

#[test]
fn a_run_goes_on_when_nobody_reads_its_progress() {
    let room = Room::new();
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let command = room.command("run T512 T211 --jobs 1 --threads 1 --target null:");
    Running::start_unheard(command, writer.into()).end().expect(0);
    wait_until("the run", || statuses(&room.show("last")) == ["T512 ok", "T211 ok"]);
}
