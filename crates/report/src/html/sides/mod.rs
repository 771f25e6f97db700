//! The page of a comparison: unlike figures, differences, figures, curves, ratios and efficiency.

mod curves;
mod efficiency;
mod heads;
mod heat;
mod layers;
mod others;
mod ratios;

use super::page::{Anchor, document, navigation, notice};
use super::table::beside;
use super::{marks, method, verdict};
use crate::compare::side_marks::{self, letter};
use crate::compare::{Comparison, KeyFigure, Side, WarningKind};
use crate::groups::unique;
use crate::platform;
use crate::text::clean;
use crate::verdict::Verdict;
use dbdyno_catalogue::Catalogue;
use dbdyno_model::RunJson;
use maud::{Markup, html};

/// The page of a comparison. `verdicts` are those of the sides, if requirements were given.
#[must_use]
pub fn comparison(comparison: &Comparison, sides: &[Side], verdicts: &[Verdict], catalogue: &Catalogue) -> String {
    let runs: Vec<&RunJson> = sides.iter().flat_map(|s| &s.runs).collect();
    // The newest run of a sample stands for all where settings are shown.
    let newest: Vec<&RunJson> = sides.iter().filter_map(|s| s.runs.first()).collect();
    let title = title(comparison);
    let content = html! {
        header {
            p.kind { "dbdyno comparison" }
            h1 { (clean(&title)) }
            (list(comparison))
            (sources(comparison))
            @for text in &comparison.notices { (notice(text)) }
            (warnings(comparison))
            (navigation(&places(comparison, verdicts)))
        }
        (verdict::section(verdicts))
        (settings(comparison))
        (layers::section(comparison))
        (heat::sections(comparison))
        (curves::section(comparison, catalogue))
        (others::section(comparison))
        (ratios::section(comparison))
        (efficiency::section(comparison))
        (sheets(comparison, &newest))
        (marks::section(&runs))
        (method::section(&newest, &names(comparison)))
    };
    document(&title, &content)
}

fn title(comparison: &Comparison) -> String {
    let names: Vec<&str> = comparison.sides.iter().map(|s| s.name.as_str()).collect();
    match names[..] {
        [ref all @ .., last] if names.len() <= 3 => format!("{} and {last}", all.join(", ")),
        _ => format!("{} platforms", names.len()),
    }
}

/// A side's letter, in the colour of its lines.
fn badge(side: usize) -> Markup {
    html! { span class={ "badge s" (side) } { (letter(side)) } }
}

fn list(comparison: &Comparison) -> Markup {
    html! {
        ol.sides {
            @for (n, side) in comparison.sides.iter().enumerate() {
                li {
                    (badge(n)) " "
                    span {
                        b { (clean(&side.name)) }
                        @if n == comparison.baseline { " " span.base { "baseline" } }
                        @if side.title != side.name { " " (clean(&side.title)) }
                        @if side.runs.len() > 1 { span.sub { ", a sample of " (side.runs.len()) " runs" } }
                    }
                }
            }
        }
    }
}

/// The source documents of published results, each once.
fn sources(comparison: &Comparison) -> Markup {
    html! {
        @for (source, letters) in side_marks::sources(comparison) {
            p.note { b { "Source of " (letters.join(", ")) ": " } (clean(source)) }
        }
    }
}

fn warnings(comparison: &Comparison) -> Markup {
    html! {
        @if !comparison.warnings.is_empty() {
            div.warnings role="note" {
                p { b { "⚠ Not like with like" } }
                ul { @for warning in &comparison.warnings { li data-kind=(kind(warning.kind)) { (clean(&warning.text)) } } }
            }
        }
    }
}

fn kind(kind: WarningKind) -> String {
    format!("{kind:?}").to_lowercase()
}

fn places(comparison: &Comparison, verdicts: &[Verdict]) -> Vec<Anchor> {
    let all = [
        (!verdicts.is_empty(), "verdict", "Verdict"),
        (true, "differs", "What differs"),
        (!comparison.layers.is_empty(), "layers", "Layers"),
        (heat::is_there(comparison, KeyFigure::Speed), "heat-speed", "Speed"),
        (heat::is_there(comparison, KeyFigure::Throughput), "heat-throughput", "Throughput"),
        (!comparison.curves.is_empty(), "curves", "Curves"),
        (!comparison.others.is_empty(), "others", "Other series"),
        (ratios::is_there(comparison), "ratios", "Ratios"),
        (!comparison.efficiency.is_empty(), "efficiency", "Efficiency"),
        (true, "platforms", "Platforms"),
        (true, "flags", "Flags and marks"),
        (true, "method", "Method and settings"),
    ];
    let there = all.into_iter().filter(|(there, ..)| *there);
    there.map(|(_, id, name)| (id.to_owned(), name.to_owned())).collect()
}

/// The names of the sides above their settings.
fn names(comparison: &Comparison) -> Vec<String> {
    comparison.sides.iter().enumerate().map(|(n, side)| format!("{} {}", letter(n), side.name)).collect()
}

fn settings(comparison: &Comparison) -> Markup {
    let rows: Vec<(String, Vec<Option<String>>)> =
        comparison.settings.iter().map(|s| (s.name.clone(), s.values.clone())).collect();
    html! {
        section #differs {
            h2 { "What differs" }
            @if rows.is_empty() { p { "Nothing that is recorded." } } @else { (beside("Settings that differ", &names(comparison), &rows)) }
        }
    }
}

/// The platform sheets, fact by fact.
fn sheets(comparison: &Comparison, runs: &[&RunJson]) -> Markup {
    let sheets: Vec<_> = runs.iter().map(|run| platform::sections(run)).collect();
    let titles = unique(sheets.iter().flatten().map(|(title, _)| *title));
    let rows = |title: &str| {
        let facts = |sheet: &Vec<(&str, platform::SheetFacts)>| {
            sheet.iter().find(|(t, _)| *t == title).map(|(_, facts)| facts.clone()).unwrap_or_default()
        };
        let facts: Vec<platform::SheetFacts> = sheets.iter().map(facts).collect();
        let names = unique(facts.iter().flatten().map(|(name, _)| name.as_str()));
        let value = |facts: &platform::SheetFacts, name: &str| {
            let values: Vec<&str> = facts.iter().filter(|(n, _)| n == name).map(|(_, v)| v.as_str()).collect();
            (!values.is_empty()).then(|| values.join(" "))
        };
        let row = |name: &str| (name.to_owned(), facts.iter().map(|f| value(f, name)).collect());
        names.into_iter().map(row).collect::<Vec<_>>()
    };
    html! {
        section #platforms {
            h2 { "Platforms" }
            @for title in titles { (beside(title, &names(comparison), &rows(title))) }
        }
    }
}
