//! The load: how much is done, and how long it takes. Without a load of dbdyno's own, what everybody does.

use crate::board::RequirementLine;
use crate::terminal::chart::{self, Joined};
use crate::terminal::figure::{Figure, Kind, reason};
use crate::terminal::figures;
use crate::terminal::pen::{Pen, below, row};
use crate::terminal::view::View;
use dbdyno_model::Reading;
use dbdyno_report::numbers;
use ratatui::layout::Rect;

/// Columns on the right of a chart, for its scale.
const SCALE: u16 = 11;

/// Two charts, each below the figures that it shows.
pub(crate) fn draw(pen: &mut Pen<'_>, area: Rect, view: &View) {
    let nothing = Reading::default();
    let reading = view.last().unwrap_or(&nothing);
    // Two rows have figures.
    let rows = area.height.saturating_sub(2);
    let (first, second) = (rows.div_ceil(2), rows / 2);
    let (upper, lower) = (Rect { height: first, ..below(area, 1) }, Rect { height: second, ..below(area, 2 + first) });
    let times = row(area, 1 + first);
    let width = usize::from(area.width.saturating_sub(SCALE));
    let span = numbers::duration(f64::from(view.column_seconds()) * width as f64);
    let columns = chart::columns(&view.readings, width, view.column_seconds());
    let limit = |paths: &[&str]| view.scene.requirements.iter().find(|of| paths.contains(&of.path.as_str()));
    let title = if view.has_load() { "Load" } else { "Database work" };
    let (mut rule, _) = pen.panel(area, title);
    if view.has_load() {
        for (figure, width) in figures::load(reading).iter().zip([10, 8, 8]) {
            // Errors must be seen; everything else is read.
            let errs = figure.path == "load.errors_per_s" && figure.value.is_some_and(|value| value > 0.0);
            let style = if errs { pen.colours.alarm() } else { pen.colours.strong() };
            rule = pen.styled_figure(rule, figure, width, style);
        }
        let values = chart::values(&columns, Joined::Mean, |of| of.load.as_ref()?.ops_per_s);
        draw_chart(pen, upper, &values, Kind::Amount, limit(&["load.ops_per_s"]), reason(reading, "load.ops_per_s"));
        draw_times(pen, times, reading);
        let values = chart::values(&columns, Joined::Largest, figures::p99);
        draw_chart(
            pen,
            lower,
            &values,
            Kind::Time,
            limit(&["load.response_time_s.p99", "load.service_time_s.p99"]),
            reason(reading, "load.service_time_s.p99"),
        );
    } else {
        let of = figures::database(reading);
        for figure in of.iter().take(1).flat_map(|row| &row.figures) {
            rule = pen.figure(rule, figure, 10);
        }
        let values = chart::values(&columns, Joined::Mean, |of| of.database.as_ref()?.commits_per_s);
        draw_chart(
            pen,
            upper,
            &values,
            Kind::Amount,
            limit(&["database.commits_per_s"]),
            reason(reading, "database.commits_per_s"),
        );
        let at_work = Figure::new("sessions at work", "database.waits", Kind::Mean, figures::at_work(reading));
        pen.figure(times, &at_work, 6);
        draw_chart(
            pen,
            lower,
            &chart::values(&columns, Joined::Mean, figures::at_work),
            Kind::Mean,
            None,
            reason(reading, "database.waits"),
        );
    }
    pen.text_at_end(rule, &format!(" last {span}"), pen.colours.quiet());
}

fn draw_times(pen: &mut Pen<'_>, area: Rect, reading: &Reading) {
    let mut rest = area;
    for times in figures::times(reading) {
        let width = pen.text(rest, &format!("{} ", times.label), pen.colours.quiet());
        rest = Rect { x: rest.x + width, width: rest.width - width, ..rest };
        for figure in &times.figures {
            rest = pen.figure(rest, figure, 9);
        }
    }
}

/// A chart with its highest figure; where there is no figure at all, the reason.
fn draw_chart(
    pen: &mut Pen<'_>,
    area: Rect,
    values: &[Option<f64>],
    kind: Kind,
    limit: Option<&RequirementLine>,
    absent: Option<&str>,
) {
    if area.height == 0 {
        return;
    }
    let chart = Rect { width: area.width.saturating_sub(SCALE), ..area };
    let Some(largest) = chart::largest(values) else {
        return pen.paragraph(chart, absent.unwrap_or_default());
    };
    chart::bars(pen.buffer, chart, values, limit.map(|of| of.value), pen.colours);
    let scale = Rect { x: chart.right() + 1, width: SCALE - 1, ..area };
    pen.text(scale, &kind.text(Some(largest)), pen.colours.strong());
    pen.text(row(scale, 1), "the most", pen.colours.quiet());
}
