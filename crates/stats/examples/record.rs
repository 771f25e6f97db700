//! The cost of recording one operation: into a plain histogram, and into a recorder that also keeps a series of
//! seconds; for one session and for several that share the recorder, with one transaction type and with nine. Run by
//! `benches/recording`. All cases take turns, so that a machine whose speed changes is as fast for one as for another.
#![allow(clippy::print_stdout)]

use dbdyno_stats::{Histogram, RecordedTimes, Recorder, Sample, TypeId, Types, TypesError};
use std::hint::black_box;
use std::process::ExitCode;
use std::time::Instant;

const OPS: u64 = 2_000_000;
/// Each case is measured this often and the fastest result counts, because other work on the machine only adds time.
const ROUNDS: u32 = 15;
/// What recording an operation may cost over a plain histogram: 10 ns where that takes 3.
const MOST: f64 = 3.3;
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

/// The same, of which the compiler knows nothing. Each by itself: a whole sample would go through memory, and a byte
/// that is read back as part of a word waits until it is written.
fn hidden((type_id, service_ns): (TypeId, u64)) -> (TypeId, u64) {
    (black_box(type_id), black_box(service_ns))
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

/// The ids of this number of types.
fn types<const TYPES: usize>() -> Result<(Types, [TypeId; TYPES]), TypesError> {
    let types = Types::new(TYPES)?;
    let mut ids = [TypeId::FIRST; TYPES];
    ids.iter_mut().zip(types.ids()).for_each(|(id, of)| *id = of);
    Ok((types, ids))
}

/// Nanoseconds that recording one operation adds: with it, less without it.
struct Case {
    name: &'static str,
    with: Box<dyn Fn() -> f64>,
    without: Box<dyn Fn() -> f64>,
    quickest_ns: [f64; 2],
}

impl Case {
    fn new(name: &'static str, with: impl Fn() -> f64 + 'static, without: impl Fn() -> f64 + 'static) -> Self {
        Self { name, with: Box::new(with), without: Box::new(without), quickest_ns: [f64::INFINITY; 2] }
    }

    fn measure(&mut self) {
        let [with, without] = &mut self.quickest_ns;
        *with = with.min((self.with)());
        *without = without.min((self.without)());
    }

    fn adds_ns(&self) -> f64 {
        self.quickest_ns[0] - self.quickest_ns[1]
    }
}

fn plain() -> Case {
    let with = || {
        let mut histogram = Histogram::new();
        (0..OPS).for_each(|n| histogram.record_ns(black_box(service_ns(n))));
        black_box(histogram.count());
    };
    let without = || (0..OPS).for_each(|n| _ = black_box(service_ns(n)));
    Case::new("plain histogram", move || per_op_ns(1, with), move || per_op_ns(1, without))
}

fn recorded<const TYPES: usize>(
    name: &'static str,
    times: RecordedTimes,
    step_ns: u64,
    (sessions, rounds): (u64, u64),
) -> Result<Case, TypesError> {
    let (types, ids) = types::<TYPES>()?;
    let without = move || {
        per_op_ns(sessions, || {
            (0..OPS).for_each(|n| {
                request(rounds);
                _ = hidden(of_type(n, &ids));
            });
        })
    };
    let with = move || {
        let recorder = Recorder::new(times, types, WINDOW_NS, step_ns);
        let ns = per_op_ns(sessions, || {
            let mut local = recorder.local();
            for n in 0..OPS {
                request(rounds);
                let (type_id, service_ns) = hidden(of_type(n, &ids));
                let ended_ns = n * EVERY_NS;
                local.record(Sample { type_id, ended_ns, service_ns, response_ns: 2 * service_ns, rows: 1 });
            }
        });
        assert_eq!(recorder.finish().together().0.count(), sessions * OPS);
        ns
    };
    Ok(Case::new(name, with, without))
}

fn main() -> Result<ExitCode, TypesError> {
    let (service, both) = (RecordedTimes::Service, RecordedTimes::ServiceAndResponse);
    // Each session does the same number of operations, so with a processor each this is the time of one of them.
    let sessions = std::thread::available_parallelism().map_or(1, |n| n.get() as u64);
    let shared = (sessions, REQUEST_ROUNDS);
    let mut cases = [
        plain(),
        recorded::<1>("service", service, WINDOW_NS, (1, 0))?,
        recorded::<1>("service_seconds", service, SECOND_NS, (1, 0))?,
        recorded::<1>("both_seconds", both, SECOND_NS, (1, 0))?,
        recorded::<9>("service_seconds_9", service, SECOND_NS, (1, 0))?,
        recorded::<9>("both_seconds_9", both, SECOND_NS, (1, 0))?,
        recorded::<1>("both_seconds_shared", both, SECOND_NS, shared)?,
    ];
    for _ in 0..ROUNDS {
        cases.iter_mut().for_each(Case::measure);
    }
    let [plain, alone @ .., shared] = &cases;
    println!("{}: {:.1} ns an operation", plain.name, plain.adds_ns());
    let mut code = ExitCode::SUCCESS;
    let cost = |case: &Case| case.adds_ns() / plain.adds_ns();
    for case in alone {
        let verdict = if cost(case) <= MOST { "pass" } else { "fail" };
        println!("cost {} {:.2}  ({:.1} ns; at most {MOST}: {verdict})", case.name, cost(case), case.adds_ns());
        if cost(case) > MOST {
            code = ExitCode::FAILURE;
        }
    }
    println!("cost {} {:.2}  ({:.1} ns; no bound)", shared.name, cost(shared), shared.adds_ns());
    Ok(code)
}
