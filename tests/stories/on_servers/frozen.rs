//! A server whose processes are stopped: it answers nobody, and dbdyno does not wait for it for ever.

use super::private::Private;
use super::{OWN, Product, load, stories, until_called, until_gone};
use crate::support::{Room, statuses, text};
use rustix::process::Signal;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

stories!(
    a_run_notices_by_itself_that_the_server_stands_still,
    the_first_ctrl_c_is_enough_where_the_server_stands_still,
    a_private_server_that_stands_still_is_told_and_can_be_ended,
);

/// A server's stopped processes; they continue when this is dropped.
struct Frozen(u32);

impl Frozen {
    fn new(pid: u32) -> Self {
        send(pid, "-STOP");
        Self(pid)
    }
}

impl Drop for Frozen {
    fn drop(&mut self) {
        send(self.0, "-CONT");
    }
}

/// Sends a signal to a process and its children, the children first.
fn send(pid: u32, signal: &str) {
    let parent = |stat: String| stat.rsplit_once(") ")?.1.split(' ').nth(1)?.parse::<u32>().ok();
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let all = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let stat = |pid: u32| std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let children = all.filter(|other| parent(stat(*other)) == Some(pid));
    let pids: Vec<String> = children.chain([pid]).map(|pid| pid.to_string()).collect();
    // A child may have ended meanwhile.
    _ = Command::new("kill").arg(signal).args(pids).output().unwrap();
}

/// During a measured statement, and before. A measured statement is never cut off, but the sampling of sessions notices
/// the silence, too.
fn a_run_notices_by_itself_that_the_server_stands_still<S: Product>() {
    let server = S::doomed();
    let databases = [OWN, "another"];
    for database in databases {
        server.sql(S::HOME, &format!("CREATE DATABASE {database}"));
        load(&server, database);
    }
    let runs = databases.map(|database| {
        let room = Room::new();
        let target = server.socket(S::SUPERUSER, database);
        let more = if target.contains('?') { '&' } else { '?' };
        let run = room.start(&format!("run T111 --jobs 1 --duration 90s --target {target}{more}connect_timeout=1"));
        if database == OWN {
            until_called(&server, database);
        } else {
            run.until("measuring; points planned");
        }
        (room, run)
    });
    let frozen = Frozen::new(server.pid());
    for (room, run) in runs {
        let ending = run.end().expect(3);
        assert!(ending.stderr.contains("the target was lost: "), "{}", ending.stderr);
        assert!(ending.stderr.contains("no answer for "), "{}", ending.stderr);
        assert_eq!(text(&room.show("last"), "/run/status"), "interrupted");
    }
    drop(frozen);
    databases.iter().for_each(|database| until_gone(&server, database));
}

fn the_first_ctrl_c_is_enough_where_the_server_stands_still<S: Product>() {
    let server = S::doomed();
    server.sql(S::HOME, &format!("CREATE DATABASE {OWN}"));
    load(&server, OWN);
    let room = Room::new();
    let target = server.socket(S::SUPERUSER, OWN);
    let run = room.start(&format!("run T111 T611 T621 --jobs 1 --duration 3s --target {target}"));
    run.until("[1/3] T111");
    until_called(&server, OWN);
    let frozen = Frozen::new(server.pid());
    run.signal(Signal::INT);
    // It must end while the server is still stopped.
    let ending = run.end().expect(3);
    let document = room.show("last");
    drop(frozen);
    assert!(ending.stderr.contains("the server does not answer, and is not waited for"), "{}", ending.stderr);
    assert_eq!((statuses(&document), text(&document, "/run/status")), (vec!["T111 ok".to_owned()], "interrupted"));
    until_gone(&server, OWN);
    room.run("resume last").expect(0);
    assert_eq!(statuses(&room.show("last")), ["T111 ok", "T611 ok", "T621 ok"]);
}

fn a_private_server_that_stands_still_is_told_and_can_be_ended<S: Private>() {
    let room = Room::new();
    // The server's user must be able to reach it.
    std::fs::set_permissions(room.folder(), std::fs::Permissions::from_mode(0o755)).unwrap();
    let engine = S::ENGINE;
    let up = room.run(&format!("up {engine} --size T --json")).expect(0).json();
    let pid = u32::try_from(up["pid"].as_u64().unwrap()).unwrap();
    let frozen = Frozen::new(pid);
    let ending = room.run(&format!("up {engine} --size T")).expect(3);
    assert!(ending.stderr.contains(&format!("(process {pid}) stands still")), "{}", ending.stderr);
    assert!(ending.stderr.contains(&format!("kill -CONT {pid}")), "{}", ending.stderr);
    let ending = room.run(&format!("down {engine} --keep")).expect(0);
    assert!(ending.stderr.contains("stands still, as after kill -STOP: it is let go on"), "{}", ending.stderr);
    drop(frozen);
    let again = room.run(&format!("up {engine} --size T --json")).expect(0).json();
    assert_eq!(text(&again, "/how"), "restarted");
    room.run(&format!("down {engine} --keep=false")).expect(0);
}
