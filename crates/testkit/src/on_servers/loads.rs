//! Loading, verifying and dropping. Every row is there and correct, however the load was interrupted. Objects of others
//! are not touched.

use super::Product;
use crate::conformance::catalogue::size_t;
use crate::servers::Scratch as _;
use dbdyno_engine::data::{Columns, Generator};
use dbdyno_engine::{Engine, LoadReport, LoadWatch, Loaded};
use dbdyno_model::{ErrorClass, TableName};
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const SEED: u64 = 42;
/// The large table that the tests interrupt, damage and count.
const LARGE_TABLE: &str = "large_heap_range_list";
/// The database on a server that one test has for itself.
const OWN_DATABASE: &str = "bench";

/// Lists the load tests of a product.
#[macro_export]
macro_rules! loads {
    ($product:ty) => {
        $crate::loads! { $product:
            a_load_has_the_generators_rows_and_a_drop_removes_everything
            a_load_goes_on_where_a_killed_connection_or_server_left_it
            a_load_stops_at_once_wherever_it_is
            what_is_not_ours_is_left_alone
            a_user_needs_only_a_schema_to_work_in
            a_changed_row_is_found_out
            one_dbdyno_at_a_time_loads_or_drops
        }
    };
    ($product:ty: $($name:ident)*) => {
        $(#[test]
        fn $name() {
            $crate::on_servers::loads::$name::<$product>();
        })*
    };
}

/// Records the parts of a load, and acts once when one part has so many rows.
pub struct RecordingWatch<'w> {
    part: String,
    after_rows: u64,
    action: Box<dyn Fn() + Sync + 'w>,
    acted: AtomicBool,
    stop: Option<&'w AtomicBool>,
    /// The parts of the load, in order.
    pub parts: Mutex<Vec<String>>,
}

impl<'w> RecordingWatch<'w> {
    /// A watch that only records.
    pub fn passive() -> Self {
        Self::when("nothing", 0, || ())
    }

    /// A watch that also acts, when so many rows of a part are done.
    pub fn when(part: &str, after_rows: u64, action: impl Fn() + Sync + 'w) -> Self {
        let (acted, parts) = (AtomicBool::new(false), Mutex::default());
        Self { part: part.to_owned(), after_rows, action: Box::new(action), acted, stop: None, parts }
    }
}

impl LoadWatch for RecordingWatch<'_> {
    fn progress(&self, part: &str, rows: u64, of: u64) {
        assert!(rows <= of, "{part}: {rows} of {of}");
        let mut parts = self.parts.lock().unwrap();
        if parts.last().is_none_or(|last| last != part) {
            parts.push(part.to_owned());
        }
        drop(parts);
        if part == self.part && rows >= self.after_rows && !self.acted.swap(true, Ordering::Relaxed) {
            (self.action)();
        }
    }

    fn cancelled(&self) -> bool {
        self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }
}

/// Loads everything.
pub fn load(engine: &dyn Engine, watch: &RecordingWatch<'_>) -> LoadReport {
    engine.load(&size_t(), SEED, 2, true, watch).unwrap()
}

/// Asserts that all tables are complete and correct.
pub fn assert_complete(engine: &dyn Engine) {
    let Loaded::Complete { size: name, seed, verified, checksums } = engine.loaded().unwrap() else {
        panic!("{:?}", engine.loaded());
    };
    assert_eq!((name.as_str(), seed, verified), ("T", SEED, true));
    for table in engine.tables() {
        let expected = Generator::new(&size_t(), table.shape(), SEED).checksum();
        assert_eq!(engine.checksum(table, Columns::All, &RecordingWatch::passive()).unwrap(), expected, "{table}");
        assert_eq!(checksums[table.name()], expected.to_string());
    }
}

/// The parts of a load, in order: for each group of tables its phases.
fn parts_of_load<S: Product>() -> Vec<String> {
    S::GROUPS.iter().flat_map(|tables| S::PHASES.iter().map(move |phase| format!("{tables}{phase}"))).collect()
}

pub fn a_load_has_the_generators_rows_and_a_drop_removes_everything<S: Product>() {
    let database = S::fixtures().empty();
    let elsewhere = database.server.elsewhere(&database.name);
    let (engine, before) = (S::engine_on(&database), database.objects());
    assert_eq!(engine.loaded().unwrap(), Loaded::Nothing);
    assert!(!engine.drop_all().unwrap());

    let watch = RecordingWatch::passive();
    let report = load(engine.as_ref(), &watch);
    assert!(!report.resumed);
    assert_eq!(report.tables.iter().map(|t| t.table).collect::<Vec<_>>(), engine.tables());
    for table in &report.tables {
        assert_eq!((table.rows, table.rows_written), (table.table.rows(&size_t()), table.table.rows(&size_t())));
        assert!(table.write_s > 0.0 && table.write_s < table.elapsed_s, "{table:?}");
    }
    assert_eq!(*watch.parts.lock().unwrap(), parts_of_load::<S>());
    assert_complete(engine.as_ref());

    // A second load has nothing to do.
    let again = load(engine.as_ref(), &RecordingWatch::passive());
    assert!(again.resumed && again.tables.iter().all(|t| t.rows_written == 0 && !t.checksum.is_empty()));
    // Another seed is refused.
    let refused = engine.load(&size_t(), 7, 2, true, &RecordingWatch::passive()).unwrap_err();
    assert!(refused.message.contains("seed 42"), "{refused}");

    // A drop also removes what points left. An object that is not dbdyno's stops the drop before anything is removed.
    database.sql(S::leftovers());
    for [make, remove, described] in S::intruders(&database.name, &elsewhere) {
        database.sql(&make);
        let objects = database.objects();
        let refused = engine.drop_all().expect_err(&make);
        assert!(refused.message.contains(&described) && refused.message.contains("nothing was dropped"), "{refused}");
        assert_eq!(database.objects(), objects, "{make}");
        database.sql(&remove);
    }
    assert_complete(engine.as_ref());
    assert!(engine.drop_all().unwrap());
    assert_eq!(database.objects(), before);
    assert_eq!(engine.loaded().unwrap(), Loaded::Nothing);
}

