//! One point, from settling to its judged figures.

use crate::fleet::{Fleet, SharedPoint};
use crate::jobs::{self, FailedMeasurement, RawMeasurement, TransactionTimes};
use crate::point_context::PointContext;
use crate::run_context::{SETTLE_LIMIT, go_on, settle};
use crate::work::{PlannedWork, PointWork};
use crate::workload::InvariantCheck;
use crate::{RunContext, Window, checkpoint_window, durability, figures, judge};
use dbdyno_engine::client::TestForm;
use dbdyno_engine::{EngineError, PointSpec, Session, Settled, SnapshotsTaken};
use dbdyno_model::{
    Cache, Commits, Drive, ErrorClass, Flag, Mapping, PlannedPoint, Point, PointPace, ProcedureShape, RowsBy, Size,
    Status,
};
use dbdyno_probe::page_cache::{EvictMode, Evictor};
use dbdyno_probe::{HarnessShare, Pacer, Sampler};
use dbdyno_results::{HistogramKind, Histograms, PointHistogram};

/// Measures one point. Any failure is in the point, with its reason. The second value is the error if the target is
/// lost; then nothing more should be asked of it.
///
/// A planned share of a maximum needs that maximum, in operations/s.
pub fn measure(
    context: &RunContext<'_>,
    planned: &PlannedPoint,
    maximum_per_s: Option<f64>,
) -> (Measurement, Option<EngineError>) {
    let mut point = empty_point(planned);
    let mut histograms = Vec::new();
    // Snapshots around what went before (the proof of commits) are none of this point's.
    drop(snapshots_taken(context));
    let filled = fill(context, planned, maximum_per_s, &mut point, &mut histograms);
    let error = filled.inspect_err(|error| fail(&mut point, error)).err();
    if let Some(SnapshotsTaken { awr, missing }) = snapshots_taken(context) {
        point.awr = Some(awr);
        point.missing.extend(missing);
    }
    point.transactions.extend(point.as_one_type());
    point.settings.extend(context.server_settings.clone());
    (Measurement { point, histograms }, error.filter(EngineError::target_lost))
}

/// The server's snapshots around the point that has ended last, if it took any.
fn snapshots_taken(context: &RunContext<'_>) -> Option<SnapshotsTaken> {
    context.engine.repository()?.taken()
}

/// A point and its histograms.
#[derive(Debug, Clone)]
pub struct Measurement {
    /// The point.
    pub point: Point,
    /// Its histograms, where it has any.
    pub histograms: Histograms,
}

fn fill(
    context: &RunContext<'_>,
    planned: &PlannedPoint,
    maximum_per_s: Option<f64>,
    point: &mut Point,
    histograms: &mut Histograms,
) -> Result<(), EngineError> {
    if let Mapping::None { why } = &planned.mapping {
        point.status = Status::Unsupported;
        point.reason = Some(why.clone());
        return Ok(());
    }
    let unknown = |why| EngineError::new(ErrorClass::UnknownObject, why);
    let planned_work = PlannedWork::of(context, planned).map_err(unknown)?;
    let work = planned_work.work();
    if let Some(why) = unsupported(planned, work, context.size) {
        point.status = Status::Unsupported;
        point.reason = Some(why);
        return Ok(());
    }
    if let Some(rate) = planned.load.rate {
        if rate.is_share() && maximum_per_s.is_none() {
            let message = format!("the maximum that {rate} is a share of was not measured: look at the point before");
            return Err(EngineError::other(message));
        }
        point.asked_per_s = Some(rate.per_s(maximum_per_s.unwrap_or(0.0)));
    }
    let result = attempt(context, planned, work, point, histograms);
    context.stop.at_work(Vec::new());
    // A point's own tables are removed in any case, and a failure to remove them must not hide the first error.
    let ended = work.end(context.engine);
    result.and_then(|()| ended.map_err(|error| error.while_doing("cleaning up after the point")))
}

/// A point that cannot begin, with the reason.
pub(crate) fn not_begun(planned: &PlannedPoint, status: Status, reason: String) -> Measurement {
    let mut point = Point { status, reason: Some(reason), ..empty_point(planned) };
    if status == Status::Failed {
        point.outcomes.fail(ErrorClass::Other);
    }
    Measurement { point, histograms: Vec::new() }
}

