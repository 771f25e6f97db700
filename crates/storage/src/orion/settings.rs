//! A run with every flag resolved and every default filled in.

use super::error::OrionError;
use super::matrix::{Matrix, MatrixLevels, Outstanding};
use super::rules;
use super::typed::{Choice, LARGE_KB, LargeType, MatrixKind, RunKind, SMALL_KB, Simulate, TypedFlags};
use crate::load::MOST_OUTSTANDING;
use crate::{BackendKind, IoLoad, IoRate, Layout, Pattern};
use std::path::{Path, PathBuf};

const KB: u64 = 1 << 10;
const MB: u64 = 1 << 20;
/// ORION's default time for warming caches before each sequential point, where the size of the cache is not given.
const WARMING_S: f64 = 120.0;
/// The window of a point; and of a point with large I/Os alone, because there are fewer such points.
const DURATION_S: f64 = 60.0;
const DSS_DURATION_S: f64 = 240.0;
const REFERENCE_DURATION_S: f64 = 4.0;
/// The default seed: runs that are repeats of each other must have the same.
const SEED: u64 = 42;
/// No cache has more megabytes, so a larger number means bytes.
const MOST_CACHE_MB: u64 = 16 << 20;

/// How caches of the storage are filled before a sequential point, so that it finds no blocks of the point before.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum CacheWarming {
    /// Not at all.
    None,
    /// By this many bytes of large random I/Os.
    Bytes(u64),
    /// By large random I/Os for this many seconds.
    Seconds(f64),
}

/// One planned point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlannedIoPoint {
    /// What is kept outstanding.
    pub at: Outstanding,
    /// The pattern of the large I/Os.
    pub large_type: LargeType,
    /// Share of writes.
    pub write_pct: u8,
}

/// A run, resolved.
#[derive(Debug, Clone, PartialEq)]
pub struct OrionSettings {
    /// The kind of run; none for the reference.
    pub run: Option<RunKind>,
    /// The beginning of the files' names; may contain folders.
    pub testname: String,
    /// The devices and files.
    pub luns: Vec<PathBuf>,
    /// Size of files that are created where they do not exist.
    pub file_size_bytes: Option<u64>,
    /// The number of disks that the levels are made for.
    pub num_disks: u32,
    /// Size of a small I/O.
    pub small_bytes: u64,
    /// Size of a large I/O.
    pub large_bytes: u64,
    /// I/Os that each sequential stream keeps outstanding.
    pub stream_ios: u32,
    /// The pattern of the large I/Os.
    pub large_type: LargeType,
    /// The LUNs as one address space.
    pub layout: Layout,
    /// Share of writes in percent; in the reference each point has its own.
    pub write_pct: u8,
    /// What happens before each sequential point.
    pub warming: CacheWarming,
    /// The window of each point.
    pub duration_s: f64,
    /// The axes of the tables; none for the reference.
    pub matrix: Option<Matrix>,
    /// The points in order.
    pub points: Vec<PlannedIoPoint>,
    /// The rate of an open loop, if one was given.
    pub rate: Option<IoRate>,
    /// Whether written sectors are stamped and reads verified.
    pub verify: bool,
    /// Whether memory is taken in huge pages, where the kernel has some.
    pub huge_pages: bool,
    /// Whether the files have percentiles.
    pub percentiles: bool,
    /// The backend.
    pub backend: BackendKind,
    /// Seed of the addresses and the data.
    pub seed: u64,
    /// Whether more is printed meanwhile.
    pub verbose: bool,
    /// Paths whose data may be destroyed.
    pub destroy_data: Vec<PathBuf>,
    /// Whether also data in use may be destroyed.
    pub really: bool,
    /// Remarks on these flags for the user.
    pub notes: Vec<String>,
}

