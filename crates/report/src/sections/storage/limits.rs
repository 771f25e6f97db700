//! The limits of the storage itself, and a database's share of them.

use super::super::cell_chart::PointFigure;
use super::super::io_charts::{DEVICE_READS, DEVICE_WRITES, IoKind, LONG_BYTES, bytes_each};
use super::super::words::{explained, note, section, text};
use crate::document::{Block, Cell, Form, Note, Row, Section};
use crate::figures::{Figure, median_of};
use crate::groups::joined;
use crate::numbers::short;
use crate::summary::figure::{LineFigures, find};
use crate::summary::lines::LINES;
use dbdyno_catalogue::Catalogue;
use dbdyno_model::{ChosenBy, RunJson, SameDevice, Status, StorageLimit, StorageLimits, StorageReference};

type Limit = fn(&StorageLimits) -> Option<&StorageLimit>;

/// Lines of the summary that have a limit: the line's name, the limit's unit, the limit.
const LIMITS: [(&str, &str, Limit); 4] = [
    ("Sequential read", "MiB/s", |l| l.sequential_read_mib_per_s.as_ref()),
    ("Sequential write", "MiB/s", |l| l.sequential_write_mib_per_s.as_ref()),
    ("Random read", "IOPS", |l| l.random_read_iops.as_ref()),
    ("Random write", "IOPS", |l| l.random_write_iops.as_ref()),
];

/// The known limits of a storage run; empty where it has none.
pub(super) fn limits(run: &RunJson) -> Vec<Block> {
    let limits = StorageLimits::of(run);
    let rates = LIMITS.into_iter().filter_map(|(name, unit, of)| {
        let limit = of(&limits)?;
        let time = Cell::figure(limit.service_time_s, Form::Duration);
        Some(Row::led([name, unit], [Cell::figure(limit.value, Form::Thousands), Cell::count(limit.outstanding), time]))
    });
    let alone =
        [("One read at a time", limits.read_service_time_s), ("One write at a time", limits.write_service_time_s)];
    let times = alone.into_iter().filter_map(|(name, time_s)| {
        Some(Row::led([name, ""], [Cell::figure(time_s?, Form::Duration), Cell::count(1_u64), Cell::empty()]))
    });
    explained("storage", "limits", rates.chain(times).collect())
}

/// What stands among the key metrics: the limits of a run of storage; else a database's shares of them, or why there
/// are none and how to get them.
pub(crate) fn limits_or_shares(run: &RunJson, catalogue: &Catalogue) -> Vec<Block> {
    if run.is_of_storage() {
        let limits = limits(run);
        let has_figures = run.points.iter().any(|p| p.subject.storage().is_some() && p.status == Status::Ok);
        let none = note("storage", if has_figures { "no_limits" } else { "no_figures" });
        return if limits.is_empty() { vec![none.into()] } else { limits };
    }
    let section = share(run, catalogue);
    if section.about.is_empty() {
        return Vec::new();
    }
    let lead = format!("{}{}", section.title, section.about);
    match section.blocks.first() {
        Some(Block::Table(_)) => std::iter::once(Note::plain(lead).into()).chain(section.blocks).collect(),
        // There are no shares, and the only block says why.
        Some(Block::Note(why)) => vec![Note::plain(format!("{lead}. {}", why.text)).into()],
        _ => vec![Note::plain(format!("{lead}. ")).into()],
    }
}

/// The section of a database's share of its storage's limits; it is about the reference run that they relate to. It is
/// about nothing, and has no blocks, for runs of storage, published results, and runs without figures of these lines.
pub(crate) fn share(run: &RunJson, catalogue: &Catalogue) -> Section {
    let of = |name: &str| {
        let mut lines = LINES.platform.iter().flat_map(|s| &s.lines);
        lines.find(|line| line.name == name).map(|line| find(line, run, catalogue))
    };
    let is_measured = LIMITS.iter().filter_map(|(name, ..)| of(name)).any(|found| found.is_measured());
    if run.published.is_some() || run.is_of_storage() || !is_measured {
        return section("storage-share");
    }
    let about = |lead: &str| Section { about: format!(": {lead}"), ..section("storage-share") };
    let without_shares = |lead: &str, why: &str| {
        about(lead).with([Note::plain(joined([why, text("storage-share", "how_to")], " ")).into()])
    };
    let Some(reference) = &run.storage_reference else { return without_shares(text("storage-share", "not_known"), "") };
    let lead = format!("by {}", which(reference));
    if let SameDevice::No { measured, database } = &reference.same_device {
        let [measured, database] = [measured, database].map(|devices| devices.join(", "));
        let why = format!("It says nothing of this database, whose files are on {database}: it measured {measured}.");
        return without_shares(&lead, &why);
    }
    let is_unknown = reference.same_device == SameDevice::NotKnown;
    let mut notes = Vec::from_iter(is_unknown.then(|| text("storage-share", "device_not_known").to_owned()));
    let limits = &reference.limits;
    let bytes =
        |name, kind, limit: &Option<StorageLimit>| Some((name, bytes(name, &of(name)?, kind, limit.as_ref()?)?));
    let reads = |name| Some((name, reads(name, &of(name)?, &limits.random_read_by_depth)?));
    let all = [
        bytes("Sequential read", DEVICE_READS, &limits.sequential_read_mib_per_s),
        bytes("Sequential write", DEVICE_WRITES, &limits.sequential_write_mib_per_s),
        reads("Random read"),
    ];
    let mut rows = Vec::new();
    for (name, share) in all.into_iter().flatten() {
        match share {
            Ok(row) => rows.push(row),
            Err(why) => notes.push(format!("{name} has no share: {why}.")),
        }
    }
    let note = (!notes.is_empty()).then(|| Note::plain(notes.join(" ")).into());
    about(&lead).with(explained("storage-share", "shares", rows)).with(note)
}

