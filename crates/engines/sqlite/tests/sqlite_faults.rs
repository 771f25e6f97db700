//! What can go wrong with a file, and what SQLite's engine then says and keeps.
#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use dbdyno_engine::{
    Engine, EngineError, FindingLevel, LoadWatch, Loaded, PointSpec, Request, Session, Settled, Target,
};
use dbdyno_model::{ErrorClass, Test};
use dbdyno_testkit::conformance::{NoProgress, catalogue, spec};
use rusqlite::Connection;
use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

static LOADED: LazyLock<(tempfile::TempDir, PathBuf)> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("loaded.db");
    load(&path).unwrap();
    (folder, path)
});

fn engine(path: &Path) -> Box<dyn Engine> {
    (dbdyno_sqlite::INFO.open)(&Target::parse(&format!("sqlite:{}", path.display())).unwrap(), &catalogue::size_t())
        .unwrap()
}

fn load(path: &Path) -> Result<(), EngineError> {
    engine(path).load(&catalogue::size_t(), 42, 2, true, &NoProgress).map(drop)
}

/// A folder with a loaded file of its own.
fn loaded() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.db");
    std::fs::copy(&LOADED.1, &path).unwrap();
    (folder, path)
}

fn test(code: &str) -> Test {
    catalogue::tests().into_iter().find(|t| t.code.as_str() == code).unwrap()
}

fn prepared(engine: &dyn Engine, code: &str) -> (PointSpec, Box<dyn Session>) {
    let spec = spec(&test(code), &catalogue::size_t(), 42, 1);
    engine.begin_point(&spec).unwrap();
    let mut session = engine.session(0, 1).unwrap();
    session.prepare(&spec, 0).unwrap();
    (spec, session)
}

const ONE: Request = Request::Chunk { first_pass: 0, passes: 1 };

/// Every file of a folder with its content.
fn content(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let entries = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path());
    entries.map(|path| (path.clone(), std::fs::read(&path).unwrap())).collect()
}

/// Makes a file that is not ours.
type Maker<'m> = &'m dyn Fn(&Path);

