//! A gallery: a folder of pages of many runs and published results, with an index of all of them, and a page that lays
//! any two side by side. It needs a browser, and neither a server nor a network.
//!
//! Each run has a page, which is that of its report, and a card (`compare::card`): its figures with what they may stand
//! beside. The page of comparisons loads the cards of two of them, and lays out what the cards say.

mod card;
mod common;
mod comparison;
mod entry;
mod figure;
mod index;
mod marks;
mod page;
mod pair;

pub use common::INDEX;
pub use entry::Entry;

use common::COMPARISON;

use crate::reported::Reported;
use dbdyno_catalogue::Catalogue;
use dbdyno_model::RunJson;
use std::collections::BTreeSet;

/// A file of a gallery.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GalleryFile {
    /// Its name in the folder.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// What a gallery has of one run or published result.
#[derive(Debug, Clone)]
pub struct Exhibit {
    /// What the pages of the whole gallery say of it.
    pub entry: Entry,
    /// Its own files: its page and its card.
    pub files: [GalleryFile; 2],
}

impl Exhibit {
    /// The exhibit of a run, or of a published result, that stands in a file of this name.
    #[must_use]
    pub fn of(reported: &Reported, file: &str, catalogue: &Catalogue) -> Self {
        let entry = Entry::of(&reported.run, file, catalogue);
        let page = GalleryFile { name: entry.page(), text: page::page(reported, &entry, file, catalogue) };
        let card = GalleryFile { name: script(&entry.key), text: card::script(&entry, &reported.run, catalogue) };
        Self { entry, files: [page, card] }
    }
}

/// The file with what pairs show of a run, where it was measured in turn with the baseline.
#[must_use]
pub fn pair(base: (&Entry, &RunJson), other: (&Entry, &RunJson), catalogue: &Catalogue) -> Option<GalleryFile> {
    let key = format!("{}-{}", base.0.key, other.0.key);
    let text = pair::script(&key, base.1, other.1, catalogue)?;
    Some(GalleryFile { name: script(&key), text })
}

/// The pages of the whole gallery: its index, and that of comparisons. `in_turn` has the keys of the runs that have a
/// file of what pairs show.
#[must_use]
pub fn of_all(entries: &[Entry], in_turn: &BTreeSet<String>, catalogue: &Catalogue) -> [GalleryFile; 2] {
    [
        GalleryFile { name: INDEX.to_owned(), text: index::page(entries, catalogue) },
        GalleryFile { name: COMPARISON.to_owned(), text: comparison::page(entries, in_turn, catalogue) },
    ]
}

/// How many published results and runs there are, in words.
#[must_use]
pub fn counts(entries: &[Entry]) -> String {
    index::counts(entries)
}

/// The name of the script of a key.
fn script(key: &str) -> String {
    format!("{key}.js")
}
