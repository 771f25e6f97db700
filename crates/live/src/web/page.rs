//! The page, and the policy that says what the browser may load and run: its own style and script, known by their
//! hashes, and data of this server. The page has no data itself, so whoever may not see them may see it.

use base64::Engine as _;
use hyper::body::Bytes;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use sha2::{Digest, Sha256};

const STYLE: &str = include_str!("page/style.css");
const SCRIPT: &str = concat!(
    "'use strict';\n",
    include_str!("page/figures.js"),
    include_str!("page/chart.js"),
    include_str!("page/tables.js"),
    include_str!("page/main.js"),
);

pub(super) struct Page {
    pub(super) text: Bytes,
    pub(super) policy: String,
}

impl Page {
    pub(super) fn new() -> Self {
        let hash = |text: &str| base64::engine::general_purpose::STANDARD.encode(Sha256::digest(text.as_bytes()));
        let policy = format!(
            "default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'; connect-src 'self'; img-src data:; \
             base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
            hash(STYLE),
            hash(SCRIPT)
        );
        Self { text: Bytes::from(page().into_string()), policy }
    }
}

fn page() -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="referrer" content="no-referrer";
                // Browsers ask for an icon otherwise.
                link rel="icon" href="data:,";
                title { "dbdyno" }
                style { (PreEscaped(STYLE)) }
            }
            body {
                a.skip href="#charts" { "Skip to the charts" }
                (fills())
                main {
                    header {
                        div {
                            p.kind { "dbdyno monitor " span.replay #replay hidden { "REPLAY" } }
                            h1 #title { "dbdyno" }
                            p.about { span #target {} span #engine {} span #run {} }
                        }
                        p.clock #clock {}
                    }
                    noscript { p.banner { b { "This page needs JavaScript." } " The same figures are at /metrics." } }
                    (banner("away", "alert", "No connection. ", "banner"))
                    (banner("lost", "alert", "No contact. ", "banner"))
                    (banner("over", "status", "Over. ", "banner quiet"))
                    form #ask hidden {
                        label for="token" { "The token, as dbdyno printed it when it began" }
                        input #token type="password" autocomplete="off" spellcheck="false" maxlength="512";
                        button type="submit" { "Look" }
                        p #refused role="alert" hidden { "This token is not the one of this dbdyno." }
                    }
                    div #content hidden { (content()) }
                }
                footer {
                    p { "Made by dbdyno " (env!("CARGO_PKG_VERSION")) ". This page only looks; nothing can be changed here." }
                }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    }
}

fn banner(id: &str, role: &str, lead: &str, class: &str) -> Markup {
    html! { p #(id) class=(class) role=(role) hidden { b { (lead) } span {} } }
}

fn content() -> Markup {
    html! {
        div #progress hidden { span #point {} progress #done aria-label="Points that are recorded" {} }
        div.tiles #tiles {}
        div.controls role="toolbar" aria-label="The time that is shown" {
            span.group {
                button type="button" data-span="300000" { "5 min" }
                button type="button" data-span="900000" { "15 min" }
                button type="button" data-span="3600000" { "1 h" }
                button type="button" data-span="0" { "all" }
            }
            button #reset type="button" disabled { "end zoom" }
            p #range role="status" {}
            p #moment {}
        }
        div.charts #charts {}
        section hidden { h2 { "Not in these readings" } ul.list #absent {} }
        div.tables {
            (table("statements", "Statements that worked most", &[
                ("r", "sessions at work"), ("r", "calls"), ("r", "time of a call"), ("w", "statement"),
            ], "wide"))
            (table("busy", "Sessions at work, the longest first", &[
                ("r", "for"), ("k", "session"), ("", "user"), ("", "application"), ("", "does or waits for"), ("w", "statement"),
            ], "wide"))
            (table("events", "What sessions wait for", &[("r", "sessions"), ("", "class"), ("", "event")], ""))
            (table("transactions", "Types of transactions, or hosts", &[
                ("", "name"), ("r", "succeeded"), ("r", "p50"), ("r", "p99"), ("r", "errors"), ("r", "retries"),
            ], ""))
            (table("devices", "Devices", &[
                ("", "device"), ("r", "reads"), ("r", "writes"), ("r", "read"), ("r", "written"), ("r", "busy"),
                ("r", "each I/O"), ("r", "in flight"),
            ], ""))
            (table("nodes", "Nodes", &[
                ("", "node"), ("r", "commits"), ("r", "active"), ("r", "redo"), ("r", "logical reads"), ("r", "physical reads"),
            ], ""))
            (table("points", "Points, the newest first", &[
                ("r", "no."), ("", "subject"), ("", "parallelism"), ("k", "began"), ("r", "took"), ("", "outcome"),
            ], "wide"))
            section.wide hidden { h2 { "Notes, the newest first" } ul.list #notes {} }
        }
    }
}

fn table(id: &str, title: &str, columns: &[(&str, &str)], class: &str) -> Markup {
    html! {
        section class=(class) hidden {
            h2 #{ (id) "-title" } { (title) }
            div.scroll tabindex="0" role="region" aria-labelledby={ (id) "-title" } {
                table #(id) aria-labelledby={ (id) "-title" } {
                    thead { tr { @for (class, head) in columns { th scope="col" class=(class) { (head) } } } }
                    tbody {}
                }
            }
        }
    }
}

/// Fills of areas. Each has a pattern of its own, for readers who cannot tell the colours.
fn fills() -> Markup {
    let patterns: [&[&str]; 8] = [
        &[],
        &["M-2 2l4 -4M0 8l8 -8M6 10l4 -4"],
        &["M0 4h8"],
        &["M-2 6l4 4M0 0l8 8M6 -2l4 4"],
        &["M4 0v8"],
        &["M0 4h8M4 0v8"],
        &["M2 2h.1M6 6h.1"],
        &["M0 0l8 8M8 0l-8 8"],
    ];
    html! {
        svg.shapes aria-hidden="true" {
            @for (n, paths) in patterns.iter().enumerate() {
                pattern id={ "fill" (n) } class={ "c" (n) } width="8" height="8" patternUnits="userSpaceOnUse" {
                    rect width="8" height="8" {}
                    @for path in *paths { path d=(path) stroke-linecap="round" {} }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_is_small_and_needs_nothing() {
        let page = Page::new();
        let text = std::str::from_utf8(&page.text).unwrap();
        assert!(text.len() < 200_000, "{}", text.len());
        // The only address is the name of a format.
        assert_eq!(text.matches("://").count(), text.matches("http://www.w3.org/2000/svg").count());
        for never in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function"] {
            assert!(!text.contains(never), "{never}");
        }
        // A script that ends itself early would show the rest as text.
        assert_eq!(text.matches("</script").count(), 1);
        assert_eq!(text.matches("</style").count(), 1);
    }
}
