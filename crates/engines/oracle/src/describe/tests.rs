//! What is made of a server's answers, written by hand.

use super::*;
use dbdyno_engine::Target;

fn answers(pairs: &[(&str, &str)]) -> Answers {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

fn options(target: &str) -> Options {
    Options::parse(&Target::parse(target).unwrap()).unwrap()
}

fn server() -> Server {
    Server {
        parameters: answers(&[
            ("commit_wait", ""),
            ("commit_logging", ""),
            ("control_management_pack_access", "DIAGNOSTIC+TUNING"),
            ("db_block_size", "8192"),
        ]),
        product: answers(&[
            ("banner", "Oracle Database 19c Enterprise Edition Release 19.0.0.0.0 - Production"),
            ("oracle database 19c enterprise edition", "19.0.0.0.0"),
        ]),
        database: answers(&[
            ("log_mode", "ARCHIVELOG"),
            ("force_logging", "YES"),
            ("flashback_on", "NO"),
            ("database_role", "PRIMARY"),
            ("open_mode", "READ WRITE"),
            ("protection_mode", "MAXIMUM AVAILABILITY"),
        ]),
        instance: answers(&[("instance_name", "cdb11"), ("host_name", "db1"), ("parallel", "YES")]),
        options: answers(&[
            ("partitioning", "TRUE"),
            ("advanced compression", "TRUE"),
            ("real application clusters", "FALSE"),
        ]),
        logs: answers(&[("groups", "3"), ("smallest_bytes", "209715200")]),
        destinations: answers(&[
            ("LOG_ARCHIVE_DEST_1", "PRIMARY SYNCHRONOUS NO"),
            ("LOG_ARCHIVE_DEST_2", "STANDBY PARALLELSYNC YES"),
        ]),
        tablespace: answers(&[
            ("tablespace", "DBDYNO"),
            ("block_size", "8192"),
            ("logging", "LOGGING"),
            ("encrypted", "YES"),
        ]),
        disk_groups: answers(&[("data", "EXTERN, 102400 MiB, 51200 MiB free")]),
        silent: vec!["sga".to_owned()],
        ..Server::default()
    }
}

#[test]
fn facts_say_what_decides_a_figure_and_what_is_licensed_apart() {
    let facts = server().facts(&options("oracle://scott@db1/bench?without=hcc"));
    for (fact, said) in [
        ("edition", "Enterprise Edition"),
        ("instance", "cdb11 on db1"),
        ("cluster", "Real Application Clusters, one node named in the target"),
        ("redo", "archivelog, logging forced, flashback no, maximum availability, 3 groups of 200 MiB"),
        ("redo destinations", "LOG_ARCHIVE_DEST_2 standby parallelsync yes"),
        ("tablespace", "DBDYNO, blocks of 8192 bytes, logging, encrypted"),
        ("storage", "ASM (data: EXTERN, 102400 MiB, 51200 MiB free)"),
        ("options installed", "advanced compression, partitioning (installed is not licensed)"),
        ("not asked", "sga"),
    ] {
        assert_eq!(facts[fact], said, "{fact}");
    }
    let licences = &facts["licences that dbdyno's work needs"];
    assert!(
        licences.contains("--without partitioning leaves it out") && licences.contains("Hybrid Columnar"),
        "{licences}"
    );
    assert!(licences.contains(": left out") && licences.contains("Diagnostics Pack: not used"), "{licences}");
    assert_eq!(
        facts["management pack"],
        "the server is set to DIAGNOSTIC+TUNING, which proves no licence; dbdyno uses nothing of it"
    );
    let claimed = server().facts(&options("oracle://scott@db1/bench?diagnostics_pack=yes"));
    assert!(claimed["management pack"].contains("claims a licence"), "{claimed:?}");
    assert!(Server::default().facts(&options("oracle://scott@db1/bench")).values().all(|fact| !fact.is_empty()));
}

#[test]
fn settings_that_lose_commits_are_named() {
    let mut all = server();
    let durable = all.durability(CommitMode::Durable, Drive::Server);
    assert_eq!(durable.unsafe_settings, Vec::<String>::new());
    assert_eq!(durable.settings["log_mode"], "ARCHIVELOG");
    assert!(durable.settings["redo destinations"].contains("standby"));
    let default = all.durability(CommitMode::EngineDefault, Drive::Server);
    assert!(default.by_default.len() == 1 && default.by_default[0].contains("waits once"), "{default:?}");
    assert_eq!(default.unsafe_settings, Vec::<String>::new());
    // A client's COMMIT waits.
    let client = all.durability(CommitMode::EngineDefault, Drive::Client);
    assert!(client.unsafe_settings.is_empty() && client.by_default.is_empty(), "{client:?}");
    // What durable work says goes before the settings; other work has them.
    all.parameters.insert("commit_wait".to_owned(), "NOWAIT".to_owned());
    all.parameters.insert("commit_logging".to_owned(), "BATCH".to_owned());
    assert_eq!(all.durability(CommitMode::Durable, Drive::Server).unsafe_settings.len(), 0);
    assert_eq!(all.durability(CommitMode::EngineDefault, Drive::Server).unsafe_settings.len(), 2);
    all.parameters.insert("_disable_logging".to_owned(), "TRUE".to_owned());
    assert!(all.durability(CommitMode::Durable, Drive::Server).unsafe_settings[0].contains("nothing is logged"));
}

#[test]
fn editions_are_told_apart() {
    for (banner, edition) in [
        ("Oracle Database 19c Enterprise Edition Release 19.0.0.0.0 - Production", Some("Enterprise Edition")),
        ("Oracle Database 19c Standard Edition 2 Release 19.0.0.0.0 - Production", Some("Standard Edition 2")),
        ("Oracle Database 21c Express Edition Release 21.0.0.0.0 - Production", Some("Express Edition")),
        ("Oracle Database 23ai Free Release 23.0.0.0.0", Some("Free")),
        ("Oracle Database 19c EE Extreme Perf Release 19.0.0.0.0 - Production", Some("EE Extreme Perf")),
        ("PL/SQL Release 19.0.0.0.0", None),
    ] {
        let server = Server { product: answers(&[("banner", banner)]), ..Server::default() };
        assert_eq!(server.edition(), edition, "{banner}");
    }
}

#[test]
fn every_question_is_there() {
    for question in [
        "variables",
        "changed",
        "version",
        "database",
        "instance",
        "options",
        "session",
        "character_set",
        "log_groups",
        "archive_destinations",
        "sga",
        "grants",
        "company",
        "tablespace",
        "growth",
        "data_files",
        "disk_groups",
        "process",
        "limits",
        "own_privileges",
        "may_read",
        "may_lock",
    ] {
        assert!(statement(question).is_ok(), "{question}");
    }
}
