//! The null engine, told to cheat, to fail and to stall: dbdyno must notice it, say so, and return the right exit code.

use crate::document::check_point;
use crate::support::{Room, points, statuses, text};

#[test]
fn work_that_was_not_done_is_invalid() {
    let room = Room::new();
    let line = "run T611 --target null:?rows_short=1 --ramp 1 --duration 50ms --json";
    let document = room.run(line).expect(4).json();
    assert_eq!(statuses(&document), ["T611 invalid"]);
    let point = &points(&document)[0];
    check_point(point);
    let reason = text(point, "/reason");
    // One row per operation was expected, and every chunk is one short. The first chunk is one pass.
    assert!(reason.starts_with("1 operations must touch 1 rows and touched 0 (and "), "{reason}");
    assert!(reason.ends_with(" more chunks)"), "{reason}");
    assert!(document["cells"][0]["median"].is_null(), "no figure is made of it: {:#}", document["cells"]);
    let page = room.run("show last").expect(0).stdout;
    assert!(page.contains(&format!("invalid: {reason}")), "{page}");
}

#[test]
fn an_engine_that_counts_otherwise_makes_the_point_invalid() {
    let room = Room::new();
    let ending = room.run("run T611 --target null:?executions_over=1 --ramp 1 --duration 50ms").expect(4);
    let document = room.show("last");
    assert_eq!(statuses(&document), ["T611 invalid"]);
    let point = &points(&document)[0];
    let reason = text(point, "/reason");
    assert!(reason.starts_with("the engine counted ") && reason.contains("dbdyno "), "{reason}");
    let id = text(&document, "/run/id");
    assert_eq!(
        ending.complaints(),
        [format!(
            "dbdyno: run {id}: 0 failed and 1 invalid of 1 points; `dbdyno show {id}` gives the reasons, `dbdyno resume \
             {id}` measures the failed ones again"
        )]
    );
}

#[test]
fn an_error_fails_the_point_and_the_next_is_measured() {
    let room = Room::new();
    // A piece that lasts longer than the duration is done once, so the third call belongs to the third point.
    let line = "run T211 T512 T511 T513 --jobs 1 --threads 1 --duration 50ms \
                --target null:?delay_us=200000&error_at=3&error_class=out_of_space";
    let ending = room.run(line).expect(4);
    let document = room.show("last");
    assert_eq!(statuses(&document), ["T211 ok", "T512 ok", "T511 failed", "T513 failed"]);
    assert_eq!(text(&document, "/run/status"), "done");
    let failed = &points(&document)[2];
    check_point(failed);
    assert_eq!(text(failed, "/reason"), "out of space: call 3 was told to fail");
    assert_eq!(failed["outcomes"]["errors"]["out_of_space"], 1);
    let line = "[3/4] T511     1x1x1  failed: out of space: call 3 was told to fail";
    assert!(ending.stderr.lines().any(|l| l == line), "{}", ending.stderr);
    assert!(ending.stdout.contains("4 points: 2 ok, 2 failed, 0 invalid, 0 unsupported"), "{}", ending.stdout);
    // Failed points can be measured again, and nothing else is.
    let again = room.run("resume last --target null:").expect(0);
    let measured: Vec<&str> = again.stderr.lines().filter(|l| l.starts_with('[')).map(|l| &l[..10]).collect();
    assert_eq!(measured, ["[3/4] T511", "[4/4] T513"], "{}", again.stderr);
    assert_eq!(statuses(&room.show("last")), ["T211 ok", "T512 ok", "T511 ok", "T513 ok"]);
}
