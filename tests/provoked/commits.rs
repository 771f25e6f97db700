//! Commits that only look durable: intercepted syncs, logs in memory, unlogged tables, settings.

use crate::support::{Room, Running, text};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Attempts for a control, because other flushes on this machine may hide those of the control.
const ATTEMPTS: u32 = 6;
/// A folder in memory.
const MEMORY: &str = "/dev/shm";

/// A library that intercepts all syncs of files.
struct Shim(tempfile::TempDir);

impl Shim {
    fn build() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let source = folder.path().join("shim.c");
        let text = "int fsync(int file) { (void)file; return 0; }\nint fdatasync(int file) { (void)file; return 0; }\n";
        fs::write(&source, text).unwrap();
        let shim = Self(folder);
        let built = Command::new("cc").args(["-shared", "-fPIC", "-o"]).arg(shim.library()).arg(source).status();
        assert!(built.unwrap().success());
        fs::set_permissions(shim.library(), fs::Permissions::from_mode(0o755)).unwrap();
        shim
    }

    fn library(&self) -> PathBuf {
        self.0.path().join("shim.so")
    }
}

/// A short run of single-row updates; returns its point. `preload` is for dbdyno itself.
fn updates(room: &Room, target: &str, more: &str, preload: Option<&Path>) -> Value {
    let mut command = room.command(&format!("run T711 --target {target} --size T --duration 500ms --json {more}"));
    if let Some(library) = preload {
        command.env("LD_PRELOAD", library);
    }
    let document = Running::start(command).end().expect(0).json();
    document["points"][0].clone()
}

fn flags(point: &Value) -> Vec<&str> {
    point["flags"].as_array().unwrap().iter().map(|flag| flag.as_str().unwrap()).collect()
}

/// A control: real commits are durable, proved, and raise no flag.
#[track_caller]
fn is_durable(room: &Room, target: &str, more: &str) {
    let mut point = Value::Null;
    for _ in 0..ATTEMPTS {
        point = updates(room, target, more, None);
        assert!(!flags(&point).contains(&"unsafe_durability"), "{:?} {:?}", point["flag_notes"], point["commit_proof"]);
        if text(&point, "/commit_proof/outcome") == "proved" {
            break;
        }
    }
    let proof = &point["commit_proof"];
    let count = |name: &str| proof[name].as_f64().unwrap_or(0.0);
    if count("foreign_device_per_s") * count("elapsed_s") > 0.2 * count("commits") {
        // Other flushes prevented the proof, and the point said so.
        assert!(flags(&point).contains(&"not_proved"), "{point}");
        return;
    }
    assert_eq!(text(&point, "/commit_proof/outcome"), "proved", "{proof}");
    assert!(!flags(&point).contains(&"not_proved"), "{:?}", point["flag_notes"]);
    assert_eq!(text(&point, "/commits_found"), "durable");
    assert!(point["commit_proof"]["commits"].as_u64().unwrap() >= 200);
    let page = room.run("show last --table summary").expect(0).stdout;
    assert!(page.contains("commits durable"), "{page}");
}

/// Commits that only look durable are flagged with a reason, called unsafe in every report, and refused by verdicts.
#[track_caller]
fn is_unsafe(room: &Room, point: &Value, why: &str) {
    assert_eq!(text(point, "/status"), "ok", "{point}");
    assert!(flags(point).contains(&"unsafe_durability"), "{:?} {:?}", point["flags"], point["commit_proof"]);
    assert!(text(point, "/flag_notes/unsafe_durability").contains(why), "{:?}", point["flag_notes"]);
    assert_eq!(text(point, "/commits_found"), "unsafe");
    let page = room.run("show last --table summary").expect(0).stdout;
    assert!(page.contains("commits unsafe") && !page.contains("commits durable"), "{page}");
    let page = room.run("show last --table 8.0").expect(0).stdout;
    assert!(page.contains("unsafe commits") && !page.contains("each waits for the log"), "{page}");
    let needs =
        "title = \"Shop\"\n[[requirement]]\ntitle = \"Orders\"\ntest = \"T711\"\nmetric = \"tx_per_s\"\nminimum = 1\n";
    fs::write(room.path("needs.toml"), needs).unwrap();
    let verdict = room.run("verdict last --requirements needs.toml").expect(1).stdout;
    assert!(verdict.contains("refused: unsafe_durability"), "{verdict}");
}

