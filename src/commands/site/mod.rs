//! `dbdyno site`: a folder of exported runs and platform files as a gallery of static pages.

mod place;
mod source;
mod words;

use super::context::Context;
use crate::cli::SiteArgs;
use crate::error::Error;
use crate::signals;
use dbdyno_report::gallery::{Entry, Exhibit, INDEX, counts, of_all, pair};
use dbdyno_report::numbers;
use dbdyno_run::StopSwitch;
use place::{Place, Staged};
use source::Source;
use std::collections::btree_map::Entry as MapEntry;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use words::{in_one_line, lock, unfit};

/// Each thread has a run and its page in memory, and a run may be large.
const MOST_THREADS: usize = 8;

pub(super) fn site(args: &SiteArgs, context: &Context) -> Result<(), Error> {
    // Whether it may be written to is known before hundreds of files are read.
    let place = Place::at(&args.out)?;
    let source = Source::of(&args.folder)?;
    let stop = signals::end_of_watching("what stands there stays as it is")?;
    if !source.left_out.is_empty() {
        context.say(&format!("left out, as no .toml or .json file: {}", in_one_line(&source.left_out.join(", "))));
    }
    let staged = place.begin()?;
    let exhibits = exhibits(&source, &staged, &stop, context)?;
    let entries: Vec<Entry> = exhibits.values().map(|made| made.entry.clone()).collect();
    let in_turn = pairs(&exhibits, &staged, context)?;
    for file in of_all(&entries, &in_turn, &context.catalogue) {
        staged.write(&file)?;
    }
    let (files, bytes) = staged.written();
    if stop.requested() {
        return Err(Error::SiteStopped);
    }
    place.put(staged)?;
    let (out, size) = (args.out.display(), numbers::bytes(bytes));
    let what = if place.replaces() { ", in place of an older gallery" } else { "" };
    context.say(&format!(
        "written: {out} ({} in {files} files, {size}{what}); open {} in a browser",
        counts(&entries),
        args.out.join(INDEX).display()
    ));
    Ok(())
}

/// What was made of a file.
struct Made {
    entry: Entry,
    file: PathBuf,
    /// The place of the file among all.
    at: usize,
}

/// What was made of each file, by its key.
type Exhibits = BTreeMap<String, Made>;

/// Makes the files of every run and platform.
fn exhibits(source: &Source, staged: &Staged, stop: &StopSwitch, context: &Context) -> Result<Exhibits, Error> {
    let (next, has_failed) = (AtomicUsize::new(0), AtomicBool::new(false));
    let (made, failures) = (Mutex::new(Exhibits::new()), Mutex::new(BTreeMap::new()));
    let make = || {
        while !has_failed.load(Ordering::Relaxed) && !stop.requested() {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(file) = source.files.get(at) else { break };
            if let Err((at, error)) = exhibit((at, file), staged, &made, context) {
                has_failed.store(true, Ordering::Relaxed);
                lock(&failures).insert(at, error);
            }
        }
    };
    let threads = thread::available_parallelism().map_or(1, usize::from).min(MOST_THREADS).min(source.files.len());
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(make);
        }
    });
    // Files are taken in their order, and all before one that fails are done, so the first is always the same.
    let first = lock(&failures).pop_first();
    first.map_or_else(|| Ok(std::mem::take(&mut *lock(&made))), |(_, error)| Err(error))
}

/// Makes the files of a run or platform. An error has the place of the file that it is of. Of two that are the same
/// that is the later one, whichever was read first.
fn exhibit(
    (at, file): (usize, &Path),
    staged: &Staged,
    made: &Mutex<Exhibits>,
    context: &Context,
) -> Result<(), (usize, Error)> {
    let read = source::read(file, context).map_err(|error| (at, error))?;
    let Exhibit { entry, files } = Exhibit::of(&read, &source::name(file), &context.catalogue);
    let what = entry.words();
    let known = match lock(made).entry(entry.key().to_owned()) {
        MapEntry::Vacant(new) => {
            new.insert(Made { entry, file: file.to_owned(), at });
            None
        }
        MapEntry::Occupied(known) => Some((known.get().at, known.get().file.clone())),
    };
    if let Some((other_at, other)) = known {
        let mut both = [file, &other];
        both.sort_unstable();
        let [one, other] = both.map(Path::display);
        return Err((at.max(other_at), unfit(format!("{one} and {other} are both {what}; keep one of them"))));
    }
    files.iter().try_for_each(|file| staged.write(file)).map_err(|error| (at, error))
}

/// Makes the files of runs that were measured in turn with each other. They are read again, so that no more than two
/// are in memory. Returns the keys of those that have such files.
fn pairs(exhibits: &Exhibits, staged: &Staged, context: &Context) -> Result<BTreeSet<String>, Error> {
    let mut in_turn = BTreeSet::new();
    for one in exhibits.values() {
        let other = one.entry.partner().and_then(|key| exhibits.get(&key));
        let Some(other) = other.filter(|other| one.entry.key() < other.entry.key()) else { continue };
        let runs = [source::read(&one.file, context)?.run, source::read(&other.file, context)?.run];
        let sides = [(&one.entry, &runs[0]), (&other.entry, &runs[1])];
        let made = [[sides[0], sides[1]], [sides[1], sides[0]]].map(|[base, of]| pair(base, of, &context.catalogue));
        if let [Some(one_way), Some(other_way)] = &made {
            staged.write(one_way)?;
            staged.write(other_way)?;
            in_turn.extend(sides.map(|(entry, _)| entry.key().to_owned()));
        }
    }
    Ok(in_turn)
}
