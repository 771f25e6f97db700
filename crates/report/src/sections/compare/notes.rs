//! The notes on the figures of a comparison: what their marks mean, the doubts, the equivalents, and the tests that
//! only one side has.

use super::extent::Extent;
use super::sides::letter;
use super::stated;
use crate::compare::{ComparedCell, ComparedRow, Comparison, KeyFigure, Rank};
use crate::document::{BEST, Block, LegendEntry, Note, Section, WORST};
use crate::figures::is_doubtful;
use crate::groups::{grouped, joined, unique};
use crate::legend::{EQUIVALENT, LIMIT, Legend, OTHER_CODE, PARENTHESES, SUSPECT, UNUSED, doubt, entry};
use dbdyno_model::{Suspect, SuspectCode};

/// Doubts that follow from the tool and are shared by hundreds of values: few digits, a shortest time. Their code is
/// the reason.
const FORMAL: [SuspectCode; 3] = [SuspectCode::Floor, SuspectCode::Quantised, SuspectCode::Rounding];

/// Whether a cell carries a sign.
type Carries = fn(&ComparedCell) -> bool;

/// The signs that only comparisons have.
const SIGNS: [(char, &str, Carries); 4] = [
    (BEST, "the best of its row", |cell| cell.rank == Rank::Best),
    (WORST, "the worst of its row", |cell| cell.rank == Rank::Worst),
    (LIMIT, "a published value that is a lower limit", |cell| doubt(cell.suspect.as_ref()) == Some(LIMIT)),
    (UNUSED, "a published value that is shown and not used", |cell| doubt(cell.suspect.as_ref()) == Some(UNUSED)),
];

/// The section. A page explains all other marks in a section of its own.
pub(super) fn section(comparison: &Comparison, show: Extent) -> Section {
    let mut section = Section::new("notes", "Notes");
    let cells = || comparison.all_rows().flat_map(|row| &row.cells);
    let signs = SIGNS.into_iter().filter(|(.., carries)| cells().any(carries));
    let mut entries: Vec<LegendEntry> = signs.map(|(mark, text, _)| entry(mark, text)).collect();
    let others = of_cells(comparison, |cell| Some((cell.test.as_ref()?, cell.unlike.is_none())));
    entries.extend(of_sides(OTHER_CODE, others, |(code, is_same)| {
        format!(": measured as {code}{}", if is_same { ", which is the same work" } else { "" })
    }));
    if show == Extent::Page {
        let apart = apart(comparison);
        if !apart.is_empty() && !cells().any(|cell| is_doubtful(&cell.flags)) {
            entries.push(entry(PARENTHESES, "figures that are neither ranked nor divided"));
        }
        section.push(entries);
        section.blocks.extend(apart);
    } else {
        let equivalents = of_cells(comparison, |cell| cell.equivalent.as_ref());
        entries.extend(of_sides(EQUIVALENT, equivalents, |how| format!(" equivalent: {how}")));
        section.push(entries);
        section.blocks.extend(apart(comparison));
        section.blocks.extend(doubts(comparison));
        let mut flags = Legend::default();
        flags.add_flags(cells().flat_map(|cell| cell.flags.iter().copied()));
        section.blocks.extend(flags.blocks());
    }
    for (at, side) in comparison.sides.iter().enumerate() {
        let alone = comparison.alone.iter().filter(|(_, of)| *of == at);
        let codes = joined(alone.map(|(code, _)| code), ", ");
        if !codes.is_empty() {
            section.push(Note::led(format!("Only {} ({}) has ", letter(at), side.name), codes));
        }
    }
    section
}

/// Which figures are of other work than those beside them, each reason once.
fn apart(comparison: &Comparison) -> Vec<Block> {
    let of_sides = of_cells(comparison, |cell| cell.unlike.as_ref()).into_iter();
    let of_sides = of_sides.map(|(row, at, why)| (why.clone(), format!("{} {}", row.test, letter(at))));
    let of_rows = comparison.all_rows().filter(|row| row.unlike_sizes).map(|row| {
        let why = "the figure depends on the amount of data, which is another";
        (why.to_owned(), format!("{} {}", row.test, row.which.words()))
    });
    let note = |(why, places): (String, Vec<String>)| {
        let places = unique(places).join(", ");
        Note::plain(format!("In parentheses, neither ranked nor divided: {places}: {why}.")).into()
    };
    grouped(of_sides.chain(of_rows)).into_iter().map(note).collect()
}