impl OrionSettings {
    /// Resolves flags for these LUNs. Nothing is opened.
    ///
    /// # Errors
    /// The flag that is wrong, and what would do.
    pub fn resolve(typed: &TypedFlags, luns: &[PathBuf]) -> Result<Self, OrionError> {
        let run = rules::check(typed)?;
        let num_disks = match typed.num_disks {
            Some(n) => rules::within("-num_disks", n, 1..=1_000, "disks")? as u32,
            None => u32::try_from(luns.len()).unwrap_or(u32::MAX),
        };
        let large_type = typed.large_type.unwrap_or(LargeType::Rand);
        let write_pct = rules::within("-write", typed.write_pct.unwrap_or(0), 0..=100, "percent of writes")? as u8;
        let matrix = run.map(|run| matrix(typed, run, num_disks)).transpose()?;
        let points = match &matrix {
            Some(m) => m.points.iter().map(|at| PlannedIoPoint { at: *at, large_type, write_pct }).collect(),
            None => reference(),
        };
        let sequential = points.iter().any(|p: &PlannedIoPoint| p.large_type == LargeType::Seq && p.at.large > 0);
        let notes = notes(typed, run, &points, sequential);
        let settings = Self {
            run,
            testname: typed.name().to_owned(),
            luns: luns.to_vec(),
            file_size_bytes: typed.file_size_bytes,
            num_disks,
            small_bytes: io_bytes("-size_small", typed.size_small_kb, SMALL_KB)?,
            large_bytes: io_bytes("-size_large", typed.size_large_kb, LARGE_KB)?,
            stream_ios: rules::within("-num_streamIO", typed.num_stream_io.unwrap_or(4), 1..=1_024, "I/Os")? as u32,
            large_type,
            layout: match typed.simulate.unwrap_or(Simulate::Concat) {
                Simulate::Concat => Layout::Concat,
                Simulate::Raid0 => Layout::Raid0 { stripe_bytes: io_bytes("-stripe", typed.stripe_kb, LARGE_KB)? },
            },
            write_pct,
            warming: match typed.cache_size_mb {
                // The reference takes a minute, and its random points come before the sequential ones.
                None if !sequential || run.is_none() => CacheWarming::None,
                None => CacheWarming::Seconds(WARMING_S),
                Some(0) => CacheWarming::None,
                Some(mb) if mb <= MOST_CACHE_MB => CacheWarming::Bytes(mb * MB),
                Some(n) => CacheWarming::Bytes(rules::within("-cache_size", n, 1..=MOST_CACHE_MB * MB, "bytes")?),
            },
            duration_s: match (typed.duration_s, run) {
                (Some(s), _) => rules::duration_s(s)?,
                (None, Some(RunKind::Dss)) => DSS_DURATION_S,
                (None, Some(_)) => DURATION_S,
                (None, None) => REFERENCE_DURATION_S,
            },
            matrix,
            points,
            rate: rules::rate(typed)?,
            verify: typed.verify,
            huge_pages: !typed.huge_not_needed,
            percentiles: typed.percentiles,
            backend: typed.backend.unwrap_or(BackendKind::Uring),
            seed: typed.seed.unwrap_or(SEED),
            verbose: typed.verbose,
            destroy_data: typed.destroy_data.clone(),
            really: typed.really,
            notes,
        };
        let outstanding = settings.points.iter().map(|point| {
            let IoLoad { small, large, .. } = settings.load(point, 0);
            (u64::from(small) + u64::from(large), small, large)
        });
        if let Some((n, small, large)) = outstanding.max()
            && n > u64::from(MOST_OUTSTANDING)
        {
            return Err(OrionError(format!(
                "{small} small and {large} large I/Os would be outstanding, of {MOST_OUTSTANDING} at most: ask for fewer by \
                 -num_disks, -num_small, -num_large or -num_streamIO"
            )));
        }
        Ok(settings)
    }

    /// Whether anything is written.
    #[must_use]
    pub fn writes(&self) -> bool {
        self.points.iter().any(|point| point.write_pct > 0)
    }

