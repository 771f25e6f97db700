//! The null engine: does nothing, takes as long as it is told, and counts honestly. It shows dbdyno's own cost and
//! drives the tests of the scheduler. Its target is hidden: `null:?speed=1000000&error_at=20`. Above a billion passes a
//! second a call takes no time at all.

mod behaviour;
mod repository;

pub use behaviour::Behaviour;
use dbdyno_engine::client::{Answer, Statements, TestForm, Value, ValueType};
use dbdyno_engine::{
    Canceller, ChunkResult, Clock, Durability, Engine, EngineError, EngineInfo, Failure, Features, Finding,
    FindingLevel, Inspection, LoadReport, LoadWatch, Loaded, MonotonicClock, PointSpec, PointStatistics, Prepared,
    Request, Session, SessionAccount, Settled, WorkloadRepository, Workloads,
    data::{Checksum, Columns, Sample, quantity_sum},
    finding, for_everybody,
};
use dbdyno_model::{
    CommitMode, Counter, Counters, Database, Drive, ErrorClass, Mapping, ProcedureShape, Size, TableName,
};
use repository::Snapshots;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The engine, without a target.
pub const INFO: EngineInfo = EngineInfo {
    name: "null",
    title: "does nothing; for tests of dbdyno itself",
    target: "null:",
    notice: Some("figures of the null engine say nothing about any database"),
    hidden: true,
    mapping: |_| Mapping::Native { ramp: None },
    script: |test, _| Ok(format!("-- {}: the null engine has no SQL\n", test.code)),
    schema_script: |_| Ok("-- the null engine has no schema\n".to_owned()),
    workload_sql: |_| None,
    ended: str::to_owned,
    private: None,
    open: |target, size| {
        let behaviour = Behaviour::parse(target)?;
        Ok(Box::new(NullEngine::new(behaviour, size.clone(), Arc::new(MonotonicClock::default()))))
    },
};

/// What all sessions have done.
#[derive(Debug, Default)]
struct Done {
    ops: AtomicU64,
    rows: AtomicU64,
    executions: AtomicU64,
    commits: AtomicU64,
    calls: Mutex<BTreeMap<u32, u64>>,
}

impl Done {
    /// Every sum by its name.
    fn each(&self) -> [(&'static str, &AtomicU64); 4] {
        [("ops", &self.ops), ("rows", &self.rows), ("executions", &self.executions), ("commits", &self.commits)]
    }
}

/// The null engine.
pub struct NullEngine {
    behaviour: Behaviour,
    size: Size,
    clock: Arc<dyn Clock>,
    done: Arc<Done>,
    snapshots: Snapshots,
}

impl NullEngine {
    /// A null engine on a clock.
    #[must_use]
    pub fn new(behaviour: Behaviour, size: Size, clock: Arc<dyn Clock>) -> Self {
        Self { behaviour, size, clock, done: Arc::default(), snapshots: Snapshots::default() }
    }

    /// Operations done by all sessions since the engine was made.
    #[must_use]
    pub fn ops(&self) -> u64 {
        self.done.ops.load(Ordering::Relaxed)
    }

    fn counters(&self) -> Counters {
        let rows = self.done.rows.load(Ordering::Relaxed);
        let executions = self.done.executions.load(Ordering::Relaxed);
        let values = [
            (Counter::Executions, executions),
            (Counter::Commits, self.done.commits.load(Ordering::Relaxed)),
            (Counter::RowsChanged, rows),
            (Counter::RowsScanned, rows),
        ];
        Counters { values: values.into(), ..Counters::default() }
    }
}

impl Workloads for NullEngine {}

impl Engine for NullEngine {
    fn name(&self) -> &'static str {
        INFO.name
    }

    fn features(&self) -> Features {
        Features {
            in_process: false,
            local: true,
            loads_on_demand: true,
            single_writer: false,
            nodes: 1,
            block_bytes: 8_192,
        }
    }

    fn describe(&self) -> Result<Database, EngineError> {
        let notice = INFO.notice.map(str::to_owned);
        Ok(Database { engine: INFO.name.to_owned(), version: "0".to_owned(), notice, ..Database::default() })
    }

    fn durability(&self, _: CommitMode, _: Drive) -> Result<Durability, EngineError> {
        Ok(Durability::default())
    }

    fn check(&self, _: &Size) -> Vec<Finding> {
        let message = "nothing can be wrong with nothing".to_owned();
        vec![finding(FindingLevel::Ok, "target", message)]
    }

    fn loaded(&self) -> Result<Loaded, EngineError> {
        let size = self.size.id.clone();
        Ok(Loaded::Complete { size, seed: 42, verified: true, checksums: BTreeMap::new() })
    }

    fn tables(&self) -> Vec<TableName> {
        Vec::new()
    }

    fn space_needed_bytes(&self, _: &Size) -> u64 {
        0
    }

