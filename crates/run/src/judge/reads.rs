//! A table is cached if the engine's counters show it. It is not cached if a device was read, for the database and not
//! for others. Without an observation, nothing is proved.

use super::evidence::{DEVICE_SHARE, Evidence};
use crate::figures::MIB;
use crate::work::PointWork;
use dbdyno_model::{Cache, Counter, Flag, Point, TableName};

/// Cached tests: physical reads per logical read above which a table is not cached.
const CACHED_LIMIT: f64 = 0.001;
/// An engine that counts reads for all sessions also reads its own catalogue. This number of reads, and this number per
/// second, is ignored unless there is also one read for each ten operations.
const HOUSEKEEPING_READS: f64 = 20.0;
const HOUSEKEEPING_READS_PER_S: f64 = 20.0;
const HOUSEKEEPING_READS_PER_OP: f64 = 0.1;
/// Blocks that a table gets while it is filled and changed may count as reads of the table.
const TABLE_READS: f64 = 10.0;
/// The least bytes of a row on any engine (the filler and the numbers), for judging scans where an engine does not
/// count the blocks that it read. Rows of compressed tables have no least length.
const LEAST_ROW_BYTES: f64 = 280.0;
/// Device reads above this multiple of what the server read were for others.
const FOREIGN_READS: f64 = 1.2;
/// Fewer bytes than this per second count as housekeeping of the machine.
const FOREIGN_FLOOR_BYTES_PER_S: f64 = 1_048_576.0;
/// A single block from memory takes a few microseconds, and up to some twenty when processors are busy; from a device
/// nearly always more.
const MEMORY_READ_NS: f64 = 40_000.0;
/// Share of the files' bytes that may lie in memory, for instance a log beside the tables.
const MEMORY_SHARE: f64 = 1.0 - DEVICE_SHARE;

pub(super) fn cached(point: &mut Point, evidence: &Evidence<'_>) {
    let get = |counter| evidence.counters.get(counter).map(|n| n as f64);
    // Reads of the tables under test, where the engine counts by table.
    let of_tables = get(Counter::TablePhysicalReads).zip(get(Counter::TableLogicalReads));
    let of_all = get(Counter::PhysicalReads).zip(get(Counter::LogicalReads));
    let Some((physical, logical)) = of_tables.or(of_all) else {
        return point.lacks("proof.cached", "the engine does not count logical and physical reads");
    };
    let few = match of_tables {
        Some(_) => TABLE_READS,
        None => HOUSEKEEPING_READS + HOUSEKEEPING_READS_PER_S * evidence.counters_s,
    };
    let housekeeping = physical <= few && physical < HOUSEKEEPING_READS_PER_OP * evidence.log.total_ops() as f64;
    if logical > 0.0 && physical / logical >= CACHED_LIMIT && !housekeeping {
        point.flag(Flag::NotCached, format!("{physical} of {logical} block reads came from below the engine's cache"));
    }
}

pub(super) fn not_cached(point: &mut Point, evidence: &Evidence<'_>) {
    if evidence.share_in_memory > MEMORY_SHARE {
        return point.flag(Flag::ServedFromOsCache, "the files lie in memory, where no device is read".to_owned());
    }
    let unseen = match DeviceReads::of(evidence) {
        Ok(seen) => {
            seen.tell_foreign(point, evidence);
            return seen.prove(point, evidence);
        }
        Err(why) => why,
    };
    let log = evidence.log;
    match evidence.visits(log.total_ops() as f64, log.total_rows() as f64) {
        Some(visits) => from_afar(point, evidence, visits, &unseen),
        // Most blocks of a scan are read ahead, so the time of a single wait does not show where the block came from.
        None => not_proved(point, "proof.non_cached", unseen),
    }
}

/// Notes a missing proof, and that the figure is not proved.
fn not_proved(point: &mut Point, path: &str, why: String) {
    point.lacks(path, why.as_str());
    point.flag(Flag::NotProved, why);
}

/// What was observed at the devices below the database.
#[derive(Debug, Clone, Copy)]
struct DeviceReads {
    /// Bytes that the engine's processes fetched from devices.
    own_bytes: f64,
    /// Bytes that the devices read for any process.
    device_bytes: f64,
    device_ops: Option<f64>,
    seconds: f64,
}

