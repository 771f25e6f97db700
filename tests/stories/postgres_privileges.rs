//! A user with the least privileges: the printed set-up makes one, and where a privilege is missing, the very statement
//! that helps is said before anything is touched.

use super::{CHECKPOINTS_CAN_BE_GRANTED, Database, objects, version};
use crate::support::{Room, flag_note, flagged, points, statuses, text};

/// The one story with the role `dbdyno`, which is the whole server's.
#[test]
fn the_printed_set_up_makes_a_user_who_can_do_it_all() {
    let (room, database) = (Room::new(), Database::empty());
    // The public may do nothing here that it is not given.
    database.psql(&format!("REVOKE ALL ON DATABASE {} FROM public", database.name));
    let script = room.run("sql postgres --size T").expect(0).stdout;
    assert!(script.contains("CREATE ROLE dbdyno LOGIN"), "{script}");
    // psql ends where the administrator's part does: the rest is for reading.
    database.psql(&script);
    database.psql(&script);
    assert_eq!(database.psql("SELECT count(*) FROM pg_class WHERE relnamespace = 'dbdyno'::regnamespace"), "0");
    let powers = "SELECT rolsuper OR rolcreatedb OR rolcreaterole OR rolreplication OR rolbypassrls
                  FROM pg_roles WHERE rolname = 'dbdyno'";
    assert_eq!(database.psql(powers), "f");
    let target = database.target_of("dbdyno");
    let check = |expected| room.run(&format!("check --json --size T --target {target}")).expect(expected).json();
    let findings = check(2);
    let blockers: Vec<_> =
        findings["findings"].as_array().unwrap().iter().filter(|f| f["level"] == "blocker").collect();
    assert!(blockers.len() == 1 && text(blockers[0], "/subject") == "data", "only the data is missing: {findings:#}");
    room.run(&format!("load --size T --target {target}")).expect(0);
    let findings = check(0);
    let granted = version(database.server) >= CHECKPOINTS_CAN_BE_GRANTED;
    for subject in ["privileges", "statistics"].into_iter().chain(granted.then_some("checkpoints")) {
        let found = findings["findings"].as_array().unwrap().iter().filter(|f| f["subject"] == subject);
        assert!(found.clone().count() > 0 && found.clone().all(|f| f["level"] == "ok"), "{subject}: {findings:#}");
    }
    let line = format!("run T611 T711 T426 --jobs 1 --threads 2 --duration 200ms --target {target}");
    room.run(&line).expect(0);
    let document = room.show("last");
    assert_eq!(statuses(&document), ["T611 ok", "T711 ok", "T426 ok"]);
    assert!(points(&document).iter().all(|p| flagged(p, "not_settled") != granted), "{document:#}");
    // A test that makes a checkpoint itself.
    let ending = room.run(&format!("run T211 --jobs 1 --target {target}"));
    ending.expect(if granted { 0 } else { 4 });
    room.run(&format!("drop --target {target}")).expect(0);
    // The schema came from the administrator, so it stays; it is empty.
    let left = objects(database.server, &database.name);
    assert!(left.contains("schema dbdyno") && left.iter().all(|name| !name.contains("dbdyno.")), "{left:?}");
    database.psql("DROP OWNED BY dbdyno; DROP ROLE dbdyno;");
}

#[test]
fn a_missing_privilege_is_named_with_the_grant_that_helps() {
    let (room, database) = (Room::new(), Database::empty());
    let role = database.role();
    let (name, target) = (&database.name, database.target_of(&role));
    let words = format!(
        "{role} may not create the schema dbdyno; an administrator runs, in database {name}: CREATE SCHEMA dbdyno \
         AUTHORIZATION {role}, or GRANT CREATE ON DATABASE {name} TO {role}"
    );
    let check = room.run(&format!("check --size T --target {target}")).expect(2);
    assert!(check.stdout.contains(&words), "{}", check.stdout);
    let load = room.run(&format!("load --size T --target {target}")).expect(2);
    assert_eq!(load.stderr, format!("dbdyno: {target} cannot be used: {words}\n"));
    assert!(!objects(database.server, name).contains("schema dbdyno"), "nothing was made");
    // The statement as it stands in the message.
    let grant = words.split(", or ").nth(1).unwrap();
    database.psql(grant);
    room.run(&format!("load --size T --target {target}")).expect(0);
    // Another user's data: what to do is said.
    let other = format!("user_of_{name}_too");
    database.psql(&format!("CREATE ROLE {other} LOGIN"));
    let target = database.target_of(&other);
    let ending = room.run(&format!("run T611 --target {target}")).expect(2);
    assert!(ending.stderr.contains("connect as its owner, whom `dbdyno check` names"), "{}", ending.stderr);
    let check = room.run(&format!("check --target {target}")).expect(2);
    let helps = format!("ALTER SCHEMA dbdyno OWNER TO {other}");
    assert!(check.stdout.contains(&helps) && check.stdout.contains(&role), "{}", check.stdout);
    database.psql(&format!("DROP ROLE {other}; DROP OWNED BY {role} CASCADE"));
}

#[test]
fn a_point_without_a_checkpoint_says_whom_to_ask() {
    let (room, database) = (Room::new(), Database::empty());
    let role = database.role();
    database.psql(&format!("CREATE SCHEMA dbdyno AUTHORIZATION {role}"));
    let target = database.target_of(&role);
    room.run(&format!("load --size T --target {target}")).expect(0);
    let check = room.run(&format!("check --target {target}")).expect(0);
    let granted = version(database.server) >= CHECKPOINTS_CAN_BE_GRANTED;
    let checkpoints = if granted {
        format!("GRANT pg_checkpoint TO {role}")
    } else {
        "before version 15 only superusers may make checkpoints".to_owned()
    };
    for helps in [checkpoints, format!("GRANT pg_monitor TO {role}")] {
        assert!(check.stdout.contains(&helps), "{}", check.stdout);
    }
    room.run(&format!("run T211 T611 --ramp 1 --duration 200ms --target {target}")).expect(4);
    let document = room.show("last");
    assert_eq!(statuses(&document), ["T211 failed", "T611 ok"]);
    let [written, selected] = &points(&document)[..] else { panic!("{document:#}") };
    assert!(text(written, "/reason").starts_with("permission denied: "), "{written:#}");
    assert!(text(written, "/reason").contains("CHECKPOINT"), "{written:#}");
    assert!(flag_note(selected, "not_settled").contains("GRANT pg_checkpoint TO"), "{selected:#}");
    // It does not see what others do, and says so.
    let why = text(selected, "/missing/proof.foreign_busy");
    assert!(why.contains("GRANT pg_read_all_stats TO"), "{why}");
    // Once granted, the failed one is measured, and settled.
    if granted {
        database.psql(&format!("GRANT pg_checkpoint TO {role}"));
        room.run("resume last").expect(0);
        let document = room.show("last");
        assert_eq!(statuses(&document), ["T211 ok", "T611 ok"]);
        assert!(!flagged(&points(&document)[0], "not_settled"), "{document:#}");
    }
    database.psql(&format!("DROP OWNED BY {role} CASCADE"));
}
