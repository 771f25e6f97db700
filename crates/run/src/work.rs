//! What a point's sessions do: the work of a test, or a workload's program. Measuring and judging ask [`PointWork`] for
//! what both have; [`PointWork::test`] has what only a test has.

use crate::client::{Executed, LogonSession};
use crate::readings::FollowedWork;
use crate::{LoadedWorkload, RunContext, Share, TypeResult, WorkLog};
use dbdyno_engine::client::{Bound, Statements, Values, unsupported};
use dbdyno_engine::data::mix;
use dbdyno_engine::program::{Program, TransactionType};
use dbdyno_engine::{Engine, EngineError, PointSpec, Prepared, ProgramSpec, Request, Session};
use dbdyno_model::{
    Cache, ClientLoad, CommitMode, Dop, Drive, Logon, Parameters, PlannedPoint, Rate, RepeatMode, StatementCounts,
    Subject, Test,
};
use dbdyno_stats::Types;
use dbdyno_workload::{TargetWorkload, User};
use std::ops::Range;

/// A point of a workload.
#[derive(Debug, Clone)]
pub(crate) struct WorkloadSpec<'a> {
    pub(crate) loaded: &'a LoadedWorkload,
    /// Whether users send each statement or call a procedure; dbdyno drives both.
    pub(crate) form: Drive,
    pub(crate) program: ProgramSpec,
    /// Which of the users are at work here.
    pub(crate) share: Share,
    pub(crate) types: Vec<TransactionType>,
    pub(crate) logon: Logon,
    pub(crate) parameters: &'a Parameters,
    /// How many transactions each user does; `None` where users work as long as the window lasts.
    pub(crate) transactions_each: Option<u64>,
}

impl WorkloadSpec<'_> {
    /// The program of a user.
    pub(crate) fn program(&self, number: u32) -> Box<dyn Program> {
        self.loaded.dialect.workload().program(self.user(number), self.types.clone())
    }

    /// What was executed, by kind.
    pub(crate) fn statements(&self, executed: &Executed) -> StatementCounts {
        let by_kind = self.loaded.dialect.by_kind(self.form, &executed.by_statement);
        let logon = (!self.logon.is_kept()).then_some(executed.logons);
        StatementCounts { commit: executed.commits, rollback: executed.rollbacks, logon, ..by_kind }
    }

    fn user(&self, number: u32) -> User {
        let (jobs, key_seed) = (self.share.jobs_in_all(), self.program.key_seed);
        let (data, parameters) = (self.loaded.data.clone(), self.parameters.clone());
        User { number, of: jobs, seed: key_seed, data, parameters, form: self.form }
    }

    pub(crate) fn target_workload<'s>(&'s self, engine: &'s dyn Engine) -> TargetWorkload<'s> {
        TargetWorkload::new(engine, &self.loaded.dialect)
    }
}

/// The work that a planned point's sessions will do.
pub(crate) enum PlannedWork<'a> {
    Test(Box<PointSpec>),
    Workload(WorkloadSpec<'a>),
}

impl<'a> PlannedWork<'a> {
    /// The work of a planned point.
    ///
    /// # Errors
    /// The test or workload is not known, or not loaded.
    pub(crate) fn of(context: &'a RunContext<'_>, planned: &'a PlannedPoint) -> Result<Self, String> {
        Self::of_share(context, planned, Share::whole(planned))
    }

