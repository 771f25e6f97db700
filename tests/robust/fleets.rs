//! Kills of agents, of their coordinator and of NATS.

use crate::dice::{Dice, complete};
use crate::kills::{KeptPoints, until};
use crate::local_fleet::{LocalFleet, is_shared};
use crate::support::{Ending, Room, Running, points};
use crate::test_target::TestTarget;
use crate::{HANG, KillCounts, Where, seed};
use rustix::process::{Signal, kill_process};
use std::time::{Duration, Instant};

const HOSTS: usize = 3;
/// A run has this many points, and each takes about a second. Windows of the server drive would have to be long: on a
/// busy machine their chunks end late.
const POINTS: usize = 3;
const RUN: &str = "T611 T711 T811 --drive client --jobs 6 --duration 500ms";
const ABOUT: Duration = Duration::from_millis(4_000);
/// The most kills of one run.
const MOST: u64 = 3;
/// A coordinator that was stopped is killed after that: its agents have noticed by then.
const STOPPED: Duration = Duration::from_secs(2);
/// What a run says when its agents are there.
const GATHERED: &str = "fleet fleet: ";

#[derive(Debug, Clone, Copy)]
enum Victim {
    Agent(usize),
    Nats,
    Coordinator,
}

/// Kills this many processes of fleets that measure a target.
pub(crate) fn suffer(name: &'static str, (room, url): (&Room, &str), more_seed: u64, kills: u32) -> KillCounts {
    let (seed, mut counts) = (seed() ^ more_seed, KillCounts::default());
    let mut dice = Dice(seed);
    let mut place = Where { name, seed, moment: "before the first kill".to_owned() };
    let done = |counts: &KillCounts| counts.kills.iter().sum::<u32>();
    let mut fleet = LocalFleet::up(room, HOSTS as u32, url);
    while done(&counts) < kills {
        for name in ["dbdyno.db", "dbdyno.db-wal", "dbdyno.db-shm"] {
            _ = std::fs::remove_file(room.path(name));
        }
        let mut kept = KeptPoints::default();
        for _ in 0..=dice.throw(MOST) {
            if done(&counts) == kills {
                break;
            }
            let line = next(room, url, &mut counts);
            let moment = Duration::from_micros(dice.throw(ABOUT.as_micros() as u64));
            let signal = if dice.throw(3) == 0 { Signal::STOP } else { Signal::KILL };
            let victim = match dice.throw(HOSTS as u64 + 2) as usize {
                n if n < HOSTS => Victim::Agent(n),
                HOSTS => Victim::Nats,
                _ => Victim::Coordinator,
            };
            place.moment = format!(
                "kill {}: {signal:?} of {victim:?} {moment:?} after the agents of `dbdyno {line}` were there",
                done(&counts) + 1
            );
            let mut run = room.start(&line);
            // Before that, whoever is not there is waited for.
            run.until(GATHERED);
            until(&mut run, moment);
            if run.ended() {
                kept.look(room, &run.end().expect(0), may_fail, &mut counts);
                break;
            }
            let told = Instant::now();
            let ending = strike(&fleet, run, victim, signal);
            noticed(&ending, victim, told.elapsed());
            counts.slowest = counts.slowest.max(told.elapsed());
            kept.look(room, &ending, may_fail, &mut counts);
            counts.kills[usize::from(!kept.is_empty())] += 1;
            if !matches!(victim, Victim::Coordinator) {
                drop(fleet);
                fleet = LocalFleet::up(room, HOSTS as u32, url);
            }
        }
        place.moment += "; then the end of that run";
        let begun = Instant::now();
        let line = next(room, url, &mut counts);
        let ending = room.run(&line).expect(0);
        counts.slowest_whole = counts.slowest_whole.max(begun.elapsed());
        kept.look(room, &ending, may_fail, &mut counts);
        complete(room, POINTS);
        points(&room.show("last")).iter().for_each(|point| is_shared(point, HOSTS));
        eprintln!("{name}: {} of {kills}: {counts}", done(&counts));
    }
    counts
}

/// The command that begins or continues a run.
fn next(room: &Room, url: &str, counts: &mut KillCounts) -> String {
    if room.run("show last --json").code == Some(0) {
        counts.resumes += 1;
        return format!("resume last --target {url} --fleet fleet={HOSTS}");
    }
    format!("run {RUN} --target {url} --fleet fleet={HOSTS}")
}

fn strike(fleet: &LocalFleet<'_>, run: Running, victim: Victim, signal: Signal) -> Ending {
    match victim {
        Victim::Agent(n) => kill_process(fleet.agent(n), signal).unwrap(),
        Victim::Nats => kill_process(fleet.server(), signal).unwrap(),
        Victim::Coordinator if signal == Signal::KILL => return run.kill(),
        Victim::Coordinator => {
            run.signal(signal);
            std::thread::sleep(STOPPED);
            return run.kill();
        }
    }
    run.end()
}

/// Asserts that a run noticed a loss in time, and says what to do.
fn noticed(ending: &Ending, victim: Victim, took: Duration) {
    let said = &ending.stderr;
    assert!(!said.contains("panicked"), "{said}");
    assert!(took < HANG, "it took {took:?} to notice: {said}");
    match (victim, ending.code) {
        // It had just ended, or nothing was wanted of the victim any more.
        (_, Some(0)) | (Victim::Coordinator, None) => {}
        (_, Some(2 | 3)) => assert!(said.contains("lost"), "{said}"),
        (_, code) => panic!("{code:?}: {said}"),
    }
}

fn may_fail(reason: &str) -> bool {
    reason == "interrupted" || reason.contains("lost")
}

/// On the null engine: nothing but the fleet can be at fault.
pub(crate) fn on_null(more_seed: u64, kills: u32) {
    let room = Room::new();
    let counts = suffer("fleet on null", (&room, "null:?delay_us=2000"), more_seed, kills);
    println!("robust fleet on null: {counts}");
}

/// On a server, where no session stays.
#[cfg(feature = "postgres")]
pub(crate) fn on_postgres(kills: u32) {
    let target = TestTarget::new(&crate::test_target::POSTGRES);
    target.run("load --size T", 0);
    let counts = suffer("fleet on postgres", (target.room(), target.product.target), 0xf1, kills);
    target.is_clean();
    println!("robust fleet on postgres: {counts}");
}
