//! Commands without their arguments: each does what serves, or says what there is, and what comes next.

use crate::support::{DBDYNO, Room, Running, text};
use std::process::Command;

const SHORT: &str = "--size T --duration 20ms --ramp 1";

#[test]
fn dbdyno_alone_shows_the_first_step() {
    let room = Room::new();
    for line in ["", "--quiet", "--results x.db"] {
        let ending = room.run(line).expect(0);
        assert_eq!(ending.stderr, "");
        assert!(ending.stdout.contains("\n  dbdyno run ") && ending.stdout.contains("dbdyno report last"));
        assert!(ending.stdout.lines().count() <= 15 && ending.stdout.lines().all(|line| line.chars().count() <= 80));
    }
    assert!(room.files().is_empty());
}

#[test]
fn a_run_without_a_target_measures_a_file_beside_the_results() {
    let room = Room::new();
    let planned = room.run(&format!("run {SHORT} --dry-run")).expect(0);
    assert_eq!(
        planned.stderr,
        "no --target: quick would be measured on sqlite:dbdyno-data.sqlite, beside the results; then: dbdyno run quick\n"
    );
    assert!(planned.stdout.contains("T611"), "{}", planned.stdout);
    assert!(room.files().is_empty());

    let ending = room.run(&format!("run T611 {SHORT}")).expect(0);
    assert!(ending.stderr.starts_with("no --target: measuring T611 on sqlite:dbdyno-data.sqlite, beside the results;"));
    assert!(ending.stdout.contains("What next:\n") && ending.stdout.contains("  dbdyno report "), "{}", ending.stdout);
    assert_eq!(text(&room.show("last"), "/run/target"), "sqlite:dbdyno-data.sqlite");
    // The same file serves again, and `check` and `load` mean it, too.
    let quiet = room.run(&format!("run T611 {SHORT} --quiet")).expect(0);
    assert_eq!(quiet.stderr, "");
    let check = room.run("check").expect(0);
    assert!(check.stderr.starts_with("no --target: looking at sqlite:dbdyno-data.sqlite, beside the results;"));
    assert!(check.stderr.ends_with("next: dbdyno run   # measures it\n"), "{}", check.stderr);
    let load = room.run("load").expect(0);
    assert!(
        load.stderr.contains("no --target: loading sqlite:dbdyno-data.sqlite, beside the results; then: dbdyno run\n")
    );
    assert!(load.stdout.contains("already") && load.stderr.ends_with("next: dbdyno run quick   # measures it\n"));

    // Beside results that are elsewhere.
    std::fs::create_dir(room.path("there")).unwrap();
    let ending = room.run("check --results there/r.db --size T").expect(0);
    assert!(ending.stderr.contains("sqlite:there/r-data.sqlite"), "{}", ending.stderr);
    assert!(ending.stderr.ends_with("next: dbdyno run --size T --results there/r.db   # measures it\n"));
    // What would remove data asks which.
    assert!(room.run("drop").expect(2).stderr.contains("--target"));
}

#[test]
fn what_is_not_dbdynos_beside_the_results_is_left_alone() {
    for write_ahead in [false, true] {
        let room = Room::new();
        let foreign = rusqlite::Connection::open(room.path("dbdyno-data.sqlite")).unwrap();
        if write_ahead {
            foreign.pragma_update(None, "journal_mode", "wal").unwrap();
        }
        foreign.execute_batch("CREATE TABLE accounts (a); INSERT INTO accounts VALUES (1)").unwrap();
        drop(foreign);
        is_left_alone(&room, "is a database of something else (accounts)");
    }
    let room = Room::new();
    std::fs::write(room.path("dbdyno-data.sqlite"), "notes of mine\n").unwrap();
    is_left_alone(&room, "dbdyno-data.sqlite is not an SQLite database");
}

/// Every command that would use the file beside the results says what is in the way. None changes or makes a file.
fn is_left_alone(room: &Room, why: &str) {
    let before = room.files();
    for line in ["run", "run --dry-run", "run tpcb", "load", "load tpcb", "check"] {
        let ending = room.run(line).expect(2);
        let said = format!("{}{}", ending.stdout, ending.stderr).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains(why), "{line}: {said}");
        assert!(room.files() == before, "{line} has changed {:?}", room.files().keys());
    }
}

#[test]
fn a_report_without_a_file_is_named_after_the_run() {
    let room = Room::new();
    for label in ["before", "after"] {
        let line = format!("run T512 --jobs 1 --threads 1 --duration 20ms --target null: --quiet --label {label}");
        room.run(&line).expect(0);
    }
    let id = room.runs()[0]["id"].as_str().unwrap().to_owned();
    let file = format!("dbdyno-{id}.html");
    let first = room.run("report last").expect(0);
    assert_eq!(first.stdout, "");
    assert!(first.stderr.starts_with(&format!("written: {file} (")), "{}", first.stderr);
    assert!(first.stderr.ends_with("); open it in a browser\n"), "{}", first.stderr);
    assert!(std::fs::read_to_string(room.path(&file)).unwrap().starts_with("<!DOCTYPE html>"));
    let again = room.run("report after").expect(0);
    assert!(again.stderr.contains(", in place of an older page); open it"), "{}", again.stderr);
    room.run("report before last").expect(0);
    assert!(room.path(&format!("dbdyno-before-{id}.html")).is_file());
    room.run("report hp_dl980_violin_2012 --quiet").expect(0);
    assert!(room.path("dbdyno-hp_dl980_violin_2012.html").is_file());
    // What is no page is not written over.
    for mine in ["notes of mine", "<!DOCTYPE html><p>a page of mine"] {
        std::fs::write(room.path(&file), mine).unwrap();
        let refused = room.run("report last").expect(2).stderr;
        assert!(refused.contains("is no page of dbdyno's, and stays"), "{refused}");
        assert_eq!(std::fs::read_to_string(room.path(&file)).unwrap(), mine);
    }
    let named = room.run("report last -o named.html").expect(0);
    assert_eq!(named.stderr, "next: open named.html in a browser\n");
}

