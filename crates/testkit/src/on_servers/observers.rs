//! Looking at a server while others work there, and at a point while its sessions do.

use super::{Product, spec};
use crate::conformance::{begin_point, catalogue};
use crate::private::{MIB, TestHome, request, size};
use crate::servers::Scratch as _;
use dbdyno_engine::private::{StandbyRequest, UpRequest, find, standby};
use dbdyno_engine::server::namespace;
use dbdyno_engine::servers::StandbyKind;
use dbdyno_engine::{Depth, Observation, Observer, PointSpec, Request, Sampling, Target};
use dbdyno_model::{CountProof, Counter, Counters, SessionState};
use std::io::Write as _;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Lists the tests of observers of a product.
#[macro_export]
macro_rules! observers {
    ($product:ty) => {
        $crate::observers! { $product:
            an_observer_sees_everybodys_work_with_the_rights_of_a_monitor
            an_observer_without_rights_says_what_is_missing
            no_literal_of_anybodys_is_observed
            an_observer_outlives_the_server
            a_point_that_is_observed_keeps_its_counts
            a_standby_tells_how_far_it_is_behind
        }
    };
    ($product:ty: $($name:ident)*) => {
        $(#[test]
        fn $name() {
            $crate::on_servers::observers::$name::<$product>();
        })*
    };
}

/// Rows that a session inserts, each in a transaction of its own.
const ROWS: u64 = 300;
/// Servers with delayed statistics publish them within seconds.
const PATIENCE: Duration = Duration::from_secs(30);
/// The longest that a look may take, on a machine with other work.
const LONGEST: Duration = Duration::from_secs(5);
/// What must never be seen.
const SECRET: &str = "dbdyno_secret_literal";
/// How often a point is looked at: more often in a second than housekeeping is allowed to commit.
const LOOKS: u64 = 120;
/// Passes of a chunk of an observed point.
const PASSES: u64 = 50;

fn observer<S: Product>(server: &S::Server, user: &str) -> Box<dyn Observer> {
    // The monitor needs no database of dbdyno's.
    let database = if S::Server::KNOWN.sees_all { "dbdyno" } else { S::Server::HOME };
    let target = Target::parse(&server.tcp(user, database)).unwrap();
    (S::INFO.open)(&target, &catalogue::size_t()).unwrap().observer().unwrap()
}

/// A server with a user who may monitor it, and nothing else.
fn counting<S: Product>() -> S::Server {
    let server = S::counting();
    server.create_user("watcher");
    server.let_monitor("watcher");
    server
}

fn look(observer: &mut dyn Observer, depth: Depth) -> Observation {
    let mut looked = observer.look(depth);
    assert_eq!(looked.len(), 1);
    looked.remove(0).unwrap()
}

/// Looks until something is seen.
fn until(observer: &mut dyn Observer, depth: Depth, what: &str, seen: impl Fn(&Observation) -> bool) -> Observation {
    let began = Instant::now();
    loop {
        let observed = look(observer, depth);
        if seen(&observed) {
            return observed;
        }
        assert!(began.elapsed() < PATIENCE, "{what}: {observed:#?}");
        sleep(Duration::from_millis(100));
    }
}

/// A client that is at work, or waits with its input open; ends when dropped.
struct Client(Child);

impl Client {
    fn begin<S: Product>(server: &S::Server, sql: &str) -> Self {
        let mut shell = server.shell(S::Server::HOME);
        let mut child = shell.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
        child.stdin.as_mut().unwrap().write_all(format!("{sql};\n").as_bytes()).unwrap();
        Self(child)
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        _ = self.0.kill();
        _ = self.0.wait();
    }
}

fn sleeps<S: Product>() -> String {
    S::Server::KNOWN.sleep.0.replace("SECONDS", "60")
}

fn of_state(observed: &Observation, state: SessionState) -> u32 {
    observed.sessions.get(&state).copied().unwrap_or(0)
}

