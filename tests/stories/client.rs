//! The client drive as its users see it, on the null engine, whose statements take as long as they are told to, stall
//! and fail.

use crate::document::{check_document, check_point};
use crate::support::{Room, number, points, statuses, text};
use serde_json::Value;

fn outcomes(point: &Value, key: &str) -> u64 {
    point["outcomes"][key].as_u64().unwrap()
}

#[test]
fn errors_and_retries_are_apart_from_throughput() {
    let room = Room::new();
    // Each 50th statement fails; a transaction of T311 has two, or ten in its last step.
    let line = "run T311 --drive client --jobs 2 --duration 500ms --json --target null:?speed=20000&error_every=50";
    let conflicts = room.run(&format!("{line}&error_class=conflict")).expect(0).json();
    check_document(&conflicts);
    for point in points(&conflicts) {
        assert!(outcomes(point, "retries") > 0 && point["outcomes"]["errors"] == serde_json::json!({}), "{point:#}");
        assert_eq!(outcomes(point, "ok"), outcomes(point, "requests"));
    }
    let timeouts = room.run(&format!("{line}&error_class=timeout")).expect(0).json();
    check_document(&timeouts);
    for point in points(&timeouts) {
        let failed = point["outcomes"]["errors"]["timeout"].as_u64().unwrap();
        assert!(failed > 0 && outcomes(point, "retries") == 0, "{point:#}");
        assert_eq!(outcomes(point, "requests"), outcomes(point, "ok") + failed);
        let note = text(point, "/flag_notes/errors");
        assert!(note.starts_with(&format!("{failed} of ")), "{note}");
        assert!(note.contains(&format!(": {failed} timeout; the first said: ")) && note.contains("told to"), "{note}");
        let by_second = point["series"]["errors"].as_array().unwrap();
        assert!(by_second.iter().any(|n| n.as_u64() > Some(0)), "{:#}", point["series"]);
    }
}

#[test]
fn a_storm_of_errors_ends_its_point_early() {
    let room = Room::new();
    // Two minutes of window that end early.
    let line = "run T711 --drive client --jobs 2 --duration 120s --target null:?speed=20000&error_every=1";
    room.run(line).expect(4);
    let document = room.show("last");
    assert_eq!(statuses(&document), ["T711 failed"]);
    let point = &points(&document)[0];
    check_point(point);
    let failed = outcomes(point, "requests");
    assert!(failed < 2_000, "{failed}");
    let reason =
        format!("error: every transaction failed ({failed} of {failed}); the first said: call 1 was told to fail");
    assert_eq!(text(point, "/reason"), reason);
}

#[test]
fn what_nothing_survives_ends_the_point_or_the_run() {
    let room = Room::new();
    let line =
        "run T711 T611 --drive client --jobs 2 --duration 200ms --target null:?speed=20000&error_at=40&error_class=";
    room.run(&format!("{line}permission")).expect(4);
    let document = room.show("last");
    assert_eq!(
        statuses(&document),
        ["T711 failed", "T611 failed"],
        "the next point is measured, and meets its own 40th call"
    );
    assert_eq!(text(&points(&document)[0], "/reason"), "permission denied: call 40 was told to fail");
    room.run(&format!("{line}connection_lost")).expect(3);
    assert_eq!(statuses(&room.show("last")), ["T711 failed"]);
}

