//! Connections to real servers.

#[path = "connection/tests/pooler.rs"]
pub(crate) mod pooler;

use super::PostgresConnection;
use crate::options::Options;
use crate::scratch::{Server, ServerOptions};
use dbdyno_engine::client::Values;
use dbdyno_engine::server::Connection as _;
use dbdyno_engine::{EngineError, Target};
use dbdyno_model::ErrorClass;
use std::io::Read;
use std::net::TcpListener;
use std::thread;
use std::time::{Duration, Instant};

fn options(target: &str) -> Options {
    Options::parse(&Target::parse(target).unwrap()).unwrap()
}

fn open(target: &str) -> Result<PostgresConnection, EngineError> {
    PostgresConnection::open(&options(target), 0, "dbdyno")
}

fn refused(target: &str) -> EngineError {
    open(target).map(drop).unwrap_err()
}

fn value(connection: &mut PostgresConnection, sql: &str) -> String {
    connection.texts("asking", sql).unwrap()[0][0].clone().unwrap_or_default()
}

/// The server's count of commits once every session has reported its own.
fn commits(server: &Server) -> i64 {
    let sql = "SELECT xact_commit FROM pg_stat_database WHERE datname = 'counted'";
    server.psql("postgres", sql).parse().unwrap()
}

/// What a session adds to the server's count of commits, what it counts itself, and what it counted when it was open.
fn counted(server: &Server, work: impl FnOnce(&mut PostgresConnection)) -> (i64, u64, u64) {
    let before = settled(server);
    let mut connection = open(&server.socket("postgres", "counted")).unwrap();
    let opening = connection.transactions();
    work(&mut connection);
    let own = connection.transactions();
    drop(connection);
    (settled(server) - before, own, opening)
}

/// Sessions report when they end; the database's figure is final when none is left and it has stood still for a while.
fn settled(server: &Server) -> i64 {
    let busy = "SELECT count(*) FROM pg_stat_activity WHERE datname = 'counted'";
    let mut last = -1;
    loop {
        thread::sleep(Duration::from_millis(300));
        let now = commits(server);
        if server.psql("postgres", busy) == "0" && now == last {
            return now;
        }
        last = now;
    }
}

/// What `work` adds to the server's count beside opening the connection. The connection counts what it does itself,
/// and `counts` is what whoever uses the client counts.
fn check(server: &Server, what: &str, expected: u64, counts: u64, work: fn(&mut PostgresConnection)) {
    let (server_says, own_count, opening) = counted(server, |connection| {
        work(connection);
        connection.count_transactions(counts);
    });
    assert_eq!(u64::try_from(server_says), Ok(expected + opening), "{what}, by the server's count");
    assert_eq!(u64::try_from(server_says), Ok(own_count), "{what}, by the connection's own count");
}