#[test]
fn what_is_not_ours_is_told_and_never_touched() {
    let makers: [(&str, Maker<'_>); 5] = [
        ("is not an SQLite database", &|path| std::fs::write(path, "a letter, and a long one at that").unwrap()),
        ("is a database of something else (accounts)", &|path| {
            Connection::open(path)
                .unwrap()
                .execute_batch("PRAGMA journal_mode=WAL; CREATE TABLE accounts (id)")
                .unwrap();
        }),
        ("has tables named dbdyno_… that dbdyno did not make", &|path| {
            Connection::open(path).unwrap().execute_batch("CREATE TABLE dbdyno_small_heap (id)").unwrap();
        }),
        ("has a table dbdyno_meta that dbdyno did not make", &|path| {
            Connection::open(path).unwrap().execute_batch("CREATE TABLE dbdyno_meta (id)").unwrap();
        }),
        ("holds data in format 99, and this dbdyno reads format 2", &|path| {
            let sql = "CREATE TABLE dbdyno_meta (name, value); INSERT INTO dbdyno_meta VALUES ('format', '99')";
            Connection::open(path).unwrap().execute_batch(sql).unwrap();
        }),
    ];
    for (said, make) in makers {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.db");
        make(&path);
        let before = content(folder.path());
        let engine = engine(&path);
        let Loaded::Foreign(why) = engine.loaded().unwrap() else { panic!("{said}: taken for ours") };
        assert!(why.contains(said), "{why}");
        assert!(engine.load(&catalogue::size_t(), 42, 1, true, &NoProgress).unwrap_err().message.contains(said));
        assert!(engine.drop_all().unwrap_err().message.contains(said));
        assert!(engine.check(&catalogue::size_t()).iter().any(|f| f.level == FindingLevel::Blocker));
        assert_eq!(content(folder.path()), before, "{said}: touched");
    }
}

#[test]
fn data_of_another_size_or_seed_is_not_overwritten() {
    let (_folder, path) = loaded();
    let error = engine(&path).load(&catalogue::size_t(), 43, 1, true, &NoProgress).unwrap_err();
    assert!(error.message.contains("seed 42, not of size T") && error.message.contains("drop it first"), "{error}");
    let other = dbdyno_model::Size { small_rows: 6_400, ..catalogue::size_t() };
    assert!(engine(&path).load(&other, 42, 1, true, &NoProgress).is_err());
}

#[test]
fn tables_of_others_survive_a_drop() {
    let (_folder, path) = loaded();
    Connection::open(&path)
        .unwrap()
        .execute_batch("CREATE TABLE accounts (id); INSERT INTO accounts VALUES (1)")
        .unwrap();
    assert!(engine(&path).drop_all().unwrap());
    let connection = Connection::open(&path).unwrap();
    let names: String = connection.query_row("SELECT group_concat(name) FROM sqlite_schema", [], |r| r.get(0)).unwrap();
    assert_eq!(names, "accounts");
}

#[test]
fn a_table_of_somebody_elses_under_one_of_our_names_is_not_dropped() {
    let (_folder, path) = loaded();
    let sql = |sql: &str| Connection::open(&path).unwrap().execute_batch(sql).unwrap();
    let engine = engine(&path);
    sql(
        "CREATE TABLE dbdyno_load_heap_7 (a TEXT); INSERT INTO dbdyno_meta VALUES ('made table dbdyno_load_heap_#', '1')",
    );
    let refused = [
        engine.begin_point(&spec(&test("T711"), &catalogue::size_t(), 42, 1)).unwrap_err(),
        engine.drop_all().unwrap_err(),
    ];
    for refused in refused {
        assert!(refused.message.contains("the table dbdyno_load_heap_7, which dbdyno did not make"), "{refused}");
    }
    sql("DROP TABLE dbdyno_load_heap_7; DROP TABLE dbdyno_small_heap; CREATE TABLE dbdyno_small_heap (precious TEXT)");
    let refused = engine.drop_all().unwrap_err();
    assert!(refused.message.contains("the table dbdyno_small_heap, which dbdyno did not make"), "{refused}");
    sql("INSERT INTO dbdyno_small_heap VALUES ('still there'); DROP TABLE dbdyno_small_heap");
    assert!(engine.drop_all().unwrap() && !path.exists());
}

#[test]
fn a_locked_file_is_a_timeout_that_says_so() {
    let (_folder, path) = loaded();
    let engine = engine(&path);
    let (spec, mut session) = prepared(&*engine, "T711");
    let other = Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let error = session.execute(&ONE).unwrap_err().error;
    assert_eq!(error.class, ErrorClass::Timeout, "{error}");
    assert!(error.message.contains("another process holds a lock on it"), "{error}");
    assert_eq!(engine.drop_all().unwrap_err().class, ErrorClass::Timeout);
    other.execute_batch("ROLLBACK").unwrap();
    session.execute(&ONE).unwrap();
    drop((session, other));
    engine.end_point(&spec).unwrap();
}

#[test]
fn damaged_pages_are_corruption_and_never_figures() {
    let (_folder, path) = loaded();
    let mut bytes = std::fs::read(&path).unwrap();
    let pages = bytes.len() / 4_096;
    for page in (pages / 2..pages / 2 + 200).map(|p| p * 4_096) {
        bytes[page..page + 64].fill(0xa5);
    }
    std::fs::write(&path, bytes).unwrap();
    let engine = engine(&path);
    let (_, mut session) = prepared(&*engine, "T426");
    assert_eq!(session.execute(&ONE).unwrap_err().error.class, ErrorClass::Corruption);
    let table = dbdyno_model::TableName::LargeHeapRangeList;
    assert_eq!(
        engine.checksum(table, dbdyno_engine::data::Columns::All, &NoProgress).unwrap_err().class,
        ErrorClass::Corruption
    );
}

#[test]
fn a_changed_row_is_found_by_its_checksum() {
    let (_folder, path) = loaded();
    let sql = "UPDATE dbdyno_small_iot SET quantity = quantity + 1 WHERE id = 77;
        DELETE FROM dbdyno_meta WHERE name IN ('complete', 'verified')";
    Connection::open(&path).unwrap().execute_batch(sql).unwrap();
    assert!(matches!(engine(&path).loaded().unwrap(), Loaded::Partly { .. }));
    let error = load(&path).unwrap_err();
    assert_eq!(error.class, ErrorClass::Corruption);
    assert!(error.message.contains("small_iot reads back as 3200:"), "{error}");
}

#[test]
fn a_table_dropped_in_mid_run_is_an_unknown_object() {
    let (_folder, path) = loaded();
    let engine = engine(&path);
    let (spec, mut session) = prepared(&*engine, "T611");
    session.execute(&ONE).unwrap();
    Connection::open(&path).unwrap().execute_batch("DROP TABLE dbdyno_small_heap").unwrap();
    let error = session.execute(&ONE).unwrap_err().error;
    assert_eq!(error.class, ErrorClass::UnknownObject, "{error}");
    drop(session);
    engine.end_point(&spec).unwrap();
}

#[test]
fn a_plan_other_than_the_test_needs_is_a_problem_with_both_texts() {
    let (_folder, path) = loaded();
    Connection::open(&path).unwrap().execute_batch("DROP INDEX dbdyno_small_heap_pk").unwrap();
    let engine = engine(&path);
    let mut session = engine.session(0, 1).unwrap();
    let prepared = session.prepare(&spec(&test("T621"), &catalogue::size_t(), 42, 1), 0);
    assert!(prepared.is_err(), "its cache cannot be warmed");
    let bulk = spec(&test("T816"), &catalogue::size_t(), 42, 1);
    Connection::open(&path).unwrap().execute_batch("DROP INDEX dbdyno_large_heap_range_list_pk").unwrap();
    let problems = session.prepare(&bulk, 0).unwrap().problems;
    assert_eq!(problems.len(), 1);
    assert!(problems[0].contains("must run as [SEARCH a") && problems[0].contains("would run it as ["), "{problems:?}");
}

#[test]
fn more_jobs_than_keys_are_unsupported() {
    let (_folder, path) = loaded();
    let engine = engine(&path);
    let mut session = engine.session(0, 1).unwrap();
    let error = session.prepare(&spec(&test("T721"), &catalogue::size_t(), 42, 11), 0).unwrap_err();
    assert_eq!(error.class, ErrorClass::Unsupported);
    assert!(error.message.contains("needs 11 keys of their own, and a table of size T has 10"), "{error}");
}

/// Stops a load after so many reports.
struct StopAfter(AtomicU64);

impl LoadWatch for StopAfter {
    fn progress(&self, _: &str, _: u64, _: u64) {
        _ = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| Some(n.saturating_sub(1)));
    }
    fn cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed) == 0
    }
}

