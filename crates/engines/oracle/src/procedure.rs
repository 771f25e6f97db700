//! What of a test's procedure is Oracle's own: the package that holds it, what the jobs of a point share, what needs a
//! licence of its own, and how the server's counters tell executions.

use super::layout;
use super::options::Part;
use crate::DIALECT;
use dbdyno_engine::procedure::ProcedureSpec;
use dbdyno_engine::{EngineError, PointSpec};
use dbdyno_model::{CommitMode, Compression, Organisation, ProcedureShape, Size, StorageTier, TableName, Test};
use std::collections::BTreeSet;

#[cfg(test)]
mod tests;

/// The package that a point makes.
pub(super) const PACKAGE: &str = "dbdyno_work";
/// The name of the statement under test's query block: `v$sql` shows it in the text of every statement under test.
#[cfg(test)]
const QUERY_BLOCK: &str = "QB_NAME(DBDYNO_TEST)";
/// Partitions of the table that T331 fills, unless the jobs need more.
const LEAST_MONTHS: u64 = Size::RANGES;
/// Rows that all jobs together are supposed to insert at most into a cluster, which takes their room at once.
const MOST_INSERTS: u64 = 4_000_000;
/// Rows that a job is supposed to insert in a point: as many as the published loads inserted. A hash cluster has room
/// for those; with more its blocks would run over.
pub(super) const INSERTS_PER_JOB: u64 = 125_000;

/// How the server tells the executions of the statement under test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Counting {
    /// It stands in `v$sql` under its query block's name (`executions` in statistics.sql), with its executions and the
    /// rows that it changed.
    Cursor {
        /// It changes rows: the cursor's `rows_processed` are rows changed. Else they are rows of its answer.
        changes: bool,
        /// It scans a heap or a cluster, so the session's `table scan rows gotten` are rows scanned.
        scans: bool,
    },
    /// The same, about the statement that counts the entries of an index that was built (`DDL statements
    /// parallelized`).
    Builds,
    /// Nothing of the work is counted by the server.
    Nothing,
}

/// The procedure of a test.
///
/// # Errors
/// `Unsupported` where there is none.
pub(super) fn of(test: &Test) -> Result<ProcedureSpec, EngineError> {
    let mut procedure = ProcedureSpec::of(&DIALECT, test)?;
    if let Some(beginning) = procedure.name.strip_suffix(procedure.table.name()) {
        procedure.name = format!("{beginning}{}", short(procedure.table));
    }
    Ok(procedure)
}

/// What a test needs that not every server has, or that has a licence of its own.
pub(super) fn needs(test: &Test) -> BTreeSet<Part> {
    let fills = matches!(test.procedure.shape, ProcedureShape::Insert | ProcedureShape::Load);
    let tables = test.reads().into_iter().chain(test.table.filter(|_| fills));
    let parts = tables.flat_map(|table| layout::needs(table.organisation())).copied();
    let flash = (test.tier != StorageTier::Default).then_some(Part::FlashCache);
    parts.chain(layout::needs_to_compress(test.compression)).chain(flash).collect()
}

/// The statement that drops the package, also where it is not there.
///
/// # Errors
/// A statement cannot be filled in.
pub(super) fn drop_package() -> Result<String, EngineError> {
    Ok(DIALECT.fill("tables/drop_package", &[("name", PACKAGE)])?)
}

/// How the server tells the executions.
pub(super) fn counting(procedure: &ProcedureSpec) -> Counting {
    match procedure.test.procedure.shape {
        ProcedureShape::Loop | ProcedureShape::File => Counting::Nothing,
        ProcedureShape::Index => Counting::Builds,
        ProcedureShape::Insert | ProcedureShape::Load | ProcedureShape::Update => {
            Counting::Cursor { changes: true, scans: false }
        }
        ProcedureShape::Statement => {
            Counting::Cursor { changes: false, scans: !procedure.table.organisation().is_index() }
        }
        ProcedureShape::Select => Counting::Cursor { changes: false, scans: false },
    }
}

/// Rows that the hash cluster of a point has room for; none where it makes no cluster.
pub(super) fn room_rows(procedure: &ProcedureSpec, spec: &PointSpec) -> Option<u64> {
    let makes = procedure.test.procedure.shape == ProcedureShape::Insert;
    let inserts = (u64::from(spec.jobs_in_all()) * INSERTS_PER_JOB).min(MOST_INSERTS);
    (makes && procedure.table.organisation() == Organisation::Hash).then(|| spec.size.small_rows.max(inserts))
}

