//! Passwords: where they come from, and that nobody sees them.

use super::{Database, PASSWORD};
use crate::support::{Room, Running, wait_until};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

const WRONG: &str = "open-barley-1174";

/// Where a password is given.
#[derive(Debug, Clone, Copy)]
enum Given {
    Nowhere,
    Variable(&'static str),
    File,
}

fn command(room: &Room, given: Given, password: &str, line: &str) -> std::process::Command {
    let mut command = room.command(line);
    match given {
        Given::Nowhere => {}
        Given::Variable(name) => _ = command.env(name, password),
        Given::File => {
            let file = room.path(".pgpass");
            std::fs::write(&file, format!("# mine\n127.0.0.1:*:*:scott:{password}\n")).unwrap();
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
        }
    }
    command
}

/// A database in which scott may work.
fn scotts() -> (Database, String) {
    let database = Database::loaded();
    database.psql(&format!("GRANT CREATE ON DATABASE {} TO scott; ALTER SCHEMA dbdyno OWNER TO scott;", database.name));
    database.psql(
        "DO $$ DECLARE name regclass; BEGIN
           FOR name IN SELECT oid FROM pg_class WHERE relnamespace = 'dbdyno'::regnamespace AND relkind IN ('r', 'p') LOOP
             EXECUTE format('ALTER TABLE %s OWNER TO scott', name);
           END LOOP; END $$",
    );
    let target = database.server.tcp("scott", &database.name);
    (database, target)
}

#[test]
fn passwords_come_from_three_places_and_are_seen_in_none() {
    let (_database, target) = scotts();
    for given in [Given::Variable("DBDYNO_PASSWORD"), Given::Variable("PGPASSWORD"), Given::File] {
        let room = Room::new();
        let line = format!("run T611 --ramp 1 --duration 200ms --target {target}");
        let run = Running::start(command(&room, given, PASSWORD, &line));
        run.until("measuring");
        let typed = std::fs::read(Path::new("/proc").join(run.id().to_string()).join("cmdline")).unwrap();
        assert!(!typed.is_empty(), "it was to be looked at while it runs");
        let ending = run.end().expect(0);
        let shown = room.run("show last --json").expect(0).stdout;
        std::fs::remove_file(room.path(".pgpass")).ok();
        let files = room.files();
        assert!(files.keys().any(|path| path.ends_with("dbdyno.db")), "there are results");
        let everything = [typed, ending.stdout.into(), ending.stderr.into(), shown.into()];
        for bytes in everything.iter().chain(files.values()) {
            assert!(!String::from_utf8_lossy(bytes).contains(PASSWORD), "{given:?}: the password was shown");
        }
    }
}

#[test]
fn a_wrong_password_is_refused_unseen() {
    let (_database, target) = scotts();
    let places = "DBDYNO_PASSWORD, PGPASSWORD, the file of PGPASSFILE or ~/.pgpass, or asked for on a terminal";
    for (given, said) in [
        (Given::Nowhere, "the server wants a password, and none was given"),
        (Given::Variable("DBDYNO_PASSWORD"), "the password came from DBDYNO_PASSWORD;"),
        (Given::Variable("PGPASSWORD"), "the password came from PGPASSWORD;"),
        (Given::File, ".pgpass;"),
    ] {
        for what in ["run T611", "check", "load --size T", "drop"] {
            let room = Room::new();
            let ending = Running::start(command(&room, given, WRONG, &format!("{what} --target {target}"))).end();
            let ending = ending.expect(2);
            let told = format!("{}{}", ending.stdout, ending.stderr);
            assert!(told.contains("authentication failed: "), "{given:?} {what}: {told}");
            assert!(told.contains(said) && told.contains(places), "{given:?} {what}: {told}");
            assert!(!told.contains(WRONG), "{given:?} {what}: {told}");
            assert!(!room.path("dbdyno.db").exists(), "nothing was measured, so there are no results");
        }
    }
}

#[test]
fn a_password_in_the_target_works_with_a_warning_and_is_not_kept() {
    let (room, (database, target)) = (Room::new(), scotts());
    let with = |password: &str| target.replacen("scott@", &format!("scott:{password}@"), 1);
    let line = |password| format!("run T611 --ramp 1 --duration 200ms --target {}", with(password));
    let ending = room.run(&line(PASSWORD)).expect(0);
    assert!(ending.complaints()[0].starts_with("dbdyno: warning: the target contains a password"), "{}", ending.stderr);
    let shown = room.run("show last --json").expect(0).stdout;
    assert!(shown.contains(&target), "{shown}");
    // Without it the run cannot be resumed; with the target as typed it can.
    let other = room.run(&line(WRONG)).expect(2);
    let as_option = format!("run T611 --target {target}?password={WRONG}");
    let option = room.run(&as_option).expect(2);
    for said in [&ending.stdout, &ending.stderr, &shown, &other.stderr, &option.stderr] {
        assert!(!said.contains(PASSWORD) && !said.contains(WRONG), "{said}");
    }
    for (path, bytes) in room.files() {
        assert!(!String::from_utf8_lossy(&bytes).contains(PASSWORD), "{}", path.display());
    }
    // The server's sessions do not tell it either.
    wait_until("the end of sessions", || {
        let sql = format!("SELECT count(*) FROM pg_stat_activity WHERE datname = '{}'", database.name);
        database.server.psql("postgres", &sql) == "0"
    });
}

#[test]
fn a_password_file_that_others_may_read_is_not_used() {
    let (room, (_database, target)) = (Room::new(), scotts());
    let command = command(&room, Given::File, PASSWORD, &format!("run T611 --target {target}"));
    let file = room.path(".pgpass");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
    let ending = Running::start(command).end().expect(2);
    let words = format!("{0} was ignored, because others may read it: chmod 0600 {0}", file.display());
    assert!(ending.stderr.contains(&words) && !ending.stderr.contains(PASSWORD), "{}", ending.stderr);
}
