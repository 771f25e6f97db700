//! Findings on answers that were written by hand.

use super::privileges::{NEEDED, Privileges};
use super::*;
use crate::tests::views::Views;
use dbdyno_engine::server::Questions;
use dbdyno_testkit::conformance::catalogue::size_t;

/// The findings that are not as they should be, as `level subject: message`.
fn wrong(findings: Vec<Finding>) -> Vec<String> {
    let bad = findings.into_iter().filter(|finding| finding.level != FindingLevel::Ok);
    bad.map(|finding| format!("{:?} {}: {}", finding.level, finding.subject, finding.message)).collect()
}

/// One who has everything.
fn privileged() -> Privileges {
    let names = DIALECT.grants.iter().map(|grant| grant.grant.clone());
    let all: std::collections::BTreeSet<String> = names.filter(|name| !name.contains(" ON ")).collect();
    Privileges { of_session: all.clone(), own: all, unreadable: [].into(), may_lock: true }
}

#[test]
fn missing_privileges_come_with_the_statement_that_helps() {
    assert_eq!(wrong(privileged().findings("DBDYNO")), Vec::<String>::new());
    let without = |change: fn(&mut Privileges)| {
        let mut privileges = privileged();
        change(&mut privileges);
        wrong(privileges.findings("DBDYNO"))
    };
    type Change = fn(&mut Privileges);
    let cases: [(Change, &str, &str); 7] = [
        (|p| _ = p.own.remove("CREATE CLUSTER"), "Blocker privileges", "(it has them by a role"),
        (
            |p| {
                p.own.remove("CREATE TABLE");
                p.of_session.remove("CREATE TABLE");
            },
            "Blocker privileges",
            "GRANT CREATE TABLE TO DBDYNO",
        ),
        (|p| p.may_lock = false, "Blocker privileges", "GRANT EXECUTE ON sys.dbms_lock TO DBDYNO"),
        (
            |p| p.unreadable = ["SELECT ON sys.v_$mystat".to_owned(), "SELECT ON sys.v_$sql".to_owned()].into(),
            "Warning grants",
            "GRANT SELECT ON sys.v_$mystat TO DBDYNO; GRANT SELECT ON sys.v_$sql TO DBDYNO",
        ),
        (
            |p| p.unreadable = ["SELECT ON sys.v_$osstat".to_owned()].into(),
            "Warning grants",
            "GRANT SELECT ON sys.v_$osstat TO DBDYNO",
        ),
        (|p| _ = p.of_session.remove("ALTER SYSTEM"), "Warning grants", "GRANT ALTER SYSTEM TO DBDYNO"),
        (|p| _ = p.own.remove("DROP TABLESPACE"), "Warning grants", "GRANT DROP TABLESPACE TO DBDYNO"),
    ];
    for (change, subject, message) in cases {
        let said = without(change);
        assert!(said.len() == 1 && said[0].starts_with(subject) && said[0].contains(message), "{subject}: {said:#?}");
    }
    let nothing = wrong(Privileges::default().findings("DBDYNO"));
    assert!(nothing.iter().any(|text| text.starts_with("Blocker privileges")), "{nothing:#?}");
}

#[test]
fn licences_are_named() {
    let said = |part, option, wanted| {
        let found = licence(part, option, wanted, "Standard Edition 2");
        format!("{:?} {}", found.level, found.message)
    };
    let (partitioning, compression) = (Part::Partitioning, Part::AdvancedCompression);
    assert!(said(partitioning, "Partitioning", None).starts_with("Ok Partitioning is left out"));
    assert!(said(partitioning, "Partitioning", Some(Some(true))).contains("is no licence"));
    assert!(said(partitioning, "Partitioning", Some(None)).starts_with("Warning tests use"));
    assert_eq!(
        said(partitioning, "Partitioning", Some(Some(false))),
        "Blocker Standard Edition 2 has no Partitioning, and tables cannot be created; add --without partitioning"
    );
    let none = said(compression, "Advanced Compression", Some(Some(false)));
    assert!(none.starts_with("Warning Standard Edition 2 has no Advanced Compression"), "{none}");
}