/// Jobs of a point during which commits become unsynced.
const JOBS: usize = 4;

/// A point during which commits become unsynced: after the settings were read, and before its window ends.
fn updates_while(room: &Room, target: &str, sessions: impl Fn() -> usize, let_go: impl Fn()) -> Value {
    let mut running = room.start(&format!("run T711 --target {target} --jobs {JOBS} --duration 3s"));
    running.until_so("its sessions are there", || sessions() >= JOBS);
    let_go();
    running.end().expect(0);
    room.show("last")["points"][0].clone()
}

/// The proof by the log's syncs in those intervals in which no page was written.
#[cfg(feature = "mariadb")]
const WITHOUT_PAGES: &str = "intervals, without those with pages";

/// The proof by the device's counts alone.
const NO_FLUSHES: &str = "not durable: for 2";

#[test]
fn files_in_memory_are_no_durable_ones() {
    let _machine = crate::in_company();
    if !Path::new(MEMORY).is_dir() {
        return;
    }
    let (room, memory) = (Room::new(), tempfile::TempDir::new_in(MEMORY).unwrap());
    let target = format!("sqlite:{}/x.sqlite", memory.path().display());
    room.run(&format!("load --target {target} --size T")).expect(0);
    is_unsafe(&room, &updates(&room, &target, "", None), "lies in memory");
}

#[cfg(feature = "postgres")]
mod postgres {
    use super::*;
    use crate::scratch::postgres::{Server, ServerOptions};

    fn loaded(options: ServerOptions) -> (Room, Server, String) {
        let _machine = crate::in_company();
        let (room, server) = (Room::on_disk(), options.start());
        let target = server.socket("postgres", "postgres");
        room.run(&format!("load --target {target} --size T")).expect(0);
        (room, server, target)
    }

    /// Nothing else may run on the machine meanwhile.
    mod alone {
        use super::*;

        #[test]
        fn postgres_is_believed_by_its_log_and_its_device() {
            let (room, mut server, target) = loaded(ServerOptions::default());
            let alone = crate::alone();
            is_durable(&room, &target, "--jobs 1");
            is_durable(&room, &target, "--jobs 8");
            // With O_DSYNC the server counts no syncs.
            server.psql("postgres", "ALTER SYSTEM SET wal_sync_method = open_datasync");
            server.psql("postgres", "SELECT pg_reload_conf(), pg_sleep(0.5)");
            is_durable(&room, &target, "--jobs 1");
            drop(alone);
            let _machine = crate::in_company();
            for (setting, value) in [("fsync", "off"), ("full_page_writes", "off")] {
                server.psql("postgres", &format!("ALTER SYSTEM SET {setting} = {value}"));
                server.psql("postgres", "SELECT pg_reload_conf(), pg_sleep(0.5)");
                is_unsafe(&room, &updates(&room, &target, "", None), &format!("{setting}={value}"));
                server.psql("postgres", &format!("ALTER SYSTEM RESET {setting}"));
            }
            server.psql("postgres", "SELECT pg_reload_conf(), pg_sleep(0.5)");
            let jobs =
                "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND query ILIKE '%CALL%'";
            let sessions = || server.psql("postgres", jobs).trim().parse().unwrap();
            let let_go = || {
                server.psql("postgres", "ALTER SYSTEM SET fsync = off");
                server.psql("postgres", "SELECT pg_reload_conf()");
            };
            is_unsafe(&room, &updates_while(&room, &target, sessions, let_go), "fsync=off");
            server.psql("postgres", "ALTER SYSTEM RESET fsync");
            server.psql("postgres", "SELECT pg_reload_conf(), pg_sleep(0.5)");
            let let_go = || drop(server.psql("postgres", "ALTER TABLE dbdyno.small_heap SET UNLOGGED"));
            is_unsafe(&room, &updates_while(&room, &target, sessions, let_go), "small_heap");
            server.psql("postgres", "ALTER TABLE dbdyno.small_heap SET LOGGED");
            if !Path::new(MEMORY).is_dir() {
                return;
            }
            server.stop();
            let (log, memory) = (server.data().join("pg_wal"), tempfile::TempDir::new_in(MEMORY).unwrap());
            let there = memory.path().join("pg_wal");
            assert!(Command::new("cp").arg("-a").args([&log, &there]).status().unwrap().success());
            // The server's user must be able to pass through.
            fs::set_permissions(memory.path(), fs::Permissions::from_mode(0o755)).unwrap();
            fs::remove_dir_all(&log).unwrap();
            std::os::unix::fs::symlink(&there, &log).unwrap();
            server.restart();
            is_unsafe(&room, &updates(&room, &target, "", None), "pg_wal lies in memory");
            server.kill();
        }

