//! The page of a profile: equal to its golden files, and safe for any text.

// A test that cannot be set up fails; clippy sees that only inside #[test] functions.
#![allow(clippy::unwrap_used)]

mod watched;

use dbdyno_report::profile_document;
use std::path::Path;
use watched::{profile, remote_profile, short_profile};

fn golden(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden_headroom").join(name);
    if std::env::var_os("DBDYNO_BLESS").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap();
    assert!(expected == text, "{name} differs from its golden file. It is now:\n{text}");
}

/// A page without style and script, an element a line.
fn body(page: &str) -> String {
    let body = page.split_once("<body").map_or("", |(_, body)| body);
    body.split("<script>").next().unwrap_or_default().replace('<', "\n<").replace("\n</", "</")
}

#[test]
fn it_is_shown_as_the_golden_files_say() {
    let document = profile_document(&profile());
    golden("profile.txt", &document.text(Some(120)));
    golden("profile.80.txt", &document.text(Some(80)));
    golden("profile.md", &document.markdown());
    golden("profile.html", &body(&document.page()));
    golden("profile_remote.80.txt", &profile_document(&remote_profile()).text(Some(80)));
}

#[test]
fn names_are_no_markup_and_a_short_profile_says_that_it_has_no_peak_minute() {
    let mut short = short_profile();
    short.name = "<b>x</b>".to_owned();
    let document = profile_document(&short);
    let page = document.page();
    assert!(page.contains("Profile &lt;b&gt;x&lt;/b&gt;") && !page.contains("<b>x</b>"));
    let text = document.text(Some(80));
    assert!(text.contains("so there is no peak minute"), "{text}");
}

#[test]
fn many_days_have_a_row_each_with_the_busiest_hour() {
    let mut long = profile();
    let first = long.seen.figures["database.commits_per_s"].hours[0];
    for figure in long.seen.figures.values_mut() {
        let hour = |n: i64| dbdyno_model::ProfileHour {
            from: first.from + jiff::SignedDuration::from_hours(n),
            mean: 10.0 + n as f64,
            peak: 20.0 + n as f64,
        };
        figure.hours = (0..60).map(hour).collect();
    }
    let text = profile_document(&long).text(Some(120));
    let day = text.lines().find(|line| line.starts_with("2026-11-29")).unwrap();
    assert!(day.split_whitespace().nth(1).is_some_and(|mean| mean == "48.00"), "{text}");
    assert!(!text.contains("2026-11-29 00:00"), "{text}");
}

#[test]
fn an_empty_profile_says_so() {
    let mut nothing = profile();
    nothing.seen = Default::default();
    nothing.platform = None;
    let text = profile_document(&nothing).text(Some(80));
    assert!(text.contains("Nothing was told"), "{text}");
}
