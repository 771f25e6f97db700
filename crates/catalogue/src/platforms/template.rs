//! A platform file with every key that can be said, to be filled in.

use dbdyno_model::{DescribedKey, DescribedTable};
use std::fmt::Write as _;

const HEAD: &str = "\
## What dbdyno cannot see of a platform, as its owner says it. Remove the # before what you know, put your own values there,
## and attach the file to a run, or to all runs of a label:
##     dbdyno describe RUN --file platform.toml
";

const AFTER_PLATFORM: &str = r#"
## what a reader should know
# notes = ["The second controller was in maintenance."]

## settings of any name
# [platform.config]
# archiving = true
"#;

const REST: &str = r#"
## what one unit of each currency is worth in US dollars, and of which day; comparisons divide by dollars. Without rates all
## prices must be in one currency; comparisons divide by it where all sides have the same
# [rates]
# date = "2026-11-01"
# EUR = 1.08

## once for each thing that is paid for; terms: how exact it is, its date, what it covers
# [[price]]
# of = "server"
# amount = 54_000
# currency = "EUR"
# terms = "list price, with three years of support"

## once for each remark: on a test (test = "T611") or on a workload (workload = "tpcb")
# [[remark]]
# test = "T611"
# text = "One of the two sockets was shut off for this test."

## an empty line separates paragraphs
# [conclusion]
# text = """
# The new servers carry the load of both old ones.
#
# Their storage is what to buy more of next."""
"#;

/// A platform file in which every key stands, with what it means and an example, behind a `#`.
#[must_use]
pub fn platform_template() -> String {
    let mut text = HEAD.to_owned();
    for table in [DescribedTable::Platform, DescribedTable::Storage, DescribedTable::Licences] {
        // Writing to a text cannot fail.
        _ = writeln!(text, "\n# [{}]", table.name());
        for DescribedKey { key, example, what, .. } in DescribedKey::of(table) {
            _ = writeln!(text, "## {what}\n# {key} = {example}");
        }
        if table == DescribedTable::Platform {
            text.push_str(AFTER_PLATFORM);
        }
    }
    text.push_str(REST);
    text
}
