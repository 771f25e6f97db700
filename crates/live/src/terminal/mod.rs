//! The view on a terminal: a full screen from 80 columns and 24 rows up, and plain lines where there is no terminal.
//!
//! [`View`](view) is what was seen and chosen, [`draw`] makes a screen of it and knows neither clock nor terminal,
//! [`watch`] has keys and times, [`screen`] takes the terminal and gives it back.

mod chart;
mod draw;
mod figure;
mod figures;
mod lines;
mod options;
mod panels;
mod pen;
mod screen;
mod style;
mod tables;
#[cfg(test)]
mod tests;
mod text;
mod view;
mod watch;

pub use lines::lines;
pub use options::{Left, TerminalError, ViewOptions, WhenOver};
pub use screen::terminal_is_there;
pub use style::Colours;

use crate::board::Board;

/// Shows the board full-screen until it is over or the user quits. Afterwards the terminal is as it was.
///
/// # Errors
/// The terminal cannot show a full screen, or is gone; or another thread panicked, whose message then has the terminal.
pub fn show(board: &Board, options: &ViewOptions) -> Result<Left, TerminalError> {
    let mut screen = screen::Screen::begin()?;
    let panicked = screen.panicked();
    watch::watch(board, options, &mut screen.terminal, &mut watch::TerminalKeys, &panicked)
}
