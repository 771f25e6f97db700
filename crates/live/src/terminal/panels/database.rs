//! What the database counts, and beside it memory, network and pressure.

use super::Room;
use crate::board::Contact;
use crate::terminal::figure::{Figure, reason};
use crate::terminal::figures;
use crate::terminal::pen::{Pen, below, row};
use crate::terminal::view::View;
use dbdyno_model::Reading;
use ratatui::layout::Rect;

/// The database's figures, or why there are none.
pub(crate) fn draw(pen: &mut Pen<'_>, area: Rect, view: &View, room: Room) {
    let (_, area) = pen.panel(area, "Database");
    let Some(reading) = view.last() else {
        return pen.paragraph(area, "no reading yet");
    };
    if reading.database.is_none() {
        let why = match (&view.contact, reason(reading, "database")) {
            (_, Some(why)) => why,
            (Contact::Lost { why, .. }, None) => why,
            (Contact::Good, None) => "it was not asked",
        };
        return pen.paragraph(area, &format!("not read: {why}"));
    }
    // Sessions of three states do not fit a row of two.
    let mut rest = row(area, 0);
    let words: [&str; 3] =
        if room == Room::Much { ["active", "in transaction", "idle"] } else { ["active", "in tx", "idle"] };
    let label = pen.text(rest, "sessions ", pen.colours.quiet());
    rest = Rect { x: rest.x + label, width: rest.width - label, ..rest };
    for (figure, label) in figures::sessions(reading).iter().zip(words) {
        let value = pen.text(rest, &figure.text(), pen.colours.strong());
        let after = Rect { x: rest.x + value, width: rest.width - value, ..rest };
        let label = pen.text(after, &format!(" {label}  "), pen.colours.quiet());
        rest = Rect { x: after.x + label, width: after.width - label, ..after };
    }
    let rows = figures::database(reading);
    match room {
        Room::Little => pen.rows(below(area, 1), &rows),
        Room::Much => {
            pen.cells(below(area, 1), &rows.into_iter().flat_map(|row| row.figures).collect::<Vec<_>>());
        }
    }
}

/// Memory, network and pressure.
pub(crate) fn draw_machine(pen: &mut Pen<'_>, area: Rect, reading: &Reading, room: Room) {
    let (_, area) = pen.panel(area, "Memory, network, pressure");
    let rows = figures::machine(reading);
    match room {
        Room::Little => pen.rows(area, &rows),
        Room::Much => pen.cells(area, &rows.into_iter().flat_map(|row| row.figures).collect::<Vec<Figure>>()),
    }
}
