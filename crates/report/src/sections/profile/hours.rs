//! The hours of a profile: charts on a page, and a table. A profile of many days has a row for each day, with its
//! busiest hour.

use crate::charts::{Axis, AxisOf, ChartSeries, LineChart, Mark};
use crate::document::{Block, Cell, Form, Row, Section, Table};
use crate::groups::grouped;
use crate::sections::measured::shown;
use crate::sections::words;
use crate::watched::minute;
use dbdyno_model::{ProfileHour, ProfileJson};
use std::collections::BTreeSet;

/// The most hours that each have a row.
const MOST_HOURS: usize = 48;

/// A figure over the hours.
struct Hourly {
    path: &'static str,
    name: &'static str,
    unit: &'static str,
    form: Form,
}

const COMMITS: Hourly = Hourly { path: "database.commits_per_s", name: "commits", unit: "1/s", form: Form::Thousands };
const CPU: Hourly = Hourly { path: "cpu.busy_pct", name: "processors busy", unit: "%", form: Form::Short };
const READS: Hourly = Hourly { path: "io.read_iops", name: "device reads", unit: "IOPS", form: Form::Thousands };
const WRITES: Hourly = Hourly { path: "io.write_iops", name: "device writes", unit: "IOPS", form: Form::Thousands };
/// Each has two columns in the table, in this order: its mean, and its highest second.
const FIGURES: [&Hourly; 4] = [&COMMITS, &CPU, &READS, &WRITES];

impl Hourly {
    fn hours<'p>(&self, profile: &'p ProfileJson) -> &'p [ProfileHour] {
        profile.seen.figures.get(self.path).map_or(&[], |figure| &figure.hours)
    }
}

/// The section; without blocks where no figure was told.
pub(super) fn section(profile: &ProfileJson) -> Section {
    let charts = [
        chart(profile, "Commits", "1/s", &[(&COMMITS, 0)], Axis::amounts),
        chart(profile, "Processors", "% busy", &[(&CPU, 0)], Axis::percent),
        chart(profile, "Devices", "IOPS", &[(&READS, 0), (&WRITES, 2)], Axis::amounts),
    ];
    let charts: Vec<LineChart> = charts.into_iter().flatten().collect();
    Section::new("hours", "Hours").titled("Hour by hour", "").with([charts.into(), Block::from(table(profile))])
}

/// The mean of each hour and its highest second, a line each.
fn chart(profile: &ProfileJson, title: &str, unit: &str, figures: &[(&Hourly, usize)], y: AxisOf) -> Option<LineChart> {
    let first = figures.iter().filter_map(|(of, _)| of.hours(profile).first()).map(|hour| hour.from).min()?;
    let lines = |(of, place): &(&Hourly, usize)| {
        let line = |what: &str, place: usize, value: fn(&ProfileHour) -> f64| {
            let mark = |hour: &ProfileHour| {
                let (x, y) = (hour.from.duration_since(first).as_secs_f64() / 3_600.0, value(hour));
                let text = format!("{}, {what} from {} UTC: {}", of.name, minute(hour.from), shown(y, of.unit));
                Mark { x, y, band: None, doubtful: false, text }
            };
            ChartSeries::new(format!("{}, {what}", of.name), place, of.hours(profile).iter().map(mark).collect())
        };
        [line("mean of the hour", *place, |hour| hour.mean), line("highest second", place + 1, |hour| hour.peak)]
    };
    let along = format!("hours since {} UTC", minute(first));
    LineChart::of(title, unit, &along, [Axis::amounts, y], figures.iter().flat_map(lines).collect())
}

/// A row for each hour, or for each day its busiest hour.
fn table(profile: &ProfileJson) -> Table {
    let hours: BTreeSet<jiff::Timestamp> =
        FIGURES.iter().flat_map(|of| of.hours(profile)).map(|hour| hour.from).collect();
    let day = |hour: jiff::Timestamp| hour.strftime("%Y-%m-%d").to_string();
    let by_day = hours.len() > MOST_HOURS;
    let rows = grouped(hours.into_iter().map(|hour| (if by_day { day(hour) } else { minute(hour) }, hour)));
    let row = |(name, hours): (String, Vec<jiff::Timestamp>)| {
        let cells = FIGURES.iter().flat_map(|of| {
            let within = of.hours(profile).iter().filter(|hour| hours.contains(&hour.from));
            let highest =
                |value: fn(&ProfileHour) -> f64| Cell::known(within.clone().map(value).max_by(f64::total_cmp), of.form);
            [highest(|hour| hour.mean), highest(|hour| hour.peak)]
        });
        Row::led([name], cells)
    };
    let (head, caption) = if by_day {
        ("Day (UTC)", "The busiest hour of each day: its mean, and the highest second of the day")
    } else {
        ("From (UTC)", "The mean of each hour, and its highest second")
    };
    let mut table = words::captioned("profile", "hours", caption, rows.into_iter().map(row).collect());
    table.columns[0].head = head.into();
    table
}
