//! MariaDB in the stories of all servers, and the stories of what only it has.

mod facts;
mod invalid_answers;

use crate::on_servers::{OWN, PASSWORD, Product, SCOTT, in_turn, load};
use crate::scratch::mariadb::{Server, ServerOptions};
use dbdyno_testkit::servers::fixtures::FixturePool;
use std::sync::{LazyLock, Mutex, MutexGuard};

static FIXTURES: FixturePool<Server> = FixturePool::new(lending, load);

/// The contents of such a server need not survive a crash, and it reports its sessions.
fn quick() -> ServerOptions {
    ServerOptions::default().set("innodb_flush_method", "nosync").set("performance_schema", "ON")
}

/// The servers of all stories that can borrow one.
fn lending() -> Server {
    let server = quick().start();
    server.client("", &format!("CREATE USER {SCOTT}@'%' IDENTIFIED BY '{PASSWORD}'"));
    server
}

/// A server with as few connections as possible.
static NARROW: LazyLock<Mutex<Server>> = LazyLock::new(|| {
    let server = quick().set("max_connections", "10").start();
    server.client("", &format!("CREATE DATABASE {OWN}"));
    load(&server, OWN);
    Mutex::new(server)
});

impl Product for Server {
    const WHICH: &'static str = "SELECT CONNECTION_ID()";
    const LOGONS: &'static str =
        "SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS WHERE VARIABLE_NAME = 'CONNECTIONS'";

    fn fixtures() -> &'static FixturePool<Self> {
        &FIXTURES
    }

    fn narrow() -> MutexGuard<'static, Self> {
        in_turn(&NARROW)
    }

    fn doomed() -> Self {
        quick().start()
    }

    fn sessions(&self, database: &str) -> Vec<u64> {
        sessions(self, database, "a.attr_value LIKE 'dbdyno%'")
    }

    fn calls(&self, database: &str) -> Vec<u64> {
        // The statements of a procedure are shown, not its call; only the call is prepared.
        sessions(self, database, "a.attr_value = 'dbdyno job' AND p.command = 'Execute'")
    }

    fn jobs(&self, database: &str) -> Vec<u64> {
        sessions(self, database, "a.attr_value = 'dbdyno job'")
    }

    fn holders(&self, database: &str) -> Vec<u64> {
        sessions(self, database, "a.attr_value = 'dbdyno run'")
    }

    fn end_session(&self, session: u64) {
        self.client_says("", &["--force"], &format!("KILL {session}"));
    }

    /// A session is a thread and cannot crash by itself.
    fn crash_session(&self, session: u64) {
        self.client("", &format!("KILL {session}"));
    }

    fn hand_over(&self, database: &str, user: &str) {
        self.let_work(user, database);
    }

    fn drop_index(table: &str, index: &str) -> String {
        format!("DROP INDEX {index} ON {table}")
    }

    fn lock(table: &str) -> [String; 2] {
        [format!("LOCK TABLES {table} WRITE"), "UNLOCK TABLES".to_owned()]
    }
}

fn sessions(server: &Server, database: &str, of_interest: &str) -> Vec<u64> {
    let sql = format!(
        "SELECT p.id FROM information_schema.processlist p
           JOIN performance_schema.session_connect_attrs a ON a.processlist_id = p.id AND a.attr_name = 'program_name'
         WHERE p.db = '{database}' AND {of_interest}"
    );
    server.client("", &sql).lines().map(|number| number.parse().unwrap()).collect()
}
