//! The plan that the statement under test must have: what the server is asked to explain, and how its answer is judged.
//!
//! Plans differ from release to release in nodes that are of no interest, so a note names nodes that must be there in
//! that order, and another those that must not be there at all.

use super::{ProcedureSpec, TEST};
use dbdyno_engine::EngineError;
use dbdyno_engine::server::between;
use dbdyno_model::{CommitMode, ErrorClass, Organisation};

/// What parts nodes, in notes and in plans as they are shown.
const CHILD: &str = " > ";

impl ProcedureSpec {
    /// The statement under test without what only PL/SQL has, or none where the procedure has no such mark.
    ///
    /// # Errors
    /// A placeholder has no value.
    pub(in super::super) fn tested(&self) -> Result<Option<String>, EngineError> {
        let Some(text) = between(&self.written()?.text, TEST) else { return Ok(None) };
        let filled = self.fill(text, CommitMode::Durable)?;
        let lines = filled.lines().filter(|line| !line.trim_start().starts_with("INTO v_"));
        Ok(Some(lines.collect::<Vec<_>>().join("\n")))
    }

    /// The statement under test with examples for its variables, or none where no plan is asked for.
    ///
    /// # Errors
    /// The note `variables` cannot be understood.
    pub(in super::super) fn example(&self) -> Result<Option<String>, EngineError> {
        let (Some(mut text), Some(_)) = (self.tested()?, self.expected_plan()?) else { return Ok(None) };
        let note = self.written()?.notes.get("variables").map(String::as_str).unwrap_or_default();
        for variable in note.split(';').filter(|v| !v.trim().is_empty()) {
            let wrong = || EngineError::new(ErrorClass::Other, format!("{}: variables: {variable}", self.statement));
            let (name, example) = variable.split_once('=').ok_or_else(wrong)?;
            text = text.replace(name.trim(), example.trim());
        }
        Ok(Some(text))
    }

    /// The statement that explains the statement under test into the session's own `plan_table`, under the name
    /// `dbdyno`; `plan` in statistics.sql gives its nodes, `forget_plan` removes them.
    ///
    /// # Errors
    /// The note `variables` cannot be understood.
    pub(in super::super) fn explain(&self) -> Result<Option<String>, EngineError> {
        Ok(self.example()?.map(|text| format!("EXPLAIN PLAN SET STATEMENT_ID = 'dbdyno' FOR {text}")))
    }

    /// The nodes that the plan must have: the note for the table's organisation, or the one for all.
    ///
    /// # Errors
    /// A note cannot be filled in.
    pub(in super::super) fn expected_plan(&self) -> Result<Option<String>, EngineError> {
        let notes = &self.written()?.notes;
        let kind = match self.table.organisation() {
            Organisation::Heap | Organisation::HeapList | Organisation::HeapRangeList => "heap",
            Organisation::Iot | Organisation::IotList => "iot",
            Organisation::Hash => "hash",
        };
        let note = notes.get(&format!("plan {kind}")).or_else(|| notes.get("plan"));
        note.map(|note| self.fill(note, CommitMode::Durable)).transpose()
    }

    /// What is wrong with a plan, its nodes from the first to the last parted by ` > `, if anything.
    ///
    /// # Errors
    /// A note cannot be filled in.
    pub(in super::super) fn plan_problem(&self, found: &str) -> Result<Option<String>, EngineError> {
        let Some(expected) = self.expected_plan()? else { return Ok(None) };
        let mut nodes = found.split(CHILD);
        if !expected.split(CHILD).all(|wanted| nodes.any(|node| is_like(node, wanted))) {
            return Ok(Some(format!("the plan must have {expected}, and is {found}")));
        }
        let never = self.written()?.notes.get("never").map(String::as_str).unwrap_or_default();
        let never: Vec<&str> = never.split(';').map(str::trim).filter(|node| !node.is_empty()).collect();
        let unwanted = found.split(CHILD).find(|node| never.iter().any(|pattern| is_like(node, pattern)));
        Ok(unwanted.map(|node| format!("the plan must have no {node}, and is {found}")))
    }
}

/// Whether a node is as a pattern says, in which a star stands for any text.
fn is_like(node: &str, pattern: &str) -> bool {
    match pattern.split_once('*') {
        None => node == pattern,
        Some((first, rest)) => node.strip_prefix(first).is_some_and(|left| {
            let cuts = left.char_indices().map(|(at, _)| at).chain([left.len()]);
            cuts.into_iter().any(|at| is_like(&left[at..], rest))
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbdyno_model::{Cache, Procedure, TableName};
    use dbdyno_testkit::conformance::catalogue::test;

    #[test]
    fn nodes_are_compared_as_patterns() {
        assert!(is_like("TABLE ACCESS BY INDEX ROWID BATCHED on t", "TABLE ACCESS BY * on t"));
        assert!(!is_like("TABLE ACCESS BY INDEX ROWID on t_2", "TABLE ACCESS BY * on t"));
        assert!(is_like("HASH GROUP BY", "* GROUP BY*") && is_like("SORT GROUP BY PIVOT", "* GROUP BY*"));
        assert!(!is_like("VIEW", "* GROUP BY*") && is_like("VIEW", "VIEW"));
    }

    #[test]
    fn a_plan_has_what_it_must_have_in_that_order_and_nothing_that_it_must_not() {
        let of = |work, table| ProcedureSpec::of(&test("T611", work, Some(table), Cache::Cached));
        let procedure = of(Procedure::SelectPrimary, TableName::SmallHeap);
        let good = "TABLE ACCESS BY INDEX ROWID on small_heap > INDEX UNIQUE SCAN on small_heap_pk";
        assert_eq!(procedure.plan_problem(good).unwrap(), None);
        let global = "TABLE ACCESS BY GLOBAL INDEX ROWID on small_heap > INDEX UNIQUE SCAN on small_heap_pk";
        assert_eq!(procedure.plan_problem(global).unwrap(), None);
        let turned = "INDEX UNIQUE SCAN on small_heap_pk > TABLE ACCESS BY INDEX ROWID on small_heap";
        assert!(procedure.plan_problem(turned).unwrap().is_some_and(|problem| problem.contains("must have TABLE")));
        let both = format!("{good} > TABLE ACCESS FULL on small_heap");
        assert!(procedure.plan_problem(&both).unwrap().is_some_and(|problem| problem.contains("must have no TABLE")));
        let parallel = "SORT AGGREGATE > PX COORDINATOR > PX SEND QC (RANDOM) on :tq10000 > SORT AGGREGATE > \
                        PX BLOCK ITERATOR > TABLE ACCESS FULL on large_heap_range_list";
        assert_eq!(of(Procedure::Scan, TableName::LargeHeapRangeList).plan_problem(parallel).unwrap(), None);
        assert!(of(Procedure::CpuLoop, TableName::SmallHeap).expected_plan().unwrap().is_none());
    }
}
