//! The machine's own pace: what a step of arithmetic, and of chases sized to the core's cache, the last-level cache and memory,
//! takes on the processors that work.
//!
//! Other guests of a host share its caches and its memory, and no counter shows it: a chase does. A chase is a walk through memory in
//! which each place says where the next one is, so that nothing can be fetched ahead. Its tables are made once a run. A pace is
//! taken in at most 60 ms, in short blocks of which the median counts, by the processor time of its threads: who loses the
//! processor meanwhile is a matter of other flags (`foreign_load`, `cpu_steal`, `throttled`).

use crate::limits;
use crate::os;
use crate::root::Root;
use dbdyno_model::{MachinePace, PointPace};
use std::hint::black_box;
use std::time::{Duration, Instant};

/// Processors that a pace is taken on at most; more are passed over evenly.
const MOST_PROCESSORS: usize = 16;
/// How long each part may take: arithmetic, second-level cache, last-level cache, memory. Before and after a point together: 120 ms.
const PARTS: [Duration; 4] =
    [Duration::from_millis(8), Duration::from_millis(16), Duration::from_millis(16), Duration::from_millis(20)];
/// Steps of a block of each part: some 100 to 300 us.
const STEPS: [u32; 4] = [100_000, 20_000, 6_000, 2_000];
const LINE_BYTES: usize = 64;
/// A table for main memory. Larger ones are larger than what a run may take for itself; where a host's last-level cache is
/// larger still, it is shared with others, and a guest has no such part of it for itself.
const MEMORY_BYTES: u64 = 64 << 20;
/// What a machine's second-level cache is taken for where it does not say.
const USUAL_L2_BYTES: u64 = 1 << 20;

/// Takes paces. Its memory is taken when it is made.
#[derive(Debug)]
pub struct Pacer {
    processors: Vec<u32>,
    l2: Chase,
    llc: Chase,
    memory: Chase,
}

impl Pacer {
    /// Tables for this machine, and the processors that a server may use, or this process where none is named.
    ///
    /// # Errors
    /// The processors that may be used are not known.
    pub fn new(server_pid: Option<u32>) -> Result<Self, String> {
        let root = Root::machine();
        let allowed = limits::processors(&root, server_pid)?;
        let quota = limits::quota(&root, server_pid).map_or(MOST_PROCESSORS, |quota| (quota as usize).max(1));
        let processors = evenly(&allowed, MOST_PROCESSORS.min(quota));
        let [l2, llc, memory] = sizes(cache_bytes(&root, 2), cache_bytes(&root, 3), memory_bytes(&root));
        Ok(Self { processors, l2: Chase::new(l2), llc: Chase::new(llc), memory: Chase::new(memory) })
    }

    /// A point's pace, of which nothing was taken yet.
    #[must_use]
    pub fn point(&self) -> PointPace {
        PointPace {
            before: None,
            after: None,
            processors: u32::try_from(self.processors.len()).unwrap_or(u32::MAX),
            l2_bytes: self.l2.bytes(),
            llc_bytes: self.llc.bytes(),
            memory_bytes: self.memory.bytes(),
        }
    }

    /// The pace now: the median over the processors, all taken at once. None where no processor could be had.
    #[must_use]
    pub fn take(&self) -> Option<MachinePace> {
        let paces: Vec<[f64; 4]> = std::thread::scope(|scope| {
            let threads = self.processors.iter().map(|cpu| scope.spawn(|| self.on(*cpu))).collect::<Vec<_>>();
            threads.into_iter().filter_map(|thread| thread.join().ok().flatten()).collect()
        });
        let of = |part: usize| median(paces.iter().map(|pace| pace[part]).collect());
        (!paces.is_empty()).then(|| MachinePace { alu_ns: of(0), l2_ns: of(1), llc_ns: of(2), memory_ns: of(3) })
    }

