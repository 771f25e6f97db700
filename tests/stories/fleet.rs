//! Several driver hosts as their users see them: agents, the coordinator, and what happens when one of them is lost.
//! The hosts are processes of this machine.

use crate::local_fleet::{LocalFleet, is_shared};
use crate::support::{Ending, Room, Running};
use rustix::process::{Signal, kill_process};
use serde_json::Value;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::sync::{Arc, Mutex};

/// The points of a run in the server drive. On a busy machine jobs may not do their least chunks in time, which makes a
/// point invalid; then the window must be longer.
#[track_caller]
pub(crate) fn points(room: &Room, line: &str, password: Option<&str>) -> Vec<Value> {
    let mut said = String::new();
    for duration in ["1s", "4s", "15s"] {
        let mut command = room.command(&format!("{line} --duration {duration} -q"));
        command.envs(password.map(|password| ("DBDYNO_PASSWORD", password)));
        let ended = Running::start(command).end();
        if ended.code == Some(0) {
            return room.show("last")["points"].as_array().unwrap().clone();
        }
        said = format!("{}{}", ended.stdout, ended.stderr);
        let all = room.run("show last --json").stdout;
        assert!(all.contains("use a longer --duration"), "{said}\n{all}");
    }
    panic!("{said}")
}

#[test]
fn hosts_measure_as_one() {
    let room = Room::new();
    let _fleet = LocalFleet::up(&room, 3, "null:");
    let served = points(&room, "run T611 T711 --target null: --jobs 7 --fleet fleet=3", None);
    room.run("run T611 --target null: --jobs 7 --duration 4s --drive client --rate 700/s --fleet fleet -q").expect(0);
    let driven = room.show("last");
    let host = driven["database"]["facts"]["fleet host agent-1"].as_str().unwrap();
    assert!(host.contains("GiB") && host.contains("kernel"), "{host}");
    for point in served.iter().chain(driven["points"].as_array().unwrap()) {
        is_shared(point, 3);
    }
    let driven = &driven["points"][0];
    // Each host has its share of one timetable.
    let due = driven["open_loop"]["due"].as_f64().unwrap();
    assert!((due / 2_800.0 - 1.0).abs() < 0.2, "{due} due");
    assert_eq!(driven["series"]["ops_per_s"].as_array().unwrap().len(), 4);
    assert!(driven["response_time_s"]["p99"].is_number());
    // While it was measured, the hosts told what they did. Beside other work their words come late, and a second with
    // the words of some has no sum.
    let seen = room.run("replay last --json").expect(0).stdout;
    let readings: Vec<Value> = seen.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let hosts = || readings.iter().filter_map(|reading| reading.pointer("/load/hosts")?.as_object());
    let told = |host: &str| hosts().filter_map(|of| of.get(host)?["ops_per_s"].as_f64()).any(|rate| rate > 0.0);
    assert!(["agent-1", "agent-2", "agent-3"].into_iter().all(told), "{seen}");
    for reading in readings.iter().filter(|reading| reading.pointer("/load/hosts").is_some()) {
        let sum = reading["load"]["ops_per_s"].as_f64();
        assert!(sum.is_none() || reading["load"]["hosts"].as_object().unwrap().len() == 3, "{reading:#}");
    }
    let shown = room.run("show last --table hosts").expect(0).stdout;
    assert!(shown.contains("agent-1") && shown.contains("agent-3"), "{shown}");
}

#[test]
fn more_hosts_than_jobs_leave_some_out() {
    let room = Room::new();
    let _fleet = LocalFleet::up(&room, 3, "null:");
    is_shared(&points(&room, "run T611 --target null: --jobs 2 --fleet fleet=3", None)[0], 2);
}

/// A run that is at work on its first point.
fn at_work(room: &Room, hosts: usize) -> Running {
    let mut run =
        room.start(&format!("run T611 T711 --target null: --jobs 6 --duration 3s --fleet fleet={hosts} --label long"));
    let begins = || room.run("list runs --json").stdout.contains("\"long\"");
    run.until_so("the run begins", begins);
    run
}

#[track_caller]
fn is_whole(room: &Room, points: usize) {
    let run = room.show("long");
    let all = run["points"].as_array().unwrap();
    assert_eq!(all.len(), points, "{run:#}");
    all.iter().for_each(|point| assert_eq!(point["status"], "ok", "{point:#}"));
    let tests: Vec<&str> = all.iter().map(|point| point["test"].as_str().unwrap()).collect();
    assert_eq!(tests, ["T611", "T711"]);
}

