//! Windows: too short, drifting, clock jumps, deferred writes.

use crate::support::{Room, Running, flag_note, flagged, number, points};
use rustix::process::Signal;
use serde_json::Value;
use std::process::Command;
use std::time::{Duration, Instant};

/// Runs a test in a room and returns its first point.
#[track_caller]
fn measured(room: &Room, line: &str) -> Value {
    let document = room.run(&format!("run {line} --json")).expect(0).json();
    points(&document)[0].clone()
}

#[test]
fn pieces_that_are_over_at_once_are_too_short_and_a_longer_duration_repeats_them() {
    let _machine = crate::in_company();
    let room = Room::with_data();
    for code in ["T211", "T331", "T512"] {
        let of = |duration: &str| {
            measured(&room, &format!("{code} --target sqlite:x.sqlite --jobs 1 --threads 1 --duration {duration}"))
        };
        // On a very slow machine one piece lasts longer than this, and then is not too short.
        let short = of("10ms");
        let worked_s = number(&short, "/window_s") - short["discarding_s"].as_f64().unwrap_or(0.0);
        assert_eq!(flagged(&short, "too_short"), worked_s < 0.5, "{code}: {short:#}");
        let long = of("1200ms");
        assert!(!flagged(&long, "too_short"), "{code}: {}", flag_note(&long, "too_short"));
        assert!(number(&long, "/window_s") >= 1.2, "{code} takes no notice of --duration: {long:#}");
        assert!(number(&long, "/elapsed_s") < number(&long, "/window_s"), "{code}: a piece is not the window");
        assert_eq!(long["status"], "ok", "its proofs hold over all pieces: {long:#}");
    }
    // A loop lasts at least as long as it is told to.
    for duration in ["100ms", "500ms"] {
        let point = measured(&room, &format!("T611 --target sqlite:x.sqlite --jobs 1 --duration {duration}"));
        assert_eq!(flagged(&point, "too_short"), number(&point, "/window_s") < 0.5, "{point:#}");
    }
}

#[test]
fn a_figure_of_too_short_a_window_is_refused_by_a_verdict() {
    let _machine = crate::in_company();
    let room = Room::with_data();
    std::fs::write(
        room.path("need.toml"),
        "title = \"loads\"\n[[requirement]]\ntitle = \"loads\"\ntest = \"T331\"\nmetric = \"rows_per_s\"\nminimum = 1\n",
    )
    .unwrap();
    room.run("run T331 --target sqlite:x.sqlite --jobs 1 --duration 10ms --label short").expect(0);
    let short = points(&room.show("last"))[0].clone();
    let page = room.run("show last").expect(0).stdout;
    assert!(!flagged(&short, "too_short") || page.contains("too_short"), "{page}");
    // The room's place decides about the other flags that a verdict refuses.
    let others = "--accept unsafe_durability --accept served_from_os_cache --accept not_proved";
    let verdict = format!("verdict last --requirements need.toml {others}");
    if flagged(&short, "too_short") {
        let refused = room.run(&verdict).expect(1).stdout;
        assert!(refused.contains("too_short"), "{refused}");
    }
    room.run(&format!("{verdict} --accept too_short")).expect(0);
}

/// A library that changes the time of day once a file appears; monotonic time stays.
const CLOCK: &str = r#"
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t id, struct timespec *now) {
    int result = (int)syscall(SYS_clock_gettime, id, now);
    const char *file = getenv("CLOCK_JUMPS_WHEN");
    if (result == 0 && id == CLOCK_REALTIME && file && access(file, F_OK) == 0)
        now->tv_sec += 3600;
    return result;
}
"#;

