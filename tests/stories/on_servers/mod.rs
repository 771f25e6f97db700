//! Server engines as their users see them: private servers, servers of their own, and accidents of both. Each story is
//! written once for all products. The stories are in files by topic, each with a trait for a product's names and
//! messages. Here is what all stories share: databases with loaded data, sessions of other users, and observations from
//! outside.

mod alone;
pub(crate) mod bad_input;
mod client;
mod crashes;
pub(crate) mod durability;
mod frozen;
pub(crate) mod full_disk;
mod grants;
pub(crate) mod limits;
mod order_entry;
pub(crate) mod other_sessions;
mod pair;
pub(crate) mod passwords;
pub(crate) mod private;
pub(crate) mod privileges;
pub(crate) mod remote;
pub(crate) mod slob;
mod standby;
mod stops;
pub(crate) mod telemetry;
pub(crate) mod tls;
mod workload;

use crate::support::{Room, wait_until};
use dbdyno_testkit::servers::Scratch;
use dbdyno_testkit::servers::fixtures::FixturePool;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Makes a test of each story for each product. Those of one product are about dbdyno, and no product can change them.
macro_rules! stories {
    ($($name:ident),* $(,)? $(; of_one_product: $($one:ident),* $(,)?)?) => {
        #[cfg(feature = "postgres")]
        mod postgres {
            $(#[test]
            fn $name() {
                super::$name::<crate::scratch::postgres::Server>();
            })*
            $($(#[test]
            fn $one() {
                super::$one::<crate::scratch::postgres::Server>();
            })*)?
        }
        #[cfg(feature = "mariadb")]
        mod mariadb {
            $(#[test]
            fn $name() {
                super::$name::<crate::scratch::mariadb::Server>();
            })*
        }
    };
}
pub(crate) use stories;

/// The user who must authenticate over TCP, on shared servers.
pub(crate) const SCOTT: &str = "scott";
/// His password.
pub(crate) const PASSWORD: &str = "open-sesame-4711";
/// The database of a server that one story has for itself.
pub(crate) const OWN: &str = "bench";

/// A product with scratch servers.
pub(crate) trait Product: Scratch {
    /// The pool of databases, on servers where scott has his password and commits need not survive a crash.
    fn fixtures() -> &'static FixturePool<Self>;

    /// A server with few connections, `FEW`, for one story at a time, so that every session there belongs to that
    /// story. Its database `OWN` is loaded.
    fn narrow() -> MutexGuard<'static, Self>;

    /// A server that will be killed, which need not be safe.
    fn doomed() -> Self;

    /// dbdyno's sessions in this database.
    fn sessions(&self, database: &str) -> Vec<u64>;

    /// Those of them that are executing a test's call.
    fn calls(&self, database: &str) -> Vec<u64>;

    /// Those of them that belong to jobs.
    fn jobs(&self, database: &str) -> Vec<u64>;

    /// Those of them that hold the lock of a run.
    fn holders(&self, database: &str) -> Vec<u64>;

    /// SQL for the id of a session.
    const WHICH: &'static str;

    /// SQL for the number of sessions that were ever opened.
    const LOGONS: &'static str;

    /// Ends a session.
    fn end_session(&self, session: u64);

    /// Ends a session like a crash, with the effect on other sessions.
    fn crash_session(&self, session: u64);

    /// Gives a user the rights of the user who loaded a database.
    fn hand_over(&self, database: &str, user: &str);

    /// SQL that drops an index of a table, which has a name of its own in the same schema.
    fn drop_index(table: &str, index: &str) -> String;

    /// SQL that locks a table, and SQL that releases it.
    fn lock(table: &str) -> [String; 2];
}

/// Loads size T into a database, as administrator.
pub(crate) fn load<S: Product>(server: &S, database: &str) {
    Room::new().run(&format!("load --size T --target {}", server.socket(S::SUPERUSER, database))).expect(0);
}

/// One server for the stories that need it, one at a time. After a failed story it is in any state.
pub(crate) fn in_turn<S>(server: &'static Mutex<S>) -> MutexGuard<'static, S> {
    server.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A session of another user.
pub(crate) struct Session {
    id: u64,
    shell: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl Session {
    pub(crate) fn open<S: Product>(server: &S, database: &str) -> Self {
        let mut shell = server.shell(database);
        let mut shell = shell.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let (stdin, stdout) = (shell.stdin.take().unwrap(), BufReader::new(shell.stdout.take().unwrap()));
        let mut session = Self { id: 0, shell, stdin, stdout };
        session.begin(&format!("{};", S::WHICH));
        session.id = session.heard().parse().unwrap();
        session
    }

    /// Ends it, whatever it is doing.
    pub(crate) fn end<S: Product>(self, server: &S) {
        server.end_session(self.id);
    }

    /// Executes a statement, and waits until it is done.
    pub(crate) fn say(&mut self, sql: &str) {
        self.begin(&format!("{sql};\nSELECT CONCAT('it is ', 'done');"));
        while self.heard() != "it is done" {}
    }

    /// Begins a statement that takes long.
    pub(crate) fn begin(&mut self, sql: &str) {
        self.stdin.write_all(sql.as_bytes()).unwrap();
        self.stdin.write_all(b"\n").unwrap();
    }

    /// The next line of its output.
    fn heard(&mut self) -> String {
        let mut line = String::new();
        assert!(self.stdout.read_line(&mut line).unwrap() > 0, "the session ended");
        line.trim_end().to_owned()
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        _ = self.shell.kill();
        _ = self.shell.wait();
    }
}

/// Waits until a session executes a test's call.
#[track_caller]
pub(crate) fn until_called<S: Product>(server: &S, database: &str) -> u64 {
    let mut found = Vec::new();
    wait_until("a call", || {
        found = server.calls(database);
        !found.is_empty()
    });
    found[0]
}

/// Waits until dbdyno has no session there any more.
#[track_caller]
pub(crate) fn until_gone<S: Product>(server: &S, database: &str) {
    wait_until("the end of dbdyno's sessions", || server.sessions(database).is_empty());
}

/// What points made and did not remove.
pub(crate) fn leftovers<S: Product>(server: &S, database: &str) -> Vec<String> {
    server.objects(database).into_iter().filter(|name| name.contains("load_")).collect()
}

/// Asserts that dbdyno refuses with these words, before anything is done.
#[track_caller]
pub(crate) fn refuses(room: &Room, line: &str, words: &str) {
    let before = room.files();
    let ending = room.run(line).expect(2);
    assert!(ending.stderr.contains(words), "`dbdyno {line}` was to say '{words}' and said {}", ending.stderr);
    assert_eq!(ending.stdout, "", "a refusal is on stderr alone");
    assert!(room.files() == before, "`dbdyno {line}` made, removed or changed files");
}
