//! Keys and times of the view, on a terminal of the tests.

use super::{fixture, options, text};
use crate::board::Board;
use crate::terminal::options::{Left, TerminalError, ViewOptions, WhenOver};
use crate::terminal::style::Colours;
use crate::terminal::watch::{Keys, watch};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};
use std::collections::VecDeque;
use std::io;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Events one after the other; a pause lets the time pass that the view waits.
struct Script(VecDeque<Option<Event>>);

impl Keys for Script {
    fn next(&mut self, limit: Duration) -> io::Result<Option<Event>> {
        match self.0.pop_front() {
            Some(None) => {
                std::thread::sleep(limit);
                Ok(None)
            }
            Some(event) => Ok(event),
            None => Err(io::Error::other("the script is at its end")),
        }
    }
}

fn key(code: KeyCode) -> Option<Event> {
    Some(Event::Key(KeyEvent::new(code, KeyModifiers::NONE)))
}

fn play(board: &Board, options: &ViewOptions, events: Vec<Option<Event>>) -> (Result<Left, TerminalError>, String) {
    let mut terminal = Terminal::new(TestBackend::new(80, 24)).unwrap();
    let left = watch(board, options, &mut terminal, &mut Script(events.into()), &AtomicBool::new(false));
    (left, text(terminal.backend().buffer()))
}

#[test]
fn the_user_quits_with_q_or_control_c_once() {
    let board = fixture::at_work();
    let control_c = Some(Event::Key(KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL)));
    for quit in [key(KeyCode::Char('q')), control_c] {
        let (left, shown) = play(&board, &options(Colours::On), vec![None, key(KeyCode::Char('c')), quit]);
        assert_eq!(left.unwrap(), Left::Quit);
        assert!(shown.contains("32 users"));
    }
    board.end("done".to_owned());
    let (left, _) = play(&board, &options(Colours::On), vec![None, key(KeyCode::Char('q'))]);
    assert_eq!(left.unwrap(), Left::Over);
}

#[test]
fn a_view_closes_or_stays_when_the_board_is_over() {
    let board = fixture::at_work();
    board.end("done".to_owned());
    let closes = ViewOptions { when_over: WhenOver::Close, ..options(Colours::On) };
    assert_eq!(play(&board, &closes, vec![]).0.unwrap(), Left::Over);
    let (left, shown) = play(&board, &options(Colours::On), vec![None, None]);
    assert!(matches!(left, Err(TerminalError::Gone(_))) && shown.contains("over: done; q leaves"), "{shown}");
}

#[test]
fn keys_turn_tables_pages_and_times() {
    let board = fixture::at_work();
    let all = options(Colours::On);
    let after = |events: Vec<KeyCode>| {
        let events = events.into_iter().map(key).chain([None, key(KeyCode::Char('q'))]).collect();
        play(&board, &all, events).1
    };
    assert!(after(vec![]).contains("─ Points"));
    assert!(after(vec![KeyCode::Tab]).contains("─ Statements"));
    assert!(after(vec![KeyCode::BackTab]).contains("─ Notes"));
    assert!(after(vec![KeyCode::Down, KeyCode::Down]).contains("5,237 tx/s"));
    assert!(after(vec![KeyCode::PageDown, KeyCode::PageDown]).contains("1,402 tx/s"));
    assert!(after(vec![KeyCode::Char('?')]).contains("Keys and signs"));
    assert!(!after(vec![KeyCode::Char('?'), KeyCode::Esc]).contains("Keys and signs"));
    assert!(after(vec![KeyCode::Left]).contains("last 69.0 s"), "a column a second");
    assert!(after(vec![KeyCode::Right; 9]).contains("last 1 h 9 min"));
    assert!(after(vec![KeyCode::Char(' ')]).contains("PAUSED"));
}

#[test]
fn what_stands_still_shows_no_news_and_ends_all_the_same() {
    let board = fixture::at_work();
    let pushed = std::sync::Mutex::new(false);
    struct Late<'b>(&'b Board, &'b std::sync::Mutex<bool>, Script);
    impl Keys for Late<'_> {
        fn next(&mut self, limit: Duration) -> io::Result<Option<Event>> {
            let event = self.2.next(limit);
            if !std::mem::replace(&mut *self.1.lock().unwrap(), true) {
                self.0.push(fixture::whole(999));
            }
            event
        }
    }
    let mut terminal = Terminal::new(TestBackend::new(80, 24)).unwrap();
    let events = vec![key(KeyCode::Char(' ')), None, None, None, key(KeyCode::Char('q'))];
    let mut keys = Late(&board, &pushed, Script(events.into()));
    let left = watch(&board, &options(Colours::On), &mut terminal, &mut keys, &AtomicBool::new(false));
    assert_eq!(left.unwrap(), Left::Quit);
    assert!(text(terminal.backend().buffer()).contains("12:05:00 UTC"));
    board.end("done".to_owned());
    let closes = ViewOptions { when_over: WhenOver::Close, ..options(Colours::On) };
    assert_eq!(play(&board, &closes, vec![key(KeyCode::Char(' ')), None]).0.unwrap(), Left::Over);
}

#[test]
fn a_panic_of_another_thread_ends_the_view() {
    let mut terminal = Terminal::new(TestBackend::new(80, 24)).unwrap();
    let mut keys = Script(VecDeque::new());
    let left = watch(&Board::default(), &options(Colours::On), &mut terminal, &mut keys, &AtomicBool::new(true));
    assert!(matches!(left, Err(TerminalError::Panicked)));
}
