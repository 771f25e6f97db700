//! The frame of every page, and the policy that says what the browser may load and run.

use super::drawing;
use crate::terminal::lines::clean;
use base64::Engine as _;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use sha2::{Digest, Sha256};

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

/// What every page says at its end, before the version.
const MADE_BY: &str = "Made by dbdyno ";

/// Whether a text is a page of this or another version.
pub(crate) fn is_page(text: &str) -> bool {
    text.contains(&format!("<footer><p>{MADE_BY}"))
}

/// A whole page.
pub(super) fn frame(title: &str, content: &Markup) -> String {
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
                (PreEscaped(drawing::SHAPES.replace('\n', "")))
                main #main { (content) }
                footer { p { (MADE_BY) (env!("CARGO_PKG_VERSION")) ". This page is complete: it needs no network." } }
                div #tip role="status" aria-live="polite" {}
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    page.into_string()
}

/// The Content Security Policy. The browser loads nothing from anywhere. It uses only the page's own style and script,
/// which it knows by their hashes. So code in a text that was measured or imported does not run.
fn policy() -> String {
    let hash = |text: &str| base64::engine::general_purpose::STANDARD.encode(Sha256::digest(text.as_bytes()));
    format!(
        "default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'; base-uri 'none'; form-action 'none'",
        hash(STYLE),
        hash(SCRIPT)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_known_by_its_end() {
        assert!(is_page(&frame("a title", &html! { p { "figures" } })));
        for other in ["", "notes of mine", "<!DOCTYPE html><p>Made by dbdyno 0.1.0"] {
            assert!(!is_page(other), "{other}");
        }
        // Nor by a text that a page shows.
        assert!(!is_page(&html! { "<footer><p>Made by dbdyno " }.into_string()));
    }
}
