//! What a published result contains beside its series: printed figures with their doubts, requirements and results,
//! curves over something other than jobs, histograms, and claims.

use crate::groups::{grouped, unique};
use crate::layout::{Column, Keep, Row, Sheet};
use crate::legend::{self, Doubts, SUSPECT};
use crate::numbers::{MISSING, count, duration, printed};
use crate::text::{hanging, push_line};
use dbdyno_catalogue::Catalogue;
use dbdyno_model::{FigureKind, PrintedBound, Published, PublishedCurve, PublishedFigure, PublishedStatement, RunJson};

use Keep::{Always, Drop};

/// Everything except the series, which the tables of points show. `width` is the terminal's; `None` drops nothing.
#[must_use]
pub fn page(run: &RunJson, _: &Catalogue, width: Option<u16>) -> String {
    let Some(published) = &run.published else {
        let text = "This is a run of dbdyno's own; `dbdyno list platforms` shows published results.";
        return hanging("", text, width);
    };
    let mut doubts = Doubts::default();
    let mut parts = vec![
        figures(published, &mut doubts, width),
        statements("Targets", &published.targets, &mut doubts, width),
        statements("Results", &published.results, &mut doubts, width),
    ];
    parts.extend(published.curves.iter().map(|c| curve(c, &mut doubts, width)));
    parts.extend(published.histograms.iter().map(|h| histogram(h, &mut doubts, width)));
    parts.push(shares(published, width));
    parts.push(statements("Claims in the text", &published.claims, &mut doubts, width));
    parts.push(facts(published, width));
    parts.push(published.notes.iter().map(|note| hanging("- ", note, width)).collect());
    let source = legend::source(run, width);
    parts.push(format!("{}{source}", doubts.render(width)));
    parts.retain(|part| !part.is_empty());
    parts.join("\n")
}

fn titled(title: &str, sheet: &Sheet, width: Option<u16>) -> String {
    if sheet.rows.is_empty() {
        return String::new();
    }
    let mut out = String::new();
    push_line(&mut out, title, width);
    out.push('\n');
    out.push_str(&sheet.render(width));
    out
}

/// A value as printed, with the sign of its bound.
pub(crate) fn bounded(bound: Option<PrintedBound>, value: &str) -> String {
    bound.map_or_else(|| value.to_owned(), |bound| format!("{} {value}", bound.sign()))
}

fn mark(doubted: bool) -> String {
    if doubted { SUSPECT.to_string() } else { String::new() }
}

fn figures<'a>(published: &'a Published, doubts: &mut Doubts<'a>, width: Option<u16>) -> String {
    const COLUMNS: [Column; 9] = [
        Column::left("test", &["Test"], Always),
        Column::left("title", &["Figure, as printed"], Drop(1)),
        Column::left("unit", &["Unit"], Always),
        Column::right("speed", &["Speed"], Always),
        Column::left("marks", &[], Always),
        Column::right("throughput", &["Throughput"], Always),
        Column::left("marks", &[], Always),
        Column::right("value", &["Value"], Always),
        Column::left("marks", &[], Always),
    ];
    for figure in &published.figures {
        if let Some(suspect) = &figure.suspect {
            doubts.add(format!("{} {}", figure.test, figure.kind.name()), suspect);
        }
    }
    let rows = printed_rows(published).into_iter().map(|figures| {
        let first = &figures[0];
        let mut texts = vec![first.test.clone(), first.title.clone(), first.printed.unit.clone()];
        for kind in FigureKind::ALL {
            let figure = figures.iter().rev().find(|f| f.kind == kind);
            texts.push(figure.map_or_else(String::new, |f| bounded(f.bound, &printed(f.printed.value))));
            texts.push(mark(figure.is_some_and(|f| f.suspect.is_some())));
        }
        Row::Figures(texts)
    });
    let sheet = Sheet { columns: COLUMNS.to_vec(), rows: rows.collect(), gap: 1 };
    titled("Figures that the source prints", &sheet, width)
}

fn statements<'a>(title: &str, all: &'a [PublishedStatement], doubts: &mut Doubts<'a>, width: Option<u16>) -> String {
    const COLUMNS: [Column; 6] = [
        Column::left("test", &["Test"], Always).optional(),
        Column::left("variant", &["Variant"], Always).optional(),
        Column::left("what", &["What"], Always),
        Column::right("value", &["Value"], Always),
        Column::left("marks", &[], Always),
        Column::left("of whom", &["Of whom, when"], Drop(1)).optional(),
    ];
    let mut rows = Vec::new();
    for statement in all {
        let PublishedStatement { test, variant, metric, low, high, unit, bound, scope, suspect } = statement;
        let number = if low == high { printed(*low) } else { format!("{}..{}", printed(*low), printed(*high)) };
        if let Some(suspect) = suspect {
            let who = test.as_deref().or(variant.as_deref()).unwrap_or_default();
            doubts.add(format!("{who} {metric}").trim_start().to_owned(), suspect);
        }
        rows.push(Row::Figures(vec![
            test.clone().unwrap_or_default(),
            variant.clone().unwrap_or_default(),
            metric.replace('_', " "),
            bounded(*bound, &format!("{number} {unit}")),
            mark(suspect.is_some()),
            scope.clone().unwrap_or_default(),
        ]));
    }
    titled(title, &Sheet { columns: COLUMNS.to_vec(), rows, gap: 2 }, width)
}

