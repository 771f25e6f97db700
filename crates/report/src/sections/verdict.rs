//! The verdict: the answer first, then every requirement with its margin. Several verdicts are also laid side by side,
//! a column for each variant.

use crate::document::{Block, Caption, Cell, Column, Document, Facts, Field, Form, Keep, Look};
use crate::document::{Note, NoteKind, Part, Row, Section, Table, Tone};
use crate::groups::{joined, unique};
use crate::legend::suspect_mark;
use crate::verdict::words::{accepted, figure, limit, peak, summary};
use crate::verdict::{RequirementOutcome, Verdict, VerdictLine};
use std::collections::BTreeMap;

/// The section of all that was judged; without blocks where nothing was.
pub(crate) fn section(verdicts: &[Verdict]) -> Section {
    let mut section = Section::new("verdict", "Verdict");
    let Some(first) = verdicts.first() else { return section };
    section.about = format!(" on “{}”", first.title);
    section.blocks.extend(results(verdicts).map(Block::from));
    for verdict in verdicts {
        section.blocks.extend(of_run(verdict, verdicts.len() > 1));
    }
    section
}

/// The report of verdicts alone.
pub(crate) fn report(verdicts: &[Verdict]) -> Document {
    let results = results(verdicts);
    let mut sections: Vec<Section> = Vec::new();
    sections.extend(results.map(|table| Section::new("results", "Results").with([table.into()])));
    for verdict in verdicts {
        let label = verdict.label.as_ref().map(|label| format!(" ({label})")).unwrap_or_default();
        let mut facts = vec![("Run".to_owned(), format!("{}{label}", verdict.run))];
        facts.extend(verdict.source.iter().map(|source| ("Source".to_owned(), source.clone())));
        let mut blocks = of_run(verdict, false);
        blocks.insert(1, Facts { title: String::new(), facts }.into());
        sections.push(Section::new(format!("verdict-{}", verdict.run), "Verdict").with(blocks));
    }
    Document::of(sections)
}

/// The table of results: a row for each requirement, and a column for each variant, be it a run, a label, or a part of
/// a published platform. Nothing where there is only one.
fn results(verdicts: &[Verdict]) -> Option<Table> {
    let mut variants: Vec<(&Verdict, Option<&str>)> = Vec::new();
    let mut asked: BTreeMap<usize, &VerdictLine> = BTreeMap::new();
    for verdict in verdicts {
        let parts = unique(verdict.lines.iter().filter_map(|line| line.variant.as_deref()));
        let whole = parts.is_empty().then_some((verdict, None));
        variants.extend(whole.into_iter().chain(parts.into_iter().map(|part| (verdict, Some(part)))));
        verdict.lines.iter().for_each(|line| _ = asked.entry(line.requirement).or_insert(line));
    }
    if variants.len() < 2 {
        return None;
    }
    let mut columns = vec![
        Column::words("requirement", "Requirement", Keep::Always),
        Column::words("what was asked", "Asked", Keep::Drop(1)),
        Column::words("limit", "Limit", Keep::Drop(2)),
    ];
    columns.extend(variants.iter().enumerate().map(|(n, (verdict, part))| {
        let whole = part.is_none() || verdicts.len() > 1;
        let head = joined([if whole { &verdict.name } else { "" }, part.unwrap_or_default()], "\n");
        // What does not fit is named below the table.
        Column { figures: false, ..Column::made(head, Keep::last_first(n)) }
    }));
    let row = |of: &VerdictLine| {
        let part = of.variant.as_ref().map(|part| format!(", {part}")).unwrap_or_default();
        let title = of.title.strip_suffix(&part).unwrap_or(&of.title);
        let results = variants.iter().map(|(verdict, part)| {
            let mut lines = verdict.lines.iter().filter(|line| line.requirement == of.requirement);
            // A requirement that names no part is that of every part.
            lines
                .find(|line| line.variant.is_none() || line.variant.as_deref() == *part)
                .map_or_else(Cell::empty, result)
        });
        Row::led([title, &of.asked, &limit(of)], results)
    };
    let rows = asked.into_values().map(row).collect();
    let caption = format!("Results on “{}”", verdicts[0].title);
    Some(Table::new(Caption::Shown(caption), columns, rows).look(Look::Verdict))
}

