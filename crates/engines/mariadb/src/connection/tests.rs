//! Connections to real servers.

#[path = "tests/entrance.rs"]
mod entrance;

use super::MariaDbConnection;
use crate::options::Options;
use crate::scratch::{Server, ServerOptions};
use dbdyno_engine::server::Connection as _;
use dbdyno_engine::{EngineError, Target};
use dbdyno_model::ErrorClass;
use mysql::prelude::Queryable as _;
use std::thread;
use std::time::{Duration, Instant};

fn options(target: &str) -> Options {
    Options::parse(&Target::parse(target).unwrap()).unwrap()
}

fn open(target: &str) -> Result<MariaDbConnection, EngineError> {
    MariaDbConnection::open(&options(target), 0, "dbdyno")
}

fn refused(target: &str) -> EngineError {
    open(target).map(drop).unwrap_err()
}

fn value(connection: &mut MariaDbConnection, sql: &str) -> String {
    connection.texts("asking", sql).unwrap()[0].pop().unwrap().unwrap_or_default()
}

/// A server with an administrator for whoever comes over TCP.
fn start(options: ServerOptions) -> Server {
    let server = options.start();
    server.client("", "CREATE USER admin@'127.0.0.1'; GRANT ALL ON *.* TO admin@'127.0.0.1'; CREATE DATABASE dbdyno");
    server
}

#[test]
fn statements_and_their_answers_come_through() {
    let server = start(ServerOptions::default());
    let mut connection = open(&server.tcp("admin", "dbdyno")).unwrap();
    connection.batch("working", "CREATE TABLE t (x INT); INSERT INTO t VALUES (1), (2);  ").unwrap();
    let rows = connection.texts("asking", "SELECT x, NULL, 'a' FROM t; SELECT MAX(x), 1.50, X'C3A4' FROM t").unwrap();
    let text = |text: &str| Some(text.to_owned());
    assert_eq!(rows[0], [text("1"), None, text("a")]);
    assert_eq!(rows[2], [text("2"), text("1.50"), text("ä")]);
    connection.batch("doing nothing", " ").unwrap();
    // An error in a later statement is an error, and what came before it is done.
    let error = connection
        .batch("working", "INSERT INTO t VALUES (3); SELECT * FROM nowhere; INSERT INTO t VALUES (4)")
        .unwrap_err();
    assert_eq!(error.class, ErrorClass::UnknownObject, "{error}");
    assert_eq!(value(&mut connection, "SELECT GROUP_CONCAT(x) FROM t"), "1,2,3");
    let error = connection.texts("working", "SELECT 1; SELECT x FROM t WHERE x = (SELECT x FROM t)").unwrap_err();
    assert!(error.class == ErrorClass::Other && error.message.contains("[error 1242, SQLSTATE 21000]"), "{error}");
    assert_eq!(value(&mut connection, "SELECT DATABASE()"), "dbdyno");
    // Without the database there is none until somebody makes it.
    let mut connection = open(&server.tcp("admin", "my%20db")).unwrap();
    assert_eq!(connection.texts("asking", "SELECT DATABASE()").unwrap(), [[None]]);
    connection.batch("making", "CREATE DATABASE `my db`; USE `my db`").unwrap();
    assert_eq!(value(&mut connection, "SELECT DATABASE()"), "my db");
}

#[test]
fn versions_nodes_and_ways_are_known() {
    let (one, two) = (start(ServerOptions::default().set("performance_schema", "ON")), start(ServerOptions::default()));
    let target = format!("mariadb://admin@127.0.0.1:{},127.0.0.1:{}/dbdyno", one.port, two.port);
    let options = options(&target);
    for (node, server) in [(0, &one), (1, &two), (2, &one)] {
        let mut connection = MariaDbConnection::open(&options, node, "dbdyno test").unwrap();
        assert_eq!(value(&mut connection, "SELECT @@port"), server.port.to_string());
        assert_eq!(value(&mut connection, "SELECT CONNECTION_ID()"), connection.session_id().to_string());
        assert!(
            value(&mut connection, "SELECT VERSION()")
                .starts_with(&connection.version().to_string()["MariaDB ".len()..])
        );
        assert!(!connection.version().mysql && connection.version().number >= 101_100);
        // Over TCP where that is what the target says.
        assert!(value(&mut connection, "SELECT USER()").ends_with("@127.0.0.1"));
    }
    let mut connection = MariaDbConnection::open(&options, 0, "dbdyno test").unwrap();
    let sql = "SELECT ATTR_VALUE FROM performance_schema.session_account_connect_attrs WHERE ATTR_NAME = 'program_name' \
               AND PROCESSLIST_ID = CONNECTION_ID()";
    assert_eq!(value(&mut connection, sql), "dbdyno test");
}

