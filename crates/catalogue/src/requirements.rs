//! The requirements of a project, as a file that its people write: rates that must be reached, and times that must not
//! be exceeded. It is checked like the catalogue: a message names the file, the entry and the key.

use crate::document::{Document, Entry, SourcePlace};
use crate::files::Source;
use crate::{Catalogue, CatalogueError, check};
use dbdyno_model::{Drive, Flag, MetricId, ResponseTime, TestCode, WorkloadName};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// A file of requirements.
#[derive(Debug, Clone, PartialEq)]
pub struct Requirements {
    /// The project or application that they are for.
    pub title: String,
    /// The requirements, in the file's order.
    pub list: Vec<Requirement>,
}

/// A figure that a platform must reach, or must not exceed.
#[derive(Debug, Clone, PartialEq)]
pub struct Requirement {
    /// The author's name for it.
    pub title: String,
    /// The variant that it is for: a label, a run's id, or a part of a published platform; absent: every one, and each
    /// must meet the limit.
    pub variant: Option<String>,
    /// The figure.
    pub of: RequiredFigure,
    /// The limit.
    pub limit: RequirementLimit,
    /// Flags that this requirement accepts, though they would otherwise make a point unfit to be judged.
    pub accept: Vec<Flag>,
}

/// Which figure is judged.
#[derive(Debug, Clone, PartialEq)]
pub enum RequiredFigure {
    /// A metric of points.
    Measured(MeasuredFigure),
    /// A figure that a published result states for the platform, under the name in its platform file.
    Result {
        /// What it counts: `io_rate`.
        name: String,
        /// The unit that the limit is in.
        unit: String,
    },
}

/// What a required figure was measured on.
#[derive(Debug, Clone, PartialEq)]
pub enum RequiredSubject {
    /// A test of the catalogue.
    Test(TestCode),
    /// A workload.
    Workload {
        /// Its name.
        name: WorkloadName,
        /// One type of its transactions; absent: all together.
        transaction: Option<String>,
    },
    /// Storage below any database.
    Storage {
        /// The kind of I/O, as reports name it: `8K random reads`; absent: any.
        work: Option<String>,
        /// Small I/Os outstanding; absent: any.
        small_outstanding: Option<u32>,
        /// Large I/Os outstanding; absent: any.
        large_outstanding: Option<u32>,
    },
}

/// A metric of points, and the points that it is taken from.
#[derive(Debug, Clone, PartialEq)]
pub struct MeasuredFigure {
    /// What was measured.
    pub subject: RequiredSubject,
    /// The metric.
    pub metric: MetricId,
    /// A percentile of a time; absent: the metric itself, which is the mean of a time.
    pub percentile: Option<Percentile>,
    /// Its unit.
    pub unit: String,
    /// Nodes of the points; absent: any.
    pub nodes: Option<u32>,
    /// Jobs of the points; absent: any, and the best counts.
    pub jobs: Option<u32>,
    /// Threads of the points; absent: any.
    pub threads: Option<u32>,
    /// Rows of a transaction; absent: any.
    pub rows_per_tx: Option<u64>,
    /// Who ran the loop; absent: anyone.
    pub drive: Option<Drive>,
    /// The least rate that points of an open loop were asked for; absent: points without a set rate, if there are any.
    pub rate_per_s: Option<f64>,
}

/// A limit for a figure.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RequirementLimit {
    /// No less.
    Minimum(f64),
    /// No more.
    Maximum(f64),
}

impl RequirementLimit {
    /// The number.
    #[must_use]
    pub fn value(self) -> f64 {
        match self {
            Self::Minimum(value) | Self::Maximum(value) => value,
        }
    }

    /// Whether a figure meets it.
    #[must_use]
    pub fn is_kept(self, figure: f64) -> bool {
        match self {
            Self::Minimum(least) => figure >= least,
            Self::Maximum(most) => figure <= most,
        }
    }
}

/// A percentile of a distribution of times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::EnumString, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Percentile {
    /// Median.
    P50,
    /// 90th percentile.
    P90,
    /// 95th percentile.
    P95,
    /// 99th percentile.
    P99,
    /// 99.9th percentile.
    #[strum(serialize = "p99_9")]
    P99_9,
    /// 99.99th percentile.
    #[strum(serialize = "p99_99")]
    P99_99,
    /// The maximum.
    Max,
}

