//! A run while it happens: full-screen in small and large terminals, and as lines where there is none.

use super::servers::Watched;
use super::terminal::{PATIENCE, Terminal};
use super::{Place, figure, kept};
use crate::home::lives;
use crate::on_servers::stories;
use crate::support::{points, statuses, text};
use dbdyno_report::numbers;
use serde_json::Value;
use std::thread::sleep;
use std::time::{Duration, Instant};

stories!(
    a_screen_shows_what_is_recorded_and_leaves_no_trace;
    of_one_product:
    leaving_the_view_ends_the_run_and_keeps_points,
    without_a_terminal_there_are_lines,
    a_view_ends_with_its_terminal,
);

/// The least terminal that is drawn on, and a large one.
const SMALL: (u16, u16) = (80, 24);
const LARGE: (u16, u16) = (200, 60);
/// What has not ended by then never ends.
const CLOSING: Duration = Duration::from_secs(30);
/// What sets other colours than the plain ones.
const COLOURS: [&str; 6] = ["\u{1b}[38;", "\u{1b}[48;", "\u{1b}[31m", "\u{1b}[32m", "\u{1b}[34m", "\u{1b}[36m"];

/// So many words behind a label on a screen.
fn behind(screen: &str, label: &str, words: usize) -> Option<String> {
    let at = screen.find(label)?;
    let words: Vec<&str> = screen[at + label.len()..].split_whitespace().take(words).collect();
    Some(words.join(" "))
}

/// The rate of operations on a screen, where there is one.
fn rate(screen: &str) -> Option<String> {
    behind(screen, " ops/s ", 1).filter(|shown| shown != "-")
}

/// Whether a reading has this figure, as it is shown.
fn has(reading: &Value, path: &str, written: fn(Option<f64>) -> String, shown: &str) -> bool {
    written(figure(reading, path)) == shown
}

/// Every rate on a screen is that of a reading, and there is a screen with all figures of one.
fn compare(screens: &[String], readings: &[Value]) {
    let mut whole = 0;
    for screen in screens {
        let ops = rate(screen).unwrap();
        let times = behind(screen, "service p50 ", 5).unwrap();
        let p99 = times.split("p99 ").nth(1).unwrap();
        let commits = behind(screen, "commits, rollbacks/s ", 1).or_else(|| behind(screen, "commits/s ", 1)).unwrap();
        let same: Vec<&Value> =
            readings.iter().filter(|r| has(r, "/load/ops_per_s", numbers::thousands, &ops)).collect();
        assert!(!same.is_empty(), "no reading has {ops} operations/s:\n{screen}");
        let all = |reading: &&Value| {
            has(reading, "/load/service_time_s/p99", numbers::duration, p99)
                && has(reading, "/database/commits_per_s", numbers::thousands, &commits)
        };
        whole += usize::from(same.into_iter().any(|reading| all(&reading)));
    }
    assert!(whole > 0, "no screen has the figures of a reading:\n{}", screens.join("\n"));
}

/// Runs dbdyno in a terminal to its end; returns the screens with figures, and the last one of them with colours.
fn watched(terminal: &Terminal, arguments: &str) -> (Vec<String>, String) {
    terminal.runs(arguments);
    let (mut screens, mut coloured, mut last) = (Vec::new(), String::new(), String::new());
    let began = Instant::now();
    while terminal.left_with().is_none() {
        assert!(began.elapsed() < PATIENCE, "it never ends: {last}");
        sleep(Duration::from_millis(100));
        let screen = terminal.screen();
        // One that was the same before was not caught while it was drawn.
        if screen == last && rate(&screen).is_some() && terminal.is_taken() && screens.last() != Some(&screen) {
            let seen = terminal.coloured();
            if terminal.is_taken() {
                coloured = seen;
                screens.push(screen.clone());
            }
        }
        last = screen;
    }
    (screens, coloured)
}

