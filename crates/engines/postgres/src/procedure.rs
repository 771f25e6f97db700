//! Which procedure a test calls, and everything that belongs to it: the one place that says so, for running it, for
//! printing it and for checking it.

use crate::DIALECT;
pub(super) mod client;
pub(super) mod layout;
mod settings;
#[cfg(test)]
mod tests;

use super::TABLE_NAMES;
use dbdyno_engine::bookkeeping::Made;
use dbdyno_engine::server::call::{ARGUMENTS, SUMS};
use dbdyno_engine::server::fits;
use dbdyno_engine::{EngineError, PointSpec, Statement};
use dbdyno_model::{Cache, ErrorClass, Organisation, Procedure, Shape, Size, TableName, Test};

/// Marks around the statement under test.
const TEST: (&str, &str) = ("/*test*/", "/*end*/");
/// What begins the names of everything that a point makes.
const MADE_BY_POINTS: &str = "load_";

/// How the server's own counters tell the executions of the statement under test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Counting {
    /// An execution is so many scans of an index, those of its leaves added up.
    IndexScans {
        /// The index, of the whole table where that is partitioned.
        index: String,
        /// Leaves that one execution looks into.
        per_execution: u64,
    },
    /// An execution is one sequential scan of a table, or of a part of it.
    TableScans {
        /// The table.
        table: TableName,
        /// Leaves that one execution scans.
        leaves: u64,
        /// Whether it is one month of it.
        range: bool,
    },
    /// Nothing of the work is counted by the server.
    Nothing,
}

impl Counting {
    /// Rows that one execution reads by sequential scans.
    pub(super) fn rows_per_execution(&self, size: &Size) -> u64 {
        match self {
            Self::TableScans { range: true, .. } => size.small_rows,
            Self::TableScans { table, .. } => table.rows(size),
            Self::IndexScans { .. } | Self::Nothing => 0,
        }
    }
}

/// A test's procedure, and what belongs to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ProcedureSpec {
    /// The statement of procedures.sql, lookups.sql or cpu.sql.
    statement: &'static str,
    /// The procedure's name in the schema.
    procedure: String,
    work: Procedure,
    table: TableName,
    reads: Vec<TableName>,
}

