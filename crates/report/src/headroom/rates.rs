//! Layers of which production's rate stands beside the highest rate that the run showed: devices, log, cache, network.
//!
//! Reads and writes share devices. Their line together is the best of two lower bounds: a point that showed both at
//! once, and the share of time that each takes of the rates that it had alone.

use super::layer::{
    HeadroomBound, HeadroomLayer, KnownHeadroom, LayerName, LayerStanding, ProductionUse, ShownExtent, ShownMost,
};
use super::ramp::{PointFigure, Ramp, is_durable, is_usable, ramps};
use super::result::PlatformRelation;
use crate::numbers::thousands;
use dbdyno_model::{Flag, Point, ProfileJson, RunJson, StorageLoad};

/// How the most of a layer shows that there is no more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EndShownBy {
    /// A ramp of small I/Os below any database that gave no more.
    SmallIos,
    /// A ramp of large ones: small ones do not end the volume.
    LargeIos,
    /// A ramp that gave no more while processors were not what it waited for.
    IdleProcessors,
    /// Nothing: other layers end its ramps.
    Nothing,
}

struct RateLayer {
    layer: LayerName,
    path: &'static str,
    figure: PointFigure,
    counts: fn(&Point) -> bool,
    end: EndShownBy,
    /// The path and the figure of the volume, where lengths of I/Os matter.
    volume: Option<(&'static str, PointFigure)>,
}

/// A layer of which every usable point counts, and of which nothing shows an end.
const fn rate(layer: LayerName, path: &'static str, figure: PointFigure) -> RateLayer {
    RateLayer { layer, path, figure, counts: is_usable, end: EndShownBy::Nothing, volume: None }
}

const READ_IOPS: RateLayer = RateLayer {
    end: EndShownBy::SmallIos,
    volume: Some(("io.read_mib_per_s", |p| p.io.read_mib_per_s)),
    ..rate(LayerName::ReadIops, "io.read_iops", |p| p.io.read_iops)
};
const WRITE_IOPS: RateLayer = RateLayer {
    end: EndShownBy::SmallIos,
    volume: Some(("io.write_mib_per_s", |p| p.io.write_mib_per_s)),
    ..rate(LayerName::WriteIops, "io.write_iops", |p| p.io.write_iops)
};
const READ_MIB: RateLayer =
    RateLayer { end: EndShownBy::LargeIos, ..rate(LayerName::ReadMib, "io.read_mib_per_s", |p| p.io.read_mib_per_s) };
const WRITE_MIB: RateLayer = RateLayer {
    end: EndShownBy::LargeIos,
    ..rate(LayerName::WriteMib, "io.write_mib_per_s", |p| p.io.write_mib_per_s)
};
const REDO: RateLayer =
    RateLayer { counts: is_durable, ..rate(LayerName::RedoMib, "database.redo.mib_per_s", |p| p.redo.mib_per_s) };
const SYNCS: RateLayer = RateLayer {
    counts: is_durable,
    end: EndShownBy::IdleProcessors,
    ..rate(LayerName::LogSyncs, "database.redo.sync_writes_per_s", |p| p.redo.sync_writes_per_s)
};
const LOGICAL_READS: RateLayer =
    rate(LayerName::LogicalReads, "database.logical_reads_per_s", |p| p.database.logical_reads_per_s);
const RECEIVED: RateLayer =
    rate(LayerName::NetworkReceive, "network.receive_mib_per_s", |p| p.network.receive_mib_per_s);
const SENT: RateLayer = rate(LayerName::NetworkSend, "network.send_mib_per_s", |p| p.network.send_mib_per_s);

/// A ramp gives no more where its last step adds less than this share.
const LEAST_GAIN: f64 = 0.05;
/// The last step counts if it is at least this many times the one before.
const LEAST_STEP: f64 = 1.25;
/// Steps of a ramp that can show an end.
const FEWEST_STEPS: usize = 3;
/// Processors are what work waits for from here on, in percent.
const BUSY_PCT: f64 = 90.0;

/// Every layer by its rate.
pub(super) fn layers(profile: &ProfileJson, run: &RunJson, alike: &Alike) -> Vec<HeadroomLayer> {
    let of = |rate: &RateLayer| layer(profile, run, rate, alike, None);
    let mut layers = vec![of(&READ_IOPS), of(&WRITE_IOPS)];
    layers.extend(together(run, alike, LayerName::Iops, &layers, [&READ_IOPS, &WRITE_IOPS]));
    let volumes = [of(&READ_MIB), of(&WRITE_MIB)];
    let both = together(run, alike, LayerName::Mib, &volumes, [&READ_MIB, &WRITE_MIB]);
    layers.extend(volumes.into_iter().chain(both));
    layers.push(layer(profile, run, &REDO, alike, alike.redo.as_deref()));
    layers.push(syncs(profile, run, alike));
    layers.push(layer(profile, run, &LOGICAL_READS, alike, alike.blocks.as_deref()));
    layers.extend([of(&RECEIVED), of(&SENT)]);
    layers
}

/// How the run's platform relates to production's, and why counters of their databases are not of the same thing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Alike {
    pub(super) platforms: PlatformRelation,
    /// Why what is written to the log is not.
    pub(super) redo: Option<String>,
    /// Why what is counted in blocks is not.
    pub(super) blocks: Option<String>,
}

