//! The cost of recording one operation: into a plain histogram, and into a recorder that also keeps a series of
//! seconds; for one session and for several that share the recorder, with one transaction type and with nine. Run by
//! `benches/recording`.
#![allow(clippy::print_stdout)]

use dbdyno_stats::{Histogram, RecordedTimes, Recorder, Sample, TypeId, Types, TypesError};
use std::hint::black_box;
use std::time::Instant;

const OPS: u64 = 2_000_000;
/// Each case is measured this often and the fastest result counts, because other work on the machine only adds time.
const TIMES: u32 = 15;
/// Half a million operations a second and session, so that seconds end while the cost is measured.
const EVERY_NS: u64 = 2_000;
const WINDOW_NS: u64 = OPS * EVERY_NS;
const SECOND_NS: u64 = 1_000_000_000;

/// A request of some 150 ns, thirty times faster than any real one. Sessions that only record would wait for each
/// other, at eighty million operations a second.
const REQUEST_ROUNDS: u64 = 400;

fn request(rounds: u64) {
    (0..rounds).for_each(|n| _ = black_box(n));
}

/// Times like those of an engine: most of one kind, some much longer.
fn service_ns(n: u64) -> u64 {
    let draw = draw(n);
    2_000 + draw % 4_000 + if draw.is_multiple_of(100) { draw } else { 0 }
}

fn draw(n: u64) -> u64 {
    n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40
}

/// The type of an operation, and its time. With one type this costs nothing.
fn of_type<const TYPES: usize>(n: u64, ids: &[TypeId; TYPES]) -> (TypeId, u64) {
    let number = draw(n) as usize % TYPES;
    (ids[number], service_ns(n) << (number / 2))
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

/// The ids of this number of types.
fn types<const TYPES: usize>() -> Result<(Types, [TypeId; TYPES]), TypesError> {
    let types = Types::new(TYPES)?;
    let mut ids = [TypeId::FIRST; TYPES];
    ids.iter_mut().zip(types.ids()).for_each(|(id, of)| *id = of);
    Ok((types, ids))
}

/// Nanoseconds that recording one operation adds.
fn recorded<const TYPES: usize>(
    times: RecordedTimes,
    step_ns: u64,
    sessions: u64,
    rounds: u64,
) -> Result<f64, TypesError> {
    let (types, ids) = types::<TYPES>()?;
    let empty = quickest(|| {
        per_op_ns(sessions, || {
            (0..OPS).for_each(|n| {
                request(rounds);
                _ = black_box(of_type(n, &ids));
            });
        })
    });
    let with = quickest(|| {
        let recorder = Recorder::new(times, types, WINDOW_NS, step_ns);
        let ns = per_op_ns(sessions, || {
            let mut local = recorder.local();
            for n in 0..OPS {
                request(rounds);
                let (type_id, service_ns) = of_type(n, &ids);
                let ended_ns = n * EVERY_NS;
                local.record(black_box(Sample { type_id, ended_ns, service_ns, response_ns: 2 * service_ns, rows: 1 }));
            }
        });
        assert_eq!(recorder.finish().together().0.count(), sessions * OPS);
        ns
    });
    Ok(with - empty)
}

fn main() -> Result<(), TypesError> {
    let alone = quickest(|| per_op_ns(1, || (0..OPS).for_each(|n| _ = black_box(service_ns(n)))));
    let one = || {
        let mut histogram = Histogram::new();
        (0..OPS).for_each(|n| histogram.record_ns(black_box(service_ns(n))));
        black_box(histogram.count());
    };
    let plain = quickest(|| per_op_ns(1, one)) - alone;
    let tell = |what: &str, ns: f64| println!("{what}: {ns:.1} ns an operation");
    tell("plain histogram", plain);
    let (service, both) = (RecordedTimes::Service, RecordedTimes::ServiceAndResponse);
    tell("recorder, service times, no series", recorded::<1>(service, WINDOW_NS, 1, 0)?);
    tell("recorder, service times and series", recorded::<1>(service, SECOND_NS, 1, 0)?);
    tell("recorder, service and response times and series", recorded::<1>(both, SECOND_NS, 1, 0)?);
    tell("recorder, service times and series, 9 types", recorded::<9>(service, SECOND_NS, 1, 0)?);
    tell("recorder, service and response times and series, 9 types", recorded::<9>(both, SECOND_NS, 1, 0)?);
    // Each session does the same number of operations, so with a processor each this is the time of one of them.
    let sessions = std::thread::available_parallelism().map_or(1, |n| n.get() as u64);
    let shared = |ns| println!("the same, {sessions} sessions side by side, with requests: {ns:.1} ns an operation");
    shared(recorded::<1>(both, SECOND_NS, sessions, REQUEST_ROUNDS)?);
    Ok(())
}
