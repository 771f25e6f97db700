//! The page of help: keys, signs, and what is absent.

use crate::terminal::figure::reason;
use crate::terminal::pen::Pen;
use crate::terminal::view::View;
use ratatui::layout::Rect;
use ratatui::style::Style;

/// Columns and rows of the page, its frame included.
const SIZE: (u16, u16) = (76, 22);

/// Lines of the page: what, and what it means.
fn lines(view: &View) -> Vec<(String, String)> {
    let line = |what: &str, means: &str| (what.to_owned(), means.to_owned());
    vec![
        (String::from("q, Ctrl-C"), view.options.may_quit.clone()),
        line("tab, shift-tab", "the next table, the one before"),
        line("up, down", "rows of the table; page up, page down and home too"),
        line("left, right", "a shorter, a longer time in charts: 1 to 60 s a column"),
        line("space", "the picture stands still; what is measured goes on"),
        line("?, escape", "this page, and away"),
        line("", ""),
        line("-", "absent, never zero; the table Absent says why"),
        line("_", "zero in a chart; nothing is drawn where a figure is absent"),
        line("╌", "what a project requires; the whole machine in the chart of CPU"),
        line("█ ▓ ▒ ░ # = + o", "parts of a bar, as the signs beside their names; ~ all further ones"),
        line("service", "time of an operation as its caller sees it"),
        line("response", "the same from the moment at which it was due, where a rate was set"),
        line("at work", "sessions with a statement, waits included, on average"),
        line("pressure", "share of the time in which some task waited for it"),
        line("others", "everybody but the database server and dbdyno"),
        line("charts", "a column is the mean of its readings, of p99 the largest"),
        line("about … left", "by the estimate when the point began"),
    ]
}

/// Draws the page over the middle of the screen.
pub(crate) fn draw(pen: &mut Pen<'_>, screen: Rect, view: &View) {
    let (width, height) = (SIZE.0.min(screen.width), SIZE.1.min(screen.height));
    let page =
        Rect { x: screen.x + (screen.width - width) / 2, y: screen.y + (screen.height - height) / 2, width, height };
    for place in page.rows() {
        pen.blank(place);
        let edges = [Rect { width: 1, ..place }, Rect { x: page.right() - 1, width: 1, ..place }];
        edges.into_iter().for_each(|edge| {
            pen.text(edge, "│", pen.colours.quiet());
        });
    }
    let inside = Rect { x: page.x + 1, width: width.saturating_sub(2), ..page };
    pen.panel(inside, "Keys and signs");
    let last = Rect { y: page.bottom() - 1, height: 1, ..inside };
    pen.panel(last, "");
    let lines = lines(view);
    for ((what, means), place) in lines.iter().zip(inside.rows().skip(1)) {
        let place = Rect { x: place.x + 1, width: place.width.saturating_sub(2), ..place };
        pen.text(Rect { width: 17.min(place.width), ..place }, what, pen.colours.strong());
        pen.text(Rect { x: place.x + 17, width: place.width.saturating_sub(17), ..place }, means, Style::new());
    }
    let why = view.last().and_then(|reading| reason(reading, "database"));
    if let Some(why) = why {
        let place = Rect { x: inside.x + 1, y: page.bottom() - 2, width: inside.width - 2, height: 1 };
        pen.text(place, &format!("The database is absent: {why}"), pen.colours.strong());
    }
}
