//! Cached means that the engine's counters say so; not cached means that a device was read, for the database and not
//! for others. What nobody has seen is not proved.

use super::{DEVICE_SHARE, Evidence};
use crate::figures::MIB;
use dbdyno_model::{Cache, Counter, Flag, Point, TableName};

/// Cached tests: physical reads per logical read from which a table is not cached.
const CACHED_LIMIT: f64 = 0.001;
/// An engine that counts reads for everybody reads its own catalogue, too: so many, and so many a second, say nothing
/// of the tables under test unless they are also one for each ten operations.
const HOUSEKEEPING_READS: f64 = 20.0;
const HOUSEKEEPING_READS_PER_S: f64 = 20.0;
const HOUSEKEEPING_READS_PER_OP: f64 = 0.1;
/// Blocks that a table gets while it is filled and changed may count as reads of it.
const TABLE_READS: f64 = 10.0;
/// Bytes that every row has at least on any engine (the filler and the numbers), for judging scans where an engine does
/// not say how many blocks it read. Rows of compressed tables have no least length.
const LEAST_ROW_BYTES: f64 = 280.0;
/// Reads of the device above this multiple of what the server read were for others.
const FOREIGN_READS: f64 = 1.2;
/// Less than this is housekeeping of the machine.
const FOREIGN_FLOOR_BYTES_PER_S: f64 = 1_048_576.0;
/// A single block that comes from memory takes a few microseconds, and up to some twenty where processors are short;
/// from a device nearly always more.
const MEMORY_READ_NS: f64 = 40_000.0;
/// Share of the files' bytes that may lie in memory: a log beside the tables, say.
const MEMORY_SHARE: f64 = 1.0 - DEVICE_SHARE;

pub(super) fn cached(point: &mut Point, evidence: &Evidence<'_>) {
    let get = |counter| evidence.counters.get(counter).map(|n| n as f64);
    // Reads of the tables under test, where the engine knows which those are.
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
    let unseen = match Seen::of(evidence) {
        Ok(seen) => {
            seen.tell_foreign(point, evidence);
            return seen.prove(point, evidence);
        }
        Err(why) => why,
    };
    match evidence.visits_per_op() {
        Some(visits) => from_afar(point, evidence, visits, &unseen),
        // Most of a scan's blocks are read ahead of it: how long it waited for one says nothing of where that came
        // from.
        None => not_proved(point, "proof.non_cached", unseen),
    }
}

/// A proof that is missing: it is said where, and the figure is not believed.
fn not_proved(point: &mut Point, path: &str, why: String) {
    point.lacks(path, why.as_str());
    point.flag(Flag::NotProved, why);
}

/// What was seen of the devices below the database.
#[derive(Debug, Clone, Copy)]
struct Seen {
    /// What the engine's processes fetched from devices.
    own_bytes: f64,
    /// What the devices read, whoever asked.
    device_bytes: f64,
    device_ops: Option<f64>,
    seconds: f64,
}

impl Seen {
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
        // Of an engine in this process its own account says enough, also where the device is not known (containers,
        // ZFS).
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
        // Of a server apart dbdyno's own reads are known, too.
        let harness = match evidence.features.in_process {
            true => 0.0,
            false => evidence.telemetry.process_read_bytes.unwrap_or(0) as f64,
        };
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

    /// The database's own reads must be those that the work needs.
    fn prove(&self, point: &mut Point, evidence: &Evidence<'_>) {
        let Evidence { features, log, window, .. } = evidence;
        let done = log.inside(*window);
        let window_s = window.seconds();
        if window_s <= 0.0 || self.seconds <= 0.0 {
            return;
        }
        let (share, what) = match evidence.visits_per_op() {
            Some(visits) => {
                // A device may be asked for neighbours too: the smaller of the two counts is what was needed.
                let blocks = self.own_bytes / features.block_bytes as f64;
                let reads = self.device_ops.map_or(blocks, |ops| blocks.min(ops));
                (reads / self.seconds / (done.ops * visits as f64 / window_s), "device reads per block visit")
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

/// What the devices read for a server whose account is closed to this user: if they read no more than the engine says
/// that it fetched from below its cache, and a little, nobody else has read from them.
fn by_the_engine(evidence: &Evidence<'_>, device_bytes: f64) -> Result<f64, String> {
    let Evidence { features, log, window, counters, telemetry, .. } = evidence;
    if features.in_process {
        return Err("nobody else counts them".to_owned());
    }
    // Indexes and all.
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

/// Single blocks that a server on a machine of its own has read and timed: in a few microseconds no device answers.
fn from_afar(point: &mut Point, evidence: &Evidence<'_>, visits: u64, unseen: &str) {
    let counters = evidence.counters;
    let get = |counter| counters.get(counter).map(|n| n as f64);
    let physical = get(Counter::TablePhysicalReads).or(get(Counter::PhysicalReads));
    let share = physical.map(|reads| reads / (evidence.log.total_ops() as f64 * visits as f64));
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
    /// Blocks that one operation visits where each is a read of its own.
    fn visits_per_op(&self) -> Option<u64> {
        let spec = self.work.test()?;
        spec.test.block_visits_per_op(&spec.size, spec.rows_per_tx)
    }

    /// Bytes that the engine read from below its cache for each row of its work.
    fn read_bytes_per_row(&self) -> Option<f64> {
        let blocks = self.counters.get(Counter::TablePhysicalReads).or(self.counters.get(Counter::PhysicalReads))?;
        let rows = self.log.total_rows();
        (rows > 0).then(|| self.bytes_of(blocks) / rows as f64)
    }

    /// Bytes of blocks that the engine has read. Blocks of a compressed table may be shorter than others.
    fn bytes_of(&self, blocks: u64) -> f64 {
        let bytes = blocks as f64 * self.features.block_bytes as f64;
        self.counters.get(Counter::ReadBytes).map_or(bytes, |asked_for| bytes.min(asked_for as f64))
    }

    /// Bytes a second that a scan from storage read from below the engine's cache: no more than the devices gave its
    /// processes. Pages that a file has set aside and never written are read by the engine and by no device. A figure
    /// of memory is told as the engine counts it. None where the engine does not count, or the test is no scan from
    /// storage.
    pub(crate) fn scanned_bytes_per_s(&self, point: &Point) -> Option<f64> {
        let test = &self.work.test()?.test;
        if test.cache != Cache::NonCached || test.procedure.writes() || self.visits_per_op().is_some() {
            return None;
        }
        let counted = self.read_bytes_per_row()? * point.rows_per_s?;
        let fetched = Seen::of(self).ok().map(|seen| seen.own_bytes / seen.seconds);
        let bounded = fetched.filter(|_| !point.flags.contains(&Flag::ServedFromOsCache));
        Some(bounded.map_or(counted, |fetched| counted.min(fetched)))
    }
}
