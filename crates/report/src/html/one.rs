//! The page of one run, or of one published result.

use super::page::{Place, document, navigation, notice};
use super::{Subject, keys, latency, marks, method, ramps, scaling, sheet, verdict};
use crate::summary::head::facts;
use crate::text::clean;
use dbdyno_catalogue::Catalogue;
use dbdyno_model::{Drive, RunJson};
use maud::{Markup, html};

/// The whole page.
pub(super) fn page(subject: &Subject, catalogue: &Catalogue) -> Markup {
    let run = &subject.run;
    let content = html! {
        header {
            p.kind { @if run.published.is_some() { "Published result" } @else { "dbdyno platform report" } }
            h1 { (clean(run.name())) }
            (head(run))
            @if let Some(text) = &run.database.notice { (notice(text)) }
            (navigation(&places(subject)))
        }
        (verdict::section(subject.verdict.as_slice()))
        (keys::section(run, catalogue))
        (sheet::section(run))
        (ramps::sections(run, catalogue))
        (scaling::section(run, catalogue))
        (latency::section(run, &subject.times, catalogue))
        (marks::section(&[run]))
        (method::section(&[run], &[super::name(run)]))
    };
    document(run.name(), &content)
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

fn places(subject: &Subject) -> Vec<Place> {
    let run = &subject.run;
    let mut classes: Vec<String> =
        run.points.iter().filter(|p| p.load.rate.is_none()).map(|p| p.test.class()).collect();
    classes.sort_unstable();
    classes.dedup();
    let mut places: Vec<Place> = Vec::new();
    let mut add = |there: bool, id: &str, name: &str| places.extend(there.then(|| (id.to_owned(), name.to_owned())));
    add(subject.verdict.is_some(), "verdict", "Verdict");
    add(true, "key-metrics", "Key metrics");
    add(true, "platform", "Platform");
    for class in classes {
        add(true, &format!("class-{class}"), &class);
    }
    add(!run.points.is_empty(), "scaling", "Scaling law");
    add(run.points.iter().any(|p| p.drive == Drive::Client), "latency", "Latency");
    add(true, "flags", "Flags and marks");
    add(true, "method", "Method and settings");
    places
}
