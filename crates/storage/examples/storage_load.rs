//! A load on a file or device, and its figures in one line. Run by `benches/storage_vs_fio`.
//!
//! Usage: storage_load PATH uring|threads|null randread|randwrite|read|write BYTES OUTSTANDING SECONDS
#![allow(clippy::print_stdout, clippy::expect_used, reason = "a bench that cannot go on has failed")]

use dbdyno_storage::{BackendKind, IoLoad, Layout, LunAccess, Luns, Pattern, WindowEdge, measure};
use std::sync::atomic::AtomicBool;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [path, backend, work, bytes, outstanding, seconds] = arguments.as_slice() else {
        panic!("storage_load PATH uring|threads|null randread|randwrite|read|write BYTES OUTSTANDING SECONDS");
    };
    let (bytes, outstanding): (u64, u32) = (bytes.parse().expect("bytes"), outstanding.parse().expect("I/Os"));
    let backend = match backend.as_str() {
        "uring" => BackendKind::Uring,
        "threads" => BackendKind::Threads,
        "null" => BackendKind::Null,
        other => panic!("no backend: {other}"),
    };
    let (write, large) = (work.ends_with("write"), !work.starts_with("rand"));
    let load = IoLoad {
        small: if large { 0 } else { outstanding },
        large: if large { outstanding } else { 0 },
        small_bytes: bytes,
        large_bytes: bytes,
        pattern: if large { Pattern::Sequential { streams: 1 } } else { Pattern::Random },
        write_pct: if write { 100 } else { 0 },
        layout: Layout::Concat,
        warm_up_s: 0.3,
        duration_s: seconds.parse().expect("seconds"),
        rate: None,
        verify: false,
        huge_pages: true,
        seed: 42,
        share: None,
    };
    let access = if write { LunAccess::ReadWrite } else { LunAccess::Read };
    let luns = Luns::open(&[path.into()], access).expect("a file or device");
    let (mut before, mut after) = ((0.0, 0.0), (0.0, 0.0));
    let measured = measure(&luns, &load, backend, &AtomicBool::new(false), &mut |edge| match edge {
        WindowEdge::WindowBegins => before = cpu_s(),
        WindowEdge::WindowEnds => after = cpu_s(),
    })
    .expect("measured");
    assert!(measured.errors.is_empty(), "{:?}", measured.first_error);
    let both = if large { &measured.large } else { &measured.small };
    let ios = if write { &both.write } else { &both.read };
    let time_us = |ns: Option<u64>| ns.map_or(f64::NAN, |ns| ns as f64 / 1e3);
    println!(
        "rate {:.0} user_s {:.3} system_s {:.3} cpu_us_per_io {:.3} p50_us {:.1} p99_us {:.1} mean_us {:.1} backend {} threads {}",
        ios.count as f64 / measured.window_s,
        after.0 - before.0,
        after.1 - before.1,
        measured.harness_cpu_s.unwrap_or(f64::NAN) / ios.count as f64 * 1e6,
        time_us(ios.service_time.percentile_ns(50.0)),
        time_us(ios.service_time.percentile_ns(99.0)),
        ios.service_time.mean_ns().unwrap_or(f64::NAN) / 1e3,
        measured.backend.name(),
        measured.threads,
    );
    measured.notes.iter().for_each(|note| println!("{note}"));
}

/// Processor time of this process so far, in user code and in the kernel; the kernel counts in hundredths of a second.
fn cpu_s() -> (f64, f64) {
    let stat = std::fs::read_to_string("/proc/self/stat").expect("stat");
    let fields: Vec<&str> = stat.rsplit_once(')').expect("a name").1.split_whitespace().collect();
    let seconds = |n: usize| fields[n].parse::<f64>().expect("ticks") / 100.0;
    (seconds(11), seconds(12))
}