    /// The same for one of several hosts.
    ///
    /// # Errors
    /// As for [`PlannedWork::of`].
    pub(crate) fn of_share(
        context: &'a RunContext<'_>,
        planned: &'a PlannedPoint,
        share: Share,
    ) -> Result<Self, String> {
        let key_seed = key_seed(context.seed, planned);
        match &planned.subject {
            Subject::Test(code) => {
                let test = context.catalogue.test(code.as_str()).map_err(|error| error.to_string())?;
                let Share { jobs_before, jobs, jobs_after, .. } = share;
                let spec = point_spec(context, test, planned);
                Ok(Self::Test(Box::new(PointSpec { key_seed, jobs_before, jobs, jobs_after, ..spec })))
            }
            Subject::Workload(name) => {
                let loaded = context.workload(name.as_str());
                let loaded = loaded.ok_or_else(|| format!("the workload {} is not loaded here", name.as_str()))?;
                let program = ProgramSpec {
                    work: name.as_str().to_owned(),
                    key_seed,
                    nodes: planned.dop.nodes,
                    jobs: share.jobs,
                    commit: planned.commit,
                    sampling: context.sampling,
                };
                let parameters = &planned.parameters;
                let types = loaded.dialect.workload().types_of(planned.mix.as_ref(), parameters);
                let ClientLoad { logon, transactions_each, .. } = planned.load;
                let form = planned.drive;
                Ok(Self::Workload(WorkloadSpec {
                    loaded,
                    form,
                    program,
                    share,
                    types,
                    logon,
                    parameters,
                    transactions_each,
                }))
            }
            Subject::Storage(_) => Err("storage is not measured on a database".to_owned()),
        }
    }

    /// The same, borrowed.
    pub(crate) fn work(&self) -> PointWork<'_> {
        match self {
            Self::Test(spec) => PointWork::Test(spec),
            Self::Workload(workload) => PointWork::Workload(workload),
        }
    }
}

/// What the jobs of a test's point have to do, with the keys of the run.
pub(crate) fn point_spec(context: &RunContext<'_>, test: &Test, planned: &PlannedPoint) -> PointSpec {
    PointSpec {
        test: test.clone(),
        size: context.size.clone(),
        seed: context.seed,
        key_seed: context.seed,
        nodes: planned.dop.nodes,
        jobs: planned.dop.jobs,
        jobs_before: 0,
        jobs_after: 0,
        threads: planned.dop.threads,
        rows_per_tx: planned.rows_per_tx,
        commit: planned.commit,
        drive: planned.drive,
        sampling: context.sampling,
    }
}

/// Every point has its own keys. A repeat or a higher DOP with the same keys in the same order would find the blocks in
/// caches below the operating system.
fn key_seed(seed: u64, planned: &PlannedPoint) -> u64 {
    let Dop { nodes, jobs, threads } = planned.dop;
    // Points that are measured again have other keys than the first time.
    let seed = if planned.again { mix(!seed) } else { seed };
    let point = [planned.repeat, nodes, jobs, threads].iter().fold(seed, |seed, n| mix(seed ^ u64::from(*n)));
    match planned.load.rate {
        None => point,
        Some(Rate::PerS { thousandths }) => mix(point ^ thousandths),
        Some(Rate::Share { pct }) => mix(point ^ u64::from(pct)),
    }
}

/// The work of a point's sessions.
#[derive(Debug, Clone, Copy)]
pub(crate) enum PointWork<'a> {
    Test(&'a PointSpec),
    Workload(&'a WorkloadSpec<'a>),
}