fn slept_ns<S: Product>(counters: &Counters) -> u64 {
    let sleeps = counters.waits.iter().filter(|wait| wait.event == S::Server::KNOWN.sleep.1 && !wait.background);
    sleeps.map(|wait| wait.time_ns.unwrap()).sum()
}

pub fn an_observer_sees_everybodys_work_with_the_rights_of_a_monitor<S: Product>() {
    let server = counting::<S>();
    server.sql(S::Server::HOME, "CREATE DATABASE elsewhere");
    server.sql("elsewhere", "CREATE TABLE t (a int)");
    let mut observer = observer::<S>(&server, "watcher");
    assert_eq!(observer.nodes(), [format!("127.0.0.1:{}", server.port)]);
    let first = look(&mut *observer, Depth::Counters);
    assert!(first.statements.is_empty() && first.at_work.is_empty(), "{first:?}");
    assert!(["sessions", "waits"].iter().all(|path| !first.missing.contains_key(*path)), "{:?}", first.missing);
    assert!(first.missing.contains_key("replication_lag_s") && first.replication_lag_s.is_none());
    // In a database that the observer is not connected to.
    let inserts: String = (0..ROWS).map(|row| format!("BEGIN; INSERT INTO t VALUES ({row}); COMMIT;\n")).collect();
    server.sql("elsewhere", &inserts);
    let done = |observed: &Observation| {
        let since = observed.counters.since(&first.counters);
        let counted = [Counter::Commits, Counter::RowsChanged, Counter::Executions];
        counted.iter().all(|counter| since.get(*counter).is_some_and(|n| n >= ROWS))
    };
    let then = until(&mut *observer, Depth::Counters, "work in another database", done);
    for counter in [Counter::LogicalReads, Counter::PhysicalReads, Counter::PhysicalWrites, Counter::RedoBytes] {
        assert!(then.counters.get(counter).is_some(), "{counter:?}: {:?}", then.counters.missing);
    }
    let others = [Counter::RedoSyncs, Counter::Rollbacks, Counter::FileReads, Counter::FileWriteNs];
    for counter in others.into_iter().chain([Counter::Checkpoints, Counter::ForeignCommits]) {
        let (values, missing) = (&then.counters.values, &then.counters.missing);
        assert!(values.contains_key(&counter) != missing.contains_key(&counter), "{counter:?}");
    }
    // Sessions by state, and what they are at.
    let _at_work = Client::begin::<S>(&server, &sleeps::<S>());
    let _in_transaction = Client::begin::<S>(&server, S::Server::KNOWN.transaction);
    let _idle = Client::begin::<S>(&server, "SELECT 1");
    let states = [SessionState::Active, SessionState::IdleInTransaction, SessionState::Idle];
    let seen = |observed: &Observation| states.iter().all(|state| of_state(observed, *state) == 1);
    let before = until(&mut *observer, Depth::Counters, "sessions by state", seen);
    let began = Instant::now();
    sleep(Duration::from_millis(300));
    let after = look(&mut *observer, Depth::Statements);
    let (slept, passed) = (slept_ns::<S>(&after.counters) - slept_ns::<S>(&before.counters), began.elapsed());
    // From the beginning of one look to that of the next.
    let least = Duration::from_millis(290).as_nanos();
    assert!((least..=passed.as_nanos() + PATIENCE.as_nanos()).contains(&slept.into()), "{slept} ns: {after:#?}");
    let session = after.at_work.iter().find(|session| session.wait.contains(S::Server::KNOWN.sleep.1)).unwrap();
    assert!(session.for_s > 0.0 && session.statement.starts_with("SELECT"), "{session:?}");
    assert_eq!(session.user, S::Server::SUPERUSER);
    let insert = after.statements.iter().find(|one| one.text.starts_with("INSERT INTO") && one.calls >= ROWS);
    assert!(insert.is_some_and(|one| one.time_ns > 0 && !one.digest.is_empty()), "{:#?}", after.statements);
    // The server is here, so what it costs is seen.
    let spent = observer.cost_ns().unwrap();
    assert!((1..10_000_000_000).contains(&spent), "{spent} ns");
}

