//! The normal case: data is loaded, and a run is measured, shown, listed, and shown again.

use crate::document::{check_document, check_point};
use crate::support::{Ending, Room, Running, number, points, statuses, text};
use rusqlite::Connection;
use rusqlite::fallible_iterator::FallibleIterator;
use std::collections::BTreeSet;
use std::process::{Command, Stdio};

/// Plain lines without control characters.
#[track_caller]
fn check_plain(ending: &Ending) {
    for stream in [&ending.stdout, &ending.stderr] {
        assert!(!stream.contains(['\x1b', '\r']), "{stream}");
    }
}

#[test]
fn a_first_run_loads_measures_and_shows() {
    let room = Room::new();
    let line = "run T121 T611 T613 T711 --target sqlite:x.sqlite --size T --ramp 1,2 --duration 50ms --label first";
    let ending = room.run(line).expect(0);
    check_plain(&ending);
    // Progress: the load, the estimate, a line a point.
    for said in ["large_heap_range_list: 102,400", "points planned: 10, time left: about "] {
        assert!(ending.stderr.contains(said), "{}", ending.stderr);
    }
    let lines: Vec<&str> = ending.stderr.lines().filter(|l| l.starts_with('[')).collect();
    assert_eq!(lines.len(), 10, "{}", ending.stderr);
    for (n, line) in lines.iter().enumerate() {
        assert!(line.starts_with(&format!("[{:>2}/10] T", n + 1)), "{line}");
    }
    // The tables, the summary, the next steps.
    let document = room.show("last");
    let id = text(&document, "/run/id").to_owned();
    for said in ["T121", "T611", "T613", "T711", "CPU", "Server", "Storage", "Database", "What next:"] {
        assert!(ending.stdout.contains(said), "no '{said}' in\n{}", ending.stdout);
    }
    let count = format!(
        "Run {id} (T121 T611 T613 T711, size T) of 10 points: 9 ok, 0 failed, 0 invalid, 1 unsupported; kept in ./dbdyno.db"
    );
    assert!(ending.stdout.contains(&count), "no '{count}' in\n{}", ending.stdout);
    check_document(&document);
    assert_eq!(
        statuses(&document),
        [["T121 ok"; 3].as_slice(), &["T611 ok"; 3], &["T613 unsupported"], &["T711 ok"; 3]].concat()
    );
    assert_eq!((text(&document, "/run/size"), text(&document, "/run/status")), ("T", "done"));
    // By id, prefix, label, and `last`; completely, partly, and in every table.
    for name in [id.as_str(), &id[..7], "first", "last"] {
        assert_eq!(room.show(name), document, "{name}");
    }
    let part = room.run("show first --test T6* --json").expect(0).json();
    assert_eq!(statuses(&part), ["T611 ok", "T611 ok", "T611 ok", "T613 unsupported"]);
    check_document(&part);
    for table in ["8.0", "8.4", "cells", "summary", "platform"] {
        let page = room.run(&format!("show last --table {table}")).expect(0);
        check_plain(&page);
        assert!(page.stdout.lines().count() > 5 && page.stderr.is_empty(), "{table}: {page:?}");
    }
    // In the list.
    let runs = room.runs();
    assert_eq!(runs.len(), 1);
    for (key, value) in [("id", id.as_str()), ("label", "first"), ("size", "T"), ("status", "done")] {
        assert_eq!(runs[0][key], value);
    }
    assert_eq!((&runs[0]["points"], &runs[0]["points_planned"]), (&10.into(), &10.into()));
    let list = room.run("list runs").expect(0).stdout;
    assert!(list.lines().any(|l| l.contains(&id) && l.contains("first") && l.contains("10/10")), "{list}");
}

