//! The frame of every page, and what the browser may do.

use super::charts;
use crate::text::clean;
use base64::Engine as _;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use sha2::{Digest, Sha256};

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

/// An anchor of the page: its id and title.
pub(super) type Anchor = (String, String);

/// The whole document.
pub(super) fn document(title: &str, content: &Markup) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(policy());
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (clean(title)) " – dbdyno" }
                style { (PreEscaped(STYLE)) }
            }
            body {
                a.skip href="#main" { "Skip to the figures" }
                (charts::shapes())
                main #main { (content) }
                footer { p { "Made by dbdyno " (env!("CARGO_PKG_VERSION")) ". This page is complete: it needs no network." } }
                div #tip role="status" aria-live="polite" {}
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    page.into_string()
}

/// Links to the page's anchors.
pub(super) fn navigation(places: &[Anchor]) -> Markup {
    html! { nav aria-label="Sections" { @for (id, name) in places { a href={ "#" (id) } { (name) } } } }
}

/// The notice of what has not been verified.
pub(super) fn notice(notice: &str) -> Markup {
    html! { p.notice role="note" { b { "Notice. " } (clean(notice)) } }
}

/// Nothing may be loaded from anywhere, and only the page's own style and script, identified by their hashes, may be
/// used. Code that slips in with a text does not run.
fn policy() -> String {
    let hash = |text: &str| base64::engine::general_purpose::STANDARD.encode(Sha256::digest(text.as_bytes()));
    format!(
        "default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'; base-uri 'none'; form-action 'none'",
        hash(STYLE),
        hash(SCRIPT)
    )
}
