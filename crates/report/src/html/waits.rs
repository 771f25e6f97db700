//! What a test's sessions waited for, along its ramp.

use super::cells::{MeasuredCell, ramps};
use super::table::{ColumnHead, Table, TableRow, text};
use crate::groups::grouped;
use crate::numbers::{MISSING, short};
use crate::tables::meaningful_waits;
use dbdyno_model::{Point, SubjectName, Wait};
use maud::{Markup, html};

/// The most events in a table.
const MAX_EVENTS: usize = 6;

/// Class, event, and whether it was sampled.
type WaitEvent<'a> = (&'a str, &'a str, bool);

fn event(wait: &Wait) -> WaitEvent<'_> {
    (&wait.class, &wait.event, wait.sampled)
}

/// The longest waits of a test, with a column for each degree of parallelism. Empty if no wait was seen.
pub(super) fn table(code: SubjectName<'_>, cells: &[&MeasuredCell<'_>]) -> Markup {
    let has_waits = |c: &MeasuredCell<'_>| c.ok().any(|p| meaningful_waits(p).next().is_some());
    let with_waits: Vec<&MeasuredCell<'_>> = cells.iter().copied().filter(|c| has_waits(c)).collect();
    let waits = with_waits.iter().flat_map(|c| c.ok()).flat_map(meaningful_waits);
    let events = grouped(waits.map(|wait| (event(wait), wait.time_s.unwrap_or(0.0)))).into_iter();
    let mut events: Vec<(WaitEvent<'_>, f64)> = events.map(|(event, times)| (event, times.iter().sum())).collect();
    if events.is_empty() {
        return html! {};
    }
    events.sort_by(|a, b| b.1.total_cmp(&a.1));
    let mut heads = vec![ColumnHead::words("Event"), ColumnHead::words("Class")];
    let ramps = ramps(&with_waits);
    let head = |c: &MeasuredCell<'_>| {
        let ramp = if ramps.len() > 1 { format!(", {}", c.ramp().name(&ramps)) } else { String::new() };
        ColumnHead::figures(c.dop().to_string(), format!("%{ramp}"))
    };
    heads.extend(with_waits.iter().map(|c| head(c)));
    let rows = events.iter().take(MAX_EVENTS).map(|(event, _)| {
        let (class, name, sampled) = *event;
        let class = if sampled { format!("{class}, samples") } else { class.to_owned() };
        let mut texts = vec![text(name), text(&class)];
        texts.extend(with_waits.iter().map(|c| text(&share(c, *event))));
        TableRow::Figures(texts)
    });
    let more = events.len().saturating_sub(MAX_EVENTS);
    let caption = html! {
        (code) ": top waits, in percent of the seconds that all jobs had together; what is in a processor is no wait; samples come of looking ten times a second, the others of the engine's counts"
        @if more > 0 { " (" (more) " smaller ones are left out)" }
    };
    Table { caption, heads, rows: rows.collect(), class: "figures" }.render()
}

/// The median share of an event over the repeats, in percent of the jobs' time. An event that was not seen in a repeat
/// has a share of zero there.
fn share(cell: &MeasuredCell<'_>, of_event: WaitEvent<'_>) -> String {
    let share_pct = |point: &Point| {
        let jobs_s = point.counters_s.filter(|s| *s > 0.0)? * f64::from(point.dop.jobs);
        let waits = meaningful_waits(point).filter(|wait| event(wait) == of_event);
        let mut time_s = Some(0.0);
        for wait in waits {
            time_s = time_s.zip(wait.time_s).map(|(sum, t)| sum + t);
        }
        Some(time_s? / jobs_s * 100.0)
    };
    cell.median(share_pct).map_or_else(|| MISSING.to_owned(), short)
}