impl DeviceReads {
    fn of(evidence: &Evidence<'_>) -> Result<Self, String> {
        let Evidence { features, telemetry, .. } = evidence;
        if !features.local {
            return Err("the target's devices are not seen from here".to_owned());
        }
        let missing = |path: &str, else_: &str| telemetry.missing.get(path).map_or(else_, String::as_str).to_owned();
        let (own, path) = match features.in_process {
            true => (telemetry.process_read_bytes, "process_read_bytes"),
            false => (telemetry.server_read_bytes, "server_read_bytes"),
        };
        // For an engine inside this process, the process's own account is enough, also where the device is not known
        // (containers, ZFS).
        let device = telemetry.device_read_bytes.or(own.filter(|_| features.in_process)).map(|bytes| bytes as f64);
        let unseen = "the operating system does not say what was read from devices";
        let device_bytes = device.ok_or_else(|| missing("device_read_bytes", unseen))?;
        let own_bytes = match own {
            Some(own) => own as f64,
            None => by_the_engine(evidence, device_bytes).map_err(|more| {
                let why = missing(path, "the operating system does not say what the server's processes read");
                format!("reads for the database cannot be told from those for others: {why}; {more}")
            })?,
        };
        Ok(Self {
            own_bytes: own_bytes.min(device_bytes),
            device_bytes,
            device_ops: telemetry.device_read_ops.map(|ops| ops as f64),
            seconds: telemetry.seconds,
        })
    }

    /// Flags what others read from the same devices.
    fn tell_foreign(&self, point: &mut Point, evidence: &Evidence<'_>) {
        // For a separate server, dbdyno's own reads are known, too.
        let Evidence { features, telemetry, .. } = evidence;
        let harness = if features.in_process { 0.0 } else { telemetry.process_read_bytes.unwrap_or(0) as f64 };
        let beyond = self.device_bytes - harness - self.own_bytes;
        let foreign = self.device_bytes - harness > FOREIGN_READS * self.own_bytes
            && beyond > FOREIGN_FLOOR_BYTES_PER_S * self.seconds;
        if foreign {
            let rate = |bytes: f64| bytes / MIB / self.seconds;
            let (all, own) = (rate(self.device_bytes), rate(self.own_bytes));
            point.flag(
                Flag::ForeignLoad,
                format!("the devices read {all:.0} MiB/s, of which {own:.0} for the database and the rest for others"),
            );
        }
    }

    /// Checks that the database's own reads are as many as the work needs.
    fn prove(&self, point: &mut Point, evidence: &Evidence<'_>) {
        let Evidence { features, log, window, .. } = evidence;
        let done = log.inside(*window);
        let window_s = window.seconds();
        if window_s <= 0.0 || self.seconds <= 0.0 {
            return;
        }
        let (share, what) = match evidence.visits(done.ops, done.rows) {
            Some(visits) => {
                // A device may also be asked for neighbouring blocks, so the smaller of the two counts is what was
                // needed.
                let blocks = self.own_bytes / features.block_bytes as f64;
                let reads = self.device_ops.map_or(blocks, |ops| blocks.min(ops));
                (reads / self.seconds / (visits / window_s), "device reads per block visit")
            }
            None => {
                let table = evidence.work.test().and_then(|spec| spec.test.table);
                let compressed = table == Some(TableName::LargeCompressed);
                let least = if compressed { 0.0 } else { LEAST_ROW_BYTES };
                let row_bytes = evidence.read_bytes_per_row().unwrap_or(0.0).max(least);
                (
                    self.own_bytes / self.seconds / (done.rows * row_bytes / window_s),
                    "bytes from devices per byte scanned",
                )
            }
        };
        if share.is_finite() && share < DEVICE_SHARE {
            point.flag(Flag::ServedFromOsCache, format!("{share:.2} {what}, {DEVICE_SHARE} are asked for"));
        }
    }
}

/// The bytes that a server read from devices, where its account is closed to this user. If the devices read no more
/// than the engine says that it fetched from below its cache, plus a little, no other process read from them.
fn by_the_engine(evidence: &Evidence<'_>, device_bytes: f64) -> Result<f64, String> {
    let Evidence { features, log, window, counters, telemetry, .. } = evidence;
    if features.in_process {
        return Err("nobody else counts them".to_owned());
    }
    // Including indexes.
    let blocks = counters.get(Counter::PhysicalReads).or(counters.get(Counter::TablePhysicalReads));
    let counted = evidence.bytes_of(blocks.ok_or("the engine does not count its reads")?);
    let (rows, window_s) = (log.total_rows().max(1) as f64, window.seconds().max(f64::MIN_POSITIVE));
    let fetched = counted / rows * log.inside(*window).rows / window_s * telemetry.seconds;
    let bytes = device_bytes - telemetry.process_read_bytes.unwrap_or(0) as f64;
    if bytes <= FOREIGN_READS * fetched {
        return Ok(bytes.min(fetched));
    }
    let rate = |bytes: f64| bytes / MIB / telemetry.seconds;
    let (all, own) = (rate(bytes), rate(fetched));
    Err(format!("the devices read {all:.0} MiB/s, and the engine fetched {own:.0} from below its cache"))
}