impl<'a> PointWork<'a> {
    /// The specification of a test, if the work is a test.
    pub(crate) fn test(self) -> Option<&'a PointSpec> {
        if let Self::Test(spec) = self { Some(spec) } else { None }
    }

    /// Who runs the loop. For a workload it is dbdyno, also where it calls a procedure for each transaction.
    pub(crate) fn driven_by(self) -> Drive {
        self.test().map_or(Drive::Client, |spec| spec.drive)
    }

    pub(crate) fn commit(self) -> CommitMode {
        match self {
            Self::Test(spec) => spec.commit,
            Self::Workload(work) => work.program.commit,
        }
    }

    pub(crate) fn jobs(self) -> u32 {
        match self {
            Self::Test(spec) => spec.jobs,
            Self::Workload(work) => work.program.jobs,
        }
    }

    pub(crate) fn job_numbers(self) -> Range<u32> {
        match self {
            Self::Test(spec) => spec.job_numbers(),
            Self::Workload(work) => work.share.job_numbers(),
        }
    }

    /// Jobs of the point on all hosts together.
    pub(crate) fn jobs_in_all(self) -> u32 {
        match self {
            Self::Test(spec) => spec.jobs_in_all(),
            Self::Workload(work) => work.share.jobs_in_all(),
        }
    }

    pub(crate) fn nodes(self) -> u32 {
        match self {
            Self::Test(spec) => spec.nodes,
            Self::Workload(work) => work.program.nodes,
        }
    }

    pub(crate) fn key_seed(self) -> u64 {
        match self {
            Self::Test(spec) => spec.key_seed,
            Self::Workload(work) => work.program.key_seed,
        }
    }

    pub(crate) fn repeat_mode(self) -> RepeatMode {
        self.test().map_or(RepeatMode::Chunks, |spec| spec.test.repeat_mode)
    }

    /// How many transactions each user does, where that ends the point.
    pub(crate) fn transactions_each(self) -> Option<u64> {
        if let Self::Workload(work) = self { work.transactions_each } else { None }
    }

    pub(crate) fn cache(self) -> Cache {
        match self {
            Self::Test(spec) => spec.test.cache,
            Self::Workload(work) if work.loaded.dialect.workload().about().row_is_block => Cache::NonCached,
            Self::Workload(_) => Cache::Any,
        }
    }

    /// Whether it writes.
    pub(crate) fn writes(self) -> bool {
        match self {
            Self::Test(spec) => spec.test.procedure.writes(),
            Self::Workload(work) => work.loaded.dialect.workload().about().writes(&work.types),
        }
    }

    pub(crate) fn is_transactional(self) -> bool {
        self.test().is_none_or(|spec| spec.test.procedure.transactional)
    }

    /// Whether it reads or changes the tables of tests.
    pub(crate) fn uses_tables(self) -> bool {
        self.test().is_some_and(|spec| !spec.test.procedure.is_cpu())
    }

    /// Commits of the work that the log must keep, where the number is known.
    pub(crate) fn commits(self, log: &WorkLog, types: &[TypeResult]) -> Option<u64> {
        match self {
            Self::Test(spec) => spec.test.commits_per_op(spec.rows_per_tx).map(|per_op| per_op * log.total_ops()),
            Self::Workload(work) => {
                let commits = work.loaded.dialect.workload().about().commits;
                Some(
                    types
                        .iter()
                        .zip(commits)
                        .map(|(of_type, commits)| (of_type.outcomes.ok - of_type.outcomes.rolled_back) * commits)
                        .sum(),
                )
            }
        }
    }

    /// Commits that a server may count for an operation, at most, where that is known: what commits nothing itself may
    /// be a transaction of its own all the same, as may each parallel worker.
    pub(crate) fn most_commits_per_op(self) -> Option<f64> {
        let Self::Test(spec) = self else { return None };
        if spec.threads > 1 {
            return None;
        }
        let of_log = spec.test.commits_per_op(spec.rows_per_tx).unwrap_or(0);
        let executed =
            if spec.drive == Drive::Client { spec.test.executions_per_op(spec.rows_per_tx).max(1) } else { 0 };
        Some(of_log.max(executed) as f64)
    }

    /// The transaction types as they are shown while sessions work.
    pub(crate) fn followed(self) -> Vec<FollowedWork> {
        match self {
            Self::Test(spec) => {
                vec![FollowedWork { name: spec.test.code.to_string(), commits: self.most_commits_per_op() }]
            }
            Self::Workload(work) => {
                let about = work.loaded.dialect.workload().about();
                // Logging on is work of its own.
                let is_known = about.nothing_outside && work.logon.is_kept();
                let of = |(of, commits): (&TransactionType, &u64)| FollowedWork {
                    name: of.name.clone(),
                    commits: is_known.then(|| (*commits).max(1) as f64),
                };
                work.types.iter().zip(about.commits).map(of).collect()
            }
        }
    }

    /// Rows of an operation, where all operations have the same number.
    pub(crate) fn rows_per_op(self) -> Option<u64> {
        self.test().and_then(|spec| spec.test.rows_per_op(&spec.size, spec.rows_per_tx))
    }

    /// Whether its operations touch rows.
    pub(crate) fn has_rows(self) -> bool {
        matches!(self, Self::Workload(_)) || self.rows_per_op().is_some()
    }

    /// Upper bound for the rows that a failed statement touched.
    pub(crate) fn rows_per_statement(self) -> u64 {
        let executions = self.test().map_or(1, |spec| spec.test.executions_per_op(spec.rows_per_tx));
        self.rows_per_op().unwrap_or(0) / executions.max(1)
    }

    /// The transaction types.
    pub(crate) fn types(self) -> Types {
        match self {
            Self::Test(_) => Types::ONE,
            Self::Workload(work) => Types::new(work.types.len()).unwrap_or(Types::ONE),
        }
    }

    pub(crate) fn begin(self, engine: &dyn Engine) -> Result<(), EngineError> {
        match self {
            Self::Test(spec) => engine.begin_point(spec),
            Self::Workload(work) => {
                if work.form == Drive::Server {
                    work.target_workload(engine).renew_procedures(&work.loaded.data)?;
                }
                engine.begin_program(&work.program)
            }
        }
    }

    pub(crate) fn end(self, engine: &dyn Engine) -> Result<(), EngineError> {
        match self {
            Self::Test(spec) => engine.end_point(spec),
            Self::Workload(work) => engine.end_program(&work.program),
        }
    }

    /// A session that is kept.
    pub(crate) fn kept_session(self, engine: &dyn Engine, job: u32) -> Result<Box<dyn Session>, EngineError> {
        match self.driven_by() {
            Drive::Server => engine.session(job, self.nodes()),
            Drive::Client => engine.client_session(job, self.nodes()),
        }
    }

    /// The session of a job or user, or what stands for the sessions that a user opens.
    pub(crate) fn users_session<'e>(
        self,
        engine: &'e dyn Engine,
        job: u32,
    ) -> Result<Box<dyn Session + 'e>, EngineError> {
        match self {
            Self::Workload(work) if !work.logon.is_kept() => {
                Ok(Box::new(LogonSession::new(engine, job, work.program.nodes)))
            }
            _ => Ok(self.kept_session(engine, job)?),
        }
    }

    /// Prepares a session for the work.
    pub(crate) fn prepare(self, session: &mut dyn Session, job: u32) -> Result<Prepared, EngineError> {
        match self {
            Self::Test(spec) => {
                let prepared = session.prepare(spec, job)?;
                let formless = spec.drive == Drive::Client && prepared.form.is_none() && prepared.problems.is_empty();
                if formless { Err(unsupported()) } else { Ok(prepared) }
            }
            Self::Workload(work) => {
                let (dialect, commit) = (&work.loaded.dialect, work.program.commit);
                set_up(session, &dialect.session_settings(commit))?;
                session.prepare_statements(&dialect.statements_of(&work.user(job), commit)?)?;
                Ok(Prepared::default())
            }
        }
    }
}

/// Executes what each session of a workload sets for itself.
fn set_up(session: &mut dyn Session, settings: &Statements) -> Result<(), EngineError> {
    if settings.texts.is_empty() {
        return Ok(());
    }
    session.prepare_statements(settings)?;
    let values = Values::new();
    (0..settings.texts.len()).try_for_each(|statement| {
        let request = Request::Statement(Bound { statement, values: &values, times: 1, opens: false });
        session.execute(&request).map(drop).map_err(|failure| failure.error)
    })
}