pub fn a_load_goes_on_where_a_killed_connection_or_server_left_it<S: Product>() {
    let mut server = S::plain();
    server.sql(S::Server::HOME, &format!("CREATE DATABASE {OWN_DATABASE}"));
    let end_a_loader = || assert!(S::end_a_loader(&server, OWN_DATABASE, ""), "nobody is loading");
    let watch = RecordingWatch::when(S::GROUPS[1], 40_000, end_a_loader);
    let lost = S::engine(&server, OWN_DATABASE).load(&size_t(), SEED, 2, true, &watch).unwrap_err();
    assert_eq!(lost.class, ErrorClass::ConnectionLost, "{lost}");
    assert!(lost.message.contains("loading large_"), "{lost}");
    assert_eq!(S::engine(&server, OWN_DATABASE).loaded().unwrap(), Loaded::Partly { size: "T".to_owned(), seed: SEED });
    leaves_are_whole_or_empty::<S>(&server);

    drop(watch);
    let pid = server.pid().to_string();
    let crash = || _ = std::process::Command::new("kill").args(["-KILL", &pid]).status();
    let crashed = S::engine(&server, OWN_DATABASE)
        .load(&size_t(), SEED, 2, true, &RecordingWatch::when(S::GROUPS[1], 70_000, crash))
        .unwrap_err();
    assert_eq!(crashed.class, ErrorClass::ConnectionLost, "{crashed}");
    server.restart();
    leaves_are_whole_or_empty::<S>(&server);

    // The load is also interrupted in its next phase. What that leaves must not stop another load.
    let next = format!("{}{}", S::GROUPS[1], S::PHASES[1]);
    let watch = RecordingWatch::when(&next, 50_000, || _ = S::end_a_loader(&server, OWN_DATABASE, S::PHASES[1]));
    let first = S::engine(&server, OWN_DATABASE).load(&size_t(), SEED, 2, true, &watch);
    assert!(first.is_ok() || first.unwrap_err().class == ErrorClass::ConnectionLost);

    let report = load(S::engine(&server, OWN_DATABASE).as_ref(), &RecordingWatch::passive());
    assert!(report.resumed);
    let large = report.tables.iter().find(|t| t.table == TableName::LargeHeapRangeList).unwrap();
    assert!(large.rows_written < large.rows, "{large:?}");
    assert_complete(S::engine(&server, OWN_DATABASE).as_ref());
}

/// Asserts that each leaf of the large table has all rows of its month and region, or none.
fn leaves_are_whole_or_empty<S: Product>(server: &S::Server) {
    let (months, regions) = (32, 4);
    let generator = Generator::new(&size_t(), TableName::LargeHeapRangeList.shape(), SEED);
    let month = size_t().large_rows / months;
    let sql = format!(
        "SELECT floor((id - 1) / {month}), region, count(*) FROM {} GROUP BY floor((id - 1) / {month}), region",
        S::Server::table(LARGE_TABLE)
    );
    let mut rows_made = BTreeMap::<_, u64>::new();
    for id in 1..=generator.rows() {
        *rows_made.entry(((id - 1) / month, 1 + id / 64 % regions)).or_default() += 1;
    }
    for line in server.sql(OWN_DATABASE, &sql).lines() {
        let numbers: Vec<u64> = line.split('|').map(|number| number.parse().unwrap()).collect();
        let [month, region, rows] = numbers[..] else { panic!("{line}") };
        assert_eq!(rows, rows_made[&(month, region)], "rows of region {region} in month {month}");
    }
}

