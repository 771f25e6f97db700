//! The MariaDB engine on real servers: what every engine of a server must do, and what only this one can. The server is
//! the distribution's, or the one that DBDYNO_MARIADB_BIN names.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "helpers of tests fail as tests do")]

use dbdyno_engine::{Engine, EngineInfo, PointSpec, Request, Session};
use dbdyno_model::{Counter, Drive, ErrorClass, Size, TableShape, Test};
use dbdyno_testkit::conformance;
use dbdyno_testkit::conformance::client::execute;
use dbdyno_testkit::on_servers::{Product, spec};
use dbdyno_testkit::servers::fixtures::{Database, FixturePool};

type Server = dbdyno_testkit::servers::mariadb::Server<dbdyno_mariadb::MariaDb>;
type ServerOptions = dbdyno_testkit::servers::mariadb::ServerOptions<dbdyno_mariadb::MariaDb>;

dbdyno_testkit::points!(MariaDb);
dbdyno_testkit::clients!(MariaDb);
dbdyno_testkit::loads!(MariaDb);
dbdyno_testkit::observers!(MariaDb);

static FIXTURES: FixturePool<Server> = FixturePool::new(quick, MariaDb::load);

/// No test on such a server is about what survives a crash.
fn quick() -> Server {
    ServerOptions::default().set("innodb_flush_log_at_trx_commit", "2").set("performance_schema", "ON").start()
}

/// The engine on data of its own, on a server with these settings.
fn with(settings: &[(&str, &str)]) -> (Server, Box<dyn Engine>) {
    let quick = ServerOptions::default().set("innodb_flush_log_at_trx_commit", "2");
    let server = settings.iter().fold(quick, |options, (name, value)| options.set(name, value)).start();
    server.client("", "CREATE DATABASE own");
    MariaDb::load(&server, "own");
    let engine = MariaDb::engine(&server, "own");
    (server, engine)
}

/// The engine under test.
struct MariaDb;

impl Product for MariaDb {
    type Server = Server;

    const INFO: EngineInfo = dbdyno_mariadb::INFO;
    const GROUPS: &'static [&'static str] = &["small tables", "large_heap_range_list", "large_compressed"];
    const PHASES: &'static [&'static str] = &["", " statistics", " checksum"];

    fn fixtures() -> &'static FixturePool<Server> {
        &FIXTURES
    }

    fn plain() -> Server {
        Server::start()
    }

    fn counting() -> Server {
        ServerOptions::default().set("performance_schema", "ON").start()
    }

    fn alone() -> (Server, String) {
        FIXTURES.loaded_server_alone()
    }

    fn log_position(server: &Server) -> u64 {
        status(server, "Innodb_lsn_current")
    }

    fn lookups(server: &Server, _: &str, _: &str) -> u64 {
        status(server, "Handler_read_key")
    }

    fn tables(server: &Server, database: &str, beginning: &str) -> Vec<String> {
        let sql = format!(
            "SELECT table_name FROM information_schema.tables
             WHERE table_schema = '{database}' AND LEFT(table_name, LENGTH('{beginning}')) = '{beginning}'"
        );
        server.client("", &sql).lines().map(str::to_owned).collect()
    }

    fn end_a_loader(server: &Server, database: &str, phase: &str) -> bool {
        // A session that loads is in a transaction, also between its statements.
        let at_work = match phase {
            "" => "id IN (SELECT trx_mysql_thread_id FROM information_schema.innodb_trx)",
            _ => "info LIKE 'ANALYZE%'",
        };
        let sql =
            format!("SELECT id FROM information_schema.processlist WHERE db = '{database}' AND {at_work} LIMIT 1");
        let session = server.client("", &sql);
        // It may be over meanwhile.
        !session.is_empty() && server.client_says("", &["--force"], &format!("KILL {session}")).is_empty()
    }

    fn loaders(server: &Server, database: &str) -> u64 {
        let sql = format!("SELECT count(*) FROM information_schema.processlist WHERE db = '{database}'");
        server.client("", &sql).parse().unwrap()
    }

    fn leftovers() -> &'static str {
        "CREATE TABLE load_heap_3 LIKE small_heap; INSERT INTO meta VALUES ('made table load_heap_#', '1');
         CREATE PROCEDURE scan_small_heap(a int, b int, c int, d int, e int, f int, g int, h int, i int, j int, k int, l int,
           m int, n int) DO 0;
         CREATE PROCEDURE fibonacci(a int, OUT b int) SET b = 1"
    }

    fn strangers() -> [(&'static str, &'static str); 3] {
        [
            ("CREATE TABLE small_heap (a int)", "table small_heap"),
            ("DROP TABLE small_heap; CREATE TABLE meta (a int)", "table meta"),
            (
                "DROP TABLE meta; CREATE TABLE meta (name varchar(20), value varchar(20));
                 INSERT INTO meta VALUES ('format', '99')",
                "format 99",
            ),
        ]
    }

    fn intruders(database: &str, elsewhere: &str) -> Vec<[String; 3]> {
        let each = [
            ["CREATE VIEW mine AS SELECT 1 AS a", "DROP VIEW mine", "view mine"],
            ["CREATE TABLE load_heap_7 (a text)", "DROP TABLE load_heap_7", "table load_heap_7"],
            [
                &format!("RENAME TABLE small_heap TO {elsewhere}.small_heap; CREATE TABLE small_heap (precious text)"),
                &format!("DROP TABLE small_heap; RENAME TABLE {elsewhere}.small_heap TO small_heap"),
                "table small_heap",
            ],
            [
                &format!(
                    "CREATE TABLE {elsewhere}.f (id BIGINT, FOREIGN KEY (id) REFERENCES {database}.small_heap (id))"
                ),
                &format!("DROP TABLE {elsewhere}.f"),
                &format!("table {elsewhere}.f"),
            ],
        ];
        each.into_iter().map(|texts| texts.map(str::to_owned)).collect()
    }

    fn user_over_tcp(database: &Database<Server>) -> String {
        let user = database.user();
        database.sql(&format!("GRANT ALL ON *.* TO {user}@'%'"));
        user
    }

    /// START TRANSACTION and COMMIT are round trips of their own, so is each part of a search through all months, and
    /// each row that a join into the large table looks up.
    fn round_trips(test: &Test, statements: u64, commits: bool) -> u64 {
        let large = test.table.is_some_and(|table| table.shape() == TableShape::Large);
        let statements = match test.procedure.name() {
            "select_secondary" if large => 2 * statements,
            "join" if large => statements + Size::SMALL_ROWS_PER_VALUE,
            _ => statements,
        };
        statements + if commits { 2 } else { 0 }
    }

    fn lose_a_month() -> &'static str {
        "DELETE FROM meta WHERE name = 'complete'; ALTER TABLE large_heap_range_list DROP PARTITION r07"
    }
}

