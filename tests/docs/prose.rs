//! Links and words of a page.

use crate::page::Page;
use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// The text without blocks, comments and what stands between backquotes.
fn without_code(text: &str) -> String {
    let prose = Page::prose(text);
    assert!(prose.matches('`').count().is_multiple_of(2), "a backquote has no partner in:\n{prose}");
    prose.split('`').step_by(2).collect::<Vec<_>>().join("")
}

/// Where the links of a text lead.
fn targets(text: &str) -> Vec<String> {
    let text = without_code(text);
    let links = text.split("](").skip(1);
    links.filter_map(|rest| rest.split_once(')')).map(|(target, _)| target.to_owned()).collect()
}

/// The anchor of a heading.
pub(crate) fn anchor(heading: &str) -> String {
    let kept = heading.trim().chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect()
}

fn anchors(text: &str) -> BTreeSet<String> {
    let prose = Page::prose(text);
    let headings = prose.lines().filter(|line| line.starts_with('#'));
    headings.map(|line| anchor(line.trim_start_matches('#'))).collect()
}

/// The relative links of a page that lead nowhere.
pub(crate) fn broken_links(page: &Page, root: &Path) -> Vec<String> {
    let folder = root.join(&page.name).parent().unwrap().to_owned();
    let is_broken = |target: &String| {
        let (file, heading) = target.split_once('#').map_or((target.as_str(), None), |(file, to)| (file, Some(to)));
        let text = match file {
            "" => Some(page.text.clone()),
            file if !folder.join(file).exists() => return true,
            file => std::fs::read_to_string(folder.join(file)).ok(),
        };
        heading.is_some_and(|heading| !text.is_some_and(|text| anchors(&text).contains(heading)))
    };
    let relative = targets(&page.text).into_iter().filter(|target| !target.contains("://"));
    relative.filter(is_broken).map(|target| format!("{}: {target}", page.name)).collect()
}

/// The words of a text. What stands between backquotes, where links lead, names of files, numbers and abbreviations in
/// capitals are none.
pub(crate) fn words(text: &str) -> BTreeSet<String> {
    let text = without_code(text);
    let mut parts = text.split("](");
    let first = parts.next().unwrap_or_default();
    let behind = parts.map(|part| part.split_once(')').map_or("", |(_, behind)| behind));
    let texts: Vec<&str> = std::iter::once(first).chain(behind).collect();
    let texts = texts.join(" ");
    let is_name = |token: &&str| {
        let inner = token.trim_matches(|c: char| !c.is_alphanumeric());
        inner.contains(|c: char| c.is_numeric() || matches!(c, '.' | '_' | '@' | ':'))
    };
    let tokens = texts.split_whitespace().filter(|token| !is_name(token));
    let words = tokens.flat_map(|token| token.split(|c: char| !c.is_alphabetic() && c != '\'')).map(genitive_off);
    let is_word = |word: &&str| word.chars().count() > 1 && word.chars().any(char::is_lowercase);
    words.filter(is_word).map(str::to_owned).collect()
}

fn genitive_off(word: &str) -> &str {
    let word = word.trim_matches('\'');
    word.strip_suffix("'s").unwrap_or(word)
}

/// Whether a word of a text is one of the list. A word of small letters may begin a sentence.
pub(crate) fn is_form_of(word: &str, listed: &str) -> bool {
    word == listed || (listed.chars().all(char::is_lowercase) && word.to_lowercase() == listed)
}

/// The words that neither the dictionary nor a list has.
pub(crate) fn misspelled<'w>(words: impl Iterator<Item = &'w String>, list: &Path) -> Vec<String> {
    let mut hunspell = Command::new("hunspell");
    hunspell.args(["-d", "en_GB", "-i", "utf-8", "-l"]).env("LC_ALL", "C.UTF-8");
    let spawned = hunspell.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let mut hunspell = spawned.unwrap_or_else(|e| panic!("hunspell: {e}; `bash tests/servers` installs it"));
    let all: Vec<&str> = words.map(String::as_str).collect();
    let mut to = hunspell.stdin.take().unwrap();
    // A thread of its own, so that neither pipe fills while the other is waited for.
    let text = all.join("\n");
    let writer = std::thread::spawn(move || to.write_all(text.as_bytes()));
    let output = hunspell.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    assert!(output.status.success(), "hunspell has no dictionary en_GB; `bash tests/servers` installs it");
    let listed = std::fs::read_to_string(list).unwrap();
    let is_listed = |word: &str| listed.lines().any(|listed| is_form_of(word, listed));
    let wrong = String::from_utf8(output.stdout).unwrap();
    wrong.lines().filter(|word| !is_listed(word)).map(str::to_owned).collect()
}

#[test]
fn broken_links_and_wrong_words_are_noticed() {
    let text = "# One and [two]\n[a](#one-and-two) [b](#three)\n[c](x.md) `[d](y.md)`\n```text\n[e](z.md)\n```\n";
    let page = Page { name: "page.md".to_owned(), text: text.to_owned() };
    let empty = tempfile::tempdir().unwrap();
    assert_eq!(broken_links(&page, empty.path()), ["page.md: #three", "page.md: x.md"]);
    let found = words("The server's `cod` in x.md, T611 and [teh](wrnog.md) DBA's \"databse\".\n```text\nxyzzy\n```\n");
    assert_eq!(Vec::from_iter(&found), ["The", "and", "databse", "in", "server", "teh"]);
    let list = empty.path().join("words.txt");
    std::fs::write(&list, "teh\n").unwrap();
    assert_eq!(misspelled(found.iter(), &list), ["databse"]);
}
