//! The files of a catalogue: the embedded ones, and those of a folder that replace them or are added.

use crate::error::CatalogueError;
use crate::nearest::nearest;
use include_dir::{Dir, File, include_dir};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;

/// The folder of the catalogue. Files that are not of the catalogue itself lie in it, too.
static CATALOGUE: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../catalogue");

/// The folder of platform files, as their names begin.
pub(crate) const PLATFORMS: &str = "platforms/";

/// Folders and files that a catalogue folder may contain. Files in other folders are read when they are requested.
const FOLDERS: [&str; 3] = ["tests", "suites", "platforms"];
const OTHER_FOLDERS: [&str; 1] = ["requirements"];
const FILES: [&str; 2] = ["sizes.toml", "metrics.toml"];

/// One file.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    /// The name in messages: the name within the catalogue, or the path of an override.
    pub(crate) shown: String,
    /// Its text.
    pub(crate) text: Cow<'static, str>,
}

/// Files by their names within the catalogue, and so in the order of their classes.
pub(crate) type Sources = BTreeMap<String, Source>;

/// The catalogue in the binary.
pub(crate) fn embedded() -> Sources {
    let folders = FOLDERS.into_iter().filter_map(|name| CATALOGUE.get_dir(name));
    let source = |file: &'static File<'static>| {
        let (name, text) = (file.path().to_str()?.to_owned(), file.contents_utf8()?);
        Some((name.clone(), Source { shown: name, text: Cow::Borrowed(text) }))
    };
    let counts = |name: &str| is_toml(name) && !name.contains("/.");
    folders.chain([&CATALOGUE]).flat_map(Dir::files).filter_map(source).filter(|(name, _)| counts(name)).collect()
}

/// Overlays the files of a folder on `sources`. Hidden files and files that are not TOML are ignored. A TOML file or a
/// folder with an unknown name is an error, because its author expects it to count.
pub(crate) fn overlay(sources: &mut Sources, dir: &Path) -> Result<(), CatalogueError> {
    for name in names(dir)? {
        let path = dir.join(&name);
        if path.is_dir() {
            if FOLDERS.contains(&name.as_str()) {
                for file in names(&path)?.into_iter().filter(|f| is_toml(f)) {
                    sources.insert(format!("{name}/{file}"), read(&path.join(file))?);
                }
            } else if !OTHER_FOLDERS.contains(&name.as_str()) {
                return Err(meaningless(&path, &name, &[&FOLDERS[..], &OTHER_FOLDERS].concat()));
            }
        } else if FILES.contains(&name.as_str()) {
            sources.insert(name, read(&path)?);
        } else if is_toml(&name) {
            return Err(meaningless(&path, &name, &FILES));
        }
    }
    Ok(())
}

fn names(dir: &Path) -> Result<Vec<String>, CatalogueError> {
    let name = |entry: std::fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
    let all = std::fs::read_dir(dir).and_then(|entries| entries.map(|entry| entry.map(name)).collect());
    let mut names: Vec<String> = all.map_err(|e| unreadable(dir, &e))?;
    names.retain(|name| !name.starts_with('.'));
    names.sort_unstable();
    Ok(names)
}

fn read(path: &Path) -> Result<Source, CatalogueError> {
    let text = dbdyno_files::text(path).map_err(|e| unreadable(path, &e))?;
    Ok(Source { shown: path.display().to_string(), text: Cow::Owned(text) })
}

fn unreadable(path: &Path, error: &std::io::Error) -> CatalogueError {
    CatalogueError::Unreadable { path: path.display().to_string(), problem: error.to_string() }
}

fn meaningless(path: &Path, name: &str, known: &[&str]) -> CatalogueError {
    const PLACES: &str =
        "tests stand in tests/, suites in suites/, platforms in platforms/, the rest in sizes.toml and metrics.toml";
    let near = nearest(name, known.iter().copied());
    let hint = near.first().map_or_else(|| PLACES.to_owned(), |near| format!("did you mean '{near}'?"));
    CatalogueError::Invalid {
        file: path.display().to_string(),
        entry: "name".to_owned(),
        problem: format!("'{name}' is no part of a catalogue; {hint}"),
        line: None,
    }
}

fn is_toml(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|e| e == "toml")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_of_the_folder_is_in_the_binary() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../catalogue");
        let mut found = Sources::new();
        overlay(&mut found, &folder).unwrap();
        assert_eq!(found.keys().collect::<Vec<_>>(), embedded().keys().collect::<Vec<_>>());
    }
}
