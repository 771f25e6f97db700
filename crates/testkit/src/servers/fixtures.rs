//! A pool of databases for tests, so that most of them need neither start a server nor load data.
//!
//! A product that can copy databases has one server for all tests, and each test gets its own copy. With another
//! product a test gets a whole server, made on a copy of the files of a loaded one, and returns it. If the data is
//! unchanged then, the next test needs no copy.

use super::product::Scratch;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

/// The database that is loaded once.
const LOADED: &str = "loaded";

/// The pool for the tests of one program.
pub struct FixturePool<S: 'static> {
    make: fn() -> S,
    load: fn(&S, &str),
    /// The shared server, or the stopped one that is copied.
    shared: OnceLock<S>,
    /// Servers that are not in use: with the data, and without.
    idle: [Mutex<Vec<&'static S>>; 2],
    copying: Mutex<()>,
    next: AtomicU32,
}

impl<S: Scratch> FixturePool<S> {
    /// A pool that makes servers and loads data in this way.
    pub const fn new(make: fn() -> S, load: fn(&S, &str)) -> Self {
        Self {
            make,
            load,
            shared: OnceLock::new(),
            idle: [const { Mutex::new(Vec::new()) }; 2],
            copying: Mutex::new(()),
            next: AtomicU32::new(1),
        }
    }

    /// A database with loaded data.
    pub fn loaded(&'static self) -> Database<S> {
        if S::COPIES {
            let server = self.shared();
            // No session may be connected to the database that is copied.
            let copying = self.copying.lock().unwrap_or_else(PoisonError::into_inner);
            let name = self.name();
            server.copy_database(LOADED, &name);
            drop(copying);
            return Database { server, name, fixtures: self, returns: false, as_lent: None };
        }
        let server = self.idle(Holding::Data).unwrap_or_else(|| kept(self.loaded_server()));
        let as_lent = Some(server.objects(LOADED));
        Database { server, name: LOADED.to_owned(), fixtures: self, returns: true, as_lent }
    }

    /// A server for one test alone, and the name of its database with loaded data.
    pub fn loaded_server_alone(&'static self) -> (S, String) {
        if !S::COPIES {
            return (self.loaded_server(), LOADED.to_owned());
        }
        let server = (self.make)();
        server.sql(S::HOME, &format!("CREATE DATABASE {LOADED}"));
        (self.load)(&server, LOADED);
        (server, LOADED.to_owned())
    }

    /// A server on a copy of the files of a loaded one.
    fn loaded_server(&'static self) -> S {
        let mut server = (self.make)();
        server.restart_on(self.shared());
        server
    }

    fn idle(&self, holding: Holding) -> Option<&'static S> {
        self.idle[holding as usize].lock().unwrap_or_else(PoisonError::into_inner).pop()
    }

    /// An empty database.
    pub fn empty(&'static self) -> Database<S> {
        self.empty_on(self.server(), !S::COPIES)
    }

    fn empty_on(&'static self, server: &'static S, returns: bool) -> Database<S> {
        let name = self.name();
        server.sql(S::HOME, &format!("CREATE DATABASE {name}"));
        Database { server, name, fixtures: self, returns, as_lent: None }
    }

    fn name(&self) -> String {
        format!("copy_{}", self.next.fetch_add(1, Ordering::Relaxed))
    }

    /// A server for an empty database.
    fn server(&'static self) -> &'static S {
        if S::COPIES {
            return self.shared();
        }
        self.idle(Holding::Nothing).unwrap_or_else(|| kept((self.make)()))
    }

    fn shared(&'static self) -> &'static S {
        self.shared.get_or_init(|| {
            let mut server = (self.make)();
            server.sql(S::HOME, &format!("CREATE DATABASE {LOADED}"));
            (self.load)(&server, LOADED);
            if !S::COPIES {
                server.stop();
            }
            server
        })
    }
}

/// What an idle server contains.
#[derive(Clone, Copy)]
enum Holding {
    Data,
    Nothing,
}

/// A server that is never dropped.
fn kept<S: Scratch>(server: S) -> &'static S {
    Box::leak(Box::new(server))
}

/// A database for one test.
pub struct Database<S: Scratch> {
    /// Its server.
    pub server: &'static S,
    /// Its name.
    pub name: String,
    fixtures: &'static FixturePool<S>,
    /// Whether the server is returned to the pool with it.
    returns: bool,
    /// Its objects when it was borrowed, if the next test may reuse it.
    as_lent: Option<BTreeSet<String>>,
}

impl<S: Scratch> Database<S> {
    /// Another empty database on the same server.
    pub fn beside(&self) -> Self {
        self.fixtures.empty_on(self.server, false)
    }

    /// The target through the socket, as administrator.
    pub fn target(&self) -> String {
        self.target_of(S::SUPERUSER)
    }

    /// The target through the socket, as this user.
    pub fn target_of(&self, user: &str) -> String {
        self.server.socket(user, &self.name)
    }

    /// A user for this test, who may only connect. Users belong to the whole server, so the name contains the
    /// database's name.
    pub fn user(&self) -> String {
        let user = self.users_name();
        self.server.create_user(&user);
        user
    }

    /// The same with the rights for dbdyno's work.
    pub fn worker(&self) -> String {
        let user = self.user();
        self.server.let_work(&user, &self.name);
        user
    }

    fn users_name(&self) -> String {
        format!("user_of_{}", self.name)
    }

    /// Runs SQL as administrator; see `Scratch::sql`.
    pub fn sql(&self, sql: &str) -> String {
        self.server.sql(&self.name, sql)
    }

    /// Its objects.
    pub fn objects(&self) -> BTreeSet<String> {
        self.server.objects(&self.name)
    }
}

impl<S: Scratch> Drop for Database<S> {
    fn drop(&mut self) {
        // What a failed test leaves behind is not reused.
        if std::thread::panicking() {
            return;
        }
        let as_lent = self.as_lent.as_ref() == Some(&self.objects());
        if !as_lent {
            self.server.drop_database(&self.name);
        }
        self.server.drop_user(&self.users_name());
        if self.returns {
            let holding = if as_lent { Holding::Data } else { Holding::Nothing };
            self.fixtures.idle[holding as usize].lock().unwrap_or_else(PoisonError::into_inner).push(self.server);
        }
    }
}
