//! `dbdyno site`: a folder of exported runs and platform files as a gallery of static pages.

mod place;
mod source;

use super::context::Context;
use crate::cli::SiteArgs;
use crate::error::Error;
use crate::output;
use dbdyno_report::gallery::{Entry, Exhibit, INDEX, of_all, pair};
use dbdyno_report::numbers;
use place::{Place, Staged};
use source::Source;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry as MapEntry;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

/// Each thread has a run and its page in memory, and a run may be large.
const MOST_THREADS: usize = 8;

pub(super) fn site(args: &SiteArgs, context: &Context) -> Result<(), Error> {
    // Whether it may be written to is known before hundreds of files are read.
    let place = Place::at(&args.out)?;
    let source = Source::of(&args.folder)?;
    if !source.left_out.is_empty() {
        context.say(&format!("left out, as neither .toml nor .json: {}", in_one_line(&source.left_out.join(", "))));
    }
    let staged = place.begin()?;
    let exhibits = exhibits(&source, &staged, context)?;
    let entries: Vec<Entry> = exhibits.values().map(|(entry, _)| entry.clone()).collect();
    pairs(&exhibits, &staged, context)?;
    for file in of_all(&entries, &context.catalogue) {
        staged.write(&file)?;
    }
    let (files, bytes) = staged.written();
    place.put(staged)?;
    let (out, size) = (args.out.display(), numbers::bytes(bytes));
    let what = if place.replaces() { ", in place of an older gallery" } else { "" };
    context.say(&format!(
        "written: {out} ({} and runs in {files} files, {size}{what}); open {} in a browser",
        counted(entries.len(), "platform"),
        args.out.join(INDEX).display()
    ));
    Ok(())
}

fn counted(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

/// What was made of each file, by its key, and the file.
type Exhibits = BTreeMap<String, (Entry, PathBuf)>;

/// Makes the files of every run and platform.
fn exhibits(source: &Source, staged: &Staged, context: &Context) -> Result<Exhibits, Error> {
    let (next, has_failed) = (AtomicUsize::new(0), AtomicBool::new(false));
    let (made, failures) = (Mutex::new(Exhibits::new()), Mutex::new(BTreeMap::new()));
    let make = || {
        while !has_failed.load(Ordering::Relaxed) {
            let n = next.fetch_add(1, Ordering::Relaxed);
            let Some(file) = source.files.get(n) else { break };
            if let Err(error) = exhibit(file, staged, &made, context) {
                has_failed.store(true, Ordering::Relaxed);
                lock(&failures).insert(n, error);
            }
        }
    };
    let threads = thread::available_parallelism().map_or(1, usize::from).min(MOST_THREADS).min(source.files.len());
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(make);
        }
    });
    // Files are taken in their order, so the first that fails is always the same.
    let first = lock(&failures).pop_first();
    first.map_or_else(|| Ok(std::mem::take(&mut *lock(&made))), |(_, error)| Err(error))
}

fn exhibit(file: &Path, staged: &Staged, made: &Mutex<Exhibits>, context: &Context) -> Result<(), Error> {
    let Exhibit { entry, files } = Exhibit::of(&source::read(file, context)?, &source::name(file), &context.catalogue);
    let what = entry.words();
    let known = match lock(made).entry(entry.key().to_owned()) {
        MapEntry::Vacant(new) => {
            new.insert((entry, file.to_owned()));
            None
        }
        MapEntry::Occupied(known) => Some(known.get().1.clone()),
    };
    if let Some(known) = known {
        let mut both = [file, &known];
        both.sort_unstable();
        let [one, other] = both.map(Path::display);
        return Err(unfit(format!("{one} and {other} are both {what}; keep one of them")));
    }
    files.iter().try_for_each(|file| staged.write(file))
}

/// Locks what threads share. One that has panicked ends the command, whatever it left.
fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes the files of runs that were measured in turn with each other. They are read again, so that no more than two
/// are in memory.
fn pairs(exhibits: &Exhibits, staged: &Staged, context: &Context) -> Result<(), Error> {
    for (one, file) in exhibits.values() {
        let other = one.partner().and_then(|key| exhibits.get(&key));
        let Some((other, other_file)) = other.filter(|(other, _)| one.key() < other.key()) else { continue };
        let runs = [source::read(file, context)?.run, source::read(other_file, context)?.run];
        let sides = [(one, &runs[0]), (other, &runs[1])];
        for [base, other] in [[sides[0], sides[1]], [sides[1], sides[0]]] {
            pair(base, other, &context.catalogue).map_or(Ok(()), |file| staged.write(&file))?;
        }
    }
    Ok(())
}

/// Bad input, in words that may have names from outside.
fn unfit(why: impl std::fmt::Display) -> Error {
    Error::Usage(in_one_line(&why.to_string()))
}

/// A text that may have a name from outside, which must not add a line.
fn in_one_line(text: &str) -> String {
    output::clean(text).replace('\n', "\\n")
}
