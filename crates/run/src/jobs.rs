//! The jobs of a point at work.

use crate::client::{LoggingOn, Pausing};
use crate::fleet::{PartWork, ServerPart};
use crate::point_context::PointContext;
use crate::server_drive::first_cause;
use crate::watch::{Edges, watch};
use crate::work::PointWork;
use crate::work_log::WorkLog;
use crate::{Calibration, ClientContext, ClientDrive, ClientResult, Counts, ServerDrive, TypeResult, WaitingUsers};
use dbdyno_engine::client::{self, TestForm, TestProgram};
use dbdyno_engine::program::Program;
use dbdyno_engine::{EngineError, Job, Session, StartGate};
use dbdyno_model::{ClientLoad, Counters, Drive, ErrorClass, Point, ProcedureShape, PumpUse, RepeatMode, Series};
use dbdyno_probe::page_cache::EvictMode;
use dbdyno_stats::{Histogram, Recorder};

/// The times of the transactions of the client drive.
pub(crate) struct TransactionTimes {
    pub(crate) service: Histogram,
    pub(crate) response: Option<Histogram>,
    pub(crate) connection_wait: Option<Histogram>,
    pub(crate) series: Series,
}

/// What was measured, before it is judged.
#[derive(Default)]
pub(crate) struct RawMeasurement {
    /// The chunks of all jobs.
    pub(crate) log: WorkLog,
    /// The shortest time that a job spent on removing what its pieces had made. The shortest counts because a job that
    /// waits for another there waits for that job's work.
    pub(crate) discarding_ns: u64,
    /// The times of transactions, in the client drive.
    pub(crate) times: Option<TransactionTimes>,
    /// How transactions ended by type, in the client drive.
    pub(crate) types: Vec<TypeResult>,
    /// The first error that ended a transaction and not the point, in the client drive.
    pub(crate) first_failure: Option<EngineError>,
    /// What the engine counted from before the barrier to after the last chunk.
    pub(crate) counters: Counters,
    /// What was seen at the window's edges.
    pub(crate) edges: Edges,
}

/// The error that ended the measurement, and how transactions had ended by then.
#[derive(Debug)]
pub(crate) struct FailedMeasurement {
    pub(crate) error: EngineError,
    pub(crate) types: Vec<TypeResult>,
}

impl From<EngineError> for FailedMeasurement {
    fn from(error: EngineError) -> Self {
        Self { error, types: Vec::new() }
    }
}

/// Preparing may have filled the page cache again. Whether eviction worked is judged by the reads of the devices.
pub(crate) fn evict(context: &PointContext<'_>) {
    if let Some(evictor) = context.evictor {
        let _ = evictor.evict_all(EvictMode::AsIs);
    }
}

