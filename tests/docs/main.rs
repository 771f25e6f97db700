//! README.md and the pages of docs/, as their readers use them: command lines are run, links are followed, keys of JSON
//! are looked up, and words are spelled.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on has failed")]

mod keys;
mod page;
mod place;
mod prose;

use page::{Block, Page};
use place::{FailedCommands, Place};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// Pages wait for servers and windows more than they work.
const PAGES_AT_A_TIME: usize = 4;
/// dbdyno's exit code of a run in which a point failed or is invalid.
const POINTS_FAILED: i32 = 4;
const MOST_TRIES: u32 = 3;
/// The page whose commands write the documents that it explains.
const JSON_PAGE: &str = "docs/json.md";
/// What a stranger reads first.
const FIRST_PAGES: [&str; 2] = ["README.md", "docs/first-run.md"];

/// Runs the blocks of a page in its order, and then the commands whose output it prints.
///
/// # Errors
/// A command failed, or prints something else than the page.
fn run_once(page: &Page) -> Result<Place, FailedCommands> {
    let place = Place::new();
    let blocks = page.blocks();
    let scripts: Vec<String> = blocks.iter().filter(|block| block.is_run()).map(Block::script).collect();
    if !scripts.is_empty() {
        place.bash(&scripts.join("\n"))?;
    }
    for (block, command) in blocks.iter().filter_map(|block| Some((block, block.printed_by()?))) {
        let printed = place.bash(command)?;
        block.is_in(&printed).map_err(|line| {
            let text = format!("line {}: `{command}` does not print this:\n{line}\nbut:\n{printed}", block.line);
            FailedCommands { exit_code: None, text }
        })?;
    }
    Ok(place)
}

/// The same on any machine: on a busy one a point of a second may remain without a figure.
fn run(page: &Page) -> Result<Place, String> {
    let mut tries = 1;
    loop {
        match run_once(page) {
            Err(failed) if failed.exit_code == Some(POINTS_FAILED) && tries < MOST_TRIES => tries += 1,
            ended => return ended.map_err(|failed| format!("{}: {}", page.name, failed.text)),
        }
    }
}

/// Takes a page from a queue, which others may use meanwhile.
fn next<'p>(queue: &Mutex<std::slice::Iter<'p, Page>>) -> Option<&'p Page> {
    queue.lock().unwrap().next()
}

fn command_lines_are_run(pages: &[Page]) {
    let (queue, failures) = (Mutex::new(pages.iter()), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..PAGES_AT_A_TIME {
            scope.spawn(|| {
                while let Some(page) = next(&queue) {
                    let failure = run(page).err();
                    failures.lock().unwrap().extend(failure);
                }
            });
        }
    });
    let failures = failures.into_inner().unwrap();
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

#[test]
fn command_lines_of_the_first_pages_are_run() {
    command_lines_are_run(&FIRST_PAGES.map(Page::read));
}

#[test]
fn command_lines_of_all_other_pages_are_run() {
    let run_elsewhere = |page: &Page| page.name == JSON_PAGE || FIRST_PAGES.contains(&page.name.as_str());
    command_lines_are_run(&Page::all().into_iter().filter(|page| !run_elsewhere(page)).collect::<Vec<_>>());
}

/// A visitor reads one page, and its picture is loaded in a moment.
#[test]
fn the_readme_is_one_page_with_a_small_picture() {
    let readme = Page::read("README.md");
    assert!(readme.text.lines().count() <= 80 && readme.text.contains("](docs/report.png)"));
    let picture = std::fs::read(Path::new(ROOT).join("docs/report.png")).unwrap();
    assert!(picture.starts_with(b"\x89PNG") && picture.len() <= 300_000, "{} bytes", picture.len());
}

#[test]
fn what_is_not_run_says_why() {
    let faults: Vec<String> = Page::all().iter().flat_map(Page::faults).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn every_key_of_json_is_explained() {
    let page = Page::read(JSON_PAGE);
    let place = run(&page).unwrap_or_else(|why| panic!("{why}"));
    let known = keys::KnownKeys::of(&page);
    let mut unknown = Vec::new();
    let documents = place.documents();
    assert!(documents.len() >= 10, "{:?}", documents.keys());
    for (name, document) in &documents {
        let paths = keys::paths(document);
        assert!(paths.len() >= 4, "{name}: {paths:?}");
        let section = known.answer(name).unwrap_or(keys::DOCUMENT);
        unknown.extend(paths.iter().filter(|path| !known.has(section, path)).map(|path| format!("{name}: {path}")));
    }
    // Columns of CSV are paths of the document, some of which no run here has.
    for (file, section) in [("run", keys::DOCUMENT), ("point", "points"), ("storage", "points")] {
        let file = Path::new(ROOT).join(format!("crates/report/src/export/columns/{file}.txt"));
        let columns = std::fs::read_to_string(file).unwrap();
        let lost = columns.lines().filter(|path| !known.has(section, path));
        unknown.extend(lost.map(|path| format!("column {path}")));
    }
    assert!(unknown.is_empty(), "{JSON_PAGE} does not explain:\n{}", unknown.join("\n"));
}

#[test]
fn every_link_leads_to_a_file_and_a_heading() {
    let pages: BTreeMap<String, Page> =
        Page::with_all_folders().into_iter().map(|page| (page.name.clone(), page)).collect();
    assert!(pages.len() > 150, "{}", pages.len());
    let broken: Vec<String> = pages.values().flat_map(|page| prose::broken_links(page, Path::new(ROOT))).collect();
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

/// The words of all pages, each with a page that has it.
fn words() -> BTreeMap<String, String> {
    // Its rows begin with names of crates.
    let pages = Page::all().into_iter().filter(|page| page.name != "docs/dependencies.md");
    let of_page = |page: Page| prose::words(&page.text).into_iter().map(move |word| (word, page.name.clone()));
    pages.flat_map(of_page).collect()
}

#[test]
fn words_are_spelled_right() {
    let words = words();
    let wrong = prose::misspelled(words.keys(), &Path::new(ROOT).join("docs/words.txt"));
    let wrong: Vec<String> = wrong.into_iter().map(|word| format!("{word} ({})", words[&word])).collect();
    assert!(wrong.is_empty(), "not in the dictionary (en_GB) nor in docs/words.txt: {}", wrong.join(", "));
}

/// The list of further words is short, and each of them is in use.
#[test]
fn further_words_are_few_sorted_and_used() {
    let list = std::fs::read_to_string(Path::new(ROOT).join("docs/words.txt")).unwrap();
    let list: Vec<&str> = list.lines().collect();
    assert!(list.len() <= 100 && list.is_sorted_by(|a, b| a < b), "{} words, in order?", list.len());
    let used = words();
    let unused: Vec<&&str> =
        list.iter().filter(|word| !used.keys().any(|used| prose::is_form_of(used, word))).collect();
    assert!(unused.is_empty(), "{unused:?}");
}
