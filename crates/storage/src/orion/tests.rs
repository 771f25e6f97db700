//! Flags as typed become settings, or an error that says what to do.

use super::*;
use crate::{BackendKind, Layout, Pattern};
use dbdyno_model::Arrivals;
use std::path::Path;

fn typed(run: RunKind) -> TypedFlags {
    TypedFlags { run: Some(run), ..TypedFlags::default() }
}

fn advanced() -> TypedFlags {
    typed(RunKind::Advanced)
}

fn luns(n: usize) -> Vec<PathBuf> {
    (0..n).map(|i| PathBuf::from(format!("/dev/lun{i}"))).collect()
}

fn resolve(typed: &TypedFlags) -> OrionSettings {
    OrionSettings::resolve(typed, &luns(2)).unwrap()
}

fn refusal(typed: &TypedFlags) -> String {
    OrionSettings::resolve(typed, &luns(2)).unwrap_err().to_string()
}

#[test]
fn what_is_left_out_is_as_orion_has_it() {
    let settings = resolve(&typed(RunKind::Simple));
    assert_eq!(settings.testname, "orion");
    assert_eq!((settings.num_disks, settings.small_bytes, settings.large_bytes), (2, 8_192, 1_048_576));
    assert_eq!((settings.large_type, settings.stream_ios), (LargeType::Rand, 4));
    assert_eq!((settings.write_pct, settings.duration_s), (0, 60.0));
    assert_eq!((settings.layout, settings.warming), (Layout::Concat, CacheWarming::None));
    assert_eq!(settings.backend, BackendKind::Uring);
    assert!(!settings.writes() && settings.notes.is_empty());
    let load = settings.load(&settings.points[0], 7);
    assert_eq!((load.small, load.large, load.pattern, load.write_pct, load.seed), (1, 0, Pattern::Random, 0, 7));
    assert_eq!((load.warm_up_s, load.duration_s), (12.0, 60.0));
    let raid0 = resolve(&TypedFlags { simulate: Some(Simulate::Raid0), ..advanced() });
    assert_eq!(raid0.layout, Layout::Raid0 { stripe_bytes: 1_048_576 });
}

#[test]
fn kinds_of_run_are_matrices() {
    let points = |run| resolve(&typed(run)).points.into_iter().map(|p| (p.at.small, p.at.large)).collect::<Vec<_>>();
    assert_eq!(points(RunKind::Simple).len(), 10 + 4);
    assert_eq!(points(RunKind::Normal).len(), 11 * 5 - 1);
    assert!(points(RunKind::Oltp).iter().all(|(_, large)| *large == 0));
    assert_eq!(points(RunKind::Oltp).last(), Some(&(40, 0)));
    assert_eq!(points(RunKind::Dss), (1..=15).map(|n| (0, 2 * n)).collect::<Vec<_>>());
    assert_eq!(points(RunKind::Advanced), points(RunKind::Simple));
}

#[test]
fn streams_keep_several_ios_each_and_have_caches_warmed() {
    let seq = TypedFlags { large_type: Some(LargeType::Seq), ..advanced() };
    let settings = resolve(&seq);
    let point = settings.points.iter().find(|p| p.at.large == 3).unwrap();
    let load = settings.load(point, 1);
    assert_eq!((load.large, load.pattern), (12, Pattern::Sequential { streams: 3 }));
    assert_eq!(settings.warming, CacheWarming::Seconds(120.0));
    assert!(settings.warms(point) && !settings.warms(&settings.points[0]));
    let sized = |mb| resolve(&TypedFlags { cache_size_mb: Some(mb), ..seq.clone() }).warming;
    assert_eq!((sized(0), sized(8192)), (CacheWarming::None, CacheWarming::Bytes(8 << 30)));
    let deep = TypedFlags { num_stream_io: Some(9), ..seq };
    let settings = resolve(&deep);
    assert_eq!(settings.load(settings.points.last().unwrap(), 1).large, 4 * 9);
}

#[test]
fn the_estimate_has_warm_up_and_warming_in_it() {
    let short = TypedFlags { duration_s: Some(2.0), ..advanced() };
    assert_eq!(resolve(&short).estimate_s(), 14.0 * 3.0);
    let seq = TypedFlags { large_type: Some(LargeType::Seq), ..short };
    assert_eq!(resolve(&seq).estimate_s(), 14.0 * 3.0 + 4.0 * 120.0);
}

