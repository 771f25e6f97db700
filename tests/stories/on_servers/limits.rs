//! A server with limits, or one that may not be written to: time, connections, a read-only target.

use super::{OWN, Product, Session, refuses, stories, until_called, until_gone};
use crate::document::check_point;
use crate::support::{Room, points, statuses, text};
use dbdyno_testkit::servers::fixtures::Database;

stories!(
    a_limit_on_statements_fails_the_points_that_it_meets,
    too_few_connections_fail_the_point_that_needs_them,
    users_who_are_not_let_in_are_no_users_who_were_measured,
    a_read_only_target_is_refused_before_anything_is_touched,
);

/// The limits of a product's servers.
pub(crate) trait Limits: Product {
    /// SQL that limits the time of a user's, or of all, statements in milliseconds; 0 for no limit. `check` reports it,
    /// too.
    fn limit_statements(user: &str, milliseconds: u32) -> String;

    /// The name of such a limit, and `check`'s message about one of an hour.
    const STATEMENT_LIMIT: [&'static str; 2];

    /// More jobs than the narrow server has connections.
    const TOO_MANY: u32;

    /// The message about it, and that of `check`.
    const TOO_FEW: [&'static str; 2];

    /// Makes a database of size T, or an empty one, read-only until the guard is dropped; also the user who is refused
    /// then.
    fn make_read_only(database: &Database<Self>) -> (ReadOnly<Self>, String);

    /// The message for such a user, up to the remedy, and the remedy.
    fn read_only(user: &str) -> [String; 2];
}

/// A server that is restored when this is dropped.
pub(crate) struct ReadOnly<S: Product> {
    pub(crate) server: &'static S,
    pub(crate) undo: &'static str,
}

impl<S: Product> Drop for ReadOnly<S> {
    fn drop(&mut self) {
        if !self.undo.is_empty() && !std::thread::panicking() {
            self.server.sql(S::HOME, self.undo);
        }
    }
}

fn a_limit_on_statements_fails_the_points_that_it_meets<S: Limits>() {
    let (room, database) = (Room::new(), S::fixtures().loaded());
    let user = database.user();
    database.server.hand_over(&database.name, &user);
    let target = database.target_of(&user);
    // The second point cannot begin before the limit is set, and no call is that short.
    let mut holder = Session::open(database.server, &database.name);
    let run = room.start(&format!("run T611 T612 --ramp 1 --duration 1s --target {target}"));
    until_called(database.server, &database.name);
    let [lock, unlock] = S::lock(&S::table("small_iot"));
    holder.say(&lock);
    run.until("[1/2] T611");
    database.sql(&S::limit_statements(&user, 30));
    holder.say(&unlock);
    let ending = run.end().expect(4);
    let document = room.show("last");
    assert_eq!(statuses(&document), ["T611 ok", "T612 failed"], "{}", ending.stderr);
    let point = &points(&document)[1];
    check_point(point);
    let [name, of_an_hour] = S::STATEMENT_LIMIT;
    assert!(text(point, "/reason").starts_with("timeout: "), "{}", point["reason"]);
    assert!(text(point, "/reason").contains(name), "{}", point["reason"]);
    assert!(point["outcomes"]["errors"]["timeout"].is_u64(), "{point:#}");
    // A check reports it in advance, with the remedy.
    database.sql(&S::limit_statements(&user, 3_600_000));
    let check = room.run(&format!("check --target {target}")).expect(0);
    let helps = S::limit_statements(&user, 0);
    assert!(check.stdout.contains(of_an_hour) && check.stdout.contains(&helps), "{}", check.stdout);
    database.sql(&helps);
    room.run("resume last").expect(0);
    assert_eq!(statuses(&room.show("last")), ["T611 ok", "T612 ok"]);
}

fn too_few_connections_fail_the_point_that_needs_them<S: Limits>() {
    let (room, server) = (Room::new(), S::narrow());
    let target = server.socket(S::SUPERUSER, OWN);
    let many = S::TOO_MANY;
    let ending = room.run(&format!("run T611 --ramp 1,2,{many} --duration 200ms --target {target}")).expect(4);
    let document = room.show("last");
    assert_eq!(statuses(&document), ["T611 ok", "T611 ok", "T611 failed", "T611 ok"], "{}", ending.stderr);
    let point = &points(&document)[2];
    check_point(point);
    let [said, beforehand] = S::TOO_FEW;
    assert!(text(point, "/reason").contains(said), "{}", point["reason"]);
    // The same for clients, and the server works as before.
    let ending =
        room.run(&format!("run T611 --drive client --ramp 1,2,{many} --duration 200ms --target {target}")).expect(4);
    let document = room.show("last");
    assert_eq!(statuses(&document), ["T611 ok", "T611 ok", "T611 failed", "T611 ok"], "{}", ending.stderr);
    assert!(text(&points(&document)[2], "/reason").contains(said), "{}", points(&document)[2]["reason"]);
    room.run(&format!("run T611 T621 --jobs 2 --duration 200ms --target {target}")).expect(0);
    let check = room.run(&format!("check --target {target}")).expect(0);
    assert!(check.stdout.contains(beforehand), "{}", check.stdout);
}

/// Users who log on for each transaction, of whom some are always refused: nobody takes the rate of the others for that
/// of all.
fn users_who_are_not_let_in_are_no_users_who_were_measured<S: Limits>() {
    let (room, server) = (Room::new(), S::narrow());
    server.sql(S::HOME, "CREATE DATABASE shop");
    let target = server.socket(S::SUPERUSER, "shop");
    room.run(&format!("load order-entry --scale 0.01 --jobs 2 --target {target}")).expect(0);
    let many = S::TOO_MANY;
    let run = format!("run order-entry --logon transaction --users 1,{many} --duration 2s --target {target}");
    let ending = room.run(&run).expect(4);
    let document = room.show("last");
    assert_eq!(statuses(&document)[..2], ["order-entry ok", "order-entry failed"], "{}", ending.stderr);
    let point = &points(&document)[1];
    let [said, _] = S::TOO_FEW;
    assert!(text(point, "/reason").contains("logging on") && text(point, "/reason").contains(said), "{point:#}");
    assert!(point["tx_per_s"].is_null(), "{point:#}");
    until_gone(&*server, "shop");
    server.sql(S::HOME, "DROP DATABASE shop");
}

fn a_read_only_target_is_refused_before_anything_is_touched<S: Limits>() {
    let (room, loaded) = (Room::new(), S::fixtures().loaded());
    for (database, commands) in [(&loaded.beside(), &["load --size T"][..]), (&loaded, &["run T611", "run T111"])] {
        let (read_only, user) = S::make_read_only(database);
        let (target, [why, helps]) = (database.target_of(&user), S::read_only(&user));
        for command in commands {
            let words = format!("dbdyno: {target} cannot be used: {why}; {helps}\n");
            refuses(&room, &format!("{command} --target {target}"), &words);
        }
        let check = room.run(&format!("check --size T --target {target}")).expect(2);
        assert!(check.stdout.contains("BLOCKER") && check.stdout.contains(&why), "{}", check.stdout);
        drop(read_only);
    }
}