/// The printed figures of each row: those of one test, title and unit.
pub(crate) fn printed_rows(published: &Published) -> Vec<Vec<&PublishedFigure>> {
    let keyed = published.figures.iter().map(|f| ((&f.test, &f.title, &f.printed.unit), f));
    grouped(keyed).into_iter().map(|(_, figures)| figures).collect()
}

/// What a curve has values of: first what it runs over, then its primary value.
pub(crate) fn curve_keys(curve: &PublishedCurve) -> Vec<&str> {
    let keys = curve.points.iter().flat_map(|p| p.values.keys()).map(String::as_str);
    unique([curve.by.as_str()].into_iter().chain(curve.primary.as_deref()).chain(keys))
}

/// A curve as a list, because its keys are data.
fn curve<'a>(curve: &'a PublishedCurve, doubts: &mut Doubts<'a>, width: Option<u16>) -> String {
    let is_told = |key: &str| curve.points.iter().any(|p| p.values.get(key).is_some_and(|v| *v != 0.0));
    let mut keys = curve_keys(curve);
    keys.retain(|key| *key == curve.by || is_told(key));
    for (key, suspect) in &curve.suspects {
        doubts.add(format!("{} {key}", curve.test), suspect);
    }
    let mut rows = Vec::new();
    for point in &curve.points {
        let at = point.values.get(&curve.by).copied().map_or_else(|| MISSING.to_owned(), printed);
        for (key, suspect) in &point.suspects {
            doubts.add(format!("{} {} {at} {key}", curve.test, curve.by), suspect);
        }
        let text = |key: &&str| match point.values.get(*key) {
            Some(value) => {
                let doubted = point.suspects.contains_key(*key) || curve.suspects.contains_key(*key);
                format!("{}{}", printed(*value), mark(doubted))
            }
            None => MISSING.to_owned(),
        };
        rows.push(keys.iter().map(text).collect());
    }
    let mut out = String::new();
    push_line(&mut out, &format!("{}  {}", curve.test, curve.title), width);
    out.push('\n');
    out.push_str(&crate::lists::table(&keys, &rows, width));
    out
}

fn histogram<'a>(
    histogram: &'a dbdyno_model::PublishedHistogram,
    doubts: &mut Doubts<'a>,
    width: Option<u16>,
) -> String {
    const COLUMNS: [Column; 7] = [
        Column::right("from", &["From"], Always),
        Column::right("to", &["to"], Always),
        Column::right("reads", &["Reads"], Always),
        Column::right("reads up to here", &["%"], Always),
        Column::right("writes", &["Writes"], Always),
        Column::right("writes up to here", &["%"], Always),
        Column::left("marks", &[], Always),
    ];
    if let Some(suspect) = &histogram.suspect {
        doubts.add(histogram.title.clone(), suspect);
    }
    let mut rows = Vec::new();
    for bucket in &histogram.buckets {
        if let Some(suspect) = &bucket.suspect {
            doubts.add(format!("{} from {}", histogram.title, duration(bucket.lower_s)), suspect);
        }
        rows.push(Row::Figures(vec![
            duration(bucket.lower_s),
            duration(bucket.upper_s),
            count(bucket.reads),
            format!("{:.2}", bucket.read_cum_pct),
            count(bucket.writes),
            format!("{:.2}", bucket.write_cum_pct),
            mark(bucket.suspect.is_some()),
        ]));
    }
    let title = format!("I/Os by their time: {}{}", histogram.title, mark(histogram.suspect.is_some()));
    titled(&title, &Sheet { columns: COLUMNS.to_vec(), rows, gap: 2 }, width)
}

fn shares(published: &Published, width: Option<u16>) -> String {
    let line = |s: &dbdyno_model::LatencyShares| {
        let parts = s.at_most_s.iter().map(|(s, pct)| format!("{pct} % within {}", duration(*s)));
        let lead = format!("{} {} jobs, {}: ", s.test, s.jobs, s.event);
        hanging(&lead, &parts.collect::<Vec<_>>().join(", "), width)
    };
    let lines: String = published.latency_shares.iter().map(line).collect();
    if lines.is_empty() { lines } else { format!("Waits by their length\n\n{lines}") }
}

fn facts(published: &Published, width: Option<u16>) -> String {
    let line = |f: &dbdyno_model::PublishedFacts| {
        let facts = f.facts.iter().map(|(name, value)| format!("{name} {value}"));
        hanging(&format!("{}  ", f.table), &facts.collect::<Vec<_>>().join(", "), width)
    };
    published.facts.iter().map(line).collect()
}
