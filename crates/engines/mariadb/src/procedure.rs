//! Which procedure a test calls, and everything that belongs to it: the one place that says so, for running it, for
//! printing it and for checking it.

use crate::DIALECT;
#[cfg(test)]
mod tests;

use super::TABLE_NAMES;
use super::layout::{self, Pages};
use dbdyno_engine::bookkeeping::Made;
use dbdyno_engine::server::call::{ARGUMENTS, SUMS};
use dbdyno_engine::server::{between, fits};
use dbdyno_engine::{EngineError, Statement};
use dbdyno_model::{Cache, Compression, Drive, ErrorClass, Organisation, Procedure, Shape, Size, TableName, Test};

/// Marks around the statement under test.
const TEST: (&str, &str) = ("/*test*/", "/*end*/");
/// Marks around what finds the rows that it is about.
const FINDS: (&str, &str) = ("/*finds*/", "/*found*/");
/// What begins the names of everything that a point makes.
const MADE_BY_POINTS: &str = "load_";
/// The procedure that `cpu_fibonacci` calls.
pub(super) const FIBONACCI: &str = "fibonacci";

/// How a session's own counters tell the executions of the statement under test, and the rows that they scanned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Counting {
    /// An execution looks up so many keys (`Handler_read_key`).
    Keys {
        /// Lookups of one execution.
        per_execution: u64,
    },
    /// An execution is one SELECT (`Com_select`), or two that share the months, that scans: of the rows that are read
    /// one after the other (`Handler_read_rnd_next`) so many are ends of partitions, and what is left is so many times
    /// the rows of the table.
    Scans {
        /// Ends that one execution reads.
        ends: u64,
        /// How often it reads each row.
        times: u64,
    },
    /// An execution is one ALTER TABLE.
    Alters,
    /// Nothing of the work is counted by the server.
    Nothing,
}

/// A test's procedure, and what belongs to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ProcedureSpec {
    /// The statement of procedures.sql, lookups.sql or cpu.sql.
    statement: &'static str,
    /// The procedure's name in the database.
    procedure: String,
    work: Procedure,
    table: TableName,
    reads: Vec<TableName>,
    pages: Pages,
}

impl ProcedureSpec {
    /// The recipe of a test.
    ///
    /// # Errors
    /// `Unsupported` where MariaDB has no such table.
    pub(super) fn of(test: &Test) -> Result<Self, EngineError> {
        let table = test.table.unwrap_or(TableName::SmallHeap);
        if !TABLE_NAMES.contains(&table) {
            let message = format!("{}: MariaDB has no table {table}", test.code);
            return Err(EngineError::new(ErrorClass::Unsupported, message));
        }
        let small_heap = TableName::SmallHeap;
        let large = table.shape() == Shape::Large;
        let name = test.procedure.name();
        let of_table = format!("{name}_{table}");
        let (statement, procedure, reads) = match test.procedure {
            work if work.is_cpu() => (name, name.to_owned(), vec![]),
            Procedure::WriteFile => (name, name.to_owned(), vec![]),
            Procedure::Insert => (name, of_table, vec![small_heap]),
            Procedure::BulkLoad if large => ("bulk_load_large", "bulk_load_large".to_owned(), vec![small_heap]),
            Procedure::BulkLoad => ("bulk_load_heap", "bulk_load_heap".to_owned(), vec![small_heap]),
            Procedure::Scan if large => ("scan_large", of_table, vec![table]),
            Procedure::SelectPrimary => {
                let of_kind = ["select_primary", "select_primary_list", "select_primary_large"];
                (of_kind[kind(table)], of_table, vec![table])
            }
            Procedure::SelectSecondary if large => ("select_secondary_large", of_table, vec![table]),
            Procedure::UpdatePrimary => {
                let of_kind = ["update_primary", "update_primary_list", "update_primary_large"];
                (of_kind[kind(table)], of_table, vec![table])
            }
            Procedure::Join if large || test.cache == Cache::NonCached => {
                ("join_large", "join_large".to_owned(), vec![small_heap, TableName::LargeHeapRangeList])
            }
            Procedure::Join => ("join_small", "join_small".to_owned(), vec![small_heap, TableName::SmallIot]),
            _ => (name, of_table, vec![table]),
        };
        let pages = match test.compression {
            Compression::None => Pages::Dynamic,
            Compression::Basic => Pages::Compressed,
            _ => Pages::PageCompressed,
        };
        Ok(Self { statement, procedure, work: test.procedure, table, reads, pages })
    }

