//! Every refusal, word for word, and that files of others stay unchanged. (Full and read-only disks: `full`; a run that
//! is being measured: `claiming`.)

use crate::sample;
use dbdyno_model::{RunStatus, Status};
use dbdyno_results::{FileAccess, HistogramKind, Repository};
use rusqlite::Connection;
use std::fs;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const BOTH: [FileAccess; 2] = [FileAccess::ReadOnly, FileAccess::ReadWrite];

fn place(name: &str) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    (folder, path)
}

fn refusal(path: &Path, access: FileAccess) -> String {
    Repository::open(path, access).unwrap_err().to_string()
}

/// Opening is refused with this text, and neither the file nor its folder changes.
fn refused_untouched(folder: &Path, path: &Path, text: &str) {
    let listing = || fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name()).collect::<Vec<_>>();
    let (content, names) = (fs::read(path).unwrap(), listing());
    for access in BOTH {
        assert_eq!(refusal(path, access), text);
    }
    assert_eq!((fs::read(path).unwrap(), listing()), (content, names));
}

#[test]
fn nothing_measured_yet() {
    let (folder, path) = place("dbdyno.db");
    let text = |path: &Path| {
        format!(
            "there are no results in {} yet: measure something first, as in `dbdyno run`, or name another file with --results",
            path.display()
        )
    };
    assert_eq!(refusal(&path, FileAccess::ReadOnly), text(&path));
    assert!(!path.exists());
    let empty = folder.path().join("empty.db");
    fs::write(&empty, "").unwrap();
    assert_eq!(refusal(&empty, FileAccess::ReadOnly), text(&empty));
    assert_eq!(sample::open(&empty).find("last").unwrap_err().to_string(), text(&empty));
}

#[test]
fn a_folder_a_device_and_a_missing_folder() {
    let (folder, path) = place("missing/dbdyno.db");
    let folder = folder.path().display();
    for access in BOTH {
        let text = format!("{folder} is a folder: name a file in it, as in --results {folder}/dbdyno.db");
        assert_eq!(refusal(Path::new(&folder.to_string()), access), text);
        let text = "/dev/null is no ordinary file: name another file with --results";
        assert_eq!(refusal(Path::new("/dev/null"), access), text);
    }
    let text = format!(
        "cannot create {folder}/missing/dbdyno.db: there is no folder {folder}/missing; create it, or name another file with --results"
    );
    assert_eq!(refusal(&path, FileAccess::ReadWrite), text);
}

#[test]
fn a_file_that_is_something_else() {
    for content in ["hello\n".to_owned(), "x".repeat(100_000), "SQLite format 4\0".repeat(1_000)] {
        let (folder, path) = place("notes.txt");
        fs::write(&path, content).unwrap();
        let text = format!(
            "{} is not a dbdyno results file; it was left as it is: name another file with --results",
            path.display()
        );
        refused_untouched(folder.path(), &path, &text);
    }
}

#[test]
fn an_sqlite_file_of_another_application() {
    for pragmas in ["", "PRAGMA application_id = 77; PRAGMA user_version = 1;", "PRAGMA journal_mode = WAL;"] {
        let (folder, path) = place("other.db");
        let other = Connection::open(&path).unwrap();
        other.execute_batch(&format!("{pragmas} CREATE TABLE runs (id TEXT);")).unwrap();
        other.close().unwrap();
        let text = format!(
            "{} is an SQLite file of another application; it was left as it is: name another file with --results",
            path.display()
        );
        refused_untouched(folder.path(), &path, &text);
    }
}

#[test]
fn a_file_of_a_newer_dbdyno() {
    let (folder, path) = place("dbdyno.db");
    drop(sample::open(&path));
    let newer = Connection::open(&path).unwrap();
    let known: u32 = newer.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap();
    newer.pragma_update(None, "user_version", known + 1).unwrap();
    newer.close().unwrap();
    let text = format!(
        "{} was written by a newer dbdyno (results schema {}; this one knows {known}): use that version, or another file with --results",
        path.display(),
        known + 1
    );
    refused_untouched(folder.path(), &path, &text);
}

#[test]
fn a_file_that_another_process_holds() {
    let (_folder, path) = place("dbdyno.db");
    let text = format!(
        "{0} has been locked by another process for more than 5 s: end that process or wait for it (`fuser {0}` names it), then try again",
        path.display()
    );
    let mut repository = sample::open(&path);
    sample::begin(&mut repository, &sample::run("r1", None, 0), 1);
    let other = Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let refused = sample::record(&mut repository, &sample::id("r1"), 0, Status::Ok).unwrap_err();
    assert_eq!(refused.to_string(), text);
    assert_eq!(repository.load(&sample::id("r1")).unwrap().points, [], "reading goes on");
    other.execute_batch("ROLLBACK").unwrap();
    sample::record(&mut repository, &sample::id("r1"), 0, Status::Ok).unwrap();
    drop((repository, other));

    let other = Connection::open(&path).unwrap();
    other.execute_batch("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE").unwrap();
    std::thread::scope(|scope| {
        for access in &BOTH {
            scope.spawn(|| assert_eq!(refusal(&path, *access), text));
        }
    });
}