/// The list of the documents' pages names commands; each of them is one.
#[test]
fn the_commands_that_show_published_pages_do() {
    let room = Room::new();
    let list = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/published-pages.md")).unwrap();
    let rows = list.lines().filter(|line| line.starts_with("| "));
    let commands: BTreeSet<&str> = rows.flat_map(|row| row.split('`').skip(1).step_by(2)).collect();
    let commands: Vec<&str> = commands.into_iter().filter(|command| command.starts_with("show ")).collect();
    assert!(commands.len() > 5, "{commands:?}");
    for command in commands {
        let shown = room.run(&command.replace("PLATFORM", "ibm_p8_e870_2016")).expect(0).stdout;
        assert!(shown.lines().count() > 5, "{command}: {shown}");
    }
    room.run("compare ibm_p8_e870_2016 hpe_dl580_bm_2016").expect(0);
    // Some tests alone keep the numbers of their source.
    let rows = |line: &str| {
        let shown = room.run(&format!("show hp_dl980_violin_2012 --table 8.0{line}")).expect(0).stdout;
        let rows = shown.lines().filter(|line| line.split_whitespace().nth(1) == Some("T626")).map(str::to_owned);
        rows.collect::<Vec<_>>()
    };
    assert!(rows("").len() > 3);
    assert_eq!(rows(" --test T6*"), rows(""));
}

#[test]
fn data_is_loaded_once_checked_and_dropped() {
    let room = Room::with_data();
    let again = room.run("load --target sqlite:x.sqlite --size T").expect(0);
    assert!(again.stdout.contains("there was nothing to load"), "{}", again.stdout);
    let found = room.run("check --target sqlite:x.sqlite --json").expect(0).json();
    assert_eq!(found["size"], "T");
    assert!(found["findings"].as_array().unwrap().iter().all(|f| f["level"] != "blocker"), "{found:#}");
    // Other tables stay.
    let other = Connection::open(room.path("x.sqlite")).unwrap();
    other
        .execute_batch("CREATE TABLE customer_notes (note TEXT); INSERT INTO customer_notes VALUES ('keep me')")
        .unwrap();
    drop(other);
    room.run("drop --target sqlite:x.sqlite").expect(0);
    let other = Connection::open(room.path("x.sqlite")).unwrap();
    let note: String = other.query_row("SELECT note FROM customer_notes", [], |row| row.get(0)).unwrap();
    let tables: u32 = other.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0)).unwrap();
    assert_eq!((note.as_str(), tables), ("keep me", 1));
}

#[test]
fn two_loads_of_a_seed_are_the_same_and_of_another_are_not() {
    let room = Room::new();
    let sums = |file: &str, seed: u32| {
        let line = format!("load --target sqlite:{file} --size T --seed {seed} --json");
        let answer = room.run(&line).expect(0).json();
        answer["tables"].as_array().unwrap().iter().map(|t| text(t, "/checksum").to_owned()).collect::<Vec<_>>()
    };
    let (first, second, other) = (sums("a.sqlite", 1), sums("b.sqlite", 1), sums("c.sqlite", 2));
    assert_eq!(first, second);
    assert!(first.iter().zip(&other).all(|(a, b)| a != b), "{first:?} {other:?}");
}

#[test]
fn lists_have_the_promised_columns() {
    let room = Room::new();
    let tests = room.run("list tests --engine sqlite --json").expect(0).json();
    let tests = tests.as_array().unwrap();
    assert!(tests.len() >= 53, "{}", tests.len());
    for test in tests {
        let keys: Vec<&str> = test.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(keys, ["class", "client_form", "code", "drive", "layer", "mapping", "metric", "note", "title"]);
        for key in ["class", "code", "drive", "layer", "metric", "title"] {
            assert!(!text(test, &format!("/{key}")).is_empty(), "{test}");
        }
        // A test that this engine cannot do has no drive, and procedural code has no client drive.
        let selects = text(test, "/class") == "T600" && text(test, "/mapping") != "none";
        let none = text(test, "/class") == "T100" || text(test, "/mapping") == "none";
        assert!(test["client_form"] == selects || !(selects || none), "{test}");
        assert!(["cpu", "server", "storage", "database"].contains(&text(test, "/layer")), "{test}");
        // An equivalent says how, and an unsupported test says why.
        match text(test, "/mapping") {
            "native" => {}
            "equivalent" | "none" => assert!(text(test, "/note").len() >= 15, "{test}"),
            other => panic!("mapping '{other}'"),
        }
    }
    let table = room.run("list tests --engine sqlite").expect(0).stdout;
    assert!(tests.iter().all(|t| table.contains(text(t, "/code"))), "{table}");
    let line = |code: &str| table.lines().find(|line| line.starts_with(code)).unwrap_or_default().to_owned();
    assert!(line("T611").contains(" server, client ") && !line("T111").contains("client"), "{table}");
    for (what, id) in [("suites", "id"), ("sizes", "id"), ("engines", "name"), ("metrics", "id")] {
        let list = room.run(&format!("list {what} --json")).expect(0).json();
        assert!(list.as_array().is_some_and(|l| !l.is_empty() && l.iter().all(|o| o[id].is_string())), "{list:#}");
    }
    assert_eq!(room.files().len(), 0, "listing makes no files");
}

