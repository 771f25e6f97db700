//! What a published result says beside its series: figures as printed, with their doubts; what was asked for and found;
//! series over something else than jobs; waits; histograms.

use super::duration;
use super::marks::suspect;
use super::table::{Head, Row, Table, text};
use crate::numbers::{MISSING, count, percent, printed};
use dbdyno_model::{
    Bound, Curve, Kind, Published, PublishedFigure, PublishedHistogram, PublishedWaits, RunJson, Statement,
};
use maud::{Markup, html};

/// The section; nothing for a run of dbdyno's own.
pub(super) fn section(run: &RunJson) -> Markup {
    let Some(published) = &run.published else { return html! {} };
    let statements =
        [("Targets", &published.targets), ("Results", &published.results), ("Claims in the text", &published.claims)];
    let mut tables = vec![figures(&published.figures)];
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
fn value(bound: Option<Bound>, shown: &str, doubted: bool) -> Markup {
    let bound = bound.map_or_else(String::new, |bound| format!("{} ", bound.sign()));
    html! { (text(&format!("{bound}{shown}"))) @if doubted { (suspect()) } }
}

fn figures(all: &[PublishedFigure]) -> Table {
    let mut rows: Vec<(&PublishedFigure, [Markup; 3])> = Vec::new();
    for figure in all {
        let same = |known: &&mut (&PublishedFigure, [Markup; 3])| {
            let (f, _) = &**known;
            (&f.test, &f.title, &f.printed.unit) == (&figure.test, &figure.title, &figure.printed.unit)
        };
        let shown = value(figure.bound, &printed(figure.printed.value), figure.suspect.is_some());
        let column = match figure.kind {
            Kind::Speed => 0,
            Kind::Throughput => 1,
            Kind::Value => 2,
        };
        match rows.iter_mut().find(same) {
            Some((_, cells)) => cells[column] = shown,
            None => {
                let mut cells = [text(""), text(""), text("")];
                cells[column] = shown;
                rows.push((figure, cells));
            }
        }
    }
    let rows = rows.into_iter().map(|(figure, cells)| {
        let keys = [text(&figure.test), text(&figure.title), text(&figure.printed.unit)];
        Row::Figures(keys.into_iter().chain(cells).collect())
    });
    let mut heads: Vec<Head> = ["Test", "Figure", "Unit"].map(Head::words).into();
    heads.extend(["Speed", "Throughput", "Value"].map(|name| Head::figures(name, "")));
    Table { caption: text("Figures as printed"), heads, rows: rows.collect(), class: "figures" }
}

fn statements_table(caption: &str, all: &[Statement]) -> Table {
    let rows = all.iter().map(|s| {
        let number =
            if s.low == s.high { printed(s.low) } else { format!("{} to {}", printed(s.low), printed(s.high)) };
        let what = [s.test.as_deref(), s.variant.as_deref()].into_iter().flatten().collect::<Vec<_>>().join(", ");
        Row::Figures(vec![
            text(&s.metric.replace('_', " ")),
            text(&what),
            value(s.bound, &format!("{number} {}", s.unit), s.suspect.is_some()),
            text(s.scope.as_deref().unwrap_or_default()),
        ])
    });
    let heads = vec![Head::words("What"), Head::words("Of"), Head::figures("Value", ""), Head::words("Of whom, when")];
    Table { caption: text(caption), heads, rows: rows.collect(), class: "prose" }
}

fn curve(curve: &Curve) -> Table {
    let mut keys: Vec<&str> = vec![&curve.by];
    let others = curve.points.iter().flat_map(|p| p.values.keys()).map(String::as_str);
    for key in curve.primary.as_deref().into_iter().chain(others) {
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    let rows = curve.points.iter().map(|point| {
        let cell = |key: &&str| match point.values.get(*key) {
            Some(number) => {
                let doubted = point.suspects.contains_key(*key) || curve.suspects.contains_key(*key);
                value(None, &printed(*number), doubted)
            }
            None => text(MISSING),
        };
        Row::Figures(keys.iter().map(cell).collect())
    });
    let heads = keys.iter().map(|key| Head::figures(key.replace('_', " "), "")).collect();
    let caption = text(&format!("{} {}", curve.test, curve.title));
    Table { caption, heads, rows: rows.collect(), class: "figures" }
}

fn waits(waits: &PublishedWaits) -> Table {
    let rows = waits.events.iter().map(|event| {
        Row::Figures(vec![
            text(&event.event),
            text(event.class.as_deref().unwrap_or_default()),
            text(&event.count.map_or_else(|| MISSING.to_owned(), count)),
            text(&duration(event.time_s)),
            text(&duration(event.mean_s)),
            text(&percent(event.share_pct)),
        ])
    });
    let mut heads = vec![Head::words("Event"), Head::words("Class")];
    heads.extend(["Count", "Time", "Mean", "Share"].map(|name| Head::figures(name, "")));
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
        Row::Figures(vec![text(&what), text(&s.event), text(&parts.collect::<Vec<_>>().join(", "))])
    });
    let heads = ["Test", "Event", "Shares"].map(Head::words).into();
    Table { caption: text("Waits by their length"), heads, rows: rows.collect(), class: "prose" }
}

fn histogram(histogram: &PublishedHistogram) -> Table {
    let rows = histogram.buckets.iter().map(|bucket| {
        let doubted = bucket.suspect.is_some();
        Row::Figures(vec![
            value(None, &duration(bucket.lower_s), doubted),
            text(&duration(bucket.upper_s)),
            text(&count(bucket.reads)),
            text(&format!("{:.2}", bucket.read_cum_pct)),
            text(&count(bucket.writes)),
            text(&format!("{:.2}", bucket.write_cum_pct)),
        ])
    });
    let heads = [("From", ""), ("to", ""), ("Reads", ""), ("up to here", "%"), ("Writes", ""), ("up to here", "%")];
    let caption = html! {
        (text(&format!("I/Os by their time: {}", histogram.title)))
        @if histogram.suspect.is_some() { (suspect()) }
    };
    let heads = heads.map(|(name, unit)| Head::figures(name, unit)).into();
    Table { caption, heads, rows: rows.collect(), class: "figures" }
}

fn facts(published: &Published) -> Table {
    let rows = published.facts.iter().map(|f| {
        let facts = f.facts.iter().map(|(name, value)| format!("{name} {value}"));
        Row::Figures(vec![text(&f.table), text(&facts.collect::<Vec<_>>().join(", "))])
    });
    Table {
        caption: text("Facts"),
        heads: ["Table", "Facts"].map(Head::words).into(),
        rows: rows.collect(),
        class: "prose",
    }
}