#[test]
fn what_changes_nothing_is_said() {
    let notes =
        resolve(&TypedFlags { huge_not_needed: true, cache_size_mb: Some(8192), ..typed(RunKind::Simple) }).notes;
    assert!(notes.iter().any(|n| n.contains("-hugenotneeded")) && notes.iter().any(|n| n.contains("-cache_size")));
    let told = |typed: TypedFlags| {
        let notes = resolve(&typed).notes.join("\n");
        ["-num_disks", "-size_small", "-size_large", "-type", "--destroy-data"].map(|flag| notes.contains(flag))
    };
    let all = TypedFlags {
        num_disks: Some(8),
        size_small_kb: Some(8),
        size_large_kb: Some(1024),
        large_type: Some(LargeType::Rand),
        destroy_data: vec!["/dev/sdx".into()],
        ..advanced()
    };
    assert_eq!(told(all.clone()), [false, false, false, false, true]);
    let point = |small, large| TypedFlags {
        matrix: Some(MatrixKind::Point),
        num_small: Some(small),
        num_large: Some(large),
        write_pct: Some(1),
        ..all.clone()
    };
    assert_eq!(told(point(1, 0)), [true, false, true, true, false]);
    assert_eq!(told(point(0, 1)), [true, true, false, false, false]);
}

#[test]
fn fixed_kinds_of_run_take_no_flags_of_the_advanced_one() {
    let particular: [(TypedFlags, &str); 6] = [
        (TypedFlags { size_small_kb: Some(4), ..typed(RunKind::Simple) }, "-size_small is not for -run simple"),
        (TypedFlags { write_pct: Some(20), ..typed(RunKind::Normal) }, "-write is not for -run normal"),
        (TypedFlags { matrix: Some(MatrixKind::Basic), ..typed(RunKind::Oltp) }, "-matrix is not for -run oltp"),
        (TypedFlags { size_large_kb: Some(64), ..typed(RunKind::Oltp) }, "-matrix row -num_large 0"),
        (TypedFlags { large_type: Some(LargeType::Seq), ..typed(RunKind::Dss) }, "-matrix col -num_small 0"),
        (TypedFlags { rate_iops: Some(100.0), ..typed(RunKind::Simple) }, "only `-run advanced` takes"),
    ];
    for (typed, expected) in particular {
        assert!(refusal(&typed).contains(expected), "{}", refusal(&typed));
    }
    let oltp = TypedFlags { write_pct: Some(20), size_small_kb: Some(16), ..typed(RunKind::Oltp) };
    assert_eq!((resolve(&oltp).write_pct, resolve(&oltp).small_bytes), (20, 16_384));
    assert!(resolve(&oltp).writes());
}

/// Flags of published command lines that only ask for what is done anyway.
#[test]
fn harmless_defaults_are_accepted_and_said_to_change_nothing() {
    let cases: [(TypedFlags, &[&str]); 7] = [
        (TypedFlags { large_type: Some(LargeType::Rand), ..typed(RunKind::Oltp) }, &["-type"]),
        (TypedFlags { large_type: Some(LargeType::Rand), ..typed(RunKind::Dss) }, &["-type"]),
        (TypedFlags { simulate: Some(Simulate::Concat), stripe_kb: Some(64), ..advanced() }, &["-stripe"]),
        (TypedFlags { large_type: Some(LargeType::Rand), num_stream_io: Some(4), ..advanced() }, &["-num_streamIO"]),
        (TypedFlags { storax: Some(Storax::Skgfr), ..typed(RunKind::Simple) }, &["-storax"]),
        (
            TypedFlags { cache_size_mb: Some(67_108_864), ..typed(RunKind::Simple) },
            &["-cache_size changes nothing", "as bytes"],
        ),
        (
            TypedFlags {
                write_pct: Some(0),
                size_small_kb: Some(8),
                size_large_kb: Some(1_024),
                simulate: Some(Simulate::Concat),
                matrix: Some(MatrixKind::Basic),
                ..typed(RunKind::Simple)
            },
            &[],
        ),
    ];
    for (typed, said) in cases {
        let settings = resolve(&typed);
        let notes = settings.notes.join("\n");
        assert!(said.iter().all(|said| notes.contains(said)), "{typed:?}: {notes}");
        assert_eq!(settings.points, resolve(&TypedFlags { run: typed.run, ..TypedFlags::default() }).points);
    }
    let seq = TypedFlags { large_type: Some(LargeType::Seq), cache_size_mb: Some(67_108_864), ..advanced() };
    assert_eq!(resolve(&seq).warming, CacheWarming::Bytes(67_108_864));
}