#[test]
fn room_is_reckoned() {
    let good = || Room { tablespace: "DBDYNO".to_owned(), allowed: true, free: 1 << 40, growth: Some(0), quota: None };
    let said = |room: Room| {
        let found = room.finding("DBDYNO", &size_t(), &TableName::ALL);
        format!("{:?} {}", found.level, found.message)
    };
    assert!(said(good()).starts_with("Ok size T takes about"));
    for (room, level, message) in [
        (Room { allowed: false, ..good() }, "Blocker", "ALTER USER DBDYNO QUOTA UNLIMITED ON DBDYNO"),
        (Room { quota: Some((1 << 20, 0)), ..good() }, "Blocker", "QUOTA UNLIMITED"),
        (Room { free: 1 << 20, ..good() }, "Blocker", "add a file"),
        (Room { free: 1 << 20, growth: None, ..good() }, "Warning", "may not see (dba_data_files)"),
        (Room::default(), "Blocker", "has no quota"),
    ] {
        let said = said(room);
        assert!(said.starts_with(level) && said.contains(message), "{said}");
    }
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
    let is_there = |name: &str, required| DIALECT.grants.iter().any(|g| g.grant == name && g.required == required);
    for view in ["v_$mystat", "v_$statname", "v_$sysstat", "v_$sql", "v_$sql_plan", "v_$session", "v_$parameter"] {
        assert!(is_there(&format!("SELECT ON sys.{view}"), false), "{view} is not in the set-up script");
    }
    for name in NEEDED {
        assert!(is_there(name, true), "{name} is not in the set-up script");
    }
    let grants = &DIALECT.grants;
    assert!(grants.iter().all(|grant| !grant.purpose.is_empty() && !grant.without.is_empty()), "{grants:#?}");
}

/// Rows of a view, as columns with values.
type Rows = &'static [&'static [(&'static str, &'static str)]];

/// What a good server's views have.
const CHECK: &[(&str, Rows)] = &[
    ("v$database", &[&[("database_role", "PRIMARY"), ("open_mode", "READ WRITE"), ("log_mode", "ARCHIVELOG")]]),
    ("v$parameter", &[&[("name", "db_create_file_dest"), ("value", "+DATA")]]),
    ("v$log", &[&[("bytes", "4294967296")], &[("bytes", "4294967296")]]),
    ("v$archive_dest", &[]),
    ("v$session", &[]),
    ("v$sgainfo", &[&[("name", "Buffer Cache Size"), ("bytes", "9437184")]]),
    (
        "v$resource_limit",
        &[
            &[("resource_name", "processes"), ("current_utilization", "60"), ("limit_value", " 6000")],
            &[("resource_name", "sessions"), ("current_utilization", "70"), ("limit_value", " UNLIMITED")],
        ],
    ),
];

/// What the statements of check.sql find where one view has other rows than a good server's.
fn found(views: &mut Views, other: &str, rows: Rows) -> Vec<String> {
    for (view, good) in CHECK {
        views.set(view, if *view == other { rows } else { good });
    }
    let sizes = TableSizes { size: size_t(), small_bytes: 1 << 20, large_bytes: 32 << 20 };
    let questions = Questions::new(&DIALECT, 0).with([("nodes", "1".to_owned())]);
    let findings = check::findings(views, &questions, &sizes, CommitMode::Durable).unwrap();
    findings.iter().map(|f| format!("{:?} {}: {}", f.level, f.subject, f.message)).collect()
}

