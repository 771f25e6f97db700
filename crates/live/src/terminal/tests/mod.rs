//! Tests of the view: golden screens, every figure on them, keys, and plain lines.

mod figures;
mod fixture;
mod golden;
mod keys;
mod plain;

use super::draw::draw;
use super::options::{ViewOptions, WhenOver};
use super::style::Colours;
use super::view::View;
use crate::board::Board;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::text::Span;

fn options(colours: Colours) -> ViewOptions {
    ViewOptions { colours, may_quit: "stops the run".to_owned(), when_over: WhenOver::Stay }
}

fn view(board: &Board) -> View {
    let mut view = View::new(options(Colours::On));
    view.follow(board);
    view
}

/// What is on a screen of this size.
fn screen(view: &View, size: (u16, u16)) -> Buffer {
    let mut terminal = Terminal::new(TestBackend::new(size.0, size.1)).unwrap();
    terminal.draw(|frame| draw(frame, view)).unwrap();
    terminal.backend().buffer().clone()
}

/// A screen as text, a line for each row.
fn text(buffer: &Buffer) -> String {
    let mut text = String::new();
    for y in 0..buffer.area.height {
        let mut line = String::new();
        let mut x = 0;
        while x < buffer.area.width {
            let symbol = buffer[(x, y)].symbol();
            line.push_str(symbol);
            x += (Span::raw(symbol).width() as u16).max(1);
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}
