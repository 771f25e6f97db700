//! What a published result contains beside its series: printed figures with their doubts, requirements and results,
//! curves over something other than jobs, waits, histograms, and claims.

use super::waits;
use crate::document::{Caption, Cell, Column, Facts, Field, Form, Keep, Look, Note, Row, Section, Table};
use crate::groups::{grouped, joined, unique};
use crate::legend::{Doubts, Legend, source, suspect_mark};
use crate::numbers::printed;
use dbdyno_model::{FigureKind, Published, PublishedBucket, PublishedCurve, PublishedCurvePoint, PublishedFacts};
use dbdyno_model::{PublishedFigure, PublishedHistogram, PublishedStatement, RunJson};

use Keep::{Always, Drop};

/// The section of a published result; without blocks for a run of dbdyno.
pub(crate) fn section(run: &RunJson) -> Section {
    let mut section = Section::new("published", "As printed");
    section.about = " by the source, beside its series".to_owned();
    let Some(published) = &run.published else { return section };
    section.push(figures(published));
    section.push(statements("Targets", &published.targets));
    section.push(statements("Results", &published.results));
    section
        .with(published.curves.iter().map(|of| curve(of).into()))
        .with(waits::published(published))
        .with([shares(published).into()])
        .with(published.histograms.iter().map(|of| histogram(of).into()))
        .with([statements("Claims in the text", &published.claims).into(), facts(published).into()])
        .with([published.notes.clone().into()])
}

/// The report of it alone, with its doubts.
pub(crate) fn report(run: &RunJson) -> Vec<Section> {
    let Some(published) = &run.published else {
        let text = "This is a run of dbdyno's own; `dbdyno list platforms` shows published results.";
        return vec![section(run).with([Note::plain(text).into()])];
    };
    let mut legend = Legend::default();
    add_doubts(published, &mut legend.doubts);
    vec![section(run).with(legend.blocks()).with(source(run))]
}

/// Adds the doubts about figures that are not points.
pub(crate) fn add_doubts<'a>(published: &'a Published, doubts: &mut Doubts<'a>) {
    let Published { figures, targets, results, claims, waits, histograms, curves, .. } = published;
    for figure in figures {
        doubts.add(format!("{} {}", figure.test, figure.kind.name()), &figure.suspect);
    }
    for statement in [targets, results, claims].into_iter().flatten() {
        let who = statement.test.as_deref().or(statement.variant.as_deref()).unwrap_or_default();
        doubts.add(joined([who, &statement.metric], " "), &statement.suspect);
    }
    for waits in waits {
        doubts.add(waits.title.clone(), &waits.suspect);
    }
    for histogram in histograms {
        doubts.add(histogram.title.clone(), &histogram.suspect);
        for bucket in &histogram.buckets {
            doubts.add(format!("{} from {}", histogram.title, Form::Duration.text(bucket.lower_s)), &bucket.suspect);
        }
    }
    for curve in curves {
        let at = |point: &PublishedCurvePoint| Form::Printed.text(point.values.get(&curve.by).copied());
        let points = curve.points.iter().map(|point| (format!(" {} {}", curve.by, at(point)), &point.suspects));
        for (at, suspects) in std::iter::once((String::new(), &curve.suspects)).chain(points) {
            suspects.iter().for_each(|(key, suspect)| doubts.add(format!("{}{at} {key}", curve.test), suspect));
        }
    }
}

/// A row for each test, title and unit.
fn figures(published: &Published) -> Table {
    const COLUMNS: [Column; 6] = [
        Column::words("test", "Test", Always),
        Column::words("title", "Figure, as printed", Drop(1)),
        Column::words("unit", "Unit", Always),
        Column::figures("speed", "Speed", Always),
        Column::figures("throughput", "Throughput", Always),
        Column::figures("value", "Value", Always),
    ];
    let keyed = published.figures.iter().map(|f| ((&f.test, &f.title, &f.printed.unit), f));
    let row = |((test, title, unit), figures): ((&String, &String, &String), Vec<&PublishedFigure>)| {
        let cell = |kind: FigureKind| {
            let figure = figures.iter().rev().find(|figure| figure.kind == kind);
            let mark = suspect_mark(figure.is_some_and(|figure| figure.suspect.is_some()));
            let cell = Cell::known(figure.map(|figure| figure.printed.value), Form::Printed);
            cell.bounded(figure.and_then(|figure| figure.bound)).marked(mark)
        };
        Row::Cells([test, title, unit].map(Cell::words).into_iter().chain(FigureKind::ALL.map(cell)).collect())
    };
    let rows = grouped(keyed).into_iter().map(row).collect();
    Table::new(Caption::Shown("Figures that the source prints".to_owned()), COLUMNS.into(), rows)
}

