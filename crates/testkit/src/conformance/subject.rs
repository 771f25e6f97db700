//! The engine under test, and its points played once.

use super::catalogue;
use dbdyno_engine::{ChunkResult, Engine, LoadWatch, PointSpec, Prepared, Request, Sampling, Session};
use dbdyno_model::{CommitMode, Counter, Counters, Drive, Mapping, Size, Test};
use std::collections::BTreeSet;

/// The engine under test.
pub struct EngineUnderTest<'a> {
    /// Opens the engine on the one target of this subject.
    pub open: &'a dyn Fn() -> Box<dyn Engine>,
    /// How it realises a test.
    pub mapping: &'a dyn Fn(&Test) -> Mapping,
    /// Everything in the target's schema, whoever made it, and files beside it, if there are any.
    pub schema: &'a dyn Fn() -> BTreeSet<String>,
    /// Counters that this engine reports as missing.
    pub uncounted: &'a [Counter],
    /// Size class of the data.
    pub size: Size,
    /// Seed.
    pub seed: u64,
}

impl EngineUnderTest<'_> {
    /// Tests that the engine supports, with every procedure and table that they need.
    pub fn tests(&self) -> Vec<Test> {
        let mut tests = catalogue::tests();
        tests.retain(|test| !matches!((self.mapping)(test), Mapping::None { .. }));
        assert!(tests.len() > 10, "an engine that maps next to nothing proves nothing");
        tests
    }

    /// A specification on this engine's data.
    pub fn spec(&self, test: &Test, jobs: u32) -> PointSpec {
        spec(test, &self.size, self.seed, jobs)
    }

    /// Loads the data unless it is there.
    pub fn load(&self) {
        (self.open)().load(&self.size, self.seed, 2, true, &NoProgress).unwrap();
    }
}

/// A specification with the test's rows per transaction. Its keys have another seed than its data, as in a run.
pub fn spec(test: &Test, size: &Size, seed: u64, jobs: u32) -> PointSpec {
    let (test, size, rows_per_tx) = (test.clone(), size.clone(), test.rows_per_tx.unwrap_or(0));
    let key_seed = seed ^ 0x6b65_7973;
    let sampling = Sampling::default();
    PointSpec {
        test,
        size,
        seed,
        key_seed,
        nodes: 1,
        jobs,
        jobs_before: 0,
        jobs_after: 0,
        threads: 1,
        rows_per_tx,
        commit: CommitMode::Durable,
        drive: Drive::Server,
        sampling,
    }
}

/// A listener that does nothing and stops nothing.
pub struct NoProgress;

impl LoadWatch for NoProgress {
    fn progress(&self, _: &str, _: u64, _: u64) {}
    fn cancelled(&self) -> bool {
        false
    }
}

/// One point, run chunk by chunk: the passes of each job's chunks, with all jobs at the same time.
pub struct PlayedPoint {
    /// Sum over all chunks.
    pub sum: ChunkResult,
    /// What the engine counted meanwhile; empty from `play_uncounted`.
    pub counted: Counters,
    /// Plans and problems of each job.
    pub problems: Vec<String>,
    /// The plan of the first job.
    pub plan: Option<String>,
}

/// Runs a point: `cuts` are the passes of each chunk, the same for every job.
pub fn play(engine: &dyn Engine, spec: &PointSpec, cuts: &[u64]) -> PlayedPoint {
    played(engine, spec, cuts, true)
}

/// The same without asking for the engine's counts, which takes long on some engines.
pub fn play_uncounted(engine: &dyn Engine, spec: &PointSpec, cuts: &[u64]) -> PlayedPoint {
    played(engine, spec, cuts, false)
}

/// Begins a point: its prepared sessions, and the result of preparing them, which is the same for all.
pub fn begun(engine: &dyn Engine, spec: &PointSpec) -> (Vec<Box<dyn Session>>, Prepared) {
    engine.begin_point(spec).unwrap();
    let session = |job| match spec.drive {
        Drive::Server => engine.session(job, 1).unwrap(),
        Drive::Client => engine.client_session(job, 1).unwrap(),
    };
    let mut sessions: Vec<_> = spec.job_numbers().map(session).collect();
    let mut found = Prepared::default();
    for (job, session) in spec.job_numbers().zip(&mut sessions) {
        let prepared = session.prepare(spec, job).unwrap_or_else(|e| panic!("{}: {e}", spec.test.code));
        found.problems.extend(prepared.problems);
        found.plan = found.plan.or(prepared.plan);
        found.form = found.form.or(prepared.form);
    }
    (sessions, found)
}

fn played(engine: &dyn Engine, spec: &PointSpec, cuts: &[u64], counting: bool) -> PlayedPoint {
    let (mut sessions, Prepared { problems, plan, .. }) = begun(engine, spec);
    if counting {
        sessions.iter_mut().for_each(|session| session.flush().unwrap());
    }
    let before = counting.then(|| engine.point_statistics(None).unwrap());
    let results: Vec<ChunkResult> = std::thread::scope(|scope| {
        let jobs: Vec<_> = sessions
            .iter_mut()
            .map(|session| {
                scope.spawn(move || {
                    let mut first_pass = 0;
                    let mut sum = ChunkResult::default();
                    for passes in cuts.iter().copied() {
                        let chunk = session.execute(&Request::Chunk { first_pass, passes });
                        let chunk = chunk.unwrap_or_else(|e| panic!("{}: {}", spec.test.code, e.error));
                        sum = merge(sum, chunk);
                        first_pass += passes;
                    }
                    if counting {
                        session.flush().unwrap();
                    }
                    sum
                })
            })
            .collect();
        jobs.into_iter().map(|job| job.join().unwrap()).collect()
    });
    let counted = before.map(|before| engine.evidence(&before).unwrap()).unwrap_or_default();
    drop(sessions);
    engine.end_point(spec).unwrap();
    PlayedPoint { sum: results.into_iter().fold(ChunkResult::default(), merge), counted, problems, plan }
}

/// The sum of two chunks.
pub fn merge(a: ChunkResult, b: ChunkResult) -> ChunkResult {
    ChunkResult {
        ops: a.ops + b.ops,
        rows: a.rows + b.rows,
        bytes: a.bytes + b.bytes,
        checksum: a.checksum.wrapping_add(b.checksum),
    }
}
