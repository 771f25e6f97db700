//! The machine's own pace: the time of a step of arithmetic, and of chases sized to the core's cache, the last-level
//! cache and main memory, on the processors in use.
//!
//! Other guests of a host share its caches and memory. No counter shows that, but a chase does. A chase is a walk
//! through memory in which each place contains the next one, so that nothing can be prefetched. One table serves all
//! chases; the smaller ones stay in its first part. The table is made for each reading, before anything is timed, and
//! freed afterwards. So a run holds no memory for it, and each reading finds the caches in the same state, whatever ran
//! before.
//!
//! A reading takes 72 ms at most. It begins with some milliseconds of arithmetic that do not count, because a processor
//! is slow after idling. Then come short blocks of each part, of which the median counts. Time is the threads'
//! processor time; losing the processor has other flags (`foreign_load`, `cpu_steal`, `throttled`).

use crate::limits;
use crate::os;
use crate::root::Root;
use dbdyno_model::{MachinePace, PointPace};
use rustix::time::ClockId;
use std::hint::black_box;
use std::time::{Duration, Instant};

/// The most processors that are measured; of more, an even selection is taken.
const MOST_PROCESSORS: usize = 16;
/// Time of a reading, including the table and the warm-up.
const READING: Duration = Duration::from_millis(72);

/// A part of a reading: its share of the time that remains after making the table, and the steps of a block of about
/// 100 to 300 us.
struct ReadingPart {
    share: f64,
    steps: u32,
}

/// Warm-up, arithmetic, second-level cache, last-level cache, main memory, in this order.
const PARTS: [ReadingPart; 5] = [
    ReadingPart { share: 0.17, steps: 100_000 },
    ReadingPart { share: 0.13, steps: 100_000 },
    ReadingPart { share: 0.22, steps: 20_000 },
    ReadingPart { share: 0.22, steps: 6_000 },
    ReadingPart { share: 0.26, steps: 2_000 },
];

const LINE_BYTES: u64 = 64;
const LINE_WORDS: u32 = (LINE_BYTES / size_of::<u32>() as u64) as u32;
/// Bytes of the table for main memory, and the largest table of a reading. A larger one would disturb the measurement.
/// If a last-level cache is larger, it is shared, and the other guests decide how much of the table it holds.
const TABLE_BYTES: u64 = 32 << 20;
/// The assumed size of a second-level cache that is not reported.
const USUAL_L2_BYTES: u64 = 1 << 20;

/// Takes readings of the pace.
#[derive(Debug)]
pub struct Pacer {
    processors: Vec<u32>,
    /// Bytes of the chases: second-level cache, last-level cache, main memory. Powers of two.
    bytes: [u64; 3],
}

impl Pacer {
    /// Sizes for this machine, and the processors that a server may use, or this process if no server is named.
    ///
    /// # Errors
    /// The processors that may be used are not known.
    pub fn new(server_pid: Option<u32>) -> Result<Self, String> {
        let root = Root::machine();
        let allowed = limits::processors(&root, server_pid)?;
        let quota = limits::quota(&root, server_pid).map_or(MOST_PROCESSORS, |quota| (quota as usize).max(1));
        let processors = evenly(&allowed, MOST_PROCESSORS.min(quota));
        Ok(Self { processors, bytes: sizes(cache_bytes(&root, 2), cache_bytes(&root, 3), memory_bytes(&root)) })
    }

    /// A point's pace without any readings yet.
    #[must_use]
    pub fn point(&self) -> PointPace {
        let [l2_bytes, llc_bytes, memory_bytes] = self.bytes;
        let processors = u32::try_from(self.processors.len()).unwrap_or(u32::MAX);
        PointPace { before: None, after: None, processors, l2_bytes, llc_bytes, memory_bytes }
    }

