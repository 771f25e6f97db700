//! The verdict on the page: the answer first, then every requirement with its margin.

use super::table::{ColumnHead, Table, TableRow, text};
use crate::numbers::MISSING;
use crate::text::clean;
use crate::verdict::page::{accepted, limit, margin, summary, value};
use crate::verdict::{RequirementOutcome, Verdict, VerdictLine};
use maud::{Markup, html};

/// The section of all runs that were judged; empty where none was.
pub(super) fn section(verdicts: &[Verdict]) -> Markup {
    let Some(first) = verdicts.first() else { return html! {} };
    html! {
        section #verdict {
            h2 { "Verdict" span.sub { " on “" (clean(&first.title)) "”" } }
            @for verdict in verdicts { (one(verdict, verdicts.len() > 1)) }
        }
    }
}

fn one(verdict: &Verdict, among_others: bool) -> Markup {
    let name = verdict.label.as_deref().unwrap_or(verdict.run.as_str());
    let summary = summary(verdict);
    // The heading has this word already.
    let details = summary.strip_prefix("not met, ").or_else(|| summary.strip_prefix("met, ")).unwrap_or(&summary);
    html! {
        p.verdict.met[verdict.met] {
            b { (sign(verdict.met)) " " @if verdict.met { "Met" } @else { "Not met" } }
            span { @if among_others { (clean(name)) ": " } (clean(details)) }
        }
        @if !verdict.accepted.is_empty() { p { "Accepted: " (accepted(verdict)) } }
        (table(verdict, among_others.then_some(name)).render())
    }
}

/// A sign, for readers who cannot distinguish the colours.
fn sign(met: bool) -> &'static str {
    if met { "✓" } else { "✗" }
}

fn table(verdict: &Verdict, name: Option<&str>) -> Table {
    let heads = ColumnHead::row("Requirement | Asked | Limit [] | Figure [] | Margin [%] | Result | Where | Remarks");
    let rows = verdict.lines.iter().map(|line| TableRow::Figures(cells(line))).collect();
    let of = name.map_or_else(String::new, |name| format!(" of {name}"));
    let caption = format!("Requirements{of}; the margin is in percent of the limit, below zero where it is missed");
    Table { caption: text(&caption), heads, rows, class: "verdicts" }
}

fn cells(line: &VerdictLine) -> Vec<Markup> {
    let figure = line.figure.as_ref();
    let micro = |text: String| text.replace(" us", " µs");
    let remarks: Vec<&str> = line.reason.iter().chain(&line.remarks).map(String::as_str).collect();
    vec![
        text(&line.title),
        text(&line.asked),
        text(&micro(limit(line))),
        text(&figure.map_or_else(|| MISSING.to_owned(), |f| micro(value(f.value, &line.unit)))),
        text(&margin(line)),
        html! { b.outcome.met[line.outcome == RequirementOutcome::Met] { (sign(line.outcome == RequirementOutcome::Met)) " " (line.outcome.words()) } },
        text(figure.map_or("", |f| f.place.as_str())),
        text(&remarks.join("; ")),
    ]
}