#[test]
fn transactions_are_counted_exactly() {
    let server = ServerOptions::default().set("max_parallel_workers_per_gather", "4").start();
    server.psql("postgres", "CREATE DATABASE counted");
    server.psql(
        "counted",
        "CREATE TABLE t (x bigint);
         CREATE TABLE big WITH (parallel_workers = 2) AS SELECT g AS x FROM generate_series(1, 100000) g; ANALYZE big;
         CREATE PROCEDURE several(n int) LANGUAGE plpgsql AS
         $$ BEGIN FOR i IN 1..n LOOP INSERT INTO public.t VALUES (i); COMMIT; END LOOP; END $$;",
    );
    check(&server, "nothing", 0, 0, |_| {});
    check(&server, "batches: of one, of three, of none, one that fails", 3, 0, |connection| {
        connection.batch("x", "INSERT INTO public.t VALUES (1)").unwrap();
        connection.batch("x", "SELECT 1; SELECT 2; INSERT INTO public.t VALUES (1)").unwrap();
        connection.batch("x", "").unwrap();
        connection.batch("x", "SELECT 1/0").unwrap_err();
    });
    check(&server, "texts", 1, 0, |connection| {
        assert_eq!(connection.texts("x", "SELECT 1, NULL").unwrap(), [[Some("1".to_owned()), None]]);
    });
    check(&server, "a transaction of four round trips", 1, 0, |connection| {
        for sql in ["BEGIN", "INSERT INTO public.t VALUES (1)", "SELECT 1", "COMMIT"] {
            connection.batch("x", sql).unwrap();
        }
    });
    check(&server, "prepare, five executions", 6, 0, |connection| {
        let mut prepared = connection.prepare("x", &["SELECT $1::bigint".into()]).unwrap();
        for n in 0..5 {
            connection.execute("x", &mut prepared, Values::new().set(&[n])).unwrap();
            assert_eq!(prepared.answer().int(0, 0), Some(n));
        }
    });
    check(&server, "prepare, an execution that fails, prepare again, and an execution", 3, 0, |connection| {
        let mut prepared = connection.prepare("x", &["SELECT 1 / $1::bigint".into()]).unwrap();
        let error = connection.execute("x", &mut prepared, Values::new().set(&[0])).unwrap_err();
        assert!(error.message.contains("division by zero"), "{error}");
        assert_eq!(connection.query("x", "SELECT $1::text", Values::new().push("a")).unwrap().text(0, 0), Some("a"));
    });
    check(&server, "a call with three commits, in a batch", 4, 3, |connection| {
        connection.batch("x", "CALL public.several(3)").unwrap()
    });
    check(&server, "a call with three commits, prepared", 5, 3, |connection| {
        let mut call = connection.prepare("x", &["CALL public.several($1)".into()]).unwrap();
        connection.execute("x", &mut call, Values::new().set(&[3])).unwrap();
    });
    check(&server, "a copy, there and back", 2, 0, |connection| {
        let mut copy = connection.copy_in("x", "COPY public.t FROM STDIN").unwrap();
        copy.send(b"1\n2").unwrap();
        copy.send(b"\n").unwrap();
        assert_eq!(copy.finish().unwrap(), 2);
        let mut rows = 0;
        let count = |row: &[u8]| {
            rows += row.split(|byte| *byte == b'\n').count() - 1;
            Ok(())
        };
        connection.copy_out("x", "COPY public.t TO STDOUT", count).unwrap();
        assert!(rows >= 2, "{rows}");
    });
    check(&server, "a checkpoint", 1, 0, |connection| connection.batch("x", "CHECKPOINT").unwrap());
    check(&server, "a scan by two workers", 2 + 2 * 2, 4, |connection| {
        connection
            .batch("x", "SET parallel_setup_cost=0; SET parallel_tuple_cost=0; SET min_parallel_table_scan_size=0")
            .unwrap();
        connection.batch("x", "SELECT sum(x) FROM public.big").unwrap();
    });
    check(&server, "an index build by two workers", 2 + 2 * 2, 4, |connection| {
        connection.batch("x", "SET max_parallel_maintenance_workers=2; SET maintenance_work_mem='128MB'").unwrap();
        connection.batch("x", "CREATE INDEX ON public.big (x)").unwrap();
    });
}

#[test]
fn tls_proves_what_the_mode_asks_for() {
    let server = ServerOptions::default().tls("DNS:localhost,DNS:db1.example").start();
    let encrypted =
        |target: &str| value(&mut open(target).unwrap(), "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()");
    let (by_name, by_number) =
        (server.tcp("postgres", "postgres").replace("127.0.0.1", "localhost"), server.tcp("postgres", "postgres"));
    let roots = format!("sslrootcert={}", server.authority().display());
    assert_eq!(encrypted(&format!("{by_number}?sslmode=disable")), "f");
    assert_eq!(encrypted(&by_number), "t");
    assert_eq!(encrypted(&format!("{by_number}?sslmode=require")), "t");
    assert_eq!(encrypted(&format!("{by_number}?sslmode=verify-ca&{roots}")), "t");
    assert_eq!(encrypted(&format!("{by_name}?sslmode=verify-full&{roots}")), "t");
    // The wrong name, no trusted authority, the wrong authority (another certificate), and no file at all.
    let own = format!("sslrootcert={}", server.certificate().display());
    for (target, said) in [
        (format!("{by_number}?sslmode=verify-full&{roots}"), "the certificate is not for 127.0.0.1"),
        (format!("{by_name}?sslmode=verify-ca"), "nobody trusted has signed"),
        (format!("{by_name}?sslmode=verify-full"), "nobody trusted has signed"),
        (
            format!("{by_name}?sslmode=verify-full&sslrootcert=/nowhere.pem"),
            "cannot read the trusted certificates in /nowhere.pem",
        ),
    ] {
        let error = refused(&target);
        assert!(error.class == ErrorClass::ConnectionLost && error.message.contains(said), "{target}: {error}");
    }
    // The server's own certificate may be what is trusted, also for `require`, which verifies as soon as it can.
    assert_eq!(encrypted(&format!("{by_name}?sslmode=verify-full&{own}")), "t");
    let other = ServerOptions::default().self_signed_tls("DNS:localhost").start();
    let theirs = format!("sslrootcert={}", other.certificate().display());
    assert!(refused(&format!("{by_name}?sslmode=require&{theirs}")).message.contains("nobody trusted has signed"));
    let other_name = other.tcp("postgres", "postgres").replace("127.0.0.1", "localhost");
    assert_eq!(encrypted(&format!("{other_name}?sslmode=verify-full&{theirs}")), "t");
    assert!(
        refused(&format!("{}?sslmode=verify-full&{theirs}", other.tcp("postgres", "postgres")))
            .message
            .contains("not for 127.0.0.1")
    );
    // There is no TLS on sockets, whatever the mode; and a cancel goes the same way as its connection.
    assert_eq!(encrypted(&format!("{}&sslmode=verify-full", server.socket("postgres", "postgres"))), "f");
    assert_cancels(&format!("{by_name}?sslmode=verify-full&{roots}"));
}

