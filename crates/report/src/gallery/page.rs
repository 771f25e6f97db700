//! The page of one run or published result: that of its report, with a way back, and with where it comes from.

use super::common::{COMPARISON, INDEX};
use super::entry::Entry;
use crate::html::{Folder, Frame, content, frame};
use crate::reported::Reported;
use crate::terminal::lines::clean;
use dbdyno_catalogue::Catalogue;
use maud::{Markup, html};

/// What a page of a gallery says of itself.
const ABOUT: &str = "This page is part of a gallery, and needs no network.";

pub(super) fn page(reported: &Reported, entry: &Entry, file: &str, catalogue: &Catalogue) -> String {
    let document = reported.document(catalogue);
    let of = Frame { about: ABOUT, folder: Folder::Beside, ..Frame::report(&document.title) };
    frame(&of, &content(&document, &first(entry, file)))
}

fn first(entry: &Entry, file: &str) -> Markup {
    html! {
        nav.gallery aria-label="Gallery" {
            a href=(INDEX) { "← All platforms" }
            a href={ (COMPARISON) "#a=" (entry.key) } { "Compare it with another" }
        }
        p.note {
            @if entry.is_published {
                "From the platform file " b { (clean(file)) } ", in which somebody wrote down what a source prints. \
                 Where the two differ, the source counts."
            } @else {
                "From the exported run " b { (clean(file)) } ". dbdyno has checked that the file is whole and its rates are its counts. That it \
                 was measured so is what the file says, and nobody can see it from here."
            }
        }
    }
}