    /// Nanoseconds a step of each part on one processor.
    fn on(&self, cpu: u32) -> Option<[f64; 4]> {
        os::stay_on(cpu).ok()?;
        let began = Instant::now();
        let mut state = u64::from(cpu) + 1;
        let alu = part(0, began, |steps| state = arithmetic(state, steps))?;
        let walk = |table: &Chase, n: usize| {
            let mut at = table.start(cpu);
            if n < 3 {
                table.touch();
            }
            part(n, began, |steps| at = table.walk(at, steps))
        };
        Some([alu, walk(&self.l2, 1)?, walk(&self.llc, 2)?, walk(&self.memory, 3)?])
    }
}

/// Blocks of steps until the part's time is over, and at least one: the median of their time per step. Who lost the processor in a
/// part before has less time for this one.
fn part(n: usize, began: Instant, mut block: impl FnMut(u32)) -> Option<f64> {
    let until: Duration = PARTS[..=n].iter().sum();
    let mut blocks = Vec::with_capacity(256);
    // The first one finds the caches cold.
    block(STEPS[n] / 4);
    while blocks.is_empty() || began.elapsed() < until {
        let before_ns = os::thread_cpu_ns()?;
        block(STEPS[n]);
        blocks.push(os::thread_cpu_ns()?.saturating_sub(before_ns) as f64 / f64::from(STEPS[n]));
    }
    median(blocks).filter(|ns| *ns > 0.0)
}

/// Steps of which each needs the result of the one before (Marsaglia's xorshift).
fn arithmetic(mut x: u64, steps: u32) -> u64 {
    for _ in 0..steps {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
    }
    black_box(x)
}

/// A table in which each line of cache names the next one, all of them in one round.
#[derive(Debug)]
struct Chase {
    lines: Vec<Line>,
}

/// A line of cache.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
struct Line(u32);

impl Chase {
    fn new(bytes: u64) -> Self {
        let lines = (bytes / LINE_BYTES as u64).clamp(16, 1 << 24) as u32;
        let mut order: Vec<u32> = (0..lines).collect();
        // Sattolo's shuffle makes a single round of all lines.
        let mut random = 0x2545_f491_4f6c_dd1du64;
        for i in (1..order.len()).rev() {
            random = arithmetic(random, 1);
            order.swap(i, (random % i as u64) as usize);
        }
        Self { lines: order.into_iter().map(Line).collect() }
    }

    fn bytes(&self) -> u64 {
        (self.lines.len() * LINE_BYTES) as u64
    }

    /// Where a processor begins: another place at each call, or the few lines that a walk needs would soon be in a nearer cache.
    fn start(&self, cpu: u32) -> u32 {
        use std::sync::atomic::{AtomicU64, Ordering};
        static CALLS: AtomicU64 = AtomicU64::new(0);
        let place = arithmetic(CALLS.fetch_add(1, Ordering::Relaxed) * 31 + u64::from(cpu) + 7, 3);
        (place % self.lines.len() as u64) as u32
    }

    /// Reads all of it in order, which is quick: what was at work before has driven it out of the caches.
    fn touch(&self) {
        black_box(self.lines.iter().fold(0u32, |sum, line| sum.wrapping_add(line.0)));
    }

    fn walk(&self, from: u32, steps: u32) -> u32 {
        let mut at = from;
        for _ in 0..steps {
            at = self.lines[at as usize].0;
        }
        black_box(at)
    }
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_unstable_by(f64::total_cmp);
    let (low, high) = (values.get(values.len().checked_sub(1)? / 2)?, values.get(values.len() / 2)?);
    Some(f64::midpoint(*low, *high))
}

/// So many of a list, at equal distances.
fn evenly(all: &[u32], most: usize) -> Vec<u32> {
    let n = most.min(all.len());
    (0..n).filter_map(|i| all.get(i * all.len() / n).copied()).collect()
}

