//! The page that lays any two side by side. Its script loads their cards and lays them out: which figures stand beside
//! each other, and which are divided, follows from the keys and facts of the cards. What is said of that stands here.

use super::common::{INDEX, style};
use super::entry::Entry;
use super::{card, marks};
use crate::compare::WarningKind;
use crate::compare::builds::UNLIKE_BUILD;
use crate::compare::card as cards;
use crate::compare::layers::LAYERS;
use crate::compare::likeness::{BASE, Bar, FIGURE, OF_COMMITS, OF_WORK, OTHER, SIZES_DIFFER};
use crate::html::{Folder, Frame, frame};
use crate::sections::compare::layers::layer_words;
use crate::sections::pace::{MACHINE_OF, UNLIKE, UNLIKE_PACE};
use dbdyno_catalogue::Catalogue;
use dbdyno_model::Layer;
use dbdyno_stats::NotComparable;
use maud::{Markup, PreEscaped, html};
use serde::Serialize;
use std::collections::BTreeSet;

const SCRIPT: &str = include_str!("compare.js");
/// What the page says of itself.
const ABOUT: &str = "This page loads figures from its own folder, and needs no server and no network.";

/// What the script has to know and to say.
#[derive(Serialize)]
struct Words<'a> {
    entries: Vec<EntryWords<'a>>,
    /// The tests in their order, each with its title and its layer.
    tests: Vec<(&'a str, &'a str, Layer)>,
    layers: [(Layer, &'static str); LAYERS.len()],
    /// The kinds of facts that must be equal, and what is said where they are not.
    facts: Vec<(WarningKind, &'static str)>,
    /// What two figures must have alike, and what is said where it differs. The first ones make other work of them.
    alike: [&'static str; 3],
    of_work: usize,
    /// The places among reasons: before all of cards, of other work, and after all of cards.
    bars: [i16; 3],
    /// What stands for a figure, for the baseline's value and for the other side's in what is said.
    places: [&'static str; 3],
    sizes_differ: &'static str,
    pace: (f64, &'static str),
    /// What is said of builds and of machines that are not alike.
    unlike_build: &'static str,
    machine_of: &'static str,
    spread: String,
    not_positive: String,
    marks: Vec<(char, String)>,
}

#[derive(Serialize)]
struct EntryWords<'a> {
    key: &'a str,
    name: String,
    by: &'a str,
    /// The run that it was measured in turn with, if the gallery has what pairs show.
    with: Option<String>,
}

impl<'a> EntryWords<'a> {
    fn of(entry: &'a Entry, in_turn: &BTreeSet<String>) -> Self {
        let with = entry.partner().filter(|_| in_turn.contains(&entry.key));
        Self { key: &entry.key, name: entry.full_name(), by: &entry.by, with }
    }
}

pub(super) fn page(entries: &[Entry], in_turn: &BTreeSet<String>, catalogue: &Catalogue) -> String {
    let mut sorted: Vec<&Entry> = entries.iter().collect();
    sorted.sort_by_key(|entry| (entry.name.to_lowercase(), entry.key()));
    let [transactions, ways] = &OF_WORK;
    let said = Words {
        entries: sorted.into_iter().map(|entry| EntryWords::of(entry, in_turn)).collect(),
        tests: catalogue.tests().iter().map(|test| (test.code.as_str(), test.title.as_str(), test.layer)).collect(),
        layers: LAYERS.map(|layer| (layer, layer_words(layer))),
        facts: cards::words(),
        alike: [transactions.words, ways.words, OF_COMMITS.words],
        of_work: OF_WORK.len(),
        bars: [-1, Bar::OtherWork as i16, Bar::Bound as i16 + 1],
        places: [FIGURE, BASE, OTHER],
        sizes_differ: SIZES_DIFFER,
        pace: (UNLIKE, UNLIKE_PACE),
        unlike_build: UNLIKE_BUILD,
        machine_of: MACHINE_OF,
        spread: NotComparable::Spread.to_string(),
        not_positive: NotComparable::NotPositive.to_string(),
        marks: marks::all(),
    };
    let style = style();
    let of = Frame { title: "Comparison", style: &style, script: SCRIPT, about: ABOUT, folder: Folder::Loads };
    frame(&of, &content(&said))
}

fn content(words: &Words<'_>) -> Markup {
    html! {
        header {
            nav.gallery aria-label="Gallery" { a href=(INDEX) { "← All platforms" } }
            p.kind { "dbdyno comparison" }
            h1 #title { "Two platforms" }
            div.choice #choice hidden {
                label { "A, the baseline" select #a {} }
                button #swap type="button" { "⇄ swap" }
                label { "B" select #b {} }
            }
            noscript { p.lead { "This page needs JavaScript. `dbdyno compare A B` shows the same on a terminal." } }
            p #problem role="alert" hidden {}
        }
        div #content hidden {}
        script #words type="application/json" { (PreEscaped(card::json(words))) }
    }
}
