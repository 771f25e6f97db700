//! The six files of a run as golden files. `DBDYNO_BLESS=1` writes them again; read the difference before you commit
//! it.

// A test that cannot be prepared fails; clippy sees that only inside #[test] functions.
#![allow(clippy::unwrap_used)]

use dbdyno_storage::orion::files::{FilesReport, FinishedPoint, IoTimes, OrionFiles, ReadWriteTimes};
use dbdyno_storage::orion::{LargeType, MatrixKind, OrionSettings, Outstanding, RunKind, Simulate, TypedFlags};
use std::path::{Path, PathBuf};

fn golden(name: &str, text: &str) -> Result<(), String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    if std::env::var_os("DBDYNO_BLESS").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let expected = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    if expected == text { Ok(()) } else { Err(format!("{name} differs from its golden file. It is now:\n{text}")) }
}

/// `n` I/Os spread around a time, the same at each run of the test.
fn times(n: u64, around_us: u64, io_bytes: u64) -> IoTimes {
    let mut times = IoTimes { bytes: n * io_bytes, ..IoTimes::default() };
    for i in 0..n {
        // A long tail, as storage has.
        let tail = if i % 97 == 0 { 9 } else { 1 };
        times.latency.record_ns(around_us * (500 + (i * 37) % 700) * tail);
    }
    times
}

/// Plausible figures of a point: with more outstanding, somewhat more is done, each I/O somewhat later.
fn finished(settings: &OrionSettings, at: Outstanding) -> FinishedPoint {
    let of = |outstanding: u32, io_bytes: u64, per_s: u64, us: u64| {
        let outstanding = u64::from(outstanding);
        let n = (settings.duration_s as u64) * per_s * outstanding * 10 / (8 + 2 * outstanding);
        let writes = n * u64::from(settings.write_pct) / 100;
        let us = us * (8 + 2 * outstanding) / 10;
        ReadWriteTimes { read: times(n - writes, us, io_bytes), write: times(writes, us * 3, io_bytes) }
    };
    FinishedPoint {
        at,
        started: "2021-04-14 10:43:07".to_owned(),
        window_s: settings.duration_s,
        small: of(at.small, settings.small_bytes, 900, 370),
        large: of(at.large, settings.large_bytes, 90, 2_600),
        failure: None,
        notes: Vec::new(),
    }
}

fn written(
    typed: &TypedFlags,
    command_line: &str,
    points: impl Fn(Vec<FinishedPoint>) -> Vec<FinishedPoint>,
) -> Vec<(String, String)> {
    let luns = [(PathBuf::from("/dev/disk/by-id/BENCHMARK1"), 322_122_547_200), (PathBuf::from("/srv/a b"), 4 << 30)];
    let paths: Vec<PathBuf> = luns.iter().map(|(path, _)| path.clone()).collect();
    let settings = OrionSettings::resolve(typed, &paths).unwrap();
    let points = points(settings.points.iter().map(|p| finished(&settings, p.at)).collect());
    let report =
        FilesReport { settings: &settings, command_line, version: "0.0.0", luns: &luns, hosts: &[], points: &points };
    let folder = tempfile::tempdir().unwrap();
    let files = OrionFiles::new(&folder.path().join("t").display().to_string(), "20210414_1043");
    // Written after every point, as in a run.
    for n in 0..=points.len() {
        files.write(&FilesReport { points: &points[..n], ..report }).unwrap();
    }
    let left = std::fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(left, 6, "six files, and nothing beside them");
    files
        .paths()
        .map(|path| {
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            (name.strip_prefix("t_20210414_1043_").unwrap().to_owned(), std::fs::read_to_string(path).unwrap())
        })
        .collect()
}

