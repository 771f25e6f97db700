//! The server dies while it is watched, and comes back: each view says so, and goes on by itself.

use super::servers::Watched;
use super::terminal::Terminal;
use super::{Place, address, documents, until};
use crate::browser::Browser;
use crate::on_servers::stories;
use rustix::process::Signal;

stories!(a_server_that_goes_and_comes_back_is_seen_by_all_views);

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

/// What ends with a line's end.
fn whole(text: &str) -> &str {
    &text[..text.rfind('\n').map_or(0, |at| at + 1)]
}

/// How many readings have this part.
fn documents_with(text: &str, part: &str) -> usize {
    documents(whole(text)).iter().filter(|reading| !reading[part].is_null()).count()
}
