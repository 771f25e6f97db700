//! The limits of the storage itself, and a database's share of them.

use crate::document::{Block, Caption, Cell, Column, Form, Keep, Note, Row, Section, Table};
use crate::figures::Figure;
use crate::numbers::short;
use crate::summary::figure::{LineFigures, find};
use crate::summary::lines::SECTIONS;
use dbdyno_catalogue::Catalogue;
use dbdyno_model::{ChosenBy, Point, RunJson, SameDevice, StorageLimit, StorageLimits, StorageReference};
use dbdyno_stats::Estimate;

use Keep::{Always, Drop};

const LIMIT_COLUMNS: [Column; 5] = [
    Column::words("metric", "Metric", Always),
    Column::words("unit", "Unit", Always),
    Column::figures("best", "Best", Always),
    Column::figures("I/Os outstanding", "at", Always),
    Column::figures("mean time of an I/O", "Time/op", Drop(1)),
];
const SHARE_COLUMNS: [Column; 7] = [
    Column::words("metric", "Metric", Always),
    Column::words("test", "Test", Drop(2)),
    Column::words("unit", "Unit", Always),
    Column::figures("database", "Database", Always),
    Column::figures("storage", "Storage", Always),
    Column::figures("I/Os outstanding", "at", Drop(1)),
    Column::figures("share", "Share", Always),
];

/// The title of shares.
const SHARES: &str = "Share of what the storage can do";
/// The legend below shares.
const SHARES_LEGEND: &str = "Both are what the device did. Random reads are compared with as many outstanding as the database has \
                             jobs, and of one size; sequential ones by their bytes, the storage's 1 MiB each with as many \
                             outstanding as stand under \"at\". What has no counterpart is left out: a database gathers and syncs \
                             its random writes, and its operations are more than one I/O.";
/// The legend below limits.
const LIMITS_LEGEND: &str = "Best is the highest median of any point; \"at\" is how many I/Os were outstanding there, Time/op the \
                             mean time of one.";
/// The command that measures a reference.
const HOW_TO: &str = "`dbdyno orion --reference --file FILE` measures it in a minute, on the file system of the database's files, best \
                      with the same --label.";

type Of = fn(&StorageLimits) -> Option<&StorageLimit>;

/// Lines of the summary that have a limit: the line's name, its limit, the limit's unit.
const LIMITS: [(&str, Of, &str); 4] = [
    ("Sequential read", |l| l.sequential_read_mib_per_s.as_ref(), "MiB/s"),
    ("Sequential write", |l| l.sequential_write_mib_per_s.as_ref(), "MiB/s"),
    ("Random read", |l| l.random_read_iops.as_ref(), "IOPS"),
    ("Random write", |l| l.random_write_iops.as_ref(), "IOPS"),
];

type Time = fn(&StorageLimits) -> Option<f64>;

/// Times of a single small I/O.
const TIMES: [(&str, Time); 2] =
    [("One read at a time", |l| l.read_service_time_s), ("One write at a time", |l| l.write_service_time_s)];

/// The known limits of a storage run; empty where it has none.
pub(super) fn limits(run: &RunJson) -> Vec<Block> {
    let limits = StorageLimits::of(run);
    let rates = LIMITS.iter().filter_map(|(name, of, unit)| {
        let StorageLimit { value, outstanding, service_time_s, .. } = of(&limits)?;
        let time = Cell::figure(*service_time_s, Form::Duration);
        Some(row([name, unit], [Cell::figure(*value, Form::Thousands), Cell::count(*outstanding), time]))
    });
    let times = TIMES.iter().filter_map(|(name, of)| {
        let time = Cell::figure(of(&limits)?, Form::Duration);
        Some(row([name, ""], [time, Cell::count(1_u64), Cell::empty()]))
    });
    let rows: Vec<Row> = rates.chain(times).collect();
    if rows.is_empty() {
        return Vec::new();
    }
    let table = Table::new(Caption::Page("What it can do".to_owned()), LIMIT_COLUMNS.to_vec(), rows);
    vec![table.into(), Note::plain(LIMITS_LEGEND).into()]
}

/// The key metrics of a storage run.
pub(crate) fn limits_blocks(run: &RunJson) -> Vec<Block> {
    let limits = limits(run);
    if limits.is_empty() {
        let text = "None of its points is of small random or large sequential reads or writes alone, which this page is about \
                    (--table storage shows every point).";
        return vec![Note::plain(text).into()];
    }
    limits
}

