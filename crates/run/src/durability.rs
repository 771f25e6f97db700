//! Whether commits are durable, shown by observation and not by settings alone. Once a run, before its first writing
//! point, one session commits a few hundred transactions into a table of its own, one after the other. Two of these
//! commits cannot share a sync. So the engine must have synced its log, and the devices below it must have been
//! flushed, at least once for each commit but the last. The syncs of others are measured for a second before; if there
//! are many, nothing is proved.

mod evidence;
mod quiet_intervals;

use crate::run_context::{go_on, settle};
use crate::work::{PlannedWork, PointWork, point_spec};
use crate::{LoadedWorkload, RunContext};
use dbdyno_engine::{
    Durability, DurablePlaces, Engine, EngineError, PointSpec, PointStatistics, Request, Sampling, Session,
};
use dbdyno_model::{
    CommitMode, CommitProof, Commits, Counter, Counters, Dop, Drive, Flag, Mapping, PlannedPoint, Point,
    ProcedureShape, ProofOutcome, Subject,
};
use dbdyno_probe::Flushes;
use dbdyno_workload::{About, Alone};
use evidence::{DeviceWrites, LogSyncs, Observation};
use quiet_intervals::{Interval, QuietIntervals};
use std::sync::PoisonError;

/// The least number of commits in a proof.
const COMMITS: u64 = 200;
/// Passes of one call.
const PASSES: u64 = 20;
/// The time limit for the commits.
const LIMIT_NS: u64 = 20_000_000_000;
/// How long the syncs of others are measured, and in which steps, so that a stop is noticed.
const LOOK_NS: u64 = 1_000_000_000;
const STEP_NS: u64 = 100_000_000;
/// Attempts while others are too busy.
const ATTEMPTS: u32 = 3;
/// The most intervals of commits that an attempt takes to find enough without page writes.
const INTERVALS: u64 = 60;

/// The proofs of a run, one for each commit mode that its points ask for.
#[derive(Debug, Default)]
pub(crate) struct CommitProofs(Vec<(CommitMode, CommitProof)>);

impl CommitProofs {
    /// The proof that counts for a point. It is made if this is the first point that needs it. `None` for a point that
    /// writes nothing, or whose commits are unsafe according to the engine.
    ///
    /// # Errors
    /// The target was lost meanwhile.
    pub(crate) fn of(
        &mut self,
        context: &RunContext<'_>,
        planned: &PlannedPoint,
    ) -> Result<Option<CommitProof>, EngineError> {
        let workload =
            if let Subject::Workload(name) = &planned.subject { context.workload(name.as_str()) } else { None };
        let test = planned.subject.test().and_then(|code| context.catalogue.test(code.as_str()).ok());
        let writes = workload.is_some_and(|loaded| {
            let workload = loaded.dialect.workload();
            workload.about().writes(&workload.types_of(planned.mix.as_ref(), &planned.parameters))
        }) || test.is_some_and(|test| test.procedure.writes());
        if !writes || matches!(planned.mapping, Mapping::None { .. }) {
            return Ok(None);
        }
        // If the engine cannot tell its durability now, it cannot tell the point either, and the point reports the
        // reason.
        let Ok(said) = durability(context.engine, planned.commit, planned.drive) else { return Ok(None) };
        if !said.unsafe_settings.is_empty() || !said.by_default.is_empty() {
            return Ok(None);
        }
        // Statements of a client wait for their commit; procedures do if they are told to.
        let commit = if planned.drive == Drive::Client { CommitMode::Durable } else { planned.commit };
        if let Some((_, proof)) = self.0.iter().find(|(mode, _)| *mode == commit) {
            return Ok(Some(proof.clone()));
        }
        let committing =
            |loaded: &LoadedWorkload| loaded.dialect.workload().committing(&loaded.data, &planned.parameters);
        let parameters = workload.map(committing).unwrap_or_default();
        let alone = PlannedPoint { dop: Dop::ONE, commit, parameters, ..planned.clone() };
        let work = match workload {
            Some(_) => PlannedWork::of(context, &alone).ok(),
            None => spec(context, &alone).map(Box::new).map(PlannedWork::Test),
        };
        let Some(work) = work else { return Ok(None) };
        let proof = prove(context, work.work());
        if let Some(loaded) = workload {
            // The proof's transactions are the workload's own, and have changed its tables since the last point.
            *loaded.last.lock().unwrap_or_else(PoisonError::into_inner) = None;
        }
        let proof = match proof {
            Ok(proof) => proof,
            Err(error) if error.target_lost() => return Err(error.while_doing("proving that commits are durable")),
            Err(error) => CommitProof {
                seen: format!("the proof that commits are durable could not be made: {error}"),
                ..CommitProof::default()
            },
        };
        // A proof that others prevented may succeed at the next writing point.
        if proof.outcome != ProofOutcome::NotProved || is_blind(context.engine, &proof) {
            self.0.push((commit, proof.clone()));
        }
        Ok(Some(proof))
    }
}

