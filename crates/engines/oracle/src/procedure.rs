//! Which procedure a test calls, and everything that belongs to it: the one place that says so, for running it, for
//! printing it and for checking it.

use crate::DIALECT;
mod expect;
#[cfg(test)]
mod tests;

use super::layout::{self, filled};
use super::options::Part;
use dbdyno_engine::bookkeeping::Made;
use dbdyno_engine::server::call::{ARGUMENTS, SUMS};
use dbdyno_engine::{EngineError, PointSpec, Statement};
use dbdyno_model::{Cache, CommitMode, Compression, Organisation, Procedure, Shape, Size, TableName, Test, Tier};
use std::collections::BTreeSet;

/// Marks around the statement under test.
const TEST: (&str, &str) = ("/*test*/", "/*end*/");
/// The package that a point makes.
pub(super) const PACKAGE: &str = "dbdyno_work";
/// What begins the names of everything else that a point makes in the schema; the dictionary has them in upper case.
const MADE_BY_POINTS: &str = "load_";
/// What begins the names of tablespaces that a point makes.
const FILE: &str = "dbdyno_file_";
/// The name of the statement under test's query block: `v$sql` shows it in the text of every statement under test.
#[cfg(test)]
const QUERY_BLOCK: &str = "QB_NAME(DBDYNO_TEST)";
/// Partitions of the table that T331 fills, unless the jobs need more.
const LEAST_MONTHS: u64 = Size::RANGES;

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

/// A test's procedure, and what belongs to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ProcedureSpec {
    /// The statement of package.sql, lookups.sql or cpu.sql.
    statement: &'static str,
    /// The procedure's name in the package.
    procedure: String,
    work: Procedure,
    table: TableName,
    reads: Vec<TableName>,
    compression: Compression,
    tier: Tier,
}

impl ProcedureSpec {
    /// The recipe of a test.
    pub(super) fn of(test: &Test) -> Self {
        let table = test.table.unwrap_or(TableName::SmallHeap);
        let small_heap = TableName::SmallHeap;
        let large = table.shape() == Shape::Large;
        let name = test.procedure.name();
        let of_table = format!("{name}_{}", short(table));
        // Only there is the partition column part of the key.
        let by_region = table.organisation() == Organisation::IotList;
        let (statement, procedure, reads) = match test.procedure {
            work if work.is_cpu() => (name, name.to_owned(), vec![]),
            Procedure::WriteFile => (name, name.to_owned(), vec![]),
            Procedure::Insert => (name, of_table, vec![small_heap]),
            Procedure::BulkLoad if large => ("bulk_load_large", "bulk_load_large".to_owned(), vec![small_heap]),
            Procedure::BulkLoad => ("bulk_load_heap", "bulk_load_heap".to_owned(), vec![small_heap]),
            Procedure::SelectPrimary if by_region => ("select_primary_list", of_table, vec![table]),
            Procedure::UpdatePrimary if by_region => ("update_primary_list", of_table, vec![table]),
            Procedure::Join if large || test.cache == Cache::NonCached => {
                ("join_large", "join_large".to_owned(), vec![small_heap, TableName::LargeHeapRangeList])
            }
            Procedure::Join => ("join_small", "join_small".to_owned(), vec![small_heap, TableName::SmallIot]),
            _ => (name, of_table, vec![table]),
        };
        let (work, compression, tier) = (test.procedure, test.compression, test.tier);
        Self { statement, procedure, work, table, reads, compression, tier }
    }

    /// What the test needs that has a licence of its own, or storage that not everybody has.
    pub(super) fn needs(&self) -> BTreeSet<Part> {
        let filled = match self.work {
            Procedure::Insert | Procedure::BulkLoad => Some(self.table),
            _ => None,
        };
        let tables = self.reads.iter().chain(&filled).filter_map(|table| layout::needs(table.organisation()));
        let flash = (self.tier != Tier::Default).then_some(Part::FlashCache);
        tables.chain(layout::needs_to_compress(self.compression)).chain(flash).collect()
    }

    /// Tables that it reads: those that are warm where the test is cached.
    pub(super) fn reads(&self) -> &[TableName] {
        &self.reads
    }

    /// The statements that create the package with this procedure alone: its outside, then its inside.
    ///
    /// # Errors
    /// A statement cannot be filled in.
    pub(super) fn package(&self, commit: CommitMode) -> Result<[String; 2], EngineError> {
        package(std::slice::from_ref(self), commit)
    }