pub fn a_load_stops_at_once_wherever_it_is<S: Product>() {
    let database = S::fixtures().empty();
    let parts = parts_of_load::<S>();
    // The small tables are loaded too fast for more than one stop.
    for part in parts.iter().take(1).chain(parts.iter().filter(|part| part.starts_with(S::GROUPS[1]))) {
        let stopped_at = Mutex::new(None);
        let stop = AtomicBool::new(false);
        let watch = RecordingWatch::when(part, 3_000, || {
            *stopped_at.lock().unwrap() = Some(Instant::now());
            stop.store(true, Ordering::Relaxed);
        });
        let watch = RecordingWatch { stop: Some(&stop), ..watch };
        let stopped = S::engine_on(&database).load(&size_t(), SEED, 2, true, &watch).unwrap_err();
        assert_eq!(stopped.class, ErrorClass::Cancelled, "{part}: {stopped}");
        let took = stopped_at.lock().unwrap().expect("the watch has stopped the load").elapsed();
        assert!(took < Duration::from_secs(10), "{part}: the load took {took:?} to stop");
        // The load's sessions end, too.
        let since = Instant::now();
        while S::loaders(database.server, &database.name) > 0 {
            assert!(since.elapsed() < Duration::from_secs(60), "sessions stay");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
    assert!(load(S::engine_on(&database).as_ref(), &RecordingWatch::passive()).resumed);
    assert_complete(S::engine_on(&database).as_ref());
}

pub fn what_is_not_ours_is_left_alone<S: Product>() {
    let database = S::fixtures().empty();
    let engine = S::engine_on(&database);
    for (make, described) in S::strangers() {
        database.sql(make);
        let before = database.objects();
        let Loaded::Foreign(why) = engine.loaded().unwrap() else { panic!("{:?}", engine.loaded()) };
        assert!(why.contains(described), "{why}");
        let load = engine.load(&size_t(), SEED, 2, true, &RecordingWatch::passive()).unwrap_err();
        let drop = engine.drop_all().unwrap_err();
        assert!(load.message.contains(described) && drop.message.contains(described), "{load}; {drop}");
        assert_eq!(database.objects(), before);
    }
    assert_eq!(database.sql(&format!("SELECT count(*) FROM {}", S::Server::table("meta"))), "1");
}

pub fn a_user_needs_only_a_schema_to_work_in<S: Product>() {
    let database = S::fixtures().empty();
    let user = database.user();
    let engine = S::engine_of(database.server, &user, &database.name);
    let missing = engine.load(&size_t(), SEED, 2, true, &RecordingWatch::passive()).unwrap_err();
    assert_eq!(missing.class, ErrorClass::Permission, "{missing}");

    database.server.let_work(&user, &database.name);
    assert_eq!(engine.loaded().unwrap(), Loaded::Nothing);
    let before = database.objects();
    load(engine.as_ref(), &RecordingWatch::passive());
    assert_complete(engine.as_ref());
    assert!(engine.drop_all().unwrap());
    assert_eq!(database.objects(), before, "what the administrator made stays");
    assert!(!engine.drop_all().unwrap());
}

pub fn a_changed_row_is_found_out<S: Product>() {
    let database = S::fixtures().empty();
    let engine = S::engine_on(&database);
    let report = engine.load(&size_t(), SEED, 2, false, &RecordingWatch::passive()).unwrap();
    assert!(report.tables.iter().all(|table| table.checksum.is_empty()));
    assert!(matches!(engine.loaded().unwrap(), Loaded::Complete { verified: false, .. }));
    let table = S::Server::table(LARGE_TABLE);
    let change = |sign| format!("UPDATE {table} SET amount = amount {sign} 0.01 WHERE id = 70");
    database.sql(&change("+"));
    let damaged = engine.load(&size_t(), SEED, 2, true, &RecordingWatch::passive()).unwrap_err();
    assert_eq!(damaged.class, ErrorClass::Corruption);
    assert!(damaged.message.contains("large_heap_range_list_r00_p2"), "{damaged}");
    database.sql(&change("-"));
    load(engine.as_ref(), &RecordingWatch::passive());
    assert_complete(engine.as_ref());
    // Somebody drops a month of a table. The notes about the table are no longer valid, so it is loaded again. What
    // tests change in the others is no damage, and anything else is.
    let small = S::Server::table("small_heap");
    let change = |column: &str, sign: char| {
        database.sql(&format!("UPDATE {small} SET {column} = {column} {sign} 1 WHERE id = 7"));
    };
    change("amount", '+');
    change("quantity", '+');
    database.sql(S::lose_a_month());
    let damaged = engine.load(&size_t(), SEED, 2, true, &RecordingWatch::passive()).unwrap_err();
    assert!(damaged.class == ErrorClass::Corruption && damaged.message.contains("small_heap reads back"), "{damaged}");
    change("quantity", '-');
    load(engine.as_ref(), &RecordingWatch::passive());
    change("amount", '-');
    assert_complete(engine.as_ref());
}

pub fn one_dbdyno_at_a_time_loads_or_drops<S: Product>() {
    let database = S::fixtures().empty();
    let engine = S::engine_on(&database);
    let during = RecordingWatch::when(S::GROUPS[1], 10_000, || {
        for error in [
            engine.load(&size_t(), SEED, 1, true, &RecordingWatch::passive()).unwrap_err(),
            engine.drop_all().unwrap_err(),
        ] {
            assert!(error.message.contains("another dbdyno"), "{error}");
        }
    });
    load(engine.as_ref(), &during);
    assert!(during.acted.load(Ordering::Relaxed));
    assert_complete(engine.as_ref());
}