    /// Tables that it reads: those that are warm where the test is cached.
    pub(super) fn reads(&self) -> &[TableName] {
        &self.reads
    }

    /// The statements that create the procedure, what it calls first.
    ///
    /// # Errors
    /// A statement cannot be filled in.
    pub(super) fn creates(&self) -> Result<Vec<String>, EngineError> {
        let mut statements = Vec::new();
        if self.work == Procedure::CpuFibonacci {
            statements.push(DIALECT.fill(&format!("cpu/{FIBONACCI}"), &[])?);
        }
        let head = DIALECT.fill("procedures/procedure", &[("procedure", &self.procedure)])?;
        statements.push(format!("{head}\n{}", self.fill(&self.written()?.text)?));
        Ok(statements)
    }

    /// The statements that drop it again.
    ///
    /// # Errors
    /// A statement cannot be filled in.
    pub(super) fn drops(&self) -> Result<Vec<String>, EngineError> {
        let drop = |procedure: &str| DIALECT.fill("tables/drop_procedure", &[("name", procedure)]);
        let mut statements = vec![drop(&self.procedure)?];
        if self.work == Procedure::CpuFibonacci {
            statements.push(drop(FIBONACCI)?);
        }
        Ok(statements)
    }

    /// What the file says about the procedure.
    ///
    /// # Errors
    /// There is no such statement.
    pub(super) fn notes(&self) -> Result<Vec<(String, String)>, EngineError> {
        let notes = self.written()?.notes.iter();
        let told = notes.filter(|(key, _)| !key.starts_with("plan") && *key != "variables" && *key != "counts");
        told.map(|(key, note)| Ok((key.clone(), self.fill(note)?))).collect()
    }

    /// The procedure's name.
    pub(super) fn procedure(&self) -> &str {
        &self.procedure
    }

    /// The call, with a parameter for each argument and each sum.
    pub(super) fn call(&self) -> String {
        format!("CALL {}({})", self.procedure, vec!["?"; ARGUMENTS + SUMS].join(", "))
    }

    /// How the server tells the executions.
    ///
    /// # Errors
    /// The note `counts` cannot be understood.
    pub(super) fn counting(&self) -> Result<Counting, EngineError> {
        let leaves = layout::parts(self.table.organisation()).max(1);
        Ok(match self.work {
            Procedure::Insert => Counting::Keys { per_execution: 1 },
            Procedure::Join
            | Procedure::SelectPrimary
            | Procedure::UpdatePrimary
            | Procedure::SelectSecondary
            | Procedure::UpdateSecondary => {
                let note = self.written()?.notes.get("counts").cloned().unwrap_or_default();
                let per_execution = self.fill(&note)?.parse();
                let wrong = |_| EngineError::new(ErrorClass::Other, format!("{}: counts: {note}", self.statement));
                Counting::Keys { per_execution: per_execution.map_err(wrong)? }
            }
            Procedure::ScanRange => Counting::Scans { ends: leaves / Size::RANGES, times: 1 },
            Procedure::Scan => Counting::Scans { ends: leaves, times: 1 },
            // What is sorted goes through a table of the server's own, which it scans.
            Procedure::Sort => Counting::Scans { ends: leaves + 1, times: 2 },
            // Groups go through one as well, of a length that is not known.
            Procedure::Group | Procedure::Report => Counting::Scans { ends: 0, times: 0 },
            Procedure::IndexUnique | Procedure::IndexNonUnique => Counting::Alters,
            _ => Counting::Nothing,
        })
    }

    /// Whether what it changes is a partitioned table.
    pub(super) fn changes_partitions(&self) -> bool {
        let changes = matches!(self.work, Procedure::Insert | Procedure::UpdatePrimary | Procedure::UpdateSecondary);
        changes && layout::parts(self.table.organisation()) > 0
    }

    /// The statements that create what the jobs of a point share.
    ///
    /// # Errors
    /// A statement cannot be filled in.
    pub(super) fn creates_before(&self) -> Result<Vec<String>, EngineError> {
        match self.work {
            Procedure::Insert => Ok(vec![layout::create(&self.load(), self.table.organisation(), Pages::Dynamic)?]),
            Procedure::WriteFile => Ok(vec![DIALECT.get("procedures/create_noise")?.text.clone()]),
            _ => Ok(Vec::new()),
        }
    }

