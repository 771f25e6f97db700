//! Storage runs: points of I/O that dbdyno issues itself. Each point is recorded, and ORION's files are written again,
//! before the next begins.

mod breakdown;
mod figures;
mod hosts;
mod plan;

pub use hosts::StorageHosts;
pub use plan::storage_plan;

use crate::point::not_begun;
use crate::{Event, Events, Measurement, Measurer, RunError, StopSwitch};
use dbdyno_catalogue::Catalogue;
use dbdyno_engine::EngineError;
use dbdyno_engine::data::mix;
use dbdyno_model::{PlannedPoint, Point, Status, StorageLoad, Subject};
use dbdyno_probe::{HarnessShare, Sampler};
use dbdyno_results::Histograms;
use dbdyno_storage::orion::files::{
    FilesReport, FinishedPoint, IoTimes, OrionFiles, OrionFilesError, ReadWriteTimes, bests, trace_of,
};
use dbdyno_storage::orion::{CacheWarming, LargeType, OrionSettings, Outstanding, PlannedIoPoint};
use dbdyno_storage::{
    IoLoad, Ios, Luns, Pattern, ReadWrite, StorageError, StorageMeasurement, WindowEdge, measure, warm_cache,
};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// What all points of a storage run share.
#[derive(Clone, Copy)]
pub struct StorageContext<'a> {
    /// The settings of the run.
    pub settings: &'a OrionSettings,
    /// The devices and files.
    pub luns: &'a Luns,
    /// The catalogue.
    pub catalogue: &'a Catalogue,
    /// ORION's files; a reference run has none.
    pub files: Option<&'a OrionFiles>,
    /// The arguments behind `dbdyno orion`, as typed.
    pub command_line: &'a str,
    /// The stop switch.
    pub stop: &'a StopSwitch,
    /// The hosts that do the work, where it is not this one alone.
    pub hosts: Option<StorageHosts<'a>>,
}

/// Measures storage, and writes ORION's files.
pub struct StorageMeasurer<'a> {
    context: StorageContext<'a>,
    sampler: Sampler,
    finished: Vec<FinishedPoint>,
    /// Those of a fleet that had a share of a point.
    hosts: BTreeSet<String>,
}

impl<'a> StorageMeasurer<'a> {
    /// A measurer without any points yet.
    #[must_use]
    pub fn new(context: StorageContext<'a>) -> Self {
        let paths: Vec<PathBuf> = context.luns.iter().map(|lun| lun.path.clone()).collect();
        let members = context.hosts.map(|hosts| hosts.fleet.members()).unwrap_or_default();
        let agents = members.into_iter().filter_map(|member| member.pid_here).collect();
        let sampler = Sampler::new(&paths, HarnessShare::OwnProcess).with_agents(agents);
        Self { sampler, finished: Vec::new(), hosts: BTreeSet::new(), context }
    }

    /// The best points, in ORION's words; empty for a reference run.
    #[must_use]
    pub fn bests(&self) -> Vec<String> {
        if self.context.files.is_some() { bests(&self.finished) } else { Vec::new() }
    }

    /// Measures one point. Any failure is in the point, with its reason.
    fn point(&self, index: usize, asked: &PlannedIoPoint, planned: &PlannedPoint) -> MeasuredPoint {
        let StorageContext { settings, luns, catalogue, stop, hosts, .. } = self.context;
        let mut point = figures::empty(planned);
        let nothing = |mut point: Point, why: String| {
            figures::fail(&mut point, why);
            MeasuredPoint { point, histograms: Vec::new(), measured: None, lost: None }
        };
        // A stop while caches are warmed counts as an interruption, whatever else has happened, as the point itself
        // says.
        if let Err(why) = self.warm(asked)
            && !stop.requested()
        {
            return nothing(point, why);
        }
        // Every point has its own addresses, because a cache of the storage may hold the blocks of the point before.
        let load = settings.load(asked, mix(settings.seed ^ index as u64));
        let measured = match hosts {
            Some(hosts) => hosts
                .measure((&load, settings.backend), &self.sampler, stop, &mut point)
                .map_err(|e| (e.to_string(), Some(e))),
            None => self.measure_here(&load, &mut point).map_err(|error| (error.to_string(), None)),
        };
        let measured = match measured {
            Ok(measured) => measured,
            Err((why, lost)) => {
                lost.iter().for_each(|error| point.outcomes.fail(error.class));
                let lost = lost.filter(EngineError::target_lost);
                return MeasuredPoint { lost, ..nothing(point, why) };
            }
        };
        let histograms = figures::fill(&mut point, &measured, luns, catalogue);
        figures::judge(&mut point, &measured);
        MeasuredPoint { point, histograms, measured: Some(measured), lost: None }
    }

    /// Puts a load on storage from this host.
    fn measure_here(&self, load: &IoLoad, point: &mut Point) -> Result<StorageMeasurement, StorageError> {
        let StorageContext { settings, luns, stop, .. } = self.context;
        let (mut before, mut after) = (None, None);
        let mut on_edge = |edge| match edge {
            WindowEdge::WindowBegins => before = Some(self.sampler.snapshot()),
            WindowEdge::WindowEnds => after = Some(self.sampler.snapshot()),
        };
        let measured = measure(luns, load, settings.backend, stop.switch(), &mut on_edge)?;
        if let Some((before, after)) = before.zip(after) {
            let telemetry = self.sampler.difference(&before, &after);
            figures::machine(point, &telemetry, before.clock_jump_s(&after));
        }
        Ok(measured)
    }

