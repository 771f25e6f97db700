//! The verdict as a JUnit file: a requirement is a test case, and an unmet one is a failure of its outcome's kind.

use super::line::{RequirementOutcome, Verdict, VerdictLine};
use super::words;
use crate::junit::{Case, CaseOutcome, Suite, document};
use std::io;

/// The XML document.
///
/// # Errors
/// Never in practice, because it writes to memory.
pub fn junit(verdicts: &[Verdict]) -> io::Result<String> {
    let suite = |verdict: &Verdict| Suite {
        name: verdict.title.clone(),
        cases: verdict.lines.iter().map(|line| case(verdict, line)).collect(),
    };
    let title = verdicts.first().map_or("", |verdict| verdict.title.as_str());
    document(title, &verdicts.iter().map(suite).collect::<Vec<_>>())
}

fn case(verdict: &Verdict, line: &VerdictLine) -> Case {
    let is_met = line.outcome == RequirementOutcome::Met;
    let mut said: Vec<String> = Vec::new();
    said.extend(is_met.then(|| sentence(line)));
    said.extend(line.remarks.iter().cloned());
    said.extend((!verdict.accepted.is_empty()).then(|| format!("accepted: {}", words::accepted(verdict))));
    let outcome = match is_met {
        true => CaseOutcome::Passed,
        false => CaseOutcome::Failed { kind: line.outcome.name(), message: sentence(line) },
    };
    Case { class: format!("dbdyno.{}", verdict.run), name: line.title.clone(), outcome, said }
}

/// `missed: T711 tx_per_s is 1,800/s (best of 3: 8 jobs), limit >= 2,000/s, margin -10 %`.
fn sentence(line: &VerdictLine) -> String {
    let (outcome, limit) = (line.outcome.words(), words::limit(line));
    match (&line.figure, &line.reason) {
        (Some(figure), _) => {
            let value = words::figure(line, figure);
            let place = if figure.place.is_empty() { String::new() } else { format!(" ({})", figure.place) };
            format!("{outcome}: {} is {value}{place}, limit {limit}", line.asked)
        }
        (None, reason) => {
            format!("{outcome}: {}, limit {limit}: {}", line.asked, reason.as_deref().unwrap_or_default())
        }
    }
}
