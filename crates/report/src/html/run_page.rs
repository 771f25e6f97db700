//! The page of one run, or of one published result.

use super::page::{Anchor, document, navigation, notice};
use super::reported::Reported;
use super::{keys, latency, marks, method, pace, published, ramps, scaling, sheet, storage, verdict};
use crate::summary::head::facts;
use crate::text::clean;
use dbdyno_catalogue::Catalogue;
use dbdyno_model::RunJson;
use maud::{Markup, html};

/// The page of a run, or of a published result.
#[must_use]
pub fn page(reported: &Reported, catalogue: &Catalogue) -> String {
    let run = &reported.run;
    let classes = ramps::sections(run, catalogue);
    let before = [
        ("verdict", "Verdict", verdict::section(reported.verdict.as_slice())),
        ("key-metrics", "Key metrics", keys::section(run, catalogue)),
        ("storage-share", "Storage's share", storage::share(run, catalogue)),
        ("storage", "Storage", storage::section(run)),
        ("platform", "Platform", sheet::section(run)),
        ("pace", "Pace", pace::section(run)),
    ];
    let after = [
        ("published", "As printed", published::section(run)),
        ("scaling", "Scaling law", scaling::section(run, catalogue)),
        ("latency", "Latency", latency::section(run, &reported.times, catalogue)),
        ("flags", "Flags and marks", marks::section(&[run])),
        ("method", "Method and settings", method::section(&[run], &[run.name().to_owned()])),
    ];
    let mut places = named(&before);
    places.extend(classes.iter().map(|(class, _)| (format!("class-{class}"), class.clone())));
    places.extend(named(&after));
    let content = html! {
        header {
            p.kind { @if run.published.is_some() { "Published result" } @else { "dbdyno platform report" } }
            h1 { (clean(run.name())) }
            (head(run))
            @if let Some(text) = &run.database.notice { (notice(text)) }
            (navigation(&places))
        }
        @for (.., section) in &before { (section) }
        @for (_, section) in &classes { (section) }
        @for (.., section) in &after { (section) }
    };
    document(run.name(), &content)
}

/// The anchors of the sections that are not empty.
fn named(sections: &[(&str, &str, Markup)]) -> Vec<Anchor> {
    let said = sections.iter().filter(|(.., section)| !section.0.is_empty());
    said.map(|(id, name, _)| ((*id).to_owned(), (*name).to_owned())).collect()
}

fn head(run: &RunJson) -> Markup {
    let facts = facts(run);
    html! {
        dl.head {
            @for (name, value) in &facts {
                @if !name.is_empty() { dt { (name) } }
                dd { (clean(value)) }
            }
        }
    }
}
