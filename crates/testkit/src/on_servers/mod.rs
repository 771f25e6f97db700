//! What every server engine must do on a real server, whichever product it is: the conformance suite, proofs by the
//! server's own figures, loads and their interruptions. An engine's test file says which servers (`Product`), and lists
//! its tests by `points!`, `clients!`, `loads!` and `observers!`.
mod clients;
pub mod loads;
pub mod observers;
pub mod points;
mod readings;

use crate::conformance;
use crate::conformance::catalogue;
use crate::servers::Scratch;
use crate::servers::fixtures::{Database, FixturePool};
use dbdyno_engine::{Engine, EngineInfo, PointSpec, Target};
use dbdyno_model::{Mapping, Test};

/// A product with scratch servers.
pub trait Product: Sized + 'static {
    /// Its servers.
    type Server: Scratch;

    /// Its engine.
    const INFO: EngineInfo;

    /// The pool of databases with loaded data; their commits need not be durable.
    fn fixtures() -> &'static FixturePool<Self::Server>;

    /// A server without special settings, for one test alone.
    fn plain() -> Self::Server;

    /// A server for one test alone that counts statements by their normalised texts.
    fn counting() -> Self::Server {
        Self::plain()
    }

    /// A server for one test alone, with loaded data, for measurements that need a quiet server.
    fn alone() -> (Self::Server, String);

    /// Bytes of log that the server has written since it was made.
    fn log_position(server: &Self::Server) -> u64;

    /// Lookups by the primary key of this table, by the server's count; no other session is at work.
    fn lookups(server: &Self::Server, database: &str, table: &str) -> u64;

    /// Tables of dbdyno's whose names begin like this, without parts of partitioned tables.
    fn tables(server: &Self::Server, database: &str, beginning: &str) -> Vec<String>;

    /// What a load calls the small tables and each large one in its reports of progress.
    const GROUPS: &'static [&'static str];

    /// The suffixes of these names, phase by phase; writing rows has none.
    const PHASES: &'static [&'static str];

    /// Ends a session that works on this phase of a load; false where there is none.
    fn end_a_loader(server: &Self::Server, database: &str, phase: &str) -> bool;

    /// The server's sessions of a load.
    fn loaders(server: &Self::Server, database: &str) -> u64;

    /// SQL that makes what a killed point may have left: a table, a procedure, a function.
    fn leftovers() -> &'static str;

    /// SQL statements that make objects with dbdyno's names that dbdyno did not make, and how a refusal describes each:
    /// a table, notes with other columns, and notes in an unknown format.
    fn strangers() -> [(&'static str, &'static str); 3];

    /// Objects that must stop a drop: SQL that makes an object of others among dbdyno's, or one elsewhere that depends
    /// on them; SQL that removes it; and how a refusal describes it.
    fn intruders(database: &str, elsewhere: &str) -> Vec<[String; 3]>;

    /// A user of a borrowed database with all rights, over TCP.
    fn user_over_tcp(database: &Database<Self::Server>) -> String;

    /// Round trips of a client's transaction for a test: its statements, and what begins and ends it.
    fn round_trips(test: &Test, statements: u64, commits: bool) -> u64;

    /// SQL that drops a month of the large table and the note that the load was complete.
    fn lose_a_month() -> &'static str;

    /// The engine on a database, as administrator.
    fn engine(server: &Self::Server, database: &str) -> Box<dyn Engine> {
        Self::engine_of(server, Self::Server::SUPERUSER, database)
    }

    /// The engine on a database, as this user.
    fn engine_of(server: &Self::Server, user: &str, database: &str) -> Box<dyn Engine> {
        (Self::INFO.open)(&Target::parse(&server.socket(user, database)).unwrap(), &catalogue::size_t()).unwrap()
    }

    /// Loads a database.
    fn load(server: &Self::Server, database: &str) {
        Self::engine(server, database).load(&catalogue::size_t(), 42, 2, true, &conformance::NoProgress).unwrap();
    }

    /// The engine on a borrowed database.
    fn engine_on(database: &Database<Self::Server>) -> Box<dyn Engine> {
        Self::engine(database.server, &database.name)
    }

    /// How the engine realises a test.
    fn mapping(test: &Test) -> Mapping {
        (Self::INFO.mapping)(test)
    }
}

/// A test of the conformance suite's catalogue.
pub fn test(code: &str) -> Test {
    catalogue::tests().into_iter().find(|t| t.code.as_str() == code).unwrap()
}

/// A specification of it on the loaded data.
pub fn spec(code: &str, jobs: u32) -> PointSpec {
    conformance::spec(&test(code), &catalogue::size_t(), 42, jobs)
}
