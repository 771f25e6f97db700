//! An acceptance as a JUnit file: a requirement on a variant that decides is a test case. What is missed is a failure,
//! and so is what was not measured; what the measurements cannot tell is one, too, for a pipeline must not pass on it.

use super::result::{Acceptance, AcceptanceOutcome, AcceptanceResult, AcceptedRequirement, AcceptedVariant};
use crate::junit::{Case, CaseOutcome, Suite, document};
use std::io;

impl Acceptance {
    /// The results as a JUnit file.
    ///
    /// # Errors
    /// Never in practice, because it writes to memory.
    pub fn junit(&self) -> io::Result<String> {
        let suite = |variant: &AcceptedVariant| {
            let of_variant = self.requirements.iter().flat_map(|requirement| {
                let of_it = |result: &&AcceptanceResult| result.decides && result.variant == variant.name;
                requirement.results.iter().filter(of_it).map(move |result| case(self, requirement, result))
            });
            Suite { name: format!("{}: {}", self.title, variant.title), cases: of_variant.collect() }
        };
        let suites: Vec<Suite> = self.variants.iter().map(suite).filter(|suite| !suite.cases.is_empty()).collect();
        document(&self.title, &suites)
    }
}

fn case(acceptance: &Acceptance, requirement: &AcceptedRequirement, result: &AcceptanceResult) -> Case {
    let AcceptanceResult { outcome, found, place, remarks, variant, .. } = result;
    let place = if place.is_empty() { String::new() } else { format!(" ({place})") };
    let AcceptedRequirement { title, asked, limit, .. } = requirement;
    let sentence = format!("{}: {asked}: {found}{place}, limit {limit}", outcome.words());
    let is_met = *outcome == AcceptanceOutcome::Met;
    let said = is_met.then(|| sentence.clone()).into_iter().chain(remarks.iter().cloned()).collect();
    let outcome = match is_met {
        true => CaseOutcome::Passed,
        false => CaseOutcome::Failed { kind: outcome.name(), message: sentence },
    };
    Case { class: format!("dbdyno.{}.{variant}", acceptance.name), name: title.clone(), outcome, said }
}
