//! What sessions at work wait for: classes stacked, now and over time, each with a sign of its own.

use super::Room;
use crate::terminal::chart;
use crate::terminal::figure::{mean, reason};
use crate::terminal::figures;
use crate::terminal::pen::{Pen, below};
use crate::terminal::style::Colours;
use crate::terminal::text::{left, right};
use crate::terminal::view::View;
use dbdyno_model::{Reading, WaitReading};
use dbdyno_report::numbers;
use ratatui::layout::Rect;
use ratatui::style::Style;
use std::sync::Arc;

/// The least rows of a chart whose parts can be told apart.
const LEAST_CHART: u16 = 3;
/// Rows of classes below a chart.
const CLASSES: u16 = 5;

/// A class of waits, all its events together.
struct Class<'r> {
    name: &'r str,
    sessions: f64,
    /// The event in which most sessions were.
    event: &'r str,
    number: usize,
}

/// A bar on the title's row, a chart where there is room, and the classes.
pub(crate) fn draw(pen: &mut Pen<'_>, area: Rect, view: &View, room: Room) {
    let (rule, area) = pen.panel(area, "Waits");
    let Some(reading) = view.last() else { return };
    let Some(at_work) = figures::at_work(reading) else {
        let why = reason(reading, "database.waits").unwrap_or("the database was not read");
        return pen.paragraph(area, why);
    };
    let rule = pen.said(rule, &format!("{} at work", mean(Some(at_work))));
    let classes = classes(reading, &view.classes);
    let parts: Vec<_> = classes.iter().map(|class| (class.sessions, pen.colours.kind(class.number))).collect();
    chart::parts(pen.buffer, rule, &parts, at_work);
    let chart = area.height.saturating_sub(CLASSES);
    let area = if room == Room::Much && chart >= LEAST_CHART {
        let place = Rect { height: chart, ..area };
        over_time(pen, place, view);
        below(area, chart)
    } else {
        area
    };
    draw_classes(pen, area, &classes, at_work, reading);
}

fn over_time(pen: &mut Pen<'_>, area: Rect, view: &View) {
    let readings = chart::columns(&view.readings, usize::from(area.width), view.column_seconds());
    let columns: Vec<_> = readings.iter().map(|readings| parts_of(readings, &view.classes)).collect();
    let signs: Vec<_> = (0..=Colours::KINDS).map(|n| pen.colours.kind(n)).collect();
    chart::stacks(pen.buffer, area, &columns, &signs);
}

/// Mean sessions in each class, all classes without a sign of their own together.
fn parts_of(readings: &[Arc<Reading>], order: &[String]) -> Option<Vec<f64>> {
    let read: Vec<&Arc<Reading>> = readings.iter().filter(|reading| figures::at_work(reading).is_some()).collect();
    let mut parts = vec![0.0; Colours::KINDS + 1];
    for class in read.iter().flat_map(|reading| classes(reading, order)) {
        parts[class.number.min(Colours::KINDS)] += class.sessions / read.len() as f64;
    }
    (!read.is_empty()).then_some(parts)
}

/// The classes of a reading, in the order in which they were seen first: so none changes its place with its figure.
fn classes<'r>(reading: &'r Reading, order: &[String]) -> Vec<Class<'r>> {
    let mut classes: Vec<Class<'r>> = Vec::new();
    let waits = reading.database.iter().flat_map(|database| &database.waits);
    // The most frequent wait comes first.
    for wait in waits.filter(|wait| !wait.background) {
        match classes.iter_mut().find(|class| class.name == wait.class) {
            Some(class) => class.sessions += wait.sessions,
            None => {
                let number = order.iter().position(|name| *name == wait.class).unwrap_or(Colours::KINDS);
                classes.push(Class { name: &wait.class, sessions: wait.sessions, event: &wait.event, number });
            }
        }
    }
    classes.sort_by_key(|class| class.number);
    classes
}

fn draw_classes(pen: &mut Pen<'_>, area: Rect, classes: &[Class<'_>], at_work: f64, reading: &Reading) {
    let mut largest: Vec<&Class<'_>> = classes.iter().collect();
    largest.sort_by(|a, b| b.sessions.total_cmp(&a.sessions));
    let rows = usize::from(area.height);
    let kept = if largest.len() > rows { rows.saturating_sub(1) } else { rows };
    let name = if area.width > 60 { 20 } else { 11 };
    let share = |sessions: f64| right(&numbers::percent((at_work > 0.0).then(|| 100.0 * sessions / at_work)), 5);
    let mut places = area.rows();
    for (class, place) in largest.iter().take(kept).zip(&mut places) {
        let (sign, style) = pen.colours.kind(class.number);
        let begin = pen.text(place, &format!("{sign} "), style);
        let figures = format!("{} {}", right(&mean(Some(class.sessions)), 5), share(class.sessions));
        let text = format!("{} {figures} {}", left(class.name, name), class.event);
        pen.text(Rect { x: place.x + begin, width: place.width - begin, ..place }, &text, Style::new());
    }
    if largest.len() > kept {
        let others: f64 = largest.iter().skip(kept).map(|class| class.sessions).sum();
        let words = format!("{} more", largest.len() - kept);
        let text = format!("  {} {} {}", left(&words, name), right(&mean(Some(others)), 5), share(others));
        if let Some(place) = places.next() {
            pen.text(place, &text, Style::new());
        }
        return;
    }
    let background = reading.database.iter().flat_map(|database| &database.waits).filter(|wait| wait.background);
    let words = |wait: &WaitReading| format!("{} {}", wait.event, mean(Some(wait.sessions)));
    let background: Vec<String> = background.take(4).map(words).collect();
    if let Some(place) = places.next().filter(|_| !background.is_empty()) {
        pen.text(place, &format!("the server's own: {}", background.join(", ")), pen.colours.quiet());
    }
}
