//! The verdict as text.

use super::line::{JudgedFigure, RequirementOutcome, Verdict, VerdictLine};
use crate::layout::{Column, Keep, Row, Sheet};
use crate::numbers;
use crate::text::{hanging, push_line};
use dbdyno_catalogue::RequirementLimit;

/// The verdict for a terminal of this width; `None` is as wide as needed.
#[must_use]
pub fn page(verdict: &Verdict, width: Option<u16>) -> String {
    let mut out = hanging("Verdict   ", &format!("{}: {}", verdict.title, summary(verdict)), width);
    let label = verdict.label.as_ref().map(|label| format!(" ({label})")).unwrap_or_default();
    out.push_str(&hanging("Run       ", &format!("{}{label}", verdict.run), width));
    if let Some(source) = &verdict.source {
        out.push_str(&hanging("Source    ", source, width));
    }
    if !verdict.accepted.is_empty() {
        out.push_str(&hanging("Accepted  ", &accepted(verdict), width));
    }
    out.push('\n');
    let columns = vec![
        Column::left("requirement", &["Requirement"], Keep::Always),
        Column::left("what was asked", &["Asked"], Keep::Drop(1)),
        Column::right("limit", &["Limit"], Keep::Drop(3)),
        Column::right("figure", &["Figure"], Keep::Always),
        Column::right("margin", &["Margin", "[%]"], Keep::Drop(4)),
        Column::left("result", &["Result"], Keep::Always),
        Column::left("place", &["Where"], Keep::Drop(2)),
    ];
    let rows = verdict.lines.iter().map(|line| Row::Figures(cells(line))).collect();
    out.push_str(&Sheet { columns, rows, gap: 2 }.render(width));
    let noted: Vec<&VerdictLine> =
        verdict.lines.iter().filter(|l| l.reason.is_some() || !l.remarks.is_empty()).collect();
    for line in noted {
        out.push('\n');
        push_line(&mut out, &line.title, width);
        if let Some(reason) = &line.reason {
            out.push_str(&hanging("  ", &format!("{}: {reason}", line.outcome.words()), width));
        }
        for remark in &line.remarks {
            out.push_str(&hanging("  ", remark, width));
        }
    }
    out
}

/// `met, all 3 requirements`, `not met, 2 of 3 requirements: 1 missed, 1 not measured`.
pub(crate) fn summary(verdict: &Verdict) -> String {
    let all = verdict.lines.len();
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

fn cells(line: &VerdictLine) -> Vec<String> {
    let shown = line.figure.as_ref();
    vec![
        line.title.clone(),
        line.asked.clone(),
        limit(line),
        shown.map_or_else(|| numbers::MISSING.to_owned(), |f| figure(line, f)),
        margin(line),
        line.outcome.words(),
        shown.map(|f| f.place.clone()).unwrap_or_default(),
    ]
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
    if figure.points == 0 { stated(figure.value, &line.unit) } else { value(figure.value, &line.unit) }
}

fn with_unit(value: f64, unit: &str, number: fn(f64) -> String) -> String {
    match unit {
        "s" => numbers::duration(value),
        "1/s" => format!("{}/s", number(value)),
        _ => format!("{} {unit}", number(value)),
    }
}

pub(crate) fn margin(line: &VerdictLine) -> String {
    let sign = if line.margin_pct.is_some_and(|pct| pct > 0.0) { "+" } else { "" };
    format!("{sign}{}", numbers::short(line.margin_pct))
}