impl Percentile {
    /// All percentiles, from the median to the maximum.
    pub const ALL: [Self; 7] = [Self::P50, Self::P90, Self::P95, Self::P99, Self::P99_9, Self::P99_99, Self::Max];

    /// The name as in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The time at this percentile.
    #[must_use]
    pub fn of(self, times: &ResponseTime) -> Option<f64> {
        match self {
            Self::P50 => times.p50,
            Self::P90 => times.p90,
            Self::P95 => times.p95,
            Self::P99 => times.p99,
            Self::P99_9 => times.p99_9,
            Self::P99_99 => times.p99_99,
            Self::Max => times.max,
        }
    }
}

/// The metrics that have percentiles.
const DISTRIBUTIONS: [&str; 2] = ["service_time_s", "response_time_s"];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    title: String,
}

/// An entry. The last keys are for acceptance projects alone.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Raw {
    pub(crate) title: String,
    minimum: Option<f64>,
    maximum: Option<f64>,
    #[serde(default)]
    accept: Vec<Flag>,
    pub(crate) test: Option<String>,
    pub(crate) workload: Option<String>,
    transaction: Option<String>,
    storage: Option<String>,
    small_outstanding: Option<u32>,
    large_outstanding: Option<u32>,
    metric: Option<String>,
    nodes: Option<u32>,
    jobs: Option<u32>,
    threads: Option<u32>,
    rows_per_tx: Option<u64>,
    drive: Option<Drive>,
    rate_per_s: Option<f64>,
    result: Option<String>,
    pub(crate) variant: Option<String>,
    unit: Option<String>,
    pub(crate) step: Option<String>,
    pub(crate) lost: Option<u64>,
    pub(crate) at_most_lossy_pct: Option<f64>,
    pub(crate) ratio_at_least: Option<f64>,
    pub(crate) ratio_at_most: Option<f64>,
}

impl Raw {
    /// The keys that are there, but for the title.
    fn given(&self) -> Vec<&'static str> {
        let of_project = self.of_project();
        let others = [
            ("minimum", self.minimum.is_some()),
            ("maximum", self.maximum.is_some()),
            ("accept", !self.accept.is_empty()),
            ("test", self.test.is_some()),
            ("workload", self.workload.is_some()),
            ("transaction", self.transaction.is_some()),
            ("storage", self.storage.is_some()),
            ("small_outstanding", self.small_outstanding.is_some()),
            ("large_outstanding", self.large_outstanding.is_some()),
            ("metric", self.metric.is_some()),
            ("rate_per_s", self.rate_per_s.is_some()),
            ("result", self.result.is_some()),
            ("unit", self.unit.is_some()),
        ];
        let all = of_project.into_iter().chain(of_a_database(self)).chain(others);
        all.filter(|(_, given)| *given).map(|(key, _)| key).collect()
    }

    /// The keys that only an acceptance project has, and whether they are there.
    fn of_project(&self) -> [(&'static str, bool); 5] {
        [
            ("step", self.step.is_some()),
            ("lost", self.lost.is_some()),
            ("at_most_lossy_pct", self.at_most_lossy_pct.is_some()),
            ("ratio_at_least", self.ratio_at_least.is_some()),
            ("ratio_at_most", self.ratio_at_most.is_some()),
        ]
    }

    /// Refuses keys that have no meaning beside this.
    pub(crate) fn refuse_beside(&self, what: &str, known: &[&str]) -> Result<(), String> {
        let known = |key: &str| known.contains(&key) || key == what;
        match self.given().into_iter().find(|key| !known(key)) {
            Some(key) => Err(format!("key '{key}' has no meaning beside {what}")),
            None => Ok(()),
        }
    }
}

