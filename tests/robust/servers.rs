//! Kills of the server under dbdyno.

use crate::ground::{Ground, Product};
use crate::home::lives;
use crate::kills::{Life, Runs, until};
use crate::ordeal::Dice;
use crate::support::{Ending, text, wait_until};
use crate::{HANG, Tally, Where, seed};
use rustix::process::{Pid, Signal, kill_process};
use std::time::{Duration, Instant};

fn kill(pid: u64) {
    let pid = Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
    // It may have ended just now.
    _ = kill_process(pid, Signal::KILL);
}

/// Insists that a run has noticed that its server is gone, and says what to do.
fn told(life: &Life<'_>, ending: &Ending) {
    let said = &ending.stderr;
    assert!(!said.contains("panicked"), "{said}");
    let room = life.ground.room();
    if said.contains("measuring;") {
        let shown = room.run("show last --json").expect(0).json();
        let id = text(&shown, "/run/id");
        assert_eq!((ending.code, text(&shown, "/run/status")), (Some(3), "lost"), "{said}");
        assert!(said.contains("the target was lost: connection lost: "), "{said}");
        assert!(said.contains(&format!("`dbdyno resume {id}` goes on when it is back")), "{said}");
    } else {
        // Before anything was done, or in the middle of a load.
        assert!(matches!(ending.code, Some(2 | 3)), "{ending:?}");
        assert!(said.contains("connection lost: ") || said.contains("dbdyno up "), "{said}");
    }
}

/// Starts the server again, by one of several ways.
fn start_again(ground: &Ground, dice: &mut Dice) {
    let name = ground.product.name;
    match dice.throw(3) {
        // Whoever stops what is dead already.
        0 => _ = ground.home.run("down ENGINE --keep").expect(0),
        // A server that is killed again while it is waited for.
        1 => {
            let up = ground.home.start();
            up.until("starting the server (process ");
            let record = ground.room().path("home").join(name).join("instance.json");
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
    ground.up_again();
}

/// Kills as many servers.
pub(crate) fn suffer(product: &'static Product, kills: u32, runs: &Runs) {
    let (seed, ground, mut tally) = (seed(), Ground::new(product), Tally::default());
    let mut dice = Dice(seed ^ 0x5e7f);
    let mut place = Where { product, seed, moment: "before the first kill".to_owned() };
    while tally.server_kills < kills {
        let pid = ground.pid();
        let mut life = Life::begin(&ground, runs, product.outlives_a_kill_in_a_load, &mut dice);
        let line = life.next(&mut tally);
        let span = u64::try_from(life.span().as_micros()).unwrap();
        let moment = Duration::from_micros(dice.throw(span));
        place.moment = format!("server kill {}: {moment:?} after the start of `dbdyno {line}`", tally.server_kills + 1);
        let mut run = ground.start(&line);
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
            life.look(&ending, &mut tally);
            tally.slowest = tally.slowest.max(took);
            tally.server_kills += 1;
        }
        wait_until("the server's end", || !lives(pid));
        start_again(&ground, &mut dice);
        place.moment += "; then the end of that run";
        life.end(&mut tally);
        eprintln!("{} of {kills}: {tally}", product.name);
    }
    println!("robust {}: {tally}", product.name);
}
