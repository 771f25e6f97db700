//! The loop of the view: keys, news of the board, and when the screen is drawn. Drawing loads the machine that is
//! measured, so it happens at most twice a second, and only when there is news. A key is answered sooner: it is the
//! user who asks then.

use super::draw::draw;
use super::options::{Left, TerminalError, ViewOptions, WhenOver};
use super::tables::table;
use super::view::{Drawing, Help, Turn, View};
use crate::board::Board;
use ratatui::Terminal;
use ratatui::backend::Backend;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Between two pictures of news.
const NEWS: Duration = Duration::from_millis(500);
/// Between two pictures of keys: a key that is held down must not draw all the time.
const KEYS: Duration = Duration::from_millis(100);
/// Rows of a page of a table.
const PAGE: usize = 10;

/// Where keys come from.
pub(crate) trait Keys {
    /// The next event, if one comes within the limit.
    fn next(&mut self, limit: Duration) -> io::Result<Option<Event>>;
}

/// The terminal's keys.
pub(crate) struct TerminalKeys;

impl Keys for TerminalKeys {
    fn next(&mut self, limit: Duration) -> io::Result<Option<Event>> {
        wait_for_terminal(limit)?;
        if event::poll(Duration::ZERO)? { event::read().map(Some) } else { Ok(None) }
    }
}

/// Waits for a key, or for as long. A terminal that was closed is an error: whoever reads from it would find nothing,
/// again and again, without an end.
fn wait_for_terminal(limit: Duration) -> io::Result<()> {
    let stdin = io::stdin();
    let mut fds = [PollFd::new(&stdin, PollFlags::IN)];
    let limit = Timespec { tv_sec: limit.as_secs().cast_signed(), tv_nsec: limit.subsec_nanos().into() };
    match poll(&mut fds, Some(&limit)) {
        // A signal, as of another size.
        Err(Errno::INTR) => return Ok(()),
        polled => polled?,
    };
    let gone = PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL;
    if fds[0].revents().intersects(gone) { Err(io::ErrorKind::BrokenPipe.into()) } else { Ok(()) }
}

/// What an event asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Asked {
    Nothing,
    Picture,
    Quit,
}

/// Shows the board until it is over or the user quits.
pub(crate) fn watch<B: Backend>(
    board: &Board,
    options: &ViewOptions,
    terminal: &mut Terminal<B>,
    keys: &mut impl Keys,
    panicked: &AtomicBool,
) -> Result<Left, TerminalError>
where
    B::Error: Send + Sync + 'static,
{
    let mut view = View::new(options.clone());
    let mut looked: Option<Instant> = None;
    let mut drawn: Option<Instant> = None;
    let mut asked = Asked::Picture;
    loop {
        let since = |moment: Option<Instant>| moment.map_or(Duration::MAX, |moment| moment.elapsed());
        if panicked.load(Ordering::SeqCst) {
            return Err(TerminalError::Panicked);
        }
        if since(looked) >= NEWS {
            looked = Some(Instant::now());
            if view.drawing == Drawing::Stands {
                // A picture that stands still must end all the same.
                let over = board.over();
                if over != view.over {
                    (view.over, asked) = (over, Asked::Picture);
                }
            } else if view.follow(board) {
                asked = Asked::Picture;
            }
        }
        if view.over.is_some() && options.when_over == WhenOver::Close {
            return Ok(Left::Over);
        }
        if asked == Asked::Picture && since(drawn) >= KEYS {
            terminal.draw(|frame| draw(frame, &view)).map_err(|error| TerminalError::Gone(io::Error::other(error)))?;
            (drawn, asked) = (Some(Instant::now()), Asked::Nothing);
        }
        let next = if asked == Asked::Picture {
            KEYS.saturating_sub(since(drawn))
        } else {
            NEWS.saturating_sub(since(looked))
        };
        let Some(event) = keys.next(next).map_err(TerminalError::Gone)? else { continue };
        match answer(&mut view, &event) {
            Asked::Nothing => {}
            Asked::Picture => asked = Asked::Picture,
            Asked::Quit => return Ok(if board.over().is_some() { Left::Over } else { Left::Quit }),
        }
    }
}

/// Does what an event asks for.
fn answer(view: &mut View, event: &Event) -> Asked {
    let key = match event {
        Event::Resize(..) => return Asked::Picture,
        Event::Key(key) if key.kind != KeyEventKind::Release => key,
        _ => return Asked::Nothing,
    };
    if is_quit(key) {
        return Asked::Quit;
    }
    match key.code {
        KeyCode::Char('?' | 'h') | KeyCode::F(1) => {
            view.help = if view.help == Help::Shown { Help::Hidden } else { Help::Shown };
        }
        KeyCode::Esc => view.help = Help::Hidden,
        KeyCode::Char(' ') => {
            view.drawing = if view.drawing == Drawing::Stands { Drawing::Follows } else { Drawing::Stands };
        }
        KeyCode::Tab => view.turn(Turn::Next),
        KeyCode::BackTab => view.turn(Turn::Back),
        KeyCode::Left => view.shorter(),
        KeyCode::Right => view.longer(),
        KeyCode::Up | KeyCode::Char('k') => view.scrolled = view.scrolled.saturating_sub(1),
        KeyCode::Down | KeyCode::Char('j') => scroll_down(view, 1),
        KeyCode::PageUp => view.scrolled = view.scrolled.saturating_sub(PAGE),
        KeyCode::PageDown => scroll_down(view, PAGE),
        KeyCode::Home => view.scrolled = 0,
        _ => return Asked::Nothing,
    }
    Asked::Picture
}

/// Scrolls the chosen table; its last row stays on the screen.
fn scroll_down(view: &mut View, rows: usize) {
    let last = table(view, view.tab).rows.len().saturating_sub(1);
    view.scrolled = (view.scrolled + rows).min(last);
}

/// In raw mode Ctrl-C is a key like any other; it means the same as `q`.
fn is_quit(key: &KeyEvent) -> bool {
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    matches!(key.code, KeyCode::Char('q' | 'Q')) && !control || key.code == KeyCode::Char('c') && control
}
