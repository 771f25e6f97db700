//! Passwords: their sources, and that they are never shown.

use super::{PASSWORD, Product, SCOTT, stories, until_gone};
use crate::support::{Room, Running};
use dbdyno_testkit::servers::fixtures::Database;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

stories!(
    passwords_come_from_three_places_and_are_seen_in_none,
    a_wrong_password_is_refused_unseen,
    a_password_in_the_target_works_with_a_warning_and_is_not_kept,
    a_password_file_that_others_may_read_is_not_used,
);

const WRONG: &str = "open-barley-1174";

/// Where a product's programs look for passwords.
pub(crate) trait Passwords: Product {
    /// The variable.
    const VARIABLE: &'static str;

    /// The file in the home folder.
    const FILE: &'static str;

    /// A password file with scott's password.
    fn file(password: &str) -> String;

    /// All places where dbdyno looks, in its words.
    const PLACES: &'static str;

    /// The message without a password.
    const NONE: &'static str;
}

/// Where a password is given.
#[derive(Debug, Clone, Copy)]
enum Given {
    Nowhere,
    Variable(&'static str),
    File,
}

fn command<S: Passwords>(room: &Room, given: Given, password: &str, line: &str) -> std::process::Command {
    let mut command = room.command(line);
    match given {
        Given::Nowhere => {}
        Given::Variable(name) => _ = command.env(name, password),
        Given::File => {
            let file = file::<S>(room);
            std::fs::write(&file, S::file(password)).unwrap();
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
        }
    }
    command
}

fn file<S: Passwords>(room: &Room) -> PathBuf {
    room.path(S::FILE)
}

/// A database in which scott may work, and his target there.
fn scotts<S: Passwords>() -> (Database<S>, String) {
    let database = S::fixtures().loaded();
    database.server.hand_over(&database.name, SCOTT);
    let target = database.server.tcp(SCOTT, &database.name);
    (database, target)
}

fn passwords_come_from_three_places_and_are_seen_in_none<S: Passwords>() {
    let (_database, target) = scotts::<S>();
    for given in [Given::Variable("DBDYNO_PASSWORD"), Given::Variable(S::VARIABLE), Given::File] {
        let room = Room::new();
        let line = format!("run T611 --ramp 1 --duration 200ms --target {target}");
        let run = Running::start(command::<S>(&room, given, PASSWORD, &line));
        run.until("measuring");
        let typed = std::fs::read(Path::new("/proc").join(run.id().to_string()).join("cmdline")).unwrap();
        assert!(!typed.is_empty(), "it was to be looked at while it runs");
        let ending = run.end().expect(0);
        let shown = room.run("show last --json").expect(0).stdout;
        std::fs::remove_file(file::<S>(&room)).ok();
        let files = room.files();
        assert!(files.keys().any(|path| path.ends_with("dbdyno.db")), "there are results");
        let everything = [typed, ending.stdout.into(), ending.stderr.into(), shown.into()];
        for bytes in everything.iter().chain(files.values()) {
            assert!(!String::from_utf8_lossy(bytes).contains(PASSWORD), "{given:?}: the password was shown");
        }
    }
}

fn a_wrong_password_is_refused_unseen<S: Passwords>() {
    let (_database, target) = scotts::<S>();
    for (given, said) in [
        (Given::Nowhere, S::NONE.to_owned()),
        (Given::Variable("DBDYNO_PASSWORD"), "the password came from DBDYNO_PASSWORD;".to_owned()),
        (Given::Variable(S::VARIABLE), format!("the password came from {};", S::VARIABLE)),
        (Given::File, format!("{};", S::FILE)),
    ] {
        for what in ["run T611", "check", "load --size T", "drop"] {
            let room = Room::new();
            let ending = Running::start(command::<S>(&room, given, WRONG, &format!("{what} --target {target}"))).end();
            let ending = ending.expect(2);
            let told = format!("{}{}", ending.stdout, ending.stderr);
            assert!(told.contains("authentication failed: "), "{given:?} {what}: {told}");
            assert!(told.contains(&said) && told.contains(S::PLACES), "{given:?} {what}: {told}");
            assert!(!told.contains(WRONG), "{given:?} {what}: {told}");
            assert!(!room.path("dbdyno.db").exists(), "nothing was measured, so there are no results");
        }
    }
}

fn a_password_in_the_target_works_with_a_warning_and_is_not_kept<S: Passwords>() {
    let (room, (database, target)) = (Room::new(), scotts::<S>());
    let with = |password: &str| target.replacen("scott@", &format!("scott:{password}@"), 1);
    let line = |password| format!("run T611 --ramp 1 --duration 200ms --target {}", with(password));
    let ending = room.run(&line(PASSWORD)).expect(0);
    assert!(ending.complaints()[0].starts_with("dbdyno: warning: the target contains a password"), "{}", ending.stderr);
    let shown = room.run("show last --json").expect(0).stdout;
    assert!(shown.contains(&target), "{shown}");
    // Without the password the run cannot be resumed; with the target as typed it can.
    let other = room.run(&line(WRONG)).expect(2);
    let as_option = format!("run T611 --target {target}?password={WRONG}");
    let option = room.run(&as_option).expect(2);
    for said in [&ending.stdout, &ending.stderr, &shown, &other.stderr, &option.stderr] {
        assert!(!said.contains(PASSWORD) && !said.contains(WRONG), "{said}");
    }
    for (path, bytes) in room.files() {
        assert!(!String::from_utf8_lossy(&bytes).contains(PASSWORD), "{}", path.display());
    }
    // The server's sessions do not show it either.
    until_gone(database.server, &database.name);
}

fn a_password_file_that_others_may_read_is_not_used<S: Passwords>() {
    let (room, (_database, target)) = (Room::new(), scotts::<S>());
    let command = command::<S>(&room, Given::File, PASSWORD, &format!("run T611 --target {target}"));
    let file = file::<S>(&room);
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
    let ending = Running::start(command).end().expect(2);
    let words = format!("{0} was ignored, because others may read it: chmod 0600 {0}", file.display());
    assert!(ending.stderr.contains(&words) && !ending.stderr.contains(PASSWORD), "{}", ending.stderr);
}
