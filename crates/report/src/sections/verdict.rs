//! The verdict: the answer first, then every requirement with its margin. Several verdicts are also laid side by side,
//! a column for each variant.

use crate::sections::prelude::*;
use crate::verdict::words::{accepted, figure, limit, peak, summary};
use crate::verdict::{RequirementOutcome, Verdict, VerdictLine};

/// The section of all that was judged; without blocks where nothing was.
pub(crate) fn section(verdicts: &[Verdict]) -> Section {
    let about = verdicts.first().map_or_else(String::new, |first| format!(" on “{}”", first.title));
    let of_runs = verdicts.iter().flat_map(|verdict| of_run(verdict, verdicts.len() > 1));
    Section { about, ..words::section("verdict") }.with(results(verdicts).map(Block::from)).with(of_runs)
}

/// The report of verdicts alone. Its first word says on a terminal what it is.
pub(crate) fn report(verdicts: &[Verdict]) -> Document {
    Document::of(vec![Section { title: String::new(), ..section(verdicts) }])
}

/// The table of results: a row for each requirement, and a column for each variant, be it a run, a label, or a part of
/// a published platform. Nothing where there is only one.
fn results(verdicts: &[Verdict]) -> Option<Table> {
    let variants = verdicts.iter().flat_map(|verdict| {
        let parts = unique(verdict.lines.iter().filter_map(|line| line.variant.as_deref()));
        let whole = parts.is_empty().then_some((verdict, None));
        whole.into_iter().chain(parts.into_iter().map(move |part| (verdict, Some(part))))
    });
    let variants: Vec<(&Verdict, Option<&str>)> = variants.collect();
    if variants.len() < 2 {
        return None;
    }
    // Of the lines of a requirement the first one stays.
    let lines = verdicts.iter().flat_map(|verdict| &verdict.lines).rev();
    let asked: BTreeMap<usize, &VerdictLine> = lines.map(|line| (line.requirement, line)).collect();
    // What does not fit is named below the table.
    let head = |(verdict, part): &(&Verdict, Option<&str>)| {
        let whole = part.is_none() || verdicts.len() > 1;
        joined([if whole { &verdict.name } else { "" }, part.unwrap_or_default()], "\n")
    };
    let columns = variants.iter().enumerate().map(|(n, variant)| Column::words(head(variant)).last_first(n));
    let row = |of: &VerdictLine| {
        let part = of.variant.as_ref().map(|part| format!(", {part}")).unwrap_or_default();
        let title = of.title.strip_suffix(&part).unwrap_or(&of.title);
        let results = variants.iter().map(|(verdict, part)| {
            let mut lines = verdict.lines.iter().filter(|line| line.requirement == of.requirement);
            // A requirement that names no part is that of every part.
            let line = lines.find(|line| line.variant.is_none() || line.variant.as_deref() == *part);
            line.map_or_else(Cell::empty, result)
        });
        Row::led([title, &of.asked, &limit(of)], results)
    };
    let caption = format!("Results on “{}”", verdicts[0].title);
    let mut table = captioned("verdict", "results", caption, asked.into_values().map(row).collect());
    table.columns.extend(columns);
    Some(table.look(Look::Verdict))
}

/// A figure with its peak, or why there is none.
fn result(line: &VerdictLine) -> Cell {
    let missed = if line.outcome == RequirementOutcome::Missed { ", missed" } else { "" };
    let text = match &line.figure {
        Some(found) => format!("{}{}{missed}", figure(line, found), peak(line, found)),
        None => line.outcome.words(),
    };
    // A figure that was doubted or accepted is not one like the others.
    let weak = |remark: &String| remark.starts_with("doubtful") || remark.starts_with("accepted");
    let why: Vec<&str> = line.reason.iter().chain(&line.remarks).map(String::as_str).collect();
    Cell::words(text).marked(suspect_mark(line.remarks.iter().any(weak))).tone(tone(line)).because(Some(why.join("; ")))
}

fn tone(line: &VerdictLine) -> Tone {
    if line.outcome == RequirementOutcome::Met { Tone::Better } else { Tone::Worse }
}

/// The answer, whose it is, then the table, then what is to be said of single requirements.
fn of_run(verdict: &Verdict, among_others: bool) -> Vec<Block> {
    let kind = match verdict.met {
        _ if verdict.lines.is_empty() => NoteKind::Plain,
        true => NoteKind::Met,
        false => NoteKind::NotMet,
    };
    let of = if among_others { &verdict.name } else { &verdict.title };
    let answer = Note { kind, lead: "Verdict   ".to_owned(), text: format!("{of}: {}", summary(verdict)) };
    let label = verdict.label.as_ref().map(|label| format!(" ({label})")).unwrap_or_default();
    let facts = [
        ("Run", Some(format!("{}{label}", verdict.run))),
        ("Source", verdict.source.clone()),
        ("Accepted", (!verdict.accepted.is_empty()).then(|| accepted(verdict))),
    ];
    let facts = facts.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    let said = verdict.lines.iter().filter_map(|line| {
        let reason = line.reason.as_ref().map(|reason| format!("{}: {reason}", line.outcome.words()));
        let run = line.run.as_ref().map(|run| format!("measured by run {run}"));
        let texts = reason.iter().chain(&run).chain(&line.remarks);
        let blocks: Vec<Block> = texts.map(|text| Note::led("  ", text).into()).collect();
        (!blocks.is_empty()).then(|| Part { title: line.title.clone(), blocks, ..Part::default() }.into())
    });
    [answer.into(), Block::Facts(facts.collect()), table(verdict, of).into()].into_iter().chain(said).collect()
}

fn table(verdict: &Verdict, name: &str) -> Table {
    let row = |line: &VerdictLine| {
        let found = line.figure.as_ref();
        let figure = found.map_or_else(|| Cell::figure(None, Form::Short), |found| Cell::words(figure(line, found)));
        let margin = Cell::figure(line.margin_pct, Form::Signed);
        let result = Cell::words(line.outcome.words()).tone(tone(line));
        let place = Cell::words(found.map_or("", |found| &found.place));
        Row::led([&line.title, &line.asked, &limit(line)], [figure, margin, result, place])
    };
    let table = words::table("verdict", "requirements", verdict.lines.iter().map(row).collect());
    let caption = format!("Requirements of {name}; {}", table.caption);
    table.called(caption).look(Look::Verdict)
}
