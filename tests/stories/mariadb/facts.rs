//! The names and messages of MariaDB and its engine.

use super::quick;
use crate::on_servers::bad_input::BadInput;
use crate::on_servers::durability::Durability;
use crate::on_servers::full_disk::FullDisk;
use crate::on_servers::limits::{Limits, ReadOnly};
use crate::on_servers::other_sessions::OtherSessions;
use crate::on_servers::passwords::Passwords;
use crate::on_servers::private::Private;
use crate::on_servers::privileges::Privileges;
use crate::on_servers::remote::Remote;
use crate::on_servers::slob::Slob;
use crate::on_servers::telemetry::Telemetry;
use crate::on_servers::tls::Tls;
use crate::on_servers::{OWN, PASSWORD, SCOTT};
use crate::scratch::mariadb::Server;
use dbdyno_testkit::servers::fixtures::Database;
use dbdyno_testkit::servers::mariadb::SUPERUSER;
use std::path::Path;

impl BadInput for Server {
    /// The server speaks first, so a server that waits for a request says nothing.
    const SOMETHING_ELSE: [&'static str; 2] = ["nothing answered within 1 s", "is it a MariaDB server"];

    fn unreachable(port: u16) -> Vec<(String, String)> {
        let refused = format!(
            "Connection refused (os error 111); is the server running, is {port} its port, and does bind_address cover \
             this address?"
        );
        let nowhere = "is the server running, and is this its socket (socket in its settings)?";
        vec![
            (format!("mariadb://scott@127.0.0.1:{port}/x"), refused),
            ("mariadb://scott@no-such-host.invalid/x".to_owned(), "is the host's name spelt right?".to_owned()),
            ("mariadb://scott@/x?socket=/no/such/socket".to_owned(), nowhere.to_owned()),
        ]
    }

    fn wrong_targets(&self) -> Vec<(String, String)> {
        let known = self.tcp(SUPERUSER, "x");
        vec![
            (self.tcp("nobody", "x"), "Access denied for user 'nobody'@'127.0.0.1'".to_owned()),
            (self.tcp(SUPERUSER, "mysql"), "is the server's own".to_owned()),
            (format!("{known}?sslmode=require"), "give the server a certificate (ssl_cert and ssl_key".to_owned()),
        ]
    }
}

impl OtherSessions for Server {
    const BUSY: &'static str = "SELECT SUM(SLEEP(0.01)) FROM seq_1_to_100000;";
    const LOCK_WAIT: [&'static str; 2] = ["state", "Waiting for table metadata lock"];

    fn rewrite(table: &str) -> String {
        format!("OPTIMIZE TABLE {table}")
    }
}

impl Durability for Server {
    const COMMITS: [&'static str; 3] = ["innodb_flush_log_at_trx_commit", "2", "1"];
    const ALSO_UNSAFE: &'static str = "innodb_flush_method=nosync";

    fn safe() -> Self {
        Self::start()
    }

    fn set_commits(_: &str, value: &str) -> String {
        format!("SET GLOBAL innodb_flush_log_at_trx_commit = {value}")
    }
}

impl FullDisk for Server {
    const MIB: u32 = 320;
    const LEFT_KIB: [usize; 2] = [256, 60 << 10];
    // InnoDB needs space to roll back rows, and ends the server without it.
    const SURVIVES: bool = false;
    // Rows for an empty table are written at the commit, and a commit that fails does not report it; so T331 on a full
    // disk is not tested.
    const FAIL: &'static [&'static str] = &["T211"];

    fn put_in(&self, folder: &Path) {
        // A database is a folder below the data folder.
        std::os::unix::fs::symlink(folder, self.data().join(OWN)).unwrap();
    }

