//! The limits of the storage itself, and a database's share of them.

use super::super::cell_chart::PointFigure;
use super::super::io_charts::{DEVICE_READS, DEVICE_WRITES, IoKind, LONG_BYTES, bytes_each};
use crate::figures::Figure;
use crate::sections::prelude::*;
use crate::summary::figure::{LineFigures, find};
use crate::summary::lines::LINES;
use dbdyno_model::{ChosenBy, SameDevice, StorageLimit, StorageLimits, StorageReference};

/// The key metrics of a run of storage: its limits, or why none is known.
pub(crate) fn limits(run: &RunJson) -> Vec<Block> {
    let limits = StorageLimits::of(run);
    let best = |name: &str, unit: &str, limit: Option<StorageLimit>| {
        let StorageLimit { value, outstanding, service_time_s, .. } = limit?;
        let time = Cell::figure(service_time_s, Form::Duration);
        Some(Row::led([name, unit], [Cell::figure(value, Form::Thousands), Cell::count(outstanding), time]))
    };
    let one_at_a_time = |name: &str, time_s: Option<f64>| {
        Some(Row::led([name, ""], [Cell::empty(), Cell::count(1_u64), Cell::figure(time_s?, Form::Duration)]))
    };
    let rows = [
        best("Sequential read", "MiB/s", limits.sequential_read_mib_per_s),
        best("Sequential write", "MiB/s", limits.sequential_write_mib_per_s),
        best("Random read", "IOPS", limits.random_read_iops),
        best("Random write", "IOPS", limits.random_write_iops),
        one_at_a_time("One read at a time", limits.read_service_time_s),
        one_at_a_time("One write at a time", limits.write_service_time_s),
    ];
    let rows: Vec<Row> = rows.into_iter().flatten().collect();
    if rows.is_empty() {
        let has_figures = run.points.iter().any(|p| p.status == Status::Ok);
        return vec![note("storage", if has_figures { "no_limits" } else { "no_figures" }).into()];
    }
    explained("storage", "limits", rows)
}

/// The section of a database's share of its storage's limits: by which reference run, or how to get one. It has no
/// blocks for runs of storage, published results, and runs without figures of these lines.
pub(crate) fn share(run: &RunJson, catalogue: &Catalogue) -> Section {
    let section = words::section("storage-share");
    let lines = LINES.platform.iter().filter(|group| group.title == "Storage").flat_map(|group| &group.lines);
    let found: Vec<LineFigures<'_>> = lines.map(|line| find(line, run, catalogue)).collect();
    if run.published.is_some() || run.is_of_storage() || !found.iter().any(LineFigures::is_measured) {
        return section;
    }
    let how_to: Block = note("storage-share", "how_to").into();
    let Some(reference) = &run.storage_reference else {
        return section.with([note("storage-share", "not_known").into(), how_to]);
    };
    let StorageReference { run: id, started_at, paths, chosen_by, same_device, limits } = reference;
    let why = if *chosen_by == ChosenBy::Label { "it has the same label" } else { "the newest of this host" };
    let at = started_at.strftime("%Y-%m-%d %H:%M UTC");
    let by = format!("Measured by reference run {id} of {at} on {paths} ({why}).");
    let section = section.with([Note::plain(by).into()]);
    if let SameDevice::No { measured, database } = same_device {
        let [measured, database] = [measured, database].map(|devices| devices.join(", "));
        let why = format!("It says nothing of this database, whose files are on {database}: it measured {measured}.");
        return section.with([Note::plain(why).into(), how_to]);
    }
    let row = |found: &LineFigures<'_>| match found.name.as_str() {
        "Sequential read" => sequential(found, DEVICE_READS, limits.sequential_read_mib_per_s.as_ref()?),
        "Sequential write" => sequential(found, DEVICE_WRITES, limits.sequential_write_mib_per_s.as_ref()?),
        "Random read" => random_reads(found, &limits.random_read_by_depth),
        // What a database writes at random is gathered and synced.
        _ => None,
    };
    let is_unknown = *same_device == SameDevice::NotKnown;
    let doubt = is_unknown.then(|| note("storage-share", "device_not_known").into());
    section.with(doubt).with(explained("storage-share", "shares", found.iter().filter_map(row).collect()))
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
fn sequential(found: &LineFigures<'_>, kind: IoKind, limit: &StorageLimit) -> Option<Row> {
    let best = found.throughput()?;
    let size = request_bytes(best, kind).filter(|bytes| *bytes < LONG_BYTES).map(kib);
    Some(match (of_device(best, kind.mib_per_s), size) {
        (None, _) => without(found, "what the device did is not known"),
        (_, Some(size)) => without(found, &format!("its requests are of {size} on average, no long ones")),
        (Some(mib_per_s), None) => of_both(found, "MiB/s", best, mib_per_s, limit),
    })
}

/// Reads of the device at the same number outstanding: the most jobs that both have.
fn random_reads(found: &LineFigures<'_>, depths: &[StorageLimit]) -> Option<Row> {
    let both = found.figures.as_ref().ok()?.cells.iter().filter_map(|figure| {
        let dop = figure.dop.filter(|dop| dop.threads == 1)?;
        Some((figure, depths.iter().find(|limit| limit.outstanding == dop.jobs)?))
    });
    // Sound figures precede doubtful ones, then the most jobs win.
    let Some((figure, limit)) = both.max_by_key(|(figure, limit)| (!figure.is_doubtful(), limit.outstanding)) else {
        return Some(without(found, "it and the storage were not measured at the same depth"));
    };
    let unlike = |bytes: &f64| !ALIKE.contains(&(bytes / limit.io_bytes.max(1) as f64));
    let of_storage = kib(limit.io_bytes as f64);
    Some(match request_bytes(figure, DEVICE_READS).filter(unlike).map(kib) {
        Some(size) => {
            let test = &found.test;
            without(found, &format!("the reads of {test} are of {size} on average, the storage's of {of_storage}"))
        }
        None => of_both(found, "IOPS", figure, figure.value(), limit),
    })
}

/// The row of a line that has no share.
fn without(found: &LineFigures<'_>, why: &str) -> Row {
    Row::Remark([&found.name, &found.test].map(Cell::words).into(), format!("no share: {why}"))
}

fn of_both(found: &LineFigures<'_>, unit: &str, figure: &Figure<'_>, value: f64, limit: &StorageLimit) -> Row {
    let database = Cell::figure(value, Form::Thousands).doubtful(figure.is_doubtful());
    let share_pct = (!figure.is_doubtful() && limit.value > 0.0).then(|| value / limit.value * 100.0);
    let (storage, at) = (Cell::figure(limit.value, Form::Thousands), Cell::count(limit.outstanding));
    let cells = [database, storage, at, Cell::figure(share_pct, Form::Percent)];
    Row::led([found.name.as_str(), &found.test, unit], cells)
}

fn kib(bytes: f64) -> String {
    format!("{} KiB", short(bytes / 1024.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_share_is_of_a_line_of_the_summary() {
        let storage = LINES.platform.iter().find(|group| group.title == "Storage").unwrap();
        let names: Vec<&str> = storage.lines.iter().map(|line| line.name).collect();
        assert_eq!(names, ["Sequential read", "Sequential write", "Random read", "Random write"]);
    }
}
