//! What is found on real servers: least-privilege users before and after the set-up script, standbys, unsafe settings.

use super::super::connection::PostgresConnection;
use super::super::connection::tests::pooler;
use super::super::options::Options;
use super::{describe, findings};
use crate::DIALECT;
use crate::scratch::ServerOptions;
use dbdyno_engine::server::{self, Connection as _};
use dbdyno_engine::{Finding, FindingLevel, Target};
use dbdyno_model::{CommitMode, Drive, Size};

fn options(target: &str) -> Options {
    Options::parse(&Target::parse(target).unwrap()).unwrap()
}

/// A size that the servers of tests, with shared_buffers of 32 MB, are right for.
fn size() -> Size {
    Size {
        id: "X".to_owned(),
        title: "for tests".to_owned(),
        small_rows: 10_000,
        large_rows: 320_000,
        engine_cache_bytes: 32 << 20,
        file_bytes: 1 << 20,
        bulk_partitions_per_job: 1,
    }
}

fn look(target: &str) -> Vec<Finding> {
    findings(&options(target), &size())
}

/// The findings of a level, each on a line.
fn of(level: FindingLevel, findings: &[Finding]) -> String {
    findings.iter().filter(|f| f.level == level).map(|f| format!("{}: {}\n", f.subject, f.message)).collect()
}

/// Enough for two jobs a hardware thread anywhere, and nothing to complain of.
fn generous() -> ServerOptions {
    let options = ServerOptions::default().set("max_connections", "120");
    options.set("max_worker_processes", "64").set("max_parallel_workers", "64").set("shared_buffers", "32MB")
}

#[test]
fn a_good_server_has_nothing_but_good_findings() {
    let server = generous().start();
    server.psql("postgres", "CREATE EXTENSION pg_buffercache");
    let found = look(&server.tcp("postgres", "postgres"));
    assert_eq!(of(FindingLevel::Blocker, &found) + &of(FindingLevel::Warning, &found), "");
    let good = of(FindingLevel::Ok, &found);
    for subject in ["version", "writable", "privileges", "grants", "statistics", "connections", "cache", "durability"] {
        assert!(good.contains(&format!("{subject}: ")), "{subject} in {good}");
    }
}

#[test]
fn the_set_up_script_gives_everything_that_is_missing() {
    let server = generous().set("statement_timeout", "60s").start();
    server.psql("postgres", "CREATE DATABASE \"my db\"; CREATE ROLE dbdyno LOGIN");
    let target = server.tcp("dbdyno", "my%20db");
    let found = look(&target);
    let blockers = of(FindingLevel::Blocker, &found);
    assert!(
        blockers.contains("CREATE SCHEMA dbdyno AUTHORIZATION dbdyno, or GRANT CREATE ON DATABASE \"my db\" TO dbdyno"),
        "{blockers}"
    );
    let warnings = of(FindingLevel::Warning, &found);
    // Before version 15 nobody but superusers can be given the right to make checkpoints.
    let version: u32 = server.psql("my db", "SHOW server_version_num").parse().unwrap();
    let no_checkpoints = "before version 15 only superusers may make checkpoints";
    for help in [
        if version < 150_000 { no_checkpoints } else { "GRANT pg_checkpoint TO dbdyno" },
        "GRANT pg_monitor TO dbdyno",
        "in database \"my db\": CREATE EXTENSION pg_buffercache; GRANT pg_monitor TO dbdyno",
        "SET statement_timeout = 0",
    ] {
        assert!(warnings.contains(help), "{help} in {warnings}");
    }
    // Every statement that was offered works as it stands.
    server.psql(
        "my db",
        "CREATE SCHEMA dbdyno AUTHORIZATION dbdyno; DROP SCHEMA dbdyno; GRANT CREATE ON DATABASE \"my db\" TO dbdyno",
    );
    server.psql("my db", "REVOKE CREATE ON DATABASE \"my db\" FROM dbdyno; DROP ROLE dbdyno");
    let setup = &DIALECT.get("setup/setup").unwrap().text;
    for _ in 0..2 {
        server.psql("my db", setup);
    }
    let mut found = look(&target);
    found.retain(|f| version >= 150_000 || !f.message.contains(no_checkpoints));
    assert_eq!(of(FindingLevel::Blocker, &found) + &of(FindingLevel::Warning, &found), "");
    let mut connection = PostgresConnection::open(&options(&target), 0, "dbdyno").unwrap();
    connection.batch("working", "CREATE TABLE dbdyno.t (x int)").unwrap();
    assert_eq!(connection.batch("working", "CHECKPOINT").is_ok(), version >= 150_000);
    assert_eq!(
        connection.batch("straying", "CREATE SCHEMA other").unwrap_err().class,
        dbdyno_model::ErrorClass::Permission
    );
    drop(connection);
    // And what takes it back does so, too.
    let lines = setup.lines().skip_while(|line| !line.starts_with("-- To take it all back")).skip(1);
    let back: String = lines.map(|line| line.trim_start_matches("--").trim_start().to_owned() + "\n").collect();
    server.psql("my db", &back);
    assert_eq!(server.psql("my db", "SELECT count(*) FROM pg_roles WHERE rolname = 'dbdyno'"), "0");
}

