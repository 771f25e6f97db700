//! What becomes of a point when NATS, a host or its disk fails at the worst moment: near the end of a window.

use crate::local_fleet::LocalFleet;
use crate::small_disk::SmallDisk;
use crate::support::{DBDYNO, Room, Running, flag_note};
use rustix::process::{Pid, Signal, kill_process};
use std::process::Command;
use std::time::Duration;

/// Processor time of a process, in hundredths of a second.
fn cpu_ticks(process: Pid) -> i64 {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", process.as_raw_nonzero())).unwrap();
    let after_name: Vec<&str> = stat.rsplit(") ").next().unwrap().split(' ').collect();
    [11, 12].iter().map(|field| after_name[*field].parse::<i64>().unwrap()).sum()
}

/// A run of two hosts or more that is well within its only window, of 4 s.
fn in_window(room: &Room, fleet: &LocalFleet<'_>, hosts: u32, wait_s: f64) -> Running {
    let before = cpu_ticks(fleet.agent(0));
    let line = format!("run T611 --target null: --drive client --jobs 6 --duration 4s --fleet fleet={hosts} -q");
    let mut command = room.command(&line);
    // The server may have been started again by another than `fleet up`.
    let record = fleet.record();
    let word = |key: &str| record[key].as_str().unwrap().to_owned();
    command.env("DBDYNO_NATS", format!("nats://dbdyno:{}@127.0.0.1:{}", word("password"), record["port"]));
    command.env("DBDYNO_FLEET_KEY", word("key"));
    let mut run = Running::start(command);
    run.until_so("the first host works", || cpu_ticks(fleet.agent(0)) > before + 20);
    std::thread::sleep(Duration::from_secs_f64(wait_s));
    run
}

/// NATS falls silent in the last second of a window, and the hosts keep their parts until it is back. Where the moment
/// is missed, the point is sound or lost for other reasons, and is tried again.
fn waits_for_nats(room: &Room, hosts: u32, mut silence: impl FnMut()) {
    let fleet = LocalFleet::found(room);
    let mut tried = Vec::new();
    // Nobody tells when the window ends.
    for wait_s in [3.3, 3.7, 4.1, 3.1, 3.5, 3.9, 4.3, 3.6, 3.8] {
        let run = in_window(room, &fleet, hosts, wait_s);
        silence();
        run.end();
        let point = room.show("last")["points"][0].clone();
        if point["status"] == "ok" && flag_note(&point, "harness_heavy").contains("nothing was heard of agent-1 for") {
            assert_eq!(point["agents"].as_array().unwrap().len(), hosts as usize);
            return;
        }
        tried.push(format!("{} {} {}", point["status"], point["reason"], point["flag_notes"]));
    }
    panic!("{tried:#?}");
}

#[test]
fn what_is_measured_waits_for_a_server_that_stops_at_the_end() {
    let room = Room::new();
    let fleet = LocalFleet::up(&room, 2, "null:");
    waits_for_nats(&room, 2, || {
        kill_process(fleet.server(), Signal::STOP).unwrap();
        std::thread::sleep(Duration::from_secs(3));
        kill_process(fleet.server(), Signal::CONT).unwrap();
    });
}

/// The hosts come back one after the other.
#[test]
fn what_is_measured_waits_for_a_server_that_is_started_again() {
    let room = Room::new();
    let fleet = LocalFleet::up(&room, 4, "null:");
    let mut server: Option<Running> = None;
    waits_for_nats(&room, 4, || {
        match server.take() {
            Some(again) => {
                again.signal(Signal::KILL);
                again.end();
            }
            None => kill_process(fleet.server(), Signal::KILL).unwrap(),
        }
        std::thread::sleep(Duration::from_secs(2));
        let mut command = Command::new("nats-server");
        command.arg("-c").arg(room.path("home/fleet/nats.conf"));
        command.env("PATH", format!("{}:/usr/sbin", std::env::var("PATH").unwrap()));
        server = Some(Running::start(command));
    });
    let server = server.unwrap();
    server.signal(Signal::KILL);
    server.end();
    drop(fleet);
}

