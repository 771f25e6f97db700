//! The target on which dbdyno is killed: a file, or a private server; and what must be found there afterwards.

use crate::HANG;
use crate::home::Home;
use crate::support::{DBDYNO, Ending, Room, Running, text};
use serde_json::Value;
use std::cell::RefCell;
use std::process::Command;
use std::time::{Duration, Instant};

/// An engine.
pub(crate) struct Product {
    pub(crate) name: &'static str,
    pub(crate) target: &'static str,
    /// Whether its server can be killed while it makes tables, and make them afterwards. MariaDB (seen on 10.11) may
    /// keep parts of a partitioned table that it does not list, and then refuses to make it: error 1050.
    pub(crate) outlives_a_kill_in_a_load: bool,
    /// Counts dbdyno's sessions, except the one that asks.
    sessions: &'static str,
    /// Lists what points have made and not removed, and their notes about it.
    left: &'static str,
}

pub(crate) const SQLITE: Product = Product {
    name: "sqlite",
    target: "sqlite:x.sqlite",
    outlives_a_kill_in_a_load: true,
    sessions: "",
    left: "SELECT name FROM sqlite_schema WHERE name LIKE 'dbdyno_load%' UNION ALL
           SELECT name FROM dbdyno_meta WHERE name LIKE 'made %'",
};

pub(crate) const POSTGRES: Product = Product {
    name: "postgres",
    target: "private:postgres",
    outlives_a_kill_in_a_load: true,
    sessions: "SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'dbdyno%'",
    left: "SELECT relname::text FROM pg_class WHERE relnamespace = 'dbdyno'::regnamespace AND relname LIKE 'load%' UNION ALL
           SELECT name FROM dbdyno.meta WHERE name LIKE 'made %'",
};

pub(crate) const MARIADB: Product = Product {
    name: "mariadb",
    target: "private:mariadb",
    outlives_a_kill_in_a_load: false,
    sessions: "SELECT count(*) FROM information_schema.processlist WHERE user = 'dbdyno' AND id <> connection_id()",
    left: "SELECT table_name FROM information_schema.tables WHERE table_schema = 'dbdyno' AND table_name LIKE 'load%' UNION ALL
           SELECT name FROM dbdyno.meta WHERE name LIKE 'made %'",
};

/// A room with the engine in it.
pub(crate) struct TestTarget {
    pub(crate) home: Home,
    pub(crate) product: &'static Product,
    /// The last output of `up`; `None` for an engine without a server.
    server: RefCell<Option<Value>>,
}

impl TestTarget {
    pub(crate) fn new(product: &'static Product) -> Self {
        let home = Home::new(product.name);
        let server = (!product.sessions.is_empty()).then(|| home.up("--size T"));
        Self { home, product, server: RefCell::new(server) }
    }

    pub(crate) fn room(&self) -> &Room {
        &self.home.room
    }

    /// The server's main process.
    pub(crate) fn pid(&self) -> u64 {
        self.server.borrow().as_ref().unwrap()["pid"].as_u64().unwrap()
    }

    /// Starts the server again after it has ended.
    pub(crate) fn up_again(&self) {
        let up = self.home.up("--size T");
        assert_eq!(text(&up, "/how"), "restarted");
        *self.server.borrow_mut() = Some(up);
    }

    /// dbdyno's sessions on the server.
    pub(crate) fn sessions(&self) -> u32 {
        let server = self.server.borrow();
        self.home.inside(server.as_ref().unwrap(), self.product.sessions).trim().parse().unwrap()
    }

    /// Starts a command that will be disturbed. Signals have their default effect on it, whatever process started us.
    pub(crate) fn start(&self, line: &str) -> Running {
        let mut command = Command::new("env");
        command.args(["--default-signal=INT,TERM,HUP", DBDYNO]).args(line.split(' '));
        self.room().settle_in(&mut command);
        Running::start(command)
    }

    /// Runs a command on the target without disturbing it.
    #[track_caller]
    pub(crate) fn run(&self, line: &str, code: i32) -> Ending {
        self.room().run(&format!("{line} --target {}", self.product.target)).expect(code)
    }

    /// Asserts that the tables are as they were loaded, and that nothing else of dbdyno's is there.
    #[track_caller]
    pub(crate) fn is_clean(&self) {
        self.run("check --size T", 0);
        self.run("check --size T --deep", 0);
        let left = match &*self.server.borrow() {
            Some(up) => {
                let begun = Instant::now();
                let sessions = || self.home.inside(up, self.product.sessions);
                while sessions() != "0" {
                    assert!(begun.elapsed() < HANG, "{} sessions of dbdyno are still there", sessions());
                    std::thread::sleep(Duration::from_millis(50));
                }
                self.home.inside(up, self.product.left)
            }
            None => {
                let file = rusqlite::Connection::open(self.room().path("x.sqlite")).unwrap();
                let mut left = file.prepare(self.product.left).unwrap();
                let left = left.query_map([], |row| row.get::<_, String>(0)).unwrap();
                left.map(Result::unwrap).collect::<Vec<_>>().join("\n")
            }
        };
        assert_eq!(left, "", "a point has left this behind");
        let mut files: Vec<String> = std::fs::read_dir(self.room().folder())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| !["dbdyno.db", "x.sqlite", "home"].contains(&name.as_str()))
            .collect();
        files.sort();
        assert_eq!(files, [""; 0], "nothing else stays in the folder");
    }

    /// Removes the results, so that the next run is the only one.
    pub(crate) fn forget(&self) {
        for name in ["dbdyno.db", "dbdyno.db-wal", "dbdyno.db-shm"] {
            _ = std::fs::remove_file(self.room().path(name));
        }
    }
}