    /// The load of a point.
    #[must_use]
    pub fn load(&self, point: &PlannedIoPoint, seed: u64) -> IoLoad {
        let sequential = point.large_type == LargeType::Seq;
        IoLoad {
            small: point.at.small,
            large: point.at.large.saturating_mul(if sequential { self.stream_ios } else { 1 }),
            small_bytes: self.small_bytes,
            large_bytes: self.large_bytes,
            pattern: if sequential { Pattern::Sequential { streams: point.at.large } } else { Pattern::Random },
            write_pct: point.write_pct,
            layout: self.layout,
            // A window below one second is not a measurement that needs a second of warm-up.
            warm_up_s: (self.duration_s / 5.0).max(self.duration_s.min(1.0)),
            duration_s: self.duration_s,
            rate: self.rate,
            verify: self.verify,
            huge_pages: self.huge_pages,
            seed,
            share: None,
        }
    }

    /// Whether caches are warmed before this point.
    #[must_use]
    pub fn warms(&self, point: &PlannedIoPoint) -> bool {
        self.warming != CacheWarming::None && point.large_type == LargeType::Seq && point.at.large > 0
    }

    /// Seconds of all points together, with warm-up and timed warming of caches.
    #[must_use]
    pub fn estimate_s(&self) -> f64 {
        let warming_s = if let CacheWarming::Seconds(s) = self.warming { s } else { 0.0 };
        let each = self.points.iter().map(|point| {
            let load = self.load(point, 0);
            load.warm_up_s + load.duration_s + if self.warms(point) { warming_s } else { 0.0 }
        });
        each.sum()
    }

    /// Refuses LUNs that are too small for one I/O.
    ///
    /// # Errors
    /// The LUN, and the size that it needs.
    pub fn check_sizes<'a>(&self, luns: impl IntoIterator<Item = (&'a Path, u64)>) -> Result<(), OrionError> {
        let small = self.points.iter().any(|p| p.at.small > 0).then_some((self.small_bytes, "a small I/O"));
        let large = self.points.iter().any(|p| p.at.large > 0).then_some((self.large_bytes, "a large I/O"));
        let stripe = match self.layout {
            Layout::Raid0 { stripe_bytes } => Some((stripe_bytes, "a stripe")),
            Layout::Concat => None,
        };
        let Some((least_bytes, what)) = [small, large, stripe].into_iter().flatten().max() else { return Ok(()) };
        luns.into_iter().find(|(_, size_bytes)| *size_bytes < least_bytes).map_or(Ok(()), |(path, size_bytes)| {
            let path = path.display();
            Err(OrionError(format!("{path} has {size_bytes} bytes, too few: {what} takes {least_bytes}")))
        })
    }
}

fn io_bytes(flag: &str, kb: Option<u64>, default_kb: u64) -> Result<u64, OrionError> {
    Ok(rules::within(flag, kb.unwrap_or(default_kb), 1..=64 * KB, "KB")? * KB)
}

/// The matrix of a run.
fn matrix(typed: &TypedFlags, run: RunKind, num_disks: u32) -> Result<Matrix, OrionError> {
    let nothing = Outstanding { small: 0, large: 0 };
    let disks = MatrixLevels::of_disks(num_disks);
    Ok(match run {
        RunKind::Simple => Matrix::new(MatrixKind::Basic, nothing, &disks),
        RunKind::Normal => Matrix::new(MatrixKind::Detailed, nothing, &disks),
        RunKind::Oltp => Matrix::new(MatrixKind::Row, nothing, &MatrixLevels::of_disks_oltp(num_disks)),
        RunKind::Dss => Matrix::new(MatrixKind::Col, nothing, &MatrixLevels::of_disks_dss(num_disks)),
        RunKind::Advanced => {
            let kind = typed.matrix.unwrap_or(MatrixKind::Basic);
            Matrix::new(kind, asked(typed, kind)?, &disks)
        }
    })
}