#[test]
fn without_tls_prefer_goes_on_and_require_does_not() {
    let server = Server::start();
    let target = server.tcp("postgres", "postgres");
    open(&target).unwrap();
    let error = refused(&format!("{target}?sslmode=require"));
    assert!(error.message.contains("turn on ssl in postgresql.conf"), "{error}");
    // A line for plain connections only: `prefer` tries again without TLS.
    let server = ServerOptions::default()
        .tls("DNS:x")
        .access("hostnossl all all 127.0.0.1/32 trust")
        .access("hostssl all all 127.0.0.1/32 reject")
        .start();
    let mut connection = open(&server.tcp("postgres", "postgres")).unwrap();
    assert_eq!(value(&mut connection, "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()"), "f");
    // Where the second attempt fails as well, its advice is not that of the first.
    let error = refused(&server.tcp("absent", "postgres"));
    let (second, first) = error.message.split_once("; before, with TLS: ").unwrap();
    assert!(second.contains("does the role exist there?") && !second.contains("needs a line"), "{error}");
    assert!(first.contains("pg_hba.conf rejects connection"), "{error}");
}

#[test]
fn passwords_prove_who_we_are_and_are_never_shown() {
    let server = ServerOptions::default()
        .tls("DNS:localhost")
        .access("host all scott 127.0.0.1/32 scram-sha-256")
        .access("local all mdfive md5")
        .start();
    server.psql("postgres", "SET password_encryption = 'scram-sha-256'; CREATE ROLE scott LOGIN PASSWORD 'ti:g@er'; SET password_encryption = md5; CREATE ROLE mdfive LOGIN PASSWORD 'tiger'");
    let target = |password: &str| server.tcp("scott", "postgres").replace("scott@", &format!("scott:{password}@"));
    for mode in ["disable", "require"] {
        let mut connection = open(&format!("{}?sslmode={mode}", target("ti%3Ag%40er"))).unwrap();
        assert_eq!(value(&mut connection, "SELECT current_user"), "scott");
        let error = refused(&format!("{}?sslmode={mode}", target("secretword")));
        assert_eq!(error.class, ErrorClass::Authentication);
        let said = error.to_string();
        assert!(
            said.contains("as scott") && said.contains("the target or the prompt") && said.contains("PGPASSFILE"),
            "{said}"
        );
        assert!(!said.contains("secretword") && said.contains(&format!("127.0.0.1:{}", server.port)), "{said}");
    }
    open(&server.socket("mdfive", "postgres").replace("mdfive@", "mdfive:tiger@")).unwrap();
    let error = refused(&server.tcp("scott", "postgres"));
    assert!(error.class == ErrorClass::Authentication && error.message.contains("none was given"), "{error}");
}