/// Writes a proof into a point.
pub(crate) fn tell(point: &mut Point, proof: Option<CommitProof>) {
    let (Some(proof), Some(_)) = (proof, point.commit) else { return };
    match proof.outcome {
        ProofOutcome::Proved => {}
        ProofOutcome::Refuted => {
            point.commits_found = Some(Commits::Unsafe);
            point.flag(Flag::UnsafeDurability, proof.seen.clone());
        }
        ProofOutcome::NotProved => {
            if point.commits_found == Some(Commits::Durable) {
                point.commits_found = Some(Commits::NotProved);
            }
            point.flag(Flag::NotProved, proof.seen.clone());
        }
    }
    point.commit_proof = Some(proof);
}

/// How durable commits are according to the engine, and according to where its files lie.
pub(crate) fn durability(engine: &dyn Engine, commit: CommitMode, drive: Drive) -> Result<Durability, EngineError> {
    let mut durability = engine.durability(commit, drive)?;
    let places = engine.durable_places();
    for why in places.data.iter().chain(&places.log).filter_map(|place| dbdyno_probe::why_volatile(place)) {
        if !durability.unsafe_settings.contains(&why) {
            durability.unsafe_settings.push(why);
        }
    }
    Ok(durability)
}

/// Reads the durability again after a point. A setting that was changed meanwhile changed what the commits waited for.
pub(crate) fn look_again(engine: &dyn Engine, work: PointWork<'_>, point: &mut Point, told: &mut Durability) {
    match durability(engine, work.commit(), work.driven_by()) {
        Ok(found) => {
            let news = found.unsafe_settings.into_iter().filter(|why| !told.unsafe_settings.contains(why));
            told.unsafe_settings.extend(news.map(|why| format!("{why} (since the point began)")).collect::<Vec<_>>());
        }
        Err(error) => {
            point.flag(Flag::NotProved, format!("nobody knows whether commits still waited in the end: {error}"))
        }
    }
    if !told.unsafe_settings.is_empty() {
        point.commits_found = Some(Commits::Unsafe);
    }
}

/// The commits of one session: conventional inserts into a table of their own, using the first table for which the
/// engine supports them. `None` where it has no tables.
fn spec(context: &RunContext<'_>, alone: &PlannedPoint) -> Option<PointSpec> {
    let tables = context.engine.tables();
    let fits = |table| tables.contains(&table);
    let test = context.catalogue.tests().iter();
    let test = test.filter(|t| t.procedure.shape == ProcedureShape::Insert).find(|t| t.table.is_some_and(fits))?;
    let rows_per_tx = test.rows_per_tx.unwrap_or(1);
    let spec = point_spec(context, test, alone);
    Some(PointSpec { rows_per_tx, drive: Drive::Server, sampling: Sampling::Off, ..spec })
}

fn prove(context: &RunContext<'_>, work: PointWork<'_>) -> Result<CommitProof, EngineError> {
    context.stop.at_work(context.engine.canceller().into_iter().collect());
    settle(context)?;
    let begun = work.begin(context.engine);
    context.stop.at_work(Vec::new());
    let proof = begun.and_then(|()| commit_and_count(context, work));
    context.stop.at_work(Vec::new());
    let ended = work.end(context.engine);
    proof.and_then(|proof| ended.map(|()| proof))
}

fn commit_and_count(context: &RunContext<'_>, work: PointWork<'_>) -> Result<CommitProof, EngineError> {
    let mut session = work.kept_session(context.engine, 0)?;
    context.stop.also_at_work(session.canceller());
    let prepared = work.prepare(session.as_mut(), 0)?;
    if let Some(problem) = prepared.problems.first() {
        return Err(EngineError::other(problem.clone()));
    }
    let device = device(context.engine);
    let committer = match work {
        PointWork::Test(spec) => {
            Committer::Calls { session, passes: 0, per_op: spec.test.commits_per_op(spec.rows_per_tx).unwrap_or(1) }
        }
        PointWork::Workload(work) => {
            let about = work.loaded.dialect.workload().about();
            Committer::Program { alone: Alone::new(session, work.program(0)), about }
        }
    };
    let mut worker = Worker { context, committer, device, in_intervals: false };
    // The first commits extend files and fill caches.
    worker.commit(PASSES)?;
    let mut proof = worker.attempt()?;
    for _ in 1..ATTEMPTS {
        if proof.outcome != ProofOutcome::NotProved || is_blind(context.engine, &proof) {
            break;
        }
        proof = worker.attempt()?;
    }
    Ok(proof)
}