    fn load(&self, _: &Size, _: u64, _: u32, _: bool, _: &dyn LoadWatch) -> Result<LoadReport, EngineError> {
        Ok(LoadReport::default())
    }

    fn checksum(&self, _: TableName, _: Columns, _: &dyn LoadWatch) -> Result<Checksum, EngineError> {
        Ok(Checksum::default())
    }

    fn inspect(&self, _: TableName, _: &mut Sample) -> Result<Inspection, EngineError> {
        Ok(Inspection::default())
    }

    fn drop_all(&self) -> Result<bool, EngineError> {
        Ok(false)
    }

    fn settle(&self, _: Duration) -> Result<Settled, EngineError> {
        Ok(Settled::AtRest)
    }

    fn begin_point(&self, _: &PointSpec) -> Result<(), EngineError> {
        self.snapshots.begin(self.behaviour.instances);
        Ok(())
    }

    fn end_point(&self, _: &PointSpec) -> Result<(), EngineError> {
        self.snapshots.end();
        Ok(())
    }

    fn repository(&self) -> Option<Box<dyn WorkloadRepository + '_>> {
        let Behaviour { instances, report_bytes, report_ns, .. } = self.behaviour;
        (instances > 0).then(|| self.snapshots.repository(report_bytes, Duration::from_nanos(report_ns)))
    }

    fn session(&self, job: u32, _: u32) -> Result<Box<dyn Session>, EngineError> {
        Ok(Box::new(NullSession {
            behaviour: self.behaviour.clone(),
            clock: Arc::clone(&self.clock),
            done: Arc::clone(&self.done),
            spec: None,
            job,
            calls: self.done.calls.lock().unwrap_or_else(PoisonError::into_inner).get(&job).copied().unwrap_or(0),
            ops: 0,
            rows: 0,
            executions: 0,
            commits: 0,
            cancelled: Arc::default(),
            outputs: Vec::new(),
            answer: Answer::default(),
        }))
    }

    fn statistics(&self) -> Result<Counters, EngineError> {
        Ok(for_everybody(self.counters()))
    }

    fn accounts(&self) -> Vec<SessionAccount> {
        let done = self.done.each().map(|(name, n)| (name.to_owned(), n.load(Ordering::Relaxed)));
        vec![SessionAccount { done: done.into(), ..SessionAccount::default() }]
    }

    fn include(&self, accounts: &[SessionAccount]) {
        for account in accounts {
            for (name, n) in self.done.each() {
                n.fetch_add(account.done.get(name).copied().unwrap_or(0), Ordering::Relaxed);
            }
        }
    }

    fn point_statistics(&self, _: Option<&PointStatistics>) -> Result<PointStatistics, EngineError> {
        Ok(self.counters().into())
    }

    fn data_place(&self) -> Option<PathBuf> {
        None
    }

    fn data_files(&self) -> Vec<PathBuf> {
        Vec::new()
    }
}

struct NullSession {
    behaviour: Behaviour,
    clock: Arc<dyn Clock>,
    done: Arc<Done>,
    spec: Option<PointSpec>,
    job: u32,
    calls: u64,
    ops: u64,
    rows: u64,
    executions: u64,
    commits: u64,
    cancelled: Arc<AtomicBool>,
    /// The output values of the statements of a work's own that it is prepared for.
    outputs: Vec<Vec<ValueType>>,
    answer: Answer,
}

impl NullSession {
    /// Sleeps in slices, so that a cancel is heard.
    fn pass_time(&self, ns: u64) -> Result<(), EngineError> {
        const SLICE_NS: u64 = 5_000_000;
        let mut left_ns = ns;
        while left_ns > 0 {
            if self.cancelled.load(Ordering::Relaxed) {
                return Err(EngineError::new(ErrorClass::Cancelled, "the null engine was asked to stop"));
            }
            let slice_ns = left_ns.min(SLICE_NS);
            self.clock.sleep_ns(slice_ns);
            left_ns -= slice_ns;
        }
        Ok(())
    }

    /// Answers a call with output values that follow from its first value alone.
    fn give_outputs(&mut self, statement: usize, key: i64) {
        self.answer.clear();
        let Some(outputs) = self.outputs.get(statement).filter(|outputs| !outputs.is_empty()) else { return };
        let row = self.answer.begin_row();
        for output in outputs {
            row.push(match output {
                ValueType::Int => Value::Int(key),
                ValueType::Day => Value::Day(i32::try_from(key).unwrap_or(0)),
                ValueType::Cents => Value::Cents(key),
                ValueType::Text => Value::Text("null"),
            });
        }
    }

