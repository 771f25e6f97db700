//! The jobs of a point at work, and the thread that watches them: telemetry at the window's edges, eviction while they
//! read, the stop switch.

use crate::client::GRACE;
use crate::drive::first_cause;
use crate::eviction::Eviction;
use crate::log::Log;
use crate::paced::{self, Checkpoints};
use crate::work::Work;
use crate::{Bench, Calibration, ClientDrive, ClientResult, OfType, Pace, Pool, ServerDrive, Tally, Team, Window};
use dbdyno_engine::client::{self, TestForm, TestProgram};
use dbdyno_engine::program::Program;
use dbdyno_engine::{EngineError, Job, Session, StartGate};
use dbdyno_model::{
    Counters, Drive, ErrorClass, Load, PacedWrites, Point, ProcedureShape, PumpUse, RepeatMode, Series,
};
use dbdyno_probe::page_cache::{EvictMode, Evictor};
use dbdyno_probe::{Sampler, Snapshot};
use dbdyno_stats::Histogram;
use std::time::Duration;

/// How often the measuring thread looks up while jobs work.
const TICK: Duration = Duration::from_millis(20);
/// How often it looks whether other dbdynos are still kept away.
const HOLD_LOOK_NS: u64 = 1_000_000_000;

/// Where the jobs of a point work, and with what they are watched.
#[derive(Clone, Copy)]
pub(crate) struct Site<'a> {
    pub(crate) bench: &'a Bench<'a>,
    pub(crate) work: Work<'a>,
    pub(crate) window: &'a Window,
    pub(crate) sampler: &'a Sampler,
    pub(crate) evictor: Option<&'a Evictor>,
    pub(crate) may_follow_from_jobs: Option<u32>,
    /// What a client gives to its statements, session by session.
    pub(crate) forms: &'a [TestForm],
}

/// The times of transactions that a client sent.
pub(crate) struct Times {
    pub(crate) service: Histogram,
    pub(crate) response: Option<Histogram>,
    pub(crate) connection_wait: Option<Histogram>,
    pub(crate) series: Series,
}

/// What came of the measuring, before it is judged.
pub(crate) struct Measured {
    /// Every chunk of every job.
    pub(crate) log: Log,
    /// The least that a job spent on removing what its pieces had made: where one waits for another it is the work that
    /// takes long.
    pub(crate) discarding_ns: u64,
    /// The times of transactions, in the client drive.
    pub(crate) times: Option<Times>,
    /// What became of them by their types, in the client drive.
    pub(crate) types: Vec<OfType>,
    /// What the engine counted from before the barrier to after the last chunk.
    pub(crate) counters: Counters,
    /// The operating system at the window's start.
    pub(crate) before: Option<Snapshot>,
    /// And at its end.
    pub(crate) after: Option<Snapshot>,
    /// What was written, where the window is made of whole checkpoints.
    pub(crate) paced_writes: Option<PacedWrites>,
}

/// What ended the measuring, and what had become of transactions.
#[derive(Debug)]
pub(crate) struct Failed {
    pub(crate) error: EngineError,
    pub(crate) types: Vec<OfType>,
}

impl From<EngineError> for Failed {
    fn from(error: EngineError) -> Self {
        Self { error, types: Vec::new() }
    }
}

/// Lets the jobs work, and watches.
///
/// # Errors
/// The first job's error that is not the echo of another's, or the engine's own.
pub(crate) fn run(
    site: &Site<'_>,
    load: Load,
    sessions: &mut [Box<dyn Session>],
    point: &mut Point,
) -> Result<Measured, Failed> {
    let Site { bench, work, window, .. } = *site;
    if let Some(evictor) = site.evictor {
        // Preparing may have read again; whether eviction worked is judged by what the devices read.
        let _ = evictor.evict_all(EvictMode::AsIs);
    }
    let before = bench.engine.point_statistics(None)?;
    let Done { log, discarding_ns, times, types, edges } = match work.driven_by() {
        Drive::Server => server(site, sessions, point)?,
        Drive::Client => by_client(site, load, sessions, point)?,
    };
    if window.span().is_none() {
        return Err(Failed { error: EngineError::new(ErrorClass::Cancelled, "the point was stopped"), types });
    }
    let flushed = sessions.iter_mut().try_for_each(|session| session.flush());
    let counters = match flushed.and_then(|()| bench.engine.evidence(&before)) {
        Ok(counters) => counters,
        Err(error) => return Err(Failed { error, types }),
    };
    let Edges { before, after, paced_writes } = edges;
    Ok(Measured { log, discarding_ns, counters, times, types, before, after, paced_writes })
}

/// What was seen at the window's edges.
#[derive(Default)]
struct Edges {
    before: Option<Snapshot>,
    after: Option<Snapshot>,
    paced_writes: Option<PacedWrites>,
}