/// The statements that create what the jobs of a point share, or that bring the tables into the test's tier.
///
/// # Errors
/// A statement cannot be filled in.
pub(super) fn shared(procedure: &ProcedureSpec, spec: &PointSpec) -> Result<Vec<String>, EngineError> {
    let (organisation, rows) = (procedure.table.organisation(), spec.size.small_rows);
    match procedure.test.procedure.shape {
        ProcedureShape::Insert => {
            let load = procedure.fill("{load}")?;
            let rows = room_rows(procedure, spec).unwrap_or(rows);
            let mut statements = layout::create(&load, organisation, rows, Compression::None, 0)?;
            statements.extend(layout::create_indexes(&load, organisation, 1)?);
            Ok(statements)
        }
        ProcedureShape::Load if organisation == Organisation::HeapRangeList => {
            let months = LEAST_MONTHS.max(u64::from(spec.jobs_in_all()) * spec.size.bulk_partitions_per_job);
            layout::create("load_large", organisation, rows, procedure.test.compression, months)
        }
        _ => layout::tier(procedure.test.tier, true),
    }
}

/// What drops the things that a point has made besides the package, or brings the tables back into the default tier.
///
/// # Errors
/// A statement cannot be filled in.
pub(super) fn drops_made(procedure: &ProcedureSpec, spec: &PointSpec) -> Result<Vec<String>, EngineError> {
    let made = procedure.made_by_all(spec.jobs_in_all(), spec.size.bulk_partitions_per_job)?;
    if made.is_empty() { layout::tier(procedure.test.tier, false) } else { procedure.discards(&made) }
}

/// The session's settings before the package is compiled; that it is compiled to machine code not every server allows.
pub(super) fn compiler() -> [&'static str; 2] {
    [
        "BEGIN\n  EXECUTE IMMEDIATE 'ALTER SESSION SET plsql_optimize_level = 2';\nEND;",
        "ALTER SESSION SET plsql_code_type = 'NATIVE'",
    ]
}

/// The head of a procedure in the package, and the whole of it.
fn source(procedure: &ProcedureSpec, commit: CommitMode) -> Result<[String; 2], EngineError> {
    let head = DIALECT.fill("procedures/parameters", &[("procedure", &procedure.name)])?;
    let mut before = String::new();
    for called in procedure.called() {
        before += &format!("{}\n\n", DIALECT.get(called)?.text);
    }
    let file = if procedure.test.procedure.is_cpu() { "cpu" } else { "procedures" };
    let declarations = &DIALECT.get(&format!("{file}/declarations"))?.text;
    let commits = if commit == CommitMode::EngineDefault { "engine_default" } else { "" };
    let text = procedure.fill_for(commits, procedure.template())?.replace("BEGIN\n    WHILE", "  BEGIN\n    WHILE");
    Ok([head.clone(), format!("{before}{head} AS\n{declarations}\n{text}\n  END {};", procedure.name)])
}

/// The statements that create the package with these procedures, each once: its outside, then its inside.
///
/// # Errors
/// A statement cannot be filled in.
pub(super) fn package(procedures: &[ProcedureSpec], commit: CommitMode) -> Result<[String; 2], EngineError> {
    let mut names = BTreeSet::new();
    let (mut heads, mut bodies) = (Vec::new(), Vec::new());
    for procedure in procedures.iter().filter(|procedure| names.insert(&procedure.name)) {
        let [head, body] = source(procedure, commit)?;
        heads.push(format!("{head};"));
        bodies.push(body);
    }
    let named = |statement: &str| DIALECT.fill(&format!("procedures/{statement}"), &[("package", PACKAGE)]);
    let whole = |begin: &str, parts: &[String]| {
        Ok::<_, EngineError>(format!("{}\n{}\n{}", named(begin)?, parts.join("\n\n"), named("package_end")?))
    };
    Ok([whole("package", &heads)?, whole("package_body", &bodies)?])
}

/// A table's name within a procedure's: short, so that no name is longer than 30 bytes.
fn short(table: TableName) -> &'static str {
    match table {
        TableName::LargeHeapRangeList => "large",
        TableName::LargeCompressed => "compressed",
        small => small.name().trim_start_matches("small_"),
    }
}