/// A statement that sleeps is stopped from another thread, and its connection does no more.
fn assert_cancels(target: &str) {
    let mut connection = open(target).unwrap();
    let canceller = connection.canceller();
    let started = Instant::now();
    let stopper = thread::spawn(move || {
        thread::sleep(Duration::from_millis(200));
        canceller.cancel();
    });
    let error = connection.batch("sleeping", "SELECT SLEEP(60); SELECT 1").unwrap_err();
    assert_eq!(error.class, ErrorClass::Cancelled, "{error}");
    assert!(started.elapsed() < Duration::from_secs(10));
    stopper.join().unwrap();
    assert!(connection.cancelled());
    assert_eq!(connection.batch("going on", "SELECT 1").unwrap_err().class, ErrorClass::Cancelled);
}

#[test]
fn statements_end_when_they_are_cancelled_and_by_whom_is_known() {
    let server = start(ServerOptions::default());
    server
        .client("", "CREATE USER scott@'127.0.0.1' IDENTIFIED BY 'tiger'; GRANT ALL ON dbdyno.* TO scott@'127.0.0.1'");
    let (root, scott) = (server.socket("root", "dbdyno"), server.tcp("scott:tiger", "dbdyno"));
    assert_cancels(&root);
    assert_cancels(&scott);
    // A cancel that comes too early is not lost.
    let mut connection = open(&scott).unwrap();
    connection.canceller().cancel();
    let error = connection.measured().query::<i64, _>("SELECT SLEEP(60)").unwrap_err();
    assert_eq!(connection.error("sleeping", &error).class, ErrorClass::Cancelled);
    // Nor is one that comes between two.
    let mut connection = open(&scott).unwrap();
    connection.batch("working", "DO 1").unwrap();
    connection.canceller().cancel();
    assert!(connection.batch("working", "DO 1").unwrap_err().message.contains("stopped before it began"));
    // A recursive procedure, whose own statements are what is interrupted.
    let mut connection = open(&scott).unwrap();
    connection
        .batch(
            "making",
            "CREATE PROCEDURE busy() BEGIN DECLARE x INT DEFAULT 0; WHILE 1 DO SET x = 1 - x; END WHILE; END",
        )
        .unwrap();
    let (canceller, started) = (connection.canceller(), Instant::now());
    let stopper = thread::spawn(move || {
        thread::sleep(Duration::from_millis(200));
        canceller.cancel();
    });
    assert_eq!(connection.batch("calling", "CALL busy()").unwrap_err().class, ErrorClass::Cancelled);
    assert!(started.elapsed() < Duration::from_secs(10));
    stopper.join().unwrap();
    // What others did, and limits of the server's, are not ours.
    let mut connection = open(&root).unwrap();
    let id = connection.session_id();
    let killer = thread::spawn({
        let root = root.clone();
        move || {
            thread::sleep(Duration::from_millis(300));
            open(&root).unwrap().batch("killing", &format!("KILL QUERY {id}")).unwrap();
        }
    });
    let error = connection.batch("sleeping", "SELECT SLEEP(60)").unwrap_err();
    assert!(error.class == ErrorClass::Timeout && error.message.contains("dbdyno did not ask for this"), "{error}");
    killer.join().unwrap();
    let error = connection.batch("sleeping", "SET max_statement_time = 0.05; SELECT SLEEP(60)").unwrap_err();
    assert!(error.class == ErrorClass::Timeout && error.message.contains("max_statement_time is set"), "{error}");
}

#[test]
fn errors_of_statements_have_their_classes() {
    let server = start(ServerOptions::default());
    let target = server.tcp("admin", "dbdyno");
    let (mut one, mut two) = (open(&target).unwrap(), open(&target).unwrap());
    one.batch("making", "CREATE TABLE t (x INT PRIMARY KEY, y INT); INSERT INTO t VALUES (1, 0), (2, 0)").unwrap();
    one.batch("locking", "BEGIN; UPDATE t SET y = 1 WHERE x = 1").unwrap();
    let error = two.batch("waiting", "SET innodb_lock_wait_timeout = 1; UPDATE t SET y = 1 WHERE x = 1").unwrap_err();
    assert!(error.class == ErrorClass::Timeout && error.message.contains("another session holds the lock"), "{error}");
    two.batch("locking", "SET innodb_lock_wait_timeout = 50; BEGIN; UPDATE t SET y = 2 WHERE x = 2").unwrap();
    let waiting = thread::spawn(move || {
        let done = one.batch("waiting", "UPDATE t SET y = 1 WHERE x = 2");
        (done, one)
    });
    thread::sleep(Duration::from_millis(300));
    let second = two.batch("deadlocking", "UPDATE t SET y = 2 WHERE x = 1");
    let (first, mut one) = waiting.join().unwrap();
    let error = first.and(second).unwrap_err();
    assert_eq!(error.class, ErrorClass::Conflict, "{error}");
    one.batch("ending", "ROLLBACK").unwrap();
    for (sql, class, said) in [
        ("SELECT * FROM nowhere", ErrorClass::UnknownObject, "nowhere"),
        ("CALL nowhere()", ErrorClass::UnknownObject, "nowhere"),
        ("SELECT z FROM t", ErrorClass::UnknownObject, "Unknown column"),
        ("SET TRANSACTION READ ONLY; INSERT INTO t VALUES (9, 9)", ErrorClass::Permission, "measure on the primary"),
        ("SELEC 1", ErrorClass::Other, "SQLSTATE 42000"),
        ("INSERT INTO t VALUES (1, 1)", ErrorClass::Other, "Duplicate entry"),
    ] {
        let error = two.batch("working", sql).unwrap_err();
        assert!(error.class == class && error.message.contains(said), "{sql}: {error}");
        two.batch("ending", "ROLLBACK").unwrap();
    }
    server.client("", "CREATE USER scott@'127.0.0.1'; GRANT SELECT ON dbdyno.* TO scott@'127.0.0.1'");
    let mut scott = open(&server.tcp("scott", "dbdyno")).unwrap();
    let error = scott.batch("writing", "INSERT INTO t VALUES (3, 3)").unwrap_err();
    assert!(error.class == ErrorClass::Permission && error.message.contains("dbdyno sql mariadb"), "{error}");
    server.client("", "GRANT INSERT ON dbdyno.* TO scott@'127.0.0.1'; SET GLOBAL read_only = ON");
    let error =
        open(&server.tcp("scott", "dbdyno")).unwrap().batch("writing", "INSERT INTO t VALUES (3, 3)").unwrap_err();
    assert!(error.class == ErrorClass::Permission && error.message.contains("read_only is on"), "{error}");
}