/// What the jobs did.
struct Done {
    log: Log,
    discarding_ns: u64,
    times: Option<Times>,
    types: Vec<OfType>,
    edges: Edges,
}

/// The jobs call chunks.
fn server(site: &Site<'_>, sessions: &mut [Box<dyn Session>], point: &mut Point) -> Result<Done, EngineError> {
    let Some(spec) = site.work.test() else { return Err(client::unsupported()) };
    let calibration = match (spec.test.rhythm, spec.test.procedure.shape) {
        (RepeatMode::Chunks, _) => Calibration::Timed { passes: 1 },
        (_, ProcedureShape::Load) => Calibration::Fixed { passes: spec.size.bulk_partitions_per_job },
        _ => Calibration::Fixed { passes: 1 },
    };
    let mut drives: Vec<ServerDrive<'_>> =
        sessions.iter().map(|_| ServerDrive::new(site.window, calibration)).collect();
    let (_, edges) = work(site, sessions, &mut drives, None)?;
    let mut log = Log::default();
    let (mut errors, mut least_ns) = (Vec::new(), None);
    for drive in drives {
        log.merge(drive.log);
        let ns: u64 = drive.discarding_ns;
        least_ns = Some(least_ns.map_or(ns, |least: u64| least.min(ns)));
        point.outcomes.merge(&drive.outcomes);
        errors.extend(drive.error);
    }
    match first_cause(errors.into_iter()) {
        Some(error) => Err(error),
        None => Ok(Done { log, discarding_ns: least_ns.unwrap_or(0), times: None, types: Vec::new(), edges }),
    }
}

/// The jobs send statements.
fn by_client(
    site: &Site<'_>,
    load: Load,
    sessions: &mut [Box<dyn Session>],
    point: &mut Point,
) -> Result<Done, Failed> {
    let Site { work: does, window, .. } = *site;
    let duration_ns = match window.pace() {
        Pace::Steady { duration_ns, .. } => duration_ns,
        Pace::Pieces { .. } => 0,
    };
    let team = Team::of(window, duration_ns, load, point.asked_per_s, does);
    let (worked, tallies) = match does {
        Work::Test(spec) => {
            // All sessions are prepared for the same statements.
            let forms = site.forms.iter().cycle();
            let program = |(job, form): (u32, &TestForm)| (job, TestProgram::new(spec, job, form.clone()));
            drive(site, sessions, &team, load, spec.job_numbers().zip(forms).map(program))
        }
        Work::Workload(workload) => {
            let dialect = &workload.loaded.dialect;
            let program = |job| (job, dialect.workload().program(workload.user(job)));
            drive(site, sessions, &team, load, does.job_numbers().map(program))
        }
    };
    let ClientResult { log, outcomes, types, error, service, response, connection_wait, open_loop, series } =
        team.gather(tallies);
    point.outcomes = outcomes;
    point.open_loop = open_loop;
    let edges = match (worked, error) {
        (Ok((carried, edges)), None) => {
            point.pump = Some(carried);
            edges
        }
        (Ok((carried, _)), Some(error)) => {
            point.pump = Some(carried);
            return Err(Failed { error, types });
        }
        (Err(error), _) => return Err(Failed { error, types }),
    };
    let times = Some(Times { service, response, connection_wait, series });
    Ok(Done { log, discarding_ns: 0, times, types, edges })
}

/// Has each session run the programs of its users.
fn drive<P: Program>(
    site: &Site<'_>,
    sessions: &mut [Box<dyn Session>],
    team: &Team<'_>,
    load: Load,
    users: impl Iterator<Item = (u32, P)>,
) -> (Result<(PumpUse, Edges), EngineError>, Vec<Tally>) {
    let pool = Pool::default();
    let mut drives = team.sessions(users, &pool);
    let worked = work(site, sessions, &mut drives, Some(team));
    let mut tallies: Vec<Tally> = drives.into_iter().map(ClientDrive::into_tally).collect();
    tallies.extend(load.connections.map(|_| pool.tally(team)));
    (worked, tallies)
}