#[test]
fn where_an_administrator_may_little_the_set_up_script_does_what_it_can() {
    let server = generous().start();
    server.psql("postgres", "CREATE ROLE cloud LOGIN CREATEROLE; CREATE DATABASE bench OWNER cloud");
    server.psql("bench", &format!("SET SESSION AUTHORIZATION cloud;\n{}", DIALECT.get("setup/setup").unwrap().text));
    let found = look(&server.tcp("dbdyno", "bench"));
    assert_eq!(of(FindingLevel::Blocker, &found), "");
    assert!(of(FindingLevel::Warning, &found).contains("CREATE EXTENSION pg_buffercache"), "{found:?}");
    let owner = "SELECT nspowner::regrole FROM pg_namespace WHERE nspname = 'dbdyno'";
    assert_eq!(server.psql("bench", owner), "dbdyno");
    // Whoever ran it may not act as dbdyno afterwards.
    let version: u32 = server.psql("bench", "SHOW server_version_num").parse().unwrap();
    let kind = if version < 160_000 { "MEMBER" } else { "SET" };
    assert_eq!(server.psql("bench", &format!("SELECT pg_has_role('cloud', 'dbdyno', '{kind}')")), "f");
}

#[test]
fn each_way_in_which_blocks_cannot_be_counted_has_its_remedy() {
    let server = generous().start();
    server.psql("postgres", "CREATE ROLE scott LOGIN; CREATE SCHEMA \"Own\"");
    let target = server.tcp("scott", "postgres");
    let said = || {
        let found = look(&target);
        let found = found.iter().find(|f| f.message.starts_with("blocks that wait"));
        found.map(|f| f.message.rsplit_once(": ").map_or(f.message.clone(), |(_, run)| run.to_owned())).unwrap()
    };
    // Every remedy is run as it stands, and the next one asked for.
    assert_eq!(said(), "CREATE EXTENSION pg_buffercache; GRANT pg_monitor TO scott");
    server.psql("postgres", "CREATE EXTENSION pg_buffercache SCHEMA \"Own\"");
    assert_eq!(said(), "GRANT pg_monitor TO scott; GRANT USAGE ON SCHEMA \"Own\" TO scott");
    server.psql("postgres", &said());
    assert_eq!(said(), "blocks that wait to be written can be counted (pg_buffercache)");
    if server.psql("postgres", "SHOW server_version_num").parse::<u32>().unwrap() >= 160_000 {
        server.psql("postgres", "DROP EXTENSION pg_buffercache; CREATE EXTENSION pg_buffercache VERSION '1.3'");
        assert_eq!(said(), "ALTER EXTENSION pg_buffercache UPDATE");
        server.psql("postgres", &said());
        assert_eq!(said(), "blocks that wait to be written can be counted (pg_buffercache)");
    }
}

