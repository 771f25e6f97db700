//! What a published result contains beside its series: printed figures with their doubts, requirements and results,
//! curves over something other than jobs, waits, histograms, and claims.

use super::waits;
use crate::document::{Block, Caption, Cell, Column, Facts, Form, Keep, Look, Note, Row, Section, Table};
use crate::groups::{grouped, unique};
use crate::legend::{Doubts, Legend, source, suspect_mark};
use crate::numbers::printed;
use dbdyno_model::{
    FigureKind, Published, PublishedCurve, PublishedCurvePoint, PublishedFigure, PublishedHistogram,
    PublishedStatement, RunJson, Suspect,
};

use Keep::{Always, Drop};

/// The section of a published result; without blocks for a run of dbdyno.
pub(crate) fn section(run: &RunJson) -> Section {
    let mut section = Section::new("published", "As printed");
    section.about = " by the source, beside its series".to_owned();
    let Some(published) = &run.published else { return section };
    let mut blocks: Vec<Block> = vec![
        figures(published).into(),
        statements("Targets", &published.targets).into(),
        statements("Results", &published.results).into(),
    ];
    blocks.extend(published.curves.iter().map(|of| curve(of).into()));
    blocks.extend(waits::published(published));
    blocks.push(shares(published).into());
    blocks.extend(published.histograms.iter().map(|of| histogram(of).into()));
    blocks.push(statements("Claims in the text", &published.claims).into());
    blocks.push(facts(published).into());
    blocks.push(published.notes.clone().into());
    blocks.retain(|block| match block {
        Block::Table(table) => !table.rows.is_empty(),
        Block::Facts(facts) => !facts.facts.is_empty(),
        Block::List(notes) => !notes.is_empty(),
        _ => true,
    });
    section.with(blocks)
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
    let mut add = |place: String, suspect: &'a Option<Suspect>| {
        if let Some(suspect) = suspect {
            doubts.add(place, suspect);
        }
    };
    for figure in &published.figures {
        add(format!("{} {}", figure.test, figure.kind.name()), &figure.suspect);
    }
    let Published { targets, results, claims, .. } = published;
    for statement in targets.iter().chain(results).chain(claims) {
        let who = statement.test.as_deref().or(statement.variant.as_deref()).unwrap_or_default();
        add(format!("{who} {}", statement.metric).trim_start().to_owned(), &statement.suspect);
    }
    for waits in &published.waits {
        add(waits.title.clone(), &waits.suspect);
    }
    for histogram in &published.histograms {
        add(histogram.title.clone(), &histogram.suspect);
        for bucket in &histogram.buckets {
            add(format!("{} from {}", histogram.title, Form::Duration.text(bucket.lower_s)), &bucket.suspect);
        }
    }
    for curve in &published.curves {
        for (key, suspect) in &curve.suspects {
            doubts.add(format!("{} {key}", curve.test), suspect);
        }
        for point in &curve.points {
            let at = Form::Printed.text(point.values.get(&curve.by).copied());
            for (key, suspect) in &point.suspects {
                doubts.add(format!("{} {} {at} {key}", curve.test, curve.by), suspect);
            }
        }
    }
}

fn shown(caption: impl Into<String>, columns: &[Column], rows: Vec<Row>) -> Table {
    Table::new(Caption::Shown(caption.into()), columns.to_vec(), rows)
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
            figure.map_or_else(Cell::empty, |figure| {
                let cell = Cell::figure(figure.printed.value, Form::Printed).bounded(figure.bound);
                cell.marked(suspect_mark(figure.suspect.is_some()))
            })
        };
        Row::Cells([test, title, unit].map(Cell::words).into_iter().chain(FigureKind::ALL.map(cell)).collect())
    };
    shown("Figures that the source prints", &COLUMNS, grouped(keyed).into_iter().map(row).collect())
}