#[test]
fn list_alone_says_what_can_be_listed() {
    let room = Room::new();
    let listed = room.run("list").expect(0).stdout;
    let items = room.run("list --json").expect(0).json();
    let items = items.as_array().unwrap();
    assert_eq!(items.len(), 9);
    for item in items {
        let command = text(item, "/command");
        assert!(listed.contains(command), "no '{command}' in {listed}");
        if !["runs", "experiments"].contains(&text(item, "/what")) {
            assert!(room.run(command.trim_start_matches("dbdyno ")).expect(0).stdout.lines().count() > 2);
        }
    }
    assert!(room.run("list --engine sqlite").expect(2).stderr.contains("dbdyno list tests"));
}

/// Nothing is started, stopped or made by looking.
#[cfg(all(feature = "postgres", feature = "mariadb"))]
#[test]
fn up_and_down_alone_say_what_there_is() {
    let room = Room::new();
    let up = room.run("up").expect(0).stdout;
    assert!(up.contains("dbdyno up postgres") && up.contains("dbdyno up mariadb"), "{up}");
    let items = room.run("up --json").expect(0).json();
    for item in items.as_array().unwrap() {
        assert_eq!(text(item, "/state"), "none");
        assert!(item["version"].is_string() && item["missing"].is_null(), "{item:#}");
    }
    let down = room.run("down").expect(0).stdout;
    assert!(down.contains("There is nothing to stop") && !down.contains("dbdyno down"), "{down}");
    assert!(room.files().is_empty());
    let mut without = room.command("up --json");
    without.env("DBDYNO_POSTGRES_BIN", room.folder()).env("DBDYNO_MARIADB_BIN", room.folder());
    let items: serde_json::Value = serde_json::from_slice(&without.output().unwrap().stdout).unwrap();
    assert!(text(&items, "/0/missing").contains("does not hold postgres"), "{items:#}");
    assert!(room.run("up --size T").expect(2).stderr.contains("ENGINE"));
}

/// What runs is said, and that it can be measured or stopped.
#[cfg(feature = "postgres")]
#[test]
fn up_and_down_alone_know_what_runs() {
    let home = crate::home::Home::new("postgres");
    home.up("--size T");
    let state = |line: &str| home.run(line).expect(0).json().as_array().unwrap()[0].clone();
    let up = state("up --json");
    assert_eq!((text(&up, "/state"), text(&up, "/size")), ("running", "T"));
    assert_eq!(text(&up, "/command"), "dbdyno run quick --target private:postgres");
    assert_eq!(text(&state("down --json"), "/command"), "dbdyno down postgres");
    let said = home.run("up").expect(0);
    assert!(said.stderr.ends_with("next: dbdyno run quick --target private:postgres   # measures what runs\n"));
    home.run("down ENGINE --keep").expect(0);
    let (up, down) = (state("up --json"), state("down --json"));
    assert_eq!((text(&up, "/state"), text(&up, "/command")), ("stopped", "dbdyno up postgres --size T"));
    assert_eq!(text(&down, "/command"), "dbdyno down postgres --keep=false");
}

/// Programs that read the output of a command that shows something get nothing else.
#[test]
fn what_comes_next_is_said_to_a_person() {
    let room = Room::new();
    for (line, next) in [
        ("show hp_dl980_violin_2012", "next: dbdyno report hp_dl980_violin_2012 "),
        ("compare ibm_p8_e870_2016 hpe_dl580_bm_2016", "next: dbdyno report ibm_p8_e870_2016 hpe_dl580_bm_2016 "),
        ("list suites", "next: dbdyno run SUITE "),
        ("sql sqlite --test T611", "next: dbdyno check --target URL "),
        ("k8s", "next: kubectl apply "),
    ] {
        let plain = room.run(line).expect(0);
        assert_eq!(plain.stderr, "", "{line}");
        assert!(!plain.stdout.contains("next: "), "{line}");
        let at_a_terminal = |more: &str| {
            let mut script = Command::new("script");
            let typed = format!("{DBDYNO} {line}{more}");
            script.args(["--quiet", "--return", "--command", &typed, "/dev/null"]);
            room.settle_in(&mut script);
            Running::start(script).end().expect(0).stdout
        };
        assert!(at_a_terminal("").contains(next), "{line}: {}", at_a_terminal(""));
        assert!(!at_a_terminal(" --quiet").contains("next: "), "{line}");
    }
    // What changes something says it in any case.
    room.run("load --size T --target sqlite:x.sqlite --quiet").expect(0);
    let dropped = room.run("drop --target sqlite:x.sqlite").expect(0);
    assert!(dropped.stderr.contains("next: dbdyno load --target sqlite:x.sqlite "), "{}", dropped.stderr);
}
