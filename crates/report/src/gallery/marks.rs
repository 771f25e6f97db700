//! What the marks behind figures mean, without the reasons of single places: these stand on the pages of the platforms.

use crate::legend::{self, CLIENT, EQUIVALENT, LIMIT, OTHER_CODE, PARENTHESES, RATED, SUSPECT, UNUSED};
use dbdyno_model::Flag;

/// The signs; flags have letters.
const SIGNS: [(char, &str); 8] = [
    (
        PARENTHESES,
        "in parentheses: no figure of what the test is meant to measure, or of other work: neither ranked nor divided",
    ),
    (SUSPECT, "a published figure that its reader should doubt"),
    (LIMIT, "a published figure that is a lower limit"),
    (UNUSED, "a published figure that is shown and not used"),
    (OTHER_CODE, "of another test"),
    (EQUIVALENT, "equivalent: done by other means than the test names"),
    (CLIENT, "client drive: dbdyno sent each statement"),
    (RATED, "at a set rate, which the platform was asked for: no measure of what it can do"),
];

/// Every mark with its meaning, in the order for readers.
pub(super) fn all() -> Vec<(char, String)> {
    let signs = SIGNS.map(|(sign, words)| (sign, words.to_owned()));
    let flag = |flag: Flag| (legend::letter(flag), format!("{}: {}", flag.name(), flag.advice()));
    signs.into_iter().chain(Flag::ALL.map(flag)).collect()
}
