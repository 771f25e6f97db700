//! Galleries: their pages as golden files, what hostile texts do to them, how large they become, and in a browser that
//! their page of comparisons says what a comparison says.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on has failed")]

#[path = "../../../../tests/stories/browser.rs"]
#[allow(dead_code, reason = "pages of reports are opened elsewhere")]
mod browser;
#[path = "../fixture/mod.rs"]
mod fixture;
mod hostile;
mod mutants;
mod pages;
mod side_by_side;
mod sizes;

use dbdyno_catalogue::Catalogue;
use dbdyno_model::{RunId, RunJson};
use dbdyno_report::Reported;
use dbdyno_report::gallery::{Entry, Exhibit, GalleryFile, of_all, pair};
use std::collections::BTreeSet;

fn catalogue() -> Catalogue {
    Catalogue::embedded().unwrap()
}

/// The references, in the order of their ids.
fn references(catalogue: &Catalogue) -> Vec<RunJson> {
    catalogue.platform_ids().map(|id| catalogue.platform(id).unwrap()).collect()
}

fn with_id(mut run: RunJson, id: &str) -> RunJson {
    run.run.id = RunId::new(id).unwrap();
    run
}

/// A gallery of runs: its entries in their order, and all its files.
fn gallery(runs: &[RunJson], catalogue: &Catalogue) -> (Vec<Entry>, Vec<GalleryFile>) {
    let exhibit = |run: &RunJson| Exhibit::of(&Reported::of(run.clone()), &format!("{}.json", run.run.id), catalogue);
    let exhibits: Vec<Exhibit> = runs.iter().map(exhibit).collect();
    let entries: Vec<Entry> = exhibits.iter().map(|exhibit| exhibit.entry.clone()).collect();
    let mut files: Vec<GalleryFile> = exhibits.into_iter().flat_map(|exhibit| exhibit.files).collect();
    let mut in_turn = BTreeSet::new();
    for (one, run) in entries.iter().zip(runs) {
        let other = entries.iter().zip(runs).find(|(other, _)| one.partner().as_deref() == Some(other.key()));
        let pair = other.and_then(|(other, of_other)| pair((one, run), (other, of_other), catalogue));
        in_turn.extend(pair.is_some().then(|| one.key().to_owned()));
        files.extend(pair);
    }
    files.extend(of_all(&entries, &in_turn, catalogue));
    (entries, files)
}

/// The text of a file of a gallery.
fn text<'f>(files: &'f [GalleryFile], name: &str) -> &'f str {
    let names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
    &files.iter().find(|file| file.name == name).unwrap_or_else(|| panic!("no {name} among {names:?}")).text
}

/// Writes a gallery to a folder.
fn write(folder: &std::path::Path, files: &[GalleryFile]) {
    for file in files {
        std::fs::write(folder.join(&file.name), &file.text).unwrap();
    }
}
