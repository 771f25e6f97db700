//! Storage runs: points of I/O that dbdyno issues itself. Each is recorded, and ORION's files are written anew, before the next
//! begins.

mod figures;
mod moments;
mod plan;

pub use plan::storage_plan;

use crate::{Event, Events, RunError, Stop};
use dbdyno_catalogue::Catalogue;
use dbdyno_engine::data::mix;
use dbdyno_model::{Plan, PlannedPoint, Point, RunId, RunStatus};
use dbdyno_probe::{HarnessShare, Sampler};
use dbdyno_results::{Histograms, Repository};
use dbdyno_storage::orion::files::{Files, FilesError, Finished, Kind, Report, Times, bests, trace_of};
use dbdyno_storage::orion::{Planned, Settings, Warming};
use dbdyno_storage::{Edge, Ios, Load, Luns, Measured, Pattern, ReadWrite, measure, warm_cache};
use std::path::PathBuf;

/// Measures the points of a storage run.
pub struct StorageRunner<'a> {
    /// What was asked for.
    pub settings: &'a Settings,
    /// Where I/O goes.
    pub luns: &'a Luns,
    /// The catalogue.
    pub catalogue: &'a Catalogue,
    /// Where points are recorded.
    pub repository: &'a mut Repository,
    /// The run.
    pub run: &'a RunId,
    /// Its plan.
    pub plan: &'a Plan,
    /// ORION's files; the reference has none.
    pub files: Option<&'a Files>,
    /// How the run was typed, behind `dbdyno orion`.
    pub command_line: &'a str,
    /// The switch.
    pub stop: &'a Stop,
    /// Who watches.
    pub events: &'a dyn Events,
}

