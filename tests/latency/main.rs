//! Whether times are complete: server processes are stopped for a while within a point, and the reported times must
//! match the recorded moments. A test program of its own that runs alone (`make tests`).
#![cfg(feature = "postgres")]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on has failed")]
#![allow(dead_code, unreachable_pub, reason = "servers and support were made for all stories")]

#[path = "../stories/scratch.rs"]
mod scratch;
#[path = "../stories/support.rs"]
mod support;

use dbdyno_testkit::servers::postgres::SUPERUSER;
use rustix::process::{Pid, Signal, kill_process};
use scratch::postgres::{Server, ServerOptions};
use std::thread;
use std::time::{Duration, Instant};
use support::{Room, number, points, text, wait_until};

const DATABASE: &str = "bench";
const JOBS: usize = 4;
const STALL: Duration = Duration::from_millis(300);
/// Share of what the sessions can do.
const SHARE: f64 = 0.2;
/// dbdyno warms up for a fifth of its window; the stall begins this long after the warm-up.
const INTO_THE_WINDOW: Duration = Duration::from_millis(1_500);

/// The server processes of dbdyno's jobs.
fn backends(server: &Server) -> Vec<Pid> {
    let sql = "SELECT pid FROM pg_stat_activity WHERE application_name = 'dbdyno job'";
    let pids = server.psql(DATABASE, sql);
    pids.lines().map(|pid| Pid::from_raw(pid.trim().parse().unwrap()).unwrap()).collect()
}

/// Measures T611 with this load and stops the server's processes in the middle of the window. Returns the point, and
/// how long they were stopped, in seconds.
fn stalled(room: &Room, server: &Server, load: &str, window: Duration) -> (serde_json::Value, f64) {
    let target = server.socket(SUPERUSER, DATABASE);
    let run = format!(
        "run T611 --drive client --jobs {JOBS} {load} --duration {}ms --json --target {target}",
        window.as_millis()
    );
    let run = room.start(&run);
    wait_until("the jobs are at work", || {
        let sql =
            "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'dbdyno job' AND state_change > query_start
                   AND query LIKE 'SELECT quantity%'";
        server.psql(DATABASE, sql).trim() == JOBS.to_string()
    });
    let processes = backends(server);
    assert_eq!(processes.len(), JOBS);
    thread::sleep(window / 5 + INTO_THE_WINDOW);
    let from = Instant::now();
    processes.iter().for_each(|pid| kill_process(*pid, Signal::STOP).unwrap());
    let stopped = Instant::now();
    thread::sleep(STALL);
    let went_on = Instant::now();
    processes.iter().for_each(|pid| kill_process(*pid, Signal::CONT).unwrap());
    // Between the first and the last process: a moment.
    let stall_s = ((went_on - stopped) + from.elapsed()).as_secs_f64() / 2.0;
    let ending = run.end();
    assert!(matches!(ending.code, Some(0 | 4)), "{ending:?}");
    (points(&ending.json())[0].clone(), stall_s)
}

fn within_5_pct(what: &str, seen_s: f64, implied_s: f64) -> Result<(), String> {
    let near = (seen_s / implied_s - 1.0).abs() <= 0.05;
    near.then_some(()).ok_or_else(|| format!("{what}: {seen_s:.4} s, and {implied_s:.4} s are implied"))
}

/// What both kinds of loop see of a stall, compared with the recorded moments.
fn both_loops(room: &Room, server: &Server) -> Result<(), String> {
    let window = Duration::from_secs(4);
    let (closed, stall_s) = stalled(room, server, "", window);
    let capacity_per_s = number(&closed, "/tx_per_s") / (1.0 - stall_s / window.as_secs_f64());
    within_5_pct("the closed loop's longest", number(&closed, "/service_time_s/max"), stall_s)?;
    // One transaction a job has met it.
    let closed_p99_s = number(&closed, "/service_time_s/p99");
    if closed_p99_s >= 0.05 * stall_s {
        return Err(format!("the closed loop's p99: {closed_p99_s:.4} s, with a stall of {stall_s:.4} s"));
    }

    let window = Duration::from_secs(10);
    let rate = format!("--rate {:.0}/s --arrivals constant", SHARE * capacity_per_s);
    let (open, stall_s) = stalled(room, server, &rate, window);
    if text(&open, "/status") != "ok" {
        return Err(format!("the open loop: {}", text(&open, "/reason")));
    }
    // A transaction due `t` into the stall waits for its end and then for those before it: stall - t + share x t. One
    // in a hundred of all is the number due in a hundredth of the window.
    let p99_s = stall_s - (1.0 - SHARE) * 0.01 * window.as_secs_f64();
    within_5_pct("the open loop's longest", number(&open, "/response_time_s/max"), stall_s)?;
    within_5_pct("the open loop's p99", number(&open, "/response_time_s/p99"), p99_s)
}

/// How fast the server works off the backlog depends on the machine. If other work took its time, the moments imply
/// something else, and the test is repeated.
#[test]
fn an_open_loop_sees_a_stall_whole_and_a_closed_one_is_blind_to_it() {
    let server = ServerOptions::default().set("fsync", "off").set("autovacuum", "off").start();
    server.psql("postgres", &format!("CREATE DATABASE {DATABASE}"));
    let room = Room::new();
    let target = server.socket(SUPERUSER, DATABASE);
    room.run(&format!("load --size T --target {target}")).expect(0);
    let mut unlike = Vec::new();
    while unlike.len() < 10 {
        match both_loops(&room, &server) {
            Ok(()) => return,
            Err(what) => unlike.push(what),
        }
    }
    panic!("{unlike:#?}");
}