/// Whoever is lost, however: the run ends and says so, and goes on where it was.
#[test]
fn a_run_goes_on_after_a_loss() {
    let room = Room::new();
    let losses: [(&str, Signal); 4] =
        [("agent", Signal::KILL), ("agent", Signal::STOP), ("server", Signal::KILL), ("coordinator", Signal::KILL)];
    for (who, signal) in losses {
        let mut fleet = LocalFleet::up(&room, 3, "null:");
        let run = at_work(&room, 3);
        match who {
            "agent" => kill_process(fleet.agent(1), signal).unwrap(),
            "server" => kill_process(fleet.server(), signal).unwrap(),
            _ => run.signal(signal),
        }
        let ended: Ending = run.end();
        if who != "coordinator" {
            let ended = ended.expect(3);
            let lost = if who == "agent" { "agent agent-2 is" } else { "the connection to NATS is" };
            let said = ended.complaints().join("\n");
            assert!(said.contains(lost) && said.contains("lost"), "{said}");
            assert!(said.contains("dbdyno resume") && said.contains(" --fleet fleet=3"), "{said}");
        }
        let shown = room.run("show long").expect(0).stdout;
        assert!(shown.contains(" --fleet fleet") && shown.contains("measures the rest"), "{shown}");
        drop(fleet);
        fleet = LocalFleet::up(&room, 3, "null:");
        room.run("resume long --fleet fleet=3 -q").expect(0);
        is_whole(&room, 2);
        drop(fleet);
        std::fs::remove_file(room.path("dbdyno.db")).unwrap();
    }
}

#[test]
fn ctrl_c_ends_all_hosts_work() {
    let room = Room::new();
    let fleet = LocalFleet::up(&room, 2, "null:");
    let run = at_work(&room, 2);
    run.signal(Signal::INT);
    run.end().expect(3);
    // They wait for the next run.
    points(&room, "run T611 --target null: --jobs 2 --fleet fleet=2", None);
    drop(fleet);
}

#[test]
fn whoever_lacks_the_key_takes_no_part() {
    let room = Room::new();
    let fleet = LocalFleet::up(&room, 1, "null:");
    let (port, password) = (fleet.record()["port"].clone(), fleet.record()["password"].clone());
    let url = format!("nats://dbdyno:{}@127.0.0.1:{port}", password.as_str().unwrap());
    let mut stranger = room.command("agent --name stranger --target null:");
    stranger.env("DBDYNO_NATS", &url).env("DBDYNO_FLEET_KEY", "x".repeat(40));
    let stranger = Running::start(stranger);
    stranger.until("waits for runs");
    let measured = points(&room, "run T611 --target null: --jobs 2 --fleet fleet", None);
    assert_eq!(measured[0]["agents"].as_array().unwrap().len(), 1);
    // Nor does whoever may not use the server.
    let mut turned_away = room.command("agent --name other --target null:");
    let wrong = format!("nats://dbdyno:wrong@127.0.0.1:{port}");
    turned_away.env("DBDYNO_NATS", wrong).env("DBDYNO_FLEET_KEY", "x".repeat(40));
    let ended = Running::start(turned_away).end().expect(2);
    assert!(ended.stderr.contains("authorization violation") && !ended.stderr.contains("wrong"), "{}", ended.stderr);
    stranger.signal(Signal::TERM);
    stranger.end();
}

/// A client that hears everything, and says what it likes.
pub(crate) struct Eavesdropper {
    stream: TcpStream,
    heard: Arc<Mutex<Vec<u8>>>,
}

impl Eavesdropper {
    pub(crate) fn at(fleet: &LocalFleet<'_>) -> Self {
        let record = fleet.record();
        let mut stream =
            TcpStream::connect(("127.0.0.1", u16::try_from(record["port"].as_u64().unwrap()).unwrap())).unwrap();
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        let mut info = String::new();
        reader.read_line(&mut info).unwrap();
        assert!(info.starts_with("INFO "), "{info}");
        let login = serde_json::json!({"verbose": false, "user": "dbdyno", "pass": record["password"]});
        stream.write_all(format!("CONNECT {login}\r\nSUB > 1\r\nPING\r\n").as_bytes()).unwrap();
        let heard = Arc::new(Mutex::new(Vec::new()));
        let ours = Arc::clone(&heard);
        let mut pong = stream.try_clone().unwrap();
        std::thread::spawn(move || {
            let mut buffer = vec![0; 1 << 16];
            while let Ok(n @ 1..) = reader.read(&mut buffer) {
                ours.lock().unwrap().extend_from_slice(&buffer[..n]);
                if buffer[..n].ends_with(b"PING\r\n") {
                    let _ = pong.write_all(b"PONG\r\n");
                }
            }
        });
        Self { stream, heard }
    }

    pub(crate) fn heard(&self) -> Vec<u8> {
        self.heard.lock().unwrap().clone()
    }