#[test]
fn runs_have_the_same_seed_unless_another_is_asked_for() {
    assert_eq!(resolve(&typed(RunKind::Simple)).seed, resolve(&typed(RunKind::Oltp)).seed);
    assert_eq!(resolve(&TypedFlags { seed: Some(7), ..typed(RunKind::Simple) }).seed, 7);
}

#[test]
fn large_ios_alone_take_four_minutes_a_point() {
    let settings = OrionSettings::resolve(&typed(RunKind::Dss), &luns(1)).unwrap();
    let minutes = settings.matrix.as_ref().unwrap().announced() as f64 * settings.duration_s / 60.0;
    assert_eq!((settings.points.len(), minutes), (15, 64.0));
    assert_eq!(resolve(&TypedFlags { duration_s: Some(10.0), ..typed(RunKind::Dss) }).duration_s, 10.0);
}

#[test]
fn numbers_have_ranges() {
    let point = |small, large| TypedFlags {
        matrix: Some(MatrixKind::Point),
        num_small: Some(small),
        num_large: Some(large),
        ..advanced()
    };
    let cases = [
        (TypedFlags { write_pct: Some(101), ..advanced() }, "-write 101 is out of range: it takes 0 to 100"),
        (TypedFlags { num_disks: Some(0), ..advanced() }, "-num_disks 0 is out of range: it takes 1 to"),
        (TypedFlags { size_small_kb: Some(0), ..advanced() }, "-size_small 0"),
        (TypedFlags { size_large_kb: Some(1 << 20), ..advanced() }, "-size_large 1048576 is out of range"),
        (TypedFlags { duration_s: Some(0.0), ..advanced() }, "-duration 0 is out of range"),
        (TypedFlags { cache_size_mb: Some(u64::MAX), ..advanced() }, "-cache_size"),
        (
            TypedFlags { large_type: Some(LargeType::Seq), num_stream_io: Some(0), ..advanced() },
            "-num_streamIO 0 is out of range",
        ),
        (TypedFlags { simulate: Some(Simulate::Raid0), stripe_kb: Some(0), ..advanced() }, "-stripe 0 is out of range"),
        (point(0, 0), "no outstanding I/O at all"),
        (point(65_536, 0), "-num_small 65536 is out of range"),
        (point(65_535, 2), "65535 small and 2 large I/Os would be outstanding, of 65536 at most"),
        (
            TypedFlags {
                large_type: Some(LargeType::Seq),
                num_stream_io: Some(1_024),
                num_disks: Some(40),
                ..advanced()
            },
            "0 small and 81920 large I/Os would be outstanding, of 65536 at most: ask for fewer by -num_disks",
        ),
        (TypedFlags { rate_iops: Some(0.5), ..point(8, 0) }, "--rate 0.5 is out of range"),
    ];
    for (typed, expected) in cases {
        assert!(refusal(&typed).contains(expected), "{}", refusal(&typed));
    }
}

#[test]
fn a_matrix_says_what_it_needs() {
    let of = |matrix, num_small, num_large| TypedFlags { matrix: Some(matrix), num_small, num_large, ..advanced() };
    let cases = [
        (of(MatrixKind::Point, None, Some(1)), "-matrix point needs -num_small"),
        (of(MatrixKind::Point, Some(1), None), "-matrix point needs -num_large"),
        (of(MatrixKind::Row, None, None), "-matrix row needs -num_large"),
        (of(MatrixKind::Col, None, None), "-matrix col needs -num_small"),
        (of(MatrixKind::Max, Some(1), None), "-matrix max needs -num_large: the most"),
        (of(MatrixKind::Max, Some(0), Some(0)), "no outstanding I/O at all"),
        (of(MatrixKind::Row, Some(1), Some(1)), "-num_small has no part in -matrix row"),
        (of(MatrixKind::Col, Some(1), Some(1)), "-num_large has no part in -matrix col"),
        (of(MatrixKind::Basic, Some(1), None), "-num_small has no part in -matrix basic"),
    ];
    for (typed, expected) in cases {
        assert!(refusal(&typed).contains(expected), "{}", refusal(&typed));
    }
    assert_eq!(resolve(&of(MatrixKind::Max, Some(3), Some(0))).points.len(), 3);
}

