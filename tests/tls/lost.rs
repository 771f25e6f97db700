//! Answers that stop in the middle, in each phase after connecting: the waiting caller gets an error with what was
//! asked. The request stays behind on its thread, as in a command, which ends then.

use crate::engine;
use crate::scratch::{mariadb, postgres};
use crate::tap::{First, Tap};
use dbdyno_engine::{Engine, EngineError, LoadWatch, PointSpec, Sampling};
use dbdyno_testkit::conformance::{NoProgress, catalogue, spec};
use dbdyno_testkit::servers::Scratch;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

/// Only a hang takes this long.
const LONG: Duration = Duration::from_secs(120);
/// The databases of the phases. `empty` is loaded by one of them, the others are loaded before.
const DATABASES: [&str; 4] = ["empty", "bench", "settled", "dropped"];
/// More than a greeting has, and less than a list of all tables.
const PAST_CONNECTING_BYTES: u64 = 3_000;

/// A phase, and the request that the error names, on PostgreSQL and on MariaDB.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Looking,
    Describing,
    Loading,
    Settling,
    Beginning,
    Counting,
    Ending,
    Dropping,
}

impl Phase {
    const ALL: [(Self, [&'static str; 2]); 8] = [
        (Self::Looking, ["reading the list of tables"; 2]),
        (Self::Describing, ["asking the server for its", "asking the server for its"]),
        (Self::Loading, ["loading small_", "loading small_"]),
        (Self::Settling, ["looking for tables to vacuum", "looking at what waits to be purged"]),
        (Self::Beginning, ["", ""]),
        (Self::Counting, ["making statistics visible", "reading the session's counters"]),
        (Self::Ending, ["", ""]),
        // Where it is cut off depends on how much the server sends.
        (Self::Dropping, ["", ""]),
    ];

    /// Its database: phases must not share what they make or drop.
    fn database(self) -> &'static str {
        match self {
            Self::Loading => "empty",
            Self::Settling => "settled",
            Self::Dropping => "dropped",
            _ => "bench",
        }
    }

    /// Its test, so that points do not share objects.
    fn spec(self) -> PointSpec {
        let code = match self {
            Self::Counting => "T611",
            Self::Ending => "T621",
            // Only after writing there is something to settle.
            Self::Settling => "T311",
            _ => "T111",
        };
        let test = catalogue::tests().into_iter().find(|test| test.code.as_str() == code).unwrap();
        // Sampling would ask something, too.
        PointSpec { sampling: Sampling::Off, ..spec(&test, &catalogue::size_t(), 42, 1) }
    }

    /// The steps before the phase.
    fn prepare(self, engine: &dyn Engine) {
        // As every command does.
        _ = engine.features();
        if matches!(self, Self::Counting | Self::Ending | Self::Settling) {
            engine.begin_point(&self.spec()).unwrap();
        }
        if self == Self::Settling {
            engine.end_point(&self.spec()).unwrap();
        }
    }

    fn ask(self, engine: &dyn Engine, watch: &dyn LoadWatch) -> Result<(), EngineError> {
        match self {
            Self::Looking => engine.loaded().map(drop),
            Self::Describing => engine.describe().map(drop),
            Self::Loading => engine.load(&catalogue::size_t(), 42, 1, false, watch).map(drop),
            Self::Settling => engine.settle(LONG).map(drop),
            Self::Beginning => engine.begin_point(&self.spec()),
            Self::Counting => engine.point_statistics(None).map(drop),
            Self::Ending => engine.end_point(&self.spec()),
            Self::Dropping => engine.drop_all().map(drop),
        }
    }
}

/// Cuts a load off once rows are being sent.
struct Cuts(Arc<Tap>);

impl LoadWatch for Cuts {
    fn progress(&self, _: &str, rows: u64, _: u64) {
        if rows > 0 {
            self.0.cut(false);
        }
    }

    fn cancelled(&self) -> bool {
        false
    }
}

/// Cuts off the answers of a phase, and returns the error.
fn told<S: Scratch>(server: &S, user: &str, first: First, phase: Phase) -> EngineError {
    let tap = Arc::new(Tap::start(server.port, first));
    let (port, database) = (tap.port, phase.database());
    let target = format!("{}://{user}@127.0.0.1:{port}/{database}?sslmode=disable&connect_timeout=1", S::ENGINE);
    let engine: Arc<dyn Engine> = Arc::from(engine(&target));
    phase.prepare(&*engine);
    let (tell, heard) = channel();
    let lost = tell.clone();
    // Only the first error is received.
    engine.on_lost(Box::new(move |error| _ = lost.send(error)));
    match phase {
        Phase::Loading => {}
        // It has a connection of its own.
        Phase::Dropping => tap.fall_silent_after(PAST_CONNECTING_BYTES),
        // Cutting off new connections as well makes no difference.
        phase => tap.cut(matches!(phase, Phase::Describing | Phase::Ending)),
    }
    let (asks, watch) = (Arc::clone(&engine), Cuts(Arc::clone(&tap)));
    thread::spawn(move || {
        let answered = phase.ask(&*asks, &watch);
        _ = tell.send(answered.expect_err("half an answer is none"));
    });
    if phase == Phase::Settling {
        // A stop is noticed at once.
        let begun = Instant::now();
        while engine.answers() {
            assert!(begun.elapsed() < LONG, "it is not noticed");
        }
    }
    heard.recv_timeout(LONG).unwrap_or_else(|error| panic!("{phase:?} of {}: {error}", S::ENGINE))
}

fn every_phase_is_told<S: Scratch>(server: &S, user: &str, first: First) {
    for database in &DATABASES[1..] {
        let target = format!("{}://{user}@127.0.0.1:{}/{database}?sslmode=disable", S::ENGINE, server.port);
        engine(&target).load(&catalogue::size_t(), 42, 2, false, &NoProgress).unwrap();
    }
    thread::scope(|scope| {
        for (phase, asked) in Phase::ALL {
            let asked = asked[usize::from(S::ENGINE == "mariadb")];
            scope.spawn(move || {
                let error = told(server, user, first, phase);
                let message = &error.message;
                assert!(error.target_lost() && message.contains("no answer for "), "{phase:?}: {error}");
                assert!(message.contains(asked), "{phase:?}: {error}");
            });
        }
    });
}

#[test]
fn an_answer_of_postgres_that_stops_is_told_in_every_phase() {
    let server = postgres::ServerOptions::default().set("fsync", "off").start();
    for database in DATABASES {
        server.psql("postgres", &format!("CREATE DATABASE {database}"));
    }
    every_phase_is_told(&server, postgres::Server::SUPERUSER, First::Client);
}

#[test]
fn an_answer_of_mariadb_that_stops_is_told_in_every_phase() {
    let server = mariadb::ServerOptions::default().set("innodb_flush_method", "nosync").start();
    let account = "scott@'127.0.0.1'";
    server.client("", &format!("CREATE USER {account}"));
    for database in DATABASES {
        server.client("", &format!("CREATE DATABASE {database}; GRANT ALL ON {database}.* TO {account}"));
    }
    every_phase_is_told(&server, "scott", First::Server);
}
