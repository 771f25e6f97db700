//! The conformance suite, and what points do according to the server.

// The macro looks for every test here.
pub use super::clients::*;
pub use super::readings::statistics_are_read_at_once_wherever_one_may_connect;
use super::{Product, spec};
use crate::conformance::{self, EngineUnderTest, catalogue};
use crate::servers::Scratch as _;
use crate::servers::fixtures::Database;
use dbdyno_engine::{Canceller, Engine, LoadWatch, PointSpec, PointStatistics, Request, Session, Settled};
use dbdyno_model::{Counter, ErrorClass, Mapping};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Lists the point tests of a product.
#[macro_export]
macro_rules! points {
    ($product:ty) => {
        $crate::points! { $product:
            holds_what_the_generator_makes_and_drops_it_all
            procedures_do_what_they_say
            chunks_may_be_cut_anywhere
            proofs_hold
            proofs_hold_for_several_jobs
            pieces_can_be_repeated
            plans_are_as_they_must_be
            hosts_that_share_a_point_do_the_work_of_one
            points_leave_nothing_behind
            sessions_can_be_stopped
            statistics_need_no_point
            statistics_are_read_at_once_wherever_one_may_connect
            commits_and_log_bytes_are_the_servers_to_the_last_one
            a_second_dbdyno_is_turned_away_and_takes_nothing_from_the_first
            tables_of_others_stay_whatever_their_names
            a_session_of_a_killed_dbdyno_is_waited_for
            selects_are_lookups_of_the_servers_count
            updates_change_what_they_say_and_only_rows_of_their_job
            inserts_and_bulk_loads_leave_the_rows_that_they_claim
            scripts_can_be_run_by_hand
        }
    };
    ($product:ty: $($name:ident)*) => {
        $(#[test]
        fn $name() {
            $crate::on_servers::points::$name::<$product>();
        })*
    };
}

