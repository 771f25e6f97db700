//! What readers see.

use crate::sample;
use dbdyno_model::{RunStatus, Status};
use dbdyno_results::{FileAccess, Repository};
use std::os::unix::fs::MetadataExt;

#[test]
fn a_later_attempt_supersedes_and_resume_knows_what_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let mut repository = sample::open(&folder.path().join("dbdyno.db"));
    let run = sample::id("r1");
    sample::begin(&mut repository, &sample::run("r1", None, 0), 6);
    let ends =
        [(1, Status::Failed), (0, Status::Ok), (2, Status::Invalid), (3, Status::Unsupported), (4, Status::Failed)];
    for (index, status) in ends {
        sample::record(&mut repository, &run, index, status).unwrap();
    }
    assert_eq!(repository.unmeasured(&run).unwrap(), [1, 4, 5]);
    // The second attempt has no histograms, so there are none: those of the first belong to other work.
    repository.record_point(&run, 1, &sample::point(1, Status::Ok), &[]).unwrap();
    assert_eq!(repository.unmeasured(&run).unwrap(), [4, 5]);
    assert_eq!(repository.histograms(&run, 1).unwrap(), []);
    assert_eq!(repository.histograms(&run, 0).unwrap(), sample::histograms(0));

    let recorded = repository.recorded(&run).unwrap();
    let seen: Vec<_> = recorded.iter().map(|r| (r.plan_index, r.attempt, r.status)).collect();
    let expected = [
        (0, 1, Status::Ok),
        (1, 2, Status::Ok),
        (2, 1, Status::Invalid),
        (3, 1, Status::Unsupported),
        (4, 1, Status::Failed),
    ];
    assert_eq!(seen, expected);
    assert_eq!(recorded[1].reason, None);
    assert_eq!(recorded[4].reason.as_deref(), Some("point 4 was meant to end so"));

    let summary = &repository.list_runs().unwrap()[0];
    assert_eq!((summary.points_done, summary.points_planned), (5, 6));
    assert_eq!((summary.ok, summary.failed, summary.invalid, summary.unsupported), (2, 1, 1, 1));
    let points = repository.load(&run).unwrap().points;
    assert_eq!(points, [0, 1, 2, 3, 4].map(|i| sample::point(i, seen[i].2)));
}

#[test]
fn a_run_comes_back_as_it_was_begun() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("dbdyno.db");
    let mut repository = sample::open(&path);
    let mut begun = sample::run("r1", Some("l'été"), 0);
    begun.started_at += std::time::Duration::from_nanos(120_000_007);
    sample::begin(&mut repository, &begun, 3);
    repository.set_status(&begun.id, RunStatus::Interrupted).unwrap();
    begun.status = RunStatus::Interrupted;
    let reader = Repository::open(&path, FileAccess::ReadOnly).unwrap();
    let document = reader.load(&begun.id).unwrap();
    assert_eq!((document.run, document.platform), (begun.clone(), sample::platform()));
    assert_eq!((document.database, document.points), (sample::database(), Vec::new()));
    assert_eq!(reader.plan(&begun.id).unwrap(), sample::plan(3));
}

#[test]
fn runs_are_listed_newest_first_and_found_by_what_users_type() {
    let folder = tempfile::tempdir().unwrap();
    let mut repository = sample::open(&folder.path().join("dbdyno.db"));
    // Stored in another order than they began; half a second later sorts after the whole second.
    let mut half = sample::run("bb03", Some("ab"), 1);
    half.started_at += std::time::Duration::from_millis(500);
    for run in [sample::run("ab01", Some("base"), 1), half, sample::run("abc2", Some("base"), 0)] {
        sample::begin(&mut repository, &run, 1);
    }
    let listed: Vec<String> = repository.list_runs().unwrap().iter().map(|s| s.run.id.to_string()).collect();
    assert_eq!(listed, ["bb03", "ab01", "abc2"]);
    let found = |asked: &str| repository.find(asked).map(|id| id.to_string()).map_err(|e| e.to_string());
    assert_eq!(found("last").unwrap(), "bb03");
    assert_eq!(found("abc2").unwrap(), "abc2");
    assert_eq!(found("abc").unwrap(), "abc2");
    assert_eq!(found("b").unwrap(), "bb03");
    assert_eq!(found("base").unwrap(), "ab01", "the newest of the label");
    assert_eq!(found("ab").unwrap(), "bb03", "a whole label goes before a beginning");
    assert_eq!(repository.runs_with_label("base").unwrap(), [sample::id("ab01"), sample::id("abc2")]);
    assert_eq!(repository.runs_with_label("bas").unwrap(), []);
}

#[test]
fn a_reader_leaves_no_side_files_and_cannot_write() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("dbdyno.db");
    let mut repository = sample::open(&path);
    sample::begin(&mut repository, &sample::run("r1", None, 0), 1);
    drop(repository);
    let before = std::fs::read(&path).unwrap();
    let mut reader = Repository::open(&path, FileAccess::ReadOnly).unwrap();
    assert_eq!(reader.list_runs().unwrap().len(), 1);
    assert!(sample::record(&mut reader, &sample::id("r1"), 0, Status::Ok).is_err());
    drop(reader);
    assert_eq!(std::fs::read(&path).unwrap(), before);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_reader_follows_a_run_that_is_being_measured() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("dbdyno.db");
    let mut writer = sample::open(&path);
    sample::begin(&mut writer, &sample::run("r1", None, 0), 3);
    let reader = Repository::open(&path, FileAccess::ReadOnly).unwrap();
    for index in 0..3 {
        sample::record(&mut writer, &sample::id("r1"), index, Status::Ok).unwrap();
        assert_eq!(reader.load(&sample::id("r1")).unwrap().points.len(), index + 1);
    }
}

/// POSIX locks belong to the process: opening a file twice and closing it carelessly would drop the locks of the first.
#[test]
fn opening_a_second_time_keeps_the_locks_of_the_first() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("dbdyno.db");
    let first = sample::open(&path);
    first.list_runs().unwrap();
    let inode = format!(":{} ", path.metadata().unwrap().ino());
    let locks = || std::fs::read_to_string("/proc/locks").unwrap().lines().filter(|l| l.contains(&inode)).count();
    // The list of all locks is read in pieces and may miss some while others come and go; a dropped lock stays dropped.
    let held = (0..20).map(|_| locks()).max().unwrap();
    assert!(held > 0);
    for access in [FileAccess::ReadOnly, FileAccess::ReadWrite] {
        drop(Repository::open(&path, access).unwrap());
        assert!((0..1000).any(|_| locks() == held), "{} of {held}", locks());
    }
    drop(std::fs::File::open(&path).unwrap());
    assert!((0..1000).any(|_| locks() == 0), "this test can tell");
}