#[test]
fn a_rate_that_is_not_reached_says_so_and_stays_readable() {
    let room = Room::new();
    // A job can do a hundred a second.
    let line =
        "run T711 --drive client --jobs 1 --duration 2s --rate 50/s,300/s --arrivals constant --target null:?speed=100";
    room.run(line).expect(4);
    let document = room.show("last");
    check_document(&document);
    assert_eq!(statuses(&document), ["T711 ok", "T711 invalid"]);
    let unmet = &points(&document)[1];
    let reason = text(unmet, "/reason");
    assert!(reason.starts_with("300 transactions/s were asked for and "), "{reason}");
    let reached: f64 = reason.split(" and ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
    assert!((reached - number(unmet, "/ops_per_s")).abs() <= 0.5, "{reason}");
    assert!(number(unmet, "/response_time_s/p99") > number(unmet, "/service_time_s/p99"));
    assert_eq!(number(unmet, "/asked_per_s"), 300.0);
    assert!(document["cells"][1]["median"].is_null(), "no figure is made of it");
    let page = room.run("show last --table latency").expect(0).stdout;
    assert!(
        page.contains("T711   1   1   1     1  300/s constant")
            && page.contains("! 300/s constant: invalid: 300 trans"),
        "{page}"
    );
    let page = room.run("show last").expect(0).stdout;
    assert!(page.contains("@ at a set rate"), "{page}");
}

/// Its times are those of an idle machine.
mod alone {
    use super::*;

    /// The effect of the injected stall, unless the machine itself stalled meanwhile.
    #[test]
    fn an_open_loop_sees_a_stall_and_a_closed_one_does_not() {
        let room = Room::new();
        // Statements take no time, except one in 1,000, which takes 300 ms.
        let target = "--target null:?speed=2000000000&stall_every=1000&stall_ms=300 --drive client --jobs 1 --json";
        let true_enough = |value_s: f64, implied_s: f64| (value_s / implied_s - 1.0).abs() <= 0.05;
        let seen = (0..5).any(|_| {
            let line = format!("run T611 --duration 4s --rate 1000/s --arrivals constant {target}");
            let document = room.run(&line).expect(0).json();
            let point = &points(&document)[0];
            // Of 1,000 the ten slowest are 1 %: they waited 300, 299 … 290 ms.
            true_enough(number(point, "/response_time_s/max"), 0.3)
                && true_enough(number(point, "/response_time_s/p99"), 0.29)
        });
        assert!(seen, "{:#}", room.show("last")["points"][0]["response_time_s"]);
        let blind = (0..5).any(|_| {
            let document = room.run(&format!("run T611 --duration 1s --think 900us..1100us {target}")).expect(0).json();
            let point = &points(&document)[0];
            number(point, "/service_time_s/p99") < 0.03
        });
        assert!(blind, "{:#}", room.show("last")["points"][0]["service_time_s"]);
    }
}

#[test]
fn shares_are_of_the_maximum_and_can_be_resumed() {
    let room = Room::new();
    let rates = "--rate 20%..40% --arrivals constant";
    let line = format!("run T711 --drive client --jobs 2 --duration 300ms {rates} --target null:?speed=1000");
    room.run(&format!("{line}&error_at=30&error_class=permission")).expect(4);
    let document = room.show("last");
    assert_eq!(statuses(&document), ["T711 failed"; 4]);
    let reason = text(&points(&document)[2], "/reason");
    assert_eq!(reason, "error: the maximum that 30% is a share of was not measured: look at the point before");
    room.run("resume last --target null:?speed=1000").expect(0);
    let document = room.show("last");
    check_document(&document);
    assert_eq!(statuses(&document), ["T711 ok"; 4]);
    let maximum = number(&points(&document)[0], "/ops_per_s");
    assert!(points(&document)[0]["asked_per_s"].is_null() && points(&document)[0]["rate"].is_null());
    for (point, pct) in points(&document)[1..].iter().zip([20.0, 30.0, 40.0]) {
        assert_eq!(text(point, "/rate"), format!("{pct}%"));
        assert!((number(point, "/asked_per_s") - maximum * pct / 100.0).abs() < 1e-6 * maximum);
    }
    assert_eq!(document["cells"].as_array().unwrap().len(), 4, "each load is a cell of its own");
    let results = room.results();
    let kept = |kind: &str| -> u64 {
        let sql = "SELECT count(*) FROM histograms AS h JOIN points AS p ON p.id = h.point WHERE p.attempt = 2 AND h.kind = ?1";
        results.query_row(sql, [kind], |row| row.get(0)).unwrap()
    };
    assert_eq!((kept("service"), kept("response")), (4, 3), "the closed loop has no response times");
    let page = room.run("show last --table latency").expect(0).stdout;
    for load in ["closed loop", "20% constant", "30% constant", "40% constant"] {
        assert!(page.contains(load), "{page}");
    }
}

#[test]
fn whoever_waits_for_a_due_moment_hears_a_stop() {
    let room = Room::new();
    // One transaction in ten seconds: the jobs sleep.
    let run = room.start("run T711 --drive client --jobs 8 --rate 0.1/s --duration 10m --target null:");
    run.until_threads(8);
    run.signal(rustix::process::Signal::INT);
    run.end().expect(3);
    let document = room.show("last");
    check_document(&document);
    assert_eq!(statuses(&document), ["T711 failed"]);
    assert_eq!(text(&points(&document)[0], "/reason"), "interrupted");
    let resumed = room.start("resume last");
    resumed.until_threads(8);
    resumed.signal(rustix::process::Signal::INT);
    resumed.end().expect(3);
    assert_eq!(text(&room.show("last")["points"][0], "/rate"), "0.1/s", "what was planned is measured again");
}

#[test]
fn statements_that_hang_are_cancelled() {
    let room = Room::new();
    // Each job does 300 statements, then one of an hour.
    let line =
        "run T711 --drive client --jobs 2 --duration 200ms --target null:?speed=1000&stall_every=300&stall_ms=3600000";
    room.run(line).expect(4);
    let document = room.show("last");
    assert_eq!(statuses(&document), ["T711 failed"]);
    let point = &points(&document)[0];
    check_point(point);
    assert_eq!(text(point, "/reason"), "timeout: answers were still missing 30 s after the end of the window");
    assert_eq!(point["outcomes"]["errors"], serde_json::json!({"timeout": 2}), "{point:#}");
}

#[test]
fn users_share_connections_and_wait_for_them() {
    let room = Room::new();
    let target = "--drive client --jobs 20 --connections 2 --duration 1s --json --target null:?speed=1000";
    let document = room.run(&format!("run T711 {target}")).expect(0).json();
    check_document(&document);
    let point = &points(&document)[0];
    assert_eq!((&point["jobs"], &point["connections"]), (&20.into(), &2.into()));
    // Little's law: each user waits for a connection or has one.
    let there_s = number(point, "/connection_wait_s/mean") + number(point, "/service_time_s/mean");
    let there = number(point, "/ops_per_s") * there_s;
    assert!((18.0..=21.0).contains(&there), "{there} of 20: {point:#}");
    assert!(number(point, "/service_time_s/p50") < number(point, "/connection_wait_s/p50") / 4.0, "{point:#}");
    let page = room.run("show last --table latency").expect(0).stdout;
    assert!(page.contains("closed loop, 2 connections") && page.contains("  wait  "), "{page}");
    // With a rate, the wait for a connection is part of the response time.
    let document = room.run(&format!("run T711 --rate 50% {target}")).expect(0).json();
    check_document(&document);
    let [maximum, half] = [0, 1].map(|n| &points(&document)[n]);
    assert_eq!([maximum, half].map(|point| &point["connections"]), [&Value::from(2); 2]);
    assert!((number(half, "/asked_per_s") / number(maximum, "/ops_per_s") - 0.5).abs() < 1e-6);
    let [wait_s, service_s, response_s] =
        ["connection_wait_s", "service_time_s", "response_time_s"].map(|of| number(half, &format!("/{of}/mean")));
    assert!(wait_s > 0.0 && response_s >= 0.99 * (wait_s + service_s), "{half:#}");
    // Two connections cannot carry this load, however many users there are.
    room.run(&format!("run T711 --rate 5000/s --arrivals constant {target}")).expect(4);
    let reason = points(&room.show("last"))[0]["reason"].clone();
    assert!(reason.as_str().is_some_and(|why| why.contains("ask for less, or use more connections")), "{reason}");
    // With a connection each, no user waits, and no wait is reported.
    let document = room.run(&format!("run T711 --ramp 2 {}", target.replace("--jobs 20", ""))).expect(0).json();
    let alone = &points(&document)[0];
    assert!(alone.get("connections").is_none() && alone.get("connection_wait_s").is_none(), "{alone:#}");
}

#[test]
fn whoever_resumes_keeps_the_connections() {
    let room = Room::new();
    let line =
        "run T711 --drive client --ramp 1,2,4 --connections 2 --repeat 2 --duration 100ms --target null:?speed=1000";
    room.run(&format!("{line}&error_at=30&error_class=permission")).expect(4);
    assert_eq!(statuses(&room.show("last")), ["T711 failed"; 8]);
    room.run("resume last --target null:?speed=1000").expect(0);
    let document = room.show("last");
    check_document(&document);
    assert_eq!(statuses(&document), ["T711 ok"; 8]);
    for point in points(&document) {
        let shared = number(point, "/jobs") > 2.0;
        assert_eq!(point["connections"].as_u64(), shared.then_some(2), "{point:#}");
        assert_eq!(point["connection_wait_s"].is_object(), shared, "{point:#}");
    }
    assert_eq!(document["cells"].as_array().unwrap().len(), 4, "repeats are of one cell, also those of the best");
}

#[test]
fn what_makes_no_sense_is_refused_before_anything_is_done() {
    let room = Room::new();
    for (options, words) in [
        (
            "T611 --rate 500/s",
            "--rate is for the client drive: add --drive client, or leave it away (in the server drive the database runs the loop, as fast as it can)\n",
        ),
        (
            "T611 --drive client --rate 500/s --think 5ms",
            "--think has no use with --rate: with a rate transactions begin when they are due, without one after a pause; leave one of them away\n",
        ),
        (
            "T611 --drive client --arrivals poisson",
            "--arrivals says how the transactions of a rate are spread: add --rate, as in --rate 500/s, or leave it away\n",
        ),
        (
            "T611 --drive client --queue session",
            "--queue says who serves the transactions of a rate: add --rate, as in --rate 500/s, or leave it away (in a closed loop nothing queues)\n",
        ),
        (
            "T611 --follow no",
            "--follow is for the client drive: add --drive client, or leave it away (in the server drive the database runs the loop, as fast as it can)\n",
        ),
        (
            "T611 --jobs 8 --connections 2",
            "--connections is for the client drive: add --drive client, or leave it away (in the server drive the database runs the loop, as fast as it can)\n",
        ),
        (
            "T611 --drive client --jobs 8 --connections 9",
            "--connections 9 is more than the 8 jobs that would share them: give at most as many, or more jobs (--jobs, --ramp; of a workload --users)\n",
        ),
        (
            "T611 --drive client --jobs 8 --connections 0",
            "invalid value '0' for '--connections <N>': it is no number of connections; write a whole number from 1 to 65535\n\nFor more information, try '--help'.\n",
        ),
        (
            "T121 --drive client",
            "no test that was named can be driven by a client, which sends single statements; T311 to T322 and the T600, T700 and T800 classes can (`dbdyno list tests`)\n",
        ),
        (
            "T611 --drive client --rate 0/s",
            "invalid value '0/s' for '--rate <RATES>': '0/s' cannot be driven: a rate is from 0.001/s to 100000000/s\n\nFor more information, try '--help'.\n",
        ),
        (
            "T611 --drive client --rate 50%,500/s",
            "invalid value '50%,500/s' for '--rate <RATES>': '50%,500/s' mixes rates and shares; write either 500/s,1000/s or 50%,100%\n\nFor more information, try '--help'.\n",
        ),
    ] {
        let ending = room.run(&format!("run {options} --target null:")).expect(2);
        assert_eq!(ending.stderr, format!("dbdyno: {words}"));
    }
    assert!(room.files().is_empty());
}

#[test]
fn a_test_that_no_client_can_drive_keeps_its_place() {
    let room = Room::new();
    let document =
        room.run("run T121 T611 --drive client --jobs 1 --duration 100ms --target null: --json").expect(0).json();
    check_document(&document);
    assert_eq!(statuses(&document), ["T121 unsupported", "T611 ok"]);
}