    /// Takes a reading: the median over the processors, all at once. `None` where no processor was available.
    #[must_use]
    pub fn take(&self) -> Option<MachinePace> {
        let began = Instant::now();
        let table = ChaseTable::new(self.bytes[2]);
        let schedule = Schedule { began: Instant::now(), length: READING.saturating_sub(began.elapsed()) };
        let paces: Vec<[f64; 4]> = std::thread::scope(|scope| {
            let on = |cpu: u32| self.on(cpu, &table, &schedule);
            let threads = self.processors.iter().map(|cpu| scope.spawn(move || on(*cpu))).collect::<Vec<_>>();
            threads.into_iter().filter_map(|thread| thread.join().ok().flatten()).collect()
        });
        let of = |part: usize| median(paces.iter().map(|pace| pace[part]).collect());
        (!paces.is_empty()).then(|| MachinePace { alu_ns: of(0), l2_ns: of(1), llc_ns: of(2), memory_ns: of(3) })
    }

    /// Nanoseconds per step of each part on one processor.
    fn on(&self, cpu: u32, table: &ChaseTable, schedule: &Schedule) -> Option<[f64; 4]> {
        os::stay_on(cpu).ok()?;
        let mut state = arithmetic(u64::from(cpu) + 1, 3);
        let mut calculate = |part: usize| schedule.part(part, |steps| state = arithmetic(state, steps));
        calculate(0)?;
        let alu_ns = calculate(1)?;
        let [l2_bytes, llc_bytes, memory_bytes] = self.bytes;
        for bytes in [llc_bytes, l2_bytes] {
            table.touch(bytes);
        }
        let mut at = state as u32;
        let mut walk = |part: usize, bytes: u64| schedule.part(part, |steps| at = table.walk(at, steps, bytes));
        Some([alu_ns, walk(2, l2_bytes)?, walk(3, llc_bytes)?, walk(4, memory_bytes)?])
    }
}

/// When each part of a reading ends.
struct Schedule {
    began: Instant,
    length: Duration,
}

impl Schedule {
    /// Runs blocks of steps until the part's time is over, at least one; returns the median time per step. A thread
    /// that lost the processor in an earlier part has less time here.
    fn part(&self, n: usize, mut block: impl FnMut(u32)) -> Option<f64> {
        let steps = PARTS[n].steps;
        let until = self.length.mul_f64(PARTS[..=n].iter().map(|part| part.share).sum());
        let mut blocks = Vec::with_capacity(256);
        // The first block finds the caches cold.
        block(steps / 4);
        while blocks.is_empty() || self.began.elapsed() < until {
            let before_ns = os::clock_ns(ClockId::ThreadCPUTime);
            block(steps);
            blocks.push(os::clock_ns(ClockId::ThreadCPUTime).saturating_sub(before_ns) as f64 / f64::from(steps));
        }
        median(blocks).filter(|ns| *ns > 0.0)
    }
}

/// Steps that each depend on the step before (Marsaglia's xorshift).
fn arithmetic(mut x: u64, steps: u32) -> u64 {
    for _ in 0..steps {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
    }
    black_box(x)
}

/// Cache lines that each contain the index of the next one. For any power of two, the first lines form one cycle, if
/// each index is taken modulo their number. This holds for linear congruential generators of full period (Hull and
/// Dobell, 1962).
struct ChaseTable {
    words: Vec<u32>,
}

impl ChaseTable {
    fn new(bytes: u64) -> Self {
        let next = |line: u32| line.wrapping_mul(2_891_336_453).wrapping_add(12_345);
        // Always the same size, whatever part of it is used: glibc returns a block above its threshold to the kernel at
        // once. After a smaller block was freed, glibc would raise the threshold and keep such blocks, also those of an
        // embedded engine.
        let mut words = vec![0; (TABLE_BYTES / size_of::<u32>() as u64) as usize];
        let lines = words.chunks_exact_mut(LINE_WORDS as usize).take((bytes / LINE_BYTES) as usize);
        for (line, place) in (0u32..).zip(lines) {
            place[0] = next(line).wrapping_mul(LINE_WORDS);
        }
        Self { words }
    }

