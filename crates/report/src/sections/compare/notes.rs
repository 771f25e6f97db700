//! The notes on the figures of a comparison: what their marks mean, the doubts, the equivalents, and the tests that
//! only one side has.

use super::super::words::text;
use super::extent::Extent;
use super::sides::letter;
use super::stated;
use crate::compare::{ComparedCell, ComparedRow, Comparison, KeyFigure, Rank};
use crate::document::{BEST, Block, LegendEntry, Note, Section, WORST};
use crate::figures::is_doubtful;
use crate::groups::{grouped, joined, unique};
use crate::legend::{EQUIVALENT, LIMIT, Legend, OTHER_CODE, PARENTHESES, SUSPECT, UNUSED, doubt, entry};
use dbdyno_model::SuspectCode;

/// Doubts that follow from the tool and are shared by hundreds of values: few digits, a shortest time. Their code is
/// the reason.
const FORMAL: [SuspectCode; 3] = [SuspectCode::Floor, SuspectCode::Quantised, SuspectCode::Rounding];

/// A sign, what it means, and whether a cell carries it.
type Sign = (char, &'static str, fn(&ComparedCell) -> bool);

/// The signs that only comparisons have.
const SIGNS: [Sign; 4] = [
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
    entries.extend(of_sides(comparison, OTHER_CODE, |cell| {
        let same = if cell.unlike.is_none() { ", which is the same work" } else { "" };
        Some(format!(": measured as {}{same}", cell.test.as_ref()?))
    }));
    let apart = apart(comparison);
    if show != Extent::Page {
        let equivalent = |cell: &ComparedCell| Some(format!(" equivalent: {}", cell.equivalent.as_ref()?));
        entries.extend(of_sides(comparison, EQUIVALENT, equivalent));
    } else if !apart.is_empty() && !cells().any(|cell| is_doubtful(&cell.flags)) {
        entries.push(entry(PARENTHESES, "figures that are neither ranked nor divided"));
    }
    section.push(entries);
    section.blocks.extend(apart);
    if show != Extent::Page {
        section.blocks.extend(doubts(comparison));
        let mut flags = Legend::default();
        flags.add([], cells().flat_map(|cell| cell.flags.iter().copied()));
        section.blocks.extend(flags.blocks());
    }
    section.with(comparison.sides.iter().enumerate().filter_map(|(at, side)| {
        let alone = comparison.alone.iter().filter(|(_, of)| *of == at);
        let codes = joined(alone.map(|(code, _)| code), ", ");
        (!codes.is_empty()).then(|| Note::led(format!("Only {} ({}) has ", letter(at), side.name), codes).into())
    }))
}

/// Which figures are of other work than those beside them, each reason once.
fn apart(comparison: &Comparison) -> Vec<Block> {
    let of_sides = of_cells(comparison, |cell| cell.unlike.as_deref()).into_iter();
    let of_sides = of_sides.map(|(row, at, why)| (why, format!("{} {}", row.test, letter(at))));
    let of_rows = comparison.all_rows().filter(|row| row.unlike_sizes);
    let of_rows = of_rows.map(|row| (text("notes", "sizes"), format!("{} {}", row.test, row.which.words())));
    let note = |(why, places): (&str, Vec<String>)| {
        let places = unique(places).join(", ");
        Note::plain(format!("In parentheses, neither ranked nor divided: {places}: {why}.")).into()
    };
    grouped(of_sides.chain(of_rows)).into_iter().map(note).collect()
}

/// An entry for what is said of cells of a test, with the letters of its sides.
fn of_sides(comparison: &Comparison, mark: char, said: impl Fn(&ComparedCell) -> Option<String>) -> Vec<LegendEntry> {
    let cells = of_cells(comparison, said).into_iter();
    // A test has several rows.
    let cells = unique(cells.map(|(row, at, said)| ((row.test.as_str(), said), letter(at))));
    let one = |((test, said), letters): ((&str, String), Vec<&str>)| {
        entry(mark, format!("{test} {}{said}", letters.concat()))
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
    let suspects = of_cells(comparison, |cell| cell.suspect.as_ref());
    let measured = suspects.iter().filter(|(row, ..)| row.which != KeyFigure::Scaling);
    let measured: Vec<_> = measured.map(|(row, at, suspect)| (&row.test, *at, *suspect)).collect();
    // A scaling has the doubts of the figures that it is made of.
    let suspects = suspects.iter().copied().filter(|(row, at, suspect)| {
        row.which != KeyFigure::Scaling || !measured.contains(&(&row.test, *at, *suspect))
    });
    let (formal, own): (Vec<_>, Vec<_>) =
        suspects.partition(|(.., suspect)| suspect.codes.iter().all(|code| FORMAL.contains(code)));
    for (row, at, suspect) in own {
        legend.doubts.add(format!("{} {} {}", row.test, row.which.words(), letter(at)), suspect);
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
    let of_code = |code: SuspectCode| {
        let places = formal.iter().filter(|(.., suspect)| suspect.codes.contains(&code));
        let places = places.map(|(row, at, _)| (format!("{} {}", row.test, row.which.words()), letter(*at)));
        // The summary has some figures again.
        let places = grouped(unique(places)).into_iter();
        let places = joined(places.map(|(place, sides)| format!("{place} {}", sides.concat())), ", ");
        let text = format!("{} ({}): {places}", code.name(), code.advice());
        (!places.is_empty()).then(|| entry(SUSPECT, text))
    };
    let entries: Vec<LegendEntry> = FORMAL.into_iter().filter_map(of_code).collect();
    let formal = (!entries.is_empty()).then(|| [entries.into(), Note::led("  ", text("notes", "formal")).into()]);
    legend.blocks().into_iter().chain(formal.into_iter().flatten()).collect()
}