/// The disks below the log, or why they cannot be observed. If the place of the log or the devices below it are
/// unknown, all disks of the machine are observed; that can prove durability, but never refute it.
fn device(engine: &dyn Engine) -> Result<(Flushes, bool), String> {
    if !engine.features().local {
        return Err("its devices are not seen from here".to_owned());
    }
    let DurablePlaces { log, synced_by_writing, .. } = engine.durable_places();
    let of_machine = || Flushes::of_machine(synced_by_writing).map(|flushes| (flushes, false));
    match (!log.is_empty()).then(|| Flushes::below(&log, synced_by_writing)) {
        Some(Ok(flushes)) => Ok((flushes, true)),
        // If the machine shows nothing either, the reason for the log's device is reported.
        Some(Err(why)) => of_machine().map_err(|_| why),
        None => of_machine(),
    }
}

/// Whether another attempt would show nothing more.
fn is_blind(engine: &dyn Engine, proof: &CommitProof) -> bool {
    if engine.features().local { proof.device_count.is_none() } else { proof.log_syncs.is_none() }
}

/// Who commits: a test's procedure, or a workload's program.
enum Committer {
    Calls { session: Box<dyn Session>, passes: u64, per_op: u64 },
    Program { alone: Alone, about: &'static About },
}

impl Committer {
    /// Commits a few more times; returns how often.
    fn commit(&mut self) -> Result<u64, EngineError> {
        match self {
            Self::Calls { session, passes, per_op } => {
                let request = Request::Chunk { first_pass: *passes, passes: PASSES };
                let done = session.execute(&request).map_err(|failure| failure.error)?;
                *passes += PASSES;
                Ok(done.ops * *per_op)
            }
            Self::Program { alone, about } => (0..PASSES).try_fold(0, |commits, _| {
                let type_id = alone.transaction()?;
                Ok(commits + type_id.map_or(0, |type_id| about.commits_of(type_id)))
            }),
        }
    }

    fn session(&mut self) -> &mut dyn Session {
        match self {
            Self::Calls { session, .. } => session.as_mut(),
            Self::Program { alone, .. } => alone.session(),
        }
    }
}

struct Worker<'b> {
    context: &'b RunContext<'b>,
    committer: Committer,
    /// The disks, and whether they are known to hold the log.
    device: Result<(Flushes, bool), String>,
    /// Whether only intervals count in which no page was written.
    in_intervals: bool,
}

/// Counts at one moment.
struct Reading {
    counted: PointStatistics,
    brought: Option<Vec<u64>>,
    at_ns: u64,
}

