//! The page of help: keys, signs, and what is absent.

use crate::terminal::figure::reason;
use crate::terminal::pen::Pen;
use crate::terminal::view::View;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::widgets::{Block, Clear, Widget};

/// Columns and rows of the page, its frame included.
const SIZE: (u16, u16) = (76, 22);

/// Lines of the page: what, and what it means.
fn lines(view: &View) -> Vec<(String, String)> {
    let line = |what: &str, means: &str| (what.to_owned(), means.to_owned());
    vec![
        (String::from("q, Ctrl-C"), view.options.may_quit.clone()),
        line("tab, shift-tab", "the next table, the one before"),
        line("up, down", "rows of the table; page up, page down, home"),
        line("left, right", "a shorter, a longer time in charts: 1 to 60 s a column"),
        line("space", "pauses the picture; what is measured goes on"),
        line("?, escape", "this page, and away"),
        line("", ""),
        line("-", "absent, never zero; the table Absent says why"),
        line("_", "zero in a chart; a blank is absent"),
        line("╌", "what a project requires; in the chart of CPU, 100 %"),
        line("█ ▓ ▒ ░ # = + o", "parts of a bar, as beside their names; ~ all others"),
        line("service", "time of an operation as its caller sees it"),
        line("response", "the same from the moment when it was due"),
        line("at work", "sessions with a statement, waits included, on average"),
        line("pressure", "share of the time in which a task waited for it"),
        line("others", "everybody but the database server and dbdyno"),
        line("charts", "a column: the mean of its readings, of p99 the largest"),
        line("~… left", "by the estimate when the point began"),
    ]
}

/// Draws the page over the middle of the screen.
pub(crate) fn draw(pen: &mut Pen<'_>, screen: Rect, view: &View) {
    let (width, height) = (SIZE.0.min(screen.width), SIZE.1.min(screen.height));
    let page =
        Rect { x: screen.x + (screen.width - width) / 2, y: screen.y + (screen.height - height) / 2, width, height };
    Clear.render(page, pen.buffer);
    let block = Block::bordered().title(" Keys and signs ").border_style(pen.colours.quiet());
    let inside = block.inner(page);
    block.title_style(pen.colours.title()).render(page, pen.buffer);
    let lines = lines(view);
    for ((what, means), place) in lines.iter().zip(inside.rows()) {
        let place = Rect { x: place.x + 1, width: place.width.saturating_sub(2), ..place };
        pen.text(Rect { width: 17.min(place.width), ..place }, what, pen.colours.strong());
        pen.text(Rect { x: place.x + 17, width: place.width.saturating_sub(17), ..place }, means, Style::new());
    }
    let why = view.last().and_then(|reading| reason(reading, "database"));
    if let Some(why) = why {
        let place = Rect { x: inside.x + 1, y: inside.bottom() - 1, width: inside.width - 2, height: 1 };
        pen.text(place, &format!("The database is absent: {why}"), pen.colours.strong());
    }
}
