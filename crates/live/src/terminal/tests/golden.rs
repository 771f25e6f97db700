//! Screens as they are drawn. `DBDYNO_BLESS=1` writes the golden files again; read the difference before you keep it.

use super::{fixture, screen, text, view};
use crate::board::{Board, Contact, PointMark, RequirementLine, Scene};
use crate::terminal::style::Colours;
use crate::terminal::view::{Drawing, Help, Tab, View};
use dbdyno_model::{DatabaseReading, LoadReading, Reading, WaitReading};
use ratatui::style::Color;
use std::path::Path;

const SIZES: [(u16, u16); 2] = [(80, 24), (200, 60)];

fn golden(name: &str, view: &View) {
    for size in SIZES {
        let text = text(&screen(view, size));
        let file = format!("{name}_{}x{}.txt", size.0, size.1);
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(&file);
        if std::env::var_os("DBDYNO_BLESS").is_some() {
            std::fs::write(&path, &text).unwrap();
        }
        let expected = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        assert!(expected == text, "{file} differs from its golden file. It is now:\n{text}");
    }
}

#[test]
fn a_run_at_work() {
    golden("run", &view(&fixture::at_work()));
}

#[test]
fn a_monitor_without_load() {
    golden("monitor", &view(&fixture::monitor()));
}

#[test]
fn contact_is_lost() {
    let board = fixture::at_work();
    let why = "connection refused (db1.example:7000)";
    let mut reading = Reading { database: None, top: None, ..fixture::whole(301) };
    reading.lacks("database", why);
    board.push(reading);
    board.set_contact(Contact::Lost { since: fixture::at(301), why: why.to_owned() });
    golden("contact_lost", &view(&board));
}

#[test]
fn over_and_replayed() {
    let board = fixture::at_work();
    board.set_scene(|scene| scene.replayed = true);
    board.end("the run is done".to_owned());
    golden("over", &view(&board));
}

#[test]
fn nothing_is_there_yet() {
    golden("empty", &view(&Board::default()));
}

#[test]
fn figures_are_absent() {
    let board = Board::new(Scene { title: "monitor".to_owned(), ..Scene::default() });
    let mut reading = Reading { at: fixture::at(0), seconds: 1.0, ..Reading::default() };
    reading.database = Some(DatabaseReading { commits_per_s: Some(0.0), ..DatabaseReading::default() });
    reading.lacks("database.waits", "the role may not read the sessions of others: grant it the role for monitoring");
    reading.lacks("database.redo", "the engine does not count its log");
    reading.lacks("top", "the extension that counts statements is not loaded");
    reading.lacks("io", "/proc/diskstats: permission denied");
    reading.lacks("cpu.server_pct", "the server is on another machine");
    board.push(reading);
    let mut view = view(&board);
    golden("absent", &view);
    view.tab = Tab::Absent;
    let text = text(&screen(&view, (80, 24)));
    assert!(text.contains("database.redo") && text.contains("does not count its log"), "{text}");
}

#[test]
fn the_page_of_help() {
    let mut view = view(&fixture::at_work());
    view.help = Help::Shown;
    view.drawing = Drawing::Stands;
    golden("help", &view);
}