#[test]
fn flags_that_need_each_other_say_so() {
    let cases = [
        (TypedFlags::default(), "-run is missing"),
        (TypedFlags { reference: true, ..advanced() }, "--reference is a run of its own"),
        (TypedFlags { reference: true, write_pct: Some(5), ..TypedFlags::default() }, "-write is not for --reference"),
        (TypedFlags { file_size_bytes: Some(1), ..advanced() }, "--file-size has no part"),
        (TypedFlags { arrivals: Some(Arrivals::Constant), ..advanced() }, "--arrivals has no part"),
        (TypedFlags { really: true, ..advanced() }, "--really has no part"),
        (
            TypedFlags { verify: true, backend: Some(BackendKind::Null), ..advanced() },
            "--verify has no part in --backend null",
        ),
        (
            TypedFlags { reference: true, percentiles: true, ..TypedFlags::default() },
            "--percentiles has no part in --reference",
        ),
        (
            TypedFlags {
                reference: true,
                testname: Some("a".to_owned()),
                files: vec!["b".into()],
                ..TypedFlags::default()
            },
            "-testname has no part in --reference with --file",
        ),
        (TypedFlags { rate_iops: Some(100.0), ..advanced() }, "--rate drives I/Os of one size at one point"),
        (
            TypedFlags {
                matrix: Some(MatrixKind::Point),
                num_small: Some(1),
                num_large: Some(1),
                rate_iops: Some(9.0),
                ..advanced()
            },
            "--rate drives I/Os of one size at one point",
        ),
    ];
    for (typed, expected) in cases {
        assert!(refusal(&typed).contains(expected), "{}", refusal(&typed));
    }
}

#[test]
fn a_rate_drives_one_point() {
    let typed = TypedFlags {
        matrix: Some(MatrixKind::Point),
        num_small: Some(64),
        num_large: Some(0),
        rate_iops: Some(5_000.0),
        ..advanced()
    };
    let settings = resolve(&typed);
    let rate = settings.load(&settings.points[0], 1).rate.unwrap();
    assert_eq!((rate.iops, rate.arrivals), (5_000.0, Arrivals::Poisson));
}

#[test]
fn the_reference_takes_a_minute_and_reads_before_it_writes() {
    let settings = resolve(&TypedFlags { reference: true, ..TypedFlags::default() });
    assert!(settings.matrix.is_none() && settings.writes() && settings.warming == CacheWarming::None);
    assert!((45.0..=75.0).contains(&settings.estimate_s()), "{}", settings.estimate_s());
    let first_write = settings.points.iter().position(|p| p.write_pct > 0).unwrap();
    assert!(settings.points[first_write..].iter().all(|p| p.write_pct == 100));
}

#[test]
fn luns_have_room_for_an_io() {
    let settings = resolve(&advanced());
    let size = |bytes| settings.check_sizes([(Path::new("/dev/a"), 1 << 30), (Path::new("/dev/b"), bytes)]);
    assert!(size(1 << 20).is_ok());
    let refusal = size((1 << 20) - 1).unwrap_err().to_string();
    assert_eq!(refusal, "/dev/b has 1048575 bytes, too few: a large I/O takes 1048576");
    // A run without large I/Os needs no space for them.
    assert!(resolve(&typed(RunKind::Oltp)).check_sizes([(Path::new("/dev/b"), 8_192)]).is_ok());
}

#[test]
fn flags_are_looked_at_before_files_are_looked_for() {
    let wrong = TypedFlags { write_pct: Some(101), testname: Some("/nowhere/none".to_owned()), ..advanced() };
    assert!(lun_paths(&wrong).unwrap_err().to_string().contains("-write 101"));
    let missing = TypedFlags { write_pct: None, ..wrong };
    assert!(lun_paths(&missing).unwrap_err().to_string().contains("cannot read /nowhere/none.lun"));
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    let twice = TypedFlags { files: vec![file.clone(), file], ..advanced() };
    assert!(lun_paths(&twice).unwrap_err().to_string().contains("is the same storage as"));
}
