//! PostgreSQL in the stories of all servers, and the stories of what only it has.

mod autovacuum;
mod checkpoints;
mod commits;
mod facts;
mod standby;
mod workers;

use crate::on_servers::{OWN, PASSWORD, Product, SCOTT, in_turn, load};
use crate::scratch::postgres::{Server, ServerOptions};
use dbdyno_testkit::servers::Scratch as _;
use dbdyno_testkit::servers::fixtures::FixturePool;
use std::process::Command;
use std::sync::{LazyLock, Mutex, MutexGuard};

static FIXTURES: FixturePool<Server> = FixturePool::new(lending, load);

/// The server of all stories that can share one. Its contents need not survive a crash.
fn lending() -> Server {
    let server = ServerOptions::default()
        .set("shared_buffers", "64MB")
        .set("max_worker_processes", "16")
        .set("max_parallel_workers", "16")
        .set("autovacuum", "off")
        .set("fsync", "off")
        // One user must authenticate over TCP; before version 14 the server would store an MD5 hash.
        .set("password_encryption", "scram-sha-256")
        .access(&format!("host all {SCOTT} 127.0.0.1/32 scram-sha-256"))
        .start();
    server.psql("postgres", &format!("CREATE ROLE {SCOTT} LOGIN PASSWORD '{PASSWORD}'"));
    server
}

/// A server with few connections and hardly any parallel workers.
static NARROW: LazyLock<Mutex<Server>> = LazyLock::new(|| {
    let server = ServerOptions::default()
        .set("max_connections", "8")
        .set("superuser_reserved_connections", "1")
        // The server's own launcher of replication takes one.
        .set("max_worker_processes", "2")
        .set("autovacuum", "off")
        .set("fsync", "off")
        .start();
    server.psql("postgres", &format!("CREATE DATABASE {OWN}"));
    load(&server, OWN);
    Mutex::new(server)
});

impl Product for Server {
    const WHICH: &'static str = "SELECT pg_backend_pid()";
    const LOGONS: &'static str = "SELECT sessions FROM pg_stat_database WHERE datname = current_database()";

    fn fixtures() -> &'static FixturePool<Self> {
        &FIXTURES
    }

    fn narrow() -> MutexGuard<'static, Self> {
        in_turn(&NARROW)
    }

    fn doomed() -> Self {
        ServerOptions::default().set("fsync", "off").set("restart_after_crash", "on").start()
    }

    fn sessions(&self, database: &str) -> Vec<u64> {
        let dbdynos = "application_name LIKE 'dbdyno%'";
        numbers(self, &format!("SELECT pid FROM pg_stat_activity WHERE datname = '{database}' AND {dbdynos}"))
    }

    fn calls(&self, database: &str) -> Vec<u64> {
        let sql = format!(
            "SELECT pid FROM pg_stat_activity WHERE datname = '{database}' AND application_name = 'dbdyno job'
               AND state = 'active' AND query LIKE 'CALL %'"
        );
        numbers(self, &sql)
    }

    fn jobs(&self, database: &str) -> Vec<u64> {
        let jobs = "application_name = 'dbdyno job'";
        numbers(self, &format!("SELECT pid FROM pg_stat_activity WHERE datname = '{database}' AND {jobs}"))
    }

    fn holders(&self, database: &str) -> Vec<u64> {
        let holds = "application_name = 'dbdyno run'";
        numbers(self, &format!("SELECT pid FROM pg_stat_activity WHERE datname = '{database}' AND {holds}"))
    }

    fn end_session(&self, session: u64) {
        self.psql("postgres", &format!("SELECT pg_terminate_backend({session})"));
    }

    fn crash_session(&self, session: u64) {
        assert!(Command::new("kill").args(["-KILL", &session.to_string()]).status().unwrap().success());
    }

    fn hand_over(&self, database: &str, user: &str) {
        let sql = format!(
            "GRANT CREATE ON DATABASE {database} TO {user}; ALTER SCHEMA dbdyno OWNER TO {user};
             DO $$ DECLARE name regclass; BEGIN
               FOR name IN SELECT oid FROM pg_class WHERE relnamespace = 'dbdyno'::regnamespace
                   AND relkind IN ('r', 'p') LOOP
                 EXECUTE format('ALTER TABLE %s OWNER TO {user}', name);
               END LOOP; END $$"
        );
        self.psql(database, &sql);
    }

    fn drop_index(_: &str, index: &str) -> String {
        format!("DROP INDEX {}", Self::table(index))
    }

    fn lock(table: &str) -> [String; 2] {
        [format!("BEGIN; LOCK TABLE {table}"), "ROLLBACK".to_owned()]
    }
}

fn numbers(server: &Server, sql: &str) -> Vec<u64> {
    server.psql("postgres", sql).lines().map(|number| number.parse().unwrap()).collect()
}

/// The major version of a server.
fn version(server: &Server) -> u32 {
    let number: u32 = server.psql("postgres", "SELECT current_setting('server_version_num')").parse().unwrap();
    number / 10_000
}

/// The first version where others than superusers may be allowed to make checkpoints.
const CHECKPOINTS_CAN_BE_GRANTED: u32 = 15;
/// The first version that counts writes of the log.
const LOG_WRITES_ARE_COUNTED: u32 = 14;