#[test]
fn who_turns_us_away_says_what_to_do() {
    let server = ServerOptions::default()
        .access("host all nobody 127.0.0.1/32 reject")
        .access("host hidden all 127.0.0.1/32 reject")
        .start();
    let error = refused(&server.tcp("postgres", "my_db"));
    assert!(
        error.class == ErrorClass::UnknownObject && error.message.contains("createdb --host=127.0.0.1 --port="),
        "{error}"
    );
    assert!(error.message.contains("my_db"), "{error}");
    let error = refused(&server.tcp("nobody", "postgres"));
    let line = "`host postgres nobody 127.0.0.1/32 scram-sha-256`";
    assert!(error.class == ErrorClass::Authentication && error.message.contains(line), "{error}");
    assert!(!error.message.contains("with TLS"), "this server has none: {error}");
    let error = refused(&server.tcp("absent", "postgres"));
    assert!(error.class == ErrorClass::Authentication && error.message.contains("does the role exist"), "{error}");
    server.psql("postgres", "CREATE ROLE narrow LOGIN CONNECTION LIMIT 0");
    let error = refused(&server.tcp("narrow", "postgres"));
    assert!(error.class == ErrorClass::Other && error.message.contains("CONNECTION LIMIT"), "{error}");
    server.psql("postgres", "ALTER ROLE narrow CONNECTION LIMIT 2");
    let narrow = options(&server.tcp("narrow", "postgres"));
    let _two = [0, 1].map(|_| PostgresConnection::open(&narrow, 0, "dbdyno").unwrap());
    let error = PostgresConnection::open(&narrow, 0, "dbdyno").map(drop).unwrap_err();
    assert!(error.message.contains("max_connections is 100 (3 reserved)"), "{error}");
    assert!(error.message.contains("dbdyno has 2 connections and asked for one more"), "{error}");
}

#[test]
fn who_is_not_there_is_not_waited_for() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = silent.local_addr().unwrap().port();
    let started = Instant::now();
    for mode in ["disable", "prefer", "require"] {
        let error = refused(&format!("postgres://u@127.0.0.1:{port}/d?connect_timeout=1&sslmode={mode}"));
        assert!(error.target_lost() && error.message.contains("nothing answered within 1 s"), "{error}");
    }
    assert!(started.elapsed() < Duration::from_secs(10));
    // Nobody is given this one, as another test might be given that of a listener which has gone.
    let port = 1;
    let error = refused(&format!("postgres://u@127.0.0.1:{port}/d"));
    assert!(error.target_lost() && error.message.contains("is the server running"), "{error}");
    assert!(error.message.contains(&format!("connecting to 127.0.0.1:{port} as u, database d")), "{error}");
    let error = refused("postgres://u@/d?host=/nowhere");
    assert!(error.target_lost() && error.message.contains("/nowhere/.s.PGSQL.5432"), "{error}");
    assert!(error.message.contains("unix_socket_directories"), "{error}");
    let error = refused("postgres://u@no-such-host.invalid/d");
    assert!(error.target_lost() && error.message.contains("spelt right"), "{error}");
    // Something else listens there.
    let other = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = other.local_addr().unwrap().port();
    let closing = thread::spawn(move || {
        let (mut stream, _) = other.accept().unwrap();
        _ = stream.read(&mut [0; 8]);
    });
    let error = refused(&format!("postgres://u@127.0.0.1:{port}/d?sslmode=disable"));
    assert!(error.target_lost() && error.message.contains("is it a PostgreSQL server"), "{error}");
    closing.join().unwrap();
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
    let error = connection.batch("sleeping", "SELECT pg_sleep(60)").unwrap_err();
    assert_eq!(error.class, ErrorClass::Cancelled, "{error}");
    assert!(started.elapsed() < Duration::from_secs(10));
    stopper.join().unwrap();
    assert!(connection.cancelled());
    assert_eq!(connection.batch("going on", "SELECT 1").unwrap_err().class, ErrorClass::Cancelled);
}

#[test]
fn statements_end_when_they_are_cancelled_and_by_whom_is_known() {
    let server = Server::start();
    assert_cancels(&server.socket("postgres", "postgres"));
    assert_cancels(&server.tcp("postgres", "postgres"));
    // A cancel that comes too early is not lost.
    let mut connection = open(&server.socket("postgres", "postgres")).unwrap();
    connection.canceller().cancel();
    let trouble = connection.wire.query("SELECT pg_sleep(60)", |_| {}).unwrap_err();
    assert_eq!(connection.error("sleeping", &trouble).class, ErrorClass::Cancelled);
    // A limit of the server's is not ours.
    let mut connection = open(&server.socket("postgres", "postgres")).unwrap();
    let error = connection.batch("sleeping", "SET statement_timeout = 50; SELECT pg_sleep(60)").unwrap_err();
    assert!(error.class == ErrorClass::Timeout && error.message.contains("statement timeout"), "{error}");
    connection
        .batch("locking", "RESET ALL; CREATE TABLE public.t (x int); COMMIT; BEGIN; LOCK TABLE public.t")
        .unwrap();
    let mut other = open(&server.socket("postgres", "postgres")).unwrap();
    let error = other.batch("waiting", "SET lock_timeout = 50; SELECT * FROM public.t").unwrap_err();
    assert!(error.class == ErrorClass::Timeout && error.message.contains("another session holds the lock"), "{error}");
    let error =
        other.batch("writing", "SET default_transaction_read_only = on; COMMIT; CREATE TABLE public.u ()").unwrap_err();
    assert!(error.class == ErrorClass::Other || error.class == ErrorClass::Permission, "{error}");
    let error = other.batch("writing", "CREATE TABLE public.u ()").unwrap_err();
    assert!(error.class == ErrorClass::Permission && error.message.contains("measure on the primary"), "{error}");
    let error = other.batch("reading", "SELECT * FROM nowhere").unwrap_err();
    assert_eq!(error.class, ErrorClass::UnknownObject, "{error}");
}