impl Alike {
    /// Whether production's load proves what this platform can do, as it is the same.
    fn is_proved_by_production(&self) -> bool {
        matches!(self.platforms, PlatformRelation::Same | PlatformRelation::SameTarget)
    }
}

fn syncs(profile: &ProfileJson, run: &RunJson, alike: &Alike) -> HeadroomLayer {
    let mut layer = layer(profile, run, &SYNCS, alike, alike.redo.as_deref());
    if layer.known().is_some() {
        let text = "commits share syncs as their number rises, so more commits fit than this multiple of them";
        layer.remarks.push(text.to_owned());
    }
    layer
}

fn layer(profile: &ProfileJson, run: &RunJson, rate: &RateLayer, alike: &Alike, unlike: Option<&str>) -> HeadroomLayer {
    let (name, path) = (rate.layer, rate.path);
    let Some(figure) = profile.seen.figures.get(path) else {
        let why = profile.seen.missing.get(path).map_or("it was not told", String::as_str);
        let mut layer = HeadroomLayer::unknown(name, None, format!("not seen in production: {why}"));
        layer.shown = most(run, rate);
        return layer;
    };
    let Some(production) = ProductionUse::of(figure) else {
        let why = "no minute of it was watched for the greater part";
        return HeadroomLayer::unknown(name, None, format!("not seen in production: {why}"));
    };
    match (production.peak_minute <= 0.0, production.highest_second <= 0.0) {
        (true, true) => return HeadroomLayer::new(name, Some(production), LayerStanding::NotUsed),
        (true, false) => {
            let why = "production used it only in minutes that were not watched for the greater part";
            return HeadroomLayer::unknown(name, Some(production), why);
        }
        _ => {}
    }
    if let Some(why) = unlike {
        return HeadroomLayer::unknown(name, Some(production), why);
    }
    let Some(shown) = most(run, rate) else {
        return HeadroomLayer::unknown(name, Some(production), not_measured(run, rate));
    };
    let standing = standing(&production, &shown, rate.end, alike);
    let remarks = flags(&shown.flags).into_iter().chain(lengths(profile, rate, figure.mean, &shown)).collect();
    HeadroomLayer { shown: Some(shown), remarks, ..HeadroomLayer::new(name, Some(production), standing) }
}