/// A point that was not begun, with the error that prevented it.
pub(crate) fn unmeasured(planned: &PlannedPoint, error: &EngineError) -> Measurement {
    let mut point = empty_point(planned);
    fail(&mut point, error);
    Measurement { point, histograms: Histograms::new() }
}

pub(crate) fn empty_point(planned: &PlannedPoint) -> Point {
    Point {
        definition: planned.definition.clone(),
        mapping: planned.mapping.kind().to_owned(),
        mapping_note: planned.mapping.note().map(str::to_owned),
        drive: planned.drive,
        dop: planned.dop,
        load: planned.load,
        mix: planned.mix.clone(),
        parameters: planned.parameters.clone(),
        cores: planned.cores,
        rows_per_tx: planned.rows_per_tx,
        repeat: planned.repeat,
        again: planned.again,
        ..Point::new(planned.subject.of_new_point(), jiff::Timestamp::now())
    }
}

/// Why a point cannot be measured here, though the engine may know the test.
fn unsupported(planned: &PlannedPoint, work: PointWork<'_>, size: &Size) -> Option<String> {
    let PointSpec { test, .. } = work.test()?;
    if planned.drive == Drive::Client && !test.procedure.has_client_form() {
        return Some(
            "its work is a loop or one statement inside the database: nothing that a client would send".to_owned(),
        );
    }
    let jobs = u64::from(planned.dop.jobs);
    let shape = test.table.map(dbdyno_model::TableName::shape)?;
    let (keys, what) = match (test.procedure.shape, test.procedure.rows_by) {
        (ProcedureShape::Update, Some(RowsBy::SecondaryKey)) => (size.values(shape), "secondary-key values"),
        (ProcedureShape::Update, _) => (size.rows(shape) / planned.rows_per_tx.max(1), "transactions' worth of keys"),
        _ => return None,
    };
    let too_many =
        || format!("{jobs} jobs cannot own disjoint keys: size {} has {keys} {what}; use a larger size", size.id);
    (jobs > keys).then(too_many)
}

fn fail(point: &mut Point, error: &EngineError) {
    let why = if error.class == ErrorClass::Cancelled { "interrupted".to_owned() } else { error.to_string() };
    (point.status, point.reason) = match (point.status, point.reason.take()) {
        // What the proof has found is not forgotten because the point failed, too: nobody measures it again.
        (Status::Invalid, Some(found)) => (Status::Invalid, Some(format!("{found}; then the point failed: {why}"))),
        // If the server itself lacks a feature, that is not a failure of the platform.
        _ if error.class == ErrorClass::Unsupported => (Status::Unsupported, Some(why)),
        _ => (Status::Failed, Some(why)),
    };
    if point.outcomes.errors.is_empty() {
        point.outcomes.fail(error.class);
    }
}

