//! A private server with a standby: what both servers show is what is believed, and nothing of either is left.

use super::private::Private;
use super::stories;
use crate::home::{Home, lives};
use crate::support::{flag_note, points, text, wait_until};
use rustix::process::{Pid, Signal, kill_process};
use std::path::PathBuf;

stories!(
    a_standby_replicates_as_asked_or_is_none,
    a_standby_that_goes_meanwhile_is_missed,
    a_start_that_was_killed_leaves_no_standby,
);

fn kinds(engine: &str) -> (&'static str, &'static str) {
    if engine == "postgres" { ("sync", "semisync") } else { ("semisync", "sync") }
}

/// The process ids of servers that work in the home of standbys.
fn standbys(home: &Home) -> Vec<u32> {
    let folder = home.room.path("home").join("standby");
    let works_there = |pid: &u32| {
        let cwd = std::fs::read_link(format!("/proc/{pid}/cwd")).unwrap_or_default();
        cwd.starts_with(&folder)
    };
    dbdyno_engine::servers::pids().filter(works_there).collect()
}

fn a_standby_replicates_as_asked_or_is_none<S: Private>() {
    let (home, (kind, other)) = (Home::new(S::ENGINE), kinds(S::ENGINE));
    let refused = |line: &str, words: &str| {
        let ending = home.run(line).expect(2);
        assert!(ending.stderr.contains(&words.replace("ENGINE", S::ENGINE)), "{line}: {}", ending.stderr);
    };
    refused(&format!("up ENGINE --size T --standby {other}"), &format!("ENGINE has no standby that is {other}; say"));
    refused("run T611 --target private:ENGINE?standby=fast", "there is no standby that is 'fast'; it is one of sync");
    refused("run T611 --target private:ENGINE?port=1", "its one option is standby=KIND, and 'port' is another");
    refused(&format!("run T611 --target private:ENGINE?standby={kind}"), &format!("--size D --standby {kind}"));
    assert!(!home.room.path("home").join(S::ENGINE).exists(), "nothing was made");

    // One that runs alone gets none meanwhile.
    let up = home.up("--size T");
    home.inside(&up, "CREATE SCHEMA mine");
    home.inside(&up, "CREATE TABLE mine.notes AS SELECT 'first' AS note");
    refused(&format!("up ENGINE --size T --standby {kind}"), "runs with no standby, not one that is");
    refused(&format!("run T611 --target private:ENGINE?standby={kind}"), "runs without one; start it anew");
    home.run("down ENGINE --keep").expect(0);

    let up = home.up(&format!("--size T --standby {kind}"));
    assert_eq!((text(&up, "/how"), text(&up, "/instance/standby")), ("restarted", kind));
    assert!(text(&up, "/standby").starts_with(&format!("{kind}: ")), "{up:#}");
    assert_eq!(text(&up, "/target"), format!("private:{}?standby={kind}", S::ENGINE));
    // What is committed from now on is there, too; at the latest when it has been applied.
    home.inside(&up, "INSERT INTO mine.notes VALUES ('later')");
    let sockets = PathBuf::from(text(&up, "/instance/socket_folder"));
    let mut standby = up.clone();
    let of_standby = sockets.to_string_lossy().replace("/home/", "/home/standby/");
    let command = text(&up, "/shell_command").replace(&*sockets.to_string_lossy(), &of_standby);
    standby["shell_command"] = command.into();
    wait_until("the row on the standby", || home.inside(&standby, "SELECT count(*) FROM mine.notes") == "2");
    let again = home.up(&format!("--size T --standby {kind}"));
    assert_eq!((text(&again, "/how"), &again["pid"]), ("already", &up["pid"]));
    refused("up ENGINE --size T --standby async", &format!("a standby that is {kind}, not one that is async; stop it"));
    refused("run T611 --target private:ENGINE?standby=async", "--standby async");
    home.run(&format!("run T611 --target private:ENGINE?standby={kind} --jobs 1 --duration 200ms")).expect(0);
    let fact = text(&home.room.show("last"), "/database/facts/standby").to_owned();
    assert!(fact.starts_with(&format!("{kind}: ")), "{fact}");

    // The setting is still there, and the standby is not.
    kill_standby(&home);
    let words = "does not replicate as it should";
    refused(&format!("run T611 --target private:ENGINE?standby={kind} --jobs 1 --duration 200ms"), words);
    refused(&format!("up ENGINE --size T --standby {kind}"), words);
    let up = home.up("--size T");
    assert!(text(&up, "/standby").starts_with(&format!("was to be {kind}, but is not: ")), "{up:#}");

    let stopped = home.run("down ENGINE --keep --json").expect(0).json();
    assert_eq!((&stopped["standby"], &stopped["kept"]), (&true.into(), &true.into()), "{stopped:#}");
    assert!(!home.room.path("home").join("standby").exists(), "a standby is never kept");
    let up = home.up("--size T --standby async");
    assert!(text(&up, "/standby").starts_with("async: "), "{up:#}");
    assert_eq!(home.inside(&up, "SELECT count(*) FROM mine.notes"), "2");
    home.run("down ENGINE --keep=false").expect(0);
    wait_until("both to end", || standbys(&home).is_empty() && !lives(up["pid"].as_u64().unwrap()));
    assert!(!home.room.path("home").join("standby").exists() && !home.data().exists());
}

/// Kills the standby, and waits until it is gone.
fn kill_standby(home: &Home) {
    for pid in standbys(home) {
        let pid = Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
        // A child may have ended with its parent.
        _ = kill_process(pid, Signal::KILL);
    }
    wait_until("the standby's end", || standbys(home).is_empty());
}

fn a_standby_that_goes_meanwhile_is_missed<S: Private>() {
    let home = Home::new(S::ENGINE);
    home.up("--size T --standby async");
    // Commits wait for nothing, so the figure alone shows nothing.
    let line = format!("run T711 --target private:{}?standby=async --jobs 1 --duration 4s", S::ENGINE);
    let run = home.room.start(&line);
    run.until("measuring");
    kill_standby(&home);
    run.end().expect(0);
    let document = home.room.show("last");
    let why = flag_note(&points(&document)[0], "not_proved");
    assert!(why.starts_with("the server's standby was to be async, but is not: "), "{why}");
    // Where commits wait for it, a target without a word of it is refused, too: it would wait for ever.
    home.run("down ENGINE --keep=false").expect(0);
    let kind = kinds(S::ENGINE).0;
    home.up(&format!("--size T --standby {kind}"));
    kill_standby(&home);
    let ending = home.run("run T611 --target private:ENGINE --jobs 1 --duration 200ms").expect(2);
    assert!(ending.stderr.contains("its commits wait for a standby, which was to be"), "{}", ending.stderr);
}

fn a_start_that_was_killed_leaves_no_standby<S: Private>() {
    let (home, kind) = (Home::new(S::ENGINE), kinds(S::ENGINE).0);
    let data = home.room.path("home").join("standby").join(S::ENGINE);
    let starting = home.room.start(&format!("up {} --size T --standby {kind}", S::ENGINE));
    wait_until("a standby that is being made", || data.join("instance.json").exists());
    starting.signal(Signal::KILL);
    starting.end();
    // Whatever it has come to, without a standby there is none, and all goes with the server.
    let up = home.run("up ENGINE --size T --json");
    if up.code == Some(2) {
        assert!(up.stderr.contains("stop it first"), "{}", up.stderr);
    }
    home.run("down ENGINE --keep=false").expect(0);
    wait_until("all to end", || standbys(&home).is_empty());
    assert!(!home.room.path("home").join("standby").exists());
    assert!(!home.data().exists());
}