/// The whole script of some tests, prepared by the library with the schema that it prints.
#[test]
fn every_statement_is_printed_and_is_sound() {
    let room = Room::new();
    let script = room.run("sql sqlite --test T4*,T6*,T7*,T8* --size T --json").expect(0).json();
    let database = Connection::open_in_memory().unwrap();
    let mut prepared = 0;
    let mut play = |sql: &str| {
        let mut batch = rusqlite::Batch::new(&database, sql);
        while let Some(mut statement) = batch.next().unwrap_or_else(|e| panic!("{e} in\n{sql}")) {
            prepared += 1;
            let defines = statement.parameter_count() == 0 && statement.column_count() == 0;
            if defines {
                statement.execute([]).unwrap_or_else(|e| panic!("{e} in\n{sql}"));
            }
        }
    };
    play(text(&script, "/schema"));
    let tests = script["tests"].as_array().unwrap();
    for test in tests {
        match test["script"].as_str() {
            Some(sql) => play(sql),
            None => assert_eq!(test["mapping"], "none", "{test:#}"),
        }
    }
    assert!(prepared > tests.len(), "{prepared} statements of {} tests", tests.len());
    let page = room.run("sql sqlite --test T6* --size T").expect(0).stdout;
    assert!(tests.iter().filter(|t| text(t, "/code").starts_with("T6")).all(|t| page.contains(text(t, "/code"))));
    assert!(page.contains(text(&script, "/schema")), "the page has the schema too");
}

#[test]
fn all_fifty_tests_of_the_old_suite_are_measured_or_say_why_not() {
    let room = Room::with_data();
    let ending = room.run("run orabench --target sqlite:x.sqlite --ramp 1 --duration 400ms").expect(0);
    let document = room.show("last");
    check_document(&document);
    let codes: std::collections::BTreeSet<&str> = points(&document).iter().map(|p| text(p, "/test")).collect();
    assert_eq!(codes.len(), 50, "{codes:?}");
    let bad: Vec<String> = points(&document)
        .iter()
        .filter(|p| !["ok", "unsupported"].contains(&text(p, "/status")))
        .map(|p| format!("{} {}: {}", text(p, "/test"), text(p, "/status"), p["reason"]))
        .collect();
    assert!(bad.is_empty(), "{bad:#?}\n{}", ending.stderr);
    let measured = points(&document).iter().filter(|p| p["status"] == "ok").count();
    assert!(measured >= 25, "only {measured} points were measured");
}

#[test]
fn a_reader_who_leaves_early_is_no_error() {
    let room = Room::new();
    let head = Command::new("sh")
        .args(["-c", "\"$0\" list tests | head -1", crate::support::DBDYNO])
        .current_dir(room.folder())
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&head.stderr), "");
    assert!(String::from_utf8_lossy(&head.stdout).starts_with("code"), "{head:?}");
    // Nobody reads the output, from the first byte on.
    for line in ["list tests", "sql sqlite", "--help", "list suites --json"] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let ended = room.command(line).stdout(writer).stderr(Stdio::piped()).output().unwrap();
        assert_eq!((ended.status.code(), String::from_utf8_lossy(&ended.stderr).as_ref()), (Some(0), ""), "{line}");
    }
}

#[test]
fn results_go_where_the_environment_says() {
    let room = Room::new();
    let mut command = room.command("run T512 --jobs 1 --threads 1 --duration 20ms --target null: --quiet");
    command.env("DBDYNO_RESULTS", room.path("elsewhere.db"));
    let ending = Running::start(command).end().expect(0);
    assert!(ending.stderr.is_empty(), "quiet is quiet: {}", ending.stderr);
    assert!(room.path("elsewhere.db").is_file() && !room.path("dbdyno.db").exists());
    room.run("show last --results elsewhere.db").expect(0);
}