/// Every text of others on a board.
fn hostile() -> Board {
    let evil = |n: usize| match n % 4 {
        0 => "\u{1b}[2J\u{1b}]0;owned\u{7}\r\nroot# ".to_owned(),
        1 => "x".repeat(100_000),
        2 => "東京都データベース👍🏽".repeat(40),
        _ => format!("a\u{202e}b\u{200b}\u{9b}31m Z{}", "\u{301}\u{300}".repeat(500)),
    };
    let scene = Scene {
        title: evil(0),
        target: evil(2),
        engine: evil(1),
        run: Some(evil(3)),
        replayed: true,
        requirements: vec![RequirementLine { path: evil(1), value: f64::NAN, words: evil(2) }],
    };
    let board = Board::new(scene);
    (0..4).for_each(|n| board.note(evil(n)));
    for n in 0..4 {
        board.begin_point(PointMark {
            index: n,
            of: 3,
            subject: evil(n),
            dop: evil(n + 1),
            began: fixture::at(0),
            ended: Some(fixture::at(-5)),
            outcome: Some(evil(n + 2)),
            left_s: f64::INFINITY,
        });
    }
    let mut reading = fixture::whole(300);
    if let Some(database) = &mut reading.database {
        database.commits_per_s = Some(f64::NAN);
        database.rates.logical_reads_per_s = Some(1e300);
        database.waits = (0..30)
            .map(|n| WaitReading {
                class: format!("{n}{}", evil(n)),
                event: evil(n + 1),
                sessions: if n == 7 { -1.0 } else { n as f64 },
                background: n > 25,
            })
            .collect();
    }
    let devices = &mut reading.machine.io.devices;
    (0..2).for_each(|n| devices[n].name = evil(n));
    devices[0].busy_pct = f64::NAN;
    for n in 0..4 {
        if let Some(top) = &mut reading.top {
            (top.statements[n].text, top.statements[n].digest) = (evil(n), evil(n + 1));
            let session = &mut top.sessions[n % 3];
            (session.user, session.wait, session.statement) = (evil(n), evil(n + 1), evil(n + 2));
        }
        reading.nodes.insert(evil(n), DatabaseReading::default());
        reading.missing.insert(evil(n), evil(n + 1));
        if let Some(load) = &mut reading.load {
            load.transactions.insert(evil(n), LoadReading::default());
        }
    }
    board.push(reading);
    board.set_contact(Contact::Lost { since: fixture::at(0), why: evil(3) });
    board.end(evil(0));
    board
}

#[test]
fn texts_of_others_control_nothing() {
    let mut view = view(&hostile());
    golden("hostile", &view);
    for tab in Tab::ALL {
        view.tab = tab;
        for size in [(80, 24), (81, 25), (119, 39), (120, 40), (200, 60), (500, 200)] {
            let screen = screen(&view, size);
            let steers = |symbol: &str| symbol.chars().any(dbdyno_report::steers);
            assert!(screen.content().iter().all(|cell| !steers(cell.symbol()) && cell.symbol().chars().count() < 8));
            // The keys are where they belong.
            assert!(text(&screen).lines().last().unwrap().starts_with("q leaves"), "{tab:?} {size:?}");
        }
    }
}

#[test]
fn without_colours_the_screen_says_the_same() {
    let mut view = view(&fixture::at_work());
    for size in SIZES {
        view.options.colours = Colours::On;
        let coloured = screen(&view, size);
        view.options.colours = Colours::Off;
        let plain = screen(&view, size);
        assert_eq!(text(&coloured), text(&plain));
        assert!(coloured.content().iter().any(|cell| cell.fg != Color::Reset));
        assert!(plain.content().iter().all(|cell| cell.fg == Color::Reset && cell.bg == Color::Reset));
    }
}

/// The server drive times chunks only, and a point has no load while it is prepared.
#[test]
fn a_load_says_why_it_has_no_percentiles() {
    let board = fixture::at_work();
    let mut reading = fixture::whole(5_000);
    reading.load = Some(LoadReading { ops_per_s: Some(1_250.0), ..LoadReading::default() });
    reading.lacks("load.service_time_s", "the server drive times chunks of operations");
    board.push(reading);
    for size in SIZES {
        let text = text(&screen(&view(&board), size));
        assert!(text.contains("the server drive times chunks of operations"), "{text}");
        assert!(text.contains("p99         -"), "{text}");
    }
}

#[test]
fn any_size_is_drawn() {
    let board = fixture::at_work();
    let view = view(&board);
    for size in [(1, 1), (5, 2), (79, 24), (80, 23)] {
        let said = format!("needs 80x24, has {}x{}", size.0, size.1);
        let text = text(&screen(&view, size));
        assert!(said.starts_with(text.lines().next().unwrap().trim_end_matches('…')), "{text}");
    }
    for width in (80..260).step_by(23) {
        for height in (24..90).step_by(7) {
            assert!(text(&screen(&view, (width, height))).lines().last().unwrap().starts_with("q stops the run"));
        }
    }
}
