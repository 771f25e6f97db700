//! The PostgreSQL engine on real servers: what every engine of a server must do, and what only this one can. The server
//! is the newest of the distribution, or the one that DBDYNO_POSTGRES_BIN names.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "helpers of tests fail as tests do")]

mod client;

use dbdyno_engine::{EngineInfo, FindingLevel, PointSpec, Request, Settled};
use dbdyno_model::{CommitMode, Counter, Drive, Test};
use dbdyno_testkit::conformance::{NoProgress, catalogue, run_point};
use dbdyno_testkit::on_servers::{Product, spec};
use dbdyno_testkit::servers::Scratch as _;
use dbdyno_testkit::servers::fixtures::{Database, FixturePool};
use std::time::{Duration, Instant};

type Server = dbdyno_testkit::servers::postgres::Server<dbdyno_postgres::Postgres>;
type ServerOptions = dbdyno_testkit::servers::postgres::ServerOptions<dbdyno_postgres::Postgres>;

dbdyno_testkit::points!(Postgres);
dbdyno_testkit::clients!(Postgres);
dbdyno_testkit::loads!(Postgres);
dbdyno_testkit::observers!(Postgres);

static FIXTURES: FixturePool<Server> = FixturePool::new(quick, Postgres::load);

/// No test on such a server is about what survives a crash.
fn quick() -> Server {
    ServerOptions::default()
        .set("shared_buffers", "64MB")
        .set("max_worker_processes", "32")
        .set("max_parallel_workers", "32")
        .set("max_locks_per_transaction", "256")
        .set("autovacuum", "off")
        .set("fsync", "off")
        .set("synchronous_commit", "off")
        .start()
}

/// The engine under test.
struct Postgres;

impl Product for Postgres {
    type Server = Server;

