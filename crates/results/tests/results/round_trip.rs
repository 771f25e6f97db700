//! Every point is the same after it was stored and read.

use crate::sample;
use dbdyno_model::*;
use proptest::prelude::*;

fn figure() -> impl Strategy<Value = f64> {
    use proptest::num::f64::{NEGATIVE, NORMAL, POSITIVE, SUBNORMAL, ZERO};
    prop_oneof![POSITIVE | NEGATIVE | NORMAL | SUBNORMAL | ZERO, 0.0..1e9]
}

fn figures() -> impl Strategy<Value = Vec<Option<f64>>> {
    proptest::collection::vec(proptest::option::of(figure()), 120)
}

fn counts() -> impl Strategy<Value = Vec<u64>> {
    proptest::collection::vec(any::<u64>(), 12)
}

/// Any text: quotes, control characters, other scripts.
fn texts() -> impl Strategy<Value = Vec<String>> {
    proptest::collection::vec(proptest::collection::vec(any::<char>(), 0..20).prop_map(String::from_iter), 14)
}

fn times(next: &mut impl FnMut() -> Option<f64>) -> ResponseTime {
    let (mean, p50, p90, p95) = (next(), next(), next(), next());
    ResponseTime {
        mean,
        p50,
        p90,
        p95,
        p99: next(),
        p99_9: next(),
        p99_99: next(),
        max: next(),
        min: next(),
        std_dev: next(),
    }
}

fn subject(n: &[u64], next: &mut impl FnMut() -> Option<f64>) -> Subject<Storage> {
    match n[9] % 3 {
        0 => Subject::of_database("T611").unwrap(),
        1 => Subject::of_database("order-entry").unwrap(),
        _ => Subject::Storage(storage(n, next)),
    }
}

fn storage(n: &[u64], next: &mut impl FnMut() -> Option<f64>) -> Storage {
    let small = |n: u64| n as u32;
    let load = StorageLoad {
        small_outstanding: small(n[0]),
        large_outstanding: small(n[1]),
        small_bytes: n[2],
        large_bytes: n[3],
        pattern: if n[4].is_multiple_of(2) {
            StoragePattern::Random
        } else {
            StoragePattern::Sequential { streams: small(n[4]) }
        },
        write_pct: (n[5] % 101) as u8,
        luns: small(n[6]),
        layout: if n[7].is_multiple_of(2) {
            StorageLayout::Concat
        } else {
            StorageLayout::Raid0 { stripe_bytes: n[7] }
        },
        verify: n[8].is_multiple_of(2),
    };
    let mut ios = || StorageIos {
        ios: n[9],
        bytes: n[10],
        iops: next().unwrap_or(0.0),
        mib_per_s: next().unwrap_or(0.0),
        service_time_s: times(next),
        response_time_s: next().map(|_| times(next)),
    };
    Storage {
        load,
        paths: vec![StorageLun {
            path: "/dev/sd\u{7}".to_owned(),
            kind: "device".to_owned(),
            size_bytes: n[11],
            figures: Some(LunFigures { reads_per_s: 1.5, max_at_s: Some(0.25), errors: n[3], ..LunFigures::default() }),
        }],
        backend: "io_uring".to_owned(),
        submitters: Some(small(n[0])),
        total_bytes: Some(n[1]),
        notes: vec!["a note".to_owned()],
        small: StorageReadWrite { read: Some(ios()), write: None },
        large: StorageReadWrite { read: None, write: Some(ios()) },
        completed_per_s: Some(2.5),
        on_time_per_s: None,
        proof: Some(StorageProof { stamped: n[4], unstamped: 1, wrong: 0 }),
        series: Some(StorageSeries { step_s: 1.0, max_s: vec![None, Some(0.5)], ..StorageSeries::default() }),
    }
}

/// Closed loops, think times, rates and shares.
fn load(n: u64) -> ClientLoad {
    let arrivals = Some(if n.is_multiple_of(2) { Arrivals::Constant } else { Arrivals::Poisson });
    let queue = [None, Some(Queue::Shared), Some(Queue::Session)][(n / 7 % 3) as usize];
    let pause = n.is_multiple_of(3).then_some(Think { least_ns: 1, most_ns: 1 + n % 1_000 });
    let logon = if n.is_multiple_of(11) { Logon::Transaction } else { Logon::Kept };
    let connections = n.is_multiple_of(5).then_some(1 + (n % 9) as u32);
    match n % 4 {
        0 => ClientLoad { connections, ..ClientLoad::default() },
        1 => ClientLoad { think: Some(Think { least_ns: n % 1_000_007, most_ns: 1_000_007 }), ..ClientLoad::default() },
        2 => ClientLoad {
            rate: Some(Rate::PerS { thousandths: 1 + n % 100_000_000_000 }),
            arrivals,
            queue,
            connections,
            think: None,
            pause,
            logon,
            transactions_each: n.is_multiple_of(13).then_some(n),
        },
        _ => ClientLoad {
            rate: Some(Rate::Share { pct: 1 + (n % 200) as u32 }),
            arrivals,
            queue,
            connections,
            think: None,
            pause,
            logon,
            transactions_each: n.is_multiple_of(13).then_some(n),
        },
    }
}