/// The numbers that the matrix of an advanced run takes; 0 where it varies them itself.
fn asked(typed: &TypedFlags, kind: MatrixKind) -> Result<Outstanding, OrionError> {
    let (takes_small, takes_large) = match kind {
        MatrixKind::Basic | MatrixKind::Detailed => (false, false),
        MatrixKind::Row => (false, true),
        MatrixKind::Col => (true, false),
        MatrixKind::Point | MatrixKind::Max => (true, true),
    };
    let small = rules::number(kind, "-num_small", takes_small, typed.num_small)?;
    let large = rules::number(kind, "-num_large", takes_large, typed.num_large)?;
    if takes_small && takes_large && small + large == 0 {
        return Err(OrionError(format!(
            "-matrix {} -num_small 0 -num_large 0 asks for no outstanding I/O at all: there must be at least one, small or large",
            kind.word()
        )));
    }
    Ok(Outstanding { small, large })
}

/// The one-minute reference, which a database's figures are compared with. Reads come first, so that they are known
/// even where nothing may be written. The depths are those of a ramp of jobs, so that a database can be compared at the
/// same depth.
fn reference() -> Vec<PlannedIoPoint> {
    let point = |small, large, write_pct| PlannedIoPoint {
        at: Outstanding { small, large },
        large_type: LargeType::Seq,
        write_pct,
    };
    let reads = [1, 2, 4, 8, 16, 32, 64, 128].map(|depth| point(depth, 0, 0));
    let writes = [1, 32, 128].map(|depth| point(depth, 0, 100));
    [&reads[..], &[point(0, 4, 0)], &writes, &[point(0, 4, 100)]].concat()
}

/// Remarks on flags that change nothing: published command lines contain many of them.
fn notes(typed: &TypedFlags, run: Option<RunKind>, points: &[PlannedIoPoint], sequential: bool) -> Vec<String> {
    let small = points.iter().any(|point| point.at.small > 0);
    let large = points.iter().any(|point| point.at.large > 0);
    let fixed = matches!(typed.matrix, Some(MatrixKind::Point | MatrixKind::Max));
    let writes = points.iter().any(|point| point.write_pct > 0);
    let fixed_type = large && !matches!(run, None | Some(RunKind::Advanced));
    let idle = [
        (typed.storax.is_some(), "-storax", "direct I/O by the kernel is the one way that there is"),
        (typed.stripe_kb.is_some() && !typed.is_striped(), "-stripe", "there are no stripes without -simulate raid0"),
        (
            typed.num_stream_io.is_some() && !typed.is_sequential(),
            "-num_streamIO",
            "there are no streams without -type seq",
        ),
        (typed.large_type.is_some() && fixed_type, "-type", "the large I/Os of this run are random"),
        (
            typed.cache_size_mb.is_some_and(|mb| mb > 0) && !sequential,
            "-cache_size",
            "as in ORION, caches are warmed before points with sequential I/O only",
        ),
        (typed.num_disks.is_some() && fixed, "-num_disks", "-num_small and -num_large say how far this matrix goes"),
        (typed.size_small_kb.is_some() && !small, "-size_small", "there are no small I/Os"),
        (typed.size_large_kb.is_some() && !large, "-size_large", "there are no large I/Os"),
        (typed.large_type.is_some() && !large, "-type", "there are no large I/Os, and small ones are random"),
        (!typed.destroy_data.is_empty() && !writes, "--destroy-data", "nothing is written"),
    ];
    let idle = idle.into_iter().filter(|(is, _, _)| *is);
    let mut notes: Vec<String> = idle.map(|(_, flag, why)| format!("{flag} changes nothing here: {why}")).collect();
    if let Some(n) = typed.cache_size_mb.filter(|n| *n > MOST_CACHE_MB) {
        notes.push(format!("-cache_size {n} is taken as bytes: no cache has so many megabytes"));
    }
    if typed.huge_not_needed {
        notes.push(
            "-hugenotneeded: no huge pages are taken, so that a large I/O is many pieces for the device".to_owned(),
        );
    }
    notes
}
