//! Hosts that share devices and files: `orion --fleet`, with agents on this machine.

use crate::local_fleet::{LocalFleet, is_shared};
use crate::support::{Room, Running, flag_note, number, wait_until};
use rustix::process::{Signal, kill_process, test_kill_process};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const READS: &str = "orion -run advanced -matrix point -num_small 6 -num_large 0";

/// A room with a test file and agents that share it.
fn shared(agents: u32) -> Option<(Room, String)> {
    let room = Room::on_disk();
    let file = room.path("t.orion").display().to_string();
    let made = room.run(&format!("{READS} -duration 1 --file {file} --file-size 64M --label made -q"));
    // Without direct I/O there is nothing to share.
    if made.stderr.contains("O_DIRECT") {
        return None;
    }
    made.expect(0);
    room.run(&format!("fleet up {agents} --file {file} -q")).expect(0);
    Some((room, file))
}

/// A run of so many seconds that is within its first window.
fn at_work(room: &Room, line: &str) -> Running {
    let run = room.start(&format!("{READS} {line}"));
    run.until("time left");
    // Threads are ready, clocks compared, and the warm-up of a second over.
    std::thread::sleep(Duration::from_secs(3));
    run
}

/// The only point of a run.
#[track_caller]
fn point(room: &Room, line: &str) -> Value {
    let run = room.run(&format!("{line} --json -q")).expect(0).json();
    let points = run["points"].as_array().unwrap();
    assert_eq!(points.len(), 1);
    points[0].clone()
}

#[test]
fn hosts_measure_the_same_files_as_one() {
    let Some((room, file)) = shared(2) else { return };
    let fleet = LocalFleet::found(&room);
    let at = |more: &str| point(&room, &format!("{READS} -duration 2 --file {file} --fleet fleet=2{more}"));
    let reads = at(" -verify");
    is_shared(&reads, 2);
    let small = |of: &Value, what: &str| number(of, &format!("/storage/small/read/{what}"));
    assert!((small(&reads, "iops") * 2.0 - small(&reads, "ios")).abs() < 1.0, "one window: {reads:#}");
    assert_eq!(number(&reads, "/storage/proof/wrong"), 0.0);
    assert!(number(&reads, "/storage/proof/stamped") > 0.0, "each host proves what it reads: {reads:#}");
    let seconds = reads["storage"]["series"]["ios_per_s"].as_array().unwrap();
    assert!(seconds.len() == 2 && seconds.iter().all(|of| of.as_f64().unwrap() > 0.0));
    let notes = reads["storage"]["notes"].to_string();
    assert!(notes.contains("by 2 hosts: agent-1 (3 outstanding), agent-2 (3)"), "{notes}");
    // The device has done what all hosts together say.
    if let Some(seen) = reads.pointer("/io/read_iops").and_then(Value::as_f64).filter(|seen| *seen > 0.0) {
        assert!(seen > 0.8 * small(&reads, "iops"), "{reads:#}");
    }
    // A rate is one timetable: hosts take turns, and none of them is left out.
    let rated = at(" -rate 600 -arrivals constant");
    is_shared(&rated, 2);
    assert!((number(&rated, "/ops_per_s") - 600.0).abs() < 30.0, "{rated:#}");
    // Streams are dealt out whole: of three, one host has two.
    let streams = "orion -run advanced -matrix point -num_small 0 -num_large 3 -type seq -cache_size 0 -duration 1";
    let streams = point(&room, &format!("{streams} --file {file} --fleet fleet=2"));
    is_shared(&streams, 2);
    let jobs: Vec<u64> = streams["agents"].as_array().unwrap().iter().map(|a| a["jobs"].as_u64().unwrap()).collect();
    assert!(jobs == [8, 4] || jobs == [4, 8], "four a stream: {jobs:?}");
    let table = room.run("show last --table hosts").expect(0).stdout;
    assert!(table.contains("agent-1") && table.contains("agent-2"), "{table}");
    drop(fleet);
}

