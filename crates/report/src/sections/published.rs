//! What a published result contains beside its series: printed figures with their doubts, requirements and results,
//! curves over something other than jobs, waits, histograms, and claims.

use super::waits;
use crate::legend::Doubts;
use crate::sections::prelude::*;
use dbdyno_model::{FigureKind, LatencyShares, PrintedBound, Published, PublishedBucket, PublishedCurve};
use dbdyno_model::{PublishedCurvePoint, PublishedFacts, PublishedFigure, PublishedHistogram, PublishedStatement};

/// The section of a published result; without blocks for a run of dbdyno.
pub(crate) fn section(run: &RunJson) -> Section {
    let section = words::section("published");
    let Some(published) = &run.published else { return section };
    let Published { targets, results, claims, curves, histograms, notes, .. } = published;
    let tables = [figures(published), statements("Targets", targets), statements("Results", results)];
    section
        .with(tables.map(Block::from))
        .with(curves.iter().map(|of| curve(of).into()))
        .with(waits::published(published))
        .with(histograms.iter().map(|of| histogram(of).into()))
        .with([statements("Claims in the text", claims).into(), sheet(published).into(), notes.clone().into()])
}

/// The report of it alone, with its doubts.
pub(crate) fn report(run: &RunJson) -> Vec<Section> {
    let mut legend = Legend::default();
    run.published.iter().for_each(|published| add_doubts(published, &mut legend.doubts));
    vec![alone(section(run).with(legend.blocks()).with(source(run)))]
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
    let keyed = published.figures.iter().map(|f| ((&f.test, &f.title, &f.printed.unit), f));
    let row = |((test, title, unit), figures): ((&String, &String, &String), Vec<&PublishedFigure>)| {
        let cell = |kind: FigureKind| {
            let Some(of) = figures.iter().rev().find(|of| of.kind == kind) else { return Cell::empty() };
            Cell::figure(of.printed.value, Form::Printed).bounded(of.bound).marked(suspect_mark(of.suspect.is_some()))
        };
        Row::led([test, title, unit], FigureKind::ALL.map(cell))
    };
    let rows = grouped(keyed).into_iter().map(row).collect();
    captioned("published", "figures", "Figures that the source prints", rows)
}

fn statements(title: &str, all: &[PublishedStatement]) -> Table {
    let said = |text: &Option<String>| Cell::words(text.as_deref().unwrap_or_default());
    let row = |of: &PublishedStatement| {
        let what = Cell::words(of.metric.replace('_', " "));
        Row::Cells(vec![what, said(&of.test), said(&of.variant), stated(of), Cell::words(&of.unit), said(&of.scope)])
    };
    captioned("published", "statements", title, all.iter().map(row).collect()).look(Look::Prose)
}

/// A value, or the range that it is in.
fn stated(statement: &PublishedStatement) -> Cell {
    let PublishedStatement { low, high, bound, suspect, .. } = statement;
    let value = joined(unique([*low, *high]).into_iter().map(printed), "..");
    let text = joined([bound.map_or("", PrintedBound::sign), &value], " ");
    Cell::words(text).marked(suspect_mark(suspect.is_some()))
}

/// A curve. Its keys are data, and those without any value are left out: first what it runs over, then its primary
/// value.
fn curve(curve: &PublishedCurve) -> Table {
    let is_told = |key: &str| curve.points.iter().any(|p| p.values.get(key).is_some_and(|v| *v != 0.0));
    let keys = curve.points.iter().flat_map(|p| p.values.keys()).map(String::as_str);
    let mut keys = unique([curve.by.as_str()].into_iter().chain(curve.primary.as_deref()).chain(keys));
    keys.retain(|key| *key == curve.by || is_told(key));
    let columns = keys.iter().enumerate().map(|(n, key)| Column::figures(key.replace('_', "\n")).last_first(n));
    let row = |point: &PublishedCurvePoint| {
        let cell = |key: &&str| {
            let is_doubted = point.suspects.contains_key(*key) || curve.suspects.contains_key(*key);
            let value = point.values.get(*key).copied();
            Cell::figure(value, Form::Printed).marked(suspect_mark(is_doubted && value.is_some()))
        };
        Row::Cells(keys.iter().map(cell).collect())
    };
    let caption = format!("{}: {}", curve.test, curve.title);
    let table = Table::new(caption, columns.collect(), curve.points.iter().map(row).collect());
    Table { caption_in_text: true, ..table }
}

fn histogram(histogram: &PublishedHistogram) -> Table {
    let row = |bucket: &PublishedBucket| {
        let [from, to] = [bucket.lower_s, bucket.upper_s].map(|time_s| Cell::figure(time_s, Form::Duration));
        let from = from.marked(suspect_mark(bucket.suspect.is_some()));
        let ios = [(bucket.reads, bucket.read_cum_pct), (bucket.writes, bucket.write_cum_pct)];
        let ios = ios.into_iter().flat_map(|(n, pct)| [Cell::count(n), Cell::figure(pct, Form::Decimals(2))]);
        Row::Cells([from, to].into_iter().chain(ios).collect())
    };
    let caption = format!("I/Os by their time: {}{}", histogram.title, suspect_mark(histogram.suspect.is_some()));
    captioned("published", "buckets", caption, histogram.buckets.iter().map(row).collect())
}

/// How long waits were, and what else the source says in tables.
fn sheet(published: &Published) -> Vec<(String, Facts)> {
    let within = |of: &LatencyShares| waits::within(of.at_most_s.iter().copied());
    let shares = published.latency_shares.iter();
    let shares = shares.map(|of| (format!("{} {} jobs, {}", of.test, of.jobs, of.event), within(of)));
    let text = |of: &PublishedFacts| joined(of.facts.iter().map(|(name, value)| format!("{name} {value}")), ", ");
    let facts = published.facts.iter().map(|of| (of.table.clone(), text(of)));
    let mut lists = vec![("Waits by their length".to_owned(), shares.collect()), ("Facts".to_owned(), facts.collect())];
    lists.retain(|(_, facts): &(String, Facts)| !facts.is_empty());
    lists
}
