//! What a crash loses, on real servers and files that are really cut. The file system is shut down where the tests run
//! as root.

mod file_systems;

use crate::support::{Room, Running, number, text, wait_until};
use file_systems::has_file_systems;
use rustix::process::Signal;
use serde_json::Value;
use std::path::PathBuf;

/// A story for each engine that can be made.
macro_rules! engines {
    ($($name:ident),* $(,)?) => {
        $(mod $name {
            #[test]
            #[cfg(feature = "postgres")]
            fn postgres() {
                super::story::$name("postgres", "synchronous_commit_off", "fsync_off");
            }
            #[test]
            #[cfg(feature = "mariadb")]
            fn mariadb() {
                super::story::$name("mariadb", "flush_log_0", "flush_log_2");
            }
            #[test]
            #[cfg(feature = "sqlite")]
            fn sqlite() {
                super::story::$name("sqlite", "synchronous_off", "synchronous_off");
            }
        })*
    };
}

engines!(
    a_server_of_ones_own_is_cut_by_command,
    nothing_is_lost_by_a_kill,
    what_is_in_the_way_is_no_loss_and_what_is_gone_is_one,
    what_was_not_flushed_is_lost_with_the_power,
    whoever_is_killed_leaves_nothing
);

/// A room whose folder the servers' user can come to.
fn room() -> Room {
    let room = Room::new();
    std::fs::set_permissions(room.folder(), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    room
}

fn folder(room: &Room, engine: &str) -> PathBuf {
    room.path("home").join("durability").join(engine)
}

fn check_well(document: &Value, cuts: usize) {
    assert_eq!(number(document, "/lossy_cuts"), 0.0, "{document:#}");
    assert_eq!(number(document, "/lost"), 0.0);
    let all = document["cuts"].as_array().unwrap();
    assert_eq!(all.len(), cuts);
    for cut in all {
        assert!(number(cut, "/judged/acknowledged") >= 200.0, "{cut:#}");
        assert!(number(cut, "/recovery_s") > 0.0 && cut["gone"].is_null(), "{cut:#}");
        assert!(number(cut, "/last_acknowledged_s") < 5.0, "{cut:#}");
    }
    assert!(all.iter().rev().skip(1).all(|cut| !cut["after"].as_array().unwrap().is_empty()), "{document:#}");
    let judged = number(document, "/in_the_end/acknowledged");
    assert_eq!(judged, number(document, "/acknowledged"), "everything is compared once more in the end");
}

mod story {
    use super::*;

    /// Of an engine without a server there is nothing to cut.
    pub(super) fn a_server_of_ones_own_is_cut_by_command(engine: &str, _: &str, _: &str) {
        let room = room();
        if engine == "sqlite" {
            return;
        }
        let up = room.run(&format!("up {engine} --size T --json")).expect(0).json();
        let (data, sockets) = (text(&up, "/instance/data").to_owned(), text(&up, "/instance/socket_folder").to_owned());
        let target = match engine {
            "postgres" => format!("postgres://dbdyno@/dbdyno?host={sockets}"),
            _ => format!("mariadb://dbdyno@/dbdyno?socket={sockets}/mariadbd.sock"),
        };
        let script = |name: &str, text: String| {
            let path = room.path(name);
            std::fs::write(&path, text).unwrap();
            format!("sh {}", path.display())
        };
        let works_here = format!("[ \"$(readlink $p/cwd)\" = {data} ]");
        let cut = format!("for p in /proc/[0-9]*; do {works_here} && kill -9 ${{p#/proc/}}; done; sleep 1");
        let (cut, binary) = (script("cut", cut), env!("CARGO_BIN_EXE_dbdyno"));
        let again = format!("DBDYNO_HOME={} {binary} up {engine} --size T --quiet", room.path("home").display());
        let again = script("again", again);
        let test = |cut: &str| {
            let mut command = room.command(&format!("durability --target {target} --cuts 2 --json"));
            command.args(["--cut-command", cut, "--restart-command", &again]);
            Running::start(command).end()
        };
        // Who says that it was cut is not believed. No product can change that, and it takes its time.
        if engine == "postgres" {
            let ending = test("true").expect(3);
            assert!(
                ending.stderr.contains("it was not cut: 20 s later its sessions still commit"),
                "{}",
                ending.stderr
            );
            assert!(ending.json()["cuts"].as_array().unwrap().is_empty(), "{}", ending.stdout);
        }
        let document = test(&cut).expect(0).json();
        check_well(&document, 2);
        assert_eq!(text(&document, "/cut_by"), "external");
        let found = room.run(&format!("check --target private:{engine} --json")).expect(0).json();
        assert!(!found.to_string().contains("crash"), "its tables are removed: {found:#}");
        room.run(&format!("down {engine} --keep=false")).expect(0);
    }

    pub(super) fn nothing_is_lost_by_a_kill(engine: &str, unsafe_by_kill: &str, safe_by_kill: &str) {
        let room = room();
        let line = format!("durability --target private:{engine} --by kill --seed 7");
        // What a kill cannot show is not lost, and that is said.
        let page = room.run(&format!("{line} --cuts 1 --control={safe_by_kill}")).expect(0).stdout;
        assert!(page.contains("0 of 1 cuts lost 0 commits with") && page.contains("cannot show them"), "{page}");
        assert!(page.contains("at most 95.0 % of cuts lose anything (95 %)"), "{page}");
        let document = room.run(&format!("{line} --cuts 3 --json")).expect(0).json();
        check_well(&document, 3);
        assert_eq!(text(&document, "/cut_by"), "kill");
        assert!(document["control"].is_null());
        assert!(!folder(&room, engine).exists(), "it is removed");
        if unsafe_by_kill != safe_by_kill {
            let document = room.run(&format!("{line} --cuts 2 --control --json")).expect(0).json();
            assert_eq!(text(&document, "/control/name"), unsafe_by_kill);
            assert_eq!(number(&document, "/control/lossy_cuts"), 2.0, "{document:#}");
            assert!(number(&document, "/control/lost") > 0.0);
        }
    }

    pub(super) fn what_was_not_flushed_is_lost_with_the_power(engine: &str, _: &str, control: &str) {
        let room = room();
        let root = rustix::process::geteuid().is_root();
        if root && !has_file_systems() {
            return;
        }
        // A device that forgets is told to flush by a file system, unless that has no barriers.
        for (by, control) in [("filesystem", control), ("device", "nobarrier")] {
            let line = format!("durability --target private:{engine} --by {by} --cuts 2 --control={control} --json");
            if !root {
                let refused = room.run(&line).expect(2).stderr;
                assert!(refused.contains("only root") && refused.contains("--by kill"), "{refused}");
                continue;
            }
            let document = room.run(&line).expect(0).json();
            check_well(&document, 2);
            assert_eq!(text(&document, "/cut_by"), by);
            let seen = &document["control"];
            assert_eq!((number(seen, "/lossy_cuts"), &seen["can_be_seen"]), (2.0, &Value::Bool(true)), "{seen:#}");
            assert!(!folder(&room, engine).exists());
            let mounts = std::fs::read_to_string("/proc/self/mounts").unwrap();
            assert!(!mounts.contains(&*room.folder().to_string_lossy()), "{mounts}");
        }
    }

    /// Somebody takes the database away, alters a row, and stops the test: what is said of each is what happened.
    pub(super) fn what_is_in_the_way_is_no_loss_and_what_is_gone_is_one(engine: &str, _: &str, control: &str) {
        let room = room();
        let line = format!("durability --target private:{engine} --by kill --cuts 1000 --json");
        // Stopped while it starts again, or whenever: nothing is lost, and nothing is judged.
        let waits_ms: &[u64] = if engine == "sqlite" { &[0, 300, 900, 1_300] } else { &[300, 1_300] };
        for wait_ms in waits_ms {
            let stopped = room.start(&line);
            stopped.until("[1/1000]");
            std::thread::sleep(std::time::Duration::from_millis(*wait_ms));
            stopped.signal(Signal::INT);
            let ending = stopped.end().expect(3);
            assert_eq!(number(&ending.json(), "/lossy_cuts"), 0.0, "{}", ending.stdout);
        }
        // A control that is stopped proves nothing.
        let controlled =
            room.start(&format!("durability --target private:{engine} --by kill --cuts 3 --control={control}"));
        controlled.until("the same with");
        std::thread::sleep(std::time::Duration::from_millis(1_500));
        controlled.signal(Signal::INT);
        controlled.end().expect(3);
        if engine != "sqlite" {
            return;
        }
        // A file can be had without a client.
        let file = folder(&room, engine).join("crash.db");
        let altered = room.start(&line);
        altered.until("[2/1000]");
        let sql = "UPDATE dbdyno_crash_1 SET body = 'x' WHERE cut = 1 AND session = 0 AND seq < 9";
        rusqlite::Connection::open(&file).unwrap().execute(sql, []).unwrap();
        altered.signal(Signal::INT);
        altered.end().expect(3);
        let gone = room.start(&line);
        gone.until("[2/1000]");
        for name in ["crash.db", "crash.db-wal", "crash.db-shm"] {
            _ = std::fs::remove_file(folder(&room, engine).join(name));
        }
        let ending = gone.end();
        let document = ending.json();
        assert!(number(&document, "/lossy_cuts") > 0.0, "{}", ending.stdout);
        assert_eq!(number(&document, "/lost"), number(&document, "/acknowledged"), "everything");
        ending.expect(1);
    }

    pub(super) fn whoever_is_killed_leaves_nothing(engine: &str, _: &str, _: &str) {
        let room = room();
        let line = format!("durability --target private:{engine} --by kill --cuts 1000");
        // While data is made, and while a server starts.
        for wait_ms in [300, 1_200] {
            let making = room.start(&line);
            std::thread::sleep(std::time::Duration::from_millis(wait_ms));
            making.signal(Signal::KILL);
            making.end();
        }
        let working = room.start(&line);
        working.until("[1/1000]");
        let refused = room.run(&line).expect(2).stderr;
        assert!(refused.contains("another dbdyno durability is at work"), "{refused}");
        working.signal(Signal::KILL);
        working.end();
        assert!(folder(&room, engine).exists());
        // Whoever comes next removes what was left, its processes too.
        let stopped = room.start(&line);
        stopped.until("[1/1000]");
        stopped.signal(Signal::INT);
        let ending = stopped.end().expect(3);
        assert!(
            ending.stderr.contains("stopped")
                && ending.stdout.contains("nothing lost") | ending.stdout.contains("0 of them lost")
        );
        assert!(!folder(&room, engine).exists());
        let here = room.folder().to_string_lossy().into_owned();
        wait_until("its processes to end", || {
            let works_here = |pid: u32| {
                let cwd = std::fs::read_link(format!("/proc/{pid}/cwd")).unwrap_or_default();
                cwd.to_string_lossy().starts_with(&here)
            };
            !dbdyno_engine::servers::pids().any(works_here)
        });
    }
}

/// What standbys read must have everything, too; a server that recovers from another log can lose it there alone.
#[test]
#[cfg(feature = "mariadb")]
fn the_log_that_standbys_read_is_compared() {
    let room = room();
    let refused = room.run("durability --target private:mariadb --by kill --control=sync_binlog_0").expect(2).stderr;
    assert!(refused.contains("add --replication-log"), "{refused}");
    if !has_file_systems() {
        return;
    }
    let asked =
        "durability --target private:mariadb --by filesystem --cuts 2 --replication-log --control=sync_binlog_0";
    let made = room.run(&format!("{asked} --label log --json")).expect(0).json();
    let logged = |path: &str, key: &str| {
        let cuts = made.pointer(path).unwrap().as_array().unwrap();
        cuts.iter().map(|cut| number(cut, &format!("/logged/{key}")) as u64).collect::<Vec<_>>()
    };
    assert_eq!(logged("/cuts", "lost"), [0, 0]);
    assert!(logged("/cuts", "acknowledged").iter().all(|commits| *commits >= 200), "{made:#}");
    assert!(logged("/control/cuts", "lost").iter().all(|lost| *lost > 0), "{made:#}");
    assert_eq!(number(&made, "/control/lossy_cuts"), 2.0);
    let page = room.run("show log").expect(0).stdout;
    assert!(page.contains("after 2 of 2 cuts: it has all commits"), "{page}");
    assert!(page.contains("cuts, the log that standbys read in 2): this test sees losses"), "{page}");
}

/// A log that somebody empties while the test runs is no log that has everything.
#[test]
#[cfg(feature = "mariadb")]
fn a_log_that_is_emptied_meanwhile_is_missed() {
    let room = room();
    let test = room.start("durability --target private:mariadb --by kill --cuts 3 --replication-log --json");
    test.until("[1/3]");
    let socket = folder(&room, "mariadb").join("home/mariadb/run/mariadbd.sock");
    let mut client = std::process::Command::new("mariadb");
    client.args(["--no-defaults", "--user=dbdyno", "--execute=RESET MASTER"]);
    let emptied = client.arg(format!("--socket={}", socket.display())).output().unwrap();
    assert!(emptied.status.success(), "{emptied:?}");
    let ending = test.end().expect(1);
    let document = ending.json();
    let cuts = document["cuts"].as_array().unwrap();
    assert!(cuts.iter().any(|cut| number(cut, "/logged/lost") > 0.0), "{document:#}");
    assert!(cuts.iter().all(|cut| number(cut, "/judged/lost") == 0.0), "the tables have them: {document:#}");
    assert!(ending.stderr.contains("in the log that standbys read: "), "{}", ending.stderr);
}

/// dbdyno dies between the moment at which its server is stopped and that at which it is killed.
#[test]
#[cfg(feature = "mariadb")]
fn a_server_that_was_left_stopped_is_removed() {
    if !has_file_systems() {
        return;
    }
    let room = room();
    let line = "durability --target private:mariadb --by filesystem --cuts 1000";
    let killed = room.start(line);
    killed.until("[1/1000]");
    killed.kill();
    let here = folder(&room, "mariadb");
    let works_here = |pid: &u32| std::fs::read_link(format!("/proc/{pid}/cwd")).is_ok_and(|cwd| cwd.starts_with(&here));
    let left: Vec<u32> = dbdyno_engine::servers::pids().filter(works_here).collect();
    assert!(!left.is_empty(), "its server outlives it");
    for pid in &left {
        let pid = rustix::process::Pid::from_raw(pid.cast_signed()).unwrap();
        rustix::process::kill_process(pid, Signal::STOP).unwrap();
    }
    let page = room.run(&line.replace("1000", "1")).expect(0).stdout;
    assert!(page.contains("0 of 1 cuts"), "{page}");
    assert!(!dbdyno_engine::servers::pids().any(|pid| left.contains(&pid)), "{left:?}");
    assert!(!here.exists());
}

/// What was found stays, also of a test that was stopped, and is shown again word for word.
#[test]
#[cfg(feature = "sqlite")]
fn what_was_found_is_kept() {
    let room = room();
    let made = room.run("durability --target private:sqlite --by kill --cuts 2 --label power --json").expect(0);
    let id = text(&made.json(), "/id").to_owned();
    assert!(made.stderr.contains(&format!("dbdyno.db as {id}")), "{}", made.stderr);
    assert_eq!(room.run("show power --json").expect(0).stdout, made.stdout);
    let page = room.run("durability --target private:sqlite --by kill --cuts 2 --label power").expect(0).stdout;
    assert_eq!(room.run("show power").expect(0).stdout, page, "a label means the newest");
    assert_eq!(text(&room.run(&format!("show {} --json", &id[..id.len() - 1])).expect(0).json(), "/id"), id);
    let stopped = room.start("durability --target private:sqlite --by kill --cuts 1000 --label stopped --json");
    stopped.until("[1/1000]");
    stopped.signal(Signal::INT);
    stopped.end().expect(3);
    let document = room.run("show stopped --json").expect(0).json();
    assert!(text(&document, "/ended_early").contains("stopped"), "{document:#}");
    assert!(room.run("show stopped").expect(0).stdout.contains("early: "));
    let listed = room.run("list experiments --json").expect(0).json();
    let of = |key: &str| listed.as_array().unwrap().iter().map(|e| e[key].clone()).collect::<Vec<_>>();
    assert_eq!(
        (of("complete"), of("label")),
        (vec![false.into(), true.into(), true.into()], vec!["stopped".into(), "power".into(), "power".into()])
    );
    assert!(room.run("list experiments").expect(0).stdout.contains("ended early"));
    // It is no run.
    for command in ["report", "export", "resume", "compare power"] {
        let refused = room.run(&format!("{command} power")).expect(2).stderr;
        assert!(refused.contains("power is a crash test and no run"), "{command}: {refused}");
    }
    assert!(room.run("show power --table cells").expect(2).stderr.contains("choose parts of runs"));
    // What cannot be kept is not begun.
    let refused = room.run("durability --target private:sqlite --by kill --results missing/x.db").expect(2).stderr;
    assert!(refused.contains("missing") && !folder(&room, "sqlite").exists(), "{refused}");
    // Nor is anything lost with the test's own process: each cut was kept when it was over.
    let killed = room.start("durability --target private:sqlite --by kill --cuts 1000 --label killed");
    killed.until("[3/1000]");
    killed.kill();
    let document = room.run("show killed --json").expect(0).json();
    assert!(document["cuts"].as_array().unwrap().len() >= 2, "{document:#}");
    let under_way = "it is under way, or its process was killed";
    assert_eq!((text(&document, "/ended_early"), number(&document, "/lossy_cuts")), (under_way, 0.0));
    // While its control is made, what it has compared once more is kept, too.
    let controlled = room
        .start("durability --target private:sqlite --by kill --cuts 2 --control=synchronous_off --label controlled");
    controlled.until("the same with");
    controlled.kill();
    let document = room.run("show controlled --json").expect(0).json();
    assert!(number(&document, "/in_the_end/acknowledged") >= 400.0, "{document:#}");
    assert_eq!(text(&document, "/ended_early"), under_way);
}

#[test]
fn only_what_was_made_for_it_is_cut() {
    let room = room();
    for (target, why) in [
        ("sqlite:mine.db", "takes only what it makes for this: private:"),
        ("postgres://me@127.0.0.1/x", "--cut-command or --manual"),
        ("private:oracle", "dbdyno makes no oracle; it makes private:"),
        ("private:nothing", "nothing"),
    ] {
        let refused = room.run(&format!("durability --target {target}")).expect(2).stderr;
        assert!(refused.contains(why), "{target}: {refused}");
    }
    let refused = room.run("durability --target private:sqlite --by kill --control=fast").expect(2).stderr;
    assert!(refused.contains("there is no such control; there are synchronous_off, synchronous_normal"), "{refused}");
    // Somebody's own folder of that name stays as it is.
    let mine = folder(&room, "sqlite").join("mine");
    std::fs::create_dir_all(&mine).unwrap();
    let refused = room.run("durability --target private:sqlite --by kill").expect(2).stderr;
    assert!(refused.contains("not made by dbdyno") && mine.is_dir(), "{refused}");
}
