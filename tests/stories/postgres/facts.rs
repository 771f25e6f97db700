//! The names and messages of PostgreSQL and its engine.

use super::{CHECKPOINTS_CAN_BE_GRANTED, LOG_WRITES_ARE_COUNTED, version};
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
use crate::scratch::postgres::{Server, ServerOptions};
use dbdyno_testkit::servers::fixtures::Database;
use dbdyno_testkit::servers::postgres::SUPERUSER;
use std::path::Path;

impl BadInput for Server {
    const SOMETHING_ELSE: [&'static str; 2] = ["is it a PostgreSQL server", "is it a PostgreSQL server"];

    fn unreachable(port: u16) -> Vec<(String, String)> {
        let refused = format!(
            "Connection refused (os error 111); is the server running, is {port} its port, and does listen_addresses \
             cover this address?"
        );
        let nowhere = "is the server running, and are this folder and port its unix_socket_directories and port?";
        vec![
            (format!("postgres://scott@127.0.0.1:{port}/x"), refused),
            ("postgres://scott@no-such-host.invalid/x".to_owned(), "is the host's name spelt right?".to_owned()),
            ("postgres://scott@/x?host=/no/such/folder".to_owned(), nowhere.to_owned()),
        ]
    }

    fn wrong_targets(&self) -> Vec<(String, String)> {
        let missing = format!(
            "database \"nowhere\" does not exist [SQLSTATE 3D000]; create it: createdb --host={} --port={}",
            self.socket_folder().display(),
            self.port
        );
        let known = self.tcp(SUPERUSER, "postgres");
        vec![
            (self.socket(SUPERUSER, "nowhere"), missing),
            (self.tcp("nobody", "postgres"), "role \"nobody\" does not exist".to_owned()),
            (format!("{known}?sslmode=require"), "turn on ssl in postgresql.conf".to_owned()),
        ]
    }
}

impl OtherSessions for Server {
    const BUSY: &'static str = "DO $$ BEGIN LOOP PERFORM pg_sleep(0.01); END LOOP; END $$;";
    const LOCK_WAIT: [&'static str; 2] = ["Lock", "relation"];

    fn rewrite(table: &str) -> String {
        format!("VACUUM FULL {table}")
    }
}

impl Durability for Server {
    const COMMITS: [&'static str; 3] = ["synchronous_commit", "off", "on"];
    const ALSO_UNSAFE: &'static str = "fsync=off";

    fn safe() -> Self {
        Self::start()
    }

    fn set_commits(database: &str, value: &str) -> String {
        format!("ALTER DATABASE {database} SET synchronous_commit = {value}")
    }
}

impl FullDisk for Server {
    const MIB: u32 = 160;
    const LEFT_KIB: [usize; 2] = [1 << 10, 20 << 10];
    const SURVIVES: bool = true;
    const FAIL: &'static [&'static str] = &["T211", "T331"];

    fn put_in(&self, folder: &Path) {
        self.psql("postgres", &format!("CREATE TABLESPACE small LOCATION '{}'", folder.display()));
        self.psql("postgres", &format!("CREATE DATABASE {OWN} TABLESPACE small"));
    }

