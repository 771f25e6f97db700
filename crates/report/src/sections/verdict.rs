//! The verdict: the answer first, then every requirement with its margin. Several verdicts are also laid side by side,
//! a column for each variant.

use crate::document::{
    Block, Caption, Cell, Column, Document, Facts, Form, Keep, Look, Note, NoteKind, Part, Row, Section, Table, Tone,
};
use crate::groups::unique;
use crate::legend::SUSPECT;
use crate::verdict::words::{accepted, figure, limit, peak, summary};
use crate::verdict::{RequirementOutcome, Verdict, VerdictLine};

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

/// What a verdict is called beside others.
fn name(verdict: &Verdict) -> &str {
    &verdict.name
}

/// The table of results: a row for each requirement, and a column for each variant, be it a run, a label, or a part of
/// a published platform. Nothing where there is only one.
fn results(verdicts: &[Verdict]) -> Option<Table> {
    type Of<'v> = (&'v Verdict, Option<&'v str>);
    let of = |verdict: &'_ Verdict| {
        let parts = unique(verdict.lines.iter().map(|line| line.variant.clone()));
        if parts.iter().any(Option::is_some) { parts.into_iter().flatten().map(Some).collect() } else { vec![None] }
    };
    let parts: Vec<Vec<Option<String>>> = verdicts.iter().map(of).collect();
    let variants: Vec<Of<'_>> =
        verdicts.iter().zip(&parts).flat_map(|(v, parts)| parts.iter().map(move |part| (v, part.as_deref()))).collect();
    if variants.len() < 2 {
        return None;
    }
    let lines = verdicts.iter().flat_map(|verdict| &verdict.lines);
    let mut asked: Vec<&VerdictLine> = Vec::new();
    for line in lines {
        if asked.iter().all(|known| known.requirement != line.requirement) {
            asked.push(line);
        }
    }
    asked.sort_by_key(|line| line.requirement);
    let mut columns = vec![
        Column::words("requirement", "Requirement", Keep::Always),
        Column::words("what was asked", "Asked", Keep::Drop(1)),
        Column::words("limit", "Limit", Keep::Drop(2)),
    ];
    columns.extend(variants.iter().enumerate().map(|(n, (verdict, part))| {
        let head = match part {
            Some(part) if verdicts.len() > 1 => format!("{}\n{part}", name(verdict)),
            Some(part) => (*part).to_owned(),
            None => name(verdict).to_owned(),
        };
        // What does not fit is named below the table, the last ones first.
        let keep =
            if n < 2 { Keep::Always } else { Keep::Drop(u8::MAX.saturating_sub(u8::try_from(n).unwrap_or(u8::MAX))) };
        Column { figures: false, ..Column::made(head, keep) }
    }));
    let row = |of: &&VerdictLine| {
        let title = match &of.variant {
            Some(part) => of.title.strip_suffix(&format!(", {part}")).unwrap_or(&of.title),
            None => &of.title,
        };
        let mut cells = vec![Cell::words(title), Cell::words(&of.asked), Cell::words(limit(of))];
        cells.extend(variants.iter().map(|(verdict, part)| {
            let mut lines = verdict.lines.iter().filter(|line| line.requirement == of.requirement);
            // A requirement that names no part is that of every part.
            lines
                .find(|line| line.variant.is_none() || line.variant.as_deref() == *part)
                .map_or_else(Cell::empty, result)
        }));
        Row::Cells(cells)
    };
    let rows = asked.iter().map(row).collect();
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
    let mark = if line.remarks.iter().any(weak) { SUSPECT.to_string() } else { String::new() };
    let why: Vec<&str> = line.reason.iter().chain(&line.remarks).map(String::as_str).collect();
    Cell::words(text).marked(mark).tone(tone(line)).because(Some(why.join("; ")))
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
    let of = if among_others { name(verdict) } else { &verdict.title };
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
    let columns = vec![
        Column::words("requirement", "Requirement", Keep::Always),
        Column::words("what was asked", "Asked", Keep::Drop(1)),
        Column::figures("limit", "Limit", Keep::Drop(3)),
        Column::figures("figure", "Figure", Keep::Always),
        Column::figures("margin", "Margin\n[%]", Keep::Drop(4)),
        Column::words("result", "Result", Keep::Always),
        Column::words("place", "Where", Keep::Drop(2)),
    ];
    let caption =
        format!("Requirements of {name}; the margin is in percent of the limit, below zero where it is missed");
    let rows = verdict.lines.iter().map(|line| Row::Cells(cells(line))).collect();
    Table::new(Caption::Page(caption), columns, rows).look(Look::Verdict)
}

fn cells(line: &VerdictLine) -> Vec<Cell> {
    let found = line.figure.as_ref();
    let sign = if line.margin_pct.is_some_and(|pct| pct > 0.0) { "+" } else { "" };
    vec![
        Cell::words(&line.title),
        Cell::words(&line.asked),
        Cell::words(limit(line)),
        found.map_or_else(|| Cell::figure(None, Form::Short), |found| Cell::words(figure(line, found))),
        Cell::words(format!("{sign}{}", Form::Short.text(line.margin_pct))),
        Cell::words(line.outcome.words()).tone(tone(line)),
        Cell::words(found.map(|found| found.place.as_str()).unwrap_or_default()),
    ]
}
