//! What every engine of a server must do on a real one, whichever product it is: the conformance suite, proofs by the
//! server's own figures, loads and their interruptions. An engine's test file says which servers (`Product`), and lists
//! its tests by `points!`, `clients!` and `loads!`.
pub mod loads;
pub mod points;
mod readings;

use crate::conformance;
use crate::conformance::catalogue;
use crate::servers::Scratch;
use crate::servers::lend::{Database, Lender};
use dbdyno_engine::{Engine, EngineInfo, PointSpec, Target};
use dbdyno_model::{Mapping, Test};

/// A product of which scratch servers can be had.
pub trait Product: Sized + 'static {
    /// Its servers.
    type Server: Scratch;

    /// Its engine.
    const INFO: EngineInfo;

    /// Who lends loaded databases; their commits need not be durable.
    fn lender() -> &'static Lender<Self::Server>;

    /// A server with nothing special, for one test alone.
    fn plain() -> Self::Server;

    /// A server of one's own with loaded data, for what only a quiet one tells.
    fn alone() -> (Self::Server, String);

    /// How many bytes of log the server has written since it was made.
    fn log_position(server: &Self::Server) -> u64;

    /// How often rows were looked up by the primary key of this table, by the server's count; nobody else is at work.
    fn lookups(server: &Self::Server, database: &str, table: &str) -> u64;

    /// Tables of dbdyno's whose names begin so, without those that are parts of another one.
    fn tables(server: &Self::Server, database: &str, beginning: &str) -> Vec<String>;

    /// What a load calls the small tables and each large one in its reports of progress.
    const GROUPS: &'static [&'static str];

    /// What it adds to that, phase by phase; to write rows adds nothing.
    const PHASES: &'static [&'static str];

    /// Ends a session that is at work on this phase of a load; false where there is none.
    fn end_a_loader(server: &Self::Server, database: &str, phase: &str) -> bool;

    /// Sessions of a load that the server has.
    fn loaders(server: &Self::Server, database: &str) -> u64;

    /// SQL that makes what a point which was killed may have left: a table, a procedure, a function.
    fn leftovers() -> &'static str;

    /// SQL that makes what looks like dbdyno's and is not, one after the other, and what a refusal calls it: a table of
    /// one of its names, notes with other columns, and notes in a format that nobody knows.
    fn strangers() -> [(&'static str, &'static str); 3];

    /// What must stop a drop: SQL that makes something among dbdyno's objects that is not its own, or elsewhere
    /// something that needs them, SQL that removes it, and what a refusal calls it.
    fn intruders(database: &str, elsewhere: &str) -> Vec<[String; 3]>;

    /// A user of a borrowed database who may do everything over TCP.
    fn user_over_tcp(database: &Database<Self::Server>) -> String;

    /// Round trips of a test's transaction that a client sends: statements, and what begins and ends it.
    fn round_trips(test: &Test, statements: u64, commits: bool) -> u64;

    /// SQL that drops a month of the large table and the note that the load was complete.
    fn lose_a_month() -> &'static str;

    /// The engine on a database, as its administrator.
    fn engine(server: &Self::Server, database: &str) -> Box<dyn Engine> {
        Self::engine_of(server, Self::Server::SUPERUSER, database)
    }

    /// The engine on a database, as somebody.
    fn engine_of(server: &Self::Server, user: &str, database: &str) -> Box<dyn Engine> {
        (Self::INFO.open)(&Target::parse(&server.socket(user, database)).unwrap(), &catalogue::size_t()).unwrap()
    }

    /// Loads a database.
    fn load(server: &Self::Server, database: &str) {
        Self::engine(server, database).load(&catalogue::size_t(), 42, 2, true, &conformance::Quiet).unwrap();
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

/// A task of it on the loaded data.
pub fn spec(code: &str, jobs: u32) -> PointSpec {
    conformance::spec(&test(code), &catalogue::size_t(), 42, jobs)
}
