//! What keeps two figures from being divided: what one of them is, and what the two have unlike. A comparison judges
//! the cells of its rows by this, and the cards of platforms carry it to where any two of them meet.

use super::row::ComparedCell;
use crate::figures::DOUBTFUL;
use dbdyno_model::{Commits, Flag, UsableFor};

/// What is said where a figure depends on the amount of data, and the sides hold other amounts.
pub(crate) const SIZES_DIFFER: &str = "the figure depends on the amount of data, which is another";

/// Stands for the figure in the words of a [`Bar`].
pub(crate) const FIGURE: &str = "{figure}";
/// Stand for what the baseline and the other side have, in the words of a [`Likeness`].
pub(crate) const BASE: &str = "{base}";
pub(crate) const OTHER: &str = "{other}";

/// Something that two figures must have alike. Where one of them has none, nothing is known to differ.
pub(crate) struct Likeness {
    /// What a figure has of it.
    pub(crate) of: fn(&ComparedCell) -> Option<String>,
    /// What is said where it differs.
    pub(crate) words: &'static str,
}

/// Figures that differ in these are of other work than each other. The other side's stands in parentheses.
pub(crate) const OF_WORK: [Likeness; 2] = [
    Likeness {
        of: |cell| Some(cell.rows_per_tx?.to_string()),
        words: "of transactions of {other} rows, which are other work than those of {base}",
    },
    Likeness { of: |cell| cell.way.clone(), words: "of users {other}, which is other work than {base}" },
];

/// Figures of the same work that differ in this are not divided.
pub(crate) const OF_COMMITS: Likeness = Likeness {
    of: |cell| cell.commits.map(|commits| commits.words().to_owned()),
    words: "commits of one are {base}, of the other {other}",
};

impl Likeness {
    /// What is said where the other side has something else than the baseline.
    pub(super) fn said(&self, base: &str, other: &str) -> String {
        // What is put in is not looked through again.
        let mut parts = self.words.split(OTHER);
        let before = parts.next().unwrap_or_default().replace(BASE, base);
        parts.fold(before, |said, part| said + other + &part.replace(BASE, base))
    }
}

/// Why a figure is not divided, whatever stands beside it. Of several reasons the first counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Bar {
    /// It is of other work than its row.
    OtherWork,
    /// It is a published value that is doubted.
    Doubted,
    /// It is no figure of what the test is meant to measure.
    Flagged,
    /// Only a bound of it is known.
    Bound,
}

/// Why a figure is not divided, if it is not, in words that have [`FIGURE`] in its place.
pub(crate) fn bar(cell: &ComparedCell) -> Option<(Bar, String)> {
    if let Some(why) = &cell.unlike {
        return Some((Bar::OtherWork, format!("{FIGURE} is {why}")));
    }
    let doubt = match cell.usable_for {
        UsableFor::Nothing => Some("is not the figure that it seems to be"),
        UsableFor::NotForComparison => Some("does not compare"),
        UsableFor::LowerLimit => Some("is a lower limit only"),
        UsableFor::Value => None,
    };
    if let Some(why) = doubt {
        let names = cell.suspect.as_ref().map_or_else(String::new, |s| format!(" ({})", s.names()));
        return Some((Bar::Doubted, format!("{FIGURE} {why}{names}")));
    }
    if cell.doubtful {
        let barring = [Flag::WritesDeferred];
        let flags = DOUBTFUL.iter().chain(&barring).filter(|flag| cell.flags.contains(flag)).map(|flag| flag.name());
        let flags = flags.collect::<Vec<_>>().join(", ");
        return Some((Bar::Flagged, format!("{FIGURE} is no figure of the test: {flags}")));
    }
    cell.bound.map(|_| (Bar::Bound, "a bound is no value".to_owned()))
}

/// Why two figures must not be divided.
pub(super) fn unfit(base: &ComparedCell, other: &ComparedCell) -> Option<String> {
    let barred = |cell: &ComparedCell| bar(cell).map(|(bar, words)| (bar, words.replacen(FIGURE, &cell.text, 1)));
    let barred = [base, other].into_iter().filter_map(barred).min_by_key(|(bar, _)| *bar);
    let commits = || {
        let (one, other) = (OF_COMMITS.of)(base).zip((OF_COMMITS.of)(other))?;
        (one != other).then(|| OF_COMMITS.said(&one, &other))
    };
    barred.map(|(_, why)| why).or_else(commits)
}

/// Whether a figure was reached with commits that a crash can lose.
pub(super) fn is_unsafe(cell: &ComparedCell) -> bool {
    cell.commits == Some(Commits::Unsafe)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_has_each_side_in_its_place() {
        let [transactions, ways] = &OF_WORK;
        assert_eq!(transactions.said("1", "320"), "of transactions of 320 rows, which are other work than those of 1");
        assert_eq!(ways.said("{other}", "{base}"), "of users {base}, which is other work than {other}");
        assert_eq!(OF_COMMITS.said("durable", "unsafe"), "commits of one are durable, of the other unsafe");
    }
}