fn attempt(
    context: &RunContext<'_>,
    planned: &PlannedPoint,
    work: PointWork<'_>,
    point: &mut Point,
    histograms: &mut Histograms,
) -> Result<(), EngineError> {
    let engine = context.engine;
    context.stop.at_work(engine.canceller().into_iter().collect());
    let durability = || durability::durability(engine, work.commit(), work.driven_by());
    let mut durability = work.writes().then(durability).transpose()?;
    if let Some(durability) = &durability {
        point.commit = Some(work.commit());
        point.durability = durability.settings.clone();
        let by_settings = if durability.unsafe_settings.is_empty() { work.commit().into() } else { Commits::Unsafe };
        point.commits_found = Some(by_settings);
    }
    let invariants = InvariantCheck::open(context, work, point)?;
    match settle(context)? {
        Settled::AtRest => {}
        Settled::Busy => point.flag(Flag::NotSettled, format!("not at rest after {} s", SETTLE_LIMIT.as_secs())),
        Settled::NotAllowed(why) => point.flag(Flag::NotSettled, why),
    }
    if !context.data_verified && work.uses_tables() {
        point.flag(Flag::DataNotVerified, None);
    }
    work.begin(engine).map_err(|e| e.while_doing("preparing the point"))?;
    if let Some(spec) = work.test().filter(|spec| checkpoint_window::is_to_be(spec, planned.duration_s)) {
        point.settings = engine.pace_writes(spec).map_err(|e| e.while_doing("preparing the point"))?;
    }

    let (mut workers, forms) = match context.fleet {
        Some(fleet) => (Workers::Fleet(SharedPoint::prepare(fleet, context, planned, point)?), Vec::new()),
        None => {
            let (sessions, forms) = open_sessions(context, planned, (work, None), point)?;
            (Workers::Sessions(sessions), forms)
        }
    };
    if point.status == Status::Invalid {
        return Ok(());
    }

    let features = engine.features();
    let files = engine.data_files();
    let share = if features.in_process { HarnessShare::NotSeparable } else { HarnessShare::OwnProcess };
    let sampler = Sampler::new(&files, share).beside(engine.server_pid());
    let sampler = sampler.with_standby(engine.standby_pid());
    let sampler = sampler.watching_others(work.writes()).held_to(engine.held_cpus().to_vec());
    let agents = context.fleet.map(Fleet::members).unwrap_or_default();
    let sampler = sampler.with_agents(agents.into_iter().filter_map(|agent| agent.pid_here).collect());
    let evictor = match work.cache() {
        Cache::NonCached if features.local => evictor(&files, point),
        _ => None,
    };
    let window = Window::new(figures::window_mode(work, planned.duration_s), workers.jobs());
    let window = if point.settings.is_empty() { window } else { window.held() };
    let point_context = PointContext {
        run: context,
        work,
        window: &window,
        sampler: &sampler,
        evictor: evictor.as_ref(),
        may_follow_from_jobs: planned.may_follow_from_jobs,
        forms: &forms,
        starts_ns: None,
    };
    jobs::evict(&point_context);
    // Around the jobs and their counters, so that no window and no count contains it.
    let before = context.pacer.as_ref().ok().and_then(Pacer::take);
    let measured = match &mut workers {
        Workers::Sessions(sessions) => jobs::run(&point_context, planned.load, sessions, point),
        Workers::Fleet(shared) => shared.measure(&point_context, point),
    };
    // While the sessions' processes live: what is let go meanwhile shows in them.
    if let Some(why) = engine.not_as_started().filter(|_| measured.is_ok()) {
        point.flag(Flag::NotProved, why);
    }
    // Dropping the sessions frees the engine for the proof.
    drop(workers);
    let types = match &measured {
        Ok(RawMeasurement { types, .. }) | Err(FailedMeasurement { types, .. }) => types,
    };
    invariants.prove(context, point, types);
    let measured = measured.map_err(|failed| failed.error)?;
    match &context.pacer {
        Ok(pacer) => point.pace = Some(PointPace { before, after: pacer.take(), ..pacer.point() }),
        Err(why) => point.lacks("pace", why.as_str()),
    }
    point.paced_writes = measured.edges.paced_writes;
    if let Some(durability) = &mut durability {
        durability::look_again(engine, work, point, durability);
    }
    let span = window.span().ok_or_else(|| EngineError::new(ErrorClass::Cancelled, "the point was stopped"))?;
    figures::fill_work(point, work, &measured.log, span, measured.discarding_ns);
    let commits = work.commits(&measured.log, &measured.types);
    if let Some(TransactionTimes { service, response, connection_wait, series }) = measured.times {
        figures::fill_client_times(point, &service, response.as_ref(), series);
        let of_type = |name: &str, service, response: Option<_>| {
            let of = |kind| {
                let transaction_type = Some(name.to_owned());
                move |times| PointHistogram { transaction_type, kind, times }
            };
            [of(HistogramKind::Service)(service)].into_iter().chain(response.map(of(HistogramKind::Response)))
        };
        match work {
            PointWork::Test(_) => histograms.extend(of_type(planned.subject.as_str(), service, response)),
            PointWork::Workload(workload) => {
                point.transactions = figures::transaction_types(point, workload, &measured.types);
                figures::fill_minutes(point);
                let types = workload.types.iter().zip(measured.types);
                for (of, times) in types.filter(|(of, _)| of.weight > 0) {
                    histograms.extend(of_type(&of.name, times.service, times.response));
                }
            }
        }
        point.connection_wait_s = connection_wait.as_ref().map(figures::times);
        let of_all = |times| PointHistogram { transaction_type: None, kind: HistogramKind::ConnectionWait, times };
        histograms.extend(connection_wait.map(of_all));
    }
    let counters_s = judge::counters_s(&window, &measured.log);
    figures::fill_counters(point, &measured.counters, counters_s, features.block_bytes);
    let (Some(before), Some(after)) = (measured.edges.before, measured.edges.after) else {
        let busy = "the machine was too busy to look at it when the window began: use a longer --duration, or a quieter machine";
        return Err(EngineError::other(busy));
    };
    let telemetry = sampler.difference(&before, &after);
    figures::fill_telemetry(point, &telemetry, features.local);
    if !features.local {
        figures::fill_remote_machine(point, &measured.counters, counters_s);
    }
    let evidence = judge::Evidence {
        work,
        features,
        log: &measured.log,
        first_failure: measured.first_failure.as_ref(),
        window: span,
        counters: &measured.counters,
        telemetry: &telemetry,
        share_in_memory: dbdyno_probe::share_in_memory(&files),
        counters_s,
        durability: durability.as_ref(),
        commits,
        clock_jump_s: before.clock_jump_s(&after),
    };
    judge::flag(point, &evidence);
    judge::prove(point, &evidence);
    judge::rate(point, &evidence);
    point.database.read_mib_per_s = evidence.scanned_bytes_per_s(point).map(|bytes| bytes / figures::MIB);
    if let PointWork::Workload(_) = work {
        match evidence.device_read_pct() {
            Ok(pct) => point.database.device_read_pct = Some(pct),
            Err(why) => point.lacks("database.device_read_pct", why),
        }
    }
    figures::fill_metric(point, work, context.catalogue);
    Ok(())
}