/// Judges single-block reads that a server on another machine timed: no device answers within a few microseconds.
fn from_afar(point: &mut Point, evidence: &Evidence<'_>, visits: f64, unseen: &str) {
    let counters = evidence.counters;
    let get = |counter| counters.get(counter).map(|n| n as f64);
    let physical = get(Counter::TablePhysicalReads).or(get(Counter::PhysicalReads));
    let share = physical.map(|reads| reads / visits);
    if let Some(share) = share.filter(|share| share.is_finite() && *share < DEVICE_SHARE) {
        let text = format!("{share:.2} physical reads per block visit, {DEVICE_SHARE} are asked for");
        return point.flag(Flag::ServedFromOsCache, text);
    }
    let mean_ns = get(Counter::FileReadNs).zip(get(Counter::FileReads)).filter(|(_, n)| *n > 0.0).map(|(ns, n)| ns / n);
    match mean_ns {
        Some(mean_ns) if mean_ns < MEMORY_READ_NS => {
            let text = format!("a block came in {:.1} us in the mean, as from memory", mean_ns / 1e3);
            point.flag(Flag::ServedFromOsCache, text);
        }
        Some(mean_ns) => {
            let why = format!("{unseen}; the server waited {:.0} us for a block in the mean", mean_ns / 1e3);
            point.lacks("proof.non_cached.devices", why);
        }
        None => {
            let why = counters.missing.get(&Counter::FileReadNs).map_or("it does not say", String::as_str);
            not_proved(
                point,
                "proof.non_cached",
                format!("{unseen}, and how long the server waited for a block is not known: {why}"),
            );
        }
    }
}

impl Evidence<'_> {
    /// Blocks that so many operations with so many rows visited, where each visit is a read of its own.
    fn visits(&self, ops: f64, rows: f64) -> Option<f64> {
        match self.work {
            PointWork::Test(spec) => {
                spec.test.block_visits_per_op(&spec.size, spec.rows_per_tx).map(|visits| ops * visits as f64)
            }
            PointWork::Workload(work) => work.loaded.dialect.workload().about().row_is_block.then_some(rows),
        }
    }

    /// Bytes that the engine read from below its cache for each row.
    fn read_bytes_per_row(&self) -> Option<f64> {
        let blocks = self.counters.get(Counter::TablePhysicalReads).or(self.counters.get(Counter::PhysicalReads))?;
        let rows = self.log.total_rows();
        (rows > 0).then(|| self.bytes_of(blocks) / rows as f64)
    }

    /// Bytes of the blocks that the engine read. Blocks of a compressed table may be shorter than others.
    fn bytes_of(&self, blocks: u64) -> f64 {
        let bytes = blocks as f64 * self.features.block_bytes as f64;
        self.counters.get(Counter::ReadBytes).map_or(bytes, |asked_for| bytes.min(asked_for as f64))
    }

    /// Percentage of the blocks asked for that the devices gave to the engine's processes, at most what the engine read
    /// from below its cache. It is an upper bound, as what was read ahead is in it.
    ///
    /// # Errors
    /// Why nobody can tell.
    pub(crate) fn device_read_pct(&self) -> Result<f64, String> {
        let per_s = |counter| self.counters.get(counter).map(|n| n as f64 / self.counters_s);
        let missing = |counter| self.counters.missing.get(&counter).cloned();
        let logical = per_s(Counter::LogicalReads).ok_or_else(|| {
            missing(Counter::LogicalReads)
                .unwrap_or_else(|| "the engine does not count what is asked of its cache".to_owned())
        })?;
        let seen = DeviceReads::of(self)?;
        if !(logical.is_finite() && logical > 0.0 && seen.seconds > 0.0) {
            return Err("no block was asked for".to_owned());
        }
        let fetched = seen.own_bytes / seen.seconds / self.features.block_bytes as f64;
        let below = per_s(Counter::PhysicalReads).map_or(fetched, |physical| fetched.min(physical));
        Ok((below / logical * 100.0).min(100.0))
    }

    /// Bytes per second that a scan from storage read from below the engine's cache, at most what the devices gave to
    /// its processes. (The engine also reads pages of a file that were allocated and never written; no device reads
    /// those.) If the data came from memory, the engine's count is used. `None` where the engine does not count, or
    /// where the test is not a scan from storage.
    pub(crate) fn scanned_bytes_per_s(&self, point: &Point) -> Option<f64> {
        let test = &self.work.test()?.test;
        if test.cache != Cache::NonCached || test.procedure.writes() || self.visits(1.0, 1.0).is_some() {
            return None;
        }
        let counted = self.read_bytes_per_row()? * point.rows_per_s?;
        let fetched = DeviceReads::of(self).ok().map(|seen| seen.own_bytes / seen.seconds);
        let bounded = fetched.filter(|_| !point.flags.contains(&Flag::ServedFromOsCache));
        Some(bounded.map_or(counted, |fetched| counted.min(fetched)))
    }
}