    /// What comes after a pass of a job, outside the procedure, and what then tells how many bytes it wrote.
    ///
    /// # Errors
    /// A statement cannot be filled in.
    pub(super) fn after_pass(&self, job: u32) -> Result<Option<[String; 2]>, EngineError> {
        if self.work != Procedure::WriteFile {
            return Ok(None);
        }
        let job = job.to_string();
        let of_job = |statement: &str| DIALECT.fill(&format!("procedures/{statement}"), &[("job", &job)]);
        Ok(Some([of_job("write_file_end")?, of_job("write_file_bytes")?]))
    }

    /// What drops the things that a job has made in so many passes from the first on.
    ///
    /// # Errors
    /// A statement cannot be filled in.
    pub(super) fn discards(&self, job: u32, jobs: u32, passes: u64) -> Result<Vec<String>, EngineError> {
        let table = |name: String| DIALECT.fill("tables/drop_table", &[("name", &name)]);
        let number = |pass: u64| pass * u64::from(jobs) + u64::from(job);
        match self.work {
            Procedure::WriteFile => Ok(vec![table(format!("load_file_{job}"))?]),
            Procedure::BulkLoad => {
                let name = self.statement.trim_start_matches("bulk_");
                (0..passes).map(|pass| Ok(table(format!("{name}_{}", number(pass)))?)).collect()
            }
            Procedure::IndexUnique | Procedure::IndexNonUnique => {
                let index = format!("load_index_{job}");
                Ok(vec![DIALECT.fill("statistics/drop_index", &[("index", &index), ("table", self.table.name())])?])
            }
            _ => Ok(Vec::new()),
        }
    }

    /// What a point makes beside the procedure.
    pub(super) fn makes(&self) -> Vec<Made> {
        match self.work {
            Procedure::Insert => vec![Made::table(self.load())],
            Procedure::WriteFile => vec![Made::table("load_noise"), Made::table("load_file_#")],
            Procedure::BulkLoad => vec![Made::table(format!("{}_#", self.statement.trim_start_matches("bulk_")))],
            Procedure::IndexUnique | Procedure::IndexNonUnique => vec![Made::index("load_index_#")],
            _ => Vec::new(),
        }
    }

    /// What drops the things that the first pass of the first of one job makes, besides the procedure.
    ///
    /// # Errors
    /// A statement cannot be filled in.
    pub(super) fn drops_made(&self) -> Result<Vec<String>, EngineError> {
        let table = |name: &str| DIALECT.fill("tables/drop_table", &[("name", name)]);
        Ok(match self.work {
            Procedure::Insert => vec![table(&self.load())?],
            Procedure::WriteFile => vec![table("load_file_0")?, table("load_noise")?],
            Procedure::BulkLoad if self.statement == "bulk_load_large" => vec![table("load_large_0")?],
            Procedure::BulkLoad => vec![table("load_heap_0")?],
            Procedure::IndexUnique | Procedure::IndexNonUnique => {
                vec![
                    DIALECT
                        .fill("statistics/drop_index", &[("index", "load_index_0"), ("table", self.table.name())])?,
                ]
            }
            _ => Vec::new(),
        })
    }

    /// The session's settings, so that there is one plan only, and so that the server's counters hold nothing but the
    /// work. Procedures commit themselves; what a client sends outside of a transaction is one of its own.
    pub(super) fn settings(&self, drive: Drive) -> Vec<(&'static str, &'static str)> {
        let autocommit = if drive == Drive::Client { "1" } else { "0" };
        // Statistics that the server would look up in tables of its own are reads that are counted.
        let mut settings = vec![("autocommit", autocommit), ("use_stat_tables", "'never'")];
        if self.work.is_cpu() {
            return settings;
        }
        settings.extend([
            ("optimizer_switch", "'default'"),
            ("optimizer_switch", "'index_merge=off,mrr=off,rowid_filter=off,split_materialized=off'"),
            ("join_cache_level", "0"),
            ("optimizer_search_depth", "62"),
        ]);
        if self.work == Procedure::BulkLoad {
            // The server then sorts and writes whole pages, and logs one undo record for all of it: its nearest to a
            // direct path.
            settings.extend([("unique_checks", "0"), ("foreign_key_checks", "0")]);
        }
        settings
    }