/// Runs the jobs and watches them.
///
/// # Errors
/// The first error of a job that is a cause, or the engine's own.
pub(crate) fn run(
    context: &PointContext<'_>,
    load: ClientLoad,
    sessions: &mut [Box<dyn Session + '_>],
    point: &mut Point,
) -> Result<RawMeasurement, FailedMeasurement> {
    let PointContext { run, work, window, .. } = *context;
    let before = run.engine.point_statistics(None)?;
    let mut done = match work.driven_by() {
        Drive::Server => server(context, sessions, point)?,
        Drive::Client => by_client(context, load, sessions, point)?,
    };
    if window.span().is_none() {
        return Err(FailedMeasurement {
            error: EngineError::new(ErrorClass::Cancelled, "the point was stopped"),
            types: done.types,
        });
    }
    let flushed = sessions.iter_mut().try_for_each(|session| session.flush());
    done.counters = match flushed.and_then(|()| run.engine.evidence(&before)) {
        Ok(counters) => counters,
        Err(error) => return Err(FailedMeasurement { error, types: done.types }),
    };
    Ok(done)
}

/// Runs the jobs of one of several hosts.
///
/// # Errors
/// They could not be run to their end. What ended a job is in the part.
pub(crate) fn part(
    context: &PointContext<'_>,
    load: ClientLoad,
    sessions: &mut [Box<dyn Session + '_>],
    asked_per_s: Option<f64>,
) -> Result<(PartWork, PumpUse, Edges), EngineError> {
    let PointContext { work, window, .. } = *context;
    if work.driven_by() == Drive::Server {
        let (part, pump, edges) = server_part(context, sessions)?;
        return Ok((PartWork::Server(part), pump, edges));
    }
    let clients = ClientContext::of(Recorder::for_part, window, load, asked_per_s, work);
    clients.shown_by(context.run.live, work);
    let (worked, counts) = drives(context, load, sessions, &clients);
    context.run.live.work_ends();
    let (pump, edges) = worked?;
    let (recording, gathered) = clients.part(counts).map_err(|error| EngineError::other(error.to_string()))?;
    Ok((PartWork::Client { recording: Box::new(recording), gathered: Box::new(gathered) }, pump, edges))
}

/// The server drive: the jobs call chunks.
fn server(
    context: &PointContext<'_>,
    sessions: &mut [Box<dyn Session + '_>],
    point: &mut Point,
) -> Result<RawMeasurement, EngineError> {
    let (part, _, edges) = server_part(context, sessions)?;
    server_measurement(part, edges, point)
}

/// What the jobs of the server drive did, as a measurement.
///
/// # Errors
/// What ended them.
pub(crate) fn server_measurement(
    ServerPart { log, outcomes, discarding_ns, error }: ServerPart,
    edges: Edges,
    point: &mut Point,
) -> Result<RawMeasurement, EngineError> {
    point.outcomes.merge(&outcomes);
    error.map_or(Ok(RawMeasurement { log, discarding_ns, edges, ..RawMeasurement::default() }), Err)
}

fn server_part(
    context: &PointContext<'_>,
    sessions: &mut [Box<dyn Session + '_>],
) -> Result<(ServerPart, PumpUse, Edges), EngineError> {
    let Some(spec) = context.work.test() else { return Err(client::unsupported()) };
    let calibration = match (spec.test.repeat_mode, spec.test.procedure.shape) {
        (RepeatMode::Chunks, _) => Calibration::Timed { passes: 1 },
        (_, ProcedureShape::Load) => Calibration::Fixed { passes: spec.size.bulk_partitions_per_job },
        _ => Calibration::Fixed { passes: 1 },
    };
    let mut drives: Vec<ServerDrive<'_>> =
        sessions.iter().map(|_| ServerDrive::new(context.window, calibration)).collect();
    let live = context.run.live;
    live.follow_chunks(context.window, drives.len(), context.work.most_commits_per_op());
    let worked = work(context, sessions, &mut drives, None);
    live.work_ends();
    let (pump, edges) = worked?;
    let discarding_ns = drives.iter().map(|drive| drive.discarding_ns).min().unwrap_or(0);
    let mut part = ServerPart { discarding_ns, ..ServerPart::default() };
    let mut errors = Vec::new();
    for drive in drives {
        part.log.merge(drive.log);
        part.outcomes.merge(&drive.outcomes);
        errors.extend(drive.error);
    }
    part.error = first_cause(errors.into_iter());
    Ok((part, pump, edges))
}

/// The client drive: the jobs send statements.
fn by_client(
    context: &PointContext<'_>,
    load: ClientLoad,
    sessions: &mut [Box<dyn Session + '_>],
    point: &mut Point,
) -> Result<RawMeasurement, FailedMeasurement> {
    let PointContext { work: does, window, .. } = *context;
    let clients = ClientContext::of(Recorder::new, window, load, point.asked_per_s, does);
    clients.shown_by(context.run.live, does);
    let (worked, counts) = drives(context, load, sessions, &clients);
    // The sessions have flushed what they recorded.
    context.run.live.work_ends();
    client_measurement(does, clients.gather(counts), worked, point)
}

/// What the sessions of the client drive did, as a measurement.
///
/// # Errors
/// What ended them.
pub(crate) fn client_measurement(
    does: PointWork<'_>,
    result: ClientResult,
    worked: Result<(PumpUse, Edges), EngineError>,
    point: &mut Point,
) -> Result<RawMeasurement, FailedMeasurement> {
    if let PointWork::Workload(workload) = does {
        point.statements = Some(workload.statements(&result.executed));
    }
    point.outcomes = result.outcomes;
    point.open_loop = result.open_loop;
    let types = result.types;
    let (carried, edges) = match worked {
        Ok(worked) => worked,
        Err(error) => return Err(FailedMeasurement { error, types }),
    };
    point.pump = Some(carried);
    if let Some(error) = result.error {
        return Err(FailedMeasurement { error, types });
    }
    let ClientResult { log, first_failure, service, response, connection_wait, series, .. } = result;
    let times = Some(TransactionTimes { service, response, connection_wait, series });
    Ok(RawMeasurement { log, times, types, first_failure, edges, ..RawMeasurement::default() })
}

/// Has each session run the programs of its users.
fn drives(
    context: &PointContext<'_>,
    load: ClientLoad,
    sessions: &mut [Box<dyn Session + '_>],
    clients: &ClientContext<'_>,
) -> (Result<(PumpUse, Edges), EngineError>, Vec<Counts>) {
    let does = context.work;
    match does {
        PointWork::Test(spec) => {
            // All sessions are prepared for the same statements.
            let forms = context.forms.iter().cycle();
            let program = |(job, form): (u32, &TestForm)| (job, TestProgram::new(spec, job, form.clone()));
            drive(context, sessions, clients, load, spec.job_numbers().zip(forms).map(program))
        }
        PointWork::Workload(workload) => {
            let jobs = does.job_numbers();
            let program = |job| -> (u32, Box<dyn Program>) {
                let program = workload.program(job);
                let program = match load.pause {
                    Some(pause) => Box::new(Pausing::new(program, pause, does.key_seed(), job)),
                    None => program,
                };
                (job, if load.logon.is_kept() { program } else { Box::new(LoggingOn::new(program)) })
            };
            drive(context, sessions, clients, load, jobs.map(program))
        }
    }
}

/// Has each session run the programs of its users.
fn drive<P: Program>(
    context: &PointContext<'_>,
    sessions: &mut [Box<dyn Session + '_>],
    clients: &ClientContext<'_>,
    load: ClientLoad,
    users: impl Iterator<Item = (u32, P)>,
) -> (Result<(PumpUse, Edges), EngineError>, Vec<Counts>) {
    let pool = WaitingUsers::default();
    let mut drives = clients.sessions(users, &pool);
    let worked = work(context, sessions, &mut drives, Some(clients));
    let mut counts: Vec<Counts> = drives.into_iter().map(ClientDrive::into_counts).collect();
    counts.extend(load.connections.map(|_| pool.counts(clients)));
    (worked, counts)
}

/// Runs the jobs and the thread that watches them, until all have ended.
fn work<W: dbdyno_engine::Work>(
    context: &PointContext<'_>,
    sessions: &mut [Box<dyn Session + '_>],
    works: &mut [W],
    clients: Option<&ClientContext<'_>>,
) -> Result<(PumpUse, Edges), EngineError> {
    let PointContext { run, work, window, .. } = *context;
    let gate = StartGate::new(sessions.len() + 1);
    let pump = run.engine.pump(work.driven_by(), context.may_follow_from_jobs);
    let (pumped, edges) = std::thread::scope(|scope| {
        let jobs = sessions.iter_mut().zip(works);
        let jobs = jobs.map(|(session, work)| Job { session: session.as_mut(), work }).collect();
        let gate = &gate;
        let watcher = std::thread::Builder::new().name("watch".to_owned());
        let watcher = watcher.spawn_scoped(scope, move || watch(context, gate, clients));
        if watcher.is_err() {
            gate.give_up();
        }
        let pumped = pump.run(jobs, run.clock, gate);
        // Whatever ended the jobs, none of them is left to end the window.
        window.close();
        (pumped, watcher.ok().and_then(|w| w.join().ok()).unwrap_or_default())
    });
    Ok((pumped?, edges))
}
