//! Plain lines for where there is no terminal: the same figures as text.

use super::figure::{Figure, Kind, mean};
use super::figures;
use super::tables::clock;
use super::text::shown;
use crate::board::{Board, Contact, Scene};
use dbdyno_model::{PointStage, Reading};
use std::time::Duration;

/// Columns of a text of others in a line.
const TEXT: usize = 300;

/// Prints the newest reading as a line, about once in `every`, and each new note as a line of its own. Returns when the
/// board is over.
pub fn lines(board: &Board, every: Duration, print: &mut dyn FnMut(&str)) {
    let mut printed = 0;
    let mut notes: Vec<String> = Vec::new();
    let mut limit = Duration::ZERO;
    loop {
        // No reading has this number, so the wait ends when the time is up, or with the board.
        let over = board.wait(u64::MAX, limit).over;
        let now = board.notes();
        for note in new_ones(&notes, &now) {
            print(&format!("note: {}", shown(note, TEXT)));
        }
        notes = now;
        let next = board.since(u64::MAX).next;
        if let Some(reading) = board.last().filter(|_| next > printed) {
            print(&line(&board.scene(), &board.contact(), &reading));
        } else if let Contact::Lost { .. } = board.contact()
            && over.is_none()
        {
            print(&contact(&board.contact()).unwrap_or_default());
        }
        // Before the first reading the board is asked more often, so that the first line comes soon.
        limit = if next == 0 { every.min(Duration::from_millis(200)) } else { every };
        printed = next;
        if let Some(why) = over {
            print(&format!("over: {}", shown(&why, TEXT)));
            return;
        }
    }
}

/// Notes that were not there before. The board forgets the oldest ones.
fn new_ones<'n>(before: &[String], now: &'n [String]) -> &'n [String] {
    let kept = (0..=before.len()).map(|n| &before[n..]).find(|kept| now.starts_with(kept));
    &now[kept.map_or(0, <[String]>::len)..]
}

fn contact(contact: &Contact) -> Option<String> {
    match contact {
        Contact::Good => None,
        Contact::Lost { since, why } => Some(format!("no answer since {} UTC: {}", clock(*since), shown(why, TEXT))),
    }
}

/// One reading as a line.
pub(crate) fn line(scene: &Scene, contact_now: &Contact, reading: &Reading) -> String {
    let mut said = vec![format!("{} UTC{}", clock(reading.at), if scene.replayed { " (replay)" } else { "" })];
    said.extend(contact(contact_now));
    if let Some(doing) = &reading.doing {
        let stage = match doing.stage {
            PointStage::Preparing => "preparing",
            PointStage::Measuring => "measuring",
        };
        let (subject, dop) = (shown(&doing.subject, TEXT), shown(&doing.dop, TEXT));
        said.push(format!("point {} of {}: {subject} at {dop}, {stage}", doing.point + 1, doing.of));
    }
    let words = |figure: &Figure| format!("{} {}", figure.label, figure.text());
    if reading.load.is_some() {
        said.extend(figures::load(reading).iter().map(words));
        for times in figures::times(reading) {
            let figures: Vec<String> = times.figures.iter().map(words).collect();
            if times.figures.iter().any(|figure| figure.value.is_some()) {
                said.push(format!("{} {}", times.label, figures.join(" ")));
            }
        }
    }
    if reading.database.is_some() {
        let rows = figures::database(reading);
        let present = rows.iter().take(4).flat_map(|row| &row.figures).filter(|figure| figure.value.is_some());
        said.extend(present.map(words));
        said.push(format!("sessions at work {}", mean(figures::at_work(reading))));
    }
    said.push(format!("cpu busy {}", figures::cpu_busy(reading).text()));
    said.extend(figures::cpu_users(reading).iter().filter(|of| of.value.is_some()).map(words));
    said.extend(figures::devices(reading).iter().filter(|of| of.value.is_some()).map(words));
    let [read, write] = figures::device_times(reading).map(|figure| Kind::Time.text(figure.value));
    said.push(format!("device read {read} write {write}"));
    said.join(", ")
}
