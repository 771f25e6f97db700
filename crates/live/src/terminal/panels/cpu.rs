//! Processors: how busy, by what kind of work, and for whom.

use super::Room;
use crate::terminal::chart::{self, Joined};
use crate::terminal::figure::Figure;
use crate::terminal::figures;
use crate::terminal::pen::{Pen, below, row};
use crate::terminal::view::View;
use dbdyno_model::Reading;
use ratatui::layout::Rect;

/// A bar in parts on the title's row; kinds with their signs, and for whom; a chart where there is room.
pub(crate) fn draw(pen: &mut Pen<'_>, area: Rect, view: &View, room: Room) {
    let nothing = Reading::default();
    let reading = view.last().unwrap_or(&nothing);
    let (rule, area) = pen.panel(area, "CPU");
    let queue = figures::run_queue(reading);
    let queue = format!(" {} {}", queue.label, queue.text());
    let rule = Rect { width: rule.width - pen.text_at_end(rule, &queue, pen.colours.strong()), ..rule };
    let rule = pen.said(rule, &figures::cpu_busy(reading).text());
    let kinds = figures::cpu_kinds(reading);
    let signs = [0, 1, 2, 3].map(|n| pen.colours.kind(n));
    let parts: Vec<_> = kinds.iter().map(|figure| figure.value.unwrap_or(0.0)).zip(signs).collect();
    chart::parts(pen.buffer, rule, &parts, 100.0);
    let beside = if room == Room::Much && area.width >= 72 { 4 } else { 2 };
    let width = area.width / beside;
    for (n, (figure, (sign, style))) in (0_u16..).zip(kinds.iter().zip(signs)) {
        let place = Rect { x: area.x + n % beside * width, width, ..row(area, n / beside) };
        let begin = pen.text(place, &format!("{sign} "), style);
        pen.figure(Rect { x: place.x + begin, width: width - begin, ..place }, figure, if n % 2 == 0 { 5 } else { 6 });
    }
    let area = below(area, 4 / beside);
    let mut rest = row(area, 0);
    let users = figures::cpu_users(reading).into_iter().chain(figures::cpu_held(reading));
    for figure in users.collect::<Vec<Figure>>() {
        rest = pen.figure(rest, &figure, 0);
    }
    let area = below(area, 1);
    if area.height > 0 {
        let columns = chart::columns(&view.readings, usize::from(area.width), view.column_seconds());
        let values = chart::values(&columns, Joined::Mean, |of| of.machine.cpu.used.busy_pct);
        // The whole machine is the height, so the chart needs no scale.
        chart::bars(pen.buffer, area, &values, Some(100.0), pen.colours);
    }
}
