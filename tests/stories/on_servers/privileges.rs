//! A user with the least privileges: the printed set-up makes one. If a privilege is missing, the statement that grants
//! it is printed before anything is touched.

use super::{Product, grants, stories};
use crate::support::{Room, flagged, points, statuses, text};
use dbdyno_testkit::servers::fixtures::Database;

stories!(the_printed_set_up_makes_a_user_who_can_do_it_all, a_missing_privilege_is_named_with_the_grant_that_helps);

/// What users of a product's servers need.
pub(crate) trait Privileges: Product {
    /// The beginning of the printed set-up.
    const SET_UP: &'static str;

    /// The threads that a statement can have.
    const THREADS: u32;

    /// Runs the printed set-up as an administrator does, in or beside this database; returns the target of the new
    /// user.
    fn set_up(database: &Database<Self>, script: &str) -> String;

    /// dbdyno's objects after that: only what the set-up made.
    fn set_up_objects(database: &Database<Self>) -> Vec<String>;

    /// SQL that tells whether that user has server-wide rights beyond the needed ones: `0` if not.
    const POWERS: &'static str;

    /// Undoes the set-up.
    fn undo_set_up(database: &Database<Self>);

    /// Makes sure that each grant of the set-up has an effect on this server.
    fn let_every_grant_matter(database: &Database<Self>);

    /// The version that decides what is granted.
    fn version(&self) -> u32;

    /// Whether such a user can get the right to settle the server.
    fn can_settle(&self) -> bool;

    /// What `check` must report as in order for such a user.
    fn in_order(&self) -> Vec<&'static str>;

    /// The message for a user without any privilege who wants to load, and the statement in it that helps.
    fn may_not_load(user: &str, database: &str) -> (String, String);

    /// The message for another such user who wants to use loaded data, and that of `check`.
    fn may_not_run(user: &str, database: &str) -> [String; 2];
}

/// The only story with the user `dbdyno`, which belongs to the whole server.
fn the_printed_set_up_makes_a_user_who_can_do_it_all<S: Privileges>() {
    let (room, database) = (Room::new(), S::fixtures().empty());
    let script = room.run(&format!("sql {} --size T", S::ENGINE)).expect(0).stdout;
    assert!(script.contains(S::SET_UP), "{script}");
    // The set-up can be run again.
    let target = [(); 2].map(|()| S::set_up(&database, &script)).into_iter().next().unwrap();
    let made = S::set_up_objects(&database);
    assert_eq!(database.sql(S::POWERS), "0");
    let check = |expected| room.run(&format!("check --json --size T --target {target}")).expect(expected).json();
    let findings = check(2);
    let blockers: Vec<_> =
        findings["findings"].as_array().unwrap().iter().filter(|f| f["level"] == "blocker").collect();
    assert!(blockers.len() == 1 && text(blockers[0], "/subject") == "data", "only the data is missing: {findings:#}");
    room.run(&format!("load --size T --target {target}")).expect(0);
    let findings = check(0);
    for subject in database.server.in_order() {
        let found = findings["findings"].as_array().unwrap().iter().filter(|f| f["subject"] == subject);
        assert!(found.clone().count() > 0 && found.clone().all(|f| f["level"] == "ok"), "{subject}: {findings:#}");
    }
    let threads = S::THREADS;
    let line = format!("run T611 T711 T426 --jobs 1 --threads {threads} --duration 200ms --target {target}");
    room.run(&line).expect(0);
    let document = room.show("last");
    assert_eq!(statuses(&document), ["T611 ok", "T711 ok", "T426 ok"]);
    let settles = database.server.can_settle();
    assert!(points(&document).iter().all(|p| flagged(p, "not_settled") != settles), "{document:#}");
    grants::are_enough_and_each_is_for_what_it_says(&room, &database, &script, &target);
    room.run(&format!("drop --target {target}")).expect(0);
    assert_eq!(S::set_up_objects(&database), made, "what the administrator has made stays");
    S::undo_set_up(&database);
}

fn a_missing_privilege_is_named_with_the_grant_that_helps<S: Privileges>() {
    let (room, database) = (Room::new(), S::fixtures().empty());
    let user = database.user();
    let (target, before) = (database.target_of(&user), database.objects());
    let (words, helps) = S::may_not_load(&user, &database.name);
    assert!(words.contains(&helps));
    let check = room.run(&format!("check --size T --target {target}")).expect(2);
    assert!(check.stdout.contains(&words), "{}", check.stdout);
    let load = room.run(&format!("load --size T --target {target}")).expect(2);
    assert!(load.stderr.starts_with(&format!("dbdyno: {target} cannot be used: ")), "{}", load.stderr);
    assert!(load.stderr.contains(&words), "{}", load.stderr);
    assert_eq!(database.objects(), before, "nothing was made");
    // The statement as it stands in the message.
    database.sql(&helps);
    room.run(&format!("load --size T --target {target}")).expect(0);
    // Data of another user: the message says what to do.
    let other = format!("{user}_too");
    database.server.create_user(&other);
    let target = database.target_of(&other);
    let [run, check] = S::may_not_run(&other, &database.name);
    let ending = room.run(&format!("run T611 --target {target}")).expect(2);
    assert!(ending.stderr.contains(&run), "{}", ending.stderr);
    let ending = room.run(&format!("check --target {target}")).expect(2);
    assert!(ending.stdout.contains(&check), "{}", ending.stdout);
    database.server.drop_user(&other);
}