    /// The statement under test with examples for its variables, or none where the procedure has no such mark.
    ///
    /// # Errors
    /// The note `variables` cannot be understood.
    pub(super) fn example(&self) -> Result<Option<String>, EngineError> {
        let statement = self.written()?;
        let Some(text) = between(&statement.text, TEST) else { return Ok(None) };
        let mut text = self.fill(text)?;
        let note = statement.notes.get("variables").map(String::as_str).unwrap_or_default();
        for variable in note.split(';').filter(|v| !v.trim().is_empty()) {
            let wrong = || EngineError::new(ErrorClass::Other, format!("{}: variables: {variable}", self.statement));
            let (name, example) = variable.split_once('=').ok_or_else(wrong)?;
            text = text.replace(name.trim(), example.trim());
        }
        for sum in ["p_rows", "p_checksum"] {
            text = text.replace(sum, "0");
        }
        // Loads are explained by what they read: where it goes to is made by each call.
        let reads_only = matches!(self.work, Procedure::BulkLoad);
        Ok(Some(if reads_only { text } else { text.replace("@dbdyno_quantity := ", "") }))
    }

    /// What a client sends, with the procedure's variables: what finds the rows to look at, where there is such a
    /// thing, and the statement under test without the sums, which a client keeps itself.
    ///
    /// # Errors
    /// `Unsupported` where no client would send the test's work statement by statement.
    pub(super) fn sent(&self) -> Result<(Option<String>, String), EngineError> {
        if !self.work.has_client_form() {
            return Err(dbdyno_engine::client::unsupported());
        }
        let text = &self.written()?.text;
        let finds = between(text, FINDS).map(|text| self.fill(text)).transpose()?;
        let test = between(text, TEST).unwrap_or_default();
        let sums = ["p_rows + ", "p_checksum + ", "@dbdyno_quantity := "];
        Ok((finds, sums.iter().fold(self.fill(test)?, |text, sum| text.replace(sum, ""))))
    }

    /// The statement that explains the statement under test; it answers with one row, a plan in JSON.
    ///
    /// # Errors
    /// The note `variables` cannot be understood.
    pub(super) fn explain(&self) -> Result<Option<String>, EngineError> {
        Ok(self.example()?.map(|text| format!("EXPLAIN FORMAT = JSON {text}")))
    }

    /// What is wrong with a plan, if anything.
    ///
    /// # Errors
    /// A note cannot be filled in.
    pub(super) fn plan_problem(&self, found: &str) -> Result<Option<String>, EngineError> {
        let Some(expected) = self.expected_plan()? else { return Ok(None) };
        Ok((!fits(&expected, found)).then(|| format!("the plan must be {expected}, and is {found}")))
    }

    /// The plan that the statement under test must have: the note for the table's organisation, or the one for all.
    ///
    /// # Errors
    /// A note cannot be filled in.
    pub(super) fn expected_plan(&self) -> Result<Option<String>, EngineError> {
        let notes = &self.written()?.notes;
        let of_organisation = format!("plan {}", self.table.organisation().name());
        let note = notes.get(&of_organisation).or_else(|| notes.get("plan"));
        note.map(|note| self.fill(note)).transpose()
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
            _ => "procedures",
        }
    }

    /// A text of the file with its placeholders replaced.
    fn fill(&self, text: &str) -> Result<String, EngineError> {
        let leaves = layout::parts(self.table.organisation()).max(1);
        let in_leaves = if leaves > 1 { format!(" in {leaves} partitions") } else { String::new() };
        let rows_per_value = match (self.work, self.table.shape()) {
            (Procedure::Join, _) | (_, Shape::Small) => Size::SMALL_ROWS_PER_VALUE,
            (_, Shape::Large) => Size::LARGE_ROWS_PER_VALUE,
        };
        // The columns of a table that a load makes, after its name.
        let made = layout::create_month(MADE_BY_POINTS, self.pages)?;
        let columns = made.split_once(MADE_BY_POINTS).map_or("", |(_, columns)| columns).trim();
        let values = [
            ("{table}", self.table.name()),
            ("{load}", &self.load()),
            ("{leaves}", &leaves.to_string()),
            ("{in_leaves}", &in_leaves),
            ("{columns}", columns),
            ("{rows_per_value}", &rows_per_value.to_string()),
        ];
        let filled = values.iter().fold(text.to_owned(), |text, (name, value)| text.replace(name, value));
        match filled.contains(['{', '}']) {
            true => Err(EngineError::new(ErrorClass::Other, format!("a placeholder is left in {filled}"))),
            false => Ok(filled),
        }
    }
}

/// 0: without partitions that a caller could name; 1: partitioned by region; 2: by month and region.
fn kind(table: TableName) -> usize {
    match table.organisation() {
        Organisation::Heap | Organisation::Iot | Organisation::Hash => 0,
        Organisation::HeapList | Organisation::IotList => 1,
        Organisation::HeapRangeList => 2,
    }
}
