//! A pipeline uses a run: requirements, met or not, as text, JSON, JUnit and an exit code.

use crate::support::{Room, text};

fn needs(minimum: &str) -> String {
    format!(
        "title = \"Shop\"\n[[requirement]]\ntitle = \"Lookups\"\ntest = \"T611\"\nmetric = \"tx_per_s\"\nminimum = {minimum}\n"
    )
}

#[test]
fn the_exit_code_says_whether_a_run_meets_what_a_project_needs() {
    let room = Room::with_data();
    room.run("run T611 --target sqlite:x.sqlite --jobs 1 --duration 500ms --label mine").expect(0);
    std::fs::write(room.path("low.toml"), needs("1")).unwrap();
    std::fs::write(room.path("high.toml"), needs("1e12")).unwrap();
    let met = room.run("verdict mine --requirements low.toml --junit met.xml").expect(0);
    assert!(met.stdout.starts_with("Verdict   Shop: met, the only requirement\n"), "{}", met.stdout);
    assert_eq!(met.stderr, "");
    assert!(std::fs::read_to_string(room.path("met.xml")).unwrap().contains("tests=\"1\" failures=\"0\""));
    let missed = room.run("verdict last --requirements high.toml --junit missed.xml").expect(1);
    assert!(missed.stdout.starts_with("Verdict   Shop: not met, 1 of 1 requirement: 1 missed\n"), "{}", missed.stdout);
    assert_eq!(missed.complaints().len(), 1);
    assert!(std::fs::read_to_string(room.path("missed.xml")).unwrap().contains("type=\"missed\""));
    let document = room.run("verdict last --requirements high.toml --json").expect(1).json();
    assert_eq!((&document["met"], text(&document, "/lines/0/outcome")), (&false.into(), "missed"));
    let run = room.show("mine");
    assert_eq!(document["lines"][0]["figure"]["value"], run["points"][0]["tx_per_s"]);
    // A requirement without a measurement is not met.
    std::fs::write(room.path("other.toml"), needs("1").replace("T611", "T711")).unwrap();
    let other = room.run("verdict last --requirements other.toml").expect(1);
    assert!(other.stdout.contains("not measured: the run has no points of T711"), "{}", other.stdout);
}

#[test]
fn what_a_verdict_may_take_besides_is_said_on_the_command_line() {
    let room = Room::with_data();
    room.run("run T611 --target sqlite:x.sqlite --duration 500ms").expect(0);
    std::fs::write(room.path("low.toml"), needs("1")).unwrap();
    let met = room.run("verdict last --requirements low.toml --accept not_proved").expect(0);
    assert!(met.stdout.contains("\nAccepted  not_proved, on the command line: "), "{}", met.stdout);
    let unknown = room.run("verdict last --requirements low.toml --accept not_steady").expect(2);
    assert!(unknown.stderr.contains("not_proved"), "{}", unknown.stderr);
}

#[test]
fn requirements_that_cannot_be_judged_are_refused() {
    let room = Room::with_data();
    room.run("run T611 --target sqlite:x.sqlite --duration 500ms").expect(0);
    std::fs::write(room.path("sound.toml"), needs("1")).unwrap();
    std::fs::write(room.path("metric.toml"), needs("1").replace("tx_per_s", "tx_per_m")).unwrap();
    std::fs::write(room.path("test.toml"), needs("1").replace("T611", "T661")).unwrap();
    std::fs::write(room.path("cut.toml"), &needs("1")[..40]).unwrap();
    for (line, words) in [
        (
            "verdict last --requirements metric.toml",
            "metric.toml: [[requirement]] Lookups: key 'metric': there is no metric 'tx_per_m'; nearest: tx_per_s; `dbdyno list metrics` shows all (line 2)",
        ),
        (
            "verdict last --requirements test.toml",
            "test.toml: [[requirement]] Lookups: key 'test': there is no test 'T661'; nearest: T611, T616, T621; `dbdyno list tests` shows all (line 2)",
        ),
        ("verdict last --requirements cut.toml", "cut.toml: "),
        ("verdict last --requirements none.toml", "cannot read the requirements from none.toml: "),
        ("verdict mine --requirements sound.toml", "there is no run 'mine' in ./dbdyno.db"),
        ("verdict last --requirements sound.toml --junit no/folder.xml", "cannot write no/folder.xml: "),
        ("verdict last --requirements sound.toml --junit dbdyno.db", "cannot write dbdyno.db: it holds something else"),
        ("report last -o dbdyno.db", "cannot write dbdyno.db: it holds something else"),
        ("report last -o x.sqlite", "cannot write x.sqlite: it holds something else"),
    ] {
        let ending = room.run(line).expect(2);
        assert_eq!(ending.stdout, "", "{line}");
        assert!(ending.stderr.starts_with(&format!("dbdyno: {words}")), "{line}: {}", ending.stderr);
    }
    // The measurements are still there, and a report may be overwritten.
    for _ in 0..2 {
        room.run("report last -o page.html").expect(0);
    }
}
