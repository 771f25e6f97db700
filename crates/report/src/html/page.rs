//! The page around the sections: head, navigation, what the browser may do.

use super::{Subject, charts, keys, latency, marks, method, ramps, scaling, sheet, verdict};
use crate::summary::head::{hardware, measured, points, system};
use crate::text::clean;
use base64::Engine as _;
use dbdyno_catalogue::Catalogue;
use dbdyno_model::{Drive, RunJson};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use sha2::{Digest, Sha256};

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

/// The whole document.
pub(super) fn page(subjects: &[Subject], catalogue: &Catalogue) -> Markup {
    let runs: Vec<&RunJson> = subjects.iter().map(|s| &s.run).collect();
    let title = title(&runs);
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(policy());
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (clean(&title)) " – dbdyno" }
                style { (PreEscaped(STYLE)) }
            }
            body {
                (charts::shapes())
                a.skip href="#key-metrics" { "Skip to the figures" }
                main {
                    @for subject in subjects { (one(subject, &title, catalogue)) }
                    (marks::section(&runs))
                    (method::section(&runs))
                }
                footer { p { "Made by dbdyno " (env!("CARGO_PKG_VERSION")) " of what it measured; the page needs no network." } }
                div #tip role="status" aria-live="polite" {}
                script { (PreEscaped(SCRIPT)) }
            }
        }
    }
}

fn title(runs: &[&RunJson]) -> String {
    runs.iter().map(|r| super::name(r)).collect::<Vec<_>>().join(", ")
}

/// Nothing may be loaded from anywhere, and of styles and scripts only the page's own, by their hashes: whatever would slip in
/// with a text would not run.
fn policy() -> String {
    let hash = |text: &str| base64::engine::general_purpose::STANDARD.encode(Sha256::digest(text.as_bytes()));
    format!(
        "default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'; base-uri 'none'; form-action 'none'",
        hash(STYLE),
        hash(SCRIPT)
    )
}

fn one(subject: &Subject, title: &str, catalogue: &Catalogue) -> Markup {
    let run = &subject.run;
    html! {
        header {
            p.kind { "dbdyno platform report" }
            h1 { (clean(title)) }
            dl.head {
                dt { "Platform" } dd { (clean(&hardware(&run.platform))) br; (clean(&system(&run.platform))) }
                dt { "Database" } dd { (clean(&format!("{} {}, size {}, seed {}", run.database.engine, run.database.version, run.run.size, run.run.seed))) }
                dt { "Run" } dd { (clean(run.run.id.as_str())) ", " (clean(&measured(run))) br; (clean(&points(run))) }
            }
            @if let Some(notice) = &run.database.notice { p.notice role="note" { b { "Notice. " } (clean(notice)) } }
            (navigation(subject))
        }
        (verdict::section(subject.verdict.as_ref()))
        (keys::section(run, catalogue))
        (sheet::section(run))
        (ramps::sections(run, catalogue))
        (scaling::section(run, catalogue))
        (latency::section(run, &subject.times, catalogue))
    }
}

fn navigation(subject: &Subject) -> Markup {
    let run = &subject.run;
    let mut classes: Vec<String> =
        run.points.iter().filter(|p| p.load.rate.is_none()).map(|p| p.test.class()).collect();
    classes.sort_unstable();
    classes.dedup();
    html! {
        nav aria-label="Sections" {
            @if subject.verdict.is_some() { a href="#verdict" { "Verdict" } }
            a href="#key-metrics" { "Key metrics" }
            a href="#platform" { "Platform" }
            @for class in &classes { a href={ "#class-" (class) } { (class) } }
            @if run.points.iter().any(|p| p.drive == Drive::Client) { a href="#latency" { "Latency" } }
            a href="#scaling" { "Scaling law" }
            a href="#flags" { "Flags and marks" }
            a href="#method" { "Method and settings" }
        }
    }
}