/// Why a storage run ended before its plan did.
#[derive(Debug, thiserror::Error)]
pub enum StorageRunError {
    /// As any run.
    #[error(transparent)]
    Run(#[from] RunError),
    /// ORION's files cannot be written; the results are.
    #[error(transparent)]
    Files(#[from] FilesError),
}

impl StorageRunner<'_> {
    /// Measures all points, in order, and says which were the best, in ORION's words.
    ///
    /// # Errors
    /// The user stopped the run, or a point or the files could not be written.
    pub fn measure_all(&mut self) -> Result<Vec<String>, StorageRunError> {
        self.repository.set_status(self.run, RunStatus::Running).map_err(RunError::from)?;
        let result = self.measure_each();
        let status = if result.is_ok() { RunStatus::Done } else { RunStatus::Interrupted };
        let recorded = self.repository.set_status(self.run, status);
        // The first error is the one to tell.
        let finished = result?;
        recorded.map_err(RunError::from)?;
        Ok(if self.files.is_some() { bests(&finished) } else { Vec::new() })
    }

    fn measure_each(&mut self) -> Result<Vec<Finished>, StorageRunError> {
        let paths: Vec<PathBuf> = self.luns.iter().map(|lun| lun.path.clone()).collect();
        let sampler = Sampler::new(&paths, HarnessShare::OwnProcess);
        let mut finished = Vec::new();
        let of = self.plan.points.len();
        self.write_files(&finished)?;
        for (index, (asked, planned)) in self.settings.points.iter().zip(&self.plan.points).enumerate() {
            if self.stop.requested() {
                return Err(RunError::Interrupted.into());
            }
            let left_s = self.settings.estimate_s() * (of - index) as f64 / of as f64;
            self.events.on(&Event::PointBegins { index, of, planned, left_s });
            let Measurement { point, histograms, measured } = self.measure(index, asked, planned, &sampler);
            let kinds: Vec<_> = histograms.iter().map(|(kind, histogram)| (*kind, histogram)).collect();
            self.repository.record_point(self.run, index, &point, &kinds).map_err(RunError::from)?;
            self.events.on(&Event::PointRecorded { index, of, point: &point });
            let told = self.finished(asked, &point, measured.as_ref());
            if self.settings.verbose {
                self.events.on(&Event::Told { text: &trace_of(&told) });
            }
            finished.push(told);
            self.write_files(&finished)?;
        }
        if self.stop.requested() { Err(RunError::Interrupted.into()) } else { Ok(finished) }
    }

    /// One point. Whatever goes wrong is in it, with its reason.
    fn measure(&self, index: usize, asked: &Planned, planned: &PlannedPoint, sampler: &Sampler) -> Measurement {
        let mut point = figures::empty(planned);
        let nothing = |mut point: Point, why: String| {
            figures::fail(&mut point, why);
            Measurement { point, histograms: Vec::new(), measured: None }
        };
        // Who was stopped while warming caches was interrupted, whatever else has happened: as the point itself says.
        if let Err(why) = self.warm(asked)
            && !self.stop.requested()
        {
            return nothing(point, why);
        }
        // Every point has addresses of its own: the blocks of the point before may be in a cache of the storage.
        let seed = mix(self.plan.seed ^ index as u64);
        let load = self.settings.load(asked, seed);
        let (mut before, mut after) = (None, None);
        let mut on_edge = |edge| match edge {
            Edge::WindowBegins => before = Some(sampler.snapshot()),
            Edge::WindowEnds => after = Some(sampler.snapshot()),
        };
        let measured = measure(self.luns, &load, self.settings.backend, self.stop.switch(), &mut on_edge);
        let measured = match measured {
            Ok(measured) => measured,
            Err(error) => return nothing(point, error.to_string()),
        };
        let histograms = figures::fill(&mut point, &measured, self.luns, self.catalogue);
        if let Some((before, after)) = before.zip(after) {
            let telemetry = sampler.difference(&before, &after);
            figures::machine(&mut point, &telemetry, before.clock_jump_s(&after));
        }
        figures::judge(&mut point, &measured);
        Measurement { point, histograms, measured: Some(measured) }
    }

    /// Fills the storage's caches where that was asked for.
    fn warm(&self, asked: &Planned) -> Result<(), String> {
        let stop = self.stop.switch();
        let first_error = match self.settings.warming {
            _ if !self.settings.warms(asked) => return Ok(()),
            Warming::None => return Ok(()),
            Warming::Bytes(bytes) => warm_cache(self.luns, bytes, stop).map(|warmed| warmed.first_error),
            Warming::Seconds(duration_s) => {
                let load = Load {
                    small: 0,
                    large: WARMING_OUTSTANDING,
                    pattern: Pattern::Random,
                    write_pct: 0,
                    warm_up_s: 0.0,
                    duration_s,
                    rate: None,
                    verify: false,
                    ..self.settings.load(asked, self.plan.seed)
                };
                measure(self.luns, &load, self.settings.backend, stop, &mut |_| ()).map(|warmed| warmed.first_error)
            }
        };
        match first_error {
            Ok(None) => Ok(()),
            Ok(Some(error)) => Err(format!("warming the cache failed: {error}")),
            Err(error) => Err(format!("warming the cache failed: {error}")),
        }
    }

    /// A point as ORION's files have it.
    fn finished(&self, asked: &Planned, point: &Point, measured: Option<&Measured>) -> Finished {
        let empty = || (Kind::default(), Kind::default());
        let (small, large) = measured.map_or_else(empty, |m| (kind(&m.small), kind(&m.large)));
        Finished {
            at: asked.at,
            started: point
                .started_at
                .to_zoned(jiff::tz::TimeZone::system())
                .strftime("%a %b %d %H:%M:%S %Y")
                .to_string(),
            window_s: point.window_s.unwrap_or(0.0),
            small,
            large,
            failure: point.reason.clone(),
            notes: point.subject.storage().map(|s| s.notes.clone()).unwrap_or_default(),
        }
    }

    fn write_files(&self, points: &[Finished]) -> Result<(), FilesError> {
        let Some(files) = self.files else { return Ok(()) };
        let luns: Vec<(PathBuf, u64)> = self.luns.iter().map(|lun| (lun.path.clone(), lun.size_bytes)).collect();
        files.write(&Report {
            settings: self.settings,
            command_line: self.command_line,
            version: env!("CARGO_PKG_VERSION"),
            luns: &luns,
            points,
        })
    }
}

/// Large I/Os outstanding while caches are warmed for a time.
const WARMING_OUTSTANDING: u32 = 8;

/// A point, and what is behind it.
struct Measurement {
    point: Point,
    histograms: Histograms,
    measured: Option<Measured>,
}

fn kind(size: &ReadWrite) -> Kind {
    let times = |ios: &Ios| Times {
        bytes: ios.bytes,
        latency: ios.response_time.clone().unwrap_or_else(|| ios.service_time.clone()),
    };
    Kind { read: times(&size.read), write: times(&size.write) }
}
