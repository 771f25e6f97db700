//! Bad input: the exact words, exit code 2, nothing on stdout, and no new byte on disk.

use crate::small_disk::SmallDisk;
use crate::support::{Ending, Room, Running, text};
use rusqlite::Connection;
use std::path::Path;

/// Asserts a refusal with these words that changed nothing.
#[track_caller]
fn refused(room: &Room, line: &str, words: &str) {
    let before = room.files();
    let ending = room.run(line);
    check(&ending, words);
    let after = room.files();
    let names = |files: &std::collections::BTreeMap<std::path::PathBuf, Vec<u8>>| {
        files.keys().map(|path| path.display().to_string()).collect::<Vec<_>>()
    };
    assert_eq!(names(&before), names(&after), "`dbdyno {line}` made or removed files");
    assert!(before == after, "`dbdyno {line}` changed a file");
}

#[track_caller]
fn check(ending: &Ending, words: &str) {
    assert_eq!(ending.stderr, words);
    assert_eq!(ending.stdout, "", "a refusal is on stderr alone");
    assert_eq!(ending.code, Some(2));
}

#[test]
fn unknown_names_are_answered_with_the_nearest() {
    let room = Room::new();
    let target = "--target sqlite:x.sqlite";
    for (line, words) in [
        (
            format!("run T661 {target}"),
            "dbdyno: there is no test 'T661'; nearest: T611, T616, T621; `dbdyno list tests` shows all\n",
        ),
        (
            format!("run T611 t6x* {target}"),
            "dbdyno: there is no test 't6x*'; nearest: T611, T612, T613; `dbdyno list tests` shows all\n",
        ),
        (
            format!("run quik {target}"),
            "dbdyno: there is no suite 'quik'; nearest: quick; `dbdyno list suites` shows all\n",
        ),
        (
            format!("run quick {target} --size XX"),
            "dbdyno: there is no size 'XX'; nearest: XL; `dbdyno list sizes` shows all\n",
        ),
        (format!("load {target} --size Q"), "dbdyno: there is no size 'Q'; `dbdyno list sizes` shows all\n"),
        (
            "run quick --target sqlit:x.sqlite".to_owned(),
            "dbdyno: there is no engine 'sqlit' in this build (did you mean 'sqlite'?); it has: ENGINES\n",
        ),
        ("sql informix".to_owned(), "dbdyno: there is no engine 'informix' in this build; it has: ENGINES\n"),
        (
            "list tests --engine squlite".to_owned(),
            "dbdyno: there is no engine 'squlite' in this build (did you mean 'sqlite'?); it has: ENGINES\n",
        ),
        (
            "sql sqlite --test T119 --size T".to_owned(),
            "dbdyno: there is no test 'T119'; nearest: T111; `dbdyno list tests` shows all\n",
        ),
    ] {
        refused(&room, &line, &words.replace("ENGINES", &engines()));
    }
}

/// The engines of this build, as in messages.
fn engines() -> String {
    let engines = [
        ("sqlite", true),
        ("postgres", cfg!(feature = "postgres")),
        ("mariadb", cfg!(feature = "mariadb")),
        ("oracle", cfg!(feature = "oracle")),
    ];
    engines.into_iter().filter(|(_, built)| *built).map(|(name, _)| name).collect::<Vec<_>>().join(", ")
}