/// One of the whole server's counters.
fn status(server: &Server, name: &str) -> u64 {
    let said = server.client("", &format!("SHOW GLOBAL STATUS LIKE '{name}'"));
    said.split('\t').nth(1).unwrap().parse().unwrap()
}

#[test]
fn heaps_have_no_key_to_be_organised_by() {
    let database = FIXTURES.loaded();
    // Rows without a primary key lie in the order of their arrival, and their keys are small: InnoDB keeps one more
    // index.
    let keys = "SELECT t.name, COUNT(*), SUM(i.name = 'GEN_CLUST_INDEX') FROM information_schema.innodb_sys_tables t
          JOIN information_schema.innodb_sys_indexes i ON i.table_id = t.table_id
        WHERE t.name LIKE CONCAT(DATABASE(), '/%') AND t.name NOT LIKE '%/meta' GROUP BY t.table_id";
    let mut leaves = 0;
    for line in database.sql(keys).lines() {
        let [name, indexes, hidden] = line.split('|').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let expected = match () {
            () if name.contains("large_compressed") => ("1", "1"),
            () if name.contains("heap") => ("3", "1"),
            () => ("2", "0"),
        };
        assert_eq!((indexes, hidden), expected, "{name}");
        leaves += 1;
    }
    assert_eq!(leaves, 1 + 1 + 8 + 8 + 8 + 2 * 128);
}

#[test]
fn a_clients_commits_are_counted_where_the_server_logs_its_changes_too() {
    let (server, engine) = with(&[("log_bin", "changes"), ("binlog_format", "ROW")]);
    // A statement that commits itself, and several with a COMMIT.
    for code in ["T711", "T311"] {
        let spec = PointSpec { drive: Drive::Client, ..spec(code, 2) };
        let counted = conformance::client::run_point(&*engine, &spec).counted;
        let told = [Counter::Commits, Counter::ForeignCommits].map(|counter| counted.get(counter));
        assert_eq!(told, [Some(10), Some(0)], "{code}");
    }
    // Those of everybody, each once.
    let before = engine.statistics().unwrap();
    let change = "UPDATE own.small_heap SET quantity = quantity + 1 WHERE id = 1;";
    server.client("", &format!("{change} {change} BEGIN; {change} ROLLBACK"));
    let counted = engine.statistics().unwrap().since(&before);
    let told = [Counter::Commits, Counter::Rollbacks, Counter::RowsChanged].map(|counter| counted.get(counter));
    assert_eq!(told, [Some(2), Some(1), Some(3)]);
}

#[test]
fn a_client_that_waits_too_long_for_a_row_keeps_none_of_its_own() {
    let (_server, engine) = with(&[("innodb_lock_wait_timeout", "1")]);
    let spec = PointSpec { drive: Drive::Client, ..spec("T711", 2) };
    engine.begin_point(&spec).unwrap();
    let [mut first, mut second] = [0, 1].map(|job| engine.client_session(job, 1).unwrap());
    for (job, session) in [(0, &mut first), (1, &mut second)] {
        session.prepare(&spec, job).unwrap();
    }
    let update = |session: &mut Box<dyn Session>, key, opens| execute(session.as_mut(), 0, &[key], opens);
    update(&mut first, 1, true).unwrap();
    update(&mut second, 2, true).unwrap();
    let failure = update(&mut second, 1, false).unwrap_err();
    assert_eq!(failure.error.class, ErrorClass::Timeout, "{}", failure.error);
    // Nobody has said Rollback, and the row is free all the same.
    update(&mut first, 2, false).unwrap();
    first.execute(&Request::Commit).unwrap();
    assert_eq!(update(&mut second, 2, false).unwrap().rows, 1, "it goes on");
    drop((first, second));
    engine.end_point(&spec).unwrap();
}
