//! What a published result contains beside its series: printed figures with their doubts, requirements and results,
//! series over something other than jobs, waits, and histograms.

use super::marks::suspect;
use super::reported::duration;
use super::table::{ColumnHead, Table, TableRow, text};
use crate::numbers::{MISSING, count, percent, printed};
use crate::published::{bounded, curve_keys, printed_rows};
use dbdyno_model::{
    FigureKind, PrintedBound, Published, PublishedCurve, PublishedHistogram, PublishedStatement, PublishedWaits,
    RunJson,
};
use maud::{Markup, html};

/// The section; empty for a run of dbdyno.
pub(super) fn section(run: &RunJson) -> Markup {
    let Some(published) = &run.published else { return html! {} };
    let statements =
        [("Targets", &published.targets), ("Results", &published.results), ("Claims in the text", &published.claims)];
    let mut tables = vec![figures(published)];
    tables.extend(statements.map(|(caption, all)| statements_table(caption, all)));
    tables.extend(published.curves.iter().map(curve));
    tables.extend(published.waits.iter().map(waits));
    tables.push(shares(published));
    tables.extend(published.histograms.iter().map(histogram));
    tables.push(facts(published));
    tables.retain(|table| !table.rows.is_empty());
    html! {
        @if !tables.is_empty() {
            section #published {
                h2 { "What the source prints" span.sub { " beside its series" } }
                @for table in tables { (table.without_empty_columns().render()) }
            }
        }
    }
}

/// A value as printed, with its bound and the mark of its doubt.
fn value(bound: Option<PrintedBound>, shown: &str, doubted: bool) -> Markup {
    html! { (text(&bounded(bound, shown))) @if doubted { (suspect()) } }
}

fn figures(published: &Published) -> Table {
    let rows = printed_rows(published).into_iter().map(|figures| {
        let first = &figures[0];
        let keys = [text(&first.test), text(&first.title), text(&first.printed.unit)];
        let cells = FigureKind::ALL.map(|kind| match figures.iter().rev().find(|f| f.kind == kind) {
            Some(f) => value(f.bound, &printed(f.printed.value), f.suspect.is_some()),
            None => text(""),
        });
        TableRow::Figures(keys.into_iter().chain(cells).collect())
    });
    let heads = ColumnHead::row("Test | Figure | Unit | Speed [] | Throughput [] | Value []");
    Table { caption: text("Figures as printed"), heads, rows: rows.collect(), class: "figures" }
}

fn statements_table(caption: &str, all: &[PublishedStatement]) -> Table {
    let rows = all.iter().map(|s| {
        let number =
            if s.low == s.high { printed(s.low) } else { format!("{} to {}", printed(s.low), printed(s.high)) };
        let what = [s.test.as_deref(), s.variant.as_deref()].into_iter().flatten().collect::<Vec<_>>().join(", ");
        TableRow::Figures(vec![
            text(&s.metric.replace('_', " ")),
            text(&what),
            value(s.bound, &format!("{number} {}", s.unit), s.suspect.is_some()),
            text(s.scope.as_deref().unwrap_or_default()),
        ])
    });
    let heads = ColumnHead::row("What | Of | Value [] | Of whom, when");
    Table { caption: text(caption), heads, rows: rows.collect(), class: "prose" }
}

fn curve(curve: &PublishedCurve) -> Table {
    let keys = curve_keys(curve);
    let rows = curve.points.iter().map(|point| {
        let cell = |key: &&str| match point.values.get(*key) {
            Some(number) => {
                let doubted = point.suspects.contains_key(*key) || curve.suspects.contains_key(*key);
                value(None, &printed(*number), doubted)
            }
            None => text(MISSING),
        };
        TableRow::Figures(keys.iter().map(cell).collect())
    });
    let heads = keys.iter().map(|key| ColumnHead::figures(key.replace('_', " "), "")).collect();
    let caption = text(&format!("{} {}", curve.test, curve.title));
    Table { caption, heads, rows: rows.collect(), class: "figures" }
}

fn waits(waits: &PublishedWaits) -> Table {
    let rows = waits.events.iter().map(|event| {
        let class = event.class.as_deref().unwrap_or_default();
        let count = event.count.map_or_else(|| MISSING.to_owned(), count);
        let [time, mean] = [event.time_s, event.mean_s].map(duration);
        TableRow::texts([event.event.as_str(), class, &count, &time, &mean, &percent(event.share_pct)])
    });
    let heads = ColumnHead::row("Event | Class | Count [] | Time [] | Mean [] | Share []");
    let test = waits.test.as_ref().map_or_else(String::new, |test| format!("{test}, "));
    let jobs = waits.jobs.map_or_else(String::new, |jobs| format!(", {jobs} jobs"));
    let caption = html! {
        (text(&format!("Top waits: {test}{} sessions{jobs}: {}", waits.group, waits.title)))
        @if waits.suspect.is_some() { (suspect()) }
    };
    Table { caption, heads, rows: rows.collect(), class: "figures" }
}

fn shares(published: &Published) -> Table {
    let rows = published.latency_shares.iter().map(|s| {
        let parts = s.at_most_s.iter().map(|(time_s, pct)| format!("{pct} % within {}", duration(*time_s)));
        let what = format!("{}, {} jobs", s.test, s.jobs);
        TableRow::texts([&what, &s.event, &parts.collect::<Vec<_>>().join(", ")])
    });
    let heads = ColumnHead::row("Test | Event | Shares");
    Table { caption: text("Waits by their length"), heads, rows: rows.collect(), class: "prose" }
}

fn histogram(histogram: &PublishedHistogram) -> Table {
    let rows = histogram.buckets.iter().map(|bucket| {
        let doubted = bucket.suspect.is_some();
        TableRow::Figures(vec![
            value(None, &duration(bucket.lower_s), doubted),
            text(&duration(bucket.upper_s)),
            text(&count(bucket.reads)),
            text(&format!("{:.2}", bucket.read_cum_pct)),
            text(&count(bucket.writes)),
            text(&format!("{:.2}", bucket.write_cum_pct)),
        ])
    });
    let heads = ColumnHead::row("From [] | to [] | Reads [] | up to here [%] | Writes [] | up to here [%]");
    let caption = html! {
        (text(&format!("I/Os by their time: {}", histogram.title)))
        @if histogram.suspect.is_some() { (suspect()) }
    };
    Table { caption, heads, rows: rows.collect(), class: "figures" }
}

fn facts(published: &Published) -> Table {
    let rows = published.facts.iter().map(|f| {
        let facts = f.facts.iter().map(|(name, value)| format!("{name} {value}"));
        TableRow::texts([&f.table, &facts.collect::<Vec<_>>().join(", ")])
    });
    Table { caption: text("Facts"), heads: ColumnHead::row("Table | Facts"), rows: rows.collect(), class: "prose" }
}