#[test]
fn impossible_numbers_are_refused() {
    const HELP: &str = "\n\nFor more information, try '--help'.\n";
    const RAMP: &str = "a ramp is a list of degrees of parallelism from 1 to 65535, as in 1,2,4";
    let room = Room::new();
    for (options, words) in [
        ("--ramp 0", format!("invalid value '0' for '--ramp <1,2,4>': '0' in '0' is no degree of parallelism; {RAMP}")),
        (
            "--ramp 4,x",
            format!("invalid value '4,x' for '--ramp <1,2,4>': 'x' in '4,x' is no degree of parallelism; {RAMP}"),
        ),
        (
            "--duration 0",
            "invalid value '0' for '--duration <TIME>': a window without length has no rate; use 2s for a first look, \
             10s or more for decisions"
                .to_owned(),
        ),
        ("--repeat 0", "invalid value '0' for '--repeat <N>': 0 is not in 1..=1000".to_owned()),
        (
            "--jobs 0",
            "invalid value '0' for '--jobs <N>': it is no degree of parallelism; write a whole number from 1 to 65535"
                .to_owned(),
        ),
        (
            "--label last",
            "invalid value 'last' for '--label <NAME>': `last` always means the newest run; choose another name"
                .to_owned(),
        ),
    ] {
        let line = format!("run T611 --target sqlite:x.sqlite {options}");
        refused(&room, &line, &format!("dbdyno: {words}{HELP}"));
    }
}

#[test]
fn a_target_must_be_one() {
    let room = Room::new();
    refused(
        &room,
        "drop",
        "dbdyno: the following required arguments were not provided:\n  --target <URL>\n\n\
         Usage: dbdyno drop --target <URL>\n\nFor more information, try '--help'.\n",
    );
    for (target, words) in [
        (
            "x.sqlite",
            "'x.sqlite' is no target: it begins with no engine's name; `dbdyno list engines` shows how targets are written",
        ),
        ("sqlite:", "the target 'sqlite:' cannot be used: the file's name is missing; write sqlite:FILE"),
        (
            "sqlite::memory:",
            "the target 'sqlite::memory:' cannot be used: every job has a connection of its own, and they would share \
             nothing; name a file",
        ),
        (
            "sqlite:x.sqlite?sync=full",
            "the target 'sqlite:x.sqlite?sync=full' cannot be used: there is no option 'sync'; there are \
             synchronous=full|normal|off and journal=wal|delete",
        ),
        (
            "sqlite:x.sqlite?journal=memory",
            "the target 'sqlite:x.sqlite?journal=memory' cannot be used: journal is one of wal, delete",
        ),
        ("null:?speed=fast", "the target 'null:?speed=fast' cannot be used: speed must be a whole number"),
    ] {
        refused(&room, &format!("run T611 --target {target}"), &format!("dbdyno: {words}\n"));
    }
}

/// A missing folder is bad input: nothing was done, so the exit code is 2 and there is no results file.
#[test]
fn a_target_in_a_folder_that_is_not_there_is_refused_before_anything_is_made() {
    let room = Room::new();
    for what in ["run T611", "run T121", "load"] {
        refused(
            &room,
            &format!("{what} --target sqlite:no/x.sqlite"),
            "dbdyno: sqlite:no/x.sqlite cannot be used: the folder no does not exist; create it first\n",
        );
    }
}

/// SQLite would take a device for an empty database, and follow a link; every command refuses them in the same words.
#[test]
fn a_target_is_a_plain_file_to_every_command() {
    let room = Room::with_data();
    std::fs::create_dir(room.path("folder")).unwrap();
    std::os::unix::fs::symlink("x.sqlite", room.path("link.sqlite")).unwrap();
    for (target, words) in [
        ("/dev/null", "is no plain file; name one, or one that is not there yet"),
        ("folder", "is a folder; name a file in it"),
        ("link.sqlite", "is a link; name the file that it leads to"),
    ] {
        for what in ["run T611", "run T121", "load", "drop"] {
            refused(
                &room,
                &format!("{what} --target sqlite:{target}"),
                &format!("dbdyno: sqlite:{target} cannot be used: {target} {words}; dbdyno changed nothing there\n"),
            );
        }
        let check = room.run(&format!("check --target sqlite:{target}")).expect(2);
        assert!(check.stdout.contains(words), "{}", check.stdout);
    }
}

