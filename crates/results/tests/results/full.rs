//! A full disk and a read-only one: a clear refusal, no loss, and normal work when there is space again.

use crate::{process, sample};
use dbdyno_model::Status;
use dbdyno_results::{FileAccess, Repository, ResultsError};
use std::io::Write;
use std::path::Path;
use std::process::Command;

#[test]
fn a_full_disk_loses_nothing() {
    process::play_on_small_disk("full::full_disk", 6);
}

#[test]
#[ignore = "a part that another test starts"]
fn full_disk() {
    let Some(folder) = process::part() else { return };
    let path = folder.join("dbdyno.db");
    let mut repository = sample::open(&path);
    let run = sample::id("r1");
    sample::begin(&mut repository, &sample::run("r1", None, 0), 10_000);
    for index in 0..10 {
        sample::record(&mut repository, &run, index, Status::Ok).unwrap();
    }
    let ballast = folder.join("ballast");
    fill(&ballast);
    let mut recorded = 10;
    let refused = loop {
        match sample::record(&mut repository, &run, recorded, Status::Ok) {
            Ok(()) => recorded += 1,
            Err(error) => break error,
        }
    };
    assert!(matches!(refused, ResultsError::OutOfSpace { .. }), "{refused:?}");
    let text = format!(
        "cannot write {}: no space is left on its file system; everything recorded before is kept: free some space, then continue with `dbdyno resume`",
        path.display()
    );
    assert_eq!(refused.to_string(), text);
    intact(&repository, recorded);
    std::fs::remove_file(&ballast).unwrap();
    for index in recorded..recorded + 10 {
        sample::record(&mut repository, &run, index, Status::Ok).unwrap();
    }
    intact(&repository, recorded + 10);
    drop(repository);
    intact(&sample::open(&path), recorded + 10);
}

#[test]
fn a_file_that_found_no_room_can_be_made_later() {
    process::play_on_small_disk("full::no_room_for_a_new_file", 1);
}

#[test]
#[ignore = "a part that another test starts"]
fn no_room_for_a_new_file() {
    let Some(folder) = process::part() else { return };
    let (path, ballast) = (folder.join("dbdyno.db"), folder.join("ballast"));
    fill(&ballast);
    let refused = Repository::open(&path, FileAccess::ReadWrite).unwrap_err();
    assert!(matches!(refused, ResultsError::OutOfSpace { .. }), "{refused:?}");
    std::fs::remove_file(&ballast).unwrap();
    assert!(sample::open(&path).list_runs().unwrap().is_empty());
}

fn fill(path: &Path) {
    let mut file = std::fs::File::create(path).unwrap();
    for size in [65_536, 1] {
        while file.write_all(&vec![0; size]).is_ok() {}
    }
}

fn intact(repository: &Repository, recorded: usize) {
    let run = sample::id("r1");
    let points = repository.load(&run).unwrap().points;
    assert_eq!(points, (0..recorded).map(|index| sample::point(index, Status::Ok)).collect::<Vec<_>>());
    for index in 0..recorded {
        assert_eq!(repository.histograms(&run, index).unwrap(), sample::histograms(index));
    }
}

#[test]
fn a_read_only_folder_can_be_read_but_not_written() {
    process::play_on_small_disk("full::read_only_folder", 4);
}

#[test]
#[ignore = "a part that another test starts"]
fn read_only_folder() {
    let Some(folder) = process::part() else { return };
    let (path, log) = (folder.join("dbdyno.db"), folder.join("dbdyno.db-wal"));
    let mut repository = sample::open(&path);
    let run = sample::id("r1");
    sample::begin(&mut repository, &sample::run("r1", None, 0), 2);
    // What a killed process leaves: a log that is not in the main file yet.
    let (killed, killed_log) = (folder.join("killed.db"), folder.join("killed.db-wal"));
    std::fs::copy(&path, &killed).unwrap();
    std::fs::copy(&log, &killed_log).unwrap();
    drop(repository);
    assert!(!log.exists());
    let remounted = Command::new("mount").args(["-o", "remount,bind,ro"]).arg(&folder).status().unwrap();
    assert!(remounted.success());

    assert_eq!(Repository::open(&path, FileAccess::ReadOnly).unwrap().load(&run).unwrap().run.id, run);
    for path in [&path, &folder.join("new.db")] {
        let refused = Repository::open(path, FileAccess::ReadWrite).unwrap_err();
        let text = format!(
            "cannot write {}: the file or its folder is read-only for this user; change that, or name another file with --results",
            path.display()
        );
        assert_eq!(refused.to_string(), text);
    }
    let refused = Repository::open(&killed, FileAccess::ReadOnly).unwrap_err();
    let text = format!(
        "cannot read {0}: permission denied or read-only folder; get access to the file and its folder, or copy it (with {0}-wal, if there is one) to a folder of your own",
        killed.display()
    );
    assert_eq!(refused.to_string(), text);
}
