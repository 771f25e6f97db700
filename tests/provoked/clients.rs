//! Clients: overload, failed transactions, too few to judge. They run on the null engine, whose statements take as long
//! as they are told to and fail when they are told to. Sessions, threads and clock are real.

use crate::support::{Room, flag_note, flagged, number, points, statuses, text};

/// Four sessions with a hundred transactions a second each.
const FOUR: &str = "run T711 --drive client --jobs 4 --json --target null:?speed=100";

#[test]
fn what_four_sessions_cannot_carry_is_overload() {
    let _machine = crate::in_company();
    let room = Room::new();
    for load in ["--rate 600/s --duration 3s", "--rate 412/s --arrivals constant --duration 4s"] {
        for queue in ["shared", "session"] {
            let document = room.run(&format!("{FOUR} {load} --queue {queue}")).expect(4).json();
            assert_eq!(statuses(&document), ["T711 invalid"], "{load}");
            let point = &points(&document)[0];
            assert!(text(point, "/reason").contains("overload: "), "{load}: {}", point["reason"]);
            assert!(number(point, "/open_loop/busy_pct") >= 99.5, "{point:#}");
            let [due, unfinished, waiting] =
                ["due", "unfinished", "waiting"].map(|key| number(point, &format!("/open_loop/{key}")));
            assert!(waiting > 4.0 && unfinished >= waiting && due > unfinished, "{:#}", point["open_loop"]);
            // Transactions that waited in vain are in the response times.
            assert!(number(point, "/response_time_s/p99") > number(point, "/service_time_s/p99"));
        }
    }
}

#[test]
fn too_few_that_were_due_decide_nothing() {
    let _machine = crate::in_company();
    let room = Room::new();
    let needs = "title = \"Shop\"\n[[requirement]]\ntitle = \"Half\"\ntest = \"T711\"\nmetric = \"response_time_s.p50\"\nrate_per_s = 1\nmaximum = 30\n";
    std::fs::write(room.path("needs.toml"), needs).unwrap();
    let few = room.run(&format!("{FOUR} --rate 60/s --duration 1s")).json();
    let note = flag_note(&points(&few)[0], "too_few_to_judge");
    assert!(note.ends_with("1000 are needed to tell whether 4 sessions can carry them"), "{note}");
    let verdict = room.run("verdict last --requirements needs.toml").expect(1).stdout;
    assert!(verdict.contains("refused: too_few_to_judge"), "{verdict}");
    let met = (0..5).any(|_| {
        room.run(&format!("{FOUR} --rate 250/s --duration 5s"));
        room.run("verdict last --requirements needs.toml").code == Some(0)
    });
    assert!(met);
}

#[test]
fn what_failed_is_slower_than_any_limit() {
    let _machine = crate::in_company();
    let room = Room::new();
    let needs = "title = \"Shop\"\n[[requirement]]\ntitle = \"Tail\"\ntest = \"T711\"\nmetric = \"service_time_s.p99\"\nmaximum = 30\n";
    std::fs::write(room.path("needs.toml"), needs).unwrap();
    let line = "run T711 --drive client --jobs 4 --duration 1s --json --target null:?speed=5000";
    let document = room.run(&format!("{line}&error_every=40&error_class=timeout")).expect(0).json();
    let point = &points(&document)[0];
    assert!(flagged(point, "errors") && point["service_time_s"]["p99"].is_null(), "{point:#}");
    assert!(number(point, "/service_time_s/p95") > 0.0);
    let why = text(point, "/missing/service_time_s.p99");
    assert!(why.contains("transactions failed, and count as slower than any other"), "{why}");
    let verdict = room.run("verdict last --requirements needs.toml").expect(1).stdout;
    assert!(verdict.contains("missed: ") && verdict.contains("count as slower than any limit: p99"), "{verdict}");
    let page = room.run("show last --table latency").expect(0).stdout;
    assert!(page.contains("  failed  ") && page.contains("Transactions that failed count as slower"), "{page}");
    room.run(line).expect(0);
    room.run("verdict last --requirements needs.toml").expect(0);
}

/// Nothing else may run on the machine meanwhile.
mod alone {
    use super::*;

    #[test]
    fn what_four_sessions_can_carry_is_none() {
        let _machine = crate::alone();
        let room = Room::new();
        let mut last = String::new();
        // A machine that pauses for a while really is overloaded.
        let passes = (0..3).any(|_| {
            let ending = room.run(&format!("{FOUR} --rate 240/s --duration 5s"));
            last = format!("{}\n{}", ending.stdout, ending.stderr);
            let document = ending.json();
            let point = &points(&document)[0];
            text(point, "/status") == "ok" && !flagged(point, "too_few_to_judge") && text(point, "/queue") == "shared"
        });
        assert!(passes, "{last}");
    }
}