#[test]
fn a_password_in_a_mistyped_target_is_not_shown() {
    let room = Room::new();
    let ending = room.run("run T611 --target postgres//scott:tiger@db1:5432/x").expect(2);
    assert!(!ending.stderr.contains("tiger"), "{}", ending.stderr);
    // In any spelling, and in any place.
    for typed in
        ["scott/tiger@db1", "oracle://scott/tiger@db1/x", "oracle://db1/x?Password=tiger", "oracle:scott/tiger@db1"]
    {
        for line in
            [format!("run T611 --target {typed}"), format!("run {typed} --target null:"), format!("{typed} run")]
        {
            let ending = room.run(&line).expect(2);
            assert!(!ending.stderr.contains("tiger"), "{line}: {}", ending.stderr);
        }
    }
}

/// A password is hidden, and the rest of the message is complete.
#[test]
fn messages_are_whole_beside_a_hidden_password() {
    let room = Room::new();
    for password in ["x", "tiger", "tiger-4711", "scott"] {
        let ending = room.run(&format!("run T611 --target postgres://scott:{password}@127.0.0.1:1/x")).expect(2);
        assert!(ending.stderr.contains("dbdyno: postgres://scott@127.0.0.1:1/x cannot be used: "), "{}", ending.stderr);
        assert!(!ending.stderr.contains(&format!("{password}@")) || password == "scott", "{}", ending.stderr);
    }
}

#[test]
fn results_go_only_where_they_can() {
    let room = Room::new();
    let run = "run T512 --jobs 1 --threads 1 --duration 20ms --target null: --results";
    refused(
        &room,
        &format!("{run} no/x.db"),
        "dbdyno: cannot create no/x.db: there is no folder no; create it, or name another file with --results\n",
    );
    std::fs::create_dir(room.path("folder")).unwrap();
    refused(
        &room,
        &format!("{run} folder"),
        "dbdyno: folder is a folder: name a file in it, as in --results folder/dbdyno.db\n",
    );
    std::fs::write(room.path("notes.txt"), "a shopping list, longer than the head of a database file\n".repeat(99))
        .unwrap();
    let words =
        "dbdyno: notes.txt is not a dbdyno results file; it was left as it is: name another file with --results\n";
    refused(&room, &format!("{run} notes.txt"), words);
    refused(&room, "show last --results notes.txt", words);
    let other = Connection::open(room.path("music.db")).unwrap();
    other.execute_batch("CREATE TABLE songs (title TEXT); INSERT INTO songs VALUES ('Blue in Green')").unwrap();
    drop(other);
    let words = "dbdyno: music.db is an SQLite file of another application; it was left as it is: name another file with \
                 --results\n";
    refused(&room, &format!("{run} music.db"), words);
    refused(&room, "list runs --results music.db", words);
}

#[test]
fn results_of_a_newer_dbdyno_are_left_alone() {
    let room = Room::new();
    let run = "run T512 --jobs 1 --threads 1 --duration 20ms --target null:";
    room.run(run).expect(0);
    let known: u32 = room.results().pragma_query_value(None, "user_version", |row| row.get(0)).unwrap();
    room.results().execute_batch("PRAGMA user_version = 99; PRAGMA journal_mode = DELETE").unwrap();
    let words = format!(
        "dbdyno: ./dbdyno.db was written by a newer dbdyno (results schema 99; this one knows {known}): use that version, or another file \
         with --results\n"
    );
    for line in [run, "show last", "list runs", "resume last"] {
        refused(&room, line, &words);
    }
}

#[test]
fn results_in_a_read_only_place_are_refused() {
    let room = Room::new();
    let disk = SmallDisk::new(&room, 8);
    disk.make_read_only(&room);
    let results = disk.path("x.db").display().to_string();
    let line = format!("run T512 --jobs 1 --threads 1 --duration 20ms --target null: --results {results}");
    let ending = Running::start(disk.command(&room, crate::support::DBDYNO, &line)).end();
    check(
        &ending,
        &format!(
            "dbdyno: cannot write {results}: the file or its folder is read-only for this user; change that, or name \
             another file with --results\n"
        ),
    );
}

fn override_catalogue(room: &Room, file: &str, change: impl Fn(String) -> String) {
    let original = Path::new(env!("CARGO_MANIFEST_DIR")).join("catalogue").join(file);
    let path = room.path("mine").join(file);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, change(std::fs::read_to_string(original).unwrap())).unwrap();
}

