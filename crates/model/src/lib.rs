//! The words of dbdyno as types: what a run, a cell, a point, a DOP, a metric, an outcome, a test, a size and a
//! mapping is, and the JSON contract in which a run leaves the tool. No I/O lives here, and no engine is known here.

mod awr;
mod commits;
mod contradiction;
mod counters;
mod crash;
mod described;
mod document_part;
mod dop;
mod durability;
mod experiment;
mod flag;
mod ids;
mod json;
mod limits;
mod load;
mod mapping;
mod metric;
mod mix;
mod names;
mod next_point;
mod outcome;
mod pace;
mod pace_spread;
mod pairing;
mod parameters;
mod plan;
mod planned_point;
mod platform;
mod point;
mod procedure;
mod profile;
mod published;
mod ramp;
mod rate;
mod reading;
mod repeat_mode;
mod run;
mod run_note;
mod scale;
mod search;
mod size;
mod storage;
mod storage_reference;
mod subject;
mod suite;
mod suspect;
mod table;
mod test;
mod texts;
mod tool;
mod transactions;
mod usage;
mod variants;
mod version_1;

pub use awr::{Awr, AwrReport};
pub use commits::{CommitMode, CommitProof, Commits, DeviceCounts, ProofOutcome};
pub use counters::{Counter, Counters, WaitCount};
pub use crash::{ClientsSeen, CrashReport, Cut, Judged, most_lossy_pct};
pub use described::{
    Described, DescribedDifference, DescribedFacts, DescribedKey, DescribedKind, DescribedTable, DescribedValue, Money,
    Price, Remark, RemarkSubject, USD, check_line, check_number, check_text, check_value, paragraphs,
};
pub use document_part::DocumentPart;
pub use dop::{Dimension, Dop};
pub use durability::{DURABILITY_VERSION, DurabilityControl, DurabilityJson};
pub use experiment::{Experiment, ExperimentKind};
pub use flag::Flag;
pub use ids::{IdError, RunId, TestCode};
pub use json::{RunJson, SCHEMA_VERSION, in_this_version};
pub use limits::REFERENCE_SUITE;
pub use load::{Arrivals, ClientLoad, Logon, Queue, Think};
pub use mapping::Mapping;
pub use metric::{Better, Metric, MetricId};
pub use mix::{Mix, MixRequest};
pub use outcome::{ErrorClass, Outcomes};
pub use pace::{MachinePace, PaceKind, PointPace};
pub use pace_spread::{EdgeSpread, FEWEST_PACES, PaceSpread};
pub use pairing::{PairSide, Pairing};
pub use parameters::Parameters;
pub use plan::Plan;
pub use planned_point::PlannedPoint;
pub use platform::{Cpu, CpuLimits, Disk, Memory, Platform, Usable};
pub use point::{Point, Status};
pub use procedure::{Argument, CountProof, Draws, Procedure, ProcedureFacts, ProcedureShape, RowsBy};
pub use profile::{
    PROFILE_FIGURES, PROFILE_VERSION, ProfileCost, ProfileFigure, ProfileFigures, ProfileHour, ProfileJson,
    ProfileMaker,
};
pub use published::{
    Costs, FigureKind, LatencyShares, Printed, PrintedBound, Published, PublishedBucket, PublishedCurve,
    PublishedCurvePoint, PublishedFacts, PublishedFigure, PublishedHistogram, PublishedNumber, PublishedStatement,
    PublishedWait, PublishedWaits,
};
pub use ramp::Ramp;
pub use rate::{Rate, Rates};
pub use reading::{
    CpuReading, DatabaseReading, Doing, LoadReading, MachineReading, PointStage, Reading, ReadingFigures, ReadingTimes,
    ServerIo, SessionReading, SessionState, StatementReading, Top, WaitReading,
};
pub use repeat_mode::RepeatMode;
pub use run::{Cell, CellKey, Database, Run, RunStatus};
pub use run_note::RunNote;
pub use scale::{BadScale, Scale};
pub use search::{
    Limit, Limited, LimitedPercentile, Search, SearchFinding, SearchGoal, SearchKind, SearchOutcome, SearchPoint,
    SearchUnit, SearchVerdict,
};
pub use size::{Size, TableShape};
pub use storage::{
    LunFigures, Storage, StorageIos, StorageLayout, StorageLoad, StorageLun, StoragePattern, StorageProof,
    StorageReadWrite, StorageSeries,
};
pub use storage_reference::{ChosenBy, SameDevice, StorageLimit, StorageLimits, StorageReference};
pub use subject::{Subject, SubjectKind, SubjectName, WorkloadName};
pub use suite::{Suite, SuiteStep, SuiteWorkload};
pub use suspect::{Suspect, SuspectCode, UsableFor};
pub use table::{Organisation, TableName};
pub use test::{Cache, Compression, Drive, Layer, StorageTier, Test, fibonacci_calls};
pub use tool::Tool;
pub use transactions::{PerMinute, StatementCounts, TransactionType};
pub use usage::{
    AgentUse, CpuUse, DatabaseRates, DeviceIo, HostUse, IoRates, MemoryUse, MetricValue, NetworkUse, OpenLoop,
    PacedWrites, Pressure, PumpKind, PumpUse, Redo, ResponseTime, Series, Wait,
};
