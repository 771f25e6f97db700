//! kill -9 at random moments: what was reported as recorded is there, whole, and nothing else.

use crate::{process, sample};
use dbdyno_model::Status;
use dbdyno_results::{FileAccess, Repository, ResultsError};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

/// More points than a recorder can record before it is killed.
const POINTS: usize = 5_000;
const KILLS: u64 = 50;
/// A new file after this many kills, so that some kills hit its creation and others its recovery.
const KILLS_PER_FILE: u64 = 5;

/// The process that is killed: it opens the file, begins a run, records points, and reports each.
#[test]
#[ignore = "a part that another test starts"]
fn recorder() {
    let Some(folder) = process::part() else { return };
    let mut repository = sample::open(&folder.join("dbdyno.db"));
    let id = format!("p{}", std::process::id());
    println!("opened {id}");
    sample::begin(&mut repository, &sample::run(&id, None, 0), POINTS);
    println!("begun {id}");
    for index in 0..POINTS {
        sample::record(&mut repository, &sample::id(&id), index, Status::Ok).unwrap();
        println!("recorded {index}");
    }
}

#[test]
fn what_was_recorded_survives_kill_9_at_any_moment() {
    let mut series = 20_260_101;
    let mut folder = tempfile::tempdir().unwrap();
    // Run -> points that its recorder reported, in the current file.
    let mut reported: BTreeMap<String, usize> = BTreeMap::new();
    let (mut points, mut early) = (0, 0);
    for kill in 0..KILLS {
        if kill % KILLS_PER_FILE == 0 {
            folder = tempfile::tempdir().unwrap();
            reported.clear();
        }
        let (run, recorded) = record_until_killed(folder.path(), &mut series);
        points += recorded;
        match run {
            Some(run) => _ = reported.insert(run, recorded),
            None => early += 1,
        }
        check(&folder.path().join("dbdyno.db"), &reported);
    }
    assert!(points > 100 && early > 0, "the moments were not spread: {points} points, {early} kills before a run");
}

/// Starts a recorder and kills it. Returns its run, if it reported one, and the number of points that it reported.
///
/// The moment is a number of lines and then some time, so that any phase is hit on slow and on fast machines.
fn record_until_killed(folder: &Path, series: &mut u64) -> (Option<String>, usize) {
    let mut child =
        process::playing("killed::recorder", folder).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).split(b'\n').map(|line| line.unwrap());
    let awaited = [0, 3, 4, 5, 20][(sample::next(series) % 5) as usize];
    let mut said: Vec<Vec<u8>> = lines.by_ref().take(awaited).collect();
    std::thread::sleep(Duration::from_micros(sample::next(series) % 20_000));
    child.kill().unwrap();
    assert!(!child.wait().unwrap().success(), "the recorder ended of itself");
    said.extend(lines);
    let said: Vec<String> = said.into_iter().map(|line| String::from_utf8(line).unwrap()).collect();
    let run = said.iter().find_map(|line| line.strip_prefix("begun ")).map(str::to_owned);
    (run, said.iter().filter(|line| line.starts_with("recorded ")).count())
}

fn check(path: &Path, reported: &BTreeMap<String, usize>) {
    // A reader comes first, which must cope with what was left.
    let reader = Repository::open(path, FileAccess::ReadOnly);
    if let Err(error) = &reader {
        assert!(matches!(error, ResultsError::NoResults { .. }) && reported.is_empty(), "{error}");
    }
    drop(reader);
    let repository = sample::open(path);
    for (id, recorded) in reported {
        let run = sample::id(id);
        let points = repository.load(&run).unwrap().points;
        assert!((*recorded..=recorded + 1).contains(&points.len()), "{} of {recorded} points", points.len());
        for (index, point) in points.iter().enumerate() {
            assert_eq!(*point, sample::point(index, Status::Ok));
            assert_eq!(repository.histograms(&run, index).unwrap(), sample::histograms(index));
        }
        assert_eq!(repository.unmeasured(&run).unwrap(), (points.len()..POINTS).collect::<Vec<_>>());
    }
}

/// A kill, or a full disk, within a checkpoint: the main file's header already counts pages that are still only in the
/// log.
#[test]
fn a_checkpoint_that_was_cut_short_is_no_damage() {
    let folder = tempfile::tempdir().unwrap();
    let (path, cut) = (folder.path().join("dbdyno.db"), folder.path().join("cut.db"));
    let mut repository = sample::open(&path);
    let run = sample::id("r1");
    sample::begin(&mut repository, &sample::run("r1", None, 0), 10);
    for index in 0..10 {
        sample::record(&mut repository, &run, index, Status::Ok).unwrap();
    }
    let before_bytes = path.metadata().unwrap().len();
    rusqlite::Connection::open(&path).unwrap().query_row("PRAGMA wal_checkpoint(FULL)", [], |_| Ok(())).unwrap();
    std::fs::copy(&path, &cut).unwrap();
    std::fs::copy(folder.path().join("dbdyno.db-wal"), folder.path().join("cut.db-wal")).unwrap();
    assert!(cut.metadata().unwrap().len() > before_bytes);
    std::fs::File::options().write(true).open(&cut).unwrap().set_len(before_bytes).unwrap();
    for access in [FileAccess::ReadOnly, FileAccess::ReadWrite] {
        let points = Repository::open(&cut, access).unwrap().load(&run).unwrap().points;
        assert_eq!(points, (0..10).map(|index| sample::point(index, Status::Ok)).collect::<Vec<_>>());
    }
}