/// Who has other files, or may not write, takes no part; and nothing is measured without them.
#[test]
fn hosts_without_the_same_files_or_consent_take_no_part() {
    let Some((room, file)) = shared(2) else { return };
    let fleet = LocalFleet::found(&room);
    let copy = room.path("copy.orion").display().to_string();
    std::fs::copy(&file, &copy).unwrap();
    let refused = |more: &str| {
        let refused = room.run(&format!("{READS} -duration 1 {more}")).expect(2).stderr;
        assert_eq!(room.run("list runs --json").expect(0).json().as_array().unwrap().len(), 1, "{refused}");
        refused
    };
    let other = refused(&format!("--fleet fleet=2 --file {copy}"));
    assert!(other.contains("cannot take part: its ") && other.contains("another one on this machine"), "{other}");
    let more = refused(&format!("--fleet fleet=2 --file {file} --file {copy}"));
    assert!(more.contains("names 1 devices and files, and the run is on 2"), "{more}");
    let proving = refused(&format!("--fleet fleet=2 --file {file} -write 50 -verify"));
    assert!(proving.contains("a run without --fleet"), "{proving}");
    let reference = room.run(&format!("orion --reference --file {file} --fleet fleet=2")).expect(2).stderr;
    assert!(reference.contains("what one host gets"), "{reference}");
    let of_data = room.run("run T611 --target null: --jobs 2 --duration 1s --fleet fleet").expect(2).stderr;
    assert!(of_data.contains("it has no target"), "{of_data}");
    drop(fleet);
}

/// Consent is each agent's own: that of the coordinator is none to what has another name elsewhere.
#[test]
fn each_host_consents_for_itself() {
    let Some((room, file)) = shared(2) else { return };
    let fleet = LocalFleet::found(&room);
    // A file of dbdyno's own takes none.
    let written = point(&room, &format!("{READS} -duration 2 --file {file} -write 50 --fleet fleet=2"));
    is_shared(&written, 2);
    let of = |what: &str| number(&written, &format!("/storage/small/{what}/ios"));
    assert!((of("write") / of("read") - 1.0).abs() < 0.1, "{written:#}");
    drop(fleet);
    let foreign = room.path("foreign").display().to_string();
    let content: Vec<u8> = (0..1u32 << 20).flat_map(|n| n.to_le_bytes()).collect();
    std::fs::write(&foreign, &content).unwrap();
    room.run(&format!("fleet up 1 --file {foreign} -q")).expect(0);
    let fleet = LocalFleet::found(&room);
    let line = format!("{READS} -duration 1 --file {foreign} -write 50 --destroy-data {foreign} --fleet fleet=1");
    let refused = room.run(&line).expect(2).stderr;
    assert!(refused.contains("agent-1 cannot take part") && refused.contains("dbdyno did not create"), "{refused}");
    assert!(refused.contains("give that to `dbdyno agent` there"), "{refused}");
    assert!(std::fs::read(&foreign).unwrap() == content, "nothing was written");
    drop(fleet);
    room.run(&format!("fleet up 1 --file {foreign} --destroy-data {foreign} -q")).expect(0);
    let fleet = LocalFleet::found(&room);
    is_shared(&point(&room, &line), 1);
    assert!(std::fs::read(&foreign).unwrap() != content);
    drop(fleet);
}

/// Whoever ends an agent ends its I/O, and does not wait for the window's end.
#[test]
fn an_agent_that_is_ended_stops_writing() {
    let Some((room, file)) = shared(2) else { return };
    let fleet = LocalFleet::found(&room);
    let run = at_work(&room, &format!("-duration 30 --file {file} -write 100 --fleet fleet=2 --label ended"));
    let from = Instant::now();
    let agent = fleet.agent(0);
    kill_process(agent, Signal::TERM).unwrap();
    wait_until("the agent is gone", || test_kill_process(agent).is_err());
    assert!(from.elapsed().as_secs() < 10, "its I/O went on");
    let ended = run.end().expect(3);
    assert!(ended.stderr.contains("agent agent-1 is lost: it was ended"), "{}", ended.stderr);
    drop(fleet);
}