#[test]
fn a_load_that_is_stopped_goes_on_where_it_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.db");
    let engine = engine(&path);
    for reports in [2, 3, 5] {
        let stopped = engine.load(&catalogue::size_t(), 42, 2, true, &StopAfter(AtomicU64::new(reports)));
        assert_eq!(stopped.unwrap_err().class, ErrorClass::Cancelled);
        assert!(matches!(engine.loaded().unwrap(), Loaded::Partly { seed: 42, .. }));
    }
    let report = engine.load(&catalogue::size_t(), 42, 2, true, &NoProgress).unwrap();
    assert!(report.resumed);
    assert!(report.tables.iter().map(|t| t.rows_written).sum::<u64>() < 102_400 + 6_400);
    assert!(matches!(engine.loaded().unwrap(), Loaded::Complete { verified: true, .. }));
}

/// This program again, doing one thing in a process of its own.
fn child(what: &str, path: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "in_a_process_of_its_own", "--nocapture"]);
    command.env("DBDYNO_FAULT", what).env("DBDYNO_FAULT_PATH", path).stdout(Stdio::null()).stderr(Stdio::inherit());
    command
}

#[test]
fn in_a_process_of_its_own() {
    let (Ok(what), Some(path)) = (std::env::var("DBDYNO_FAULT"), std::env::var_os("DBDYNO_FAULT_PATH")) else { return };
    let path = PathBuf::from(path);
    match what.as_str() {
        "load" => load(&path).unwrap(),
        "read-only" => {
            let engine = engine(&path);
            let findings = engine.check(&catalogue::size_t());
            assert!(findings.iter().any(|f| f.level == FindingLevel::Blocker && f.message.contains("writable")));
            let error = engine.drop_all().unwrap_err();
            assert_eq!(error.class, ErrorClass::Permission, "{error}");
            assert!(path.exists());
        }
        "full" => fills_up(&path),
        other => panic!("no such fault: {other}"),
    }
}

