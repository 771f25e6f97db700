//! Which statements a test is made of: the one place that says so, for running them, for printing them and for checking
//! their plans.

use super::{TABLE_NAMES, table_name};
use crate::DIALECT;
use dbdyno_engine::EngineError;
use dbdyno_engine::bookkeeping::Made;
use dbdyno_model::{Cache, ErrorClass, Organisation, Procedure, Shape, TableName, Test};

/// A test's statement under test, and what belongs to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ProcedureSpec {
    /// The statement under test.
    pub(super) statement: &'static str,
    /// Statements around it.
    pub(super) around: Vec<&'static str>,
    /// The statement that verifies, after the timed part, what was made in it.
    pub(super) verify: Option<&'static str>,
    /// Tables that it reads.
    pub(super) reads: Vec<TableName>,
    organisation: Organisation,
    identifiers: Vec<(&'static str, String)>,
}

impl ProcedureSpec {
    /// The recipe of a test for one of its jobs.
    ///
    /// # Errors
    /// `Unsupported` where SQLite has no such table or no such procedure.
    pub(super) fn of(test: &Test, job: u32) -> Result<Self, EngineError> {
        let table = test.table.unwrap_or(TableName::SmallHeap);
        let unsupported =
            |what: &str| Err(EngineError::new(ErrorClass::Unsupported, format!("{}: SQLite has no {what}", test.code)));
        if !TABLE_NAMES.contains(&table) {
            return unsupported(&format!("table {table}"));
        }
        let write = vec!["begin_write", "commit"];
        let read = vec!["begin_read", "commit"];
        let (statement, around, reads) = match test.procedure {
            Procedure::CpuLoop => ("cpu_loop", vec![], vec![]),
            Procedure::CpuRandomNumber => ("cpu_random_number", vec![], vec![]),
            Procedure::CpuRandomString => ("cpu_random_string", vec![], vec![]),
            Procedure::CpuIntegerMix => ("cpu_integer_mix", vec![], vec![]),
            Procedure::CpuDoubleMix => ("cpu_double_mix", vec![], vec![]),
            Procedure::CpuStringMix => ("cpu_string_mix", vec![], vec![]),
            Procedure::CpuFibonacci => ("cpu_fibonacci", vec![], vec![]),
            Procedure::CpuPrimes => ("cpu_primes", vec![], vec![]),
            Procedure::CpuDecimalMix => return unsupported("exact decimals"),
            Procedure::CpuFloatMix => return unsupported("single-precision floats"),
            Procedure::CpuQuicksort => return unsupported("arrays and no procedural language to sort them in"),
            Procedure::WriteFile => ("write_file", vec!["write_file_table", "begin_write", "commit"], vec![]),
            Procedure::Insert => ("insert", write, vec![TableName::SmallHeap]),
            Procedure::BulkLoad => ("bulk_load", write, vec![TableName::SmallHeap]),
            Procedure::Scan => ("scan", vec![], vec![table]),
            Procedure::ScanRange => ("scan_range", read, vec![table]),
            Procedure::IndexUnique => ("index_unique", write, vec![table]),
            Procedure::IndexNonUnique => ("index_non_unique", write, vec![table]),
            Procedure::Sort => ("sort", vec![], vec![table]),
            Procedure::Group => ("group", vec![], vec![table]),
            Procedure::Report => ("report", vec![], vec![table]),
            Procedure::SelectPrimary => ("select_primary", read, vec![table]),
            Procedure::SelectSecondary => ("select_secondary", read, vec![table]),
            Procedure::UpdatePrimary => ("update_primary", write, vec![table]),
            Procedure::UpdateSecondary => ("update_secondary", write, vec![table]),
            Procedure::Join if probes_large(test) => {
                ("join_large", read, vec![TableName::SmallHeap, TableName::LargeHeapRangeList])
            }
            Procedure::Join => ("join_small", read, vec![TableName::SmallHeap, TableName::SmallIot]),
        };
        let identifiers = vec![
            ("table", table_name(table)),
            ("load", load_table(test, job)),
            ("index", format!("dbdyno_load_{statement}_{job}")),
            ("key", if statement == "index_unique" { "ref_id" } else { "amount" }.to_owned()),
        ];
        let indexes = matches!(test.procedure, Procedure::IndexUnique | Procedure::IndexNonUnique);
        let verify = indexes.then_some("verify_index");
        Ok(Self { statement, around, verify, reads, organisation: table.organisation(), identifiers })
    }

    /// The statement under test, filled in.
    ///
    /// # Errors
    /// The statement's file lacks it.
    pub(super) fn sql(&self) -> Result<String, EngineError> {
        self.fill(self.statement)
    }

    /// A statement, filled in for this test.
    ///
    /// # Errors
    /// The statement's file lacks it.
    pub(super) fn fill(&self, statement: &str) -> Result<String, EngineError> {
        Ok(DIALECT.fill(&format!("procedures/{statement}"), &self.borrowed())?)
    }

    /// The plan that the statement under test must have, where it matters.
    ///
    /// # Errors
    /// The note cannot be filled in.
    pub(super) fn expected_plan(&self) -> Result<Option<String>, EngineError> {
        let of_this = format!("plan {}", self.organisation.name());
        let note = |key: &str| DIALECT.note(&format!("procedures/{}", self.statement), key, &self.borrowed());
        let of_this = note(&of_this)?;
        Ok(if of_this.is_some() { of_this } else { note("plan")? })
    }

    /// The name of the index that an index test builds.
    pub(super) fn index(&self) -> &str {
        self.identifiers.iter().find(|(name, _)| *name == "index").map_or("", |(_, index)| index)
    }

    fn borrowed(&self) -> Vec<(&'static str, &str)> {
        self.identifiers.iter().map(|(name, value)| (*name, value.as_str())).collect()
    }
}

/// The table that a job of an insert or bulk-load test fills: one for all jobs of the first, one a job of the second,
/// so that each can empty its own.
pub(super) fn load_table(test: &Test, job: u32) -> String {
    match (test.procedure, test.table.unwrap_or(TableName::SmallHeap)) {
        (Procedure::BulkLoad, table) if table.shape() == Shape::Large => format!("dbdyno_load_large_{job}"),
        (Procedure::BulkLoad, table) => format!("dbdyno_load_{}_{job}", table.organisation().name()),
        (_, table) => format!("dbdyno_load_{}", table.organisation().name()),
    }
}

/// What a point makes in the file.
pub(super) fn makes(test: &Test) -> Vec<Made> {
    match test.procedure {
        Procedure::Insert => vec![Made::table(load_table(test, 0))],
        Procedure::BulkLoad => vec![Made::table(load_table(test, 0).replace("_0", "_#"))],
        Procedure::IndexUnique | Procedure::IndexNonUnique => {
            vec![Made::index(format!("dbdyno_load_{}_#", test.procedure.name()))]
        }
        _ => Vec::new(),
    }
}

fn probes_large(test: &Test) -> bool {
    test.cache == Cache::NonCached || test.table.is_some_and(|t| t.shape() == Shape::Large)
}
