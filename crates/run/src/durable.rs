//! Whether commits are durable, by what is seen and not by settings alone. Once a run, before its first writing point,
//! one session commits a few hundred transactions into a table of its own, one after the other. No two of them can
//! share a sync, so the engine must have synced its log, and the devices below it must have been flushed, at least once
//! for each but the last. What others sync is looked at for a second before: where that is much, nothing is proved.

mod evidence;
mod quiet;

use crate::Bench;
use crate::point::{go_on, settle};
use crate::work::{PlannedWork, Work};
use dbdyno_engine::{
    Durability, DurablePlaces, Engine, EngineError, PointSpec, PointStatistics, Request, Sampling, Session,
};
use dbdyno_model::{
    CommitMode, CommitProof, Commits, Counter, Counters, Dop, Drive, ErrorClass, Flag, Mapping, PlannedPoint, Point,
    ProcedureShape, ProofOutcome, Subject,
};
use dbdyno_probe::Flushes;
use dbdyno_workload::{About, Alone};
use evidence::{Device, Log, Seen};
use quiet::{Quiet, Stretch};

/// Commits that a proof is made of, at least.
const COMMITS: u64 = 200;
/// Passes of one call.
const PASSES: u64 = 20;
/// How long they may take.
const LIMIT_NS: u64 = 20_000_000_000;
/// How long what others do is looked at, and in which steps, so that a stop is heard.
const LOOK_NS: u64 = 1_000_000_000;
const STEP_NS: u64 = 100_000_000;
/// How often a proof is tried while others are too busy.
const ATTEMPTS: u32 = 3;
/// Stretches of commits that an attempt takes at most to find enough without pages among them.
const STRETCHES: u64 = 60;

/// The proofs of a run, one for each way of committing that its points ask for.
#[derive(Debug, Default)]
pub(crate) struct Proofs(Vec<(CommitMode, CommitProof)>);

impl Proofs {
    /// The proof that counts for a point; made where it is the first that needs it. None for a point that writes
    /// nothing, or whose commits are unsafe by what the engine says already.
    ///
    /// # Errors
    /// The target was lost meanwhile.
    pub(crate) fn of(&mut self, bench: &Bench<'_>, planned: &PlannedPoint) -> Result<Option<CommitProof>, EngineError> {
        let workload = match &planned.subject {
            Subject::Workload(name) => bench.workload(name.as_str()),
            Subject::Test(_) | Subject::Storage(_) => None,
        };
        let test = planned.subject.test().and_then(|code| bench.catalogue.test(code.as_str()).ok());
        let writes = workload.is_some_and(|loaded| loaded.dialect.workload().about().writes())
            || test.is_some_and(|test| test.procedure.writes());
        if !writes || matches!(planned.mapping, Mapping::None { .. }) {
            return Ok(None);
        }
        // What the engine does not say now it does not say to the point either, which then tells why.
        let Ok(said) = durability(bench.engine, planned.commit, planned.drive) else { return Ok(None) };
        if !said.unsafe_settings.is_empty() || !said.by_default.is_empty() {
            return Ok(None);
        }
        // What a client sends waits for its commit; so do procedures that are told to.
        let commit = if planned.drive == Drive::Client { CommitMode::Durable } else { planned.commit };
        if let Some((_, proof)) = self.0.iter().find(|(mode, _)| *mode == commit) {
            return Ok(Some(proof.clone()));
        }
        let alone = PlannedPoint { dop: Dop::ONE, commit, ..planned.clone() };
        let work = match workload {
            Some(_) => PlannedWork::of(bench, &alone).ok(),
            None => spec(bench, commit).map(Box::new).map(PlannedWork::Test),
        };
        let Some(work) = work else { return Ok(None) };
        let proof = match prove(bench, work.work()) {
            Ok(proof) => proof,
            Err(error) if error.target_lost() => return Err(error.while_doing("proving that commits are durable")),
            Err(error) => CommitProof {
                seen: format!("the proof that commits are durable could not be made: {error}"),
                ..evidence::nothing()
            },
        };
        // What others prevented may succeed at the next point that writes.
        if proof.outcome != ProofOutcome::NotProved || is_blind(bench.engine, &proof) {
            self.0.push((commit, proof.clone()));
        }
        Ok(Some(proof))
    }
}

