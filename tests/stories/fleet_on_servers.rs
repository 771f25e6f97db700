//! A fleet on real servers: what hosts share, what they may not, and what ends or halts one of them.

use crate::fleet::{Eavesdropper, points};
use crate::local_fleet::{LocalFleet, is_shared};
use crate::on_servers::{PASSWORD, Product, SCOTT, stories, until_called};
use crate::support::{Room, Running, flag_note};
use rustix::process::{Signal, kill_process};
use std::time::Duration;

stories! {
    hosts_share_the_points_of_a_server, a_host_on_another_database_takes_no_part, what_ended_a_hosts_sessions_is_said;
    of_one_product:
    a_host_that_stood_still_is_told,
    a_host_that_stands_still_in_short_pauses_is_told,
}

/// Both hold the same data, and a server may count for all its databases together.
fn a_host_on_another_database_takes_no_part<P: Product>() {
    let [here, elsewhere] = [P::fixtures().loaded(), P::fixtures().loaded()];
    let [target, other] = [&here, &elsewhere].map(|of| of.server.socket(P::SUPERUSER, &of.name));
    let room = Room::new();
    let fleet = LocalFleet::up(&room, 1, &target);
    let mut agent = room.command(&format!("agent --name other --target {other}"));
    let record = fleet.record();
    let url = format!("nats://dbdyno:{}@127.0.0.1:{}", record["password"].as_str().unwrap(), record["port"]);
    agent.env("DBDYNO_NATS", url).env("DBDYNO_FLEET_KEY", record["key"].as_str().unwrap());
    let agent = Running::start(agent);
    agent.until("waits for runs");
    let refused = room.run(&format!("run T611 --target {target} --jobs 2 --fleet fleet=2 -q")).expect(2);
    assert!(refused.stderr.contains("other cannot take part: its target is another database"), "{}", refused.stderr);
    agent.signal(Signal::TERM);
    agent.end();
    // Nor does a run that a fleet began go on without it.
    points(&room, &format!("run T611 --target {target} --jobs 2 --fleet fleet=1"), None);
    let alone = room.run(&format!("resume last --target {target}")).expect(2);
    assert!(alone.stderr.contains("was measured by a fleet (fleet: agent-1)"), "{}", alone.stderr);
}

/// A host that is frozen for less than makes it lost takes its own pause for a time of the database.
fn a_host_that_stood_still_is_told<P: Product>() {
    let database = P::fixtures().loaded();
    let target = database.server.socket(P::SUPERUSER, &database.name);
    let room = Room::new();
    let fleet = LocalFleet::up(&room, 2, &target);
    let run = room.start(&format!("run T611 --target {target} --jobs 2 --duration 8s --fleet fleet=2 -q"));
    until_called(database.server, &database.name);
    kill_process(fleet.agent(0), Signal::STOP).unwrap();
    std::thread::sleep(Duration::from_millis(1_250));
    kill_process(fleet.agent(0), Signal::CONT).unwrap();
    run.end();
    let run = room.show("last");
    let point = &run["points"][0];
    // On a busy machine it may be lost, or late.
    let note = flag_note(point, "harness_heavy");
    assert!(point["status"] != "ok" || note.contains("nothing was heard of agent-1 for 1."), "{point:#}");
}

/// No pause is long enough to be missed, and together they are half of the window.
fn a_host_that_stands_still_in_short_pauses_is_told<P: Product>() {
    let database = P::fixtures().loaded();
    let target = database.server.socket(P::SUPERUSER, &database.name);
    let room = Room::new();
    let fleet = LocalFleet::up(&room, 2, &target);
    let run = room.start(&format!("run T611 --target {target} --jobs 2 --duration 5s --fleet fleet=2 -q"));
    until_called(database.server, &database.name);
    for _ in 0..4 {
        kill_process(fleet.agent(0), Signal::STOP).unwrap();
        std::thread::sleep(Duration::from_millis(600));
        kill_process(fleet.agent(0), Signal::CONT).unwrap();
        std::thread::sleep(Duration::from_millis(200));
    }
    run.end();
    let run = room.show("last");
    let point = &run["points"][0];
    let note = flag_note(point, "harness_heavy");
    assert!(point["status"] != "ok" || note.contains("agent-1 stood still for"), "{point:#}");
}

/// As on one host: the run ends, and says what the server said.
fn what_ended_a_hosts_sessions_is_said<P: Product>() {
    let database = P::fixtures().loaded();
    let target = database.server.socket(P::SUPERUSER, &database.name);
    let room = Room::new();
    let _fleet = LocalFleet::up(&room, 2, &target);
    let run = room.start(&format!("run T611 T711 --target {target} --jobs 2 --duration 60s --fleet fleet=2 -q"));
    let session = until_called(database.server, &database.name);
    database.server.end_session(session);
    let ended = run.end().expect(3);
    assert!(ended.stderr.contains("the target was lost") && ended.stderr.contains("--fleet"), "{}", ended.stderr);
    let run = room.show("last");
    let points = run["points"].as_array().unwrap();
    assert_eq!((points.len(), &points[0]["status"]), (1, &"failed".into()), "{run:#}");
    let reason = points[0]["reason"].as_str().unwrap();
    assert!(reason.contains("agent-") && !reason.contains("started again"), "{reason}");
    assert_eq!(points[0]["outcomes"]["errors"]["connection_lost"], 1, "{}", points[0]);
}

/// The server's own counts are those of all hosts together, and what lets hosts in crosses no network but theirs.
fn hosts_share_the_points_of_a_server<P: Product>() {
    let database = P::fixtures().loaded();
    database.server.hand_over(&database.name, SCOTT);
    let target = database.server.tcp(SCOTT, &database.name);
    let room = Room::new();
    let up = || {
        let mut command = room.command(&format!("fleet up 2 --target {target} -q"));
        command.env("DBDYNO_PASSWORD", PASSWORD);
        Running::start(command).end().expect(0)
    };
    up();
    let fleet = LocalFleet::found(&room);
    let ear = Eavesdropper::at(&fleet);
    for (what, jobs) in [("T611 T711", 4), ("T611 T711 --drive client", 5)] {
        let line = format!("run {what} --target {target} --jobs {jobs} --fleet fleet=2");
        points(&room, &line, Some(PASSWORD)).iter().for_each(|point| is_shared(point, 2));
    }
    let heard = ear.heard();
    assert!(heard.len() > 1_000);
    let password = PASSWORD.as_bytes();
    assert!(!heard.windows(password.len()).any(|window| window == password), "a password crossed NATS");
}