fn statements(title: &str, all: &[PublishedStatement]) -> Table {
    const FIELDS: [Field<PublishedStatement>; 6] = [
        (Column::words("what", "What", Always), |s| Cell::words(s.metric.replace('_', " "))),
        (Column::words("test", "Test", Always).optional(), |s| said(&s.test)),
        (Column::words("variant", "Variant", Always).optional(), |s| said(&s.variant)),
        (Column::figures("value", "Value", Always), stated),
        (Column::words("unit", "Unit", Always), |s| Cell::words(&s.unit)),
        (Column::words("of whom", "Of whom, when", Drop(1)).optional(), |s| said(&s.scope)),
    ];
    Table::of(Caption::Shown(title.to_owned()), &FIELDS, all).look(Look::Prose)
}

fn said(text: &Option<String>) -> Cell {
    Cell::words(text.as_deref().unwrap_or_default())
}

/// A value, or the range that it is in.
fn stated(statement: &PublishedStatement) -> Cell {
    let PublishedStatement { low, high, bound, suspect, .. } = statement;
    let value = if low == high {
        Cell::figure(*low, Form::Printed).bounded(*bound)
    } else {
        let sign = bound.map_or_else(String::new, |bound| format!("{} ", bound.sign()));
        Cell::words(format!("{sign}{}..{}", printed(*low), printed(*high)))
    };
    value.marked(suspect_mark(suspect.is_some()))
}

/// A curve. Its keys are data, and those without any value are left out: first what it runs over, then its primary
/// value.
fn curve(curve: &PublishedCurve) -> Table {
    let is_told = |key: &str| curve.points.iter().any(|p| p.values.get(key).is_some_and(|v| *v != 0.0));
    let keys = curve.points.iter().flat_map(|p| p.values.keys()).map(String::as_str);
    let mut keys = unique([curve.by.as_str()].into_iter().chain(curve.primary.as_deref()).chain(keys));
    keys.retain(|key| *key == curve.by || is_told(key));
    let columns = keys.iter().enumerate().map(|(n, key)| Column::made(key.replace('_', "\n"), Keep::last_first(n)));
    let row = |point: &PublishedCurvePoint| {
        let cell = |key: &&str| {
            let is_doubted = point.suspects.contains_key(*key) || curve.suspects.contains_key(*key);
            let value = point.values.get(*key).copied();
            Cell::figure(value, Form::Printed).marked(suspect_mark(is_doubted && value.is_some()))
        };
        Row::Cells(keys.iter().map(cell).collect())
    };
    let caption = Caption::Shown(format!("{}: {}", curve.test, curve.title));
    Table::new(caption, columns.collect(), curve.points.iter().map(row).collect())
}

fn histogram(histogram: &PublishedHistogram) -> Table {
    const FIELDS: [Field<PublishedBucket>; 6] = [
        (Column::figures("from", "From", Always), |bucket| {
            Cell::figure(bucket.lower_s, Form::Duration).marked(suspect_mark(bucket.suspect.is_some()))
        }),
        (Column::figures("to", "to", Always), |bucket| Cell::figure(bucket.upper_s, Form::Duration)),
        (Column::figures("reads", "Reads", Always), |bucket| Cell::count(bucket.reads)),
        (Column::figures("reads up to here", "up to here\n[%]", Always), |bucket| {
            Cell::figure(bucket.read_cum_pct, Form::Decimals(2))
        }),
        (Column::figures("writes", "Writes", Always), |bucket| Cell::count(bucket.writes)),
        (Column::figures("writes up to here", "up to here\n[%]", Always), |bucket| {
            Cell::figure(bucket.write_cum_pct, Form::Decimals(2))
        }),
    ];
    let doubt = suspect_mark(histogram.suspect.is_some());
    Table::of(Caption::Shown(format!("I/Os by their time: {}{doubt}", histogram.title)), &FIELDS, &histogram.buckets)
}

fn shares(published: &Published) -> Facts {
    let facts = published
        .latency_shares
        .iter()
        .map(|s| (format!("{} {} jobs, {}", s.test, s.jobs, s.event), waits::within(s.at_most_s.iter().copied())));
    Facts { title: "Waits by their length".to_owned(), facts: facts.collect() }
}

fn facts(published: &Published) -> Facts {
    let text = |of: &PublishedFacts| joined(of.facts.iter().map(|(name, value)| format!("{name} {value}")), ", ");
    let facts = published.facts.iter().map(|of| (of.table.clone(), text(of))).collect();
    Facts { title: "Facts".to_owned(), facts }
}
