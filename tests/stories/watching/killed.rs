//! The server dies while it is watched, and comes back: each view says so, and goes on by itself.

use super::servers::Watched;
use super::terminal::Terminal;
use super::{Place, address, documents, until};
use crate::browser::Browser;
use crate::on_servers::{OWN, Session, stories};
use crate::support::number;
use rustix::process::{Pid, Signal, kill_process};
use std::time::Duration;

stories!(a_server_that_goes_and_comes_back_is_seen_by_all_views, a_server_that_stands_still_has_no_work_made_up);

fn a_server_that_goes_and_comes_back_is_seen_by_all_views<S: Watched>() {
    let mut place = Place::<S>::empty();
    let watching = place.room.start(&place.at("monitor --json"));
    let serving = place.room.start(&place.at("monitor --lines --serve"));
    let page = address(&serving);
    let terminal = Terminal::open(&place.room, (80, 24), &[]);
    terminal.runs(&place.at("monitor"));
    let mut browser = Browser::start();
    browser.open_url(&page, 1_280);
    let is_lost = "!document.getElementById('lost').hidden";
    let has_commits = "view.readings.length > 1 && view.readings.at(-1).database?.commits_per_s !== undefined";
    let good = |screen: &str| screen.contains("sessions ") && screen.contains(" idle") && !screen.contains("no answer");
    terminal.until("figures", good);
    until(&mut browser, has_commits);
    assert_eq!(browser.value(is_lost), false);
    watching.until_out("a reading", |text| documents_with(text, "database") > 0);

    place.server.kill();
    terminal.until("the loss", |screen| screen.contains("no answer since "));
    until(&mut browser, is_lost);
    let said = browser.value("document.getElementById('lost').textContent");
    assert!(said.as_str().unwrap().contains("has not answered since"), "{said}");
    watching.until_out("a loss", |text| documents_with(text, "lost") > 1);
    serving.until(" UTC, no answer since ");

    place.server.restart();
    terminal.until("figures again", good);
    until(&mut browser, &format!("document.getElementById('lost').hidden && {has_commits}"));
    let lost = documents_with(&watching.out(), "lost");
    watching
        .until_out("figures again", |text| documents(whole(text)).last().is_some_and(|r| r["database"].is_object()));
    watching.signal(Signal::INT);
    let readings = documents(&watching.end().expect(0).stdout);
    // While it was gone, there is a reason and no figure.
    for reading in readings.iter().filter(|reading| reading["lost"].is_string()) {
        assert!(reading["database"].is_null() && reading["missing"]["database"].is_string(), "{reading:#}");
        assert!(reading["cpu"]["busy_pct"].is_number(), "the machine is still seen: {reading:#}");
    }
    assert!(lost >= 2);
    terminal.key("q");
    assert_eq!(terminal.until_left(), 0);
    serving.signal(Signal::INT);
    serving.end().expect(0);
}

/// Looks that wait, or get no answer, stand for no more work than there is: one session, which is at work all the time.
fn a_server_that_stands_still_has_no_work_made_up<S: Watched>() {
    let place = Place::<S>::empty();
    let mut at_work = Session::open(&place.server, OWN);
    at_work.begin(&format!("{};", S::KNOWN.sleep.0.replace("SECONDS", "600")));
    let watching = place.room.start(&place.at("monitor --json --record still"));
    watching.until_out("readings", |text| documents_with(text, "database") >= 2);
    let processes = processes_of(place.server.pid());
    processes.iter().for_each(|pid| kill_process(*pid, Signal::STOP).unwrap());
    // Longer than a look may take.
    std::thread::sleep(Duration::from_secs(4));
    processes.iter().for_each(|pid| kill_process(*pid, Signal::CONT).unwrap());
    let before = documents_with(&watching.out(), "database");
    watching.until_out("figures again", |text| documents_with(text, "database") >= before + 4);
    watching.signal(Signal::INT);
    let readings = documents(&watching.end().expect(0).stdout);
    assert!(readings.iter().any(|reading| reading["lost"].is_string()), "it was noticed: {readings:#?}");
    for reading in readings.iter().filter(|reading| reading["database"].is_object()) {
        let waits = reading["database"]["waits"].as_array().cloned().unwrap_or_default();
        let of_sessions = waits.iter().filter(|wait| wait["background"] != true);
        let at_work: f64 = of_sessions.map(|wait| number(wait, "/sessions")).sum();
        assert!(at_work < 1.3, "one session is at work: {reading:#}");
        for rate in ["commits_per_s", "rows_changed_per_s", "logical_reads_per_s"] {
            let rate = reading["database"][rate].as_f64().unwrap_or(0.0);
            assert!((0.0..20_000.0).contains(&rate), "nobody has worked: {reading:#}");
        }
    }
    // The time in which it was not seen is said, from the look that waited on.
    let shown = place.room.run("show still --json").expect(0).json();
    let (lost, covered) = (number(&shown, "/lost_s"), number(&shown, "/covered_s"));
    assert!((2.0..covered).contains(&lost), "{shown:#}");
}

/// A server's main process and its children.
fn processes_of(main: u32) -> Vec<Pid> {
    let children = std::fs::read_to_string(format!("/proc/{main}/task/{main}/children")).unwrap();
    let all = children.split_ascii_whitespace().map(|pid| pid.parse().unwrap()).chain([main.cast_signed()]);
    all.map(|pid| Pid::from_raw(pid).unwrap()).collect()
}

/// What ends with a line's end.
fn whole(text: &str) -> &str {
    &text[..text.rfind('\n').map_or(0, |at| at + 1)]
}

/// How many readings have this part.
fn documents_with(text: &str, part: &str) -> usize {
    documents(whole(text)).iter().filter(|reading| !reading[part].is_null()).count()
}
