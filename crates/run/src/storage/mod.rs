//! Storage runs: points of I/O that dbdyno issues itself. Each is recorded, and ORION's files are written anew, before
//! the next begins.

mod figures;
mod moments;
mod plan;

pub use plan::storage_plan;

use crate::point::not_begun;
use crate::{Event, Events, Measurement, Measurer, RunError, Stop};
use dbdyno_catalogue::Catalogue;
use dbdyno_engine::EngineError;
use dbdyno_engine::data::mix;
use dbdyno_model::{PlannedPoint, Point, Status, Subject};
use dbdyno_probe::{HarnessShare, Sampler};
use dbdyno_results::Histograms;
use dbdyno_storage::orion::files::{Files, FilesError, Finished, Kind, Report, Times, bests, trace_of};
use dbdyno_storage::orion::{Planned, Settings, Warming};
use dbdyno_storage::{Edge, Ios, Load, Luns, Measured, Pattern, ReadWrite, measure, warm_cache};
use std::path::PathBuf;

/// What all points of a storage run share.
#[derive(Clone, Copy)]
pub struct StorageBench<'a> {
    /// What was asked for.
    pub settings: &'a Settings,
    /// Where I/O goes.
    pub luns: &'a Luns,
    /// The catalogue.
    pub catalogue: &'a Catalogue,
    /// ORION's files; the reference has none.
    pub files: Option<&'a Files>,
    /// How the run was typed, behind `dbdyno orion`.
    pub command_line: &'a str,
    /// The switch.
    pub stop: &'a Stop,
}

/// Measures storage, and writes ORION's files.
pub struct StorageMeasurer<'a> {
    bench: StorageBench<'a>,
    sampler: Sampler,
    finished: Vec<Finished>,
}

impl<'a> StorageMeasurer<'a> {
    /// A measurer who has measured nothing yet.
    #[must_use]
    pub fn new(bench: StorageBench<'a>) -> Self {
        let paths: Vec<PathBuf> = bench.luns.iter().map(|lun| lun.path.clone()).collect();
        Self { sampler: Sampler::new(&paths, HarnessShare::OwnProcess), finished: Vec::new(), bench }
    }

    /// Which points were the best, in ORION's words; of the reference none.
    #[must_use]
    pub fn bests(&self) -> Vec<String> {
        if self.bench.files.is_some() { bests(&self.finished) } else { Vec::new() }
    }

    /// One point. Whatever goes wrong is in it, with its reason.
    fn point(&self, index: usize, asked: &Planned, planned: &PlannedPoint) -> Outcome {
        let StorageBench { settings, luns, catalogue, stop, .. } = self.bench;
        let mut point = figures::empty(planned);
        let nothing = |mut point: Point, why: String| {
            figures::fail(&mut point, why);
            Outcome { point, histograms: Vec::new(), measured: None }
        };
        // Who was stopped while warming caches was interrupted, whatever else has happened: as the point itself says.
        if let Err(why) = self.warm(asked)
            && !stop.requested()
        {
            return nothing(point, why);
        }
        // Every point has addresses of its own: the blocks of the point before may be in a cache of the storage.
        let load = settings.load(asked, mix(settings.seed ^ index as u64));
        let (mut before, mut after) = (None, None);
        let mut on_edge = |edge| match edge {
            Edge::WindowBegins => before = Some(self.sampler.snapshot()),
            Edge::WindowEnds => after = Some(self.sampler.snapshot()),
        };
        let measured = match measure(luns, &load, settings.backend, stop.switch(), &mut on_edge) {
            Ok(measured) => measured,
            Err(error) => return nothing(point, error.to_string()),
        };
        let histograms = figures::fill(&mut point, &measured, luns, catalogue);
        if let Some((before, after)) = before.zip(after) {
            let telemetry = self.sampler.difference(&before, &after);
            figures::machine(&mut point, &telemetry, before.clock_jump_s(&after));
        }
        figures::judge(&mut point, &measured);
        Outcome { point, histograms, measured: Some(measured) }
    }

