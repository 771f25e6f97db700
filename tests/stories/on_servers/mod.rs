//! Engines of servers as their users meet them: private servers, servers of their own, and what can happen to both.
//! Each story is told once, for every product. The stories stand in files of one theme each, with a trait of what a
//! product calls its things there; here is what all share: borrowed databases with loaded data, other people's
//! sessions, and looks from outside.

pub(crate) mod bad_input;
mod client;
pub(crate) mod company;
mod crashes;
pub(crate) mod durability;
mod frozen;
pub(crate) mod full_disk;
mod grants;
pub(crate) mod limits;
pub(crate) mod passwords;
pub(crate) mod private;
pub(crate) mod privileges;
pub(crate) mod remote;
mod stops;
pub(crate) mod telemetry;
pub(crate) mod tls;
mod workload;

use crate::support::{Room, wait_until};
use dbdyno_testkit::servers::Scratch;
use dbdyno_testkit::servers::lend::Lender;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Makes a test of each story for each product.
macro_rules! stories {
    ($($name:ident),* $(,)?) => {
        #[cfg(feature = "postgres")]
        mod postgres {
            $(#[test]
            fn $name() {
                super::$name::<crate::scratch::postgres::Server>();
            })*
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
use stories;

/// The user who must prove who he is, over TCP, on servers that lend.
pub(crate) const SCOTT: &str = "scott";
/// His password.
pub(crate) const PASSWORD: &str = "open-sesame-4711";
/// The database of servers that a story has for itself.
pub(crate) const OWN: &str = "bench";

/// A product of which scratch servers can be had.
pub(crate) trait Product: Scratch {
    /// Who lends databases, on servers where scott has his password and commits need not survive a crash.
    fn lender() -> &'static Lender<Self>;

    /// A server with few connections, `FEW`, for one story at a time: whoever is at work there is part of that story.
    /// Its database `OWN` is loaded.
    fn narrow() -> MutexGuard<'static, Self>;

    /// A server to be killed, which need not be safe.
    fn doomed() -> Self;

    /// Sessions that dbdyno has in this database.
    fn sessions(&self, database: &str) -> Vec<u64>;

    /// Those of them that carry out a test's call now.
    fn calls(&self, database: &str) -> Vec<u64>;

    /// Those of them that jobs have.
    fn jobs(&self, database: &str) -> Vec<u64>;

    /// Those of them that keep other dbdynos out while a run lasts.
    fn holders(&self, database: &str) -> Vec<u64>;

    /// SQL that says which session one is.
    const WHICH: &'static str;

    /// Ends a session.
    fn end_session(&self, session: u64);

    /// Ends a session as a crash of it would, with what that means for the others.
    fn crash_session(&self, session: u64);

    /// Lets a user do what whoever has loaded a database may do there.
    fn hand_over(&self, database: &str, user: &str);

    /// SQL that keeps everybody else from a table, and SQL that lets go of it.
    fn lock(table: &str) -> [String; 2];
}

/// Loads size T into a database, as the administrator.
pub(crate) fn load<S: Product>(server: &S, database: &str) {
    Room::new().run(&format!("load --size T --target {}", server.socket(S::SUPERUSER, database))).expect(0);
}

/// One server for the stories that need it, one at a time. A story that failed has left it as it happened to be.
pub(crate) fn in_turn<S>(server: &'static Mutex<S>) -> MutexGuard<'static, S> {
    server.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Somebody else's session.
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

    /// Ends it, whatever it is at.
    pub(crate) fn end<S: Product>(self, server: &S) {
        server.end_session(self.id);
    }

    /// Says something, and waits until it is done.
    pub(crate) fn say(&mut self, sql: &str) {
        self.begin(&format!("{sql};\nSELECT CONCAT('it is ', 'done');"));
        while self.heard() != "it is done" {}
    }

    /// Says something that is going to last.
    pub(crate) fn begin(&mut self, sql: &str) {
        self.stdin.write_all(sql.as_bytes()).unwrap();
        self.stdin.write_all(b"\n").unwrap();
    }

    /// The next line that it hears.
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

/// Waits until a session carries out a test's call.
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

/// What a point has made and not removed.
pub(crate) fn leftovers<S: Product>(server: &S, database: &str) -> Vec<String> {
    server.objects(database).into_iter().filter(|name| name.contains("load_")).collect()
}

/// Insists that dbdyno refuses in these words, before anything is done.
#[track_caller]
pub(crate) fn refuses(room: &Room, line: &str, words: &str) {
    let before = room.files();
    let ending = room.run(line).expect(2);
    assert!(ending.stderr.contains(words), "`dbdyno {line}` was to say '{words}' and said {}", ending.stderr);
    assert_eq!(ending.stdout, "", "a refusal is on stderr alone");
    assert!(room.files() == before, "`dbdyno {line}` made, removed or changed files");
}