    /// Fills the storage's caches where that was asked for.
    fn warm(&self, asked: &PlannedIoPoint) -> Result<(), String> {
        let StorageContext { settings, luns, stop, .. } = self.context;
        let stop = stop.switch();
        let first_error = match settings.warming {
            _ if !settings.warms(asked) => return Ok(()),
            CacheWarming::None => return Ok(()),
            CacheWarming::Bytes(bytes) => warm_cache(luns, bytes, stop).map(|warmed| warmed.first_error),
            CacheWarming::Seconds(duration_s) => {
                let load = IoLoad {
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

    fn write_files(&self) -> Result<(), OrionFilesError> {
        let StorageContext { settings, luns, files, command_line, .. } = self.context;
        let Some(files) = files else { return Ok(()) };
        let luns: Vec<(PathBuf, u64)> = luns.iter().map(|lun| (lun.path.clone(), lun.size_bytes)).collect();
        files.write(&FilesReport {
            settings,
            command_line,
            version: env!("CARGO_PKG_VERSION"),
            luns: &luns,
            hosts: &self.hosts.iter().cloned().collect::<Vec<_>>(),
            points: &self.finished,
        })
    }
}

impl Measurer for StorageMeasurer<'_> {
    fn begin(&mut self) -> Result<(), RunError> {
        Ok(self.write_files()?)
    }

    fn estimate_s(&self, points: &[PlannedPoint]) -> f64 {
        let settings = self.context.settings;
        settings.estimate_s() * points.len() as f64 / settings.points.len().max(1) as f64
    }

    fn measure(&mut self, index: usize, planned: &PlannedPoint, _: Option<f64>) -> (Measurement, Option<EngineError>) {
        // Points that follow from others are small reads.
        let asked = self.context.settings.points.get(index).copied();
        let asked = asked.or_else(|| planned.subject.storage().map(small_reads));
        match (&planned.subject, asked) {
            (Subject::Storage(_), Some(asked)) => {
                let MeasuredPoint { point, histograms, measured, lost } = self.point(index, &asked, planned);
                self.finished.push(finished(&asked, &point, measured.as_ref()));
                self.hosts.extend(point.agents.iter().map(|agent| agent.name.clone()));
                (Measurement { point, histograms }, lost)
            }
            (Subject::Test(_) | Subject::Workload(_) | Subject::Storage(_), _) => {
                let why = format!("{} is nothing that this run could ask of storage", planned.subject.name());
                (not_begun(planned, Status::Failed, why), None)
            }
        }
    }

    fn lost(&self, error: EngineError) -> RunError {
        match self.context.hosts.and_then(|hosts| hosts.fleet.lost()) {
            Some(why) => RunError::HostLost(why),
            None => RunError::Lost(error),
        }
    }

    fn recorded(&mut self, events: &dyn Events) -> Result<(), RunError> {
        if let Some(told) = self.finished.last().filter(|_| self.context.settings.verbose) {
            events.on(&Event::Told { text: &trace_of(told) });
        }
        if let Some(hosts) = self.context.hosts {
            hosts.fleet.recorded();
        }
        Ok(self.write_files()?)
    }
}

/// Small random reads with as many outstanding as a load has.
fn small_reads(load: &StorageLoad) -> PlannedIoPoint {
    let at = Outstanding { small: load.small_outstanding, large: 0 };
    PlannedIoPoint { at, large_type: LargeType::Seq, write_pct: 0 }
}

/// Large I/Os outstanding while caches are warmed for a time.
const WARMING_OUTSTANDING: u32 = 8;

/// A point, and its histograms.
struct MeasuredPoint {
    point: Point,
    histograms: Histograms,
    measured: Option<StorageMeasurement>,
    /// The error where a host of a fleet is lost.
    lost: Option<EngineError>,
}

/// A point in the form of ORION's files.
fn finished(asked: &PlannedIoPoint, point: &Point, measured: Option<&StorageMeasurement>) -> FinishedPoint {
    let empty = || (ReadWriteTimes::default(), ReadWriteTimes::default());
    let (small, large) = measured.map_or_else(empty, |m| (kind(&m.small), kind(&m.large)));
    FinishedPoint {
        at: asked.at,
        started: point.started_at.to_zoned(jiff::tz::TimeZone::system()).strftime("%a %b %d %H:%M:%S %Y").to_string(),
        window_s: point.window_s.unwrap_or(0.0),
        small,
        large,
        failure: point.reason.clone(),
        notes: point.subject.storage().map(|s| s.notes.clone()).unwrap_or_default(),
    }
}

fn kind(size: &ReadWrite) -> ReadWriteTimes {
    let times = |ios: &Ios| IoTimes {
        bytes: ios.bytes,
        latency: ios.response_time.clone().unwrap_or_else(|| ios.service_time.clone()),
    };
    ReadWriteTimes { read: times(&size.read), write: times(&size.write) }
}