fn standing(production: &ProductionUse, shown: &ShownMost, end: EndShownBy, alike: &Alike) -> LayerStanding {
    let multiple = shown.value / production.peak_minute;
    let not_shown = match shown.extent {
        _ if alike.is_proved_by_production() => "production did more on this platform than the run drove it to",
        ShownExtent::NotToItsEnd => "the run did not drive it as far as production does",
        ShownExtent::ToItsEnd if end == EndShownBy::IdleProcessors => {
            "the run showed less than production does, but commits may share syncs"
        }
        ShownExtent::ToItsEnd => "",
    };
    if multiple < 1.0 && !not_shown.is_empty() {
        return LayerStanding::Unknown { why: format!("{not_shown}, so what it can do was not measured") };
    }
    let (bound, more) = match shown.extent {
        ShownExtent::ToItsEnd => (HeadroomBound::About, "more load gave no more"),
        ShownExtent::NotToItsEnd => (HeadroomBound::AtLeast, "the platform may do more"),
    };
    LayerStanding::Known(KnownHeadroom {
        share_pct: production.peak_minute / shown.value * 100.0,
        highest_second_share_pct: Some(production.highest_second / shown.value * 100.0),
        multiple,
        range: None,
        bound,
        basis: format!("{}, {}: {more}", shown.subject, shown.place),
    })
}

/// The most that the run showed.
fn most(run: &RunJson, rate: &RateLayer) -> Option<ShownMost> {
    let ramps = ramps(run, rate.counts);
    let of_ramp = |ramp: &Ramp<'_>| {
        let values: Vec<Option<f64>> = ramp.steps.iter().map(|step| step.median(rate.figure)).collect();
        let known = values.iter().enumerate().filter_map(|(n, value)| Some((n, (*value)?)));
        let (n, value) = known.filter(|(_, value)| *value > 0.0).max_by(|a, b| a.1.total_cmp(&b.1))?;
        let step = &ramp.steps[n];
        let ends = ends(ramp, &values, n) && shows_end(ramp, n, rate.end);
        let extent = if ends { ShownExtent::ToItsEnd } else { ShownExtent::NotToItsEnd };
        let has = |flag: &Flag| step.points.iter().any(|point| point.has(*flag));
        let flags = Flag::ALL.into_iter().filter(has).collect();
        let volume = rate.volume.and_then(|(_, volume)| step.median(volume));
        let io_kib = volume.map(|mib| mib * 1_024.0 / value);
        Some(ShownMost { value, subject: ramp.work.clone(), place: step.place(), extent, flags, io_kib })
    };
    ramps.iter().filter_map(of_ramp).max_by(|a, b| a.value.total_cmp(&b.value))
}

/// Whether a ramp gave no more from its highest step on.
fn ends(ramp: &Ramp<'_>, values: &[Option<f64>], highest: usize) -> bool {
    if values.iter().flatten().count() < FEWEST_STEPS {
        return false;
    }
    let known_beyond = values.iter().skip(highest + 1).flatten().next().is_some();
    let Some(before) = highest.checked_sub(1) else { return known_beyond };
    let is_step = ramp.steps[highest].x >= LEAST_STEP * ramp.steps[before].x;
    let is_flat = || values[before].zip(values[highest]).is_some_and(|(a, b)| a >= (1.0 - LEAST_GAIN) * b);
    known_beyond || (is_step && is_flat())
}

/// Whether the layer itself is what ended a ramp there.
fn shows_end(ramp: &Ramp<'_>, highest: usize, by: EndShownBy) -> bool {
    let step = &ramp.steps[highest];
    let is_of = |is: fn(&StorageLoad) -> bool| {
        step.points.iter().all(|point| point.subject.storage().is_some_and(|storage| is(&storage.load)))
    };
    match by {
        EndShownBy::Nothing => false,
        EndShownBy::SmallIos => is_of(|load| load.small_outstanding > 0),
        EndShownBy::LargeIos => is_of(|load| load.large_outstanding > 0),
        EndShownBy::IdleProcessors => step.median(|p| p.cpu.busy_pct).is_some_and(|pct| pct < BUSY_PCT),
    }
}

fn not_measured(run: &RunJson, rate: &RateLayer) -> String {
    let is_there = |point: &&Point| (rate.figure)(point).is_some_and(|value| value > 0.0);
    let barred = run.points.iter().filter(is_there).count();
    let what = match (barred, rate.layer) {
        (0, _) => "the run has no figure of it",
        (_, LayerName::RedoMib | LayerName::LogSyncs) => {
            "no point of the run shows it with commits that are proved to be durable"
        }
        _ => "the run has figures of it, but their flags bar them",
    };
    format!("not measured: {what}")
}