/// A figure with its peak, or why there is none.
fn result(line: &VerdictLine) -> Cell {
    let text = match &line.figure {
        Some(found) => format!("{}{}", figure(line, found), peak(line, found)),
        None => line.outcome.words(),
    };
    let is_missed = line.outcome == RequirementOutcome::Missed && line.figure.is_some();
    let text = if is_missed { format!("{text}, missed") } else { text };
    // A figure that was doubted or accepted is not one like the others.
    let weak = |remark: &String| remark.starts_with("doubtful") || remark.starts_with("accepted");
    let why: Vec<&str> = line.reason.iter().chain(&line.remarks).map(String::as_str).collect();
    Cell::words(text).marked(suspect_mark(line.remarks.iter().any(weak))).tone(tone(line)).because(Some(why.join("; ")))
}

fn tone(line: &VerdictLine) -> Tone {
    if line.outcome == RequirementOutcome::Met { Tone::Better } else { Tone::Worse }
}

/// The answer, then the table, then what is to be said of single requirements.
fn of_run(verdict: &Verdict, among_others: bool) -> Vec<Block> {
    let kind = match verdict.met {
        _ if verdict.lines.is_empty() => NoteKind::Plain,
        true => NoteKind::Met,
        false => NoteKind::NotMet,
    };
    let of = if among_others { &verdict.name } else { &verdict.title };
    let answer = Note { kind, lead: "Verdict   ".to_owned(), text: format!("{of}: {}", summary(verdict)) };
    let mut blocks: Vec<Block> = vec![answer.into()];
    if !verdict.accepted.is_empty() {
        blocks.push(Note::led("Accepted  ", accepted(verdict)).into());
    }
    blocks.push(table(verdict, of).into());
    for line in &verdict.lines {
        let reason = line.reason.as_ref().map(|reason| format!("{}: {reason}", line.outcome.words()));
        let run = line.run.as_ref().map(|run| format!("measured by run {run}"));
        let said: Vec<&String> = reason.iter().chain(&run).chain(&line.remarks).collect();
        if !said.is_empty() {
            let blocks_of = said.into_iter().map(|text| Note::led("  ", text).into()).collect();
            blocks.push(Part { title: line.title.clone(), blocks: blocks_of, ..Part::default() }.into());
        }
    }
    blocks
}

fn table(verdict: &Verdict, name: &str) -> Table {
    const FIELDS: [Field<VerdictLine>; 7] = [
        (Column::words("requirement", "Requirement", Keep::Always), |line| Cell::words(&line.title)),
        (Column::words("what was asked", "Asked", Keep::Drop(1)), |line| Cell::words(&line.asked)),
        (Column::figures("limit", "Limit", Keep::Drop(3)), |line| Cell::words(limit(line))),
        (Column::figures("figure", "Figure", Keep::Always), |line| match &line.figure {
            Some(found) => Cell::words(figure(line, found)),
            None => Cell::figure(None, Form::Short),
        }),
        (Column::figures("margin", "Margin\n[%]", Keep::Drop(4)), |line| {
            let sign = if line.margin_pct.is_some_and(|pct| pct > 0.0) { "+" } else { "" };
            Cell::words(format!("{sign}{}", Form::Short.text(line.margin_pct)))
        }),
        (Column::words("result", "Result", Keep::Always), |line| Cell::words(line.outcome.words()).tone(tone(line))),
        (Column::words("place", "Where", Keep::Drop(2)), |line| {
            Cell::words(line.figure.as_ref().map_or("", |found| &found.place))
        }),
    ];
    let caption =
        format!("Requirements of {name}; the margin is in percent of the limit, below zero where it is missed");
    Table::of(Caption::Page(caption), &FIELDS, &verdict.lines).look(Look::Verdict)
}