/// A dry run prints what would be done, and does nothing.
#[test]
fn a_dry_run_says_what_it_would_do_and_does_nothing() {
    let room = Room::with_data();
    let before = room.files();
    let line = "run T611 T711 T132 --target sqlite:x.sqlite --ramp 1,2,4 --max-jobs 2 --duration 5s --dry-run";
    let page = room.run(line).expect(0).stdout;
    for said in
        ["T611", "1x1x1 1x2x1", "changes rows of dbdyno's tables", "not supported: ", "at most 2 at work at once"]
    {
        assert!(page.contains(said), "'{said}' in {page}");
    }
    assert!(!page.contains("1x4x1") && page.contains("nothing was measured, loaded or stored"), "{page}");
    let document = room.run(&format!("{line} --json")).expect(0).json();
    assert_eq!(document["most_at_work"], 2);
    assert!(document["at_least_s"].as_f64().unwrap() > 20.0, "{document:#}");
    assert_eq!(document["tests"][0]["test"], "T611");
    assert!(room.files() == before, "nothing was changed");
    assert!(document["load_first"].is_null() && !page.contains("will be loaded"), "everything is there: {page}");
    // What a run would refuse is refused.
    let ending = room.run("run T611 --target sqlite:x.sqlite --jobs 8 --max-jobs 4 --dry-run").expect(2);
    assert!(
        ending.stderr.contains("--max-jobs 4 is less than the 8 that --jobs and --threads, or --users, ask for"),
        "{}",
        ending.stderr
    );
}

/// A load puts load on the server, too: a dry run describes it, and the limit of jobs applies to it.
#[test]
fn a_dry_run_says_what_is_loaded_first() {
    let room = Room::new();
    let line = "run T611 --target sqlite:new.sqlite --size T --max-jobs 1 --dry-run";
    let page = room.run(line).expect(0).stdout;
    let size = room.run("list sizes --json").expect(0).json();
    let size = size.as_array().unwrap().iter().find(|size| size["id"] == "T").unwrap().clone();
    for said in
        ["tables of size T are missing and will be loaded first, with no more jobs at once than 1:", "read back"]
    {
        assert!(page.contains(said), "'{said}' in {page}");
    }
    let document = room.run(&format!("{line} --json --no-verify")).expect(0).json();
    let load = &document["load_first"];
    assert_eq!((&load["jobs"], &load["resumes"], &load["verifies"]), (&1.into(), &false.into(), &false.into()));
    assert_eq!(load["rows_of_each_small_table"], size["small_rows"]);
    assert_eq!(load["rows_of_each_large_table"], size["large_rows"]);
    assert!(load["space_bytes"].as_u64().unwrap() > size["large_rows"].as_u64().unwrap() * 100, "{document:#}");
    let unlimited = room.run(&line.replace("--max-jobs 1", "--json")).expect(0).json();
    assert!(unlimited["load_first"]["jobs"].as_u64().unwrap() >= 1, "{unlimited:#}");
    assert!(room.files().is_empty(), "nothing was changed");
}

/// Two figures of one work: the calls of fibonacci(39), and those of fibonacci(40), each at its measured rate.
#[test]
fn seconds_of_fibonacci_are_those_of_the_number_that_the_test_names() {
    let room = Room::with_data();
    let document = room.run("run T151 T154 --ramp 1 --duration 100ms --target sqlite:x.sqlite --json").expect(0).json();
    assert_eq!(statuses(&document), ["T151 ok", "T154 ok"]);
    for (point, (n, calls)) in points(&document).iter().zip([(39, 204_668_309.0), (40, 331_160_281.0)]) {
        check_point(point);
        let worked_out = number(point, "/elapsed_s") * number(point, "/ops_per_s");
        assert!((worked_out / calls - 1.0).abs() < 1e-6, "{worked_out} calls of {calls}: {point:#}");
        assert!(
            text(point, "/extrapolated/elapsed_s").starts_with(&format!("fibonacci({n}) was not run")),
            "{point:#}"
        );
    }
}

#[test]
fn what_a_size_has_too_few_keys_for_says_so_at_a_set_rate_too() {
    let room = Room::with_data();
    room.run("run T721 --target sqlite:x.sqlite --drive client --rate 500/s --jobs 40 --duration 100ms").expect(0);
    let summary = room.run("show last --table summary").expect(0).stdout;
    let row = summary.lines().find(|line| line.contains(" T721 ")).unwrap_or_else(|| panic!("{summary}"));
    assert!(row.contains("not supported: 40 jobs cannot own disjoint keys"), "{summary}");
    assert!(!summary.contains("set rates alone"), "nothing was measured: {summary}");
}