pub(super) fn conforms<S: Product>(checks: &[fn(&EngineUnderTest<'_>)]) {
    with_engine::<S>(&S::fixtures().loaded(), 42, |under_test| {
        for check in checks {
            check(under_test);
        }
    });
}

pub(super) fn with_engine<S: Product>(
    database: &Database<S::Server>,
    seed: u64,
    check: impl FnOnce(&EngineUnderTest<'_>),
) {
    check(&EngineUnderTest {
        open: &|| S::engine_on(database),
        mapping: &S::mapping,
        schema: &|| database.objects(),
        missing_counters: &[],
        size: catalogue::size_t(),
        seed,
    });
}

pub fn holds_what_the_generator_makes_and_drops_it_all<S: Product>() {
    let database = S::fixtures().empty();
    let before = database.objects();
    with_engine::<S>(&database, 7, |under_test| {
        under_test.load();
        conformance::holds_what_the_generator_makes(under_test);
        conformance::dropping_leaves_nothing(under_test, &before);
    });
}

pub fn procedures_do_what_they_say<S: Product>() {
    conforms::<S>(&[conformance::procedures_do_what_they_say]);
}

pub fn chunks_may_be_cut_anywhere<S: Product>() {
    conforms::<S>(&[conformance::chunks_may_be_cut_anywhere]);
}

pub fn proofs_hold<S: Product>() {
    conforms::<S>(&[conformance::proofs_hold_alone]);
}

/// A test of its own, because reading the counters takes long on some servers.
pub fn proofs_hold_for_several_jobs<S: Product>() {
    conforms::<S>(&[conformance::proofs_hold_together]);
}

pub fn pieces_can_be_repeated<S: Product>() {
    conforms::<S>(&[conformance::pieces_can_be_repeated]);
}

pub fn hosts_that_share_a_point_do_the_work_of_one<S: Product>() {
    conforms::<S>(&[conformance::hosts_that_share_a_point_do_the_work_of_one]);
}

pub fn plans_are_as_they_must_be<S: Product>() {
    conforms::<S>(&[conformance::plans_are_as_they_must_be]);
}

pub fn points_leave_nothing_behind<S: Product>() {
    conforms::<S>(&[conformance::points_leave_nothing_behind]);
}

pub fn sessions_can_be_stopped<S: Product>() {
    conforms::<S>(&[conformance::sessions_can_be_stopped]);
}

/// The server's own log position moves by exactly the reported redo, and no commit counts as a foreign one. The log
/// belongs to the whole server, so no other session may be at work there.
pub fn commits_and_log_bytes_are_the_servers_to_the_last_one<S: Product>() {
    let (server, database) = S::alone();
    let engine = S::engine(&server, &database);
    assert_eq!(engine.settle(Duration::from_secs(60)).unwrap(), Settled::AtRest);
    let spec = spec("T711", 2);
    engine.begin_point(&spec).unwrap();
    let mut sessions: Vec<_> = (0..2).map(|job| engine.session(job, 1).unwrap()).collect();
    for (job, session) in (0..).zip(&mut sessions) {
        assert_eq!(session.prepare(&spec, job).unwrap().problems, [""; 0]);
        session.flush().unwrap();
    }
    let (before, from, _) = at_rest::<S>(&server, engine.as_ref(), None);
    for session in &mut sessions {
        let done = session.execute(&Request::Chunk { first_pass: 0, passes: 500 }).unwrap();
        assert_eq!((done.ops, done.rows), (500, 500));
        // Reading statistics meanwhile does not count as foreign work.
        for _ in 0..20 {
            engine.statistics().unwrap();
        }
        session.flush().unwrap();
    }
    let (after, to, looks) = at_rest::<S>(&server, engine.as_ref(), Some(&before));
    let counted = after.since(&before);
    assert_eq!(counted.get(Counter::Commits), Some(1_000));
    assert_eq!(counted.get(Counter::RedoBytes), Some(to - from));
    assert_eq!(counted.get(Counter::RowsChanged), Some(1_000));
    // Reading the position commits in another session; fewer than one a second count as housekeeping.
    assert!(counted.get(Counter::ForeignCommits).unwrap() <= looks + 4, "{counted:?}");
    drop(sessions);
    engine.end_point(&spec).unwrap();
}

/// A measurement during which the log was at rest before and after, because a server's own housekeeping also writes
/// there; also the log position, and how often it was read.
fn at_rest<S: Product>(
    server: &S::Server,
    engine: &dyn Engine,
    earlier: Option<&PointStatistics>,
) -> (PointStatistics, u64, u64) {
    for round in 1..1_000 {
        let from = S::log_position(server);
        let reading = engine.point_statistics(earlier).unwrap();
        if S::log_position(server) == from {
            return (reading, from, 2 * round);
        }
    }
    panic!("the server's log never rests");
}

pub fn statistics_need_no_point<S: Product>() {
    conforms::<S>(&[conformance::readings::statistics_need_no_point]);
}

pub fn a_second_dbdyno_is_turned_away_and_takes_nothing_from_the_first<S: Product>() {
    conforms::<S>(&[conformance::exclusive::a_second_dbdyno_is_turned_away_and_takes_nothing_from_the_first]);
}

/// Points drop what they made and noted, and nothing else, whatever its name; and they do not fill tables of others.
pub fn tables_of_others_stay_whatever_their_names<S: Product>() {
    let database = S::fixtures().loaded();
    let engine = S::engine_on(&database);
    let others = ["load_customers", "load_2024", "load_heap_7"];
    for name in others {
        database.sql(&format!("CREATE TABLE {} (a int)", S::Server::table(name)));
    }
    let there = || S::tables(database.server, &database.name, "load_");
    for code in ["T611", "T311", "T331"] {
        let spec = spec(code, 2);
        engine.begin_point(&spec).unwrap();
        engine.end_point(&spec).unwrap();
        assert_eq!(there().len(), others.len(), "{code}: {:?}", there());
    }
    let taken = spec("DBL-21", 2);
    let refused = engine.begin_point(&taken).unwrap_err();
    assert!(refused.message.contains("the table load_heap_7, which dbdyno did not make"), "{refused}");
    engine.end_point(&taken).unwrap();
    // A killed point leaves its notes, which contain only a pattern.
    database.sql(&format!("INSERT INTO {} VALUES ('made table load_heap_#', '1')", S::Server::table("meta")));
    let refused = engine.begin_point(&spec("T611", 1)).unwrap_err();
    assert!(refused.message.contains("the table load_heap_7, which dbdyno did not make"), "{refused}");
    let refused = engine.drop_all().unwrap_err();
    assert!(refused.message.contains("load_customers") && refused.message.contains("nothing was dropped"), "{refused}");
    assert_eq!(there().len(), others.len(), "{:?}", there());
}

/// Cancels the statement that is waited for, as soon as a session waits.
struct Impatient {
    canceller: Arc<dyn Canceller>,
    waited: AtomicBool,
}

impl LoadWatch for Impatient {
    fn progress(&self, _: &str, _: u64, _: u64) {
        self.waited.store(true, Ordering::Relaxed);
        self.canceller.cancel();
    }

    fn cancelled(&self) -> bool {
        false
    }
}

/// A server continues a statement whose client was killed, which would load the next client's points.
pub fn a_session_of_a_killed_dbdyno_is_waited_for<S: Product>() {
    let database = S::fixtures().loaded();
    let killed = S::engine_on(&database);
    let spec = PointSpec { jobs: LATE_JOB + 1, ..spec("T131", 1) };
    killed.begin_point(&spec).unwrap();
    // Of many sessions the last one is still at work; the others have ended.
    let others: Vec<_> = [0, LATE_JOB % 256].map(|job| prepared(killed.as_ref(), &spec, job)).into();
    let mut session = prepared(killed.as_ref(), &spec, LATE_JOB);
    drop(others);
    let watch = Impatient { canceller: session.canceller(), waited: AtomicBool::new(false) };
    std::thread::scope(|scope| {
        // The session ends with its statement, like that of a client that is gone.
        let work = scope.spawn(move || session.execute(&Request::Chunk { first_pass: 0, passes: 1_000_000_000 }));
        // Before the statement begins there is nothing to wait for.
        let begun = Instant::now();
        while !watch.waited.load(Ordering::Relaxed) {
            assert!(!work.is_finished(), "the statement has ended, and nobody has waited for it");
            S::engine_on(&database).hold(&watch).unwrap();
            if begun.elapsed() > Duration::from_secs(120) {
                watch.canceller.cancel();
                panic!("nobody has waited for it");
            }
        }
        assert_eq!(work.join().unwrap().unwrap_err().error.class, ErrorClass::Cancelled);
    });
    killed.end_point(&spec).unwrap();
}

/// The number of a job in a large run.
const LATE_JOB: u32 = 300;

fn prepared(engine: &dyn Engine, spec: &PointSpec, job: u32) -> Box<dyn Session> {
    let mut session = engine.session(job, 1).unwrap();
    session.prepare(spec, job).unwrap();
    session
}

pub fn selects_are_lookups_of_the_servers_count<S: Product>() {
    let database = S::fixtures().loaded();
    let engine = S::engine_on(&database);
    let spec = spec("T611", 1);
    engine.begin_point(&spec).unwrap();
    let mut session = engine.session(0, 1).unwrap();
    session.prepare(&spec, 0).unwrap();
    session.flush().unwrap();
    // Warming and planning are done; they look rows up, too.
    engine.point_statistics(None).unwrap();
    let before = S::lookups(database.server, &database.name, "small_heap");
    let mut ops = 0;
    for (first_pass, passes) in [(0, 2_000), (2_000, 99), (2_099, 1)] {
        ops += session.execute(&Request::Chunk { first_pass, passes }).unwrap().ops;
    }
    session.flush().unwrap();
    assert_eq!((S::lookups(database.server, &database.name, "small_heap") - before, ops), (2_100, 2_100));
    drop(session);
    engine.end_point(&spec).unwrap();
}

pub fn updates_change_what_they_say_and_only_rows_of_their_job<S: Product>() {
    let database = S::fixtures().loaded();
    let engine = S::engine_on(&database);
    let (spec, rows) = (spec("T711", 3), S::Server::table("small_heap"));
    engine.begin_point(&spec).unwrap();
    for job in 0..3 {
        let amounts = || -> Vec<Row> {
            let sql = format!("SELECT id, quantity, amount FROM {rows} ORDER BY id");
            database.sql(&sql).lines().map(Row::read).collect()
        };
        let before = amounts();
        let mut session = engine.session(job, 1).unwrap();
        session.prepare(&spec, job).unwrap();
        let done = session.execute(&Request::Chunk { first_pass: 0, passes: 200 }).unwrap();
        assert_eq!((done.ops, done.rows), (200, 200));
        let after = amounts();
        assert_eq!(before.len(), after.len());
        let mut cents = 0;
        for (old, new) in before.iter().zip(&after) {
            assert_eq!((old.id, old.quantity), (new.id, new.quantity));
            assert!(old.cents == new.cents || (old.id - 1) % 3 == u64::from(job), "row {} of another job", old.id);
            cents += new.cents - old.cents;
        }
        assert_eq!(cents, 200, "one cent an update");
    }
    engine.end_point(&spec).unwrap();
}

struct Row {
    id: u64,
    quantity: u64,
    cents: i64,
}

impl Row {
    fn read(line: &str) -> Self {
        let [id, quantity, amount] = line.split('|').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let cents = amount.replace('.', "").parse().unwrap();
        Self { id: id.parse().unwrap(), quantity: quantity.parse().unwrap(), cents }
    }
}

pub fn inserts_and_bulk_loads_leave_the_rows_that_they_claim<S: Product>() {
    let database = S::fixtures().loaded();
    let engine = S::engine_on(&database);
    for (code, rows) in [("T311", 6), ("T313", 6), ("T322", 6), ("T331", 9_600), ("DBL-21", 9_600)] {
        let spec = spec(code, 1);
        engine.begin_point(&spec).unwrap();
        let mut session = engine.session(0, 1).unwrap();
        session.prepare(&spec, 0).unwrap();
        let done = session.execute(&Request::Chunk { first_pass: 0, passes: 3 }).unwrap();
        let tables = S::tables(database.server, &database.name, "load_");
        let union: Vec<_> = tables.iter().map(|t| format!("SELECT quantity FROM {}", S::Server::table(t))).collect();
        let found = database.sql(&format!("SELECT count(*), sum(quantity) FROM ({}) made", union.join(" UNION ALL ")));
        assert_eq!(found, format!("{rows}|{}", done.checksum), "{code}: {tables:?}");
        assert_eq!(done.rows, rows, "{code}");
        drop(session);
        engine.end_point(&spec).unwrap();
    }
}

pub fn scripts_can_be_run_by_hand<S: Product>() {
    let database = S::fixtures().loaded();
    let info = S::INFO;
    for test in catalogue::tests() {
        let script = (info.script)(&test, &catalogue::size_t()).unwrap();
        assert!(script.starts_with(&format!("-- {}: ", test.code)), "{script}");
        match S::mapping(&test) {
            Mapping::None { why } => assert!(script.contains(&why) && !script.contains("CALL"), "{script}"),
            // Files and loads take long, and other tests here cover them.
            _ if matches!(test.procedure.name(), "write_file") => assert!(script.contains("CALL"), "{script}"),
            _ => _ = database.sql(&script),
        }
    }
}