#[test]
fn a_load_that_is_killed_at_any_moment_goes_on_to_the_right_checksum() {
    for moment in 0..16u64 {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.db");
        let mut loading = child("load", &path).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(15 + moment * 25));
        loading.kill().unwrap();
        loading.wait().unwrap();
        let engine = engine(&path);
        assert!(!matches!(engine.loaded().unwrap(), Loaded::Foreign(_)), "moment {moment}");
        load(&path).unwrap_or_else(|e| panic!("moment {moment}: {e}"));
        assert!(matches!(engine.loaded().unwrap(), Loaded::Complete { verified: true, .. }), "moment {moment}");
        let integrity: String =
            Connection::open(&path).unwrap().query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
        assert_eq!(integrity, "ok", "moment {moment}");
    }
}

#[test]
fn a_read_only_file_is_refused_and_kept() {
    let (folder, path) = loaded();
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o444)).unwrap();
    std::fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o555)).unwrap();
    let mut command = child("read-only", &path);
    if rustix::process::geteuid().is_root() {
        command.uid(65_534); // Nothing is read-only for root.
    }
    let status: ExitStatus = command.status().unwrap();
    std::fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o755)).unwrap();
    assert!(status.success());
}

#[test]
fn a_full_disk_is_told_and_what_was_committed_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    // A small file system in a mount name space of its own; needs root, or user name spaces.
    let user = if rustix::process::geteuid().is_root() { "" } else { "--map-root-user" };
    let unshare = |script: &str| {
        let mut command = Command::new("unshare");
        command.args(["--mount", user].iter().filter(|a| !a.is_empty())).args(["sh", "-c", script, "sh"]);
        command.arg(folder.path()).arg(std::env::current_exe().unwrap());
        command.env("DBDYNO_FAULT", "full").env("DBDYNO_FAULT_PATH", folder.path().join("x.db"));
        command
    };
    let may_mount = unshare("mount -t tmpfs -o size=20m none \"$1\"").status().is_ok_and(|s| s.success());
    assert!(
        may_mount,
        "this test fills a small file system: run it as root, or where users have name spaces of their own"
    );
    let script = "mount -t tmpfs -o size=20m none \"$1\" && exec \"$2\" --exact in_a_process_of_its_own --nocapture";
    assert!(unshare(script).status().unwrap().success());
}

fn resize(path: &Path, size: &str) {
    let folder = path.parent().unwrap();
    let done = Command::new("mount").args(["-o", &format!("remount,size={size}")]).arg(folder).status().unwrap();
    assert!(done.success());
}