#[test]
fn rows_are_copied_whole_or_not_at_all() {
    let server = ServerOptions::default().tls("DNS:localhost").start();
    for target in
        [server.socket("postgres", "postgres"), format!("{}?sslmode=require", server.tcp("postgres", "postgres"))]
    {
        let mut connection = open(&target).unwrap();
        connection.batch("x", "DROP TABLE IF EXISTS public.c; CREATE TABLE public.c (x bigint)").unwrap();
        let sql = "COPY public.c FROM STDIN";
        // Pieces larger than any buffer in between.
        let mut copy = connection.copy_in("x", sql).unwrap();
        let piece = b"1234567\n".repeat(40_000);
        (0..5).for_each(|_| copy.send(&piece).unwrap());
        assert_eq!(copy.finish().unwrap(), 200_000);
        // One that is given up.
        let mut copy = connection.copy_in("x", sql).unwrap();
        copy.send(&piece).unwrap();
        drop(copy);
        // One that the server refuses: told before all is sent.
        let mut copy = connection.copy_in("loading", sql).unwrap();
        let error = (0..1_000).find_map(|_| copy.send(b"no number\n".repeat(1_000).as_slice()).err()).unwrap();
        drop(copy);
        assert!(error.message.contains("loading: invalid input syntax for type bigint"), "{error}");
        // One that is none, and one that is cancelled.
        let error = connection.copy_in("x", "SELECT 1").map(drop).unwrap_err();
        assert!(error.message.contains("not understood"), "{error}");
        let mut connection = open(&target).unwrap();
        let mut bytes = 0;
        let count = |row: &[u8]| {
            bytes += row.len();
            Ok(())
        };
        connection.copy_out("x", "COPY public.c TO STDOUT", count).unwrap();
        assert_eq!(bytes, 200_000 * 8);
        assert_eq!(value(&mut connection, "SELECT count(*) FROM public.c"), "200000");
        let canceller = connection.canceller();
        let mut copy = connection.copy_in("x", sql).unwrap();
        canceller.cancel();
        let error = (0..600).find_map(|_| {
            thread::sleep(Duration::from_millis(10));
            copy.send(&piece[..8]).err()
        });
        drop(copy);
        assert_eq!(error.unwrap().class, ErrorClass::Cancelled);
        // One that is not read to its end.
        let mut connection = open(&target).unwrap();
        let stop = |_: &[u8]| Err(EngineError::new(ErrorClass::Corruption, "stopped"));
        let error = connection.copy_out("x", "COPY public.c TO STDOUT", stop).unwrap_err();
        assert!(error.message == "stopped" && connection.is_closed(), "{error}");
    }
}

#[test]
fn a_connection_that_breaks_says_so() {
    let mut server = Server::start();
    let mut connection = open(&server.tcp("postgres", "postgres")).unwrap();
    server.psql("postgres", &format!("SELECT pg_terminate_backend({})", connection.session_id()));
    let error = connection.batch("asking", "SELECT 1").unwrap_err();
    assert!(error.target_lost() && error.message.contains("127.0.0.1"), "{error}");
    // The end itself may come after the server's last word, and is read by whoever asks next.
    assert!(connection.batch("asking again", "SELECT 1").unwrap_err().target_lost());
    assert!(connection.is_closed());
    // Killed at work.
    let mut connection = open(&server.tcp("postgres", "postgres")).unwrap();
    assert!(!connection.is_closed());
    let pid = connection.session_id().to_string();
    let killer = thread::spawn(move || {
        thread::sleep(Duration::from_millis(200));
        std::process::Command::new("kill").args(["-KILL", &pid]).status().unwrap();
    });
    let error = connection.batch("sleeping", "SELECT pg_sleep(60)").unwrap_err();
    assert!(error.target_lost(), "{error}");
    killer.join().unwrap();
    server.kill();
    assert!(refused(&server.tcp("postgres", "postgres")).target_lost());
    server.restart();
    open(&server.tcp("postgres", "postgres")).unwrap();
}