    const INFO: EngineInfo = dbdyno_postgres::INFO;
    const GROUPS: &'static [&'static str] = &["small tables", "large_heap_range_list"];
    const PHASES: &'static [&'static str] = &["", " indexes", " vacuum", " checksum"];

    fn fixtures() -> &'static FixturePool<Server> {
        &FIXTURES
    }

    fn plain() -> Server {
        Server::start()
    }

    fn counting() -> Server {
        let server = ServerOptions::default().set("shared_preload_libraries", "pg_stat_statements").start();
        server.psql("postgres", "CREATE EXTENSION pg_stat_statements");
        server
    }

    /// What one session makes and drops makes those of other databases commit empty transactions.
    fn alone() -> (Server, String) {
        FIXTURES.loaded_server_alone()
    }

    fn log_position(server: &Server) -> u64 {
        server.psql("postgres", "SELECT (pg_current_wal_insert_lsn() - '0/0')::bigint").parse().unwrap()
    }

    fn lookups(server: &Server, database: &str, table: &str) -> u64 {
        let sql = format!("SELECT idx_scan FROM pg_stat_user_indexes WHERE indexrelname = '{table}_pk'");
        server.psql(database, &sql).parse().unwrap()
    }

    fn tables(server: &Server, database: &str, beginning: &str) -> Vec<String> {
        let sql = format!(
            "SELECT relname FROM pg_class WHERE relnamespace = 'dbdyno'::regnamespace AND starts_with(relname, '{beginning}')
               AND relkind IN ('r', 'p') AND NOT relispartition"
        );
        server.psql(database, &sql).lines().map(str::to_owned).collect()
    }

    fn end_a_loader(server: &Server, database: &str, phase: &str) -> bool {
        let says = if phase.is_empty() { "COPY%" } else { "%PRIMARY KEY%" };
        let sql = format!(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
             WHERE datname = '{database}' AND application_name = 'dbdyno load' AND query LIKE '{says}' LIMIT 1"
        );
        server.psql("postgres", &sql) == "t"
    }

    fn loaders(server: &Server, database: &str) -> u64 {
        let sql = format!(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = '{database}' AND application_name = 'dbdyno load'"
        );
        server.psql("postgres", &sql).parse().unwrap()
    }

    fn leftovers() -> &'static str {
        "CREATE TABLE dbdyno.load_heap_3 AS SELECT * FROM dbdyno.small_heap LIMIT 1; INSERT INTO dbdyno.meta VALUES ('made table load_heap_#', '1');
         CREATE PROCEDURE dbdyno.scan_small_heap(bigint, bigint, bigint, bigint, bigint, bigint, bigint, bigint, bigint,
           bigint, bigint, bigint, bigint, bigint) LANGUAGE sql AS '';
         CREATE FUNCTION dbdyno.fibonacci(integer) RETURNS bigint LANGUAGE sql AS 'SELECT 1'"
    }

    fn strangers() -> [(&'static str, &'static str); 3] {
        [
            ("CREATE SCHEMA dbdyno CREATE TABLE small_heap (a int)", "table dbdyno.small_heap"),
            ("DROP TABLE dbdyno.small_heap; CREATE TABLE dbdyno.meta (a int)", "table dbdyno.meta"),
            (
                "DROP TABLE dbdyno.meta; CREATE TABLE dbdyno.meta (name text, value text);
                 INSERT INTO dbdyno.meta VALUES ('format', '99')",
                "format 99",
            ),
        ]
    }

    fn intruders(_: &str, elsewhere: &str) -> Vec<[String; 3]> {
        let heap = "dbdyno.small_heap";
        let each = [
            ["CREATE VIEW dbdyno.mine AS SELECT 1 AS a", "DROP VIEW dbdyno.mine", "view dbdyno.mine"],
            ["CREATE TABLE dbdyno.load_heap_7 (a text)", "DROP TABLE dbdyno.load_heap_7", "table load_heap_7"],
            [
                &format!("ALTER TABLE {heap} SET SCHEMA {elsewhere}; CREATE TABLE {heap} (precious text)"),
                &format!("DROP TABLE {heap}; ALTER TABLE {elsewhere}.small_heap SET SCHEMA dbdyno"),
                "table small_heap",
            ],
            [
                &format!("CREATE VIEW {elsewhere}.v AS SELECT 1 AS x FROM dbdyno.large_heap_range_list"),
                &format!("DROP VIEW {elsewhere}.v"),
                &format!("view {elsewhere}.v"),
            ],
            [
                &format!("CREATE TABLE {elsewhere}.f (id bigint REFERENCES {heap})"),
                &format!("DROP TABLE {elsewhere}.f"),
                &format!("on {elsewhere}.f"),
            ],
            [
                &format!("CREATE TABLE {elsewhere}.p PARTITION OF dbdyno.small_heap_list FOR VALUES IN (99)"),
                &format!("DROP TABLE {elsewhere}.p"),
                &format!("table {elsewhere}.p"),
            ],
        ];
        each.into_iter().map(|texts| texts.map(str::to_owned)).collect()
    }

    fn user_over_tcp(_: &Database<Server>) -> String {
        Server::SUPERUSER.to_owned()
    }

    /// What opens a transaction travels with its first statement, and both parts of a search travel together.
    fn round_trips(_: &Test, statements: u64, commits: bool) -> u64 {
        statements + u64::from(commits)
    }

    fn lose_a_month() -> &'static str {
        "DROP TABLE dbdyno.large_heap_range_list_r07; DELETE FROM dbdyno.meta WHERE name = 'complete'"
    }
}

/// The proofs again where statements launch workers: as many as there are threads, each time, to the last one.
#[test]
fn workers_are_launched_and_counted() {
    let (server, database) = Postgres::alone();
    let engine = Postgres::engine(&server, &database);
    for code in ["T426", "T427", "T511", "T512", "T513", "T514", "T515"] {
        // Scans have several jobs side by side, too.
        let beside: &[(u32, u32)] = if ["T426", "T427"].contains(&code) { &[(3, 1), (2, 3)] } else { &[] };
        for (jobs, threads) in [(1, 1), (1, 2), (1, 3)].iter().chain(beside).copied() {
            let spec = PointSpec { threads, ..spec(code, jobs) };
            let result = run_point(&*engine, &spec, &[2]);
            assert_eq!(result.problems, [""; 0], "{code} with {jobs}x{threads}: {:?}", result.plan);
            let executions = 2 * u64::from(jobs);
            let workers = if threads > 1 { executions * u64::from(threads) } else { 0 };
            let counted = |counter| result.counted.get(counter);
            assert_eq!(counted(Counter::WorkersLaunched), Some(workers), "{code} with {jobs}x{threads}");
            assert_eq!(counted(Counter::Executions), Some(executions), "{code} with {jobs}x{threads}");
            let foreign = if spec.test.procedure.writes() { None } else { Some(0) };
            assert_eq!(counted(Counter::ForeignCommits), foreign, "{code} with {threads} threads");
        }
    }
}