pub fn an_observer_without_rights_says_what_is_missing<S: Product>() {
    let server = S::plain();
    server.create_user("stranger");
    let mut observer = observer::<S>(&server, "stranger");
    let seen = look(&mut *observer, Depth::Statements);
    assert!(seen.counters.get(Counter::Commits).is_some(), "{:?}", seen.counters.missing);
    for path in ["sessions", "waits", "top.sessions"] {
        assert!(seen.missing.get(path).is_some_and(|why| why.contains("GRANT ")), "{path}: {:?}", seen.missing);
    }
    assert!(seen.missing.contains_key("top.statements") && seen.sessions.is_empty() && seen.at_work.is_empty());
}

pub fn no_literal_of_anybodys_is_observed<S: Product>() {
    let server = counting::<S>();
    server.sql(S::Server::HOME, &S::Server::KNOWN.secrets.replace("SECRET", SECRET));
    let _at_work = Client::begin::<S>(&server, &format!("{} AS a, '{SECRET}' AS b", sleeps::<S>()));
    let mut observer = observer::<S>(&server, "watcher");
    let seen = |observed: &Observation| {
        assert!(!format!("{observed:?}").contains(SECRET), "{observed:#?}");
        observed.at_work.iter().any(|session| session.wait.contains(S::Server::KNOWN.sleep.1))
    };
    let observed = until(&mut *observer, Depth::Statements, "a session at work", seen);
    let texts: Vec<&str> = observed.statements.iter().map(|statement| statement.text.as_str()).collect();
    assert!(texts.iter().any(|text| text.starts_with("INSERT INTO")), "{texts:?}");
    assert!(texts.iter().any(|text| ["CREATE ROLE", "CREATE USER"].contains(text)), "{texts:?}");
}

/// Sends a signal to all processes of a server.
fn signal<S: Product>(server: &S::Server, name: &str) {
    let all = std::fs::read_dir("/proc").unwrap().flatten();
    let pids = all.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let is_of_server = |pid: &u32| *pid == server.pid() || namespace::parent(*pid) == Some(server.pid());
    let pids: Vec<String> = pids.filter(is_of_server).map(|pid| pid.to_string()).collect();
    assert!(Command::new("kill").arg(name).args(pids).status().unwrap().success());
}

pub fn an_observer_outlives_the_server<S: Product>() {
    let mut server = S::plain();
    let mut observer = observer::<S>(&server, S::Server::SUPERUSER);
    let before = look(&mut *observer, Depth::Counters);
    server.kill();
    for _ in 0..2 {
        let began = Instant::now();
        let looked = observer.look(Depth::Counters);
        assert!(looked[0].is_err() && began.elapsed() < LONGEST, "{looked:?} after {:?}", began.elapsed());
    }
    server.restart();
    let after = look(&mut *observer, Depth::Counters);
    assert!(after.counters.values.keys().eq(before.counters.values.keys()), "{after:?}");
    // One that stands still is not waited for, and is found again.
    signal::<S>(&server, "-STOP");
    let began = Instant::now();
    let looked = observer.look(Depth::Counters);
    let took = began.elapsed();
    signal::<S>(&server, "-CONT");
    assert!(looked[0].is_err() && took < LONGEST, "{looked:?} after {took:?}");
    let began = Instant::now();
    while observer.look(Depth::Counters)[0].is_err() {
        assert!(began.elapsed() < PATIENCE, "it is not found again");
    }
}

