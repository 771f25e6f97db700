//! Ctrl-C on a server: statements under way are cancelled there, and nothing of them stays.

use super::{Product, leftovers, stories, until_called, until_gone};
use crate::document::{check_document, check_point};
use crate::support::{Room, Running, points, statuses, text};
use dbdyno_testkit::servers::fixtures::Database;
use rustix::process::Signal;
use std::time::{Duration, Instant};

stories!(
    ctrl_c_ends_the_work_on_the_server_too,
    a_second_ctrl_c_leaves_at_once_and_the_next_run_clears_up,
    a_killed_run_is_resumed,
    nobody_drops_under_a_run,
    a_run_that_no_longer_keeps_others_out_ends,
    a_stopped_load_goes_on,
);

/// A run within its second point, which fills tables.
fn in_the_middle_of_a_point<S: Product>(room: &Room, database: &Database<S>) -> Running {
    let run = room.start(&format!("run T331 T311 --jobs 2 --duration 3s --target {}", database.target()));
    run.until("[1/3] T331");
    until_called(database.server, &database.name);
    run
}

fn ctrl_c_ends_the_work_on_the_server_too<S: Product>() {
    let (room, database) = (Room::new(), S::fixtures().loaded());
    let run = in_the_middle_of_a_point(&room, &database);
    assert!(!leftovers(database.server, &database.name).is_empty(), "it is filling tables");
    run.signal(Signal::INT);
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
    assert_eq!(statuses(&document), ["T331 ok", "T311 failed"]);
    let point = &points(&document)[1];
    check_point(point);
    assert_eq!(text(point, "/reason"), "interrupted");
    assert_eq!(text(&document, "/run/status"), "interrupted");
    check_document(&document);
    assert_eq!(leftovers(database.server, &database.name), [""; 0], "nothing of the point is left");
    until_gone(database.server, &database.name);
}

/// A process that ends at once leaves the server to notice it; the next run clears up.
fn a_second_ctrl_c_leaves_at_once_and_the_next_run_clears_up<S: Product>() {
    let (room, database) = (Room::new(), S::fixtures().loaded());
    let mut run = in_the_middle_of_a_point(&room, &database);
    // A lock on the results keeps dbdyno from recording the point that the first Ctrl-C ended.
    let results = room.results();
    results.execute_batch("BEGIN IMMEDIATE").unwrap();
    run.signal(Signal::INT);
    run.until("once more leaves at once");
    assert!(!run.ended(), "the point cannot have been recorded");
    run.signal(Signal::INT);
    run.end().expect(3);
    results.execute_batch("ROLLBACK").unwrap();
    drop(results);
    until_gone(database.server, &database.name);
    // As after a kill within a point.
    database.sql(&format!(
        "INSERT INTO {} VALUES ('made table load_heap_#', '1'); CREATE TABLE {} AS SELECT * FROM {} WHERE id = 1",
        S::table("meta"),
        S::table("load_heap_7"),
        S::table("small_heap")
    ));
    room.run(&format!("run T311 --jobs 1 --duration 50ms --target {}", database.target())).expect(0);
    assert_eq!(leftovers(database.server, &database.name), [""; 0]);
}

fn a_killed_run_is_resumed<S: Product>() {
    let (room, database) = (Room::new(), S::fixtures().loaded());
    let run = room.start(&format!("run T611 T331 --jobs 1 --duration 500ms --target {}", database.target()));
    run.until("[1/2] T611");
    run.kill();
    until_gone(database.server, &database.name);
    room.run("resume last").expect(0);
    assert_eq!(statuses(&room.show("last")), ["T611 ok", "T331 ok"]);
    assert_eq!(leftovers(database.server, &database.name), [""; 0]);
}

fn nobody_drops_under_a_run<S: Product>() {
    let (room, database) = (Room::new(), S::fixtures().loaded());
    let target = database.target();
    // A drop waits for a while, and each point lasts longer than that.
    let run = room.start(&format!("run T611 T111 --ramp 1 --duration 8s --target {target}"));
    // During both points, and between them.
    for seen in ["measuring", "[1/2] T611"] {
        run.until(seen);
        let ending = room.run(&format!("drop --target {target}")).expect(2);
        assert!(ending.stderr.contains("another dbdyno is measuring, loading or dropping here"), "{}", ending.stderr);
    }
    run.signal(Signal::INT);
    run.end().expect(3);
    assert_eq!(statuses(&room.show("last")), ["T611 ok", "T111 failed"]);
}

fn a_run_that_no_longer_keeps_others_out_ends<S: Product>() {
    let (room, database) = (Room::new(), S::fixtures().loaded());
    let duration = Duration::from_secs(4);
    let what = format!("run T611 T111 T621 --jobs 1 --duration {}s", duration.as_secs());
    let run = room.start(&format!("{what} --target {}", database.target()));
    run.until("[1/3] T611");
    until_called(database.server, &database.name);
    let [holder] = database.server.holders(&database.name)[..] else { panic!("one session holds the place") };
    database.server.end_session(holder);
    let ended = Instant::now();
    let ending = run.end().expect(3);
    assert!(ended.elapsed() < duration, "the point went on, {:?}", ended.elapsed());
    let said = "the target was lost: connection lost: the session that kept other dbdynos away has ended";
    assert!(ending.stderr.contains(said), "{}", ending.stderr);
    let document = room.show("last");
    assert_eq!(text(&document, "/run/status"), "lost");
    assert_eq!(statuses(&document), ["T611 ok", "T111 failed"], "what others may have disturbed is no figure");
    room.run("resume last").expect(0);
    assert_eq!(statuses(&room.show("last")), ["T611 ok", "T111 ok", "T621 ok"]);
}

fn a_stopped_load_goes_on<S: Product>() {
    let (room, database) = (Room::new(), S::fixtures().empty());
    let load = format!("load --size T --target {}", database.target());
    let run = room.start(&load);
    run.until("small tables: ");
    run.signal(Signal::INT);
    let ending = run.end().expect(3);
    assert_eq!(
        ending.complaints().last(),
        Some(&"dbdyno: stopped while loading; what was loaded is kept, and the same command goes on from there")
    );
    let check = room.run(&format!("check --target {}", database.target())).expect(2);
    assert!(check.stdout.contains("an unfinished load of size T (seed 42); load it first"), "{}", check.stdout);
    let ending = room.run(&format!("run T611 --target {}", database.target())).expect(2);
    assert!(ending.stderr.contains("load it first"), "{}", ending.stderr);
    let answer = room.run(&format!("{load} --json")).expect(0).json();
    assert_eq!((&answer["resumed"], &answer["verified"]), (&true.into(), &true.into()), "{answer:#}");
    let rows = format!("SELECT count(*) FROM {}", S::table("large_heap_range_list"));
    assert_eq!(database.sql(&rows), "102400");
}