#[test]
fn a_link_that_breaks_says_so() {
    let mut server = start(ServerOptions::default());
    let target = server.tcp("admin", "dbdyno");
    let mut connection = open(&target).unwrap();
    server.client("", &format!("KILL {}", connection.session_id()));
    let error = connection.batch("asking", "SELECT 1").unwrap_err();
    assert!(error.target_lost() && error.message.contains("127.0.0.1"), "{error}");
    assert!(connection.is_closed());
    assert!(connection.batch("asking again", "SELECT 1").unwrap_err().target_lost());
    // Killed at work.
    let mut connection = open(&target).unwrap();
    assert!(!connection.is_closed());
    let id = connection.session_id();
    let killer = thread::spawn({
        let target = target.clone();
        move || {
            thread::sleep(Duration::from_millis(300));
            open(&target).unwrap().batch("killing", &format!("KILL {id}")).unwrap();
        }
    });
    let error = connection.batch("sleeping", "SELECT SLEEP(60)").unwrap_err();
    assert!(error.target_lost(), "{error}");
    killer.join().unwrap();
    let mut connection = open(&target).unwrap();
    server.kill();
    assert!(connection.batch("asking", "SELECT 1").unwrap_err().target_lost());
    assert!(refused(&target).target_lost());
    server.restart();
    open(&target).unwrap();
}

/// What an administrator may have set for everybody.
const HABITS: &str = "SET GLOBAL sql_mode = 'ANSI,ORACLE', time_zone = '+05:00', lc_messages = 'de_DE', autocommit = OFF, \
    completion_type = 'CHAIN', wait_timeout = 1, sql_safe_updates = ON, sql_select_limit = 1, div_precision_increment = 0, \
    idle_transaction_timeout = 1, tx_isolation = 'SERIALIZABLE', tx_read_only = ON, character_set_server = 'latin1', \
    max_statement_time = 600";

#[test]
fn sessions_are_alike_whatever_the_server_has_set() {
    let server = start(ServerOptions::default());
    server.client("", HABITS);
    let mut connection = open(&server.tcp("admin", "dbdyno")).unwrap();
    let settings = "SELECT @@sql_mode, @@time_zone, @@lc_messages, @@autocommit, @@completion_type, @@sql_safe_updates, \
                    @@tx_isolation, @@tx_read_only, @@max_sp_recursion_depth, @@character_set_client, \
                    @@collation_connection, DATABASE(), 1 / 3, @@max_statement_time";
    let expected = "STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION|+00:00|en_US|1|NO_CHAIN|0|\
                    READ-COMMITTED|0|255|utf8mb4|utf8mb4_general_ci|dbdyno|0.3333|600.000000";
    for when in ["at first", "after a reset"] {
        let rows = connection.texts("asking", settings).unwrap();
        let row: Vec<_> = rows[0].iter().map(|value| value.as_deref().unwrap_or("NULL")).collect();
        assert_eq!(row.join("|"), expected, "{when}");
        assert_eq!(connection.texts("asking", "SELECT 1 UNION SELECT 2").unwrap().len(), 2, "{when}");
        thread::sleep(Duration::from_millis(1_500));
        connection
            .batch("resetting", "SET sort_buffer_size = 1048576, @x = 1, sql_mode = 'ANSI'; BEGIN; DO GET_LOCK('l', 0)")
            .unwrap();
        connection.reset("resetting", "SET join_buffer_size = 1048576").unwrap();
        let now = "SELECT CONCAT_WS(' ', @@sort_buffer_size = @@global.sort_buffer_size, @x, @@join_buffer_size, \
                   IS_FREE_LOCK('l'), CONNECTION_ID())";
        assert_eq!(value(&mut connection, now), format!("1 1048576 1 {}", connection.session_id()), "{when}");
    }
}