/// Runs the jobs and the thread that watches them, to their end.
fn work<W: dbdyno_engine::Work>(
    site: &Site<'_>,
    sessions: &mut [Box<dyn Session>],
    works: &mut [W],
    team: Option<&Team<'_>>,
) -> Result<(PumpUse, Edges), EngineError> {
    let Site { bench, work, window, .. } = *site;
    let gate = StartGate::new(sessions.len() + 1);
    let pump = bench.engine.pump(work.driven_by(), site.may_follow_from_jobs);
    let (pumped, edges) = std::thread::scope(|scope| {
        let jobs = sessions.iter_mut().zip(works);
        let jobs = jobs.map(|(session, work)| Job { session: session.as_mut(), work }).collect();
        let gate = &gate;
        let watcher = std::thread::Builder::new().name("watch".to_owned());
        let watcher = watcher.spawn_scoped(scope, move || watch(site, gate, team));
        if watcher.is_err() {
            gate.give_up();
        }
        let pumped = pump.run(jobs, bench.clock, gate);
        // Whatever ended the jobs, nobody is left to end the window.
        window.close();
        (pumped, watcher.ok().and_then(|w| w.join().ok()).unwrap_or_default())
    });
    Ok((pumped?, edges))
}

/// The measuring thread's part while jobs work. Returns what the operating system said at the window's edges.
fn watch(site: &Site<'_>, gate: &StartGate, team: Option<&Team<'_>>) -> Edges {
    let Site { bench, work, window, sampler, evictor, .. } = *site;
    let mut before = None;
    if window.pace().is_pieces() {
        before = Some(sampler.snapshot());
    }
    if !gate.wait() {
        return Edges::default();
    }
    let alone = work.jobs() == 1 && work.driven_by() == Drive::Server;
    let mut eviction = evictor.map(|evictor| Eviction::new(evictor, window, work.rhythm(), alone));
    let (mut hold_lost, mut hold_look_ns) = (false, 0);
    let mut look_up = || {
        let now_ns = bench.clock.now_ns();
        if !hold_lost && now_ns >= hold_look_ns {
            (hold_lost, hold_look_ns) = (bench.hold.seen_lost().is_some(), now_ns + HOLD_LOOK_NS);
        }
        if let Some(eviction) = &mut eviction {
            eviction.tick(now_ns);
        }
        // What others may disturb is no figure: whoever measures asks the hold again, and says so.
        if bench.stop.requested() || hold_lost {
            bench.stop.cancel_current();
            window.abort();
        } else if let Some(team) = team.filter(|_| now_ns > latest_ns(window)) {
            team.give_up();
            bench.stop.cancel_current();
        }
    };
    let until = |ns: u64| Duration::from_nanos(ns.saturating_sub(bench.clock.now_ns()));
    let mut checkpoints = window.is_held().then(|| Checkpoints::new(bench));
    while let Some(checkpoints) = checkpoints.as_mut().filter(|_| before.is_none() && !window.over()) {
        if !window.wait_for_end(paced::LOOK_EVERY) && checkpoints.begins(window) {
            before = Some(sampler.snapshot());
            window.begin(bench.clock.now_ns());
        }
        look_up();
    }
    while before.is_none() && !window.over() {
        match window.wait_for_start(TICK) {
            Some(start_ns) if until(start_ns) <= TICK => {
                std::thread::sleep(until(start_ns));
                before = Some(sampler.snapshot());
            }
            _ => _ = window.wait_for_end(TICK),
        }
        look_up();
    }
    if let Some(checkpoints) = &mut checkpoints {
        let mut after = None;
        while !window.wait_for_end(paced::LOOK_EVERY) {
            if checkpoints.ends(window) {
                after = Some(sampler.snapshot());
                window.end(bench.clock.now_ns());
            }
            look_up();
        }
        return Edges { before, after, paced_writes: checkpoints.writes() };
    }
    // The window is aimed to end at a known moment; where a job needs longer, the later snapshot counts.
    let aimed_end_ns = match (window.pace(), window.start_ns()) {
        (Pace::Steady { duration_ns, .. }, Some(start_ns)) => Some(start_ns + duration_ns),
        _ => None,
    };
    let mut after = None;
    loop {
        let left = aimed_end_ns.map_or(TICK, until).min(TICK);
        if after.is_none() && aimed_end_ns.is_some() && left.is_zero() {
            after = Some(sampler.snapshot());
        }
        if window.wait_for_end(if left.is_zero() { TICK } else { left }) {
            break;
        }
        look_up();
    }
    let late = window.span().zip(aimed_end_ns).is_none_or(|(span, aimed_ns)| span.end_ns > aimed_ns);
    if late || after.is_none() {
        after = Some(sampler.snapshot());
    }
    Edges { before, after, paced_writes: None }
}

/// The moment until which a client waits for answers. Statements of the server drive may take as long as they need.
fn latest_ns(window: &Window) -> u64 {
    let Pace::Steady { warm_up_ns, duration_ns, .. } = window.pace() else { return u64::MAX };
    let begins_ns = window.start_ns().or_else(|| window.barrier_ns().map(|barrier_ns| barrier_ns + warm_up_ns));
    begins_ns.map_or(u64::MAX, |begins_ns| begins_ns + duration_ns + GRACE.as_nanos() as u64)
}
