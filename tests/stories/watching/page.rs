//! The page of a run, of the monitor and of a replay, in a browser.

use super::servers::Watched;
use super::{Place, address, fetched, until};
use crate::browser::Browser;
use crate::on_servers::stories;
use rustix::process::Signal;
use serde_json::Value;

stories!(a_run_is_seen_in_a_browser_and_again_when_it_is_played);

/// Figures are drawn.
const DRAWN: &str = "document.querySelectorAll('#charts figure:not([hidden]) .legend b').length > 20";
/// A name that would be a script.
const HOSTILE: &str = "</script><script>document.title='x'</script>";

/// How many readings the page's server has.
fn readings(page: &str) -> usize {
    let answer = fetched(page, "/history", usize::MAX);
    let body = answer.split_once('{').unwrap().1;
    // The body may come in pieces, each below its length.
    body.matches("\"seconds\":").count() - body.matches("\"load\":{\"seconds\":").count()
}

/// Nothing is asked of another place, nothing complains, and nothing is wider than the window.
#[track_caller]
fn is_sound(browser: &mut Browser, page: &str) {
    let elsewhere: Vec<&str> =
        browser.requests().into_iter().filter(|url| !url.starts_with(page) && *url != "data:,").collect();
    assert!(elsewhere.is_empty() && !browser.requests().is_empty(), "{elsewhere:?}");
    assert!(browser.complaints().is_empty(), "{:#?}", browser.complaints());
    for width in [1_280, 400] {
        browser.resize(width);
        let wide = browser.value("document.documentElement.scrollWidth").as_u64().unwrap();
        assert!(wide <= u64::from(width), "{wide} wide on a screen of {width}");
    }
}

fn a_run_is_seen_in_a_browser_and_again_when_it_is_played<S: Watched>() {
    let place = Place::<S>::with_tpcb();
    let mut command = place.room.command(&place.at("run tpcb --users 2 --duration 30s --serve"));
    command.args(["--label", HOSTILE]);
    let run = crate::support::Running::start(command);
    let page = address(&run);
    let mut browser = Browser::start();
    browser.open_url(&page, 1_280);
    until(&mut browser, &format!("{DRAWN} && view.readings.some(reading => reading.load?.ops_per_s > 0)"));
    let rate = "[...document.querySelectorAll('#chart-rate .legend b')].map(b => b.textContent).join()";
    let before = browser.value(rate);
    let count = browser.value("view.readings.length").as_u64().unwrap();
    let kept = readings(&page);
    assert!(kept as u64 >= count, "{kept} of {count}");
    until(&mut browser, &format!("{rate} !== {before} && view.readings.length > {count}"));
    is_sound(&mut browser, &page);
    // What was there before is there after a reload.
    let known: Vec<Value> = serde_json::from_value(browser.value("view.readings.map(reading => reading.at)")).unwrap();
    browser.open_url(&page, 400);
    until(&mut browser, DRAWN);
    let again: Vec<Value> = serde_json::from_value(browser.value("view.readings.map(reading => reading.at)")).unwrap();
    assert!(again.starts_with(&known), "{known:?}\n{again:?}");
    assert!(readings(&page) >= known.len());
    assert_eq!(browser.value("document.querySelectorAll('script').length"), 1);
    assert_ne!(browser.value("document.title"), "x");
    is_sound(&mut browser, &page);
    run.signal(Signal::INT);
    until(&mut browser, "!document.getElementById('over').hidden");
    run.end().expect(3);

    let replaying = place.room.start("replay last --serve --lines --speed 50");
    let page = address(&replaying);
    browser.open_url(&page, 1_280);
    until(&mut browser, &format!("{DRAWN} && !document.getElementById('replay').hidden"));
    until(&mut browser, "!document.getElementById('over').hidden");
    let mark = browser.value("document.getElementById('replay').innerText");
    assert!(mark.as_str().unwrap().to_uppercase().contains("REPLAY"), "{mark}");
    let played: Vec<Value> = serde_json::from_value(browser.value("view.readings.map(reading => reading.at)")).unwrap();
    assert!(known.iter().all(|at| played.contains(at)), "{known:?}\n{played:?}");
    is_sound(&mut browser, &page);
    replaying.signal(Signal::INT);
    replaying.end().expect(0);
}