    /// A call that takes its time, stalls and fails as it was told to.
    fn call(&mut self, passes: u64) -> Result<(), EngineError> {
        self.calls += 1;
        let Behaviour { speed, delay_ns, stall_every, stall_ns, error_at, error_every, error_class, .. } =
            self.behaviour;
        let is_nth = |every: u64| every > 0 && self.calls.is_multiple_of(every);
        let busy_ns = (u128::from(passes) * 1_000_000_000).checked_div(u128::from(speed)).unwrap_or(0);
        let stall_ns = if is_nth(stall_every) { stall_ns } else { 0 };
        self.pass_time(delay_ns + stall_ns + u64::try_from(busy_ns).unwrap_or(u64::MAX))?;
        if self.calls == error_at || is_nth(error_every) {
            return Err(EngineError::new(error_class, format!("call {} was told to fail", self.calls)));
        }
        Ok(())
    }
}

/// Rows that a client's statement touches, and commits that come with it.
fn of_a_statement(spec: &PointSpec) -> (u64, u64) {
    let statements = spec.test.executions_per_op(spec.rows_per_tx).max(1);
    let rows = spec.test.rows_per_op(&spec.size, spec.rows_per_tx).unwrap_or(0) / statements;
    (rows, u64::from(statements == 1))
}

impl Session for NullSession {
    fn prepare(&mut self, spec: &PointSpec, _: u32) -> Result<Prepared, EngineError> {
        (self.spec, self.outputs) = (Some(spec.clone()), Vec::new());
        let form = (spec.drive == Drive::Client).then(TestForm::default);
        Ok(Prepared { plan: Some("null".to_owned()), problems: Vec::new(), form })
    }

    fn prepare_statements(&mut self, statements: &Statements) -> Result<(), EngineError> {
        self.spec = None;
        self.outputs = statements.texts.iter().map(|text| text.outputs.clone()).collect();
        Ok(())
    }

    fn execute(&mut self, request: &Request<'_>) -> Result<ChunkResult, Failure> {
        let unprepared = || EngineError::other("not prepared");
        let (first_pass, passes) = match *request {
            Request::Chunk { first_pass, passes } => (first_pass, passes),
            Request::Statement(bound) => {
                // A work's own touches a row, like it or not.
                let (rows, commits) = match (&self.spec, self.outputs.get(bound.statement)) {
                    (Some(spec), _) => of_a_statement(spec),
                    (None, Some(outputs)) => {
                        Statements::refuse_repeated("the null engine", &bound, outputs)?;
                        (1, 0)
                    }
                    (None, None) => return Err(unprepared().into()),
                };
                self.call(1)?;
                self.executions += 1 + self.behaviour.executions_over;
                self.rows += rows;
                self.commits += commits;
                let rows = rows.saturating_sub(self.behaviour.rows_short);
                let key = if let Some(Value::Int(key)) = bound.values.get(0) { key.cast_unsigned() } else { 0 };
                self.give_outputs(bound.statement, key.cast_signed());
                return Ok(ChunkResult { ops: 0, rows, bytes: 0, checksum: key.wrapping_mul(31) });
            }
            // What a transaction did is done when its statements are.
            Request::Commit => {
                self.commits += 1;
                return Ok(ChunkResult::default());
            }
            Request::Rollback | Request::Discard | Request::LogOn | Request::LogOff => {
                return Ok(ChunkResult::default());
            }
        };
        let spec = self.spec.clone().ok_or_else(unprepared)?;
        self.call(passes)?;
        let ops = passes * spec.test.ops_per_pass;
        let rows = passes * spec.test.rows_per_op(&spec.size, spec.rows_per_tx).unwrap_or(0);
        let bytes = if spec.test.procedure.shape == ProcedureShape::File { passes * spec.size.file_bytes } else { 0 };
        self.ops += ops;
        self.rows += rows;
        self.commits += ops;
        self.executions += passes * spec.test.executions_per_op(spec.rows_per_tx) + self.behaviour.executions_over;
        let rows = rows.saturating_sub(self.behaviour.rows_short);
        // What every full scan must find is known; other sums only have to be there.
        let checksum = match (spec.test.procedure.reads_all(), spec.test.table) {
            (true, Some(table)) => ops.wrapping_mul(quantity_sum(&spec.size, table.shape(), spec.seed)),
            _ => first_pass.wrapping_mul(31).wrapping_add(passes),
        };
        Ok(ChunkResult { ops, rows, bytes, checksum })
    }

    fn answer(&self) -> &Answer {
        &self.answer
    }

    fn flush(&mut self) -> Result<(), EngineError> {
        self.done.ops.fetch_add(std::mem::take(&mut self.ops), Ordering::Relaxed);
        self.done.rows.fetch_add(std::mem::take(&mut self.rows), Ordering::Relaxed);
        self.done.executions.fetch_add(std::mem::take(&mut self.executions), Ordering::Relaxed);
        self.done.commits.fetch_add(std::mem::take(&mut self.commits), Ordering::Relaxed);
        self.done.calls.lock().unwrap_or_else(PoisonError::into_inner).insert(self.job, self.calls);
        Ok(())
    }

    fn canceller(&self) -> Arc<dyn Canceller> {
        let cancelled = Arc::clone(&self.cancelled);
        Arc::new(move || cancelled.store(true, Ordering::Relaxed))
    }
}