#[test]
fn what_the_server_itself_judges_has_both_outcomes() {
    let mut views = Views::new();
    let good = found(&mut views, "", &[]);
    assert!(good.iter().all(|text| text.starts_with("Ok ")), "{good:#?}");
    for said in [
        "Ok writable: a primary that takes writes",
        "Ok redo log: 2 groups of 4096 MiB of redo log",
        "Ok connections: processes 60 of 6000, sessions 70 of UNLIMITED: 5936 jobs are possible",
        "Ok cache: the buffer cache is 9 MiB, right for size T",
        "Ok durability: each commit waits for the log (COMMIT WRITE IMMEDIATE WAIT)",
    ] {
        assert!(good.iter().any(|text| text == said), "{said} in {good:#?}");
    }
    let cases: [(&str, Rows, &str); 9] = [
        (
            "v$database",
            &[&[("database_role", "PHYSICAL STANDBY"), ("open_mode", "READ ONLY"), ("log_mode", "ARCHIVELOG")]],
            "Blocker writable: the database is a PHYSICAL STANDBY, open READ ONLY, and takes no writes",
        ),
        (
            "v$database",
            &[&[("database_role", "PRIMARY"), ("open_mode", "READ WRITE"), ("log_mode", "NOARCHIVELOG")]],
            "Warning durability: the database keeps no archive log, so bulk loads by direct path log nothing",
        ),
        (
            "v$parameter",
            &[&[("name", "db_create_file_dest"), ("value", "")]],
            "Warning files: db_create_file_dest is not set, so the server does not know where T211's files go",
        ),
        (
            "v$parameter",
            &[&[("name", "ignore_session_set_param_errors"), ("value", "all")]],
            "Warning settings: ignore_session_set_param_errors is all",
        ),
        ("v$log", &[&[("bytes", "209715200")]], "Warning redo log: 1 groups of only 200 MiB: loads and updates"),
        (
            "v$archive_dest",
            &[&[
                ("dest_name", "LOG_ARCHIVE_DEST_2"),
                ("status", "VALID"),
                ("target", "STANDBY"),
                ("transmit_mode", "PARALLELSYNC"),
                ("affirm", "YES"),
            ]],
            "Ok durability: redo also goes to LOG_ARCHIVE_DEST_2 (standby parallelsync yes), which is part",
        ),
        (
            "v$session",
            &[
                &[
                    ("status", "ACTIVE"),
                    ("type", "USER"),
                    ("sid", "2"),
                    ("state", "WAITED SHORT TIME"),
                    ("wait_class", "Idle"),
                ],
                &[("status", "ACTIVE"), ("type", "USER"), ("sid", "3"), ("state", "WAITING"), ("wait_class", "Idle")],
                &[
                    ("status", "ACTIVE"),
                    ("type", "USER"),
                    ("sid", "1"),
                    ("state", "WAITED SHORT TIME"),
                    ("wait_class", "Idle"),
                ],
            ],
            "Warning other load: 1 other sessions at work now",
        ),
        (
            "v$resource_limit",
            &[&[("resource_name", "processes"), ("current_utilization", "595"), ("limit_value", "600")]],
            "Warning connections: processes 595 of 600: only 1 jobs are possible",
        ),
        ("v$sgainfo", &[&[("name", "Buffer Cache Size"), ("bytes", "17179869184")]], "Warning cache: the buffer cache"),
    ];
    for (view, rows, said) in cases {
        let found = found(&mut views, view, rows);
        assert!(found.iter().any(|text| text.starts_with(said)), "{said}: {found:#?}");
    }
}

#[test]
fn free_editions_and_small_keep_pools_are_told() {
    let (small, large) = (size_t(), Size { large_rows: 64_000_000, small_rows: 2_000_000, ..size_t() });
    let said = |found: Option<Finding>| found.map(|f| format!("{:?} {}: {}", f.level, f.subject, f.message));
    let edition = |edition: &str, size: &Size| said(free_edition(edition, size, &TableName::ALL));
    assert_eq!(edition("Enterprise Edition", &large), None);
    assert!(
        edition("Free", &small).unwrap().starts_with("Warning edition: the edition Free holds 12288 MiB of user data")
    );
    assert!(
        edition("Express Edition", &large)
            .unwrap()
            .starts_with("Blocker edition: the edition Express Edition holds 12288")
    );
    assert_eq!(said(keep_pool(0, &small)), None);
    assert!(said(keep_pool(16 << 20, &small)).unwrap().starts_with("Ok cache: a KEEP pool of 16 MiB, right for"));
    let too_small = said(keep_pool(16 << 20, &large)).unwrap();
    assert!(
        too_small.starts_with("Warning cache: a KEEP pool of 16 MiB") && too_small.contains("or set it to 0"),
        "{too_small}"
    );
}

/// What `ora12c_strong_verify_function` asks of a password.
#[test]
fn the_password_of_the_set_up_is_a_strong_one() {
    let text = &DIALECT.get("setup/setup").unwrap().text;
    let (_, rest) = text.split_once("IDENTIFIED BY \"q").unwrap();
    let fixed = format!("q{}", rest.split_once('\'').unwrap().0);
    let count = |of: fn(char) -> bool| fixed.chars().filter(|c| of(*c)).count();
    assert!(count(|c| c.is_ascii_uppercase()) >= 2 && count(|c| c.is_ascii_lowercase()) >= 2, "{fixed}");
    assert!(count(|c| c.is_ascii_digit()) >= 2 && count(|c| "_#$".contains(c)) >= 2, "{fixed}");
    assert!(fixed.len() + 16 <= 30 && fixed.len() + 16 >= 9 && !fixed.contains('"'), "{fixed}");
}

#[test]
fn two_nodes_must_be_two_instances() {
    let mut earlier = Vec::new();
    assert!([1, 2, 3].iter().all(|instance| repeated(&mut earlier, *instance).is_none()));
    assert!(repeated(&mut earlier, 1).is_some_and(|finding| finding.message.contains("instance 1")));
}
