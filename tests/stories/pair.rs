//! Two sides in alternation: which is measured when, what is told of them, and what is kept when it ends early.

use crate::support::{Room, number, points, statuses, text};
use rustix::process::Signal;
use serde_json::Value;

/// The null engine does exactly what it is told to.
const FAST: &str = "--a null: --b null:?speed=1300000";
const SHORT: &str = "--ramp 1 --duration 600ms";

/// The document of a run and the side that it says that it is.
fn run_of<'d>(room: &Room, document: &'d Value, side: usize) -> (Value, &'d str) {
    let name = text(document, &format!("/sides/{side}/name"));
    (room.show(name), name)
}

#[test]
fn a_difference_is_told_and_kept_in_two_runs() {
    let room = Room::new();
    let line = format!("pair T611 {FAST} {SHORT} --label-a before --label-b after --pairs 10 --json");
    let document = room.run(&line).expect(0).json();
    let row = &document["pairs"][0];
    assert_eq!((text(row, "/test"), text(row, "/ratio/verdict")), ("T611", "better"), "{document:#}");
    let (low, high) = (number(row, "/ratio/low"), number(row, "/ratio/high"));
    assert!(low < 1.3 && 1.3 < high + 0.1 && low > 1.1, "{row:#}");
    let pairs = number(row, "/pairs");
    assert!((8.0..=10.0).contains(&pairs), "{row:#}");

    let ((a, name_a), (b, name_b)) = (run_of(&room, &document, 0), run_of(&room, &document, 1));
    assert_eq!((name_a, name_b), ("before", "after"));
    assert_eq!((text(&a, "/pairing/with"), text(&a, "/pairing/side")), (text(&b, "/run/id"), "a"));
    assert_eq!((text(&b, "/pairing/with"), text(&b, "/pairing/side")), (text(&a, "/run/id"), "b"));
    assert_eq!((text(&a, "/run/status"), text(&b, "/run/status")), ("done", "done"));
    // A B, B A, A B, B A.
    let began = |run: &Value| -> Vec<jiff::Timestamp> {
        points(run).iter().map(|point| text(point, "/started_at").parse().unwrap()).collect()
    };
    let (of_a, of_b) = (began(&a), began(&b));
    assert_eq!((of_a.len() as f64, of_b.len() as f64), (pairs, pairs));
    for (pair, (a, b)) in of_a.iter().zip(&of_b).enumerate() {
        assert_eq!(a < b, pair % 2 == 0, "pair {pair}");
    }
    // `compare` knows them as a pair.
    let compared = room.run("compare before after --json").expect(0).json();
    assert_eq!(compared["pairs"], document["pairs"]);
    let page = room.run("compare before after").expect(0).stdout;
    assert!(page.contains("Measured in turn"), "{page}");
    let refused = room.run("resume before").expect(2);
    assert!(refused.stderr.contains("was measured in turn with"), "{}", refused.stderr);
}

#[test]
fn commands_are_called_before_each_point_of_their_side() {
    let room = Room::new();
    for side in ["a", "b"] {
        std::fs::write(room.path(side), format!("echo -n {side} >>calls\n")).unwrap();
    }
    let mut command = room.command(&format!("pair T512 {FAST} --ramp 1 --duration 20ms --pairs 8 -q"));
    command.args(["--before-a", "sh a", "--before-b", "sh b"]);
    // Each point is too short to be divided.
    crate::support::Running::start(command).end().expect(4);
    let calls = std::fs::read_to_string(room.path("calls")).unwrap();
    assert!(calls.ends_with(&"abba".repeat(4)), "{calls}");
    assert_eq!(room.show("last")["pairing"]["before"], "sh b");
}

#[test]
fn one_file_is_measured_against_itself() {
    let room = Room::with_data();
    let line = "pair T611 --a sqlite:x.sqlite --b sqlite:x.sqlite --ramp 1 --duration 600ms --pairs 8 --json";
    let document = room.run(line).expect(0).json();
    assert_eq!(number(&document, "/pairs/0/pairs"), 8.0, "{document:#}");
}

#[test]
fn work_that_was_not_done_makes_no_pair() {
    let room = Room::new();
    let ending = room.run("pair T512 --a null: --b null:?rows_short=1 --ramp 1 --duration 20ms --pairs 8").expect(4);
    assert!(ending.stdout.contains("not compared: "), "{}", ending.stdout);
    assert!(ending.stderr.contains("1 of 1 ratios are missing"), "{}", ending.stderr);
    // It is tried as often as there are spare pairs.
    assert_eq!(statuses(&room.show("last")), ["T512 invalid"; 16]);
}

#[test]
fn what_was_measured_is_kept_when_it_is_stopped() {
    let room = Room::new();
    let pair = room.start(&format!("pair T611 {FAST} --ramp 1 --duration 600ms --label-a one --label-b other"));
    pair.until("[2/8]");
    pair.signal(Signal::INT);
    pair.end().expect(3);
    for run in ["one", "other"] {
        assert_eq!(text(&room.show(run), "/run/status"), "interrupted");
    }
    let page = room.run("compare one other").expect(0).stdout;
    assert!(page.contains("it takes 8 pairs for a conclusion"), "{page}");
}

#[test]
fn a_side_that_goes_away_ends_it() {
    let room = Room::new();
    // The first calls make the plan; then the command fails.
    std::fs::write(room.path("counted"), "echo >>calls; [ $(wc -l <calls) -lt 5 ]\n").unwrap();
    let mut command = room.command(&format!("pair T611 {FAST} {SHORT} --label-a one --label-b other"));
    command.args(["--before-b", "sh counted"]);
    let ending = crate::support::Running::start(command).end().expect(3);
    assert!(ending.stderr.contains("side B is not measured any more"), "{}", ending.stderr);
    assert_eq!(text(&room.show("one"), "/run/status"), "interrupted");
}

#[test]
fn bad_input_is_refused_before_anything_is_done() {
    for (line, words) in [
        ("pair T611 --a null: --b null: --label-a x --label-b x", "--label-a and --label-b are both 'x'"),
        ("pair T611 --a null: --b null: --pairs 7", "7 is not in 8..=1000"),
        ("pair T611 --a null:", "--b <URL>"),
        ("pair T611 --a null: --b null: --drive client --rate 10%", "a share is one of each side's own maximum"),
        ("pair T611 --a null: --b nothing:", "nothing"),
        ("pair T999 --a null: --b null:", "T999"),
        ("pair T611 --a null: --b null: --before-a false", "the command 'false', before a point, failed"),
        ("pair T611 --a sqlite:missing/x --b null:", "missing"),
    ] {
        let room = Room::new();
        let ending = room.run(line).expect(2);
        assert!(ending.stderr.contains(words), "{line}: {}", ending.stderr);
        assert!(room.files().is_empty(), "{line}: {:?}", room.files().keys());
    }
}
