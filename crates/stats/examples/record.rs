//! What recording an operation costs: into a plain histogram, and into a recorder that also keeps the series of seconds, for one
//! session and for several that share it. Run by `benches/recording`.
#![allow(clippy::print_stdout)]

use dbdyno_stats::{Histogram, Recorder, Sample, Times};
use std::hint::black_box;
use std::time::Instant;

const OPS: u64 = 2_000_000;
/// Each is measured so often, and the quickest counts: what others do on the machine only ever adds.
const TIMES: u32 = 15;
/// Half a million operations a second and session: seconds end while it is measured.
const EVERY_NS: u64 = 2_000;
const WINDOW_NS: u64 = OPS * EVERY_NS;
const SECOND_NS: u64 = 1_000_000_000;

/// A request of some 150 ns, thirty times quicker than any: sessions that do nothing but record would wait for each other,
/// at eighty million operations a second.
const REQUEST_ROUNDS: u64 = 400;

fn request(rounds: u64) {
    (0..rounds).for_each(|n| _ = black_box(n));
}

/// Times as an engine has them: most of one kind, some much longer.
fn service_ns(n: u64) -> u64 {
    let draw = n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
    2_000 + draw % 4_000 + if draw.is_multiple_of(100) { draw } else { 0 }
}

fn per_op_ns(sessions: u64, work: impl Fn() + Sync) -> f64 {
    let begun = Instant::now();
    std::thread::scope(|scope| {
        for _ in 1..sessions {
            scope.spawn(&work);
        }
        work();
    });
    begun.elapsed().as_nanos() as f64 / OPS as f64
}

fn quickest(measured: impl Fn() -> f64) -> f64 {
    (0..TIMES).map(|_| measured()).fold(f64::INFINITY, f64::min)
}

fn recorded(times: Times, step_ns: u64, sessions: u64, rounds: u64) -> f64 {
    let recorder = Recorder::new(times, WINDOW_NS, step_ns);
    let ns = per_op_ns(sessions, || {
        let mut pen = recorder.pen();
        for n in 0..OPS {
            request(rounds);
            let service_ns = service_ns(n);
            pen.record(black_box(Sample { ended_ns: n * EVERY_NS, service_ns, response_ns: 2 * service_ns, rows: 1 }));
        }
    });
    assert_eq!(recorder.finish().service.count(), sessions * OPS);
    ns
}

fn main() {
    let empty = |sessions, rounds| {
        quickest(|| {
            per_op_ns(sessions, || {
                (0..OPS).for_each(|n| {
                    request(rounds);
                    _ = black_box(service_ns(n));
                });
            })
        })
    };
    let alone = empty(1, 0);
    let one = || {
        let mut histogram = Histogram::new();
        (0..OPS).for_each(|n| histogram.record_ns(black_box(service_ns(n))));
        black_box(histogram.count());
    };
    let plain = quickest(|| per_op_ns(1, one));
    let tell = |what: &str, ns: f64| println!("{what}: {:.1} ns an operation", ns - alone);
    tell("plain histogram", plain);
    tell("recorder, service times, no series", quickest(|| recorded(Times::Service, WINDOW_NS, 1, 0)));
    tell("recorder, service times and series", quickest(|| recorded(Times::Service, SECOND_NS, 1, 0)));
    tell(
        "recorder, service and response times and series",
        quickest(|| recorded(Times::ServiceAndResponse, SECOND_NS, 1, 0)),
    );
    // Each session does as many operations, so with a processor for each this is the time of one of them.
    let sessions = std::thread::available_parallelism().map_or(1, |n| n.get() as u64);
    let ns = quickest(|| recorded(Times::ServiceAndResponse, SECOND_NS, sessions, REQUEST_ROUNDS));
    let ns = ns - empty(sessions, REQUEST_ROUNDS);
    println!("the same, {sessions} sessions side by side, with requests: {ns:.1} ns an operation");
}