fn statements(title: &str, all: &[PublishedStatement]) -> Table {
    const COLUMNS: [Column; 6] = [
        Column::words("what", "What", Always),
        Column::words("test", "Test", Always).optional(),
        Column::words("variant", "Variant", Always).optional(),
        Column::figures("value", "Value", Always),
        Column::words("unit", "Unit", Always),
        Column::words("of whom", "Of whom, when", Drop(1)).optional(),
    ];
    let row = |statement: &PublishedStatement| {
        let PublishedStatement { test, variant, metric, low, high, unit, bound, scope, suspect } = statement;
        let value = if low == high {
            Cell::figure(*low, Form::Printed).bounded(*bound)
        } else {
            let sign = bound.map_or_else(String::new, |bound| format!("{} ", bound.sign()));
            Cell::words(format!("{sign}{}..{}", printed(*low), printed(*high)))
        };
        let words = |text: &Option<String>| Cell::words(text.as_deref().unwrap_or_default());
        Row::Cells(vec![
            Cell::words(metric.replace('_', " ")),
            words(test),
            words(variant),
            value.marked(suspect_mark(suspect.is_some())),
            Cell::words(unit),
            words(scope),
        ])
    };
    shown(title, &COLUMNS, all.iter().map(row).collect()).look(Look::Prose)
}

/// A curve. Its keys are data, and those without any value are left out: first what it runs over, then its primary
/// value.
fn curve(curve: &PublishedCurve) -> Table {
    let is_told = |key: &str| curve.points.iter().any(|p| p.values.get(key).is_some_and(|v| *v != 0.0));
    let keys = curve.points.iter().flat_map(|p| p.values.keys()).map(String::as_str);
    let mut keys = unique([curve.by.as_str()].into_iter().chain(curve.primary.as_deref()).chain(keys));
    keys.retain(|key| *key == curve.by || is_told(key));
    // The last ones are dropped first.
    let keep = |n: usize| if n < 2 { Always } else { Drop(u8::MAX.saturating_sub(u8::try_from(n).unwrap_or(u8::MAX))) };
    let columns: Vec<Column> =
        keys.iter().enumerate().map(|(n, key)| Column::made(key.replace('_', "\n"), keep(n))).collect();
    let row = |point: &PublishedCurvePoint| {
        let cell = |key: &&str| {
            let is_doubted = point.suspects.contains_key(*key) || curve.suspects.contains_key(*key);
            let value = point.values.get(*key).copied();
            Cell::figure(value, Form::Printed).marked(suspect_mark(is_doubted && value.is_some()))
        };
        Row::Cells(keys.iter().map(cell).collect())
    };
    shown(format!("{}: {}", curve.test, curve.title), &columns, curve.points.iter().map(row).collect())
}

fn histogram(histogram: &PublishedHistogram) -> Table {
    const COLUMNS: [Column; 6] = [
        Column::figures("from", "From", Always),
        Column::figures("to", "to", Always),
        Column::figures("reads", "Reads", Always),
        Column::figures("reads up to here", "up to here\n[%]", Always),
        Column::figures("writes", "Writes", Always),
        Column::figures("writes up to here", "up to here\n[%]", Always),
    ];
    let rows = histogram.buckets.iter().map(|bucket| {
        let [from, to] = [bucket.lower_s, bucket.upper_s].map(|s| Cell::figure(s, Form::Duration));
        let [reads, writes] = [(bucket.reads, bucket.read_cum_pct), (bucket.writes, bucket.write_cum_pct)]
            .map(|(n, pct)| [Cell::count(n), Cell::figure(pct, Form::Decimals(2))]);
        let from = from.marked(suspect_mark(bucket.suspect.is_some()));
        Row::Cells([from, to].into_iter().chain(reads).chain(writes).collect())
    });
    let title = format!("I/Os by their time: {}{}", histogram.title, suspect_mark(histogram.suspect.is_some()));
    shown(title, &COLUMNS, rows.collect())
}

fn shares(published: &Published) -> Facts {
    let facts = published.latency_shares.iter().map(|s| {
        let of = format!("{} {} jobs, {}", s.test, s.jobs, s.event);
        (of, waits::within(s.at_most_s.iter().copied()))
    });
    Facts { title: "Waits by their length".to_owned(), facts: facts.collect() }
}

fn facts(published: &Published) -> Facts {
    let facts = published.facts.iter().map(|f| {
        let facts = f.facts.iter().map(|(name, value)| format!("{name} {value}"));
        (f.table.clone(), facts.collect::<Vec<_>>().join(", "))
    });
    Facts { title: "Facts".to_owned(), facts: facts.collect() }
}
