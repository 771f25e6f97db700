//! The notes on the figures of a comparison: what their marks mean, the doubts, the equivalents, and the tests that
//! only one side has.

use super::extent::Extent;
use super::sides::letter;
use super::stated;
use crate::compare::{ComparedCell, ComparedRow, Comparison, Rank};
use crate::document::{BEST, LegendEntry, WORST};
use crate::legend::{LIMIT, OTHER_CODE, PARENTHESES, UNUSED, doubt};
use crate::sections::prelude::*;
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

/// The section. A page explains equivalents, doubts and flags in a section of its own.
pub(super) fn section(comparison: &Comparison, show: Extent) -> Section {
    let mut section = words::section("notes");
    let signs = SIGNS.into_iter().filter(|(.., carries)| cells(comparison).any(|(.., cell)| carries(cell)));
    let signs = signs.map(|(mark, text, _)| entry(mark, text));
    let others = of_sides(comparison, OTHER_CODE, |cell| {
        let same = if cell.unlike.is_none() { ", which is the same work" } else { "" };
        Some(format!(": measured as {}{same}", cell.test.as_ref()?))
    });
    section.push(signs.chain(others).chain(apart(comparison)).collect::<Vec<_>>());
    if show != Extent::Page {
        let equivalent = |cell: &ComparedCell| Some(format!(" equivalent: {}", cell.equivalent.as_ref()?));
        section.push(of_sides(comparison, EQUIVALENT, equivalent));
        section.blocks.extend(doubts_and_flags(comparison));
    }
    let alone = grouped(comparison.alone.iter().map(|(code, at)| (*at, code.as_str())));
    section.with(alone.into_iter().map(|(at, codes)| {
        Note::led(format!("Only {} ({}) has ", letter(at), comparison.sides[at].name), codes.join(", ")).into()
    }))
}

/// Which figures are of other work than those beside them, each reason once.
fn apart(comparison: &Comparison) -> Vec<LegendEntry> {
    let of_sides = cells(comparison)
        .filter_map(|(row, at, cell)| Some((cell.unlike.as_deref()?, format!("{} {}", row.test, letter(at)))));
    let of_rows = comparison.all_rows().filter(|row| row.unlike_sizes);
    let of_rows = of_rows.map(|row| (text("notes", "sizes"), format!("{} {}", row.test, row.which.words())));
    let one = |(why, places): (&str, Vec<String>)| {
        entry(PARENTHESES, format!("neither ranked nor divided: {}: {why}", unique(places).join(", ")))
    };
    let each: Vec<LegendEntry> = grouped(of_sides.chain(of_rows)).into_iter().map(one).collect();
    let all = (!each.is_empty()).then(|| entry(PARENTHESES, text("notes", "apart")));
    all.into_iter().chain(each).collect()
}

/// An entry for what is said of cells of a test, with the letters of its sides.
fn of_sides(comparison: &Comparison, mark: char, said: impl Fn(&ComparedCell) -> Option<String>) -> Vec<LegendEntry> {
    // A test has several rows.
    let cells = unique(cells(comparison).filter_map(|(row, at, cell)| Some(((&*row.test, said(cell)?), letter(at)))));
    let one = |((test, said), letters): ((&str, String), Vec<&str>)| {
        entry(mark, format!("{test} {}{said}", letters.concat()))
    };
    grouped(cells).into_iter().map(one).collect()
}

/// All cells, with their rows and sides.
fn cells(comparison: &Comparison) -> impl Iterator<Item = (&ComparedRow, usize, &ComparedCell)> {
    comparison.all_rows().flat_map(|row| row.cells.iter().enumerate().map(move |(at, cell)| (row, at, cell)))
}

/// Every flag, and every doubt: those with a reason of their own one by one, the formal ones together.
fn doubts_and_flags(comparison: &Comparison) -> Vec<Block> {
    let mut legend = Legend::default();
    legend.add([], cells(comparison).flat_map(|(.., cell)| cell.flags.iter().copied()));
    let suspects = cells(comparison).filter_map(|(row, at, cell)| Some((row, at, cell.suspect.as_ref()?)));
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