    /// The statement that drops it again, also where it is not there.
    ///
    /// # Errors
    /// A statement cannot be filled in.
    pub(super) fn drop_package() -> Result<String, EngineError> {
        Ok(DIALECT.fill("tables/drop_package", &[("name", PACKAGE)])?)
    }

    /// What the file says about the procedure.
    ///
    /// # Errors
    /// There is no such statement.
    pub(super) fn notes(&self) -> Result<Vec<(String, String)>, EngineError> {
        let notes = self.written()?.notes.iter();
        let for_checks = |key: &str| key.starts_with("plan") || key == "variables" || key == "never";
        let told = notes.filter(|(key, _)| !for_checks(key));
        told.map(|(key, note)| Ok((key.clone(), self.fill(note, CommitMode::Durable)?))).collect()
    }

    /// The procedure's name within the package.
    pub(super) fn procedure(&self) -> &str {
        &self.procedure
    }

    /// The block that calls it: ten numbers in, four sums out, bound to `:1` to `:14`.
    pub(super) fn call(&self) -> String {
        let numbers: Vec<String> = (1..=ARGUMENTS + SUMS).map(|n| format!(":{n}")).collect();
        format!("BEGIN {PACKAGE}.{}({}); END;", self.procedure, numbers.join(", "))
    }

    /// How the server tells the executions.
    pub(super) fn counting(&self) -> Counting {
        let heap = !matches!(self.table.organisation(), Organisation::Iot | Organisation::IotList);
        match self.work {
            work if work.is_cpu() => Counting::Nothing,
            Procedure::WriteFile => Counting::Nothing,
            Procedure::IndexUnique | Procedure::IndexNonUnique => Counting::Builds,
            Procedure::Insert | Procedure::BulkLoad | Procedure::UpdatePrimary | Procedure::UpdateSecondary => {
                Counting::Cursor { changes: true, scans: false }
            }
            Procedure::Scan | Procedure::ScanRange | Procedure::Sort | Procedure::Group | Procedure::Report => {
                Counting::Cursor { changes: false, scans: heap }
            }
            _ => Counting::Cursor { changes: false, scans: false },
        }
    }

    /// The statements that create what the jobs of a point share, or that bring the tables into the test's tier.
    ///
    /// # Errors
    /// A statement cannot be filled in.
    pub(super) fn creates_before(&self, spec: &PointSpec) -> Result<Vec<String>, EngineError> {
        let (organisation, rows) = (self.table.organisation(), spec.size.small_rows);
        match self.work {
            Procedure::Insert => {
                let mut statements = layout::create(&self.load(), organisation, rows, Compression::None, 0)?;
                statements.extend(layout::create_indexes(&self.load(), organisation, 1)?);
                Ok(statements)
            }
            Procedure::BulkLoad if self.statement == "bulk_load_large" => {
                let months = LEAST_MONTHS.max(u64::from(spec.jobs_in_all()) * spec.size.bulk_partitions_per_job);
                layout::create("load_large", organisation, rows, self.compression, months)
            }
            _ => layout::tier(self.tier, true),
        }
    }

    /// What removes the things that a job has made in so many passes from the first on.
    ///
    /// # Errors
    /// A statement cannot be filled in.
    pub(super) fn discards(&self, job: u32, jobs: u32, passes: u64) -> Result<Vec<String>, EngineError> {
        let number = |pass: u64| pass * u64::from(jobs) + u64::from(job);
        let fill =
            |statement: &str, name: String| Ok(DIALECT.fill(&format!("tables/{statement}"), &[("name", &name)])?);
        match self.work {
            Procedure::WriteFile => Ok(vec![fill("drop_tablespace", format!("{FILE}{job}"))?]),
            Procedure::BulkLoad if self.statement == "bulk_load_large" => {
                (0..passes).map(|pass| fill("empty_month", format!("r{:02}", number(pass)))).collect()
            }
            Procedure::BulkLoad => {
                (0..passes).map(|pass| fill("drop_table", format!("load_heap_{}", number(pass)))).collect()
            }
            Procedure::IndexUnique | Procedure::IndexNonUnique => {
                Ok(vec![fill("drop_index", format!("load_index_{job}"))?])
            }
            _ => Ok(Vec::new()),
        }
    }

