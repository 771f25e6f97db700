//! The terminal as a full screen, and back: on every way out the terminal is as it was found.

use super::options::TerminalError;
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::cursor::{Hide, Show};
use ratatui::crossterm::execute;
use ratatui::crossterm::style::ResetColor;
use ratatui::crossterm::terminal::{EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode};
use std::io::{self, IsTerminal, Stdout};
use std::panic::PanicHookInfo;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

type Hook = Box<dyn Fn(&PanicHookInfo<'_>) + Send + Sync>;

/// Whether there is a terminal that a full screen can be shown on.
#[must_use]
pub fn terminal_is_there() -> bool {
    let dumb = std::env::var_os("TERM").is_none_or(|term| term.is_empty() || term == "dumb");
    io::stdout().is_terminal() && io::stdin().is_terminal() && !dumb
}

/// A full screen. Dropped, it gives the terminal back.
pub(crate) struct Screen {
    pub(crate) terminal: Terminal<CrosstermBackend<Stdout>>,
    before: Arc<Hook>,
    panicked: Arc<AtomicBool>,
}

impl Screen {
    /// Takes the terminal.
    pub(crate) fn begin() -> Result<Self, TerminalError> {
        // A message of a panic would be lost on the other screen, so the terminal is given back before it is printed,
        // whichever thread panics.
        let (before, panicked) = (Arc::new(std::panic::take_hook()), Arc::new(AtomicBool::new(false)));
        let (hook, flag) = (Arc::clone(&before), Arc::clone(&panicked));
        std::panic::set_hook(Box::new(move |info| {
            if !flag.swap(true, Ordering::SeqCst) {
                give_back();
            }
            hook(info);
        }));
        let begun = take().and_then(|()| Terminal::new(CrosstermBackend::new(io::stdout())));
        match begun {
            Ok(terminal) => Ok(Self { terminal, before, panicked }),
            Err(error) => {
                give_back();
                put_back(before);
                Err(TerminalError::Begin(error))
            }
        }
    }

    /// What says that some thread has panicked. The terminal has been given back then.
    pub(crate) fn panicked(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.panicked)
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        if !self.panicked.load(Ordering::SeqCst) {
            give_back();
        }
        put_back(Arc::clone(&self.before));
    }
}

fn take() -> io::Result<()> {
    enable_raw_mode()?;
    execute!(io::stdout(), EnterAlternateScreen, Hide)
}

/// Each step is tried, whatever became of the others; a terminal that is gone needs none of them.
fn give_back() {
    let mut stdout = io::stdout();
    let _: [io::Result<()>; 2] = [execute!(stdout, ResetColor, Show, LeaveAlternateScreen), disable_raw_mode()];
}

/// Puts back what was done at a panic before. Not possible while this thread panics, when the process usually ends.
fn put_back(hook: Arc<Hook>) {
    if !thread::panicking() {
        std::panic::set_hook(Box::new(move |info| hook(info)));
    }
}
