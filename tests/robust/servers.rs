//! Kills of the server under dbdyno.

use crate::dice::Dice;
use crate::home::lives;
use crate::kills::{DisturbedRun, Runs, until};
use crate::support::{Ending, text, wait_until};
use crate::test_target::{Product, TestTarget};
use crate::{HANG, KillCounts, Where, seed};
use rustix::process::{Pid, Signal, kill_process};
use std::time::{Duration, Instant};

pub(crate) fn kill(pid: u64) {
    let pid = Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
    // It may have just ended.
    _ = kill_process(pid, Signal::KILL);
}

/// Asserts that a run noticed the loss of its server, and says what to do.
fn told(life: &DisturbedRun<'_>, ending: &Ending) {
    let said = &ending.stderr;
    assert!(!said.contains("panicked"), "{said}");
    let room = life.target.room();
    if said.contains("measuring;") {
        let shown = room.run("show last --json").expect(0).json();
        let id = text(&shown, "/run/id");
        assert_eq!((ending.code, text(&shown, "/run/status")), (Some(3), "lost"), "{said}");
        assert!(said.contains("the target was lost: connection lost: "), "{said}");
        assert!(said.contains(&format!("`dbdyno resume {id}` goes on when it is back")), "{said}");
    } else {
        // Before anything was done, or within a load.
        assert!(matches!(ending.code, Some(2 | 3)), "{ending:?}");
        assert!(said.contains("connection lost: ") || said.contains("dbdyno up "), "{said}");
    }
}

/// Starts the server again, in one of several ways.
fn start_again(target: &TestTarget, dice: &mut Dice) {
    let name = target.product.name;
    match dice.throw(3) {
        // `down` for a server that is dead already.
        0 => _ = target.home.run("down ENGINE --keep").expect(0),
        // A server that is killed again while its start is waited for.
        1 => {
            let up = target.home.start();
            up.until("starting the server (process ");
            let record = target.room().path("home").join(name).join("instance.json");
            let record: serde_json::Value = serde_json::from_slice(&std::fs::read(record).unwrap()).unwrap();
            std::thread::sleep(Duration::from_micros(dice.throw(300_000)));
            kill(record["process"]["pid"].as_u64().unwrap());
            let begun = Instant::now();
            let ending = up.end();
            assert!(begun.elapsed() < HANG, "it hung: {ending:?}");
            // It may have been ready already.
            assert!(matches!(ending.code, Some(0 | 3)), "{ending:?}");
            let said = &ending.stderr;
            assert!(
                ending.code == Some(0) || said.contains("cannot start") || said.contains("ended while it was"),
                "{said}"
            );
        }
        _ => {}
    }
    target.up_again();
}

/// Kills this many servers.
pub(crate) fn suffer(product: &'static Product, kills: u32, runs: &Runs) {
    let (seed, target, mut counts) = (seed(), TestTarget::new(product), KillCounts::default());
    let mut dice = Dice(seed ^ 0x5e7f);
    let mut place = Where { name: product.name, seed, moment: "before the first kill".to_owned() };
    while counts.server_kills < kills {
        let pid = target.pid();
        let mut life = DisturbedRun::begin(&target, runs, product.outlives_a_kill_in_a_load, &mut dice);
        let line = life.next(&mut counts);
        let span = u64::try_from(life.span().as_micros()).unwrap();
        let moment = Duration::from_micros(dice.throw(span));
        place.moment =
            format!("server kill {}: {moment:?} after the start of `dbdyno {line}`", counts.server_kills + 1);
        let mut run = target.start(&line);
        until(&mut run, moment);
        let ended = run.ended();
        kill(pid);
        let begun = Instant::now();
        let ending = run.end();
        let took = begun.elapsed();
        if ended {
            ending.expect(0);
        } else if ending.code != Some(0) {
            assert!(took < HANG, "it took {took:?} to notice: {}", ending.stderr);
            told(&life, &ending);
            life.look(&ending, &mut counts);
            counts.slowest = counts.slowest.max(took);
            counts.server_kills += 1;
        }
        wait_until("the server's end", || !lives(pid));
        start_again(&target, &mut dice);
        place.moment += "; then the end of that run";
        life.end(&mut counts);
        eprintln!("{} of {kills}: {counts}", product.name);
    }
    println!("robust {}: {counts}", product.name);
}