    /// What a point makes besides the package.
    pub(super) fn makes(&self) -> Vec<Made> {
        match self.work {
            Procedure::Insert => {
                let cluster = self.table.organisation() == Organisation::Hash;
                let cluster = cluster.then(|| Made::new("cluster", format!("{}_c", self.load())));
                cluster.into_iter().chain([Made::table(self.load())]).collect()
            }
            Procedure::WriteFile => vec![Made::new("tablespace", format!("{FILE}#"))],
            Procedure::BulkLoad if self.statement == "bulk_load_large" => vec![Made::table("load_large")],
            Procedure::BulkLoad => vec![Made::table("load_heap_#")],
            Procedure::IndexUnique | Procedure::IndexNonUnique => vec![Made::index("load_index_#")],
            _ => Vec::new(),
        }
    }

    /// What drops the things that a point has made besides the package, or brings the tables back into the default
    /// tier.
    ///
    /// # Errors
    /// A statement cannot be filled in.
    pub(super) fn drops_made(&self, spec: &PointSpec) -> Result<Vec<String>, EngineError> {
        let passes = if self.work == Procedure::BulkLoad { spec.size.bulk_partitions_per_job } else { 1 };
        let each = |statement: &str, beginning: &str| {
            let name = |n: u64| format!("{beginning}{n}");
            let drop = |n: u64| Ok(DIALECT.fill(&format!("tables/{statement}"), &[("name", &name(n))])?);
            (0..u64::from(spec.jobs_in_all()) * passes).map(drop).collect::<Result<Vec<String>, EngineError>>()
        };
        match self.work {
            Procedure::Insert => layout::drops(&self.load(), self.table.organisation()),
            Procedure::WriteFile => each("drop_tablespace", FILE),
            Procedure::BulkLoad if self.statement == "bulk_load_large" => {
                layout::drops("load_large", self.table.organisation())
            }
            Procedure::BulkLoad => each("drop_table", "load_heap_"),
            Procedure::IndexUnique | Procedure::IndexNonUnique => each("drop_index", "load_index_"),
            _ => layout::tier(self.tier, false),
        }
    }

    /// The session's settings before the package is compiled; that it is compiled to machine code not every server
    /// allows.
    pub(super) fn compiler() -> [&'static str; 2] {
        [
            "BEGIN\n  EXECUTE IMMEDIATE 'ALTER SESSION SET plsql_optimize_level = 2';\nEND;",
            "ALTER SESSION SET plsql_code_type = 'NATIVE'",
        ]
    }

    /// The session's settings, so that there is one plan only, and so many processes at work within a statement.
    pub(super) fn settings(&self, spec: &PointSpec) -> Vec<String> {
        if self.work.is_cpu() {
            return Vec::new();
        }
        let set = |what: &str| format!("ALTER SESSION SET {what}");
        // The grammars in the tests know no number there.
        let block = |what: &str| format!("BEGIN\n  EXECUTE IMMEDIATE 'ALTER SESSION SET {what}';\nEND;");
        let mut settings = vec![
            set("cursor_sharing = EXACT"),
            set("result_cache_mode = MANUAL"),
            set("parallel_degree_policy = MANUAL"),
            // Hints decide; samples of the tables would be reads that count.
            block("optimizer_dynamic_sampling = 0"),
            set("optimizer_mode = ALL_ROWS"),
        ];
        let builds = matches!(self.work, Procedure::IndexUnique | Procedure::IndexNonUnique);
        let reads = matches!(
            self.work,
            Procedure::Scan | Procedure::ScanRange | Procedure::Sort | Procedure::Group | Procedure::Report
        );
        for (kind, on) in [("QUERY", reads || builds), ("DDL", builds), ("DML", false)] {
            settings.push(match spec.threads {
                threads if on && threads > 1 => format!("ALTER SESSION FORCE PARALLEL {kind} PARALLEL {threads}"),
                _ => format!("ALTER SESSION DISABLE PARALLEL {kind}"),
            });
        }
        settings
    }

    /// The table that an insert test fills.
    fn load(&self) -> String {
        format!("{MADE_BY_POINTS}{}", self.table.organisation().name())
    }