impl Requirements {
    /// Reads a file's text; `shown` is how messages call the file.
    ///
    /// # Errors
    /// It is not TOML, has an unknown key or lacks one, or names an unknown test or metric.
    pub fn parse(shown: &str, text: &str, catalogue: &Catalogue) -> Result<Self, CatalogueError> {
        let source = Source { shown: shown.to_owned(), text: Cow::Owned(text.to_owned()) };
        let mut document = Document::parse(&source)?;
        let entries: Vec<Entry<Raw>> = document.entries("requirement", "title")?;
        let Entry { value: head, place } = document.head::<Head>()?;
        place.check(check::title(&head.title))?;
        place.ensure(!entries.is_empty(), || "there is no [[requirement]]")?;
        let list = entries.into_iter().map(|Entry { value, place }| {
            let of_project = value.of_project().into_iter().find(|(_, given)| *given);
            place.ensure(of_project.is_none(), || {
                let key = of_project.map_or("", |(key, _)| key);
                format!("key '{key}' may only stand in an acceptance project (`dbdyno accept`)")
            })?;
            requirement(value, &place, catalogue)
        });
        Ok(Self { title: head.title, list: list.collect::<Result<_, _>>()? })
    }
}

/// One requirement.
pub(crate) fn requirement(raw: Raw, place: &SourcePlace, catalogue: &Catalogue) -> Result<Requirement, CatalogueError> {
    place.check(check::title(&raw.title))?;
    let limit = match (raw.minimum, raw.maximum) {
        (Some(least), None) => RequirementLimit::Minimum(least),
        (None, Some(most)) => RequirementLimit::Maximum(most),
        _ => return Err(place.invalid("one of the keys 'minimum' and 'maximum' must stand here, and not both")),
    };
    let key = if raw.minimum.is_some() { "minimum" } else { "maximum" };
    let is_positive = limit.value().is_finite() && limit.value() > 0.0;
    place.ensure(is_positive, || format!("key '{key}' must be above zero"))?;
    let of = match [&raw.test, &raw.workload, &raw.storage, &raw.result].map(Option::is_some) {
        [false, false, false, true] => place.check(result(&raw))?,
        [test, workload, storage, false] if u8::from(test) + u8::from(workload) + u8::from(storage) == 1 => {
            RequiredFigure::Measured(place.check(measured(&raw, limit, catalogue))?)
        }
        _ => {
            return Err(place.invalid(
                "one of the keys 'test', 'workload', 'storage' and 'result' must stand here, and not several",
            ));
        }
    };
    Ok(Requirement { title: raw.title, variant: raw.variant, of, limit, accept: raw.accept })
}

/// Stands for any kind of I/O.
const ANY: &str = "*";

fn subject(raw: &Raw, catalogue: &Catalogue) -> Result<RequiredSubject, String> {
    if let Some(test) = &raw.test {
        let test = catalogue.test(test).map_err(|e| format!("key 'test': {e}"))?;
        return Ok(RequiredSubject::Test(test.code.clone()));
    }
    if let Some(name) = &raw.workload {
        let name = WorkloadName::new(name).map_err(|e| format!("key 'workload': {e}"))?;
        return Ok(RequiredSubject::Workload { name, transaction: raw.transaction.clone() });
    }
    let work = raw.storage.clone().filter(|work| work != ANY);
    let Raw { small_outstanding, large_outstanding, .. } = *raw;
    Ok(RequiredSubject::Storage { work, small_outstanding, large_outstanding })
}