        #[test]
        fn syncs_that_do_nothing_are_seen_on_the_device_of_postgres() {
            let shim = Shim::build();
            let (room, _server, target) = loaded(ServerOptions::default().preload(&shim.library()));
            let _machine = crate::alone();
            let point = updates(&room, &target, "", None);
            is_unsafe(&room, &point, NO_FLUSHES);
            // The server itself counts them as syncs.
            assert!(point["commit_proof"]["log_syncs"].as_u64().is_none_or(|syncs| syncs >= 199), "{point}");
        }
    }
}

#[cfg(feature = "mariadb")]
mod mariadb {
    use super::*;
    use crate::scratch::mariadb::{Server, ServerOptions};
    use std::sync::atomic::{AtomicBool, Ordering};

    fn loaded(options: ServerOptions) -> (Room, Server, String) {
        let _machine = crate::in_company();
        let (room, server) = (Room::on_disk(), options.start());
        server.client("", "CREATE DATABASE IF NOT EXISTS dbdyno");
        let target = server.socket("root", "dbdyno");
        room.run(&format!("load --target {target} --size T")).expect(0);
        (room, server, target)
    }

    /// Nothing else may run on the machine meanwhile.
    mod alone {
        use super::*;

        #[test]
        fn mariadb_is_believed_by_its_log_and_its_device() {
            let (room, server, target) = loaded(ServerOptions::default());
            let alone = crate::alone();
            is_durable(&room, &target, "--jobs 1");
            is_durable(&room, &target, "--jobs 8");
            drop(alone);
            let _machine = crate::in_company();
            for flush in ["2", "0"] {
                server.client("", &format!("SET GLOBAL innodb_flush_log_at_trx_commit = {flush}"));
                let point = updates(&room, &target, "", None);
                is_unsafe(&room, &point, &format!("innodb_flush_log_at_trx_commit={flush}"));
            }
            server.client("", "SET GLOBAL innodb_flush_log_at_trx_commit = 1");
            // A proof has fewer jobs.
            let jobs = "SELECT count(*) FROM information_schema.processlist WHERE db = 'dbdyno'";
            let sessions = || server.client("", jobs).trim().parse().unwrap();
            let let_go = || drop(server.client("", "SET GLOBAL innodb_flush_log_at_trx_commit = 2"));
            let point = updates_while(&room, &target, sessions, let_go);
            is_unsafe(&room, &point, "innodb_flush_log_at_trx_commit=2");
            server.client("", "SET GLOBAL innodb_flush_log_at_trx_commit = 1");
            // The engine's default is reported as such, and refused as always.
            let point = updates(&room, &target, "--commit engine_default", None);
            assert_eq!(text(&point, "/commits_found"), "engine_default");
            assert!(flags(&point).contains(&"unsafe_durability"), "{point}");
        }