/// What is asked over the watch's connection is accounted for: proofs hold, and nobody else is said to have committed.
pub fn a_point_that_is_observed_keeps_its_counts<S: Product>() {
    let (server, database) = S::alone();
    let engine = S::engine(&server, &database);
    let refused = || engine.observe_point(Depth::Counters).unwrap_err().message;
    assert!(refused().contains("outside a point"), "{}", refused());
    let unwatched = PointSpec { sampling: Sampling::Off, ..spec("T611", 1) };
    engine.begin_point(&unwatched).unwrap();
    assert!(refused().contains("not watched"), "{}", refused());
    engine.end_point(&unwatched).unwrap();
    for code in ["T611", "T711"] {
        let spec = PointSpec { sampling: Sampling::On, ..spec(code, 1) };
        let (mut sessions, _) = begin_point(&*engine, &spec);
        sessions[0].flush().unwrap();
        let before = engine.point_statistics(None).unwrap();
        let session = sessions[0].as_mut();
        let (ops, rows) = std::thread::scope(|scope| {
            let engine = &engine;
            let looks = scope.spawn(move || {
                for look in 0..LOOKS {
                    let depth = if look % 10 == 0 { Depth::Statements } else { Depth::Counters };
                    let [observed] = engine.observe_point(depth).unwrap().try_into().unwrap();
                    let observed = observed.unwrap();
                    for counter in [Counter::Commits, Counter::ForeignBusyNs] {
                        assert!(observed.counters.get(counter).is_some(), "{observed:?}");
                    }
                    assert!(!observed.sessions.is_empty(), "{observed:?}");
                    sleep(Duration::from_millis(5));
                }
            });
            let (mut pass, mut ops, mut rows) = (0, 0, 0);
            while !looks.is_finished() {
                let done = session.execute(&Request::Chunk { first_pass: pass, passes: PASSES }).unwrap();
                (pass, ops, rows) = (pass + PASSES, ops + done.ops, rows + done.rows);
            }
            looks.join().unwrap();
            (ops, rows)
        });
        sessions[0].flush().unwrap();
        let counted = engine.evidence(&before).unwrap();
        for proof in spec.test.proofs(spec.rows_per_tx, spec.threads) {
            let (counter, expected) = match proof {
                CountProof::PerOperation(counter, times) => (counter, ops * times),
                CountProof::PerRow(counter) => (counter, rows),
            };
            assert_eq!(counted.get(counter), Some(expected), "{code} {counter:?}");
        }
        assert_eq!(counted.get(Counter::ForeignCommits), Some(0), "{code}: {counted:?}");
        drop(sessions);
        engine.end_point(&spec).unwrap();
    }
}

/// What a primary and its standby tell of replication; a primary may not know.
pub fn a_standby_tells_how_far_it_is_behind<S: Product>() {
    let product = S::Server::product();
    let (home, size) = (TestHome::new(product, "home"), size("T", 8 * MIB));
    let kind = StandbyKind::Async;
    let asked = UpRequest { standby: Some(StandbyRequest { kind, through: None }), ..request(&size) };
    home.up(&asked).unwrap();
    let open = S::INFO.private.unwrap().open;
    let observer = |server| open(&server, &size).unwrap().observer().unwrap();
    let mut of_primary = observer(find(&home.home, product, Some(kind)).unwrap());
    let mut of_standby = observer(standby(&home.home, product).unwrap());
    let is_told = |observed: &Observation| observed.replication_lag_s.is_some();
    let behind = until(&mut *of_standby, Depth::Counters, "a standby's lag", is_told);
    assert!((0.0..30.0).contains(&behind.replication_lag_s.unwrap()), "{behind:?}");
    let or_missing = |observed: &Observation| {
        is_told(observed) || observed.missing["replication_lag_s"].contains("how far others are behind")
    };
    let primary = until(&mut *of_primary, Depth::Counters, "a primary's lag", or_missing);
    assert!(is_told(&primary) != primary.missing.contains_key("replication_lag_s"), "{primary:?}");
}
