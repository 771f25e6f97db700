//! A wall clock that is set within a point. The machine's own clock stays: a library that is loaded before all others
//! changes the time of day for dbdyno once a file appears. Monotonic time stays.

use crate::document::check_document;
use crate::support::{Room, Running, flagged, number, points, text};
use std::process::Command;
use std::time::Duration;

const LIBRARY: &str = r#"
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t id, struct timespec *now) {
    int result = (int)syscall(SYS_clock_gettime, id, now);
    const char *file = getenv("CLOCK_JUMPS_WHEN");
    if (result == 0 && id == CLOCK_REALTIME && file && access(file, F_OK) == 0)
        now->tv_sec += atol(getenv("CLOCK_JUMPS_BY_S"));
    return result;
}
"#;

fn a_clock_that_jumps_by(seconds: i64) {
    let room = Room::new();
    std::fs::write(room.path("jump.c"), LIBRARY).unwrap();
    let mut compiler = Command::new("cc");
    compiler.args(["-shared", "-fPIC", "-O1", "-o", "jump.so", "jump.c"]).current_dir(room.folder());
    assert!(compiler.status().expect("this story needs a C compiler, `cc`").success());

    let mut command = room.command("run T121 --jobs 1 --repeat 3 --duration 2s --target null:?speed=1000000");
    command.env("LD_PRELOAD", room.path("jump.so"));
    command.env("CLOCK_JUMPS_WHEN", room.path("now")).env("CLOCK_JUMPS_BY_S", seconds.to_string());
    let run = Running::start(command);
    run.until("[1/3]");
    // A second of warm-up and two of window: this is in the middle of the second point's window.
    std::thread::sleep(Duration::from_secs(2));
    std::fs::write(room.path("now"), "").unwrap();
    let ending = run.end().expect(0);

    let document = room.show("last");
    check_document(&document);
    let jumped: Vec<bool> = points(&document).iter().map(|p| flagged(p, "clock_jump")).collect();
    assert_eq!(jumped, [false, true, false], "{}", ending.stderr);
    let note = text(&document, "/points/1/flag_notes/clock_jump");
    let by_s = note.strip_prefix("by ").and_then(|n| n.split(' ').next()).and_then(|n| n.parse::<f64>().ok());
    assert!(by_s.is_some_and(|by_s| (by_s.abs() - seconds.abs() as f64).abs() < 60.0), "{note}");
    for point in points(&document) {
        // An hour in the window would make the rate a thousandth. A null engine that sleeps is never too fast.
        let (rate, window_s) = (number(point, "/ops_per_s"), number(point, "/window_s"));
        assert!((500_000.0..=1_000_000.0).contains(&rate), "{rate}/s in {window_s} s");
        assert!((2.0..60.0).contains(&window_s), "{window_s} s");
    }
    let page = room.run("show last").expect(0).stdout;
    assert!(page.contains("clock_jump"), "{page}");
}

#[test]
fn a_clock_that_is_set_forward_changes_no_rate() {
    a_clock_that_jumps_by(3_600);
}

#[test]
fn a_clock_that_is_set_back_changes_no_rate() {
    a_clock_that_jumps_by(-3_600);
}
