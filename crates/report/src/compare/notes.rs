//! The notes below the figures of a comparison: marks, doubts, equivalents, flags, and tests that only one side has.

use super::side_marks::{BEST, LIMIT, UNUSED, WORST, letter};
use super::{Comparison, KeyFigure};
use crate::groups::{grouped, unique};
use crate::legend::{self, Doubts, EQUIVALENT, SUSPECT};
use crate::text::hanging;
use dbdyno_model::{Flag, SuspectCode};

/// Doubts that follow from the tool and are shared by hundreds of values: few digits, a shortest time. Their code is
/// the reason.
const FORMAL: [SuspectCode; 3] = [SuspectCode::Floor, SuspectCode::Quantised, SuspectCode::Rounding];

/// The notes.
pub(super) fn below_figures(comparison: &Comparison, width: Option<u16>) -> String {
    let mut out = String::from("\n");
    let text = format!(
        "{BEST} best and {WORST} worst of a row; {SUSPECT} a published value with a doubt, {LIMIT} one that is a lower limit, {UNUSED} one that is shown and \
         not used; {EQUIVALENT} work done by other means; in parentheses what is not a figure of what the test means."
    );
    out.push_str(&hanging("", &text, width));
    out.push_str(&doubts(comparison, width));
    let flags: Vec<Flag> =
        comparison.rows.iter().flat_map(|r| &r.cells).flat_map(|c| c.flags.iter().copied()).collect();
    let how = comparison.rows.iter().flat_map(|row| {
        let cells = row.cells.iter().enumerate();
        cells.filter_map(move |(at, c)| Some(format!("{} {}: {}", row.test, letter(at), c.equivalent.as_ref()?)))
    });
    for text in unique(how) {
        out.push_str(&hanging(&format!("{EQUIVALENT} "), &text, width));
    }
    for flag in Flag::ALL.into_iter().filter(|f| flags.contains(f)) {
        out.push_str(&legend::advice(flag, width));
    }
    for (at, side) in comparison.sides.iter().enumerate() {
        let codes: Vec<&str> =
            comparison.alone.iter().filter(|(_, s)| *s == at).map(|(code, _)| code.as_str()).collect();
        if !codes.is_empty() {
            out.push_str(&hanging(&format!("Only {} ({}) has ", letter(at), side.name), &codes.join(", "), width));
        }
    }
    out
}

/// Every doubt: those with a reason of their own in a paragraph each, the formal ones together.
fn doubts(comparison: &Comparison, width: Option<u16>) -> String {
    let mut doubts = Doubts::default();
    let mut formal: Vec<((SuspectCode, String), &str)> = Vec::new();
    for row in &comparison.rows {
        let which = if row.which == KeyFigure::Speed { "speed" } else { "throughput" };
        for (at, suspect) in row.cells.iter().enumerate().filter_map(|(at, c)| Some((at, c.suspect.as_ref()?))) {
            if suspect.codes.iter().any(|code| !FORMAL.contains(code)) {
                doubts.add(format!("{} {which} {}", row.test, letter(at)), suspect);
                continue;
            }
            let of_codes = suspect.codes.iter().map(|code| ((*code, format!("{} {which}", row.test)), letter(at)));
            formal.extend(of_codes);
        }
    }
    for other in &comparison.others {
        for row in &other.rows {
            for (at, suspect) in row.suspects.iter().enumerate().filter_map(|(at, s)| Some((at, s.as_ref()?))) {
                doubts.add(format!("{} {} {}", other.test, other.key, letter(at)), suspect);
            }
        }
    }
    let formal = grouped(formal);
    let mut out = doubts.render(width);
    for code in FORMAL {
        let of_code = formal.iter().filter(|((c, _), _)| *c == code);
        let places: Vec<String> =
            of_code.map(|((_, place), letters)| format!("{place} {}", letters.concat())).collect();
        if !places.is_empty() {
            let text = format!("{} ({}): {}", code.name(), code.advice(), places.join(", "));
            out.push_str(&hanging(&format!("{SUSPECT} "), &text, width));
        }
    }
    if !formal.is_empty() {
        let text = "The reason of each in `dbdyno show PLATFORM --table published`, and in --json.";
        out.push_str(&hanging("  ", text, width));
    }
    out
}
