//! What the marks behind figures mean, without the reasons of single places: these stand on the pages of the platforms.

use crate::legend::{self, CLIENT, EQUIVALENT, LIMIT, OTHER_CODE, PARENTHESES, RATED, SUSPECT, UNUSED};
use crate::legend::{DOUBT_WORDS, EQUIVALENT_WORDS, RATED_WORDS};
use dbdyno_model::Flag;

/// The signs; flags have letters.
const SIGNS: [(char, &str); 8] = [
    (
        PARENTHESES,
        "in parentheses: no figure of what the test is meant to measure, or of other work: neither ranked nor divided",
    ),
    (SUSPECT, DOUBT_WORDS),
    (LIMIT, "a published figure that is a lower limit"),
    (UNUSED, "a published figure that is shown and not used"),
    (OTHER_CODE, "of another test"),
    (EQUIVALENT, EQUIVALENT_WORDS),
    (CLIENT, "client drive: dbdyno sent each statement"),
    (RATED, RATED_WORDS),
];

/// Every mark with its meaning, in the order for readers.
pub(super) fn all() -> Vec<(char, String)> {
    let signs = SIGNS.map(|(sign, words)| (sign, words.to_owned()));
    let flag = |flag: Flag| (legend::letter(flag), format!("{}: {}", flag.name(), flag.advice()));
    signs.into_iter().chain(Flag::ALL.map(flag)).collect()
}