fn measured(raw: &Raw, limit: RequirementLimit, catalogue: &Catalogue) -> Result<MeasuredFigure, String> {
    refuse(&[("unit", raw.unit.is_some())], &["result"])?;
    if raw.storage.is_none() {
        let of_storage = [
            ("small_outstanding", raw.small_outstanding.is_some()),
            ("large_outstanding", raw.large_outstanding.is_some()),
        ];
        refuse(&of_storage, &["storage"])?;
    } else {
        refuse(&of_a_database(raw), &["test", "workload"])?;
    }
    if raw.workload.is_none() {
        refuse(&[("transaction", raw.transaction.is_some())], &["workload"])?;
    }
    let subject = subject(raw, catalogue)?;
    let Some(metric) = &raw.metric else { return Err("the key 'metric' is missing".to_owned()) };
    let (id, percentile) = metric.split_once('.').map_or((metric.as_str(), None), |(id, name)| (id, Some(name)));
    let of_metric = |e: &dyn std::fmt::Display| format!("key 'metric': {e}");
    let metric = catalogue.metric(&MetricId::from(id)).map_err(|e| of_metric(&e))?;
    let percentile = percentile.map(|name| percentile_of(id, name)).transpose().map_err(|e| of_metric(&e))?;
    let Raw { nodes, jobs, threads, rows_per_tx, drive, rate_per_s, .. } = *raw;
    let numbers = [("nodes", nodes), ("jobs", jobs), ("threads", threads)];
    if let Some((key, _)) = numbers.into_iter().find(|(_, n)| *n == Some(0)) {
        return Err(format!("key '{key}' must be at least 1"));
    }
    if rate_per_s.is_some_and(|rate| !(rate.is_finite() && rate > 0.0)) {
        return Err("key 'rate_per_s' must be above zero".to_owned());
    }
    // The shortest time of all loads is that of a single I/O, which says nothing of any other load.
    let has_load = raw.small_outstanding.is_some() || raw.large_outstanding.is_some() || rate_per_s.is_some();
    let is_any = raw.storage.as_deref() == Some(ANY);
    if raw.storage.is_some() && matches!(limit, RequirementLimit::Maximum(_)) && (is_any || !has_load) {
        return Err("a maximum of storage needs the kind of I/O and the load that it is for: 'small_outstanding', \
                    'large_outstanding' or 'rate_per_s'"
            .to_owned());
    }
    if raw.transaction.is_some() && id != "tx_per_s" && !DISTRIBUTIONS.contains(&id) {
        return Err(format!("a transaction has no '{id}'; it has tx_per_s, {}", DISTRIBUTIONS.join(" and ")));
    }
    let (metric, unit) = (metric.id.clone(), metric.unit.clone());
    Ok(MeasuredFigure { subject, metric, percentile, unit, nodes, jobs, threads, rows_per_tx, drive, rate_per_s })
}

/// The keys of points of a database, and whether they are there.
fn of_a_database(raw: &Raw) -> [(&'static str, bool); 5] {
    [
        ("nodes", raw.nodes.is_some()),
        ("jobs", raw.jobs.is_some()),
        ("threads", raw.threads.is_some()),
        ("rows_per_tx", raw.rows_per_tx.is_some()),
        ("drive", raw.drive.is_some()),
    ]
}

fn percentile_of(metric: &str, name: &str) -> Result<Percentile, String> {
    if !DISTRIBUTIONS.contains(&metric) {
        return Err(format!("'{metric}' has no percentiles; {} have", DISTRIBUTIONS.join(" and ")));
    }
    // A percentile is written with a point everywhere except in JSON paths.
    let known = name.replace('.', "_");
    known.parse().map_err(|_| {
        format!("there is no percentile '{name}'; it can be {}", Percentile::ALL.map(Percentile::name).join(", "))
    })
}

fn result(raw: &Raw) -> Result<RequiredFigure, String> {
    refuse(&of_a_database(raw), &["test", "workload"])?;
    let of_storage = [
        ("small_outstanding", raw.small_outstanding.is_some()),
        ("large_outstanding", raw.large_outstanding.is_some()),
    ];
    refuse(&of_storage, &["storage"])?;
    refuse(&[("transaction", raw.transaction.is_some())], &["workload"])?;
    let measured = [
        ("metric", raw.metric.is_some()),
        ("rate_per_s", raw.rate_per_s.is_some()),
        ("accept", !raw.accept.is_empty()),
    ];
    refuse(&measured, &["test", "workload", "storage"])?;
    let unit = raw.unit.clone().ok_or("the key 'unit' is missing")?;
    Ok(RequiredFigure::Result { name: raw.result.clone().unwrap_or_default(), unit })
}

/// Keys that belong beside other keys.
fn refuse(keys: &[(&str, bool)], beside: &[&str]) -> Result<(), String> {
    let misplaced = keys.iter().find(|(_, given)| *given);
    let beside: Vec<String> = beside.iter().map(|key| format!("'{key}'")).collect();
    misplaced.map_or(Ok(()), |(key, _)| Err(format!("key '{key}' may only stand beside {}", beside.join(" or "))))
}
