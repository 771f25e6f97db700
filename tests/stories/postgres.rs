//! PostgreSQL as its users meet it: private servers, servers of their own, and what can happen to both. The stories stand
//! in files of one theme each; here is what they share: two servers with loaded data, other people's sessions, and looks
//! from outside.

#[path = "postgres_bad_input.rs"]
mod bad_input;
#[path = "postgres_company.rs"]
mod company;
#[path = "postgres_crashes.rs"]
mod crashes;
#[path = "postgres_durability.rs"]
mod durability;
#[path = "postgres_full_disk.rs"]
mod full_disk;
#[path = "postgres_limits.rs"]
mod limits;
#[path = "postgres_passwords.rs"]
mod passwords;
#[path = "postgres_private.rs"]
mod private;
#[path = "postgres_privileges.rs"]
mod privileges;
#[path = "postgres_remote.rs"]
mod remote;
#[path = "postgres_stops.rs"]
mod stops;
#[path = "postgres_telemetry.rs"]
mod telemetry;

use crate::servers::{SUPERUSER, Server, Wish};
use crate::support::{Room, wait_until};
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

/// The database that others are copied from.
const LOADED: &str = "loaded";

/// The server of all stories that can share one. Nothing that it holds matters after a crash.
static SHARED: LazyLock<Server> = LazyLock::new(|| {
    let server = Wish::default()
        .set("shared_buffers", "64MB")
        .set("max_worker_processes", "16")
        .set("max_parallel_workers", "16")
        .set("autovacuum", "off")
        .set("fsync", "off")
        // One user must prove who he is, over TCP; before version 14 the server would keep an MD5 sum.
        .set("password_encryption", "scram-sha-256")
        .hba("host all scott 127.0.0.1/32 scram-sha-256")
        .start();
    end_with_us(&server);
    server.psql("postgres", &format!("CREATE ROLE scott LOGIN PASSWORD '{PASSWORD}'; CREATE DATABASE {LOADED};"));
    load(&server, LOADED);
    server
});

/// The password of scott.
const PASSWORD: &str = "open-sesame-4711";

/// A server with few connections and hardly any parallel workers, for one story at a time: whoever is at work there is
/// part of that story.
static NARROW: LazyLock<Mutex<Server>> = LazyLock::new(|| {
    let server = Wish::default()
        .set("max_connections", "8")
        .set("superuser_reserved_connections", "1")
        // The server's own launcher of replication takes one.
        .set("max_worker_processes", "2")
        .set("autovacuum", "off")
        .set("fsync", "off")
        .start();
    end_with_us(&server);
    load(&server, "postgres");
    Mutex::new(server)
});

fn narrow() -> MutexGuard<'static, Server> {
    NARROW.lock().unwrap_or_else(PoisonError::into_inner)
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

/// Loads size T into a database, as the superuser.
fn load(server: &Server, database: &str) {
    Room::new().run(&format!("load --size T --target {}", server.socket(SUPERUSER, database))).expect(0);
}

/// Sees to it that a server which is never dropped ends when this process does, however that ends.
fn end_with_us(server: &Server) {
    let script = "trap '' INT HUP TERM; cat; kill -QUIT $1; n=0
        while kill -0 $1 && [ $n -lt 100 ]; do sleep 0.1; n=$((n + 1)); done; rm -rf \"$2\"";
    let guard = Command::new("sh")
        .args(["-c", script, "sh", &server.pid().to_string()])
        .arg(server.data().parent().unwrap())
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()
        .unwrap();
    // Its stdin is closed by the system when we are gone.
    std::mem::forget(guard);
}

/// A database of a story's own on the shared server.
struct Database {
    server: &'static Server,
    name: String,
}

impl Database {
    /// One with the data of size T.
    fn loaded() -> Self {
        Self::copy_of(LOADED)
    }

    /// One without anything.
    fn empty() -> Self {
        Self::copy_of("template1")
    }