        /// Two addresses of one server are two nodes on machines that are not visible. There the engine's own count
        /// decides, which includes syncs of pages with those of the log.
        #[test]
        fn pages_that_are_written_meanwhile_do_not_hide_the_syncs_of_the_log() {
            let (room, server, _) = loaded(ServerOptions::default());
            server.client("", "CREATE USER scott@'127.0.0.1'; GRANT ALL ON *.* TO scott@'127.0.0.1'");
            let table = "CREATE DATABASE elsewhere; USE elsewhere; CREATE TABLE t (n INT, filler VARCHAR(255)); \
                         INSERT INTO t SELECT seq, REPEAT('x', 255) FROM seq_1_to_5000";
            server.client("", table);
            let afar = format!("mariadb://scott@127.0.0.1:{0},127.0.0.1:{0}/dbdyno", server.port);
            let write_pages =
                "UPDATE elsewhere.t SET n = n + 1; FLUSH TABLES elsewhere.t FOR EXPORT; UNLOCK TABLES; DO SLEEP(0.1)";
            let _machine = crate::alone();
            let (mut point, measured) = (Value::Null, AtomicBool::new(false));
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    while !measured.load(Ordering::Relaxed) {
                        server.client("", write_pages);
                    }
                });
                // On a fast device all commits may come between two writes of pages, and on a slow one none.
                for _ in 0..4 * ATTEMPTS {
                    point = updates(&room, &afar, "--nodes 1 --jobs 1", None);
                    if point["commit_proof"]["seen"].as_str().is_some_and(|seen| seen.contains(WITHOUT_PAGES)) {
                        break;
                    }
                }
                measured.store(true, Ordering::Relaxed);
            });
            let proof = &point["commit_proof"];
            assert_eq!(text(proof, "/outcome"), "proved", "{proof}");
            assert!(text(proof, "/seen").contains(WITHOUT_PAGES), "{proof}");
            assert!(proof["devices"].as_array().unwrap().is_empty(), "{proof}");
            assert_eq!(text(&point, "/commits_found"), "durable");
        }

        #[test]
        fn syncs_that_do_nothing_are_seen_on_the_device_of_mariadb() {
            let shim = Shim::build();
            let (room, _server, target) = loaded(ServerOptions::default().preload(&shim.library()));
            let _machine = crate::alone();
            is_unsafe(&room, &updates(&room, &target, "", None), NO_FLUSHES);
        }
    }
}

/// Nothing else may run on the machine meanwhile.
mod alone {
    use super::*;

    #[test]
    fn an_embedded_database_is_believed_by_what_reaches_the_device() {
        let (room, shim) = (Room::on_disk(), Shim::build());
        std::fs::copy(Room::with_data().path("x.sqlite"), room.path("x.sqlite")).unwrap();
        let alone = crate::alone();
        is_durable(&room, "sqlite:x.sqlite", "--label safe");
        let lost = updates(&room, "sqlite:x.sqlite", "--label lost", Some(&shim.library()));
        is_unsafe(&room, &lost, NO_FLUSHES);
        assert_eq!(text(&lost, "/commit_proof/outcome"), "refuted");
        drop(alone);
        let _machine = crate::in_company();
        for synchronous in ["off", "normal"] {
            let point = updates(&room, &format!("sqlite:x.sqlite?synchronous={synchronous}"), "", None);
            is_unsafe(&room, &point, &format!("synchronous={synchronous}"));
        }
        // Commits that a crash loses get no ratio and no best mark, however fast they are.
        let compared = room.run("compare safe lost --json").expect(0).json();
        assert!(
            compared["warnings"].as_array().unwrap().iter().any(|w| w["kind"] == "commits"),
            "{}",
            compared["warnings"]
        );
        for row in compared["rows"].as_array().unwrap() {
            assert_eq!(row["cells"][1]["ratio"]["verdict"], "no_ratio", "{row}");
            assert!(row["cells"][1]["ratio"]["value"].is_null() && row["cells"][1]["rank"] != "best", "{row}");
        }
    }
}