#[test]
fn versions_and_nodes_are_known() {
    let (one, two) = (Server::start(), Server::start());
    let target = format!("postgres://postgres@127.0.0.1:{},127.0.0.1:{}/postgres", one.port, two.port);
    let options = options(&target);
    for (node, server) in [(0, &one), (1, &two), (2, &one)] {
        let mut connection = PostgresConnection::open(&options, node, "dbdyno test").unwrap();
        assert_eq!(value(&mut connection, "SHOW port"), server.port.to_string());
        assert_eq!(value(&mut connection, "SHOW application_name"), "dbdyno test");
        assert_eq!(value(&mut connection, "SHOW server_version_num"), connection.version_num().to_string());
        assert_eq!(value(&mut connection, "SELECT pg_backend_pid()"), connection.session_id().to_string());
    }
}

/// A function of a schema that everybody may create in, which fits better than the server's own.
const PLANTED: &str = "
    CREATE ROLE mallory LOGIN; GRANT CREATE ON SCHEMA public TO mallory; SET ROLE mallory;
    CREATE FUNCTION public.sqrt(bigint) RETURNS double precision LANGUAGE plpgsql AS
    $$ BEGIN ALTER ROLE mallory SUPERUSER; RETURN 7; END $$;
    RESET ROLE;
    ALTER DATABASE postgres SET search_path = public, pg_catalog; ALTER DATABASE postgres SET DateStyle = 'German';
    ALTER DATABASE postgres SET IntervalStyle = 'sql_standard'; ALTER DATABASE postgres SET extra_float_digits = -15;
    ALTER DATABASE postgres SET quote_all_identifiers = on;";

#[test]
fn planted_functions_are_not_found() {
    let server = Server::start();
    server.psql("postgres", PLANTED);
    let work = "SELECT sqrt(4::bigint), DATE '2020-01-31', INTERVAL '1 day 2 hours', 0.1::float8 + 0.2::float8, quote_ident('a')";
    assert!(server.psql("postgres", "BEGIN; SELECT sqrt(4::bigint); ROLLBACK").contains('7'), "it is a trap");
    let expected = ["2", "2020-01-31", "1 day 02:00:00", "0.30000000000000004", "a"].map(|text| Some(text.to_owned()));
    let check = |connection: &mut PostgresConnection, when: &str| {
        assert_eq!(connection.texts("working", work).unwrap(), vec![expected.to_vec()], "{when}");
        let super_now = "SELECT rolsuper FROM pg_catalog.pg_roles WHERE rolname = 'mallory'";
        assert_eq!(value(connection, super_now), "f", "{when}");
    };
    let mut connection = open(&server.socket("postgres", "postgres")).unwrap();
    check(&mut connection, "at first");
    connection.batch("resetting", "RESET ALL").unwrap();
    check(&mut connection, "after RESET ALL");
    connection.reset("resetting", "SET jit = off").unwrap();
    check(&mut connection, "after a reset");
    // A pooler wants none of it in the startup message.
    let port = pooler::start(server.port, "postgres", "postgres");
    let pooled = options(&format!("postgres://postgres@127.0.0.1:{port}/postgres"));
    for _ in 0..2 {
        let mut connection = PostgresConnection::open(&pooled, 0, "dbdyno").unwrap();
        check(&mut connection, "through a pooler");
        connection.reset("resetting", "SET jit = off").unwrap();
        check(&mut connection, "after a reset through a pooler");
    }
}

#[test]
fn sessions_wait_their_turn_and_notice_that_their_client_has_gone() {
    let server = ServerOptions::default().start();
    let mut connection = open(&server.socket("postgres", "postgres")).unwrap();
    if connection.version_num() < 140_000 {
        return;
    }
    server.psql("postgres", "ALTER SYSTEM SET idle_session_timeout = '100ms'; SELECT pg_reload_conf()");
    for when in ["at first", "after a reset"] {
        thread::sleep(Duration::from_millis(300));
        assert_eq!(value(&mut connection, "SHOW idle_session_timeout"), "0", "{when}");
        assert_eq!(value(&mut connection, "SHOW client_connection_check_interval"), "1s", "{when}");
        assert_eq!(value(&mut connection, "SHOW lc_messages"), "C", "{when}");
        connection.reset("resetting", "").unwrap();
    }
}