#[test]
fn a_damaged_file() {
    let (_folder, path) = place("dbdyno.db");
    let mut repository = sample::open(&path);
    sample::begin(&mut repository, &sample::run("r1", None, 0), 50);
    for index in 0..50 {
        sample::record(&mut repository, &sample::id("r1"), index, Status::Ok).unwrap();
    }
    drop(repository);
    let damaged = |path: &Path, detail: &str| {
        format!(
            "{0} is damaged ({detail}): keep a copy, save what can be saved with `sqlite3 {0} .recover`, and name another file with --results",
            path.display()
        )
    };

    let cut = path.with_extension("cut");
    fs::copy(&path, &cut).unwrap();
    let length = cut.metadata().unwrap().len();
    fs::File::options().write(true).open(&cut).unwrap().set_len(length / 2).unwrap();
    for access in BOTH {
        assert_eq!(refusal(&cut, access), damaged(&cut, "database disk image is malformed"));
    }

    // All but the first page overwritten: a reader notices when it gets there, a writer before it begins.
    let scribbled = path.with_extension("scribbled");
    fs::copy(&path, &scribbled).unwrap();
    let file = fs::File::options().write(true).open(&scribbled).unwrap();
    file.write_all_at(&vec![0xa5; length as usize - 4_096], 4_096).unwrap();
    drop(file);
    let reader = Repository::open(&scribbled, FileAccess::ReadOnly).unwrap();
    let text = damaged(&scribbled, "database disk image is malformed");
    assert_eq!(reader.list_runs().unwrap_err().to_string(), text);
    let refused = refusal(&scribbled, FileAccess::ReadWrite);
    assert!(refused.starts_with(&format!("{} is damaged (", scribbled.display())), "{refused}");

    let other = Connection::open(&path).unwrap();
    other.execute_batch(r#"UPDATE points SET point = '{"test":1}' WHERE plan_index = 3"#).unwrap();
    let reader = Repository::open(&path, FileAccess::ReadOnly).unwrap();
    let text = damaged(&path, "point 3 of run r1: missing field `definition` at line 1 column 10");
    assert_eq!(reader.load(&sample::id("r1")).unwrap_err().to_string(), text);
    other.execute_batch("UPDATE histograms SET histogram = x'00' WHERE point = 1 AND kind = 'service'").unwrap();
    let refused = reader.histograms(&sample::id("r1"), 0).unwrap_err().to_string();
    assert!(refused.contains("is damaged (the service histogram of point 0 of run r1: "), "{refused}");
}

#[test]
fn runs_that_cannot_be_found() {
    let (_folder, path) = place("dbdyno.db");
    let mut repository = sample::open(&path);
    for run in [sample::run("ab01xyz9", Some("baseline"), 0), sample::run("ab02xyz9", None, 1)] {
        sample::begin(&mut repository, &run, 2);
    }
    let found = |asked: &str| repository.find(asked).unwrap_err().to_string();
    let file = path.display();
    assert_eq!(
        found("basline"),
        format!("there is no run 'basline' in {file}; did you mean baseline?: `dbdyno list runs` shows them all")
    );
    assert_eq!(
        found("ab03xyz9"),
        format!(
            "there is no run 'ab03xyz9' in {file}; did you mean ab02xyz9 or ab01xyz9?: `dbdyno list runs` shows them all"
        )
    );
    let nowhere = |asked: &str| format!("there is no run '{asked}' in {file}: `dbdyno list runs` shows them all");
    assert_eq!(found("%"), nowhere("%"));
    assert_eq!(found(""), nowhere(""));
    assert_eq!(found("ab0"), "'ab0' could be any of the runs ab02xyz9, ab01xyz9: type one more character");

    let gone = sample::id("gone");
    let errors = [
        repository.load(&gone).unwrap_err(),
        repository.plan(&gone).unwrap_err(),
        repository.recorded(&gone).unwrap_err(),
        repository.unmeasured(&gone).unwrap_err(),
        repository.histograms(&gone, 0).unwrap_err(),
        repository.claim(&gone).unwrap_err(),
        repository.set_status(&gone, RunStatus::Done).unwrap_err(),
        sample::record(&mut repository, &gone, 0, Status::Ok).unwrap_err(),
    ];
    for error in errors {
        assert_eq!(error.to_string(), nowhere("gone"));
    }
}

#[test]
fn what_cannot_be_recorded() {
    let (_folder, path) = place("dbdyno.db");
    let mut repository = sample::open(&path);
    let run = sample::run("r1", None, 0);
    sample::begin(&mut repository, &run, 2);
    let again =
        repository.begin_run(&run, &sample::plan(9), &sample::platform(), &sample::database(), None).unwrap_err();
    let text = format!(
        "there already is a run r1 in {}: continue it with `dbdyno resume r1`, or start another",
        path.display()
    );
    assert_eq!(again.to_string(), text);
    assert_eq!(repository.plan(&run.id).unwrap().points.len(), 2);

    let outside = sample::record(&mut repository, &run.id, 2, Status::Ok).unwrap_err();
    assert_eq!(outside.to_string(), "run r1 has no planned point 2: its plan has 2, counted from 0");

    let mut point = sample::point(1, Status::Ok);
    point.metric.as_mut().unwrap().value = f64::NAN;
    let refused = repository.record_point(&run.id, 1, &point, &[]).unwrap_err().to_string();
    let column = serde_json::to_string(&point).unwrap().find(r#""value":null"#).unwrap() + r#""value":null"#.len();
    let text = format!(
        "point 1 (T611) of run r1 cannot be stored: invalid type: null, expected f64 at line 1 column {column}; please report this as a fault of dbdyno"
    );
    assert_eq!(refused, text);

    // One bad histogram rejects the whole point.
    let histogram = sample::histogram(1);
    let twice = [0, 1].map(|_| sample::of_test(HistogramKind::Service, histogram.clone()));
    let refused = repository.record_point(&run.id, 1, &sample::point(1, Status::Ok), &twice).unwrap_err();
    let text = format!(
        "cannot write {}: UNIQUE constraint failed: histograms.point, histograms.type, histograms.kind; check the file system, or name another file with --results",
        path.display()
    );
    assert_eq!(refused.to_string(), text);
    assert_eq!(repository.load(&run.id).unwrap().points, []);
}
