//! The frame of every page, and the policy that says what the browser may load and run.

use super::drawing;
use crate::terminal::lines::clean;
use base64::Engine as _;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use sha2::{Digest, Sha256};

/// The style of all pages.
pub(crate) const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

/// What every page says at its end, before the version.
pub(super) const MADE_BY: &str = "Made by dbdyno ";

/// What every page says of itself, unless it is one of several.
const COMPLETE: &str = "This page is complete: it needs no network.";

/// What a page has besides its content.
pub(crate) struct Frame<'a> {
    pub(crate) title: &'a str,
    /// Its style, where it is not that of all pages.
    pub(crate) style: &'a str,
    pub(crate) script: &'a str,
    /// What it says of itself at its end.
    pub(crate) about: &'a str,
    pub(crate) folder: Folder,
}

/// Whether a page lies in a folder with others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Folder {
    /// It is complete.
    None,
    /// It does, and needs nothing of them.
    Beside,
    /// It loads their data as scripts of this folder.
    Loads,
}

impl<'a> Frame<'a> {
    /// That of a report.
    pub(crate) fn report(title: &'a str) -> Self {
        Self { title, style: STYLE, script: SCRIPT, about: COMPLETE, folder: Folder::None }
    }
}

/// A whole page.
pub(crate) fn frame(of: &Frame<'_>, content: &Markup) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(policy(of));
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                @if of.folder != Folder::None {
                    meta name="referrer" content="no-referrer";
                    // Browsers ask a server for an icon otherwise.
                    link rel="icon" href="data:,";
                }
                title { (clean(of.title)) " – dbdyno" }
                style { (PreEscaped(of.style)) }
            }
            body {
                a.skip href="#main" { "Skip to the figures" }
                (PreEscaped(drawing::SHAPES.replace('\n', "")))
                main #main { (content) }
                footer { p { (MADE_BY) (env!("CARGO_PKG_VERSION")) ". " (of.about) } }
                div #tip role="status" aria-live="polite" {}
                script { (PreEscaped(of.script)) }
            }
        }
    };
    page.into_string()
}

/// The Content Security Policy. The browser loads nothing from anywhere, or scripts of the page's folder alone. It uses
/// only the page's own style and script, which it knows by their hashes. So code in a text that was measured or
/// imported does not run.
fn policy(of: &Frame<'_>) -> String {
    let hash = |text: &str| base64::engine::general_purpose::STANDARD.encode(Sha256::digest(text.as_bytes()));
    let (loads, icon) = match of.folder {
        Folder::None => ("", ""),
        Folder::Beside => ("", " img-src data:;"),
        // Of a file the browser may not know which others are its own.
        Folder::Loads => (" 'self' file:", " img-src data:;"),
    };
    let [style, script] = [of.style, of.script].map(hash);
    format!(
        "default-src 'none'; style-src 'sha256-{style}'; script-src 'sha256-{script}'{loads};{icon} base-uri 'none'; form-action 'none'"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Document;

    #[test]
    fn a_page_is_known_by_its_end() {
        assert!(Document::is_page(&frame(&Frame::report("a title"), &html! { p { "figures" } })));
        for other in ["", "notes of mine", "<!DOCTYPE html><p>Made by dbdyno 0.1.0"] {
            assert!(!Document::is_page(other), "{other}");
        }
        // Nor by a text that a page shows.
        assert!(!Document::is_page(&html! { "<footer><p>Made by dbdyno " }.into_string()));
    }
}
