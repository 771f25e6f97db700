//! MariaDB in the stories of all servers, and the stories of what only it has.

mod rubbish;
mod words;

use crate::on_servers::{OWN, PASSWORD, Product, SCOTT, in_turn, load};
use crate::scratch::mariadb::{Server, Wish};
use dbdyno_testkit::servers::lend::Lender;
use std::sync::{LazyLock, Mutex, MutexGuard};

static LENDER: Lender<Server> = Lender::new(lending, load);

/// Nothing that such a server holds matters after a crash, and it says who is connected.
fn quick() -> Wish {
    Wish::default().set("innodb_flush_method", "nosync").set("performance_schema", "ON")
}

/// The servers of all stories that can borrow one.
fn lending() -> Server {
    let server = quick().start();
    server.client("", &format!("CREATE USER {SCOTT}@'%' IDENTIFIED BY '{PASSWORD}'"));
    server
}

/// As few connections as there can be.
static NARROW: LazyLock<Mutex<Server>> = LazyLock::new(|| {
    let server = quick().set("max_connections", "10").start();
    server.client("", &format!("CREATE DATABASE {OWN}"));
    load(&server, OWN);
    Mutex::new(server)
});

impl Product for Server {
    const WHICH: &'static str = "SELECT CONNECTION_ID()";

    fn lender() -> &'static Lender<Self> {
        &LENDER
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
        // What the procedure does is shown, not its call, which alone is prepared.
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

    /// A session is a thread, and has no crash of its own.
    fn crash_session(&self, session: u64) {
        self.client("", &format!("KILL {session}"));
    }

    fn hand_over(&self, database: &str, user: &str) {
        self.let_work(user, database);
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