    /// Reads its first part in order, which is fast, to bring it into the caches.
    fn touch(&self, bytes: u64) {
        let lines = self.words.chunks_exact(LINE_WORDS as usize).take((bytes / LINE_BYTES) as usize);
        black_box(lines.fold(0u32, |sum, line| sum.wrapping_add(line[0])));
    }

    /// Takes steps through its first part, a power of two, beginning at any index.
    fn walk(&self, from: u32, steps: u32, bytes: u64) -> u32 {
        let within = (bytes / LINE_BYTES - 1) as u32 * LINE_WORDS;
        let mut at = from;
        for _ in 0..steps {
            at = self.words[(at & within) as usize];
        }
        black_box(at)
    }
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_unstable_by(f64::total_cmp);
    let (low, high) = (values.get(values.len().checked_sub(1)? / 2)?, values.get(values.len() / 2)?);
    Some(f64::midpoint(*low, *high))
}

/// An even selection from a list.
fn evenly(all: &[u32], most: usize) -> Vec<u32> {
    let n = most.min(all.len());
    (0..n).filter_map(|i| all.get(i * all.len() / n).copied()).collect()
}

/// The sizes of the chases, powers of two: a quarter of the second-level cache; several times that cache, but at most
/// half of the last-level cache; main memory. A small machine uses a small part of its memory.
fn sizes(l2_bytes: Option<u64>, llc_bytes: Option<u64>, memory_bytes: Option<u64>) -> [u64; 3] {
    let l2_bytes = l2_bytes.filter(|n| *n > 0).unwrap_or(USUAL_L2_BYTES);
    let most = memory_bytes.map_or(TABLE_BYTES, |n| (n / 32).clamp(4 << 20, TABLE_BYTES));
    let near = (l2_bytes / 4).clamp(64 << 10, 1 << 20);
    let last = (4 * l2_bytes).clamp(4 << 20, 8 << 20).min(llc_bytes.map_or(u64::MAX, |n| (n / 2).max(l2_bytes)));
    [near, last.min(most / 2), most].map(|bytes| 1 << bytes.ilog2())
}

/// The size of the first processor's cache of a level; data and unified caches count.
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
    fn a_chase_goes_through_every_line_of_its_part_once() {
        let table = ChaseTable::new(1 << 20);
        for (bytes, from) in [(64u64 << 10, 3u32), (256 << 10, 0x9876_5430), (1 << 20, 16)] {
            let lines = (bytes / LINE_BYTES) as usize;
            let mut seen = vec![false; lines];
            let mut at = from;
            for _ in 0..lines {
                at = table.walk(at, 1, bytes);
                let line = (at / LINE_WORDS) as usize % lines;
                assert!(at.is_multiple_of(LINE_WORDS) && !seen[line], "{bytes} bytes, line {line}");
                seen[line] = true;
            }
        }
    }

    #[test]
    fn tables_fit_the_machine() {
        assert_eq!(sizes(Some(2 << 20), Some(480 << 20), Some(8 << 30)), [512 << 10, 8 << 20, 32 << 20]);
        assert_eq!(sizes(Some(256 << 10), Some(6 << 20), Some(4 << 30)), [64 << 10, 2 << 20, 32 << 20]);
        assert_eq!(sizes(Some(1_280 << 10), Some(12 << 20), Some(4 << 30)), [256 << 10, 4 << 20, 32 << 20]);
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

    /// The readings before and after a point take 150 ms together, with a warm-up of about 10 ms in each.
    #[test]
    fn a_reading_is_short_and_its_parts_are_all_of_it() {
        assert!(2 * READING <= Duration::from_millis(150));
        let shares: f64 = PARTS.iter().map(|part| part.share).sum();
        assert!((shares - 1.0).abs() < 1e-9, "{shares}");
        assert!(READING.mul_f64(PARTS[0].share) >= Duration::from_millis(10));
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