/// Notes a proof on a point whose commits it is about.
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

/// How durable commits are by what the engine says, and by where its files lie.
pub(crate) fn durability(engine: &dyn Engine, commit: CommitMode, drive: Drive) -> Result<Durability, EngineError> {
    let mut durability = engine.durability(commit, drive)?;
    let places = engine.durable_places();
    for why in places.data.iter().chain(&places.log).filter_map(|place| dbdyno_probe::forgetful(place)) {
        if !durability.unsafe_settings.contains(&why) {
            durability.unsafe_settings.push(why);
        }
    }
    Ok(durability)
}

/// Looks again after a point at what it was told before: whoever changed a setting meanwhile changed what its commits
/// wait for.
pub(crate) fn look_again(engine: &dyn Engine, work: Work<'_>, point: &mut Point, told: &mut Durability) {
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

/// The commits of one session: conventional inserts into a table of their own, on the first table that the engine has
/// them for. None where it has no tables.
fn spec(bench: &Bench<'_>, commit: CommitMode) -> Option<PointSpec> {
    let tables = bench.engine.tables();
    let fits = |table| tables.contains(&table);
    let test = bench.catalogue.tests().iter();
    let test = test.filter(|t| t.procedure.shape == ProcedureShape::Insert).find(|t| t.table.is_some_and(fits))?;
    Some(PointSpec {
        rows_per_tx: test.rows_per_tx.unwrap_or(1),
        test: test.clone(),
        size: bench.size.clone(),
        seed: bench.seed,
        key_seed: bench.seed,
        nodes: 1,
        jobs: 1,
        jobs_before: 0,
        jobs_after: 0,
        threads: 1,
        commit,
        drive: Drive::Server,
        sampling: Sampling::Off,
    })
}

fn prove(bench: &Bench<'_>, work: Work<'_>) -> Result<CommitProof, EngineError> {
    bench.stop.at_work(bench.engine.canceller().into_iter().collect());
    settle(bench)?;
    let begun = work.begin(bench.engine);
    bench.stop.at_work(Vec::new());
    let proof = begun.and_then(|()| commit_and_count(bench, work));
    bench.stop.at_work(Vec::new());
    let ended = work.end(bench.engine);
    proof.and_then(|proof| ended.map(|()| proof))
}

fn commit_and_count(bench: &Bench<'_>, work: Work<'_>) -> Result<CommitProof, EngineError> {
    let mut session = work.session(bench.engine, 0)?;
    bench.stop.also_at_work(session.canceller());
    let prepared = work.prepare(session.as_mut(), 0)?;
    if let Some(problem) = prepared.problems.first() {
        return Err(EngineError::new(ErrorClass::Other, problem.clone()));
    }
    let device = device(bench.engine);
    let committer = match work {
        Work::Test(spec) => {
            Committer::Calls { session, passes: 0, per_op: spec.test.commits_per_op(spec.rows_per_tx).unwrap_or(1) }
        }
        Work::Workload(work) => {
            let workload = work.loaded.dialect.workload();
            Committer::Program { alone: Alone::new(session, workload.program(work.user(0))), about: workload.about() }
        }
    };
    let mut worker = Worker { bench, committer, device, in_stretches: false };
    // The first commits make files longer, and fill caches.
    worker.commit(PASSES)?;
    let mut proof = worker.attempt()?;
    for _ in 1..ATTEMPTS {
        if proof.outcome != ProofOutcome::NotProved || is_blind(bench.engine, &proof) {
            break;
        }
        proof = worker.attempt()?;
    }
    Ok(proof)
}

/// The disks below the log, or why they cannot be seen. Where the log's own place, or what lies below it, is not known,
/// any disk of the machine may be it: that can prove, and never refute.
fn device(engine: &dyn Engine) -> Result<(Flushes, bool), String> {
    if !engine.features().local {
        return Err("its devices are not seen from here".to_owned());
    }
    let DurablePlaces { log, synced_by_writing, .. } = engine.durable_places();
    let of_machine = || Flushes::of_machine(synced_by_writing).map(|flushes| (flushes, false));
    match (!log.is_empty()).then(|| Flushes::below(&log, synced_by_writing)) {
        Some(Ok(flushes)) => Ok((flushes, true)),
        // What cannot be seen below the log is the reason to tell, if the machine shows nothing either.
        Some(Err(why)) => of_machine().map_err(|_| why),
        None => of_machine(),
    }
}

/// Whether trying again shows nothing more.
fn is_blind(engine: &dyn Engine, proof: &CommitProof) -> bool {
    match engine.features().local {
        true => proof.device_count.is_none(),
        false => proof.log_syncs.is_none(),
    }
}

/// Who commits: a test's procedure, or a workload's program.
enum Committer {
    Calls { session: Box<dyn Session>, passes: u64, per_op: u64 },
    Program { alone: Alone, about: &'static About },
}

impl Committer {
    /// Commits some times more; how often it was.
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
    bench: &'b Bench<'b>,
    committer: Committer,
    /// The disks, and whether they are known to be the log's.
    device: Result<(Flushes, bool), String>,
    /// Whether only stretches of commits count in which no page was written.
    in_stretches: bool,
}

/// What was counted up to a moment.
struct Look {
    counted: PointStatistics,
    brought: Option<Vec<u64>>,
    at_ns: u64,
}

impl Worker<'_> {
    /// Commits at least so many times; how often it was.
    fn commit(&mut self, at_least: u64) -> Result<u64, EngineError> {
        let (mut commits, began_ns) = (0, self.bench.clock.now_ns());
        while commits < at_least && self.bench.clock.now_ns().saturating_sub(began_ns) < LIMIT_NS {
            go_on(self.bench)?;
            commits += self.committer.commit()?;
        }
        Ok(commits)
    }

    fn attempt(&mut self) -> Result<CommitProof, EngineError> {
        self.committer.session().flush()?;
        if self.in_stretches {
            return self.attempt_in_stretches();
        }
        let idle = self.look(None)?;
        let until_ns = idle.at_ns + LOOK_NS;
        while self.bench.clock.now_ns() < until_ns {
            go_on(self.bench)?;
            self.bench.clock.sleep_ns(STEP_NS);
        }
        let before = self.look(Some(&idle))?;
        let commits = self.commit(COMMITS)?;
        // The devices first: an engine may take its time to count.
        let (brought, at_ns) = (self.brought(), self.bench.clock.now_ns());
        self.committer.session().flush()?;
        let after = Look { counted: self.bench.engine.point_statistics(Some(&before.counted))?, brought, at_ns };
        let seen = Seen {
            commits,
            elapsed_s: seconds(&before, &after),
            local: self.bench.engine.features().local,
            log: self.log(&idle, &before, &after),
            device: self.devices(&idle, &before, &after),
        };
        self.in_stretches = self.device.is_err() && seen.log.as_ref().is_ok_and(|log| log.of_data > 0);
        Ok(if commits < COMMITS { seen.too_few() } else { seen.judge() })
    }

    /// The same where pages were written meanwhile, whose syncs the engine counts with those of its log.
    fn attempt_in_stretches(&mut self) -> Result<CommitProof, EngineError> {
        let (mut idle, mut busy, mut last) = (Quiet::default(), Quiet::default(), self.look(None)?);
        for _ in 0..LOOK_NS / STEP_NS {
            go_on(self.bench)?;
            self.bench.clock.sleep_ns(STEP_NS);
            last = self.stretch(&mut idle, &last, 0)?;
        }
        let began_ns = last.at_ns;
        while busy.sum.commits < COMMITS && busy.of < STRETCHES && last.at_ns.saturating_sub(began_ns) < LIMIT_NS {
            let commits = self.commit(PASSES)?;
            last = self.stretch(&mut busy, &last, commits)?;
        }
        let (most, foreign_per_s) = (busy.sum.syncs, idle.syncs_per_s());
        let seen = Seen {
            commits: busy.sum.commits,
            elapsed_s: busy.seconds(),
            local: self.bench.engine.features().local,
            log: Ok(Log { most, of_data: 0, foreign_per_s, quiet: Some((busy.stretches, busy.of)) }),
            device: self.device.as_ref().map_err(Clone::clone).and(Err("not looked at".to_owned())),
        };
        Ok(if busy.sum.commits < COMMITS { seen.too_few() } else { seen.judge() })
    }

    /// What was counted since an earlier look.
    fn stretch(&self, quiet: &mut Quiet, earlier: &Look, commits: u64) -> Result<Look, EngineError> {
        let later = self.look(Some(earlier))?;
        // What cannot be told is taken for pages.
        let (syncs, of_data) = syncs(earlier, &later).unwrap_or((0, 1));
        quiet.add(Stretch { commits, syncs, of_data, ns: later.at_ns.saturating_sub(earlier.at_ns) });
        Ok(later)
    }

    fn look(&self, earlier: Option<&Look>) -> Result<Look, EngineError> {
        let counted = self.bench.engine.point_statistics(earlier.map(|look| &look.counted))?;
        Ok(Look { counted, brought: self.brought(), at_ns: self.bench.clock.now_ns() })
    }

    fn brought(&self) -> Option<Vec<u64>> {
        self.device.as_ref().ok().and_then(|(flushes, _)| flushes.now().ok())
    }

    /// Syncs by the engine's own count. An engine inside this process counts its commits, and calls them syncs.
    fn log(&self, idle: &Look, before: &Look, after: &Look) -> Result<Log, String> {
        if self.bench.engine.features().in_process {
            return Err("the engine works inside dbdyno and counts no syncs that anybody else has seen".to_owned());
        }
        let (most, of_data) = syncs(before, after)?;
        let (others, _) = syncs(idle, before)?;
        Ok(Log { most, of_data, foreign_per_s: others as f64 / seconds(idle, before).max(1e-9), quiet: None })
    }

    fn devices(&self, idle: &Look, before: &Look, after: &Look) -> Result<Device, String> {
        let (flushes, is_log) = self.device.as_ref().map_err(Clone::clone)?;
        let unreadable = || "the devices' counts could not be read".to_owned();
        let [idle_count, first, last] = [idle, before, after].map(|look| look.brought.as_ref());
        let (Some(idle_count), Some(first), Some(last)) = (idle_count, first, last) else { return Err(unreadable()) };
        let brought = flushes.between(first, last)?;
        let others = flushes.between(idle_count, first)?;
        Ok(Device {
            names: flushes.names(),
            is_log: *is_log,
            counts: brought.counts,
            count: brought.count,
            foreign_per_s: others.count as f64 / seconds(idle, before).max(1e-9),
        })
    }
}

/// Syncs of the log by the engine's own count, at most, and those of them that may be of data files.
fn syncs(earlier: &Look, later: &Look) -> Result<(u64, u64), String> {
    const OF_LOG: [Counter; 2] = [Counter::LogSyncs, Counter::RedoSyncs];
    let counted = |counters: &Counters| OF_LOG.iter().find_map(|counter| counters.get(*counter));
    let (earlier, later) = (&earlier.counted, &later.counted);
    // A count that has never moved is none, and one that went back was set anew.
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

fn seconds(earlier: &Look, later: &Look) -> f64 {
    later.at_ns.saturating_sub(earlier.at_ns) as f64 / 1e9
}
