//! What is found on real servers: least-privilege users before and after the set-up script, replicas, unsafe settings.

use super::super::connection::{MariaDbConnection, Version};
use super::super::describe;
use super::super::options::Options;
use super::{findings, version};
use crate::DIALECT;
use crate::scratch::{Server, ServerOptions};
use dbdyno_engine::server::{self, Connection as _, Questions};
use dbdyno_engine::{Finding, FindingLevel, Target};
use dbdyno_model::{CommitMode, Drive, ErrorClass, Size};

fn options(target: &str) -> Options {
    Options::parse(&Target::parse(target).unwrap()).unwrap()
}

/// A size that servers with a buffer pool of 64 MB are right for.
fn size() -> Size {
    Size {
        id: "X".to_owned(),
        title: "for tests".to_owned(),
        small_rows: 10_000,
        large_rows: 480_000,
        engine_cache_bytes: 64 << 20,
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
    ServerOptions::default().set("max_connections", "200").set("performance_schema", "ON")
}

#[test]
fn versions_are_judged() {
    for (mysql, number, level, said) in [
        (false, 100_623, FindingLevel::Blocker, "h is MariaDB 10.6.23; dbdyno needs 10.11 or later"),
        (false, 101_100, FindingLevel::Ok, "h is MariaDB 10.11.0"),
        (false, 110_402, FindingLevel::Ok, "h is MariaDB 11.4.2"),
        (true, 50_744, FindingLevel::Blocker, "h is MySQL 5.7.44; dbdyno needs 8.0 or later"),
        (true, 80_036, FindingLevel::Warning, "has not been verified"),
    ] {
        let found = version("h", Version { mysql, number });
        assert!(found.level == level && found.message.contains(said), "{found:?}");
    }
}

#[test]
fn a_good_server_has_nothing_but_good_findings() {
    let server = generous().start();
    let found = look(&server.socket("root", "dbdyno"));
    assert_eq!(of(FindingLevel::Blocker, &found) + &of(FindingLevel::Warning, &found), "");
    let good = of(FindingLevel::Ok, &found);
    for subject in ["version", "writable", "privileges", "grants", "connections", "cache", "durability"] {
        assert!(good.contains(&format!("{subject}: ")), "{subject} in {good}");
    }
    assert!(good.contains("the database `dbdyno` can be created"), "{good}");
    server.client("", "CREATE DATABASE dbdyno");
    let good = of(FindingLevel::Ok, &look(&server.socket("root", "dbdyno")));
    assert!(good.contains("the database `dbdyno` is there, and 'root'@'localhost' may work in it"), "{good}");
}

/// Levels of the rows that each statement of check.sql is answered with, where variables and status are those of a
/// schema.
fn levels(connection: &mut MariaDbConnection, about: &str) -> Vec<(String, Vec<String>)> {
    let questions = Questions::new(&DIALECT, 0).with([("about", about.to_owned())]);
    let mut level = |name: &str| {
        let rows = questions.rows(connection, &format!("check/{name}")).unwrap().unwrap();
        assert!(rows.iter().all(|row| row.len() == 3 && row.iter().all(Option::is_some)), "{name}: {rows:?}");
        rows.into_iter().map(|row| row[0].clone().unwrap()).collect()
    };
    DIALECT.file("check").unwrap().names().map(|name| (name.to_owned(), level(name))).collect()
}

#[test]
fn each_statement_finds_something_where_it_is_and_nothing_where_it_is_not() {
    let server = generous().start();
    let mut connection = MariaDbConnection::open(&options(&server.socket("root", "x")), 0, "dbdyno").unwrap();
    for (statement, levels) in levels(&mut connection, "information_schema") {
        assert!(levels.iter().all(|level| level == "ok"), "{statement}: {levels:?}");
    }
    // A server whose variables and status are all that they should not be.
    let mut sql = "SET @dbdyno_account = 'scott'; CREATE DATABASE said; USE said;".to_owned();
    for table in ["global_variables", "session_variables", "global_status"] {
        sql += &format!("CREATE TABLE {table} (VARIABLE_NAME VARCHAR(64), VARIABLE_VALUE VARCHAR(99));");
    }
    for (name, value) in [
        ("read_only", "ON"),
        ("innodb_force_primary_key", "ON"),
        ("wsrep_on", "ON"),
        ("wsrep_provider", "/usr/lib/libgalera_smm.so"),
        ("wsrep_mode", "REPLICATE_MYISAM,REQUIRED_PRIMARY_KEY"),
        ("log_bin", "ON"),
        ("binlog_format", "STATEMENT"),
        ("innodb_file_per_table", "OFF"),
        ("innodb_read_only_compressed", "ON"),
        ("performance_schema", "OFF"),
        ("max_statement_time", "0.500000"),
        ("max_execution_time", "7"),
        ("general_log", "ON"),
        ("slow_query_log", "ON"),
        ("long_query_time", "0.000000"),
        ("query_cache_type", "DEMAND"),
        ("query_cache_size", "1024"),
        ("userstat", "ON"),
    ] {
        sql += &format!(
            "INSERT INTO global_variables VALUES ('{name}', '{value}'); \
             INSERT INTO session_variables VALUES ('{name}', '{value}');"
        );
    }
    connection.batch("telling", &sql).unwrap();
    let mut busy = MariaDbConnection::open(&options(&server.socket("root", "x")), 0, "payroll").unwrap();
    let id = busy.session_id();
    let busy = std::thread::spawn(move || busy.batch("working", "SELECT SLEEP(600)"));
    let working = format!("SELECT COUNT(*) FROM information_schema.processlist WHERE id = {id} AND info IS NOT NULL");
    while server.client("", &working) != "1" {
        assert!(!busy.is_finished(), "it works");
    }
    for (statement, levels) in levels(&mut connection, "said") {
        assert!(!levels.is_empty() && levels.iter().all(|level| level != "ok"), "{statement}: {levels:?}");
    }
    server.client("", &format!("KILL {id}"));
    busy.join().unwrap().unwrap_err();
}

#[test]
fn the_set_up_script_gives_everything_that_is_missing() {
    let server = generous().set("log_bin", "bl").set("sync_binlog", "1").start();
    server.client("", "CREATE USER dbdyno; CREATE DATABASE dbdyno");
    let target = server.tcp("dbdyno", "dbdyno");
    let blockers = of(FindingLevel::Blocker, &look(&target));
    assert!(
        blockers.contains("GRANT SELECT, INSERT,") && blockers.contains("ON `dbdyno`.* TO 'dbdyno'@'%'"),
        "{blockers}"
    );
    server.client("", "GRANT SELECT, INSERT, UPDATE, DELETE, CREATE, DROP, ALTER, INDEX ON dbdyno.* TO dbdyno");
    let blockers = of(FindingLevel::Blocker, &look(&target));
    let missing = "GRANT CREATE ROUTINE, ALTER ROUTINE, EXECUTE ON `dbdyno`.* TO 'dbdyno'@'%'";
    assert!(blockers.contains(missing), "{blockers}");
    server.client("", missing);
    let found = look(&target);
    assert_eq!(of(FindingLevel::Blocker, &found), "");
    let warnings = of(FindingLevel::Warning, &found);
    let helps = [
        "GRANT PROCESS ON *.* TO 'dbdyno'@'%'",
        "GRANT SELECT ON `performance\\_schema`.* TO 'dbdyno'@'%'",
        "GRANT UPDATE ON `performance\\_schema`.* TO 'dbdyno'@'%'",
        "GRANT RELOAD ON *.* TO 'dbdyno'@'%'",
        "GRANT LOCK TABLES ON `dbdyno`.* TO 'dbdyno'@'%'",
        "GRANT TRIGGER ON `dbdyno`.* TO 'dbdyno'@'%'",
    ];
    for help in helps {
        assert!(warnings.contains(help), "{help} in {warnings}");
        // Every statement that was offered works as it stands.
        server.client("", help);
    }
    assert_eq!(of(FindingLevel::Warning, &look(&target)), "");
    server.client("", "DROP USER dbdyno; DROP DATABASE dbdyno");
    let setup = &DIALECT.get("setup/setup").unwrap().text;
    for _ in 0..2 {
        server.client("", setup);
    }
    // The user cannot come in before it has a password.
    assert!(of(FindingLevel::Blocker, &look(&target)).contains("ACCOUNT UNLOCK"));
    server.client("", "ALTER USER dbdyno IDENTIFIED BY 'tiger' ACCOUNT UNLOCK");
    let target = server.tcp("dbdyno:tiger", "dbdyno");
    let found = look(&target);
    assert_eq!(of(FindingLevel::Blocker, &found) + &of(FindingLevel::Warning, &found), "");
    let mut connection = MariaDbConnection::open(&options(&target), 0, "dbdyno").unwrap();
    connection
        .batch("working", "CREATE TABLE t (x INT) ENGINE = InnoDB; FLUSH TABLES t FOR EXPORT; UNLOCK TABLES")
        .unwrap();
    connection.batch("working", "CREATE PROCEDURE p() SELECT 1; CALL p(); SHOW ENGINE INNODB STATUS").unwrap();
    connection
        .batch(
            "working",
            "UPDATE performance_schema.setup_instruments SET TIMED = 'YES' WHERE NAME LIKE 'wait/io/file/%'",
        )
        .unwrap();
    connection.batch("working", "DROP DATABASE dbdyno; CREATE DATABASE dbdyno").unwrap();
    let straying = [
        "CREATE DATABASE other",
        "SET GLOBAL max_connections = 1",
        "SELECT * FROM mysql.global_priv",
        "SHOW BINARY LOGS",
    ];
    for straying in straying {
        assert_eq!(connection.batch("straying", straying).unwrap_err().class, ErrorClass::Permission, "{straying}");
    }
    drop(connection);
    // And what takes it back does so, too.
    let lines = setup.lines().skip_while(|line| !line.starts_with("-- To take it all back")).skip(1);
    let back: String = lines.map(|line| line.trim_start_matches("--").trim_start().to_owned() + "\n").collect();
    server.client("", &back);
    let left = "SELECT COUNT(*) FROM mysql.global_priv WHERE User = 'dbdyno'; SHOW DATABASES LIKE 'dbdyno'";
    assert_eq!(server.client("", left), "0");
}

#[test]
fn privileges_of_roles_and_patterns_count() {
    let server = generous().start();
    server.client(
        "",
        "CREATE ROLE bench; GRANT ALL ON `bench%`.* TO bench; CREATE USER scott; GRANT bench TO scott; \
         SET DEFAULT ROLE bench FOR scott",
    );
    let found = look(&server.tcp("scott", "bench1"));
    assert_eq!(of(FindingLevel::Blocker, &found), "");
    assert!(of(FindingLevel::Blocker, &look(&server.tcp("scott", "other"))).contains("ON `other`.* TO"));
}

#[test]
fn what_stands_in_the_way_is_said() {
    let server = generous().set("log_bin", "bl").set("binlog_format", "STATEMENT").start();
    server.client("", "SET GLOBAL innodb_force_primary_key = ON");
    let found = look(&server.socket("root", "dbdyno"));
    let blockers = of(FindingLevel::Blocker, &found);
    for said in ["SET GLOBAL innodb_force_primary_key = OFF", "SET GLOBAL binlog_format = MIXED"] {
        assert!(blockers.replace('\n', " ").contains(said) || blockers.contains(said), "{said} in {blockers}");
    }
    // Every statement that was offered works as it stands.
    server.client("", "SET GLOBAL innodb_force_primary_key = OFF; SET GLOBAL binlog_format = MIXED");
    assert_eq!(of(FindingLevel::Blocker, &look(&server.socket("root", "dbdyno"))), "");
    server.client("", "CREATE USER scott; GRANT ALL ON dbdyno.* TO scott");
    let found = look(&format!("mariadb://scott@127.0.0.1:{},127.0.0.1:1/dbdyno", server.port));
    assert!(of(FindingLevel::Blocker, &found).contains("connecting to 127.0.0.1:1"), "{found:?}");
    // Nothing that `check` does leaves a trace.
    assert_eq!(server.client("", "SHOW DATABASES LIKE 'dbdyno'"), "");
}

#[test]
fn a_replica_is_refused() {
    let primary = generous().set("log_bin", "bl").set("server_id", "1").start();
    primary.client("", "CREATE USER repl@'127.0.0.1'; GRANT REPLICATION SLAVE ON *.* TO repl@'127.0.0.1'");
    let replica = generous().set("server_id", "2").start();
    let follow = format!(
        "CHANGE MASTER TO MASTER_HOST='127.0.0.1', MASTER_PORT={}, MASTER_USER='repl', \
                          MASTER_USE_GTID=slave_pos; START SLAVE",
        primary.port
    );
    replica.client("", &follow);
    let found = look(&replica.socket("root", "dbdyno"));
    assert!(of(FindingLevel::Warning, &found).contains("a replica that takes writes"), "{found:?}");
    replica.client("", "SET GLOBAL read_only = ON");
    let found = look(&replica.socket("root", "dbdyno"));
    assert!(
        of(FindingLevel::Blocker, &found).contains("is a replica, which takes no writes; name the primary"),
        "{found:?}"
    );
    let mut connection = MariaDbConnection::open(&options(&replica.socket("root", "dbdyno")), 0, "dbdyno").unwrap();
    assert_eq!(describe::database(&mut connection).unwrap().facts["role in replication"], "replica, read-only");
    let found = look(&primary.socket("root", "dbdyno"));
    assert!(of(FindingLevel::Ok, &found).contains("a primary that takes writes"), "{found:?}");
    primary.client("", "SET GLOBAL read_only = ON");
    let found = look(&primary.socket("root", "dbdyno"));
    assert!(of(FindingLevel::Blocker, &found).contains("SET GLOBAL read_only = OFF"), "{found:?}");
}

#[test]
fn what_makes_figures_doubtful_is_said() {
    let server_options =
        ServerOptions::default().set("innodb_flush_log_at_trx_commit", "2").set("innodb_doublewrite", "OFF");
    let server_options =
        server_options.set("max_connections", "100").set("query_cache_type", "ON").set("general_log", "ON");
    let server_options =
        server_options.set("max_statement_time", "60").set("innodb_file_per_table", "OFF").set("userstat", "ON");
    let server = server_options.set("wsrep_sst_auth", "sst:tiger").set("innodb_buffer_pool_size", "32M").start();
    server.client(
        "",
        "CREATE USER scott WITH MAX_USER_CONNECTIONS 5 MAX_STATEMENT_TIME 30; GRANT ALL ON dbdyno.* TO scott",
    );
    let mut busy = MariaDbConnection::open(&options(&server.socket("root", "x")), 0, "payroll").unwrap();
    let id = busy.session_id();
    let busy = std::thread::spawn(move || busy.batch("working", "SELECT SLEEP(600)"));
    let working =
        format!("SELECT COUNT(*) FROM information_schema.processlist WHERE id = {id} AND info LIKE 'SELECT SLEEP%'");
    while server.client("", &working) != "1" {
        assert!(!busy.is_finished(), "it works");
    }
    let found = look(&server.socket("root", "dbdyno"));
    let warnings = of(FindingLevel::Warning, &found);
    for said in [
        "innodb_flush_log_at_trx_commit=2",
        "innodb_doublewrite=OFF",
        "query_cache_type is ON",
        "general_log writes every statement",
        "SET GLOBAL max_statement_time = 0",
        "innodb_file_per_table is off",
        "userstat is on",
        "performance_schema is off",
        "1 other sessions",
    ] {
        assert!(warnings.contains(said), "{said} in {warnings}");
    }
    server.client("", &format!("KILL {id}"));
    busy.join().unwrap().unwrap_err();
    server.client("", "SET GLOBAL query_cache_size = 0, query_cache_type = OFF; SET GLOBAL innodb_file_per_table = ON");
    let found = look(&server.socket("root", "dbdyno"));
    assert!(!of(FindingLevel::Warning, &found).contains("query_cache"), "{found:?}");
    server.client("", "SET GLOBAL innodb_file_per_table = OFF");
    let warnings = of(FindingLevel::Warning, &look(&server.tcp("scott", "dbdyno")));
    assert!(warnings.contains("MAX_USER_CONNECTIONS 5: only 1 jobs"), "{warnings}");
    assert!(warnings.contains("max_statement_time is 30 s"), "{warnings}");
    let remedy = "ALTER USER 'scott'@'%' WITH MAX_STATEMENT_TIME 0";
    assert!(warnings.contains(remedy), "{warnings}");
    server.client("", remedy);
    let warnings = of(FindingLevel::Warning, &look(&server.tcp("scott", "dbdyno")));
    assert!(warnings.contains("SET GLOBAL max_statement_time = 0"), "{warnings}");
    let mut large = size();
    (large.small_rows, large.large_rows, large.engine_cache_bytes) = (2_000_000, 64_000_000, 3 << 30);
    let warnings = of(FindingLevel::Warning, &findings(&options(&server.tcp("scott", "dbdyno")), &large));
    assert!(warnings.contains("may not stay cached"), "{warnings}");
    let mut small = size();
    (small.small_rows, small.large_rows, small.engine_cache_bytes) = (320, 10_240, 1 << 20);
    let warnings = of(FindingLevel::Warning, &findings(&options(&server.tcp("scott", "dbdyno")), &small));
    assert!(warnings.contains("do not measure the storage"), "{warnings}");
    // And in the record of a run.
    recorded(&server);
}

fn recorded(server: &Server) {
    let mut connection = MariaDbConnection::open(&options(&server.tcp("scott", "dbdyno")), 0, "dbdyno").unwrap();
    let database = describe::database(&mut connection).unwrap();
    assert!(database.version.contains("MariaDB") && database.notice.is_none(), "{database:?}");
    let parameters = &database.parameters;
    for (name, value) in [
        ("innodb_flush_log_at_trx_commit", "2"),
        ("innodb_buffer_pool_size", "33554432"),
        ("max_connections", "100"),
        ("max_statement_time", "60.000000"),
        ("innodb_page_size", "16384"),
        ("wsrep_sst_auth", "(set)"),
    ] {
        assert_eq!(parameters.get(name).map(String::as_str), Some(value), "{name} in {parameters:?}");
    }
    for name in ["port", "datadir", "socket", "pid_file", "bind_address", "skip_name_resolve_x"] {
        assert!(!parameters.contains_key(name), "{name} in {parameters:?}");
    }
    let facts = &database.facts;
    for (name, value) in [
        ("user", "scott@%"),
        ("connection", "not encrypted"),
        ("role in replication", "primary"),
        ("binary log", "off"),
        ("semi-synchronous replication", "off"),
    ] {
        assert_eq!(facts.get(name).map(String::as_str), Some(value), "{name} in {facts:?}");
    }
    assert!(facts["storage"].contains("all tables in one file"), "{facts:?}");
    assert!(facts["build"].starts_with(&database.version) && facts["licence"].contains("GPL"), "{facts:?}");
    // Procedures that commit by themselves come on top.
    let (server, client) = (Drive::Server, Drive::Client);
    for (mode, drive, by_default) in [
        (CommitMode::Durable, server, 0),
        (CommitMode::EngineDefault, server, 1),
        (CommitMode::EngineDefault, client, 0),
    ] {
        let questions = describe::questions(&connection);
        let durability = server::describe::durability(&mut connection, &questions, mode, drive).unwrap();
        assert_eq!((durability.unsafe_settings.len(), durability.by_default.len()), (2, by_default), "{durability:?}");
        assert_eq!(durability.settings["innodb_flush_log_at_trx_commit"], "2");
    }
}