fn any_point() -> impl Strategy<Value = Point> {
    let status = prop::sample::select(vec![Status::Ok, Status::Failed, Status::Invalid, Status::Unsupported]);
    let flags = prop::sample::subsequence(Flag::ALL.to_vec(), 0..=Flag::ALL.len());
    let dop =
        (any::<u32>(), any::<u32>(), any::<u32>()).prop_map(|(nodes, jobs, threads)| Dop { nodes, jobs, threads });
    let second = -60_000_000_000i64..250_000_000_000;
    (figures(), counts(), texts(), status, flags, dop, second, 0..1_000_000_000i32).prop_map(
        |(figures, n, t, status, flags, dop, second, nanosecond)| {
            let mut figures = figures.into_iter();
            let mut next = || figures.next().flatten();
            let pairs = || [(t[0].clone(), t[1].clone()), (t[2].clone(), t[3].clone())].into_iter().collect();
            let device = DeviceIo {
                name: t[4].clone(),
                read_iops: next().unwrap_or(0.0),
                write_iops: next().unwrap_or(0.0),
                read_mib_per_s: next().unwrap_or(0.0),
                write_mib_per_s: next().unwrap_or(0.0),
                busy_pct: next().unwrap_or(0.0),
                service_time_s: next(),
                depth: next(),
            };
            let metric = next().map(|value| MetricValue { id: t[5].as_str().into(), value, unit: t[6].clone() });
            Point {
                started_at: jiff::Timestamp::new(second, nanosecond).unwrap(),
                definition: t[7].clone(),
                mapping_note: next().map(|_| t[8].clone()),
                dop,
                rows_per_tx: n[0],
                load: load(n[11]),
                asked_per_s: next(),
                series: next().map(|step_s| Series {
                    step_s,
                    ops_per_s: vec![step_s],
                    p50_s: vec![next()],
                    p99_s: vec![next()],
                    errors: vec![n[8]],
                    retries: vec![n[6]],
                }),
                commit: next().map(|_| CommitMode::EngineDefault),
                durability: pairs(),
                plan: next().map(|_| t[9].clone()),
                reason: next().map(|_| t[10].clone()),
                flags,
                flag_notes: pairs(),
                window_s: next(),
                counters_s: next(),
                ops: next().map(|_| n[1]),
                rows: next().map(|_| n[2]),
                ops_total: next().map(|_| n[3]),
                checksum: next().map(|_| t[11].clone()),
                ops_per_s: next(),
                rows_per_s: next(),
                tx_per_s: next(),
                work_mib_per_s: next(),
                elapsed_s: next(),
                metric,
                outcomes: Outcomes {
                    requests: n[4],
                    ok: n[5],
                    rolled_back: n[5] / 2,
                    retries: n[6],
                    errors: [(ErrorClass::Conflict, n[7]), (ErrorClass::Other, n[8])].into_iter().collect(),
                },
                service_time_s: next().map(|_| times(&mut next)),
                response_time_s: next().map(|_| times(&mut next)),
                cpu: CpuUse { busy_pct: next(), harness_pct: next(), ..CpuUse::default() },
                io: IoRates { read_iops: next(), devices: vec![device], ..IoRates::default() },
                memory: MemoryUse { available_bytes: next().map(|_| n[9]), ..MemoryUse::default() },
                network: NetworkUse { send_mib_per_s: next(), ..NetworkUse::default() },
                pressure: Pressure { io_some_pct: next(), ..Pressure::default() },
                redo: Redo { mib_per_s: next(), ..Redo::default() },
                database: DatabaseRates { buffer_hit_pct: next(), ..DatabaseRates::default() },
                waits: vec![Wait {
                    event: t[12].clone(),
                    class: t[13].clone(),
                    count: n[10],
                    time_s: next(),
                    sampled: n[10] % 2 == 0,
                    background: n[11] % 2 == 0,
                    histogram_us: [(n[10], n[10])].into(),
                }],
                missing: pairs(),
                subject: subject(&n, &mut next),
                ..sample::point(0, status)
            }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    #[test]
    fn a_point_comes_back_to_the_last_bit(point in any_point(), seed in any::<usize>()) {
        let folder = tempfile::tempdir().unwrap();
        let mut repository = sample::open(&folder.path().join("dbdyno.db"));
        let run = sample::run("r1", None, 0);
        sample::begin(&mut repository, &run, 1);
        let histogram = sample::histogram(seed);
        let service = [sample::of_test(dbdyno_results::HistogramKind::Service, histogram)];
        repository.record_point(&run.id, 0, &point, &service).unwrap();
        let document = repository.load(&run.id).unwrap();
        // Debug distinguishes -0.0 from 0.0; equality does not.
        prop_assert_eq!(format!("{:?}", &document.points), format!("{:?}", [&point]));
        let tool = Some(sample::tool());
        let stored = RunJson { tool, ..RunJson::new(run.clone(), sample::platform(), sample::database(), vec![point]) };
        prop_assert_eq!(document, stored);
        prop_assert_eq!(repository.histograms(&run.id, 0).unwrap(), service);
    }
}