#[test]
fn a_clock_that_jumps_within_the_window_is_noticed() {
    let _machine = crate::in_company();
    let room = Room::new();
    std::fs::write(room.path("jump.c"), CLOCK).unwrap();
    let mut compiler = Command::new("cc");
    compiler.args(["-shared", "-fPIC", "-O1", "-o", "jump.so", "jump.c"]).current_dir(room.folder());
    assert!(compiler.status().expect("this needs a C compiler, `cc`").success());
    let mut command = room.command("run T121 --jobs 1 --repeat 2 --duration 3s --target null:?speed=1000000");
    command.env("LD_PRELOAD", room.path("jump.so")).env("CLOCK_JUMPS_WHEN", room.path("now"));
    let run = Running::start(command);
    run.until("[1/2]");
    // A second of warm-up and three of window: this is in the middle of the second point's window.
    std::thread::sleep(Duration::from_millis(2_500));
    std::fs::write(room.path("now"), "").unwrap();
    run.end().expect(0);
    let document = room.show("last");
    let jumped: Vec<bool> = points(&document).iter().map(|p| flagged(p, "clock_jump")).collect();
    assert_eq!(jumped, [false, true], "{document:#}");
}

/// The window of a point in the drift's provocation; its warm-up is a second.
const WINDOW: Duration = Duration::from_secs(8);

/// A point of pure computing. In the second half of its window dbdyno is stopped for this long in every 40 ms. Returns
/// the run as a document, and as it is shown.
fn computing(stopped: Duration) -> (Value, String) {
    let room = Room::new();
    let seconds = WINDOW.as_secs();
    let mut run = room.start(&format!("run T111 --jobs 1 --size T --duration {seconds}s --target sqlite:x.sqlite"));
    run.until("measuring");
    let begun = Instant::now();
    while !run.ended() {
        let rest = Duration::from_millis(40).saturating_sub(stopped);
        if begun.elapsed() > Duration::from_secs(1) + WINDOW / 2 && !stopped.is_zero() {
            run.signal(Signal::STOP);
            std::thread::sleep(stopped);
            run.signal(Signal::CONT);
        }
        std::thread::sleep(rest);
    }
    run.end().expect(0);
    (room.show("last"), room.run("show last").expect(0).stdout)
}

#[cfg(feature = "postgres")]
mod deferred {
    use super::*;
    use crate::support::{text, wait_until};
    use std::os::unix::fs::PermissionsExt;

    /// A room with a private PostgreSQL, which ends with it.
    struct Home(Room);

    impl Home {
        fn new() -> Self {
            let room = Room::on_disk();
            std::fs::set_permissions(room.folder(), std::fs::Permissions::from_mode(0o755)).unwrap();
            let home = Self(room);
            home.0.run("up postgres --size T").expect(0);
            home.0.run("load --target private:postgres --size T").expect(0);
            home
        }

        /// The current limit of the server's log.
        fn max_wal_size(&self) -> String {
            let up = self.0.run("up postgres --size T --json").expect(0).json();
            let shell = format!("{} -Atc 'SHOW max_wal_size'", text(&up, "/shell_command"));
            let output = Command::new("sh").args(["-c", &shell]).output().unwrap();
            String::from_utf8(output.stdout).unwrap().trim().to_owned()
        }

        fn settings(&self) -> String {
            std::fs::read_to_string(self.0.path("home/postgres/data/dbdyno.conf")).unwrap()
        }
    }

    impl Drop for Home {
        fn drop(&mut self) {
            _ = self.0.run("down postgres --keep=false");
        }
    }

    const SHORT: &str = "T721 --target private:postgres --jobs 1 --duration 1s";
    const LONG: &str = "T721 --target private:postgres --jobs 1 --duration 10s";

    #[test]
    fn settings_of_a_point_that_was_killed_are_gone_at_the_next_and_at_the_next_start() {
        let _machine = crate::in_company();
        let home = Home::new();
        let (before, file) = (home.max_wal_size(), home.settings());
        let killed = || {
            let run = home.0.start(&format!("run {LONG}"));
            wait_until("the point's own settings", || home.settings() != file);
            std::thread::sleep(Duration::from_millis(500));
            run.kill();
            assert_ne!(home.settings(), file, "a killed dbdyno puts nothing back");
        };
        killed();
        // The next point finds the settings removed, and the run shows the server's own.
        let began = Instant::now();
        let next = loop {
            // The killed run's sessions may still be at work.
            let ending = home.0.run("run T611 --target private:postgres --jobs 1 --duration 200ms --json");
            if ending.code == Some(0) || began.elapsed() > Duration::from_secs(60) {
                break ending.expect(0).json();
            }
        };
        assert!(!next.to_string().contains("\"max_wal_size\":\"128MB\""), "{next:#}");
        assert_eq!((home.max_wal_size(), home.settings()), (before.clone(), file.clone()));
        killed();
        home.0.run("down postgres --keep").expect(0);
        home.0.run("up postgres --size T").expect(0);
        assert_eq!((home.max_wal_size(), home.settings()), (before, file));
    }