fn compare(prefix: &str, files: Vec<(String, String)>) {
    let wrong: Vec<String> =
        files.into_iter().filter_map(|(name, text)| golden(&format!("{prefix}_{name}"), &text).err()).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A run of a published report, with its flags, on few disks.
fn published() -> TypedFlags {
    TypedFlags {
        run: Some(RunKind::Advanced),
        testname: Some("oltp-write".to_owned()),
        num_disks: Some(5),
        cache_size_mb: Some(8_192),
        size_large_kb: Some(16),
        large_type: Some(LargeType::Rand),
        simulate: Some(Simulate::Raid0),
        write_pct: Some(80),
        duration_s: Some(2.0),
        matrix: Some(MatrixKind::Basic),
        ..TypedFlags::default()
    }
}

const PUBLISHED: &str = "-run advanced -testname oltp-write -num_disks 5 -cache_size 8192 -size_large 16 -type rand \
                         -simulate raid0 -write 80 -duration 2 -matrix basic";

#[test]
fn a_run_of_small_and_large_ios_apart() {
    compare("basic", written(&published(), PUBLISHED, |points| points));
}

#[test]
fn combinations_with_percentiles_a_failed_point_and_an_early_end() {
    let typed = TypedFlags {
        num_disks: Some(1),
        large_type: Some(LargeType::Seq),
        matrix: Some(MatrixKind::Detailed),
        write_pct: None,
        percentiles: true,
        huge_not_needed: true,
        ..published()
    };
    let line = "-run advanced -type seq -matrix detailed --percentiles";
    compare(
        "detailed",
        written(&typed, line, |mut points| {
            points[6].failure = Some("3 I/O errors (io); the first:\n/srv/a b at 8192".to_owned());
            points[7].notes = vec!["io_uring is not allowed here, threads took its place".to_owned()];
            points.truncate(14);
            points
        }),
    );
}

#[test]
fn the_histogram_of_a_point_is_that_points() {
    let files = written(&published(), PUBLISHED, |points| points);
    let text = |name: &str| &files.iter().find(|(n, _)| n == name).unwrap().1;
    let summary = text("summary.txt");
    let (_, best) = summary.split_once("Maximum Small IOPS=").unwrap();
    let place = best.lines().next().unwrap().split_once("@ ").unwrap().1;
    let (_, table) = summary.split_once(&format!("Small Read / Write Latency Histogram @ {place}\n")).unwrap();
    let (_, all) = text("hist.txt").split_once(&format!("Latency Histogram for small IOs @ {place}\n")).unwrap();
    let table = table.trim_end();
    assert!(all.starts_with(table), "{table}\nis not what hist.txt has:\n{all}");
    assert_ne!(place, "Small=1 and Large=0", "another point than the quickest, or this test would show nothing");
    let reads: u64 = table
        .lines()
        .skip(1)
        .map(|line| line.split_once("us:").unwrap().1.split_once('(').unwrap().0.trim().parse::<u64>().unwrap())
        .sum();
    let trace = text("trace.txt");
    let (_, point) = trace.split_once(&format!(" {place}, window")).unwrap();
    assert!(point.lines().nth(1).unwrap().starts_with(&format!("  small reads: {reads},")), "{reads} {point}");
}

#[test]
fn runs_of_the_same_minute_keep_their_files() {
    let folder = tempfile::tempdir().unwrap();
    let name = folder.path().join("t").display().to_string();
    let first = OrionFiles::new(&name, "20210414_1043");
    assert_eq!(first, OrionFiles::new(&name, "20210414_1043"), "nothing is there yet");
    std::fs::write(first.paths().last().unwrap(), "").unwrap();
    assert_eq!(OrionFiles::new(&name, "20210414_1043").prefix(), format!("{name}_20210414_1043_2"));
}

#[test]
fn a_folder_that_takes_no_files_is_named() {
    let typed = published();
    let settings = OrionSettings::resolve(&typed, &[PathBuf::from("/dev/a")]).unwrap();
    let report = FilesReport { settings: &settings, command_line: "", version: "", luns: &[], hosts: &[], points: &[] };
    let error = OrionFiles::new("/proc/none/t", "20210414_1043").write(&report).unwrap_err().to_string();
    assert!(error.contains("cannot write /proc/none/t_20210414_1043_summary.txt"), "{error}");
}

/// A user who may write to the folder could redirect a run's reports into a file of the tester's.
#[test]
fn a_link_at_an_unfinished_file_is_not_followed() {
    let folder = tempfile::tempdir().unwrap();
    let typed = published();
    let settings = OrionSettings::resolve(&typed, &[PathBuf::from("/dev/a")]).unwrap();
    let report = FilesReport { settings: &settings, command_line: "", version: "", luns: &[], hosts: &[], points: &[] };
    let secret = folder.path().join("secret");
    std::fs::write(&secret, "secret").unwrap();
    let files = OrionFiles::new(&folder.path().join("t").display().to_string(), "20210414_1043");
    for path in files.paths() {
        std::os::unix::fs::symlink(&secret, format!("{}.unfinished", path.display())).unwrap();
    }
    files.write(&report).unwrap();
    assert_eq!(std::fs::read_to_string(&secret).unwrap(), "secret");
    assert!(files.paths().all(|path| path.symlink_metadata().unwrap().is_file()));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 7, "nothing unfinished is left");
}