    fn bytes(&self, database: &str) -> u64 {
        self.psql(database, &format!("SELECT pg_database_size('{database}')")).parse().unwrap()
    }
}

impl Limits for Server {
    const STATEMENT_LIMIT: [&'static str; 2] = ["statement_timeout", "statement_timeout is 3600000 ms"];
    const TOO_MANY: u32 = 8;
    const TOO_FEW: [&'static str; 2] = ["max_connections is 8 (1 reserved)", "max_connections 8"];

    fn limit_statements(user: &str, milliseconds: u32) -> String {
        format!("ALTER ROLE {user} SET statement_timeout = {milliseconds}")
    }

    fn make_read_only(database: &Database<Self>) -> (ReadOnly<Self>, String) {
        database.sql(&format!("ALTER DATABASE {} SET default_transaction_read_only = on", database.name));
        // It is removed with the database.
        (ReadOnly { server: database.server, undo: "" }, SUPERUSER.to_owned())
    }

    fn read_only(user: &str) -> [String; 2] {
        let helps = format!("ALTER ROLE {user} SET default_transaction_read_only = off");
        ["transactions are read-only by default".to_owned(), helps]
    }
}

impl Passwords for Server {
    const VARIABLE: &'static str = "PGPASSWORD";
    const FILE: &'static str = ".pgpass";
    const PLACES: &'static str =
        "DBDYNO_PASSWORD, PGPASSWORD, the file of PGPASSFILE or ~/.pgpass, or asked for on a terminal";

    const NONE: &'static str = "the server wants a password, and none was given";

    fn file(password: &str) -> String {
        format!("# mine\n127.0.0.1:*:*:{SCOTT}:{password}\n")
    }
}

impl Private for Server {
    const LOADED: &'static str = "large_heap_range_list: 102,400 of 102,400";
}

impl Privileges for Server {
    const SET_UP: &'static str = "CREATE ROLE dbdyno LOGIN";
    const THREADS: u32 = 2;
    const POWERS: &'static str = "SELECT count(*) FROM pg_roles WHERE rolname = 'dbdyno'
           AND (rolsuper OR rolcreatedb OR rolcreaterole OR rolreplication OR rolbypassrls)";

    fn set_up(database: &Database<Self>, script: &str) -> String {
        // Public rights must not hide missing grants.
        database.sql(&format!("REVOKE ALL ON DATABASE {} FROM public", database.name));
        // psql ends after the administrator's part; the rest is for reading.
        database.sql(script);
        database.target_of("dbdyno")
    }

    fn set_up_objects(database: &Database<Self>) -> Vec<String> {
        database.objects().into_iter().filter(|name| name.contains("dbdyno")).collect()
    }

    fn undo_set_up(database: &Database<Self>) {
        database.sql("DROP OWNED BY dbdyno; DROP ROLE dbdyno;");
    }

    /// All of them are.
    fn let_every_grant_matter(_: &Database<Self>) {}

    fn version(&self) -> u32 {
        version(self)
    }

    fn can_settle(&self) -> bool {
        version(self) >= CHECKPOINTS_CAN_BE_GRANTED
    }

    fn in_order(&self) -> Vec<&'static str> {
        let mut subjects = vec!["privileges", "statistics"];
        subjects.extend(self.can_settle().then_some("grants"));
        subjects
    }

    fn may_not_load(user: &str, database: &str) -> (String, String) {
        let helps = format!("GRANT CREATE ON DATABASE {database} TO {user}");
        let words = format!(
            "{user} may not create the schema dbdyno; an administrator runs, in database {database}: CREATE SCHEMA \
             dbdyno AUTHORIZATION {user}, or {helps}"
        );
        (words, helps)
    }

    fn may_not_run(user: &str, _: &str) -> [String; 2] {
        let run = "connect as its owner, whom `dbdyno check` names".to_owned();
        [run, format!("ALTER SCHEMA dbdyno OWNER TO {user}")]
    }
}

impl Remote for Server {
    fn stranger(_: &str) -> [String; 3] {
        let why = "the database has a schema dbdyno that dbdyno did not fill (it holds table dbdyno.orders); name another \
                   database, or rename that schema; dbdyno changed nothing there";
        let make = "CREATE SCHEMA dbdyno; CREATE TABLE dbdyno.orders AS SELECT 1 AS id";
        ["dbdyno.orders", make, why].map(str::to_owned)
    }

    fn intruder(_: &str) -> [String; 3] {
        let make = "CREATE VIEW dbdyno.report AS SELECT 1 AS id";
        [make, "DROP VIEW dbdyno.report", "view dbdyno.report"].map(str::to_owned)
    }
}

impl Telemetry for Server {
    const SETTINGS: &'static [(&'static str, &'static str)] =
        &[("shared_buffers", "64MB"), ("fsync", "off"), ("max_worker_processes", "16"), ("autovacuum", "off")];
    const FACTS: &'static [&'static str] = &["database", "user", "connection", "standbys", "role in replication"];

    const UNWATCHED: &'static [&'static str] = &["waits", "proof.foreign_busy"];

    fn counts_log_writes(&self) -> bool {
        version(self) >= LOG_WRITES_ARE_COUNTED
    }
}

impl Slob for Server {
    const CROWD: &'static str = "ALTER TABLE dbdyno.slob_1 SET (fillfactor = 100); VACUUM FULL dbdyno.slob_1";
    const IDLE_SELECT: &'static str =
        "CREATE OR REPLACE PROCEDURE dbdyno.slob_select_1(p_low bigint, p_high bigint, INOUT p_rows bigint DEFAULT NULL)
         LANGUAGE plpgsql AS $$ BEGIN p_rows := p_high - p_low - 1; END $$";
}

impl Tls for Server {
    fn with_tls() -> Self {
        let options = ServerOptions::default().tls("DNS:localhost").set("fsync", "off").set("autovacuum", "off");
        let options = options.set("password_encryption", "scram-sha-256");
        let server = options.access(&format!("host all {SCOTT} 127.0.0.1/32 scram-sha-256")).start();
        server.psql("postgres", &format!("CREATE ROLE {SCOTT} LOGIN PASSWORD '{PASSWORD}'"));
        server.psql("postgres", &format!("CREATE DATABASE {OWN} OWNER {SCOTT}"));
        server
    }
}
