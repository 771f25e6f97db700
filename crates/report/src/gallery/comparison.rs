//! The page that lays any two side by side. Its script loads their cards and lays them out: which figures stand beside
//! each other, and which are divided, follows from the keys and facts of the cards, and what is said of that stands here.

use super::entry::Entry;
use super::{INDEX, card, marks};
use crate::compare::WarningKind;
use crate::compare::card as cards;
use crate::compare::likeness::{BASE, FIGURE, OF_COMMITS, OF_WORK, OTHER, SIZES_DIFFER};
use crate::html::{Folder, Frame, frame, style};
use crate::sections::pace::{UNLIKE, UNLIKE_PACE};
use dbdyno_catalogue::Catalogue;
use dbdyno_model::Layer;
use dbdyno_stats::NotComparable;
use maud::{Markup, PreEscaped, html};
use serde::Serialize;

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("compare.js");
/// What the page says of itself.
const ABOUT: &str = "This page loads figures from its own folder, and needs no server and no network.";

/// What the script has to know and to say.
#[derive(Serialize)]
struct Words<'a> {
    entries: Vec<EntryWords<'a>>,
    /// The tests in their order, each with its title and its layer.
    tests: Vec<(&'a str, &'a str, Layer)>,
    layers: [(Layer, &'static str); 4],
    /// The kinds of facts that must be equal, and what is said where they are not.
    facts: Vec<(WarningKind, &'static str)>,
    /// What two figures must have alike, and what is said where it differs. The first ones make other work of them.
    alike: [&'static str; 3],
    of_work: usize,
    /// What stands for a figure, for the baseline's value and for the other side's in what is said.
    places: [&'static str; 3],
    sizes_differ: &'static str,
    pace: (f64, &'static str),
    spread: String,
    not_positive: String,
    marks: Vec<(char, String)>,
}

#[derive(Serialize)]
struct EntryWords<'a> {
    key: &'a str,
    name: String,
    by: &'a str,
    /// The run that it was measured in turn with.
    with: Option<String>,
}

impl<'a> EntryWords<'a> {
    fn of(entry: &'a Entry) -> Self {
        Self { key: &entry.key, name: entry.full_name(), by: &entry.by, with: entry.partner() }
    }
}

pub(super) fn page(entries: &[Entry], catalogue: &Catalogue) -> String {
    let mut sorted: Vec<&Entry> = entries.iter().collect();
    sorted.sort_by_key(|entry| (entry.name.to_lowercase(), entry.key()));
    let [transactions, ways] = &OF_WORK;
    let words = Words {
        entries: sorted.into_iter().map(EntryWords::of).collect(),
        tests: catalogue.tests().iter().map(|test| (test.code.as_str(), test.title.as_str(), test.layer)).collect(),
        layers: [
            (Layer::Cpu, "CPU"),
            (Layer::Server, "Server"),
            (Layer::Storage, "Storage"),
            (Layer::Database, "Database"),
        ],
        facts: cards::words(),
        alike: [transactions.words, ways.words, OF_COMMITS.words],
        of_work: OF_WORK.len(),
        places: [FIGURE, BASE, OTHER],
        sizes_differ: SIZES_DIFFER,
        pace: (UNLIKE, UNLIKE_PACE),
        spread: NotComparable::Spread.to_string(),
        not_positive: NotComparable::NotPositive.to_string(),
        marks: marks::all(),
    };
    let style = [style(), STYLE].concat();
    let of = Frame { title: "Comparison", style: &style, script: SCRIPT, about: ABOUT, folder: Folder::Loads };
    frame(&of, &content(&words))
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