    fn copy_of(template: &str) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(1);
        static COPYING: Mutex<()> = Mutex::new(());
        let server = &*SHARED;
        // Nobody else may be connected to what is copied.
        let _copying = COPYING.lock().unwrap_or_else(PoisonError::into_inner);
        let name = format!("story_{}", NEXT.fetch_add(1, Ordering::Relaxed));
        server.psql("postgres", &format!("CREATE DATABASE {name} TEMPLATE {template}"));
        Self { server, name }
    }

    /// The target through the socket, as the superuser.
    fn target(&self) -> String {
        self.target_of(SUPERUSER)
    }

    fn target_of(&self, user: &str) -> String {
        self.server.socket(user, &self.name)
    }

    /// A role of this story's own, which may log in and nothing else. Roles are the whole server's, so its name has the
    /// database's in it.
    fn role(&self) -> String {
        let role = format!("user_of_{}", self.name);
        self.psql(&format!("CREATE ROLE {role} LOGIN"));
        role
    }

    fn psql(&self, sql: &str) -> String {
        self.server.psql(&self.name, sql)
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        if std::thread::panicking() {
            return;
        }
        self.server.psql("postgres", &format!("DROP DATABASE {} WITH (FORCE)", self.name));
        let role = format!("user_of_{}", self.name);
        self.server.psql("postgres", &format!("DROP ROLE IF EXISTS {role}"));
    }
}

/// Somebody else's session.
struct Session {
    psql: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl Session {
    fn open(server: &Server, database: &str) -> Self {
        let mut psql = server.program("psql");
        psql.args(["--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--set=ON_ERROR_STOP=1", "--host"]);
        psql.arg(server.socket_folder()).args(["--port", &server.port.to_string()]);
        psql.args(["--username", SUPERUSER, "--dbname", database]);
        let mut psql = psql.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let (stdin, stdout) = (psql.stdin.take().unwrap(), BufReader::new(psql.stdout.take().unwrap()));
        Self { psql, stdin, stdout }
    }

    /// Says something, and waits until it is done.
    fn say(&mut self, sql: &str) {
        self.begin(&format!("{sql};\nSELECT 'it is ' || 'done';"));
        let mut line = String::new();
        while line.trim_end() != "it is done" {
            line.clear();
            assert!(self.stdout.read_line(&mut line).unwrap() > 0, "the session ended: {sql}");
        }
    }

    /// Says something that is going to last.
    fn begin(&mut self, sql: &str) {
        self.stdin.write_all(sql.as_bytes()).unwrap();
        self.stdin.write_all(b"\n").unwrap();
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        _ = self.psql.kill();
        _ = self.psql.wait();
    }
}

/// Server processes of dbdyno's sessions that carry out a test's call in this database, now.
fn calls(server: &Server, database: &str) -> Vec<u32> {
    let sql = format!(
        "SELECT pid FROM pg_stat_activity
         WHERE datname = '{database}' AND application_name = 'dbdyno job' AND state = 'active' AND query LIKE 'CALL %'"
    );
    server.psql("postgres", &sql).lines().map(|pid| pid.parse().unwrap()).collect()
}

/// Waits until such a session is at work.
#[track_caller]
fn until_called(server: &Server, database: &str) -> u32 {
    let mut found = Vec::new();
    wait_until("a call", || {
        found = calls(server, database);
        !found.is_empty()
    });
    found[0]
}

/// Everything in a database that is not the server's own.
fn objects(server: &Server, database: &str) -> BTreeSet<String> {
    let sql = "SELECT c.relkind::text || ' ' || n.nspname || '.' || c.relname FROM pg_class c
                 JOIN pg_namespace n ON n.oid = c.relnamespace
               WHERE n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast')
               UNION ALL SELECT 'routine ' || n.nspname || '.' || p.proname FROM pg_proc p
                 JOIN pg_namespace n ON n.oid = p.pronamespace
               WHERE n.nspname NOT IN ('pg_catalog', 'information_schema')
               UNION ALL SELECT 'schema ' || nspname FROM pg_namespace WHERE nspname NOT LIKE 'pg_%';";
    server.psql(database, sql).lines().map(str::to_owned).collect()
}

/// What a point has made and not removed.
fn leftovers(server: &Server, database: &str) -> String {
    let sql = "SELECT string_agg(relname, ' ') FROM pg_class WHERE relname LIKE 'load\\_%'";
    server.psql(database, sql)
}

/// Insists that dbdyno refuses in these words, before anything is done.
#[track_caller]
fn refuses(room: &Room, line: &str, words: &str) {
    let before = room.files();
    let ending = room.run(line).expect(2);
    assert!(ending.stderr.contains(words), "`dbdyno {line}` was to say '{words}' and said {}", ending.stderr);
    assert_eq!(ending.stdout, "", "a refusal is on stderr alone");
    assert!(room.files() == before, "`dbdyno {line}` made, removed or changed files");
}