fn flags(flags: &[Flag]) -> Option<String> {
    // What the run itself may have been disturbed by, without its figures being refused.
    const DISTURBED: [Flag; 4] = [Flag::NotSteady, Flag::ForeignLoad, Flag::CpuSteal, Flag::Throttled];
    let advice: Vec<&str> = flags.iter().filter(|flag| DISTURBED.contains(flag)).map(|flag| flag.advice()).collect();
    (!advice.is_empty()).then(|| format!("the point that showed the most is flagged: {}", advice.join("; ")))
}

/// I/Os of these lengths, one this many times the other, are unlike.
const UNLIKE_LENGTHS: f64 = 2.0;

/// That production's I/Os are of another length than those of the point that showed the most.
fn lengths(profile: &ProfileJson, rate: &RateLayer, mean_iops: f64, shown: &ShownMost) -> Option<String> {
    let volume = profile.seen.figures.get(rate.volume?.0)?.mean;
    let (own, shown) = (volume * 1_024.0 / mean_iops, shown.io_kib.filter(|kib| *kib > 0.0)?);
    let is_unlike = own.is_finite() && own > 0.0 && (own / shown).max(shown / own) > UNLIKE_LENGTHS;
    is_unlike.then(|| {
        let (own, shown) = (thousands(own), thousands(shown));
        format!("an I/O of production has {own} KiB, one of the point that showed the most {shown} KiB")
    })
}

/// Reads and writes together; `None` where one of them is unknown or not used, because then the lines apart say all.
fn together(
    run: &RunJson,
    alike: &Alike,
    name: LayerName,
    apart: &[HeadroomLayer],
    [read, write]: [&RateLayer; 2],
) -> Option<HeadroomLayer> {
    let [reads, writes] = apart.get(..2)?.first_chunk::<2>()?;
    let (of_reads, of_writes) = (reads.known()?, writes.known()?);
    let (by_reads, by_writes) = (reads.production?, writes.production?);
    let in_turn = 1.0 / (1.0 / of_reads.multiple + 1.0 / of_writes.multiple);
    let steps = ramps(run, is_usable).into_iter().flat_map(|ramp| ramp.steps);
    let at_once = steps.filter_map(|step| {
        let both = step.median(read.figure)? / by_reads.peak_minute;
        Some(both.min(step.median(write.figure)? / by_writes.peak_minute))
    });
    let at_once = at_once.fold(0.0, f64::max);
    let (multiple, basis) = if at_once >= in_turn {
        (at_once, "a point of the run did both at once")
    } else {
        (in_turn, "as if they took turns, each at the most that it showed alone")
    };
    // Their peak minutes may be different ones, so this is the worst case of both.
    let production = ProductionUse {
        peak_minute: by_reads.peak_minute + by_writes.peak_minute,
        peak_minute_at: by_reads.peak_minute_at.max(by_writes.peak_minute_at),
        highest_second: by_reads.highest_second + by_writes.highest_second,
        highest_second_at: by_reads.highest_second_at.max(by_writes.highest_second_at),
    };
    if multiple < 1.0 && alike.is_proved_by_production() {
        let why = "production did more of both at once on this platform than the run showed";
        return Some(HeadroomLayer::unknown(name, Some(production), why));
    }
    let known = KnownHeadroom {
        share_pct: 100.0 / multiple,
        highest_second_share_pct: None,
        multiple,
        range: None,
        bound: HeadroomBound::AtLeast,
        basis: basis.to_owned(),
    };
    let mut layer = HeadroomLayer::new(name, Some(production), LayerStanding::Known(known));
    if by_reads.peak_minute_at != by_writes.peak_minute_at {
        let text = "production's reads and writes peaked in different minutes; they are taken together here";
        layer.remarks.push(text.to_owned());
    }
    Some(layer)
}
