//! A comparison with a limit as a JUnit file: every figure of every side is a test case, and one that is shown to be
//! worse than the limit is a failure. What could not be judged is skipped, with the reason: it has passed nothing.

use super::comparison::Comparison;
use super::row::{ComparedCell, ComparedRow, Ratio};
use crate::junit::{Case, CaseOutcome, Suite, document};
use crate::numbers::short;
use std::io;

impl Comparison {
    /// The XML document. Without a limit nothing in it fails.
    ///
    /// # Errors
    /// Never in practice, because it writes to memory.
    pub fn junit(&self) -> io::Result<String> {
        let sides = self.sides.iter().enumerate().filter(|(at, _)| *at != self.baseline);
        let suites = sides.map(|(at, side)| Suite {
            name: format!("{} against {}", side.name, self.sides[self.baseline].name),
            cases: self
                .rows
                .iter()
                .filter_map(|row| Some(self.case(row, at, row.cells.get(at)?)))
                .chain(self.of_baseline_alone().map(|test| self.lost_case(test, at)))
                .collect(),
        });
        document("dbdyno compare", &suites.collect::<Vec<_>>())
    }

    /// A test that this side may have lost.
    fn lost_case(&self, test: &str, at: usize) -> Case {
        let why = format!("only {} has figures of it", self.sides[self.baseline].name);
        let class = format!("dbdyno.{}", self.sides[at].name);
        Case { class, name: test.to_owned(), outcome: CaseOutcome::Skipped { why }, said: Vec::new() }
    }

    fn case(&self, row: &ComparedRow, at: usize, cell: &ComparedCell) -> Case {
        let mut all_broken = self.regression.iter().flat_map(|regression| &regression.broken);
        let broken = all_broken.find(|of| of.side == at && of.test == row.test && of.which == row.which);
        let side = &self.sides[at].name;
        let mut said = Vec::new();
        let outcome = match (broken, &cell.ratio) {
            (Some(broken), _) => CaseOutcome::Failed { kind: "regression", message: broken.sentence(side) },
            (None, Some(Ratio { value: Some(ratio), low: Some(low), high: Some(high), .. })) => {
                said.push(format!("{ratio:.3} of the baseline, 95 % interval {low:.3}..{high:.3}"));
                said.extend(self.regression.iter().map(|of| format!("limit: {} % worse", short(of.limit_pct))));
                CaseOutcome::Passed
            }
            (None, ratio) => {
                let why = ratio.as_ref().and_then(|ratio| ratio.why.clone()).or_else(|| cell.missing.clone());
                CaseOutcome::Skipped { why: why.unwrap_or_else(|| "one side has no such figure".to_owned()) }
            }
        };
        let name = format!("{} {}", row.test, row.which.words());
        Case { class: format!("dbdyno.{side}"), name, outcome, said }
    }
}
