//! Kills of the server under Order Entry: what it had acknowledged is there when it is back.

use crate::dice::Dice;
use crate::home::lives;
use crate::servers::kill;
use crate::support::{number, points, text, wait_until};
use crate::test_target::{Product, TestTarget};
use crate::{Where, seed};
use std::time::Duration;

const USERS: u32 = 5;
/// The window of a run.
const WINDOW_S: u64 = 4;

/// Kills the server this many times at a random moment of a run, each time after it has acknowledged something, and
/// starts it again while dbdyno waits for it.
pub(crate) fn suffer(product: &'static Product, kills: u32) {
    let (seed, target) = (seed(), TestTarget::new(product));
    let mut dice = Dice(seed ^ 0x0e0e);
    let mut place = Where { name: product.name, seed, moment: "before the first kill".to_owned() };
    target.run("load order-entry --scale 0.01", 0);
    let (mut killed, mut acknowledged, mut unknown) = (0, 0.0, 0.0);
    while killed < kills {
        let moment = Duration::from_micros(dice.throw(WINDOW_S * 1_000_000));
        place.moment = format!("kill {}: {moment:?} after the users came", killed + 1);
        let line = format!("run order-entry --users {USERS} --duration {WINDOW_S}s --target {}", product.target);
        let (pid, run) = (target.pid(), target.start(&line));
        // Users are there besides dbdyno's own sessions.
        wait_until("the users", || target.sessions() >= USERS);
        std::thread::sleep(moment);
        kill(pid);
        wait_until("the server's end", || !lives(pid));
        target.up_again();
        let ending = run.end();
        let document = target.room().run("show last --json").expect(0).json();
        let point = &points(&document)[0];
        let ok = number(point, "/outcomes/ok");
        // A kill before the run had a document leaves the run before it, which had one user, as the last.
        let own = number(point, "/jobs") == f64::from(USERS);
        if ending.code == Some(3) && own && ok > 0.0 {
            assert_eq!(text(point, "/status"), "failed", "{:#}", point["reason"]);
            assert!(point["missing"]["proof.workload"].is_null(), "it was not proved: {:#}", point["missing"]);
            (killed, acknowledged) = (killed + 1, acknowledged + ok);
            unknown += number(point, "/outcomes/errors/connection_lost");
        }
        // The invariants hold, and the next point is proved like any other.
        target.run("run order-entry --users 1 --duration 2s", 0);
        eprintln!("{}: {killed} of {kills} kills", product.name);
    }
    println!(
        "robust {}: {killed} kills under order-entry, {acknowledged} transactions acknowledged, 0 lost; {unknown} were \
         under way",
        product.name
    );
}
