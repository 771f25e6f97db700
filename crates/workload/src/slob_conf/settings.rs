//! What the parameters are once they are read, in one unit each, and as they are shipped.

/// How much of a row an update changes, and so what the log has to keep of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RedoStress {
    /// Two columns.
    Lite,
    /// Every column but the key.
    Heavy,
}

/// The report of the database's own statistics that is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Statistics {
    /// The freely usable one.
    Statspack,
    /// The one that needs a licence.
    Awr,
}

/// A part of each schema that gets operations of its own. It begins and ends at a whole MiB, which is 128 blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hotspot {
    /// Its first block, from 0 on: so many blocks of the schema lie before it.
    pub first_block: u64,
    /// How many blocks it has.
    pub blocks: u64,
    /// Every so many operations, one goes to it.
    pub every: u32,
}

/// When sessions wait between operations, and for how long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ThinkRule {
    /// Every so many operations, a session waits.
    pub every: u32,
    /// The shortest wait, in nanoseconds.
    pub least_ns: u64,
    /// The longest wait, in nanoseconds.
    pub most_ns: u64,
}

/// The parameters of a run, checked. A block is 8 KiB.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conf {
    /// UPDATE_PCT: updates of 100 operations.
    pub update_pct: u32,
    /// SCAN_PCT: scans of 100 operations.
    pub scan_pct: u32,
    /// RUN_TIME: how long a run lasts, in seconds; absent where nobody has said it.
    pub run_time_s: Option<u32>,
    /// WORK_LOOP: the operations after which a session ends; 0 where only the time ends it.
    pub work_loop: u64,
    /// SCALE: the blocks of each schema.
    pub scale_blocks: u64,
    /// SCAN_TABLE_SZ: the blocks of the table that scans read.
    pub scan_blocks: u64,
    /// WORK_UNIT: the blocks that an operation reads or changes.
    pub work_unit: u64,
    /// REDO_STRESS: how much of a row an update changes.
    pub redo_stress: RedoStress,
    /// LOAD_PARALLEL_DEGREE: schemas that are loaded at a time; absent where nobody has said it.
    pub load_parallel_degree: Option<u32>,
    /// THREADS_PER_SCHEMA: sessions that work on each schema.
    pub threads_per_schema: u32,
    /// DATABASE_STATISTICS_TYPE: the report of the database's own statistics.
    pub statistics: Statistics,
    /// DO_HOTSPOT, HOTSPOT_OFFSET_MB, HOTSPOT_MB and HOTSPOT_FREQUENCY: the hot spot, where there is one.
    pub hotspot: Option<Hotspot>,
    /// HOT_SCHEMA_FREQUENCY: every so many operations, one goes to the first schema; never where it is 0.
    pub hot_schema_every: u32,
    /// THINK_TM_FREQUENCY, THINK_TM_MIN and THINK_TM_MAX: how sessions wait between operations, if they do.
    pub think: Option<ThinkRule>,
    /// EXTERNAL_SCRIPT: the path of a script that is called beside the run.
    pub external_script: Option<String>,
    /// OBFUSCATE_COLUMNS: whether the text of columns is such that it cannot be compressed well.
    pub obfuscate_columns: bool,
}

impl Default for Conf {
    /// As shipped.
    fn default() -> Self {
        Self {
            update_pct: 10,
            scan_pct: 0,
            run_time_s: None,
            work_loop: 0,
            scale_blocks: 10_240,
            scan_blocks: 128,
            work_unit: 64,
            redo_stress: RedoStress::Lite,
            load_parallel_degree: None,
            threads_per_schema: 1,
            statistics: Statistics::Statspack,
            hotspot: None,
            hot_schema_every: 0,
            think: None,
            external_script: None,
            obfuscate_columns: false,
        }
    }
}

/// Parameters while they are read: those of the hot spot and of think time are kept whether they are in use or not.
#[derive(Debug)]
pub(super) struct Draft {
    /// All the others.
    pub(super) conf: Conf,
    /// Whether the hot spot is in use.
    pub(super) has_hotspot: bool,
    /// The hot spot.
    pub(super) hotspot: Hotspot,
    /// Think time; it is in use where its frequency is not 0.
    pub(super) think: ThinkRule,
}

impl Default for Draft {
    fn default() -> Self {
        Self {
            conf: Conf::default(),
            has_hotspot: false,
            hotspot: Hotspot { first_block: 2_048, blocks: 1_024, every: 3 },
            think: ThinkRule { every: 0, least_ns: 100_000_000, most_ns: 500_000_000 },
        }
    }
}

impl Draft {
    /// The parameters, with what is in use.
    pub(super) fn conf(self) -> Conf {
        let (hotspot, think) = (self.has_hotspot.then_some(self.hotspot), (self.think.every > 0).then_some(self.think));
        Conf { hotspot, think, ..self.conf }
    }
}