fn row<const N: usize, const M: usize>(words: [&str; N], figures: [Cell; M]) -> Row {
    Row::Cells(words.map(Cell::words).into_iter().chain(figures).collect())
}

/// The section of a database's share of its storage's limits; without blocks where there is nothing to say.
pub(crate) fn share(run: &RunJson, catalogue: &Catalogue) -> Section {
    let section = Section::new("storage-share", "Storage's share");
    let Some(shares) = shares(run, catalogue) else { return section };
    let table = shares.table();
    section
        .titled(SHARES, format!(": {}", shares.lead))
        .with(table)
        .with(shares.note.map(|note| Note::plain(note).into()))
}

/// The same among other metrics: the shares, or why there are none and how to get them.
pub(crate) fn shares_blocks(run: &RunJson, catalogue: &Catalogue) -> Vec<Block> {
    let Some(shares) = shares(run, catalogue) else { return Vec::new() };
    let (table, note) = (shares.table(), shares.note.unwrap_or_default());
    if table.is_empty() {
        return vec![Note::plain(format!("{SHARES}: {}. {note}", shares.lead)).into()];
    }
    let lead = Note::plain(format!("{SHARES}: {}", shares.lead)).into();
    let note = (!note.is_empty()).then(|| Note::plain(note).into());
    [lead].into_iter().chain(table).chain(note).collect()
}

/// The shares of a run.
struct Shares {
    /// The reference run that they relate to.
    lead: String,
    /// Empty where the reference measured another device.
    rows: Vec<Row>,
    /// A further remark.
    note: Option<String>,
}

impl Shares {
    /// The table and its legend, where there are shares.
    fn table(&self) -> Vec<Block> {
        if self.rows.is_empty() {
            return Vec::new();
        }
        let caption = Caption::Page("The database beside its storage".to_owned());
        let table = Table::new(caption, SHARE_COLUMNS.to_vec(), self.rows.clone());
        vec![table.into(), Note::plain(SHARES_LEGEND).into()]
    }
}

/// The shares of a run; `None` where its storage lines have no figures.
fn shares(run: &RunJson, catalogue: &Catalogue) -> Option<Shares> {
    if run.published.is_some() || run.is_of_storage() {
        return None;
    }
    let line = |name: &str| SECTIONS.iter().flat_map(|s| s.lines).find(|line| line.name == name);
    let found: Vec<LineFigures<'_>> =
        LIMITS.iter().filter_map(|(name, ..)| Some(find(line(name)?, run, catalogue))).collect();
    if !found.iter().any(LineFigures::is_measured) {
        return None;
    }
    let Some(reference) = &run.storage_reference else {
        let lead = "not known, as that was not measured here".to_owned();
        return Some(Shares { lead, rows: Vec::new(), note: Some(HOW_TO.to_owned()) });
    };
    let lead = format!("by {}", which(reference));
    if let SameDevice::No { measured, database } = &reference.same_device {
        let note = format!(
            "It says nothing of this database, whose files are on {}: it measured {}. {}",
            database.join(", "),
            measured.join(", "),
            HOW_TO
        );
        return Some(Shares { lead, rows: Vec::new(), note: Some(note) });
    }
    let mut notes = Vec::new();
    if reference.same_device == SameDevice::NotKnown {
        notes.push(
            "Whether both are of the same device is not known here: the system does not tell what lies below."
                .to_owned(),
        );
    }
    let of = |name: &str| line(name).map(|line| find(line, run, catalogue));
    let limits = &reference.limits;
    let bytes_of = |name, way, limit: &Option<StorageLimit>| bytes(name, &of(name)?, way, limit.as_ref()?);
    let all = [
        bytes_of("Sequential read", READS, &limits.sequential_read_mib_per_s),
        bytes_of("Sequential write", WRITES, &limits.sequential_write_mib_per_s),
        of("Random read").and_then(|found| reads("Random read", &found, &limits.random_read_by_depth)),
    ];
    let mut rows = Vec::new();
    for share in all.into_iter().flatten() {
        match share {
            Ok(row) => rows.push(row),
            Err(why) => notes.push(why),
        }
    }
    let note = (!notes.is_empty()).then(|| notes.join(" "));
    Some(Shares { lead, rows, note })
}

/// Requests that are shorter on average are not those of sequential reads or writes.
const LONG_BYTES: f64 = 65_536.0;
/// The range of ratios in which two request sizes count as equal.
const ALIKE: std::ops::RangeInclusive<f64> = 0.75..=1.33;

/// One direction of the device's I/O. A test's metric may be the database's view of it.
#[derive(Clone, Copy)]
struct Direction {
    mib_per_s: fn(&Point) -> Option<f64>,
    iops: fn(&Point) -> Option<f64>,
}