/// A host that stood still for a while did not do what it says: the point is no plain figure.
#[test]
fn a_host_that_stood_still_is_told() {
    let Some((room, file)) = shared(2) else { return };
    let fleet = LocalFleet::found(&room);
    let run = at_work(&room, &format!("-duration 6 --file {file} --fleet fleet=2 --label still"));
    // Each pause is too short to be a loss.
    for _ in 0..3 {
        kill_process(fleet.agent(0), Signal::STOP).unwrap();
        std::thread::sleep(Duration::from_millis(600));
        kill_process(fleet.agent(0), Signal::CONT).unwrap();
        std::thread::sleep(Duration::from_millis(150));
    }
    run.end();
    let points = room.show("still")["points"].clone();
    let flags = points[0]["flags"].to_string();
    assert!(points[0]["status"] != "ok" || flags.contains("harness_heavy"), "{points:#}");
    let still_s = points[0]["agents"][0]["host"]["stood_still_s"].as_f64();
    assert!(still_s.is_none_or(|still_s| still_s > 0.5), "{points:#}");
    drop(fleet);
}

/// A host that is lost ends the run within seconds, and the point says who it was.
#[test]
fn a_lost_host_ends_a_storage_run() {
    let Some((room, file)) = shared(2) else { return };
    let fleet = LocalFleet::found(&room);
    let run = at_work(&room, &format!("-duration 20 --file {file} --fleet fleet=2 --label lost"));
    let from = Instant::now();
    kill_process(fleet.agent(1), Signal::KILL).unwrap();
    let ended = run.end().expect(3);
    assert!(from.elapsed().as_secs() < 10, "{ended:?}");
    assert!(ended.stderr.contains("agent agent-2 is lost") && ended.stderr.contains("dbdyno show"), "{}", ended.stderr);
    let points = room.show("lost")["points"].clone();
    assert!(points[0]["status"] == "failed" && points[0]["reason"].to_string().contains("agent-2"), "{points:#}");
    assert!(Path::new(&file).exists());
    drop(fleet);
}

/// A control group, of either version, with a twentieth of a processor; none where they may not be made.
struct Quota(PathBuf);

impl Quota {
    fn make() -> Option<Self> {
        let v1 = Path::new("/sys/fs/cgroup/cpu");
        let (parent, file, quota) = match v1.is_dir() {
            true => (v1, "cpu.cfs_quota_us", "5000"),
            false => (Path::new("/sys/fs/cgroup"), "cpu.max", "5000 100000"),
        };
        let group = Self(parent.join(format!("dbdyno-fleet-{}", std::process::id())));
        std::fs::create_dir(&group.0).ok()?;
        std::fs::write(group.0.join(file), quota).ok().map(|()| group)
    }
}

impl Drop for Quota {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir(&self.0);
    }
}

/// What a quota takes from one host is not what the storage lacks. As root, where control groups can be made.
#[test]
fn a_host_that_a_quota_holds_back_is_told() {
    let Some((room, file)) = shared(2) else { return };
    let Some(quota) = Quota::make() else { return };
    let fleet = LocalFleet::found(&room);
    let held = fleet.agent(1).as_raw_nonzero().to_string();
    std::fs::write(quota.0.join("cgroup.procs"), held).unwrap();
    let ended = room.run(&format!("{READS} -duration 3 --file {file} --fleet fleet=2 --label held -q"));
    drop(fleet);
    // So little of a processor may be too little to be heard of in time.
    if ended.code != Some(0) {
        assert!(ended.stderr.contains("agent-2"), "{}", ended.stderr);
        return;
    }
    let point = &room.show("held")["points"][0];
    assert!(flag_note(point, "throttled").contains("kept the processors of agent-2 waiting"), "{point:#}");
    assert!(number(point, "/agents/1/host/throttled_s") > 0.0, "{point:#}");
}
