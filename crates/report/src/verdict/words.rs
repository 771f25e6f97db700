//! The figures and limits of a verdict as text.

use super::line::{JudgedFigure, RequirementOutcome, Verdict, VerdictLine};
use crate::numbers;
use dbdyno_catalogue::RequirementLimit;

/// `met, all 3 requirements`, `not met, 2 of 3 requirements: 1 missed, 1 not measured`.
pub(crate) fn summary(verdict: &Verdict) -> String {
    let all = verdict.lines.len();
    if all == 0 {
        return "nothing was asked of it".to_owned();
    }
    if verdict.met {
        return if all == 1 { "met, the only requirement".to_owned() } else { format!("met, all {all} requirements") };
    }
    let unmet = all - verdict.count(RequirementOutcome::Met);
    let bad = RequirementOutcome::ALL.into_iter().filter(|outcome| *outcome != RequirementOutcome::Met);
    let kinds = bad.map(|outcome| (verdict.count(outcome), outcome)).filter(|(n, _)| *n > 0);
    let kinds: Vec<String> = kinds.map(|(n, outcome)| format!("{n} {}", outcome.words())).collect();
    format!("not met, {unmet} of {all} requirement{}: {}", if all == 1 { "" } else { "s" }, kinds.join(", "))
}

/// `not_proved, on the command line: figures with it were judged like sound ones`.
pub(crate) fn accepted(verdict: &Verdict) -> String {
    let names: Vec<&str> = verdict.accepted.iter().map(|flag| flag.name()).collect();
    format!("{}, on the command line: figures with it were judged like sound ones", names.join(", "))
}

/// The limit with its sign: `>= 2,000/s`, `<= 5.00 ms`.
pub(crate) fn limit(line: &VerdictLine) -> String {
    let sign = match line.limit {
        RequirementLimit::Minimum(_) => ">=",
        RequirementLimit::Maximum(_) => "<=",
    };
    // All digits of the written limit; a measured figure shows its precision by its own digits.
    format!("{sign} {}", stated(line.limit.value(), &line.unit))
}

/// A measured value with its unit, as a reader writes it: `2,345/s`, `4.30 ms`, `889.4 MiB/s`.
pub(crate) fn value(value: f64, unit: &str) -> String {
    with_unit(value, unit, numbers::thousands)
}

/// A written value, with all its digits.
pub(crate) fn stated(value: f64, unit: &str) -> String {
    with_unit(value, unit, numbers::printed)
}

/// The figure of a line: measured, or as its source states it.
pub(crate) fn figure(line: &VerdictLine, figure: &JudgedFigure) -> String {
    let text = of_line(line, figure, figure.value);
    figure.bound.map_or_else(|| text.clone(), |bound| format!("{} {text}", bound.sign()))
}

/// `, peak 800 ms`; nothing where the figure is the longest, or none is known.
pub(crate) fn peak(line: &VerdictLine, figure: &JudgedFigure) -> String {
    let other = figure.peak.filter(|peak| *peak > figure.value);
    other.map_or_else(String::new, |peak| format!(", peak {}", of_line(line, figure, peak)))
}

fn of_line(line: &VerdictLine, figure: &JudgedFigure, number: f64) -> String {
    if figure.points == 0 { stated(number, &line.unit) } else { value(number, &line.unit) }
}

fn with_unit(value: f64, unit: &str, number: fn(f64) -> String) -> String {
    match unit {
        "s" => numbers::duration(value),
        "1/s" => format!("{}/s", number(value)),
        _ => format!("{} {unit}", number(value)),
    }
}
