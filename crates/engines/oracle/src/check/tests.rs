//! Findings on answers that were written by hand.

use super::room::Room;
use super::server::{FIGURES, NEEDED, PROOFS, Server, of_view};
use super::*;
use crate::options::Part;
use crate::script::GRANTS;
use dbdyno_testkit::conformance::catalogue::size_t;
use std::collections::BTreeMap;

fn answers(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

/// A server on which nothing stands in the way.
fn good() -> Server {
    let privileges = [
        "CREATE SESSION",
        "CREATE TABLE",
        "CREATE CLUSTER",
        "CREATE PROCEDURE",
        "ALTER SYSTEM",
        "CREATE TABLESPACE",
        "DROP TABLESPACE",
    ];
    let privileges: std::collections::BTreeSet<String> = privileges.map(str::to_owned).into();
    let mut server = Server {
        user: "DBDYNO".to_owned(),
        session_privileges: privileges.clone(),
        own_privileges: privileges,
        may_lock: true,
        room: Room { tablespace: "DBDYNO".to_owned(), allowed: true, free: 1 << 40, growth: Some(0), quota: None },
        limits: answers(&[("processes", "60/600"), ("sessions", "70/928")]),
        active: Some(0),
        threads: 4,
        ..Server::default()
    };
    server.said.database = answers(&[
        ("database_role", "PRIMARY"),
        ("open_mode", "READ WRITE"),
        ("log_mode", "ARCHIVELOG"),
        ("force_logging", "NO"),
    ]);
    server.said.parameters = answers(&[("db_create_file_dest", "+DATA"), ("processes", "600")]);
    server.said.options = answers(&[("partitioning", "TRUE"), ("advanced compression", "TRUE")]);
    server.said.memory = answers(&[("buffer cache size", "9437184")]);
    server.said.logs = answers(&[("groups", "4"), ("smallest_bytes", "4294967296")]);
    server
}

/// The findings of a server that are not as they should be, as `level subject: message`.
fn wrong(server: &Server) -> Vec<String> {
    let findings = server.findings(&size_t(), &TableName::ALL);
    let bad = findings.into_iter().filter(|finding| finding.level != FindingLevel::Ok);
    bad.map(|finding| format!("{:?} {}: {}", finding.level, finding.subject, finding.message)).collect()
}

#[test]
fn a_good_server_has_nothing_against_it_but_licences_to_think_of() {
    let said = wrong(&good());
    assert_eq!(said.len(), 2, "{said:#?}");
    assert!(
        said.iter().all(|text| text.starts_with("Warning licences") && text.contains("is no licence")),
        "{said:#?}"
    );
    let mut without = good();
    without.without = [Part::Partitioning, Part::AdvancedCompression].into();
    assert_eq!(wrong(&without), Vec::<String>::new());
}

#[test]
fn what_is_missing_comes_with_the_statement_that_helps() {
    type Change = fn(&mut Server);
    let cases: [(Change, &str, &str); 17] = [
        (|s| _ = s.own_privileges.remove("CREATE CLUSTER"), "Blocker privileges", "(it has them by a role"),
        (
            |s| {
                s.own_privileges.remove("CREATE TABLE");
                s.session_privileges.remove("CREATE TABLE");
            },
            "Blocker privileges",
            "GRANT CREATE TABLE TO DBDYNO",
        ),
        (|s| s.may_lock = false, "Blocker privileges", "GRANT EXECUTE ON sys.dbms_lock TO DBDYNO"),
        (
            |s| s.unreadable = vec!["v$mystat", "v$sql"],
            "Warning proofs",
            "GRANT SELECT ON sys.v_$mystat TO DBDYNO; GRANT",
        ),
        (|s| s.unreadable = vec!["v$osstat"], "Warning statistics", "GRANT SELECT ON sys.v_$osstat TO DBDYNO"),
        (|s| _ = s.session_privileges.remove("ALTER SYSTEM"), "Warning settling", "GRANT ALTER SYSTEM TO DBDYNO"),
        (|s| _ = s.own_privileges.remove("DROP TABLESPACE"), "Warning files", "GRANT DROP TABLESPACE TO DBDYNO"),
        (
            |s| _ = s.said.parameters.insert("db_create_file_dest".to_owned(), String::new()),
            "Warning files",
            "ALTER SYSTEM SET db_create_file_dest",
        ),
        (
            |s| _ = s.said.options.insert("partitioning".to_owned(), "FALSE".to_owned()),
            "Blocker licences",
            "--without partitioning",
        ),
        (|s| s.room.allowed = false, "Blocker space", "ALTER USER DBDYNO QUOTA UNLIMITED ON DBDYNO"),
        (|s| s.room.quota = Some((1 << 20, 0)), "Blocker space", "QUOTA UNLIMITED"),
        (|s| s.room.free = 1 << 20, "Blocker space", "add a file"),
        (
            |s| s.room = Room { free: 1 << 20, growth: None, ..s.room.clone() },
            "Warning space",
            "may not see (dba_data_files)",
        ),
        (
            |s| _ = s.limits.insert("processes".to_owned(), "595/600".to_owned()),
            "Warning connections",
            "only 1 jobs are possible",
        ),
        (
            |s| _ = s.said.logs.insert("smallest_bytes".to_owned(), "209715200".to_owned()),
            "Warning redo log",
            "4 groups of only 200 MiB",
        ),
        (
            |s| _ = s.said.database.insert("log_mode".to_owned(), "NOARCHIVELOG".to_owned()),
            "Warning durability",
            "direct path log nothing",
        ),
        (|s| s.diagnostics_pack = true, "Warning licences", "proves none"),
    ];
    for (change, subject, message) in cases {
        let mut server = good();
        change(&mut server);
        let said = wrong(&server);
        assert!(said.iter().any(|text| text.starts_with(subject) && text.contains(message)), "{subject}: {said:#?}");
    }
}

#[test]
fn standbys_and_caches_of_the_wrong_size_are_seen() {
    let mut standby = good();
    standby.said.database.insert("database_role".to_owned(), "PHYSICAL STANDBY".to_owned());
    standby.said.database.insert("open_mode".to_owned(), "READ ONLY WITH APPLY".to_owned());
    assert!(wrong(&standby)[0].contains("Blocker writable") && wrong(&standby)[0].contains("PHYSICAL STANDBY"));
    for (bytes, said) in [(1 << 20, "may not stay cached"), (1 << 34, "do not measure the storage")] {
        let mut server = good();
        server.said.memory.insert("buffer cache size".to_owned(), u64::to_string(&bytes));
        assert!(wrong(&server).iter().any(|text| text.contains(said)), "{bytes}");
    }
    let mut busy = good();
    busy.active = Some(3);
    assert!(wrong(&busy).iter().any(|text| text.contains("3 other sessions")));
}

#[test]
fn a_server_that_shows_nothing_is_judged_all_the_same() {
    let server = Server { user: "DBDYNO".to_owned(), ..Server::default() };
    let said = wrong(&server);
    assert!(said.iter().any(|text| text.starts_with("Blocker privileges")), "{said:#?}");
    assert!(said.iter().any(|text| text.starts_with("Blocker space")), "{said:#?}");
}

#[test]
fn quotas_are_read_as_the_dictionary_writes_them() {
    let row = |texts: [&str; 4]| texts.map(|text| Some(text.to_owned()).filter(|text| !text.is_empty()));
    let unlimited = Room::read(&row(["DBDYNO", "-1", "65536", "1000"]), Some(5), false);
    assert_eq!((unlimited.allowed, unlimited.quota, unlimited.free, unlimited.growth), (true, None, 1_000, Some(5)));
    let limited = Room::read(&row(["DBDYNO", "1048576", "65536", "1000"]), None, false);
    assert_eq!((limited.allowed, limited.quota), (true, Some((1_048_576, 65_536))));
    assert!(!Room::read(&row(["USERS", "", "", "1000"]), None, false).allowed, "no quota at all");
    assert!(Room::read(&row(["USERS", "", "", "1000"]), None, true).allowed, "UNLIMITED TABLESPACE");
    assert_eq!(Room::read(&[], None, false), Room::default());
}

#[test]
fn views_are_granted_by_their_own_names() {
    assert_eq!(of_view("v$sys_time_model"), "SELECT ON sys.v_$sys_time_model");
    let is_there = |name: &str, required| GRANTS.iter().any(|g| g.grant == name && g.required == required);
    for view in PROOFS.into_iter().chain(FIGURES) {
        assert!(is_there(&of_view(view), false), "{view} is not in the set-up script");
    }
    for name in NEEDED {
        assert!(is_there(name, true), "{name} is not in the set-up script");
    }
    assert!(GRANTS.iter().all(|grant| !grant.purpose.is_empty() && !grant.without.is_empty()), "{GRANTS:#?}");
}

#[test]
fn two_nodes_must_be_two_instances() {
    assert!(twice(&[1, 2, 3]).is_none() && twice(&[]).is_none());
    assert!(twice(&[1, 2, 1]).is_some_and(|finding| finding.message.contains("instance 1")));
}