impl ProcedureSpec {
    /// The recipe of a test.
    ///
    /// # Errors
    /// `Unsupported` where PostgreSQL has no such table.
    pub(super) fn of(test: &Test) -> Result<Self, EngineError> {
        let table = test.table.unwrap_or(TableName::SmallHeap);
        if !TABLE_NAMES.contains(&table) {
            let message = format!("{}: PostgreSQL has no table {table}", test.code);
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
        Ok(Self { statement, procedure, work: test.procedure, table, reads })
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
            statements.push(DIALECT.fill("cpu/fibonacci", &[])?);
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
        let mut statements = vec![DIALECT.fill("tables/drop_procedure", &[("procedure", &self.procedure)])?];
        if self.work == Procedure::CpuFibonacci {
            statements.push(DIALECT.get("tables/drop_fibonacci")?.text.clone());
        }
        Ok(statements)
    }

    /// What the file says about the procedure.
    ///
    /// # Errors
    /// There is no such statement.
    pub(super) fn notes(&self) -> Result<Vec<(String, String)>, EngineError> {
        let notes = self.written()?.notes.iter();
        let told = notes.filter(|(key, _)| !key.starts_with("plan") && *key != "variables");
        told.map(|(key, note)| Ok((key.clone(), self.fill(note)?))).collect()
    }

    /// The procedure's name.
    pub(super) fn procedure(&self) -> &str {
        &self.procedure
    }

    /// The call, with parameters of type bigint; the sums begin at 0.
    pub(super) fn call(&self) -> String {
        let parameters: Vec<String> = (1..=ARGUMENTS).map(|n| format!("${n}::bigint")).collect();
        format!("CALL dbdyno.{}({}{})", self.procedure, parameters.join(", "), ", 0".repeat(SUMS))
    }

    /// Transactions that a pass commits inside the call; the call's own, at its end, is one more.
    pub(super) fn commits_per_pass(&self) -> u64 {
        match self.work {
            Procedure::Insert | Procedure::UpdatePrimary | Procedure::UpdateSecondary => 1,
            Procedure::IndexUnique | Procedure::IndexNonUnique | Procedure::WriteFile => 2,
            _ => 0,
        }
    }

    /// Names of the tables or indexes that a job has made in so many passes from the first on, and what they are; none
    /// where passes leave nothing to be removed.
    pub(super) fn made(&self, job: u32, jobs: u32, passes: u64) -> Option<(&'static str, Vec<String>)> {
        let number = |pass: u64| pass * u64::from(jobs) + u64::from(job);
        let each = |name: &str| (0..passes).map(|pass| format!("{name}_{}", number(pass))).collect();
        match self.work {
            Procedure::WriteFile => Some(("TABLE", vec![format!("load_file_{job}")])),
            Procedure::BulkLoad => Some(("TABLE", each(self.statement.trim_start_matches("bulk_")))),
            Procedure::IndexUnique | Procedure::IndexNonUnique => {
                Some(("INDEX", (1..=self.leaves()).map(|leaf| format!("load_index_{job}_{leaf}")).collect()))
            }
            _ => None,
        }
    }

    /// How the server tells the executions.
    pub(super) fn counting(&self) -> Counting {
        let (table, leaves) = (self.table, self.leaves());
        let index = |index: String, per_execution| Counting::IndexScans { index, per_execution };
        match self.work {
            Procedure::Insert => index("small_heap_pk".to_owned(), 1),
            Procedure::Join => index("small_heap_customer".to_owned(), 1),
            // All other leaves are pruned.
            Procedure::SelectPrimary | Procedure::UpdatePrimary => index(format!("{table}_pk"), 1),
            Procedure::SelectSecondary | Procedure::UpdateSecondary => index(format!("{table}_customer"), leaves),
            Procedure::ScanRange => Counting::TableScans { table, leaves: leaves / Size::RANGES, range: true },
            Procedure::Scan
            | Procedure::Sort
            | Procedure::Group
            | Procedure::Report
            | Procedure::IndexUnique
            | Procedure::IndexNonUnique => Counting::TableScans { table, leaves, range: false },
            _ => Counting::Nothing,
        }
    }

    /// The statements that create what the jobs of a point share.
    ///
    /// # Errors
    /// A statement cannot be filled in.
    pub(super) fn creates_before(&self) -> Result<Vec<String>, EngineError> {
        match self.work {
            Procedure::Insert => layout::create_indexed(&self.load(), self.table.organisation()),
            Procedure::WriteFile => Ok(vec![DIALECT.get("tables/create_noise")?.text.clone()]),
            _ => Ok(Vec::new()),
        }
    }

    /// What a point makes beside the procedure.
    pub(super) fn makes(&self) -> Vec<Made> {
        let (load, organisation) = (self.load(), self.table.organisation());
        match self.work {
            Procedure::Insert => {
                let relations =
                    layout::leaves(&load, organisation).into_iter().chain(layout::parents(&load, organisation));
                relations.map(Made::table).collect()
            }
            Procedure::WriteFile => vec![Made::table("load_noise"), Made::table("load_file_#")],
            Procedure::BulkLoad if self.statement == "bulk_load_large" => vec![Made::table("load_large_#")],
            Procedure::BulkLoad => vec![Made::table("load_heap_#")],
            Procedure::IndexUnique | Procedure::IndexNonUnique => vec![Made::index("load_index_#_#")],
            _ => Vec::new(),
        }
    }

    /// What drops the things that the first pass of the first of one job makes, besides the procedure.
    ///
    /// # Errors
    /// A statement cannot be filled in.
    pub(super) fn drops_made(&self) -> Result<Vec<String>, EngineError> {
        let table = |name: &str| DIALECT.fill("tables/drop_table", &[("table", name)]);
        let index = |n: u64| DIALECT.fill("statistics/drop_index", &[("index", &format!("load_index_0_{n}"))]);
        Ok(match self.work {
            Procedure::Insert => vec![table(&self.load())?],
            Procedure::WriteFile => vec![table("load_file_0")?, table("load_noise")?],
            Procedure::BulkLoad if self.statement == "bulk_load_large" => vec![table("load_large_0")?],
            Procedure::BulkLoad => vec![table("load_heap_0")?],
            Procedure::IndexUnique | Procedure::IndexNonUnique => {
                (1..=self.leaves()).map(index).collect::<Result<_, _>>()?
            }
            _ => Vec::new(),
        })
    }

    /// The statement under test, its variables as parameters, or none where the procedure has no such mark.
    ///
    /// # Errors
    /// The note `variables` cannot be understood.
    pub(super) fn statement_under_test(&self) -> Result<Option<(String, Vec<Variable>)>, EngineError> {
        let statement = self.written()?;
        let marked = statement.text.split_once(TEST.0).and_then(|(_, rest)| rest.split_once(TEST.1));
        let Some((text, _)) = marked else { return Ok(None) };
        let (mut text, mut variables) = (self.fill(text.trim())?, Vec::new());
        let note = statement.notes.get("variables").map(String::as_str).unwrap_or_default();
        for (n, variable) in (1..).zip(note.split(';').filter(|v| !v.trim().is_empty())) {
            let wrong = || EngineError::new(ErrorClass::Other, format!("{}: variables: {variable}", self.statement));
            let (declared, example) = variable.split_once('=').ok_or_else(wrong)?;
            let (name, kind) = declared.trim().split_once(' ').ok_or_else(wrong)?;
            text = text.replace(name, &format!("${n}"));
            let (name, kind, example) = (name.to_owned(), kind.to_owned(), example.trim().to_owned());
            variables.push(Variable { name, kind, example });
        }
        Ok(Some((text, variables)))
    }

    /// The statements that explain the statement under test; they answer with one row, a plan in JSON.
    ///
    /// # Errors
    /// The note `variables` cannot be understood.
    pub(super) fn explain(&self) -> Result<Option<String>, EngineError> {
        let under_test = self.statement_under_test()?;
        Ok(under_test.map(|(text, variables)| Self::explaining(&text, &variables)))
    }

    fn explaining(text: &str, variables: &[Variable]) -> String {
        let list = |of: Vec<String>| if of.is_empty() { String::new() } else { format!("({})", of.join(", ")) };
        let kinds = list(variables.iter().map(|v| v.kind.clone()).collect());
        let examples = list(variables.iter().map(|v| format!("'{}'", v.example)).collect());
        format!(
            "PREPARE dbdyno_test{kinds} AS {text};\n\
             EXPLAIN (COSTS OFF, FORMAT JSON) EXECUTE dbdyno_test{examples};\n\
             DEALLOCATE dbdyno_test;"
        )
    }

    /// What is wrong with a plan, if anything.
    ///
    /// # Errors
    /// A note cannot be filled in.
    pub(super) fn plan_problem(&self, spec: &PointSpec, found: &str) -> Result<Option<String>, EngineError> {
        let Some(expected) = self.expected_plan(spec)? else { return Ok(None) };
        Ok((!fits(&expected, found)).then(|| format!("the plan must be {expected}, and is {found}")))
    }

    /// The plan that the statement under test must have: the note for the table's organisation, or the one for its
    /// kind.
    ///
    /// # Errors
    /// A note cannot be filled in.
    pub(super) fn expected_plan(&self, spec: &PointSpec) -> Result<Option<String>, EngineError> {
        let notes = &self.written()?.notes;
        let parallel = if spec.threads > 1 { " parallel" } else { "" };
        let of_kind = if kind(self.table) > 0 { "many" } else { "one" };
        let keys = [
            format!("plan {}", self.table.organisation().name()),
            format!("plan {of_kind}{parallel}"),
            format!("plan {of_kind}"),
            format!("plan{parallel}"),
            "plan".to_owned(),
        ];
        let note = keys.iter().find_map(|key| notes.get(key));
        let threads = spec.threads.to_string();
        note.map(|note| self.fill(&note.replace("{threads}", &threads))).transpose()
    }

    /// The table that an insert test fills.
    fn load(&self) -> String {
        format!("{MADE_BY_POINTS}{}", self.table.organisation().name())
    }

    fn leaves(&self) -> u64 {
        layout::leaves(self.table.name(), self.table.organisation()).len() as u64
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
        let (load, leaves) = (self.load(), self.leaves().to_string());
        let rows_per_value = match (self.work, self.table.shape()) {
            (Procedure::Join, _) | (_, Shape::Small) => Size::SMALL_ROWS_PER_VALUE,
            (_, Shape::Large) => Size::LARGE_ROWS_PER_VALUE,
        };
        let values = [
            ("{table}", self.table.name()),
            ("{load}", &load),
            ("{leaves}", &leaves),
            ("{rows_per_value}", &rows_per_value.to_string()),
        ];
        let filled = values.iter().fold(text.to_owned(), |text, (name, value)| text.replace(name, value));
        match filled.contains(['{', '}']) {
            true => Err(EngineError::new(ErrorClass::Other, format!("a placeholder is left in {filled}"))),
            false => Ok(filled),
        }
    }
}

/// A variable of a statement under test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Variable {
    name: String,
    kind: String,
    example: String,
}

/// 0: without partitions; 1: partitioned by region; 2: by month and region.
fn kind(table: TableName) -> usize {
    match table.organisation() {
        Organisation::Heap | Organisation::Iot | Organisation::Hash => 0,
        Organisation::HeapList | Organisation::IotList => 1,
        Organisation::HeapRangeList => 2,
    }
}