/// The statement that a job runs, from its procedure: every month once, from the job's own on.
#[test]
fn jobs_side_by_side_scan_the_months_from_their_own_on() {
    const CASES: [(u32, u32, u32); 8] =
        [(0, 1, 32), (0, 2, 0), (1, 2, 16), (1, 3, 10), (2, 3, 21), (31, 32, 31), (40, 64, 20), (63, 64, 31)];
    let test = spec("T426", 1).test;
    let script = (dbdyno_postgres::INFO.script)(&test, &catalogue::size_t()).unwrap();
    let (_, procedure) = script.split_once("CREATE OR REPLACE PROCEDURE dbdyno.").unwrap();
    let (procedure, _) = procedure.split_once("END $$;").unwrap();
    let runs = "EXECUTE v_test INTO v_rows, v_quantity;";
    assert!(procedure.contains(runs), "{procedure}");
    let says = procedure.replace(runs, "PERFORM set_config('dbdyno.said', v_test, false);");
    let mut sql = format!("CREATE PROCEDURE pg_temp.{says}END $$;\n");
    for (job, jobs, _) in CASES {
        sql += &format!(
            "CALL pg_temp.scan_large_heap_range_list(0, 1, 1, {job}, {jobs}, 1, 1, 0, 102400, 3200, 0, 0, 0, 0);
             SELECT 'months ' || coalesce(string_agg(m[1], ' '), 'of the table') FROM
               regexp_matches(current_setting('dbdyno.said'), '_r([0-9]+)\\M', 'g') AS m;\n"
        );
    }
    let said = FIXTURES.loaded().sql(&sql);
    let said: Vec<&str> = said.lines().filter_map(|line| line.strip_prefix("months ")).collect();
    let expected = |first: u32| match first {
        32 => "of the table".to_owned(),
        first => (0..32).map(|n| format!("{:02}", (first + n) % 32)).collect::<Vec<_>>().join(" "),
    };
    assert_eq!(said, CASES.map(|(.., first)| expected(first)));
}

#[test]
fn an_index_only_scan_stays_one_after_updates_and_settling() {
    let database = FIXTURES.loaded();
    let engine = Postgres::engine_on(&database);
    let settles = || assert_eq!(engine.settle(Duration::from_secs(60)).unwrap(), Settled::AtRest);
    run_point(&*engine, &spec("T712", 2), &[300]);
    settles();
    // A vacuum does not think so few dead rows worth cleaning the indexes for.
    for change in ["+", "-"] {
        database.sql(&format!("UPDATE dbdyno.small_iot SET customer_id = customer_id {change} 1 WHERE id = 1"));
    }
    run_point(&*engine, &spec("T712", 1), &[1]);
    settles();
    let fetched =
        || database.sql("SELECT sum(idx_tup_fetch) FROM pg_stat_user_indexes WHERE indexrelname = 'small_iot_pk'");
    let spec = spec("T612", 1);
    engine.begin_point(&spec).unwrap();
    let mut session = engine.session(0, 1).unwrap();
    session.prepare(&spec, 0).unwrap();
    session.flush().unwrap();
    let before = fetched();
    session.execute(&Request::Chunk { first_pass: 0, passes: 1_000 }).unwrap();
    session.flush().unwrap();
    assert_eq!(fetched(), before, "no row was fetched from the heap");
    drop(session);
    engine.end_point(&spec).unwrap();
}

