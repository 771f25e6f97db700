//! A gallery of a thousand platforms.

use crate::{catalogue, fixture, gallery, references, text};
use dbdyno_report::gallery::of_all;
use std::collections::BTreeSet;

#[test]
fn the_index_of_a_thousand_platforms_is_small() {
    let catalogue = catalogue();
    let mut runs = references(&catalogue);
    runs.push(fixture::run());
    let (entries, _) = gallery(&runs, &catalogue);
    let thousand: Vec<_> = entries.iter().cycle().take(1_000).cloned().collect();
    let files = of_all(&thousand, &BTreeSet::new(), &catalogue);
    let [index, compare] = ["index.html", "compare.html"].map(|name| text(&files, name).len());
    assert!(index < 2_000_000 && compare < 500_000, "{index} and {compare} bytes");
    // A name cannot fill it, however long it is.
    runs[0].run.label = Some("x".repeat(1_000_000));
    let (_, files) = gallery(&runs, &catalogue);
    assert!(text(&files, "index.html").len() < 60_000);
}
