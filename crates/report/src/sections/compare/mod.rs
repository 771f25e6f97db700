//! A comparison in words and figures: what does not compare, what differs, then the figures. Sides have letters, so
//! that twenty of them fit beside each other.

mod curves;
mod efficiency;
mod extent;
pub(crate) mod figures;
mod in_turn;
mod latency;
pub(crate) mod layers;
mod notes;
pub(crate) mod ratios;
mod sides;
mod stated;
mod summarised;

pub use extent::Extent;

use super::{marks, method, platform, verdict};
use crate::compare::{Comparison, KeyFigure, Side};
use crate::sections::prelude::*;
use crate::verdict::Verdict;

impl Comparison {
    /// The report. `verdicts` are those of the sides, if requirements were given.
    #[must_use]
    pub fn document(&self, sides: &[Side], verdicts: &[Verdict], catalogue: &Catalogue, show: Extent) -> Document {
        let mut sections = vec![
            verdict::section(verdicts),
            in_turn::section(self),
            differs(self),
            figures::summary(self),
            layers::section(self),
            figures::section(self, KeyFigure::Speed, "heat-speed"),
            figures::section(self, KeyFigure::Throughput, "heat-throughput"),
            curves::section(self, catalogue, show),
            latency::section(self, sides),
            curves::others(self),
            stated::section(self),
            notes::section(self, show),
            ratios::section(self),
            efficiency::section(self, show),
        ];
        if show == Extent::Summary {
            return summarised::document(self, title(self), head(self), sections);
        }
        sections.push(ratios::regression(self));
        if show == Extent::Page {
            // The newest run of a sample stands for all where settings are shown.
            let newest: Vec<&RunJson> = sides.iter().filter_map(|side| side.runs.first()).collect();
            let runs: Vec<&RunJson> = sides.iter().flat_map(|side| &side.runs).collect();
            let columns = sides::word_columns(self);
            sections.extend([
                platform::beside(&newest, &columns),
                marks::section(&runs),
                method::section(&newest, &columns),
            ]);
        }
        let title = if show == Extent::Page { title(self) } else { String::new() };
        Document { kind: "dbdyno comparison", title, head: head(self), sections }
    }

    /// What was measured in turn, and what differs between the sides.
    #[must_use]
    pub fn document_of_pairs(&self) -> Document {
        let sections = vec![in_turn::section(self), differs(self)];
        Document { kind: "dbdyno pair", title: String::new(), head: head(self), sections }
    }
}

fn title(comparison: &Comparison) -> String {
    let names: Vec<&str> = comparison.sides.iter().map(|s| s.name.as_str()).collect();
    match names[..] {
        [ref all @ .., last] if names.len() <= 3 => format!("{} and {last}", all.join(", ")),
        _ => format!("{} platforms", names.len()),
    }
}

/// The sides, their sources, and what does not compare.
fn head(comparison: &Comparison) -> Vec<Block> {
    let notices = comparison.notices.iter().map(Note::notice);
    let notes = sides::sources(comparison).chain(notices).map(Block::from);
    let warnings = comparison.warnings.iter().map(|warning| warning.text.clone()).collect();
    [sides::lines(comparison).into()].into_iter().chain(notes).chain([Block::Warnings(warnings)]).collect()
}

fn differs(comparison: &Comparison) -> Section {
    let rows = comparison.settings.iter().map(|s| (s.name.clone(), s.values.clone())).collect();
    let settings = Table::beside("Settings that differ", &sides::word_columns(comparison), rows);
    alone(words::section("differs").with([settings.into()]))
}