/// The tables: a quarter of the second-level cache; several of that cache, but no more than half of the last level; memory. A small
/// machine gives a small part of its memory.
fn sizes(l2_bytes: Option<u64>, llc_bytes: Option<u64>, memory_bytes: Option<u64>) -> [u64; 3] {
    let l2_bytes = l2_bytes.filter(|n| *n > 0).unwrap_or(USUAL_L2_BYTES);
    let most = memory_bytes.map_or(MEMORY_BYTES, |n| (n / 32).clamp(4 << 20, MEMORY_BYTES));
    let near = (l2_bytes / 4).clamp(64 << 10, 1 << 20);
    let last = (4 * l2_bytes).clamp(4 << 20, 16 << 20).min(llc_bytes.map_or(u64::MAX, |n| (n / 2).max(l2_bytes)));
    [near, last.min(most), most]
}

/// The size of the first processor's cache of a level; data and unified ones count.
fn cache_bytes(root: &Root, level: u32) -> Option<u64> {
    let folder = "sys/devices/system/cpu/cpu0/cache";
    root.names(folder).into_iter().find_map(|index| {
        let read = |file: &str| root.word(&format!("{folder}/{index}/{file}")).ok();
        let counts = read("level")?.parse::<u32>().ok()? == level && read("type")? != "Instruction";
        let size = read("size").filter(|_| counts)?;
        let (number, unit) = size.split_at(size.find(|c: char| !c.is_ascii_digit()).unwrap_or(size.len()));
        let unit = match unit {
            "" => 1,
            "K" => 1 << 10,
            "M" => 1 << 20,
            _ => return None,
        };
        number.parse::<u64>().ok()?.checked_mul(unit)
    })
}

fn memory_bytes(root: &Root) -> Option<u64> {
    crate::parse::kilobytes(&root.text("proc/meminfo").ok()?, "MemTotal")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::root::tests::tree;

    #[test]
    fn a_chase_goes_through_every_line_once() {
        let table = Chase::new(64 << 10);
        let mut seen = vec![false; table.lines.len()];
        let mut at = table.start(3);
        for _ in 0..table.lines.len() {
            assert!(!seen[at as usize]);
            seen[at as usize] = true;
            at = table.walk(at, 1);
        }
        assert_eq!((table.bytes(), seen.len()), (64 << 10, 1_024));
    }

    #[test]
    fn tables_fit_the_machine() {
        assert_eq!(sizes(Some(2 << 20), Some(480 << 20), Some(8 << 30)), [512 << 10, 8 << 20, 64 << 20]);
        assert_eq!(sizes(Some(256 << 10), Some(6 << 20), Some(4 << 30)), [64 << 10, 3 << 20, 64 << 20]);
        assert_eq!(sizes(None, None, Some(256 << 20)), [256 << 10, 4 << 20, 8 << 20]);
        let (_dir, root) = tree(&[
            ("sys/devices/system/cpu/cpu0/cache/index0/level", "1\n"),
            ("sys/devices/system/cpu/cpu0/cache/index2/level", "2\n"),
            ("sys/devices/system/cpu/cpu0/cache/index2/type", "Unified\n"),
            ("sys/devices/system/cpu/cpu0/cache/index2/size", "2048K\n"),
        ]);
        assert_eq!((cache_bytes(&root, 2), cache_bytes(&root, 3)), (Some(2 << 20), None));
    }

    #[test]
    fn processors_are_passed_over_evenly() {
        assert_eq!(evenly(&[0, 1, 2, 3, 4, 5, 6, 7], 4), [0, 2, 4, 6]);
        assert_eq!(evenly(&[3, 9], 16), [3, 9]);
        assert!(evenly(&[], 4).is_empty());
    }

    #[test]
    fn a_pace_is_taken_on_this_machine() {
        let pacer = Pacer::new(None).unwrap();
        let pace = pacer.take().unwrap();
        let all = [pace.alu_ns, pace.l2_ns, pace.llc_ns, pace.memory_ns].map(Option::unwrap);
        assert!(all.iter().all(|ns| *ns > 0.0 && ns.is_finite()), "{all:?}");
        assert!(all[1] < all[3], "memory is farther than the core's own cache: {all:?}");
        let point = pacer.point();
        assert!(point.processors >= 1 && point.l2_bytes < point.llc_bytes && point.llc_bytes < point.memory_bytes);
    }
}