const READS: Direction = Direction { mib_per_s: |p| p.io.read_mib_per_s, iops: |p| p.io.read_iops };
const WRITES: Direction = Direction { mib_per_s: |p| p.io.write_mib_per_s, iops: |p| p.io.write_iops };

/// The median of a device figure over the points.
fn of_device(figure: &Figure<'_>, of: fn(&Point) -> Option<f64>) -> Option<f64> {
    Estimate::of(&figure.points.iter().filter_map(|p| of(p)).collect::<Vec<_>>()).map(|e| e.median)
}

/// The mean length of a figure's requests at the device.
fn request_bytes(figure: &Figure<'_>, way: Direction) -> Option<f64> {
    let (mib_per_s, iops) = of_device(figure, way.mib_per_s).zip(of_device(figure, way.iops))?;
    (iops > 0.0).then_some(mib_per_s * 1_048_576.0 / iops)
}

/// Bytes of the device beside bytes of the device, whatever part of them is useful to the database.
fn bytes(name: &str, found: &LineFigures<'_>, way: Direction, limit: &StorageLimit) -> Option<Result<Row, String>> {
    let best = found.throughput()?;
    let test = &found.test;
    let Some(mib_per_s) = of_device(best, way.mib_per_s) else {
        return Some(Err(format!("{name} has no share: what the device did during {test} is not known.")));
    };
    Some(match request_bytes(best, way).filter(|bytes| *bytes < LONG_BYTES).map(kib) {
        Some(size) => {
            Err(format!("{name} has no share: the requests of {test} are of {size} on average, no long ones."))
        }
        None => Ok(of_both([name, test, "MiB/s"], best, mib_per_s, limit)),
    })
}

/// Reads of the device at the same number outstanding: the most jobs that both have.
fn reads(name: &str, found: &LineFigures<'_>, depths: &[StorageLimit]) -> Option<Result<Row, String>> {
    let cells = &found.figures.as_ref().ok()?.cells;
    let test = &found.test;
    let same = |figure: &Figure<'_>| {
        let depth = figure.dop.filter(|dop| dop.threads == 1).map(|dop| dop.jobs)?;
        depths.iter().find(|limit| limit.outstanding == depth)
    };
    let both = cells.iter().filter_map(|figure| Some((figure, same(figure)?)));
    // Sound figures precede doubtful ones, then the most jobs win.
    let Some((figure, limit)) = both.max_by_key(|(figure, limit)| (!figure.is_doubtful(), limit.outstanding)) else {
        return Some(Err(format!("{name} has no share: {test} and the storage were not measured at the same depth.")));
    };
    let unlike = |bytes: &f64| !ALIKE.contains(&(bytes / limit.io_bytes.max(1) as f64));
    Some(match request_bytes(figure, READS).filter(unlike) {
        Some(bytes) => Err(format!(
            "{name} has no share: the reads of {test} are of {} on average, the storage's of {}.",
            kib(bytes),
            kib(limit.io_bytes as f64)
        )),
        None => Ok(of_both([name, test, "IOPS"], figure, figure.value(), limit)),
    })
}

fn of_both(words: [&str; 3], figure: &Figure<'_>, value: f64, limit: &StorageLimit) -> Row {
    let comparable = !figure.is_doubtful() && limit.value > 0.0;
    let database = Cell::figure(value, Form::Thousands).doubtful(figure.is_doubtful());
    let share_pct = comparable.then(|| value / limit.value * 100.0);
    let (storage, at) = (Cell::figure(limit.value, Form::Thousands), Cell::count(limit.outstanding));
    row(words, [database, storage, at, Cell::figure(share_pct, Form::Percent)])
}

fn kib(bytes: f64) -> String {
    format!("{} KiB", short(bytes / 1024.0))
}

fn which(reference: &StorageReference) -> String {
    let StorageReference { run, started_at, paths, chosen_by, .. } = reference;
    let why = match chosen_by {
        ChosenBy::Label => "it has the same label",
        ChosenBy::Host => "the newest of this host",
    };
    format!("reference run {run} of {} on {paths} ({why})", started_at.strftime("%Y-%m-%d %H:%M UTC"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_limit_stands_beside_a_line_of_the_summary() {
        let names: Vec<&str> = SECTIONS.iter().flat_map(|s| s.lines).map(|line| line.name).collect();
        for name in LIMITS.iter().map(|(name, ..)| name) {
            assert!(names.contains(name), "{name}");
        }
    }
}