/// An entry for what cells of a test have, with the letters of its sides.
fn of_sides<T: PartialEq>(
    mark: char,
    cells: Vec<(&ComparedRow, usize, T)>,
    words: impl Fn(T) -> String,
) -> Vec<LegendEntry> {
    // A test has several rows.
    let cells = unique(cells.into_iter().map(|(row, at, of)| ((row.test.as_str(), of), letter(at))));
    let one = |((test, of), letters): ((&str, T), Vec<&str>)| {
        entry(mark, format!("{test} {}{}", letters.concat(), words(of)))
    };
    grouped(cells).into_iter().map(one).collect()
}

/// What cells have, with their rows and sides.
fn of_cells<'c, T>(
    comparison: &'c Comparison,
    of: impl Fn(&'c ComparedCell) -> Option<T>,
) -> Vec<(&'c ComparedRow, usize, T)> {
    let cells = comparison.all_rows().flat_map(|row| row.cells.iter().enumerate().map(move |(at, c)| (row, at, c)));
    cells.filter_map(|(row, at, cell)| Some((row, at, of(cell)?))).collect()
}

/// Every doubt: those with a reason of their own one by one, the formal ones together.
fn doubts(comparison: &Comparison) -> Vec<Block> {
    let mut legend = Legend::default();
    let mut formal: Vec<((SuspectCode, String), &str)> = Vec::new();
    let suspects = of_cells(comparison, |cell| cell.suspect.as_ref());
    // A scaling has the doubts of the figures that it is made of.
    let is_made = |row: &ComparedRow| row.which == KeyFigure::Scaling;
    let is_said = |of: (&ComparedRow, usize, &Suspect)| {
        let same =
            |(row, at, doubt): &(&ComparedRow, usize, &Suspect)| (&row.test, *at, *doubt) == (&of.0.test, of.1, of.2);
        is_made(of.0) && suspects.iter().any(|other| !is_made(other.0) && same(other))
    };
    for (row, at, suspect) in suspects.iter().copied().filter(|of| !is_said(*of)) {
        let place = format!("{} {}", row.test, row.which.words());
        if suspect.codes.iter().any(|code| !FORMAL.contains(code)) {
            legend.doubts.add(format!("{place} {}", letter(at)), suspect);
        } else {
            formal.extend(suspect.codes.iter().map(|code| ((*code, place.clone()), letter(at))));
        }
    }
    for other in &comparison.others {
        for (at, suspect) in other.rows.iter().flat_map(|row| row.suspects.iter().enumerate()) {
            legend.doubts.add(format!("{} {} {}", other.test, other.key, letter(at)), suspect);
        }
    }
    for row in &comparison.stated.rows {
        for (column, cell) in comparison.stated.columns.iter().zip(&row.cells) {
            let place = joined([row.name.trim(), &stated::name(column, " ")], " ");
            legend.doubts.add(place, cell.as_ref().and_then(|cell| cell.suspect.as_ref()));
        }
    }
    // The summary has some figures again.
    let formal = grouped(unique(formal));
    let of_code = |code: SuspectCode| {
        let places = formal.iter().filter(|((c, _), _)| *c == code);
        let places = joined(places.map(|((_, place), sides)| format!("{place} {}", sides.concat())), ", ");
        let text = format!("{} ({}): {places}", code.name(), code.advice());
        (!places.is_empty()).then(|| entry(SUSPECT, text))
    };
    let entries: Vec<LegendEntry> = FORMAL.into_iter().filter_map(of_code).collect();
    let text = "The reason of each in `dbdyno show PLATFORM --table published`, and in --json.";
    let formal = (!entries.is_empty()).then(|| [entries.into(), Note::led("  ", text).into()]);
    legend.blocks().into_iter().chain(formal.into_iter().flatten()).collect()
}
