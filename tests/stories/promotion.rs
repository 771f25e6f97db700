//! What is lost with a primary whose standby is promoted, on real servers: nothing that was acknowledged where commits
//! wait for the standby, and something wherever they do not.

use crate::support::{Room, number, text, wait_until};
use rustix::process::Signal;
use serde_json::Value;

/// A story for each engine that has standbys.
macro_rules! engines {
    ($($name:ident),* $(,)?) => {
        $(mod $name {
            #[test]
            #[cfg(feature = "postgres")]
            fn postgres() {
                super::story::$name("postgres", "sync", "cancelled_wait");
            }
            #[test]
            #[cfg(feature = "mariadb")]
            fn mariadb() {
                super::story::$name("mariadb", "semisync", "falls_back");
            }
        })*
    };
}

engines!(
    what_waits_for_a_standby_is_kept,
    what_waits_for_none_is_lost_with_the_link,
    whoever_is_killed_between_two_servers_leaves_neither,
);

/// A room whose folder the servers' user can come to.
fn room() -> Room {
    let room = Room::new();
    std::fs::set_permissions(room.folder(), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    room
}

fn check_cuts(document: &Value, cuts: usize) {
    let all = document["cuts"].as_array().unwrap();
    assert_eq!(all.len(), cuts, "{document:#}");
    for cut in all {
        assert!(number(cut, "/judged/acknowledged") >= 200.0 && number(cut, "/recovery_s") > 0.0, "{cut:#}");
        assert!(cut["gone"].is_null(), "{cut:#}");
        for wrong in ["torn", "altered", "duplicates", "strangers", "disagreements"] {
            assert_eq!(number(cut, &format!("/judged/{wrong}")), 0.0, "{wrong}: {cut:#}");
        }
        // Clients lose the primary, ask the standby in vain for a while, and go on.
        assert_eq!((number(cut, "/clients/clients"), number(cut, "/clients/lost")), (2.0, 0.0), "{cut:#}");
        assert!(number(cut, "/clients/acknowledged") >= 2.0 && number(cut, "/clients/longest_gap_s") > 0.0, "{cut:#}");
        assert!(number(cut, "/clients/errors/connection lost") > 0.0, "{cut:#}");
    }
    let judged = number(document, "/in_the_end/acknowledged");
    assert_eq!(judged, number(document, "/acknowledged"), "everything is compared once more in the end");
}

/// No process works in the room any more, and nothing of the test is there.
fn check_gone(room: &Room, engine: &str) {
    assert!(!room.path("home").join("durability").join(engine).exists(), "it is removed");
    let here = room.folder().to_string_lossy().into_owned();
    wait_until("its processes to end", || {
        let works_here = |pid: u32| {
            let cwd = std::fs::read_link(format!("/proc/{pid}/cwd")).unwrap_or_default();
            cwd.to_string_lossy().starts_with(&here)
        };
        !dbdyno_engine::servers::pids().any(works_here)
    });
}

mod story {
    use super::*;

    /// What is held on its way was not acknowledged; unless somebody waits no longer, which must be seen.
    pub(super) fn what_waits_for_a_standby_is_kept(engine: &str, kind: &str, control: &str) {
        let room = room();
        let line = format!("durability --target private:{engine} --standby {kind}");
        let document = room.run(&format!("{line} --hold-link 0.3s --cuts 3 --control --json")).expect(0).json();
        assert_eq!((text(&document, "/cut_by"), text(&document, "/standby")), ("promotion", kind));
        assert!(text(&document, "/observed").starts_with(&format!("{kind}: ")), "{document:#}");
        assert_eq!(number(&document, "/link_held_s"), 0.3);
        assert_eq!((number(&document, "/lossy_cuts"), number(&document, "/lost")), (0.0, 0.0), "{document:#}");
        check_cuts(&document, 3);
        let seen = &document["control"];
        assert_eq!((text(seen, "/name"), number(seen, "/lossy_cuts")), (control, 3.0), "{seen:#}");
        check_cuts(seen, 3);
        check_gone(&room, engine);
        // Without a link that is held.
        let page = room.run(&format!("{line} --cuts 2")).expect(0).stdout;
        assert!(page.contains("cut by promotion") && page.contains("2 that know both hosts: no commit for"), "{page}");
        assert!(page.contains("0 of them lost") && page.contains("at most 77.6 % of cuts"), "{page}");
    }

    pub(super) fn what_waits_for_none_is_lost_with_the_link(engine: &str, kind: &str, _: &str) {
        let room = room();
        let line = format!("durability --target private:{engine} --standby async");
        let document = room.run(&format!("{line} --hold-link 0.5s --cuts 2 --json")).expect(1).json();
        assert_eq!(number(&document, "/lossy_cuts"), 2.0, "{document:#}");
        check_cuts(&document, 2);
        assert!(document["cuts"].as_array().unwrap().iter().all(|cut| number(cut, "/judged/lost") > 0.0));
        check_gone(&room, engine);
        let other = if kind == "sync" { "semisync" } else { "sync" };
        for (options, why) in [
            ("--standby async --control", "commits wait for no standby that is async"),
            (
                &*format!("--standby {other}"),
                &*format!("{engine} has no standby that is {other}; say --standby {kind}"),
            ),
            ("--standby fast", "there is no standby that is 'fast'; it is one of sync, semisync, async"),
            ("--standby async --by kill", "cannot be used with"),
            ("--hold-link 1s", "--standby"),
            ("--standby async --manual", "cannot be used with"),
        ] {
            let refused = room.run(&format!("durability --target private:{engine} {options}")).expect(2).stderr;
            assert!(refused.contains(why), "{options}: {refused}");
        }
        assert!(!room.path("home").join("durability").join(engine).exists(), "nothing was made");
    }

    pub(super) fn whoever_is_killed_between_two_servers_leaves_neither(engine: &str, kind: &str, _: &str) {
        let room = room();
        let line = format!("durability --target private:{engine} --standby {kind} --cuts 1000");
        // While it starts, while it works, and right after a promotion.
        for (until, wait_ms) in [(None, 1_500), (Some("[1/1000]"), 900), (Some("[2/1000]"), 0)] {
            let working = room.start(&line);
            until.iter().for_each(|until| working.until(until));
            std::thread::sleep(std::time::Duration::from_millis(wait_ms));
            working.signal(Signal::KILL);
            working.end();
        }
        let stopped = room.start(&line);
        stopped.until("[1/1000]");
        stopped.signal(Signal::INT);
        let ending = stopped.end().expect(3);
        assert!(ending.stdout.contains("0 of them lost"), "{}", ending.stdout);
        check_gone(&room, engine);
    }
}

#[test]
#[cfg(feature = "sqlite")]
fn a_file_has_no_standby() {
    let refused = room().run("durability --target private:sqlite --standby sync").expect(2).stderr;
    assert!(refused.contains("sqlite has no standby that is sync; leave --standby away"), "{refused}");
}