/// A session's commits may be counted as late as at its end.
#[test]
fn the_session_that_holds_the_lock_of_a_run_is_never_taken_for_others() {
    let (server, database) = Postgres::alone();
    let engine = Postgres::engine(&server, &database);
    let (hold, spec) = (engine.hold(&NoProgress).unwrap(), spec("T611", 1));
    engine.begin_point(&spec).unwrap();
    let before = engine.point_statistics(None).unwrap();
    drop(hold);
    // Asked in another database, whose commits do not count here.
    let holders = "SELECT 1 FROM pg_stat_activity WHERE application_name = 'dbdyno run'";
    while !server.psql("postgres", holders).is_empty() {
        std::thread::sleep(Duration::from_millis(20));
    }
    let by_others = || engine.evidence(&before).unwrap().get(Counter::ForeignCommits).unwrap();
    assert_eq!(by_others(), 0);
    // Others are seen as before: as soon as their session has ended, which the server may notice a moment later.
    server.psql(&database, "CREATE TABLE public.of_others (a int)");
    let asked = Instant::now();
    while by_others() == 0 {
        assert!(asked.elapsed() < Duration::from_secs(60), "a commit of others was never counted");
    }
    engine.end_point(&spec).unwrap();
}

#[test]
fn commits_are_not_called_safe_where_the_settings_are_not_shown() {
    let server = ServerOptions::default().start();
    server.create_user("low");
    server.let_work("low", "postgres");
    let engine = Postgres::engine_of(&server, "low", "postgres");
    let found = || {
        let findings = engine.check(&catalogue::size_t());
        findings.into_iter().find(|finding| finding.subject == "durability").unwrap()
    };
    assert_eq!(found().level, FindingLevel::Ok);
    server.psql("postgres", "REVOKE SELECT ON pg_catalog.pg_settings FROM PUBLIC");
    let hidden = found();
    assert_eq!(hidden.level, FindingLevel::Warning, "{}", hidden.message);
    assert!(hidden.message.contains("not known whether a crash loses commits"), "{}", hidden.message);
    // A run proves it, as it does where nothing is known to be unsafe.
    let durability = || engine.durability(CommitMode::Durable, Drive::Client).unwrap();
    let hidden = durability();
    assert!(hidden.unknown.is_some() && hidden.unsafe_settings.is_empty(), "{hidden:?}");
    server.psql("postgres", "GRANT SELECT ON pg_catalog.pg_settings TO PUBLIC");
    assert_eq!(durability().unknown, None);
    // Nor are they where the tables are not shown: one of them may be unlogged, and no proof looks at it.
    server.psql("postgres", "REVOKE SELECT ON pg_catalog.pg_class FROM PUBLIC");
    let flagged = durability().unsafe_settings.join("; ");
    assert!(flagged.contains("which tables a crash empties is not shown"), "{flagged}");
}

#[test]
fn a_load_leaves_every_leaf_indexed_frozen_and_analysed() {
    let database = FIXTURES.loaded();
    // Every leaf and every parent has both indexes under their names, and all are valid.
    let indexes =
        "SELECT count(*), count(*) FILTER (WHERE indisvalid) FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
        JOIN pg_class t ON t.oid = i.indrelid
        WHERE t.relnamespace = 'dbdyno'::regnamespace AND c.relname IN (t.relname || '_pk', t.relname || '_customer')";
    let relations = 3 + 2 * 9 + 161;
    assert_eq!(database.sql(indexes), format!("{0}|{0}", 2 * relations));
    let all = "SELECT count(*) FROM pg_class WHERE relnamespace = 'dbdyno'::regnamespace AND relkind IN ('i', 'I')";
    assert_eq!(database.sql(all), (2 * relations + 1).to_string());
    // Everything is frozen, visible and analysed, parents too.
    let unsettled = "SELECT relname, relpages, relallvisible, reltuples FROM pg_class c
        WHERE relnamespace = 'dbdyno'::regnamespace AND relname <> 'meta' AND (relkind = 'r' AND (relpages = 0 OR relallvisible < relpages)
          OR relkind IN ('r', 'p') AND relname !~ '_r[0-9][0-9]$' AND NOT EXISTS (SELECT FROM pg_statistic WHERE starelid = c.oid))";
    assert_eq!(database.sql(unsettled), "");
    // Rows lie in the order of their keys.
    let order = "SELECT count(*) FROM (SELECT id, lag(id) OVER (ORDER BY ctid) AS before FROM dbdyno.small_iot) r WHERE id < before";
    assert_eq!(database.sql(order), "0");
}
