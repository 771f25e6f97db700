//! The page in a real browser.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on has failed")]

#[path = "../../../tests/stories/browser.rs"]
#[allow(dead_code, reason = "pages of reports are opened elsewhere")]
mod browser;
mod common;

use base64::Engine as _;
use browser::Browser;
use common::{believable, options, run, scene, served, with_token};
use dbdyno_live::{Board, Contact, serve};
use serde_json::json;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Waits until an expression is true in the page.
#[track_caller]
fn until(browser: &mut Browser, expression: &str) {
    let begun = Instant::now();
    while browser.value(expression) != true {
        assert!(begun.elapsed() < Duration::from_secs(20), "never: {expression}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

const DRAWN: &str = "document.querySelectorAll('#charts figure:not([hidden]) .legend b').length > 20";

/// Pictures for people: where the variable names a folder.
fn picture(browser: &mut Browser, name: &str) {
    let Some(folder) = std::env::var_os("DBDYNO_PICTURES") else { return };
    let shot = browser.call("Page.captureScreenshot", json!({"captureBeyondViewport": true}));
    let bytes = base64::engine::general_purpose::STANDARD.decode(shot["data"].as_str().unwrap()).unwrap();
    std::fs::write(std::path::Path::new(&folder).join(format!("{name}.png")), bytes).unwrap();
}

fn next_reading(second: i64) -> dbdyno_model::Reading {
    believable(jiff::Timestamp::now(), second, 5, 12, 16, true)
}

#[test]
fn it_is_live_keeps_its_history_and_asks_nobody_else() {
    let (board, serving) = served(400, options());
    let mut browser = Browser::start();
    browser.open_url(&serving.url(), 1_280);
    until(&mut browser, DRAWN);
    assert_eq!(browser.value("view.readings.length"), 400);
    picture(&mut browser, "wide");
    board.push(next_reading(400));
    until(&mut browser, "view.readings.length === 401");
    board.set_contact(Contact::Lost { since: jiff::Timestamp::now(), why: "connection refused".to_owned() });
    until(&mut browser, "document.getElementById('lost').textContent.includes('connection refused')");
    board.set_contact(Contact::Good);
    until(&mut browser, "document.getElementById('lost').hidden");
    board.set_scene(|scene| scene.replayed = true);
    until(&mut browser, "!document.getElementById('replay').hidden");
    board.set_scene(|scene| scene.replayed = false);
    let own = serving.url();
    assert!(browser.requests().iter().all(|url| url.starts_with(&own) || *url == "data:,"), "{:?}", browser.requests());
    // A reload shows what was there before.
    browser.open_url(&serving.url(), 1_280);
    until(&mut browser, DRAWN);
    assert_eq!(browser.value("view.readings.length"), 401);
    board.end("the run is done".to_owned());
    until(&mut browser, "document.getElementById('over').textContent.includes('the run is done')");
    assert_eq!(browser.complaints(), Vec::<&serde_json::Value>::new());
    drop(serving);
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(browser.complaints(), Vec::<&serde_json::Value>::new(), "what is over asks no more");
}

#[test]
fn it_has_values_under_the_pointer_zoom_marks_and_requirements() {
    let (_board, serving) = served(300, options());
    let mut browser = Browser::start();
    browser.open_url(&serving.url(), 1_280);
    until(&mut browser, DRAWN);
    let place = browser.value(
        "(() => { const r = document.querySelector('#chart-rate > svg').getBoundingClientRect(); return [r.left, r.top, r.width]; })()",
    );
    let [x, y, width] = [0, 1, 2].map(|n| place[n].as_f64().unwrap());
    browser.point_at(x + width / 2.0, y + 60.0);
    until(&mut browser, "view.cursor !== null && document.getElementById('moment').textContent.includes('UTC')");
    // The moment is marked in all charts, and the key has its values.
    until(
        &mut browser,
        "charts.filter(c => !c.figure.hidden).every(c => c.line.getAttribute('d')) && (() => { const r = view.readings[view.cursor]; \
         return document.querySelector('#chart-cpu-whom .legend').textContent.includes(written(r.cpu.server_pct, '%')); })()",
    );
    assert_eq!(browser.value("document.querySelectorAll('#chart-rate .need').length"), 1);
    assert!(browser.value("document.querySelectorAll('#chart-rate .mark').length").as_u64().unwrap() >= 4);
    assert_eq!(browser.value("document.querySelector('#chart-rate .name').textContent.includes(' users')"), true);
    // Keys do what the pointer does.
    browser.value("document.querySelector('#chart-rate > svg').focus()");
    browser.call("Input.dispatchKeyEvent", json!({"type": "keyDown", "key": "ArrowLeft", "code": "ArrowLeft"}));
    until(&mut browser, "view.cursor !== null && document.activeElement === charts[0].svg");
    // Absent is neither zero nor silent.
    assert_eq!(
        browser.value("view.gaps.length === view.readings.length && charts[0].data[0].values.includes(undefined)"),
        true
    );
    assert_eq!(
        browser.value(
            "document.querySelector('#chart-times .why').textContent.includes('no response p50, no response p99: no rate was set')"
        ),
        true
    );
    for (kind, x) in [("mousePressed", x + 200.0), ("mouseMoved", x + 300.0), ("mouseReleased", x + 300.0)] {
        let buttons = u8::from(kind != "mouseReleased");
        browser.call(
            "Input.dispatchMouseEvent",
            json!({"type": kind, "x": x, "y": y + 60.0, "button": "left", "buttons": buttons, "clickCount": 1}),
        );
    }
    until(&mut browser, "view.zoomed !== null && view.readings.length > 10 && view.readings.length < 150");
    picture(&mut browser, "zoomed");
    browser.value("document.getElementById('reset').click()");
    until(&mut browser, "view.zoomed === null && view.readings.length === 300");
    assert_eq!(browser.complaints(), Vec::<&serde_json::Value>::new());
}

#[test]
fn hostile_texts_stay_texts() {
    let hostile = "<img src=x onerror=alert(1)></script><script>alert(2)</script>\u{202e}\u{7}";
    let board = Arc::new(Board::new(scene()));
    board.set_scene(|scene| {
        for text in [&mut scene.title, &mut scene.target, &mut scene.engine] {
            *text = hostile.to_owned();
        }
        scene.run = Some(hostile.to_owned());
        scene.requirements[0].words = hostile.to_owned();
    });
    run(&board, 130);
    let mut reading = next_reading(0);
    reading.doing.as_mut().unwrap().subject = hostile.to_owned();
    let database = reading.database.as_mut().unwrap();
    for (n, wait) in database.waits.iter_mut().enumerate() {
        (wait.class, wait.event) = (format!("{hostile}{n}"), hostile.to_owned());
    }
    database.waits[0].class = "__proto__".to_owned();
    reading.machine.io.devices[0].name = hostile.to_owned();
    let top = reading.top.as_mut().unwrap();
    (top.statements[0].text, top.sessions[0].user) = (hostile.to_owned(), hostile.to_owned());
    reading.load.as_mut().unwrap().transactions.insert(hostile.to_owned(), dbdyno_model::LoadReading::default());
    reading.nodes.insert("__proto__".to_owned(), dbdyno_model::DatabaseReading::default());
    reading.lacks("load.response_time_s", hostile);
    board.push(reading);
    board.note(hostile.to_owned());
    board.set_contact(Contact::Lost { since: jiff::Timestamp::now(), why: hostile.to_owned() });
    let serving = serve(Arc::clone(&board), options()).unwrap();
    let mut browser = Browser::start();
    browser.open_url(&serving.url(), 400);
    until(&mut browser, DRAWN);
    assert_eq!(browser.value("document.querySelectorAll('img, script').length"), 1);
    assert_eq!(browser.value("document.getElementById('title').textContent.includes('<img src=x')"), true);
    assert_eq!(browser.value("document.body.innerText.includes('\\u202e')"), false);
    picture(&mut browser, "hostile");
    assert_eq!(browser.value("document.documentElement.scrollWidth <= innerWidth"), true);
    assert_eq!(browser.complaints(), Vec::<&serde_json::Value>::new());
}

#[test]
fn it_fits_narrow_windows_the_dark_and_paper() {
    let (_board, serving) = served(200, options());
    let mut browser = Browser::start();
    browser.open_url(&serving.url(), 400);
    until(&mut browser, DRAWN);
    assert_eq!(
        browser.value("document.documentElement.scrollWidth <= innerWidth"),
        true,
        "nothing is wider than the window"
    );
    picture(&mut browser, "narrow");
    browser
        .call("Emulation.setEmulatedMedia", json!({"features": [{"name": "prefers-color-scheme", "value": "dark"}]}));
    browser.resize(1_280);
    until(&mut browser, "getComputedStyle(document.body).backgroundColor === 'rgb(18, 22, 28)'");
    std::thread::sleep(Duration::from_millis(300));
    picture(&mut browser, "dark");
    browser.call("Emulation.setEmulatedMedia", json!({"media": "print", "features": []}));
    until(&mut browser, "getComputedStyle(document.body).backgroundColor === 'rgb(255, 255, 255)'");
    assert_eq!(browser.value("getComputedStyle(document.getElementById('reset')).display"), "none");
    let paper = browser.call("Page.printToPDF", json!({"preferCSSPageSize": true}));
    let bytes = base64::engine::general_purpose::STANDARD.decode(paper["data"].as_str().unwrap()).unwrap();
    assert!(bytes.starts_with(b"%PDF"));
    if let Some(folder) = std::env::var_os("DBDYNO_PICTURES") {
        std::fs::write(std::path::Path::new(&folder).join("paper.pdf"), bytes).unwrap();
    }
    assert_eq!(browser.complaints(), Vec::<&serde_json::Value>::new());
}

#[test]
fn the_token_leaves_the_address_and_is_asked_for_without_it() {
    let (_board, serving) = served(100, with_token());
    let mut browser = Browser::start();
    browser.open_url(&serving.url(), 1_280);
    until(&mut browser, DRAWN);
    assert_eq!(browser.value("location.hash"), "");
    assert_eq!(browser.value("document.cookie"), "", "no script can read the cookie");
    assert!(browser.requests().iter().skip(1).all(|url| !url.contains(common::TOKEN)));
    let mut stranger = Browser::start();
    stranger.open_url(&format!("http://{}/", serving.address()), 400);
    until(&mut stranger, "!document.getElementById('ask').hidden");
    assert_eq!(stranger.value("document.body.innerText.includes('Order Entry')"), false);
    stranger.value("document.getElementById('token').value = 'wrong-wrong-wrong-wrong'; document.getElementById('ask').requestSubmit()");
    until(&mut stranger, "!document.getElementById('refused').hidden");
    stranger.value(&format!(
        "document.getElementById('token').value = '{}'; document.getElementById('ask').requestSubmit()",
        common::TOKEN
    ));
    until(&mut stranger, DRAWN);
}