fn fills_up(path: &Path) {
    let error = load(path).unwrap_err();
    assert_eq!(error.class, ErrorClass::OutOfSpace, "{error}");
    let engine = engine(path);
    assert!(matches!(engine.loaded().unwrap(), Loaded::Partly { .. }));
    resize(path, "200m");
    let report = engine.load(&catalogue::size_t(), 42, 2, true, &NoProgress).unwrap();
    assert!(report.resumed && report.tables[0].rows_written == 0, "what was committed is not loaded again");

    for code in ["T311", "T331", "T211", "T511"] {
        let (spec, mut session) = prepared(&*engine, code);
        let used = std::fs::read_dir(path.parent().unwrap()).unwrap().map(|e| e.unwrap().metadata().unwrap().len());
        resize(path, &format!("{}k", used.sum::<u64>() / 1_024 + 600));
        let error = session.execute(&Request::Chunk { first_pass: 0, passes: 100_000 }).unwrap_err().error;
        assert_eq!(error.class, ErrorClass::OutOfSpace, "{code}: {error}");
        resize(path, "200m");
        drop(session);
        engine.end_point(&spec).unwrap();
        let (spec, mut session) = prepared(&*engine, code);
        session.execute(&ONE).unwrap();
        drop(session);
        engine.end_point(&spec).unwrap();
    }
}

#[test]
fn a_run_that_is_killed_leaves_a_file_that_goes_on() {
    let (_folder, path) = loaded();
    let running = engine(&path);
    let (_, mut session) = prepared(&*running, "T711");
    session.execute(&Request::Chunk { first_pass: 0, passes: 50 }).unwrap();
    let (_, mut inserting) = prepared(&*running, "T311");
    inserting.execute(&ONE).unwrap();
    // What a killed process leaves: the file and its log, with work that no checkpoint has moved.
    let left = tempfile::tempdir().unwrap();
    let after = left.path().join("x.db");
    std::fs::copy(&path, &after).unwrap();
    std::fs::copy(path.with_extension("db-wal"), left.path().join("x.db-wal")).unwrap();
    std::fs::write(left.path().join("x.db.write-0"), "half a file of T211").unwrap();
    assert!(std::fs::metadata(left.path().join("x.db-wal")).unwrap().len() > 0);

    let engine = engine(&after);
    assert!(matches!(engine.loaded().unwrap(), Loaded::Complete { verified: true, .. }));
    let (spec, mut session) = prepared(&*engine, "T421");
    assert_eq!(session.execute(&ONE).unwrap().rows, 3_200);
    let connection = Connection::open(&after).unwrap();
    let sql = "SELECT count(*) FROM sqlite_schema WHERE name LIKE 'dbdyno_load%'";
    assert_eq!(connection.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap(), 0, "what the killed point had made");
    assert!(!left.path().join("x.db.write-0").exists());
    drop((session, connection));
    engine.end_point(&spec).unwrap();
    assert_eq!(engine.settle(Duration::from_secs(5)).unwrap(), Settled::AtRest);
    assert!(engine.drop_all().unwrap());
    assert_eq!(std::fs::read_dir(left.path()).unwrap().count(), 0);
}

#[test]
fn a_check_changes_nothing_and_names_what_stands_in_the_way() {
    let folder = tempfile::tempdir().unwrap();
    let findings = engine(&folder.path().join("x.db")).check(&catalogue::size_t());
    assert!(findings.iter().all(|f| f.level == FindingLevel::Ok), "{findings:?}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    let findings = engine(&folder.path().join("no/x.db")).check(&catalogue::size_t());
    assert!(findings[0].level == FindingLevel::Blocker && findings[0].message.contains("create it first"));
    let (_loaded, path) = loaded();
    let findings = engine(&path).check(&catalogue::size_t());
    assert!(findings.iter().any(|f| f.message == "data of size T, seed 42, verified"), "{findings:?}");
}

#[test]
fn the_description_holds_what_decides_figures() {
    let (_folder, path) = loaded();
    let database = engine(&path).describe().unwrap();
    assert_eq!(database.engine, "sqlite");
    assert!(database.version.starts_with("3."), "{}", database.version);
    let parameters = [
        ("page_size", "4096"),
        ("journal_mode", "wal"),
        ("synchronous", "full"),
        ("cache_size", "-8192"),
        ("cache_size.not_cached", "-512"),
        ("mmap_size", "0"),
        ("compiled.default_memstatus", "0"),
    ];
    for (name, value) in parameters {
        assert_eq!(database.parameters.get(name).map(String::as_str), Some(value), "{name}");
    }
    assert_eq!(database.facts["math_functions"], "yes");
}