/// The range of ratios in which two request sizes count as equal.
const ALIKE: std::ops::RangeInclusive<f64> = 0.75..=1.33;

/// The median of a device figure over the points. A test's metric may be the database's view of it.
fn of_device(figure: &Figure<'_>, of: PointFigure) -> Option<f64> {
    median_of(figure.points.iter().map(|p| of(p)))
}

/// The mean length of a figure's requests at the device.
fn request_bytes(figure: &Figure<'_>, kind: IoKind) -> Option<f64> {
    bytes_each(of_device(figure, kind.mib_per_s), of_device(figure, kind.iops))
}

/// Bytes of the device beside bytes of the device, whatever part of them is useful to the database.
fn bytes(name: &str, found: &LineFigures<'_>, kind: IoKind, limit: &StorageLimit) -> Option<Result<Row, String>> {
    let best = found.throughput()?;
    let test = &found.test;
    let short = request_bytes(best, kind).filter(|bytes| *bytes < LONG_BYTES).map(kib);
    Some(match (of_device(best, kind.mib_per_s), short) {
        (None, _) => Err(format!("what the device did during {test} is not known")),
        (_, Some(size)) => Err(format!("the requests of {test} are of {size} on average, no long ones")),
        (Some(mib_per_s), None) => Ok(of_both([name, test, "MiB/s"], best, mib_per_s, limit)),
    })
}

/// Reads of the device at the same number outstanding: the most jobs that both have.
fn reads(name: &str, found: &LineFigures<'_>, depths: &[StorageLimit]) -> Option<Result<Row, String>> {
    let cells = &found.figures.as_ref().ok()?.cells;
    let test = &found.test;
    let both = cells.iter().filter_map(|figure| {
        let dop = figure.dop.filter(|dop| dop.threads == 1)?;
        Some((figure, depths.iter().find(|limit| limit.outstanding == dop.jobs)?))
    });
    // Sound figures precede doubtful ones, then the most jobs win.
    let Some((figure, limit)) = both.max_by_key(|(figure, limit)| (!figure.is_doubtful(), limit.outstanding)) else {
        return Some(Err(format!("{test} and the storage were not measured at the same depth")));
    };
    let unlike = |bytes: &f64| !ALIKE.contains(&(bytes / limit.io_bytes.max(1) as f64));
    let of_storage = kib(limit.io_bytes as f64);
    Some(match request_bytes(figure, DEVICE_READS).filter(unlike).map(kib) {
        Some(size) => Err(format!("the reads of {test} are of {size} on average, the storage's of {of_storage}")),
        None => Ok(of_both([name, test, "IOPS"], figure, figure.value(), limit)),
    })
}

fn of_both(words: [&str; 3], figure: &Figure<'_>, value: f64, limit: &StorageLimit) -> Row {
    let database = Cell::figure(value, Form::Thousands).doubtful(figure.is_doubtful());
    let share_pct = (!figure.is_doubtful() && limit.value > 0.0).then(|| value / limit.value * 100.0);
    let (storage, at) = (Cell::figure(limit.value, Form::Thousands), Cell::count(limit.outstanding));
    Row::led(words, [database, storage, at, Cell::figure(share_pct, Form::Percent)])
}

fn kib(bytes: f64) -> String {
    format!("{} KiB", short(bytes / 1024.0))
}

fn which(reference: &StorageReference) -> String {
    let StorageReference { run, started_at, paths, chosen_by, .. } = reference;
    let why = if *chosen_by == ChosenBy::Label { "it has the same label" } else { "the newest of this host" };
    format!("reference run {run} of {} on {paths} ({why})", started_at.strftime("%Y-%m-%d %H:%M UTC"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_limit_stands_beside_a_line_of_the_summary() {
        let names: Vec<&str> = LINES.platform.iter().flat_map(|s| &s.lines).map(|line| line.name).collect();
        for name in LIMITS.iter().map(|(name, ..)| name) {
            assert!(names.contains(name), "{name}");
        }
    }
}