fn a_screen_shows_what_is_recorded_and_leaves_no_trace<S: Watched>() {
    let place = Place::<S>::with_tpcb();
    let line = place.at("run tpcb --users 2 --duration 3s --live");
    for (size, variables) in [(SMALL, &[][..]), (LARGE, &[("NO_COLOR", "1")])] {
        let terminal = Terminal::open(&place.room, size, variables);
        let (screens, coloured) = watched(&terminal, &line);
        assert!(!screens.is_empty(), "no figures were seen");
        for screen in &screens {
            assert!(screen.contains("point 1/1: tpcb at ") && screen.contains("q ends the run"), "{screen}");
            assert_eq!(screen.lines().count(), usize::from(size.1), "{screen}");
        }
        compare(&screens, &kept(&place.room, "last"));
        let is_coloured = COLOURS.iter().any(|of| coloured.contains(of));
        assert_eq!(is_coloured, variables.is_empty(), "NO_COLOR: {coloured}");
        terminal.is_as_before();
        let after = terminal.screen();
        assert_eq!(terminal.left_with(), Some(0), "{after}");
        assert!(after.contains("What next:") && !after.contains("q ends the run"), "{after}");
    }
}

fn leaving_the_view_ends_the_run_and_keeps_points<S: Watched>() {
    let place = Place::<S>::with_tpcb();
    let terminal = Terminal::open(&place.room, LARGE, &[]);
    terminal.runs(&place.at("run tpcb --users 1,2,4 --duration 1s --live"));
    terminal.until("the second point", |screen| screen.contains("point 2/"));
    terminal.key("q");
    assert_eq!(terminal.until_left(), 3, "{}", terminal.screen());
    terminal.is_as_before();
    let document = place.room.show("last");
    let screen = terminal.screen();
    assert!(screen.contains(&format!("`dbdyno resume {}`", text(&document, "/run/id"))), "{screen}");
    assert_eq!(text(&document, "/run/status"), "interrupted");
    assert_eq!(statuses(&document)[0], "tpcb ok", "{document:#}");
    assert!(points(&document).len() < 4, "{:?}", statuses(&document));
    assert!(!kept(&place.room, "last").is_empty());
}

fn without_a_terminal_there_are_lines<S: Watched>() {
    let place = Place::<S>::with_tpcb();
    let ending = place.room.run(&place.at("run tpcb --users 1 --duration 1500ms --live --json")).expect(0);
    assert_eq!(statuses(&ending.json()), ["tpcb ok"]);
    let said = &ending.stderr;
    let line = said.lines().find(|line| line.contains(" UTC, point 1 of 1: tpcb at ") && line.contains(", ops/s "));
    assert!(line.is_some_and(|line| line.contains(", p99 ") || line.contains(" p99 ")), "{said}");
    assert!(said.contains("\nover: ") && !said.contains('\u{1b}'), "{said}");
    // On a terminal that is not where the document goes.
    let terminal = Terminal::open(&place.room, SMALL, &[]);
    terminal.runs(&format!("{} >document.json", place.at("run tpcb --users 1 --duration 300ms --live --json")));
    assert_eq!(terminal.until_left(), 0, "{}", terminal.screen());
    let written = std::fs::read_to_string(place.room.path("document.json")).unwrap();
    assert_eq!(statuses(&serde_json::from_str(&written).unwrap()), ["tpcb ok"]);
}

/// Whoever closes a terminal wants nothing more of what is in it.
fn a_view_ends_with_its_terminal<S: Watched>() {
    let place = Place::<S>::empty();
    let terminal = Terminal::open(&place.room, SMALL, &[]);
    terminal.runs(&place.at("monitor --record closed"));
    terminal.until("figures", |screen| screen.contains("commits, rollbacks/s"));
    let pid = terminal.at_work().unwrap();
    terminal.close();
    let began = Instant::now();
    while lives(pid) && began.elapsed() < CLOSING {
        sleep(Duration::from_millis(50));
    }
    if lives(pid) {
        let pid = rustix::process::Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
        rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
        panic!("it still works without its terminal");
    }
    assert!(!kept(&place.room, "closed").is_empty());
}
