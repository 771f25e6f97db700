//! The figures of a run as OpenMetrics text (1.0), for a time series database of platforms. Each metric of the
//! catalogue is a family, and each point a sample with the time at which it was measured.
//!
//! Points that are not `ok` have no figures here, and neither have published values that must not be used. The status
//! of each point is a family of its own.

use super::exposition::{family, labels, name};
use crate::verdict::percentile::share_beyond;
use dbdyno_catalogue::{Catalogue, Percentile};
use dbdyno_model::{Metric, MetricId, Point, ResponseTime, RunJson, Status, UsableFor};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The run's figures. The text ends with `# EOF`, as the format requires.
#[must_use]
pub fn openmetrics(run: &RunJson, catalogue: &Catalogue) -> String {
    let mut out = String::new();
    family(&mut out, "dbdyno_run", "info", "", "The run that all figures are of.");
    let info = [
        ("run", run.run.id.as_str()),
        ("label", run.run.label.as_deref().unwrap_or_default()),
        ("suite", &run.run.suite),
        ("size", &run.run.size),
        ("target", &run.run.target),
        ("engine", &run.database.engine),
        ("version", &run.database.version),
        ("tool_version", &run.run.tool_version),
        ("tool_profile", run.tool.as_ref().and_then(|tool| tool.profile.as_deref()).unwrap_or_default()),
    ];
    _ = writeln!(out, "dbdyno_run_info{{{}}} 1", labels(&info));
    family(&mut out, "dbdyno_point_ok", "gauge", "", "Whether the point was measured as its test asks: 1, or 0.");
    let mut points = places(run);
    for sampled in &points {
        let ok = if sampled.point.status == Status::Ok { 1.0 } else { 0.0 };
        sampled.push(&mut out, "dbdyno_point_ok", Some(("status", sampled.point.status.name())), ok);
    }
    points.retain(|sampled| sampled.point.status == Status::Ok);
    for metric in catalogue.metrics() {
        push_metric(&mut out, &points, metric);
    }
    for (id, of) in DISTRIBUTIONS {
        push_quantiles(&mut out, &points, id, *of);
    }
    out.push_str("# EOF\n");
    out
}

type TimesOf = fn(&Point) -> Option<&ResponseTime>;

const DISTRIBUTIONS: &[(&str, TimesOf)] = &[
    ("service_time_quantile_s", |p| p.service_time_s.as_ref()),
    ("response_time_quantile_s", |p| p.response_time_s.as_ref()),
    ("connection_wait_quantile_s", |p| p.connection_wait_s.as_ref()),
];

/// A point, with the labels and time of each of its samples.
struct Sampled<'a> {
    point: &'a Point,
    labels: String,
    time: String,
}

impl Sampled<'_> {
    fn push(&self, out: &mut String, name: &str, more: Option<(&str, &str)>, value: f64) {
        let more = more.map(|(key, value)| format!(",{key}=\"{value}\"")).unwrap_or_default();
        _ = writeln!(out, "{name}{{{}{more}}} {value}{}", self.labels, self.time);
    }
}

fn push_metric(out: &mut String, points: &[Sampled<'_>], metric: &Metric) {
    let usable = points.iter().filter(|s| is_usable(s.point, &metric.id));
    let values: Vec<_> = usable.filter_map(|s| Some((s, s.point.value(&metric.id)?))).collect();
    if values.is_empty() {
        return;
    }
    let (name, unit) = name(metric.id.as_str());
    family(out, &name, "gauge", unit, &format!("{} [{}].", metric.title, metric.unit));
    for (sampled, value) in values {
        sampled.push(out, &name, None, value);
    }
}

fn push_quantiles(out: &mut String, points: &[Sampled<'_>], id: &str, of: TimesOf) {
    let mut values = Vec::new();
    for sampled in points {
        let Some(times) = of(sampled.point) else { continue };
        values.extend(Percentile::ALL.into_iter().filter_map(|place| Some((sampled, place, place.of(times)?))));
    }
    if values.is_empty() {
        return;
    }
    let (name, unit) = name(id);
    family(out, &name, "gauge", unit, "Times of the client drive, and of I/Os, by quantile; 1 is the longest.");
    for (sampled, place, value) in values {
        let quantile = (1.0 - share_beyond(place)).to_string();
        sampled.push(out, &name, Some(("quantile", quantile.as_str())), value);
    }
}

fn is_usable(point: &Point, metric: &MetricId) -> bool {
    point.suspect(metric).is_none_or(|suspect| suspect.usable_for() != UsableFor::Nothing)
}

/// Each point's labels, rendered.
fn places(run: &RunJson) -> Vec<Sampled<'_>> {
    let mut seen: BTreeMap<String, u32> = BTreeMap::new();
    let place = |point| {
        let labels = place(run, point);
        let times = seen.entry(labels.clone()).or_default();
        *times += 1;
        // A source may print the same place twice, which the format would take for one sample.
        let labels = if *times > 1 { format!("{labels},occurrence=\"{times}\"") } else { labels };
        // A published result has no time; a measured one has the time at which it was measured.
        let time = if run.published.is_some() { String::new() } else { format!(" {}", point.started_at.as_second()) };
        Sampled { point, labels, time }
    };
    run.points.iter().map(place).collect()
}

fn place(run: &RunJson, point: &Point) -> String {
    let (dop, load) = (point.dop, point.load);
    let storage = point.subject.storage().map(|storage| &storage.load);
    labels(&[
        ("run", run.run.id.to_string()),
        ("label", optional(run.run.label.as_ref())),
        ("test", point.subject.as_str().to_owned()),
        ("drive", point.drive.name().to_owned()),
        ("nodes", dop.nodes.to_string()),
        ("jobs", dop.jobs.to_string()),
        ("threads", dop.threads.to_string()),
        ("rows_per_tx", point.rows_per_tx.to_string()),
        ("repeat", point.repeat.to_string()),
        ("again", optional(point.again.then_some("true"))),
        ("rate", optional(load.rate)),
        ("arrivals", optional(load.arrivals.map(|arrivals| arrivals.name()))),
        ("think", optional(load.think)),
        ("pause", optional(load.pause)),
        ("logon", optional((!load.logon.is_kept()).then(|| load.logon.name()))),
        ("mix", optional(point.mix.as_ref())),
        ("parameters", point.parameters.to_string()),
        ("transactions_each", optional(load.transactions_each)),
        ("cores", optional(point.cores)),
        ("connections", optional(load.connections)),
        ("work", optional(storage.map(|load| load.work()))),
        ("small_outstanding", optional(storage.map(|load| load.small_outstanding))),
        ("large_outstanding", optional(storage.map(|load| load.large_outstanding))),
    ])
}

fn optional(value: Option<impl ToString>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_metric_of_the_catalogue_has_a_name_with_its_unit() {
        let catalogue = Catalogue::embedded().unwrap();
        let mut names = std::collections::BTreeSet::new();
        for metric in catalogue.metrics() {
            let (name, unit) = name(metric.id.as_str());
            let expected = match metric.unit.as_str() {
                "1/s" => "per_second",
                "s" => "seconds",
                "MiB/s" => "mebibytes_per_second",
                "%" => "percent",
                other => panic!("{other} has no word here"),
            };
            assert_eq!(unit, expected, "{}", metric.id);
            assert!(name.ends_with(&format!("_{unit}")), "{name}");
            assert!(names.insert(name));
        }
    }
}