    /// The messages so far: subject and payload.
    fn messages(&self) -> Vec<(String, Vec<u8>)> {
        let heard = self.heard();
        let mut rest = &heard[..];
        let mut messages = Vec::new();
        while let Some(end) = rest.windows(2).position(|pair| pair == b"\r\n") {
            let line = String::from_utf8_lossy(&rest[..end]).into_owned();
            rest = &rest[end + 2..];
            let words: Vec<&str> = line.split(' ').collect();
            if words[0] == "MSG" {
                let bytes: usize = words.last().unwrap().parse().unwrap();
                let Some(payload) = rest.get(..bytes) else { break };
                messages.push((words[1].to_owned(), payload.to_vec()));
                rest = rest.get(bytes + 2..).unwrap_or_default();
            }
        }
        messages
    }

    fn say(&mut self, subject: &str, payload: &[u8]) {
        self.stream.write_all(format!("PUB {subject} {}\r\n", payload.len()).as_bytes()).unwrap();
        self.stream.write_all(payload).unwrap();
        self.stream.write_all(b"\r\n").unwrap();
    }
}

/// Somebody who may use the server, and has not the key: what he makes up, alters or sends again changes nothing.
#[test]
fn forged_and_replayed_messages_change_nothing() {
    let room = Room::new();
    let fleet = LocalFleet::up(&room, 2, "null:");
    let mut ear = Eavesdropper::at(&fleet);
    points(&room, "run T611 --target null: --jobs 4 --fleet fleet=2", None);
    let before = ear.messages();
    assert!(before.len() > 20, "{} messages", before.len());
    let mut run = at_work(&room, 2);
    let mut said = 0;
    run.until_so("everything is said again", || {
        let (subject, payload) = &before[said % before.len()];
        ear.say(subject, payload);
        let mut altered = payload.clone();
        let place = said * 31 % altered.len();
        altered[place] ^= 1;
        ear.say(subject, &altered);
        ear.say(subject, &[0; 40]);
        // Messages of this run to other subjects, and again to their own.
        for (subject, payload) in ear.messages().iter().rev().take(5) {
            let other = if subject.contains(".to.") { subject.replace("agent-1", "agent-2") } else { subject.clone() };
            ear.say(&other, payload);
            ear.say(subject, payload);
        }
        said += 1;
        said > 300
    });
    run.end().expect(0);
    is_whole(&room, 2);
    room.show("long")["points"].as_array().unwrap().iter().for_each(|point| is_shared(point, 2));
}

#[test]
fn what_is_wrong_is_said_before_anything_is_done() {
    let room = Room::new();
    for (line, says) in [
        ("run T611 --target null: --fleet a=0", "'0' is no number of agents"),
        ("run T611 --target null: --fleet a.b", "letters, digits"),
        ("agent --target null: --name a.b", "letters, digits"),
        ("agent --target null: --weight 0", "a number from 0.001 to 1000"),
        (
            "run T611 --target null: --fleet a",
            "a fleet needs a key that all its hosts share: make one with `dbdyno fleet key`",
        ),
        ("fleet down", "no fleet was started here"),
        ("fleet up 1 --target null: --destroy-data x", "--file <PATH>"),
        ("agent --target null: --really", "--file <PATH>"),
    ] {
        let ended = room.run(line).expect(2);
        assert!(ended.stderr.contains(says), "{line}: {}", ended.stderr);
    }
    let mut alone = room.command("run T611 --target null: --fleet a --nats nats://127.0.0.1:1");
    alone.env("DBDYNO_FLEET_KEY", "k".repeat(40));
    let ended = Running::start(alone).end().expect(2);
    assert!(ended.stderr.contains("NATS at nats://127.0.0.1:1"), "{}", ended.stderr);
    let mut short = room.command("run T611 --target null: --fleet a");
    short.env("DBDYNO_FLEET_KEY", "guess");
    assert!(Running::start(short).end().expect(2).stderr.contains("at least 32 are needed"));

    let fleet = LocalFleet::up(&room, 1, "null:");
    let few = room.run("run T611 --target null: --fleet fleet=2 -q").expect(2);
    assert!(
        few.stderr.contains("2 agents of the fleet fleet were asked for, and 1 answered: agent-1"),
        "{}",
        few.stderr
    );
    let nobody = room.run("run T611 --target null: --fleet other -q").expect(2);
    assert!(nobody.stderr.contains("no agent of the fleet other answers"), "{}", nobody.stderr);
    let embedded = room.run("run T611 --target sqlite:x.sqlite --size T --fleet fleet -q").expect(2);
    assert!(embedded.stderr.contains("works inside one process"), "{}", embedded.stderr);
    let cores = room.run("run slob --target private:postgres --cores 1 --fleet fleet -q").expect(2);
    assert!(cores.stderr.contains("say one of them"), "{}", cores.stderr);
    assert!(!room.path("x.sqlite").exists() && !room.path("dbdyno.db").exists(), "nothing was loaded or made");
    assert!(room.run("fleet").expect(0).stdout.contains("Usage: dbdyno fleet"));
    drop(fleet);
}