/// Levels of the rows that each statement of check.sql is answered with.
fn levels(target: &str, threads: &str, is_local: &str) -> Vec<(String, Vec<String>)> {
    let mut connection = PostgresConnection::open(&options(target), 0, "dbdyno").unwrap();
    let values = [("threads", threads.to_owned()), ("is_local", is_local.to_owned())];
    let questions = describe::questions(&connection).with(values);
    let mut level = |name: &str| {
        let rows = questions.rows(&mut connection, &format!("check/{name}")).unwrap().unwrap();
        assert!(rows.iter().all(|row| row.len() == 3 && row.iter().all(Option::is_some)), "{name}: {rows:?}");
        rows.into_iter().map(|row| row[0].clone().unwrap()).collect()
    };
    DIALECT.file("check").unwrap().names().map(|name| (name.to_owned(), level(name))).collect()
}

#[test]
fn each_statement_finds_something_where_it_is_and_nothing_where_it_is_not() {
    let server = generous().set("track_io_timing", "on").start();
    server.psql("postgres", "CREATE EXTENSION pg_buffercache");
    for (statement, levels) in levels(&server.tcp("postgres", "postgres"), "2", "1") {
        assert!(levels.iter().all(|level| level == "ok"), "{statement}: {levels:?}");
    }
    server.psql("postgres", "DROP EXTENSION pg_buffercache; CREATE ROLE scott LOGIN");
    for setting in [
        "default_transaction_read_only = on",
        "track_counts = off",
        "track_io_timing = off",
        "lock_timeout = '5s'",
        "temp_file_limit = '1GB'",
        "log_statement = 'all'",
        "log_min_duration_statement = 0",
    ] {
        server.psql("postgres", &format!("ALTER ROLE scott SET {setting}"));
    }
    let target = server.tcp("scott", "postgres");
    let mut busy = PostgresConnection::open(&options(&target), 0, "payroll").unwrap();
    busy.batch("working", "BEGIN; SELECT 1").unwrap();
    for (statement, levels) in levels(&target, "1000", "0") {
        assert!(!levels.is_empty() && levels.iter().all(|level| level != "ok"), "{statement}: {levels:?}");
    }
}

#[test]
fn a_pooler_between_is_refused() {
    let server = generous().start();
    let port = pooler::start(server.port, "postgres", "postgres");
    let found = look(&format!("postgres://postgres@127.0.0.1:{port}/postgres"));
    let blockers = of(FindingLevel::Blocker, &found);
    assert!(blockers.contains(&format!("127.0.0.1:{port} is a pooler")), "{blockers}");
    assert!(blockers.contains("pool_mode = session"), "{blockers}");
}

#[test]
fn what_stands_in_the_way_is_said() {
    let server = generous().start();
    server.psql("postgres", "CREATE ROLE scott LOGIN; CREATE SCHEMA dbdyno; GRANT pg_monitor TO scott");
    let blockers = of(FindingLevel::Blocker, &look(&server.tcp("scott", "postgres")));
    assert!(
        blockers.contains("belongs to postgres") && blockers.contains("ALTER SCHEMA dbdyno OWNER TO scott"),
        "{blockers}"
    );
    server.psql("postgres", "ALTER ROLE scott SET default_transaction_read_only = on; DROP SCHEMA dbdyno CASCADE");
    let blockers = of(FindingLevel::Blocker, &look(&server.tcp("scott", "postgres")));
    assert!(blockers.contains("ALTER ROLE scott SET default_transaction_read_only = off"), "{blockers}");
    let found = look(&format!("postgres://postgres@127.0.0.1:{},127.0.0.1:1/postgres", server.port));
    assert!(of(FindingLevel::Blocker, &found).contains("connecting to 127.0.0.1:1"), "{found:?}");
    // Nothing that `check` does leaves a trace.
    assert_eq!(server.psql("postgres", "SELECT count(*) FROM pg_namespace WHERE nspname = 'dbdyno'"), "0");
}