impl Worker<'_> {
    /// Commits at least this many times; returns how often.
    fn commit(&mut self, at_least: u64) -> Result<u64, EngineError> {
        let (mut commits, began_ns) = (0, self.context.clock.now_ns());
        while commits < at_least && self.context.clock.now_ns().saturating_sub(began_ns) < LIMIT_NS {
            go_on(self.context)?;
            commits += self.committer.commit()?;
        }
        Ok(commits)
    }

    fn attempt(&mut self) -> Result<CommitProof, EngineError> {
        self.committer.session().flush()?;
        if self.in_intervals {
            return self.attempt_in_intervals();
        }
        let idle = self.look(None)?;
        let until_ns = idle.at_ns + LOOK_NS;
        while self.context.clock.now_ns() < until_ns {
            go_on(self.context)?;
            self.context.clock.sleep_ns(STEP_NS);
        }
        let before = self.look(Some(&idle))?;
        let commits = self.commit(COMMITS)?;
        // The devices are read first, because an engine may take its time to count.
        let (brought, at_ns) = (self.brought(), self.context.clock.now_ns());
        self.committer.session().flush()?;
        let after = Reading { counted: self.context.engine.point_statistics(Some(&before.counted))?, brought, at_ns };
        let seen = Observation {
            commits,
            elapsed_s: seconds(&before, &after),
            local: self.context.engine.features().local,
            log: self.log(&idle, &before, &after),
            device: self.devices(&idle, &before, &after),
        };
        self.in_intervals = self.device.is_err() && seen.log.as_ref().is_ok_and(|log| log.of_data > 0);
        Ok(if commits < COMMITS { seen.too_few() } else { seen.judge() })
    }

    /// The same where pages are written meanwhile, whose syncs the engine counts together with those of its log.
    fn attempt_in_intervals(&mut self) -> Result<CommitProof, EngineError> {
        let (mut idle, mut busy, mut last) = (QuietIntervals::default(), QuietIntervals::default(), self.look(None)?);
        for _ in 0..LOOK_NS / STEP_NS {
            go_on(self.context)?;
            self.context.clock.sleep_ns(STEP_NS);
            last = self.interval(&mut idle, &last, 0)?;
        }
        let began_ns = last.at_ns;
        while busy.sum.commits < COMMITS && busy.of < INTERVALS && last.at_ns.saturating_sub(began_ns) < LIMIT_NS {
            let commits = self.commit(PASSES)?;
            last = self.interval(&mut busy, &last, commits)?;
        }
        let (most, foreign_per_s) = (busy.sum.syncs, idle.syncs_per_s());
        let seen = Observation {
            commits: busy.sum.commits,
            elapsed_s: busy.seconds(),
            local: self.context.engine.features().local,
            log: Ok(LogSyncs { most, of_data: 0, foreign_per_s, quiet: Some((busy.quiet, busy.of)) }),
            device: self.device.as_ref().map_err(Clone::clone).and(Err("not looked at".to_owned())),
        };
        Ok(if busy.sum.commits < COMMITS { seen.too_few() } else { seen.judge() })
    }

    /// The counts since an earlier reading.
    fn interval(&self, quiet: &mut QuietIntervals, earlier: &Reading, commits: u64) -> Result<Reading, EngineError> {
        let later = self.look(Some(earlier))?;
        // If the syncs cannot be read, the interval counts as one with page writes.
        let (syncs, of_data) = syncs(earlier, &later).unwrap_or((0, 1));
        quiet.add(Interval { commits, syncs, of_data, ns: later.at_ns.saturating_sub(earlier.at_ns) });
        Ok(later)
    }

    fn look(&self, earlier: Option<&Reading>) -> Result<Reading, EngineError> {
        let counted = self.context.engine.point_statistics(earlier.map(|look| &look.counted))?;
        Ok(Reading { counted, brought: self.brought(), at_ns: self.context.clock.now_ns() })
    }

    fn brought(&self) -> Option<Vec<u64>> {
        self.device.as_ref().ok().and_then(|(flushes, _)| flushes.now().ok())
    }

    /// Syncs according to the engine. An engine inside this process counts its commits as syncs.
    fn log(&self, idle: &Reading, before: &Reading, after: &Reading) -> Result<LogSyncs, String> {
        if self.context.engine.features().in_process {
            return Err("the engine works inside dbdyno and counts no syncs that anybody else has seen".to_owned());
        }
        let (most, of_data) = syncs(before, after)?;
        let (others, _) = syncs(idle, before)?;
        Ok(LogSyncs { most, of_data, foreign_per_s: others as f64 / seconds(idle, before).max(1e-9), quiet: None })
    }

    fn devices(&self, idle: &Reading, before: &Reading, after: &Reading) -> Result<DeviceWrites, String> {
        let (flushes, is_log) = self.device.as_ref().map_err(Clone::clone)?;
        let unreadable = || "the devices' counts could not be read".to_owned();
        let [idle_count, first, last] = [idle, before, after].map(|look| look.brought.as_ref());
        let (Some(idle_count), Some(first), Some(last)) = (idle_count, first, last) else { return Err(unreadable()) };
        let brought = flushes.between(first, last)?;
        let others = flushes.between(idle_count, first)?;
        Ok(DeviceWrites {
            names: flushes.names(),
            is_log: *is_log,
            counts: brought.counts,
            count: brought.count,
            foreign_per_s: others.count as f64 / seconds(idle, before).max(1e-9),
        })
    }
}

/// Upper bounds for the syncs of the log according to the engine, and for those of data files among them.
fn syncs(earlier: &Reading, later: &Reading) -> Result<(u64, u64), String> {
    const OF_LOG: [Counter; 2] = [Counter::LogSyncs, Counter::RedoSyncs];
    let counted = |counters: &Counters| OF_LOG.iter().find_map(|counter| counters.get(*counter));
    let (earlier, later) = (&earlier.counted, &later.counted);
    // A counter that has never moved does not count; one that went back was reset.
    if counted(&later.counters).is_some_and(|n| n == 0 || Some(n) < counted(&earlier.counters)) {
        return Err("the engine's count of syncs does not move, or was set anew".to_owned());
    }
    let counters = later.since(earlier);
    let of_data = counters.get(Counter::DataSyncs).unwrap_or(0);
    counted(&counters).map(|most| (most, of_data)).ok_or_else(|| {
        let why = OF_LOG.iter().find_map(|counter| counters.missing.get(counter));
        why.map_or("the engine does not count syncs of its log", String::as_str).to_owned()
    })
}

fn seconds(earlier: &Reading, later: &Reading) -> f64 {
    later.at_ns.saturating_sub(earlier.at_ns) as f64 / 1e9
}
