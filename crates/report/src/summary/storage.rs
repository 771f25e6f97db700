//! The limits of the storage itself, as text, and a database's share of them.

use crate::layout::{Column, Keep, Row, Sheet};
use crate::storage::{LEGEND, limits, shares};
use crate::text::hanging;
use dbdyno_catalogue::Catalogue;
use dbdyno_model::{RunJson, StorageLimits};

use Keep::{Always, Drop};

const LIMITS: [Column; 5] = [
    Column::left("name", &[], Always),
    Column::left("unit", &["Unit"], Always),
    Column::right("best", &["Best"], Always),
    Column::right("I/Os outstanding", &["at"], Always),
    Column::right("mean time of an I/O", &["Time/op"], Drop(1)),
];

const SHARES: [Column; 7] = [
    Column::left("name", &[], Always),
    Column::left("test", &["Test"], Drop(2)),
    Column::left("unit", &["Unit"], Always),
    Column::right("database", &["Database"], Always),
    Column::right("storage", &["Storage"], Always),
    Column::right("I/Os outstanding", &["at"], Drop(1)),
    Column::right("share", &["Share"], Always),
];

/// The key metrics of a storage run.
pub(super) fn limits_table(run: &RunJson, width: Option<u16>) -> String {
    let lines = limits(&StorageLimits::of(run));
    if lines.is_empty() {
        let text = "None of its points is of small random or large sequential reads or writes alone, which this page is about \
                    (--table storage shows every point).";
        return hanging("", text, width);
    }
    let rows = lines.into_iter().map(|texts| Row::Figures(texts.into()));
    let mut out = Sheet { columns: LIMITS.to_vec(), rows: rows.collect(), gap: 2 }.render(width);
    out.push('\n');
    let legend = "Best is the highest median of any point; \"at\" is how many I/Os were outstanding there, Time/op the mean time of one.";
    out.push_str(&hanging("", legend, width));
    out
}

/// The shares of a database's run, shown below its table; empty where there are none.
pub(super) fn shares_table(run: &RunJson, catalogue: &Catalogue, width: Option<u16>) -> String {
    let Some(shares) = shares(run, catalogue).filter(|shares| !shares.lines.is_empty()) else { return String::new() };
    let mut out = String::new();
    out.push_str(&hanging("", &format!("{}: {}", crate::storage::SHARES, shares.lead), width));
    let rows = shares.lines.into_iter().map(|mut texts| {
        texts[0].insert(0, ' ');
        Row::Figures(texts.into())
    });
    out.push_str(&Sheet { columns: SHARES.to_vec(), rows: rows.collect(), gap: 2 }.render(width));
    for note in std::iter::once(LEGEND).chain(shares.note.as_deref()) {
        out.push_str(&hanging("  ", note, width));
    }
    out.push('\n');
    out
}

/// Why there are no shares, and how to get them; empty where there are some, or where they are irrelevant.
pub(super) fn no_shares(run: &RunJson, catalogue: &Catalogue, width: Option<u16>) -> String {
    match shares(run, catalogue) {
        Some(shares) if shares.lines.is_empty() => {
            let note = shares.note.unwrap_or_default();
            hanging("", &format!("{}: {}. {note}", crate::storage::SHARES, shares.lead), width)
        }
        _ => String::new(),
    }
}
