//! The expected checksum of a point, computed from the generator and the key streams without any database.

use dbdyno_engine::PointSpec;
use dbdyno_engine::data::{Generator, Keys};
use dbdyno_model::{Cache, Size, TableName, TableShape};
use std::collections::BTreeMap;

/// The sum of all jobs' checksums over `passes` passes each, if it does not depend on the engine.
pub fn checksum(spec: &PointSpec, passes: u64) -> Option<u64> {
    let shape = spec.test.table.map_or(TableShape::Small, TableName::shape);
    let table = Generator::new(&spec.size, shape, spec.seed);
    let (rows, values) = (spec.size.rows(shape), spec.size.values(shape));
    let (k, jobs) = (spec.rows_per_tx.max(1), u64::from(spec.jobs));
    let whole = |generator: &Generator| (1..=generator.rows()).map(|id| generator.quantity(id)).sum::<u64>();
    let each_job = |per_job: &dyn Fn(u64, Keys) -> u64| {
        (0..spec.jobs).map(|job| per_job(u64::from(job), Keys::at(spec.key_seed, job, 0))).sum::<u64>()
    };
    Some(match spec.test.procedure.name() {
        "cpu_fibonacci" => jobs * passes * fibonacci(spec.test.argument?),
        "cpu_primes" => jobs * passes * primes(spec.test.argument?),
        "scan" | "sort" | "group" | "report" => jobs * passes * whole(&table),
        "scan_range" => each_job(&|_, mut keys| {
            let range = |r: u64| r * spec.size.small_rows + 1..=(r + 1) * spec.size.small_rows;
            (0..passes).map(|_| range(keys.draw(Size::RANGES)).map(|id| table.quantity(id)).sum::<u64>()).sum()
        }),
        "select_primary" => each_job(&|_, mut keys| {
            let draws = (0..passes).flat_map(|_| 0..k);
            draws.map(|i| table.quantity(keys.primary(rows, i, k, 0, 1))).sum()
        }),
        "select_range" => each_job(&|_, mut keys| {
            let ids = |first: u64| first..first + k;
            (0..passes).map(|_| ids(keys.range(rows, k)).map(|id| table.quantity(id)).sum::<u64>()).sum()
        }),
        "select_secondary" => {
            let sums = by_customer(&table, |id| table.quantity(id));
            each_job(&|_, mut keys| (0..passes).map(|_| sums[&keys.secondary(values, 0, 1)]).sum())
        }
        "join" => {
            let small = Generator::new(&spec.size, TableShape::Small, spec.seed);
            let large = spec.test.cache == Cache::NonCached;
            let partner = |id: u64| if large { 32 * small.ref_id(id) - 16 } else { small.ref_id(id) };
            let sums = by_customer(&small, |id| small.quantity(partner(id)));
            let values = spec.size.values(TableShape::Small);
            each_job(&|_, mut keys| (0..passes).map(|_| sums[&keys.secondary(values, 0, 1)]).sum())
        }
        "insert" => {
            let small = Generator::new(&spec.size, TableShape::Small, spec.seed);
            let source = |n: u64, job: u64| (n * jobs + job) % spec.size.small_rows + 1;
            each_job(&|job, _| (0..passes * k).map(|n| small.quantity(source(n, job))).sum())
        }
        "bulk_load" => jobs * passes * whole(&Generator::new(&spec.size, TableShape::Small, spec.seed)),
        _ => return None,
    })
}

fn by_customer(table: &Generator, quantity: impl Fn(u64) -> u64) -> BTreeMap<u64, u64> {
    let mut sums = BTreeMap::new();
    for id in 1..=table.rows() {
        *sums.entry(table.customer_id(id)).or_default() += quantity(id);
    }
    sums
}

fn fibonacci(n: u64) -> u64 {
    (0..n).fold((0, 1), |(a, b), _| (b, a + b)).0
}

fn primes(to: u64) -> u64 {
    (2..=to).filter(|n| (2..*n).all(|d| !n.is_multiple_of(d))).count() as u64
}