#[test]
fn a_wrong_key_in_a_catalogue_override_is_named() {
    let room = Room::new();
    override_catalogue(&room, "tests/T600_select.toml", |toml| toml.replacen("table =", "tabel =", 1));
    let words =
        "dbdyno: mine/tests/T600_select.toml: [[test]] T611: unknown key 'tabel'; did you mean 'table'? (line 12)\n";
    for line in ["run T121 --target sqlite:x.sqlite --catalogue mine", "list tests --catalogue mine"] {
        refused(&room, line, words);
    }
}

#[test]
fn a_database_of_somebody_else_is_left_alone() {
    let room = Room::new();
    let other = Connection::open(room.path("shop.sqlite")).unwrap();
    other.execute_batch("CREATE TABLE orders (id INTEGER PRIMARY KEY); INSERT INTO orders VALUES (1)").unwrap();
    drop(other);
    let ours = Connection::open(room.path("like.sqlite")).unwrap();
    ours.execute_batch("CREATE TABLE dbdyno_small_heap (id INT); INSERT INTO dbdyno_small_heap VALUES (1)").unwrap();
    drop(ours);
    let shop = "dbdyno: sqlite:shop.sqlite cannot be used: shop.sqlite is a database of something else (orders); name \
                another file; dbdyno changed nothing there\n";
    let like = "dbdyno: sqlite:like.sqlite cannot be used: like.sqlite has tables named dbdyno_… that dbdyno did not make \
                (dbdyno_small_heap); name another file; dbdyno changed nothing there\n";
    for (file, words) in [("shop.sqlite", shop), ("like.sqlite", like)] {
        for what in ["run T611", "run T121", "load", "drop"] {
            refused(&room, &format!("{what} --target sqlite:{file}"), words);
        }
    }
    let check = room.run("check --target sqlite:like.sqlite").expect(2);
    assert!(check.stdout.contains("that dbdyno did not make"), "{}", check.stdout);
}

#[test]
fn a_size_other_than_the_target_holds_is_refused() {
    let room = Room::with_data();
    let holds = "dbdyno: sqlite:x.sqlite holds size T (seed 42), but";
    let advice = "was asked for; leave --size and --seed away, or run `dbdyno drop --target sqlite:x.sqlite` first\n";
    refused(&room, "run T611 --target sqlite:x.sqlite --size D", &format!("{holds} size D {advice}"));
    refused(&room, "load --target sqlite:x.sqlite --size T --seed 7", &format!("{holds} size T, seed 7 {advice}"));
}

#[test]
fn a_run_that_is_not_there_is_answered_with_the_nearest() {
    let room = Room::new();
    for line in ["show last", "list runs", "resume last"] {
        let words = "dbdyno: there are no results in ./dbdyno.db yet: measure something first, as in `dbdyno run`, or \
                     name another file with --results\n";
        refused(&room, line, words);
    }
    for _ in 0..2 {
        room.run("run T512 --jobs 1 --threads 1 --duration 20ms --target null: --label before").expect(0);
    }
    // Ids are random; these are fixed, so that the answers are known.
    let results = room.results();
    results.execute_batch("PRAGMA foreign_keys = OFF; PRAGMA journal_mode = DELETE").unwrap();
    let runs = room.runs();
    for (run, id) in runs.iter().zip(["7xk2aaaa", "7xk2bbbb"]) {
        for (table, column) in [("runs", "id"), ("points", "run")] {
            let sql = format!("UPDATE {table} SET {column} = ?1 WHERE {column} = ?2");
            results.execute(&sql, [id, text(run, "/id")]).unwrap();
        }
    }
    drop(results);
    refused(
        &room,
        "show befor",
        "dbdyno: there is no run 'befor' in ./dbdyno.db; did you mean before?: `dbdyno list runs` shows them all\n",
    );
    refused(&room, "show zzz", "dbdyno: there is no run 'zzz' in ./dbdyno.db: `dbdyno list runs` shows them all\n");
    refused(
        &room,
        "show 7xk2",
        "dbdyno: '7xk2' could be any of the runs 7xk2aaaa, 7xk2bbbb: type one more character\n",
    );
    assert_eq!(text(&room.show("7xk2b"), "/run/id"), "7xk2bbbb");
    refused(
        &room,
        "show last --test T611",
        "dbdyno: run 7xk2aaaa has no points of T611; `dbdyno show 7xk2aaaa` shows those it has\n",
    );
}