/// Nobody waits for a host that stands still, or is gone, at the end of its window: NATS answers, so it is the host.
#[test]
fn a_host_that_is_away_at_the_end_is_lost() {
    let room = Room::new();
    for signal in [Signal::STOP, Signal::KILL] {
        let fleet = LocalFleet::up(&room, 1, "null:");
        let agent = fleet.agent(0);
        let run = in_window(&room, &fleet, 1, 2.6);
        kill_process(agent, signal).unwrap();
        let ended = run.end().expect(3);
        assert!(ended.stderr.contains("agent agent-1 is lost: nothing was heard for 1600 ms"), "{}", ended.stderr);
        assert_eq!(room.show("last")["points"][0]["status"], "failed");
        _ = kill_process(agent, Signal::CONT);
        drop(fleet);
        assert!(!room.path("home/fleet/agent-1").exists(), "nobody waits for its part any more");
    }
}

/// A part could not be kept: that is said before anything is measured.
#[test]
fn a_full_disk_is_noticed_before_the_window() {
    let room = Room::new();
    let fleet = LocalFleet::up(&room, 1, "null:");
    let disk = SmallDisk::new(&room, 4);
    disk.fill_up(512);
    let line = format!("agent --target null: --name full --parts {}", disk.path("parts").display());
    let agent = Running::start(disk.command(&room, DBDYNO, &line));
    agent.until("waits for runs");
    let ended = room.run("run T611 --target null: --jobs 2 --duration 1s --fleet fleet=2 -q").expect(4);
    let point = room.show("last")["points"][0].clone();
    let reason = point["reason"].as_str().unwrap();
    assert!(
        reason.contains("full") && reason.contains("cannot be stored in") && reason.contains("--parts"),
        "{reason}"
    );
    assert!(point["window_s"].is_null() && point["ops_total"].is_null(), "{} {point:#}", ended.stderr);
    agent.signal(Signal::TERM);
    agent.end();
    drop(fleet);
}

/// NATS is silent, so the coordinator cannot tell that the host stands still. The host knows, and its figures, which
/// are too low, are not taken.
#[test]
fn a_host_that_stood_still_while_nats_was_away_has_no_part() {
    let room = Room::new();
    let fleet = LocalFleet::up(&room, 2, "null:");
    for wait_s in [3.2, 3.4, 3.0, 3.5] {
        let run = in_window(&room, &fleet, 2, wait_s);
        kill_process(fleet.agent(0), Signal::STOP).unwrap();
        kill_process(fleet.server(), Signal::STOP).unwrap();
        std::thread::sleep(Duration::from_secs(2));
        kill_process(fleet.agent(0), Signal::CONT).unwrap();
        std::thread::sleep(Duration::from_millis(300));
        kill_process(fleet.server(), Signal::CONT).unwrap();
        let ended = run.end().expect(3);
        assert!(ended.stderr.contains("lost"), "{}", ended.stderr);
        let point = room.show("last")["points"][0].clone();
        assert_eq!(point["status"], "failed", "a part of its window was missing: {point:#}");
    }
}

/// The host dies while NATS is silent: it is waited for, and missed. Where the moment is missed, others are lost, too.
#[test]
fn a_host_that_died_while_nats_was_away_is_missed() {
    let room = Room::new();
    let mut tried = Vec::new();
    for wait_s in [3.7, 3.9, 4.1, 3.5, 3.8, 4.0] {
        let fleet = LocalFleet::up(&room, 2, "null:");
        let run = in_window(&room, &fleet, 2, wait_s);
        kill_process(fleet.agent(0), Signal::KILL).unwrap();
        kill_process(fleet.server(), Signal::STOP).unwrap();
        std::thread::sleep(Duration::from_secs(3));
        kill_process(fleet.server(), Signal::CONT).unwrap();
        let ended = run.end();
        // Its part may have come before.
        let is_failed = room.show("last")["points"][0]["status"] == "failed";
        assert!(is_failed == (ended.code == Some(3)), "{}", ended.stderr);
        if ended.stderr.contains("agent agent-1 is lost: nothing was heard") {
            return;
        }
        tried.push(ended.stderr);
    }
    panic!("{tried:#?}");
}