    /// Fills the storage's caches where that was asked for.
    fn warm(&self, asked: &Planned) -> Result<(), String> {
        let StorageBench { settings, luns, stop, .. } = self.bench;
        let stop = stop.switch();
        let first_error = match settings.warming {
            _ if !settings.warms(asked) => return Ok(()),
            Warming::None => return Ok(()),
            Warming::Bytes(bytes) => warm_cache(luns, bytes, stop).map(|warmed| warmed.first_error),
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
                    ..settings.load(asked, settings.seed)
                };
                measure(luns, &load, settings.backend, stop, &mut |_| ()).map(|warmed| warmed.first_error)
            }
        };
        match first_error {
            Ok(None) => Ok(()),
            Ok(Some(error)) => Err(format!("warming the cache failed: {error}")),
            Err(error) => Err(format!("warming the cache failed: {error}")),
        }
    }

    fn write_files(&self) -> Result<(), FilesError> {
        let StorageBench { settings, luns, files, command_line, .. } = self.bench;
        let Some(files) = files else { return Ok(()) };
        let luns: Vec<(PathBuf, u64)> = luns.iter().map(|lun| (lun.path.clone(), lun.size_bytes)).collect();
        files.write(&Report {
            settings,
            command_line,
            version: env!("CARGO_PKG_VERSION"),
            luns: &luns,
            points: &self.finished,
        })
    }
}

impl Measurer for StorageMeasurer<'_> {
    fn begin(&mut self) -> Result<(), RunError> {
        Ok(self.write_files()?)
    }

    fn estimate_s(&self, points: &[PlannedPoint]) -> f64 {
        let settings = self.bench.settings;
        settings.estimate_s() * points.len() as f64 / settings.points.len().max(1) as f64
    }

    fn measure(&mut self, index: usize, planned: &PlannedPoint, _: Option<f64>) -> (Measurement, Option<EngineError>) {
        let measurement = match (&planned.subject, self.bench.settings.points.get(index)) {
            (Subject::Storage(_), Some(asked)) => {
                let Outcome { point, histograms, measured } = self.point(index, asked, planned);
                self.finished.push(finished(asked, &point, measured.as_ref()));
                Measurement { point, histograms }
            }
            (Subject::Test(_) | Subject::Workload(_) | Subject::Storage(_), _) => {
                let why = format!("{} is nothing that this run could ask of storage", planned.subject.name());
                not_begun(planned, Status::Failed, why)
            }
        };
        (measurement, None)
    }

    fn recorded(&mut self, events: &dyn Events) -> Result<(), RunError> {
        if let Some(told) = self.finished.last().filter(|_| self.bench.settings.verbose) {
            events.on(&Event::Told { text: &trace_of(told) });
        }
        Ok(self.write_files()?)
    }
}

/// Large I/Os outstanding while caches are warmed for a time.
const WARMING_OUTSTANDING: u32 = 8;

/// A point, and what is behind it.
struct Outcome {
    point: Point,
    histograms: Histograms,
    measured: Option<Measured>,
}

/// A point as ORION's files have it.
fn finished(asked: &Planned, point: &Point, measured: Option<&Measured>) -> Finished {
    let empty = || (Kind::default(), Kind::default());
    let (small, large) = measured.map_or_else(empty, |m| (kind(&m.small), kind(&m.large)));
    Finished {
        at: asked.at,
        started: point.started_at.to_zoned(jiff::tz::TimeZone::system()).strftime("%a %b %d %H:%M:%S %Y").to_string(),
        window_s: point.window_s.unwrap_or(0.0),
        small,
        large,
        failure: point.reason.clone(),
        notes: point.subject.storage().map(|s| s.notes.clone()).unwrap_or_default(),
    }
}

fn kind(size: &ReadWrite) -> Kind {
    let times = |ios: &Ios| Times {
        bytes: ios.bytes,
        latency: ios.response_time.clone().unwrap_or_else(|| ios.service_time.clone()),
    };
    Kind { read: times(&size.read), write: times(&size.write) }
}