/// Who does the work of a point.
enum Workers<'e> {
    Sessions(Vec<Box<dyn Session + 'e>>),
    Fleet(SharedPoint<'e>),
}

impl Workers<'_> {
    /// The jobs that the window waits for. A fleet is one, which begins and ends as planned.
    fn jobs(&self) -> usize {
        match self {
            Self::Sessions(sessions) => sessions.len(),
            Self::Fleet(_) => 1,
        }
    }
}

/// Opened sessions, and the values that the client drive gives to their statements.
pub(crate) type Opened<'e> = (Vec<Box<dyn Session + 'e>>, Vec<TestForm>);

/// Opens and prepares the sessions of a point, on one node where that is said. Where their plans are other than the
/// test needs, the point is invalid.
pub(crate) fn open_sessions<'e>(
    context: &RunContext<'e>,
    planned: &PlannedPoint,
    (work, node): (PointWork<'_>, Option<u32>),
    point: &mut Point,
) -> Result<Opened<'e>, EngineError> {
    context.stop.at_work(Vec::new());
    let connections = planned.load.sessions(work.jobs()) as usize;
    let (mut sessions, mut forms) = (Vec::with_capacity(connections), Vec::new());
    for job in work.job_numbers().take(connections) {
        go_on(context)?;
        let mut session = work
            .users_session(context.engine, node.unwrap_or(job))
            .map_err(|e| e.while_doing(&format!("opening session {}", job + 1)))?;
        context.stop.also_at_work(session.canceller());
        let prepared = work.prepare(session.as_mut(), job).map_err(|e| e.while_doing("preparing the statements"))?;
        point.plan = point.plan.take().or(prepared.plan);
        forms.extend(prepared.form);
        if !prepared.problems.is_empty() {
            point.status = Status::Invalid;
            point.reason = Some(prepared.problems.join("; "));
            break;
        }
        session.flush()?;
        sessions.push(session);
    }
    Ok((sessions, forms))
}

/// Opens the data files for eviction. If that fails the point goes on, because the judge sees whether devices were
/// read.
fn evictor(files: &[std::path::PathBuf], point: &mut Point) -> Option<Evictor> {
    let there: Vec<_> = files.iter().filter(|f| f.exists()).cloned().collect();
    let opened = Evictor::open(&there).and_then(|evictor| evictor.evict_all(EvictMode::FlushFirst).map(|()| evictor));
    opened.map_err(|error| point.lacks("proof.eviction", format!("the page cache could not be evicted: {error}"))).ok()
}

#[cfg(test)]
mod tests;
