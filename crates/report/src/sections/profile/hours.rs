//! The hours of a profile: charts on a page, and a table. A profile of many days has a row for each day, with its
//! busiest hour.

use crate::sections::measured::shown;
use crate::sections::prelude::*;
use crate::watched::{Watched, minute};
use dbdyno_model::{ProfileHour, ProfileJson};

/// The most hours that each have a row.
const MOST_HOURS: usize = 48;

/// The figures over the hours. Here a group is the title of a chart. Each has two columns in the table of words.toml,
/// in this order: its mean, and its highest second.
const FIGURES: [Watched; 4] = [
    Watched { group: "Commits", path: "database.commits_per_s", name: "commits", unit: "1/s", form: Form::Thousands },
    Watched { group: "Processors", path: "cpu.busy_pct", name: "processors busy", unit: "%", form: Form::Short },
    Watched { group: "Devices", path: "io.read_iops", name: "device reads", unit: "IOPS", form: Form::Thousands },
    Watched { group: "Devices", path: "io.write_iops", name: "device writes", unit: "IOPS", form: Form::Thousands },
];

/// The hours of a figure; none where it was not told.
fn hours_of<'p>(of: &Watched, profile: &'p ProfileJson) -> &'p [ProfileHour] {
    of.of(profile).map_or(&[], |figure| &figure.hours)
}

/// The section; without blocks where no figure was told.
pub(super) fn section(profile: &ProfileJson) -> Section {
    let groups = grouped(FIGURES.iter().map(|of| (of.group, of))).into_iter();
    let charts: Vec<LineChart> = groups.filter_map(|(title, figures)| chart(profile, title, &figures)).collect();
    words::section("hours").with([charts.into(), table(profile).into()])
}

/// The mean of each hour and its highest second, a line each.
fn chart(profile: &ProfileJson, title: &str, figures: &[&Watched]) -> Option<LineChart> {
    let first = figures.iter().filter_map(|of| hours_of(of, profile).first()).map(|hour| hour.from).min()?;
    let lines = |(n, of): (usize, &&Watched)| {
        let line = |what: &str, place: usize, value: fn(&ProfileHour) -> f64| {
            let mark = |hour: &ProfileHour| {
                let (x, y) = (hour.from.duration_since(first).as_secs_f64() / 3_600.0, value(hour));
                let text = format!("{}, {what} from {} UTC: {}", of.name, minute(hour.from), shown(y, of.unit));
                Mark { x, y, band: None, doubtful: false, text }
            };
            ChartSeries::new(format!("{}, {what}", of.name), place, hours_of(of, profile).iter().map(mark).collect())
        };
        [line("mean of the hour", 2 * n, |hour| hour.mean), line("highest second", 2 * n + 1, |hour| hour.peak)]
    };
    let unit = figures[0].unit;
    let y: AxisOf = if unit == "%" { Axis::percent } else { Axis::amounts };
    let along = format!("hours since {} UTC", minute(first));
    LineChart::of(title, unit, &along, [Axis::amounts, y], figures.iter().enumerate().flat_map(lines).collect())
}

/// A row for each hour, or for each day its busiest hour.
fn table(profile: &ProfileJson) -> Table {
    let hours: BTreeSet<jiff::Timestamp> =
        FIGURES.iter().flat_map(|of| hours_of(of, profile)).map(|hour| hour.from).collect();
    let day = |hour: jiff::Timestamp| hour.strftime("%Y-%m-%d").to_string();
    let by_day = hours.len() > MOST_HOURS;
    let rows = grouped(hours.into_iter().map(|hour| (if by_day { day(hour) } else { minute(hour) }, hour)));
    let row = |(name, hours): (String, Vec<jiff::Timestamp>)| {
        let cells = FIGURES.iter().flat_map(|of| {
            let within = hours_of(of, profile).iter().filter(|hour| hours.contains(&hour.from));
            let highest =
                |value: fn(&ProfileHour) -> f64| Cell::known(within.clone().map(value).max_by(f64::total_cmp), of.form);
            [highest(|hour| hour.mean), highest(|hour| hour.peak)]
        });
        Row::led([name], cells)
    };
    let caption = text("profile", if by_day { "by_day" } else { "by_hour" });
    captioned("profile", "hours", caption, rows.into_iter().map(row).collect())
}