    fn bytes(&self, database: &str) -> u64 {
        let sql = "SELECT SUM(file_size) FROM information_schema.innodb_sys_tablespaces WHERE name LIKE";
        self.client("", &format!("{sql} '{database}/%'")).parse().unwrap()
    }
}

impl Limits for Server {
    const STATEMENT_LIMIT: [&'static str; 2] = ["max_statement_time", "max_statement_time is 3600 s"];
    const TOO_MANY: u32 = 12;
    const TOO_FEW: [&'static str; 2] = ["max_connections is 10", "max_connections 10"];

    fn limit_statements(_: &str, milliseconds: u32) -> String {
        format!("SET GLOBAL max_statement_time = {}", f64::from(milliseconds) / 1000.0)
    }

    fn make_read_only(database: &Database<Self>) -> (ReadOnly<Self>, String) {
        let user = database.worker();
        database.server.client("", "SET GLOBAL read_only = ON");
        (ReadOnly { server: database.server, undo: "SET GLOBAL read_only = OFF" }, user)
    }

    fn read_only(_: &str) -> [String; 2] {
        let helps = "an administrator runs: SET GLOBAL read_only = OFF, or name the primary";
        ["the server takes no writes".to_owned(), helps.to_owned()]
    }
}

impl Passwords for Server {
    const VARIABLE: &'static str = "MYSQL_PWD";
    const FILE: &'static str = ".my.cnf";
    const PLACES: &'static str =
        "DBDYNO_PASSWORD, MYSQL_PWD, the [client] groups of ~/.my.cnf, or asked for on a terminal";
    const NONE: &'static str = "no password was given";

    fn file(password: &str) -> String {
        format!("# mine\n[client]\nuser = {SCOTT}\npassword = {password}\n")
    }
}

impl Private for Server {
    const LOADED: &'static str = "large_heap_range_list: 102,400 of 102,400";
}

impl Privileges for Server {
    const SET_UP: &'static str = "CREATE USER IF NOT EXISTS dbdyno@'%'";
    const THREADS: u32 = 1;
    const POWERS: &'static str =
        "SELECT count(*) FROM information_schema.user_privileges WHERE grantee LIKE '''dbdyno''@%'
           AND privilege_type NOT IN ('PROCESS', 'RELOAD', 'USAGE')";

    fn set_up(database: &Database<Self>, script: &str) -> String {
        database.server.client("", script);
        database.server.client("", "ALTER USER dbdyno ACCOUNT UNLOCK");
        database.server.socket("dbdyno", "dbdyno")
    }

    fn set_up_objects(database: &Database<Self>) -> Vec<String> {
        let databases = database.server.client("", "SHOW DATABASES LIKE 'dbdyno'");
        databases.lines().map(str::to_owned).chain(database.server.objects("dbdyno")).collect()
    }

    fn undo_set_up(database: &Database<Self>) {
        let on = "UPDATE performance_schema.setup_instruments SET ENABLED = 'YES', TIMED = 'YES' \
                  WHERE NAME LIKE 'wait/io/file/innodb/%'";
        database.server.client("", &format!("DROP USER dbdyno; DROP DATABASE dbdyno; {on}"));
    }

    fn let_every_grant_matter(database: &Database<Self>) {
        let off = "UPDATE performance_schema.setup_instruments SET ENABLED = 'NO', TIMED = 'NO' \
                   WHERE NAME LIKE 'wait/io/file/innodb/%'";
        database.server.client("", off);
    }

    fn version(&self) -> u32 {
        let version = self.client("", "SELECT VERSION()");
        version.split('.').next().unwrap().parse().unwrap()
    }

    fn can_settle(&self) -> bool {
        true
    }

    fn in_order(&self) -> Vec<&'static str> {
        vec!["privileges", "grants"]
    }

    fn may_not_load(user: &str, database: &str) -> (String, String) {
        let helps = format!(
            "GRANT SELECT, INSERT, UPDATE, DELETE, CREATE, DROP, ALTER, INDEX, CREATE ROUTINE, ALTER ROUTINE, EXECUTE ON \
              `{}`.* TO '{user}'@'%'",
            database.replace('_', "\\_")
        );
        let words = format!(
            "Access denied for user '{user}'@'%' to database '{database}' [error 1044, SQLSTATE 42000]; an administrator \
             runs: {helps}"
        );
        (words, helps)
    }

    fn may_not_run(user: &str, database: &str) -> [String; 2] {
        let (words, _) = Self::may_not_load(user, database);
        [words.clone(), words]
    }
}

impl Remote for Server {
    fn stranger(database: &str) -> [String; 3] {
        let why = format!(
            "the database {database} was not filled by dbdyno (it holds table orders), and dbdyno needs one of its own; \
             name another one in the target; dbdyno changed nothing there"
        );
        ["orders".to_owned(), "CREATE TABLE orders AS SELECT 1 AS id".to_owned(), why]
    }

    fn intruder(_: &str) -> [String; 3] {
        ["CREATE VIEW report AS SELECT 1 AS id", "DROP VIEW report", "view report"].map(str::to_owned)
    }
}

impl Telemetry for Server {
    const SETTINGS: &'static [(&'static str, &'static str)] =
        &[("innodb_buffer_pool_size", "67108864"), ("innodb_flush_method", "nosync"), ("performance_schema", "ON")];
    const FACTS: &'static [&'static str] = &["database", "user", "connection", "binary log", "role in replication"];

    // Waits are the server's own counts, with or without sampling.
    const UNWATCHED: &'static [&'static str] = &["proof.foreign_busy"];

    fn counts_log_writes(&self) -> bool {
        true
    }
}

impl Slob for Server {
    // Every second row goes to the end, without what makes it long.
    const CROWD: &'static str = "UPDATE slob_1 SET place = place + 1000000, pad = '' WHERE id % 2 = 0";
    const IDLE_SELECT: &'static str = "CREATE OR REPLACE PROCEDURE slob_select_1(IN p_low BIGINT, IN p_high BIGINT)
         SELECT p_high - p_low - 1";
}

impl Tls for Server {
    fn with_tls() -> Self {
        let server = quick().tls("DNS:localhost").start();
        server.client("", &format!("CREATE DATABASE {OWN}; CREATE USER {SCOTT}@'%' IDENTIFIED BY '{PASSWORD}'"));
        server.let_work(SCOTT, OWN);
        server
    }
}