    /// Nothing else may run on the machine meanwhile.
    mod alone {
        use super::*;

        #[test]
        fn writes_that_lie_ahead_are_deferred_and_whole_checkpoints_write_them() {
            let company = crate::in_company();
            let home = Home::new();
            drop(company);
            let _machine = crate::alone();
            let (before, file) = (home.max_wal_size(), home.settings());
            // Nothing is written in a short window: the checkpoint comes after it.
            let short = measured(&home.0, SHORT);
            assert!(flagged(&short, "writes_deferred"), "{short:#}");
            assert!(short["paced_writes"].is_null() && short["settings"].is_null(), "{short:#}");

            // A machine that is slow for a while does not get to the whole checkpoints.
            let checkpoints = |point: &Value| point.pointer("/paced_writes/checkpoints").and_then(Value::as_f64);
            let whole = |point: &Value| !flagged(point, "writes_deferred") && checkpoints(point) >= Some(3.0);
            let mut long = measured(&home.0, LONG);
            for _ in 0..3 {
                if !whole(&long) {
                    long = measured(&home.0, LONG);
                }
            }
            assert!(!flagged(&long, "writes_deferred"), "{}", flag_note(&long, "writes_deferred"));
            assert!(number(&long, "/paced_writes/checkpoints") >= 3.0, "{long:#}");
            let (written, dirtied) =
                (number(&long, "/paced_writes/blocks_written"), number(&long, "/paced_writes/blocks_dirtied"));
            assert!(written > 0.0 && written >= 0.9 * dirtied, "{written} of {dirtied}");
            assert_eq!(long["status"], "ok", "{long:#}");
            assert_eq!(text(&long, "/settings/max_wal_size"), "128MB");
            // The log and the data files are reported separately.
            for path in ["/redo/writes_per_s", "/redo/mib_per_s", "/redo/write_service_time_s"] {
                assert!(number(&long, path) > 0.0, "{path}");
            }
            for path in ["/database/data_writes_per_s", "/database/data_write_mib_per_s"] {
                assert!(number(&long, path) > 0.0, "{path}");
            }
            assert_eq!((home.max_wal_size(), home.settings()), (before, file), "its settings are put back");
        }
    }
}

/// Nothing else may run on the machine meanwhile.
mod alone {
    use super::*;

    /// The effect of a processor that becomes slower within a window.
    #[test]
    fn a_rate_that_falls_within_the_window_is_not_steady() {
        let _machine = crate::alone();
        // Neighbours may hide it once, or be a drift themselves, so each has several attempts.
        let falls = (0..5).map(|_| computing(Duration::from_millis(36)));
        let not_steady = |document: &Value| flagged(&points(document)[0], "not_steady");
        let (fallen, page) = falls.into_iter().find(|(run, _)| not_steady(run)).expect("a drift is not noticed");
        let point = &points(&fallen)[0];
        assert!(flag_note(point, "not_steady").starts_with("the rate fell by"), "{point:#}");
        assert!(number(point, "/window_s") >= 8.0);
        assert!(flagged(&fallen["cells"][0], "not_steady"), "a cell has the flags of its points");
        assert!(page.contains("not_steady") && page.contains("use a longer --duration"), "{page}");
        let steady = (0..5).map(|_| computing(Duration::ZERO)).any(|(run, _)| !not_steady(&run));
        assert!(steady, "a steady rate is always flagged");
    }
}
