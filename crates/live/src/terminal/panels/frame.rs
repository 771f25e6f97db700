//! What stands around the panels: what is looked at, how far it has come, what must be seen at once, and the keys.

use crate::board::Contact;
use crate::terminal::chart;
use crate::terminal::pen::Pen;
use crate::terminal::tables::{clock, left_s};
use crate::terminal::view::{Drawing, View};
use dbdyno_model::PointStage;
use dbdyno_report::numbers;
use ratatui::layout::Rect;
use ratatui::style::Style;
use std::collections::BTreeSet;

/// The bar of progress gets this part of the width.
const PROGRESS: u16 = 8;

/// What is looked at, and the time.
pub(crate) fn draw_title(pen: &mut Pen<'_>, area: Rect, view: &View) {
    let scene = &view.scene;
    let time = view.last().map_or_else(|| "no reading yet".to_owned(), |of| format!("{} UTC", clock(of.at)));
    let time = if scene.replayed { format!(" REPLAY {time}") } else { format!(" {time}") };
    let end = pen.text_at_end(area, &time, if scene.replayed { pen.colours.alarm() } else { pen.colours.strong() });
    let area = Rect { width: area.width - end, ..area };
    let title = pen.text(area, &scene.title, pen.colours.title());
    let run = scene.run.as_ref().map(|run| format!("run {run}"));
    let others = [run.as_ref(), Some(&scene.target), Some(&scene.engine)].into_iter().flatten();
    let others: String = others.filter(|text| !text.is_empty()).map(|text| format!("  {text}")).collect();
    pen.text(Rect { x: area.x + title, width: area.width - title, ..area }, &others, Style::new());
}

/// How far the run has come, or what the monitor looks at.
pub(crate) fn draw_progress(pen: &mut Pen<'_>, area: Rect, view: &View) {
    let Some(mark) = view.marks.last() else {
        let doing = match (view.readings.is_empty(), view.has_load()) {
            (true, _) => "waits for the first reading",
            (false, true) => "no point has begun",
            (false, false) => "dbdyno has no load of its own here",
        };
        pen.text(area, doing, pen.colours.quiet());
        return;
    };
    let done: BTreeSet<usize> = view.marks.iter().filter(|of| of.ended.is_some()).map(|of| of.index).collect();
    let bar = Rect { width: area.width / PROGRESS, ..area };
    chart::parts(pen.buffer, bar, &[(done.len() as f64, pen.colours.kind(0))], mark.of as f64);
    let doing = view.last().and_then(|reading| reading.doing.as_ref()).filter(|doing| doing.point == mark.index);
    let stage = match (&mark.outcome, doing.map(|doing| doing.stage)) {
        (Some(outcome), _) => outcome,
        (None, Some(PointStage::Measuring)) => "measuring",
        (None, Some(PointStage::Preparing) | None) => "preparing",
    };
    let left =
        left_s(view).filter(|_| view.over.is_none()).map(|left| format!("  ~{} left", numbers::duration(left.round())));
    let rest = Rect { x: bar.right() + 1, width: area.width.saturating_sub(bar.width + 1), ..area };
    let end = pen.text_at_end(rest, left.as_deref().unwrap_or_default(), Style::new());
    let point = format!("point {}/{}: {} at {}, {stage}", mark.index + 1, mark.of, mark.subject, mark.dop);
    pen.text(Rect { width: rest.width - end, ..rest }, &point, pen.colours.strong());
}

/// What must be seen at once, one row each: that the server does not answer, that nothing more comes.
pub(crate) fn banners(view: &View) -> Vec<String> {
    let mut banners = Vec::new();
    if let Contact::Lost { since, why } = &view.contact {
        banners.push(format!("no answer since {} UTC: {why}", clock(*since)));
    }
    if let Some(why) = &view.over {
        banners.push(format!("over: {why}; q leaves"));
    }
    banners
}

/// What stands above the keys, if anything: what is required, and the last note.
pub(crate) fn line(view: &View) -> Option<String> {
    let words: Vec<&str> = view.scene.requirements.iter().map(|of| of.words.as_str()).collect();
    let required = (!words.is_empty()).then(|| format!("required: {}", words.join("; ")));
    let parts: Vec<String> =
        required.into_iter().chain(view.notes.last().map(|note| format!("note: {note}"))).collect();
    (!parts.is_empty()).then(|| parts.join("   "))
}

/// The keys, and whether the picture stands still.
pub(crate) fn draw_keys(pen: &mut Pen<'_>, area: Rect, view: &View) {
    let quits = if view.over.is_some() { "leaves" } else { view.options.may_quit.as_str() };
    let space = if view.drawing == Drawing::Stands { "goes on" } else { "pauses" };
    let keys = [("q", quits), ("tab", "table"), ("↑↓", "rows"), ("←→", "time"), ("space", space), ("?", "help")];
    let mut rest = area;
    if view.drawing == Drawing::Stands {
        rest.width -= pen.text_at_end(rest, " PAUSED ", pen.colours.alarm());
    }
    for (key, does) in keys {
        for (text, style) in [(format!("{key} "), pen.colours.strong()), (format!("{does}  "), pen.colours.quiet())] {
            let width = pen.text(rest, &text, style);
            rest = Rect { x: rest.x + width, width: rest.width - width, ..rest };
        }
    }
}