#[test]
fn a_standby_is_refused() {
    let mut server = generous().start();
    server.stop();
    std::fs::write(server.data().join("standby.signal"), "").unwrap();
    server.restart();
    let found = look(&server.tcp("postgres", "postgres"));
    assert!(of(FindingLevel::Blocker, &found).contains("is a standby"), "{found:?}");
    let mut connection = PostgresConnection::open(&options(&server.tcp("postgres", "postgres")), 0, "dbdyno").unwrap();
    let database = describe::database(&mut connection).unwrap();
    assert_eq!(database.facts["role in replication"], "standby, read-only");
}

#[test]
fn what_makes_figures_doubtful_is_said() {
    let server_options =
        ServerOptions::default().set("fsync", "off").set("synchronous_commit", "off").set("full_page_writes", "off");
    let server_options = server_options
        .set("max_connections", "5")
        .set("max_worker_processes", "1")
        .set("lock_timeout", "5s")
        .set("track_counts", "off");
    let server = server_options
        .set("shared_buffers", "16MB")
        .set("superuser_reserved_connections", "1")
        .set("max_wal_senders", "0")
        .start();
    server.psql("postgres", "CREATE ROLE scott LOGIN; GRANT CREATE ON DATABASE postgres TO scott");
    let mut busy = PostgresConnection::open(&options(&server.tcp("postgres", "postgres")), 0, "payroll").unwrap();
    busy.batch("working", "BEGIN; SELECT 1").unwrap();
    let found = look(&server.tcp("postgres", "postgres"));
    let warnings = of(FindingLevel::Warning, &found);
    for said in [
        "fsync=off",
        "synchronous_commit=off",
        "full_page_writes=off",
        "max_connections 5",
        "max_worker_processes 1",
        "lock_timeout",
        "1 other sessions",
    ] {
        assert!(warnings.contains(said), "{said} in {warnings}");
    }
    assert!(of(FindingLevel::Blocker, &found).contains("track_counts is off"), "{found:?}");
    let mut large = size();
    (large.small_rows, large.large_rows, large.engine_cache_bytes) = (2_000_000, 64_000_000, 3 << 30);
    let found = findings(&options(&server.tcp("scott", "postgres")), &large);
    let warnings = of(FindingLevel::Warning, &found);
    assert!(warnings.contains("may not stay cached"), "{warnings}");
    let mut small = size();
    (small.small_rows, small.large_rows, small.engine_cache_bytes) = (320, 10_240, 1 << 20);
    let warnings = of(FindingLevel::Warning, &findings(&options(&server.tcp("scott", "postgres")), &small));
    assert!(warnings.contains("do not measure the storage"), "{warnings}");
    // And in the record of a run.
    let mut connection = PostgresConnection::open(&options(&server.tcp("scott", "postgres")), 0, "dbdyno").unwrap();
    let database = describe::database(&mut connection).unwrap();
    let parameters = &database.parameters;
    assert_eq!((parameters["fsync"].as_str(), parameters["shared_buffers"].as_str()), ("off", "16MB"));
    assert_eq!((parameters["lock_timeout"].as_str(), parameters["max_connections"].as_str()), ("5s", "5"));
    assert!(!parameters.contains_key("port") && !parameters.contains_key("TimeZone"), "{parameters:?}");
    assert_eq!(database.facts["connection"], "not encrypted");
    assert!(database.facts["build"].starts_with("PostgreSQL ") && database.facts["build"].contains(&database.version));
    assert_eq!(
        describe::commit_settings(&mut connection, CommitMode::Durable).unwrap(),
        [("synchronous_commit".to_owned(), "on".to_owned())]
    );
    assert_eq!(describe::commit_settings(&mut connection, CommitMode::EngineDefault).unwrap(), []);
    // What this session has set is not what others will have.
    connection.batch("setting", "SET synchronous_commit = on").unwrap();
    let (questions, commit) = (describe::questions(&connection), CommitMode::EngineDefault);
    let durability = server::describe::durability(&mut connection, &questions, commit, Drive::Client).unwrap();
    assert_eq!(durability.settings["synchronous_commit"], "off");
    assert_eq!(durability.unsafe_settings.len(), 3);
}