/// A login without a host, and other spellings of password options.
#[test]
fn passwords_are_not_shown_however_they_were_spelt() {
    let room = Room::new();
    for (target, expected) in [
        ("postgres://u:Geheim77", "a port is expected"),
        ("postgres://u:Geheim77/x", "a port is expected"),
        ("mariadb://u:Ge:Geheim77", "a host has two colons"),
        ("postgres://u@127.0.0.1:1/x?pass%77ord=Geheim77", "there is no option"),
        ("postgres://u@127.0.0.1:1/x?pw=Geheim77", "there is no option"),
        ("mariadb://u@127.0.0.1:1/x?secret=Geheim77", "there is no option"),
        ("postgres://u;password=Geheim77@127.0.0.1:1/x", "cannot be used"),
        ("mariadb://u%3AGeheim77@127.0.0.1:1/x", "cannot be used"),
    ] {
        for what in ["check", "run T611"] {
            let ending = room.run(&format!("{what} --target {target}")).expect(2);
            let said = format!("{}{}", ending.stdout, ending.stderr);
            assert!(!said.contains("heim77"), "`{what} --target {target}` shows it: {said}");
            assert!(what == "check" || said.contains(expected), "{target}: {said}");
        }
    }
    assert!(room.files().is_empty());
}

/// Reports that nobody makes, or that have no place to go, are refused before the target is asked for anything.
#[test]
fn reports_of_a_repository_need_one_and_a_folder() {
    let room = Room::new();
    std::fs::create_dir(room.path("there")).unwrap();
    std::fs::write(room.path("file"), "mine").unwrap();
    let none = "dbdyno: --awr-report there: ENGINE keeps no workload repository; leave it away\n";
    for target in ["sqlite:x.sqlite", "null:", "postgres://u@127.0.0.1:1/x", "mariadb://u@127.0.0.1:1/x"] {
        let engine = target.split(':').next().unwrap();
        let line = format!("run T611 --target {target} --awr-report there");
        refused(&room, &line, &none.replace("ENGINE", engine));
    }
    for (folder, why) in [
        ("nowhere", "there is no such folder; make it first"),
        ("file", "it is no folder; name one that you may write to"),
        ("/proc", "you may not create files there; name a folder that you may write to"),
    ] {
        let line = format!("run T611 --target null:?instances=1 --awr-report {folder}");
        refused(&room, &line, &format!("dbdyno: --awr-report {folder}: {why}\n"));
    }
}

#[cfg(feature = "oracle")]
#[test]
fn reports_of_oracles_repository_need_a_licence_that_somebody_claims() {
    let room = Room::new();
    std::fs::create_dir(room.path("there")).unwrap();
    // Nobody is there: only what is refused beforehand is not a connection that failed.
    let run = "run T611 --target oracle://scott@127.0.0.1:1/bench";
    let unclaimed = "AWR belongs to the Oracle Diagnostics Pack, and the target claims no licence of it: if this database has \
                     one, add --diagnostics-pack, else leave --awr-report away";
    refused(&room, &format!("{run} --awr-report there"), &format!("dbdyno: --awr-report there: {unclaimed}\n"));
    let claimed = format!("{run} --diagnostics-pack --awr-report");
    let nowhere = "dbdyno: --awr-report nowhere: there is no such folder; make it first\n";
    refused(&room, &format!("{claimed} nowhere"), nowhere);
    let asked = room.run(&format!("{claimed} there")).expect(2).stderr;
    assert!(!asked.contains("--awr-report") && asked.contains("127.0.0.1:1"), "{asked}");
}