    /// The statement as the dialect has it, with its notes.
    fn written(&self) -> Result<&'static Statement, EngineError> {
        Ok(DIALECT.get(&format!("{}/{}", self.file(), self.statement))?)
    }

    fn file(&self) -> &'static str {
        match self.work {
            work if work.is_cpu() => "cpu",
            Procedure::SelectPrimary
            | Procedure::SelectSecondary
            | Procedure::UpdatePrimary
            | Procedure::UpdateSecondary
            | Procedure::Join => "lookups",
            _ => "package",
        }
    }

    /// The head of the procedure, and the whole of it.
    fn source(&self, commit: CommitMode) -> Result<[String; 2], EngineError> {
        let head = DIALECT.fill("package/parameters", &[("procedure", &self.procedure)])?;
        let before = if self.work == Procedure::CpuFibonacci {
            format!("{}\n\n", DIALECT.get("cpu/fibonacci")?.text)
        } else {
            String::new()
        };
        let declarations =
            if self.work.is_cpu() { DIALECT.get("cpu/declarations")? } else { DIALECT.get("package/declarations")? };
        let text = self.fill(&self.written()?.text, commit)?.replace("BEGIN\n    WHILE", "  BEGIN\n    WHILE");
        Ok([head.clone(), format!("{before}{head} AS\n{}\n{text}\n  END {};", declarations.text, self.procedure)])
    }

    /// A text of the file with its placeholders replaced.
    fn fill(&self, text: &str, commit: CommitMode) -> Result<String, EngineError> {
        let table = self.table.name();
        let rows_per_value = match (self.work, self.table.shape()) {
            (Procedure::Join, _) | (_, Shape::Small) => Size::SMALL_ROWS_PER_VALUE,
            (_, Shape::Large) => Size::LARGE_ROWS_PER_VALUE,
        };
        let by_index = format!("INDEX({table} {table}_pk)");
        let (access, scan) = match self.table.organisation() {
            Organisation::Hash => (format!("HASH({table})"), format!("FULL({table})")),
            Organisation::Iot | Organisation::IotList => (by_index, format!("INDEX_FFS({table} {table}_pk)")),
            _ => (by_index, format!("FULL({table})")),
        };
        // What a bulk load makes is a heap.
        let heap = if text.contains("{made}") { self.made_heap()? } else { [String::new(), String::new()] };
        let values = [
            ("{results}", DIALECT.get("package/results")?.text.trim_start()),
            ("{commit}", commit_statement(commit)),
            ("{access}", &access),
            ("{scan}", &scan),
            ("{columns}", &heap[0]),
            ("{made}", &heap[1]),
            ("{table}", table),
            ("{load}", &self.load()),
            ("{rows_per_value}", &rows_per_value.to_string()),
        ];
        filled(text, &values)
    }

    /// Columns and storage of a table that a bulk load makes.
    fn made_heap(&self) -> Result<[String; 2], EngineError> {
        let made = layout::create(MADE_BY_POINTS, Organisation::HeapRangeList, 0, self.compression, 0)?.concat();
        let wrong = || EngineError::new(dbdyno_model::ErrorClass::Other, format!("a table without columns: {made}"));
        let (_, columns) = made.split_once("(\n").ok_or_else(wrong)?;
        let (columns, storage) = columns.split_once("\n) ").ok_or_else(wrong)?;
        let (storage, _) = storage.split_once(" PARTITION").ok_or_else(wrong)?;
        Ok([columns.to_owned(), storage.to_owned()])
    }
}

/// The statements that create the package with the procedures of recipes, each once.
///
/// # Errors
/// A statement cannot be filled in.
pub(super) fn package(recipes: &[ProcedureSpec], commit: CommitMode) -> Result<[String; 2], EngineError> {
    let mut names = BTreeSet::new();
    let (mut heads, mut bodies) = (Vec::new(), Vec::new());
    for procedure in recipes.iter().filter(|procedure| names.insert(procedure.procedure())) {
        let [head, body] = procedure.source(commit)?;
        heads.push(format!("{head};"));
        bodies.push(body);
    }
    let named = |statement: &str| DIALECT.fill(&format!("package/{statement}"), &[("package", PACKAGE)]);
    let whole = |begin: &str, parts: &[String]| {
        Ok::<_, EngineError>(format!("{}\n{}\n{}", named(begin)?, parts.join("\n\n"), named("package_end")?))
    };
    Ok([whole("package", &heads)?, whole("package_body", &bodies)?])
}

/// The end of a transaction in a procedure.
fn commit_statement(commit: CommitMode) -> &'static str {
    match commit {
        CommitMode::Durable => "COMMIT WRITE IMMEDIATE WAIT",
        CommitMode::EngineDefault => "COMMIT",
    }
}

/// A table's name within a procedure's: short, so that no name is longer than 30 bytes.
fn short(table: TableName) -> &'static str {
    match table {
        TableName::LargeHeapRangeList => "large",
        TableName::LargeCompressed => "compressed",
        small => small.name().trim_start_matches("small_"),
    }
}
