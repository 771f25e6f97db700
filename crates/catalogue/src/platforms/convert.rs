//! Converts a platform file into the document of a run. Units are converted here, and nowhere else. The printed values
//! stay beside the converted ones.

use super::own::{self, BEYOND_PUBLICATIONS, DESCRIPTION_TABLES, RESULT_TABLES, joined};
use super::points;
use super::raw::{
    RawChart, RawFact, RawFacts, RawHistogram, RawKpi, RawPlatform, RawSeries, RawShares, RawStatement, RawWaits,
};
use super::units::{PrintedUnit, UNITS, unit};
use crate::Catalogue;
use crate::document::{Document, Entry};
use crate::error::CatalogueError;
use crate::files::Source;
use dbdyno_model::{
    Better, Cpu, Database, Disk, FigureKind, LatencyShares, Memory, MetricId, Platform, Point, Printed, Published,
    PublishedBucket, PublishedFacts, PublishedFigure, PublishedHistogram, PublishedStatement, PublishedWait,
    PublishedWaits, Run, RunId, RunJson, RunStatus, Suspect, Test,
};

/// Converts a whole file. The id in it must be the one of its name, where that is given.
pub(super) fn run_document(
    id: Option<&str>,
    source: &Source,
    catalogue: &Catalogue,
) -> Result<RunJson, CatalogueError> {
    let mut document = Document::parse(source)?;
    let head: Entry<RawPlatform> = document.table("platform")?;
    let raw = &head.value;
    let (Some(own_id), Some(name)) = (&raw.id, &raw.name) else {
        let missing = if raw.id.is_none() { "id" } else { "name" };
        return Err(head.place.invalid(format!("the key '{missing}' is missing")));
    };
    let expected = id.unwrap_or(own_id);
    head.place.ensure(own_id == expected, || {
        format!("key 'id' is '{own_id}'; it must be '{expected}', as the file's name")
    })?;
    let run_id = RunId::new(own_id).map_err(|e| head.place.invalid(format!("key 'id': {e}")))?;
    let date = format!("{:04}-01-01T00:00:00Z", raw.year.unwrap_or(1970));
    let started_at = date.parse().map_err(|_| head.place.invalid("key 'year' is no year"))?;

    let mut published = published(raw, source);
    let mut measured: Vec<Point> = Vec::new();
    for series in document.entries_if_any::<RawSeries>("series", "test")? {
        let test = catalogue.test(&series.value.test).ok();
        if points::has_dop(&series.value) {
            measured.extend(points::points(&series, test, started_at, &document)?);
            published.numbers.extend(points::numbers(&series, &document)?);
        } else {
            let Entry { value, place } = &series;
            if let Some(n) = points::lacks_jobs(value) {
                return Err(place.invalid(format!("point {n} lacks the key 'jobs', which others have")));
            }
            let suspects = place.check(value.doubt().by_key())?;
            let names = (value.test.as_str(), value.title.as_str(), value.primary.as_deref(), None);
            published.curves.push(points::curve(names, &value.points, suspects, place)?);
        }
    }
    for Entry { value, place } in document.entries_if_any::<RawChart>("chart_label", "test")? {
        let suspects = place.check(value.doubt().by_key())?;
        let names = (value.test.as_str(), value.title.as_str(), None, Some(value.by.as_str()));
        published.curves.push(points::curve(names, &value.points, suspects, &place)?);
    }
    for Entry { value, place } in document.entries_if_any::<RawKpi>("kpi", "test")? {
        let test = catalogue.test(&value.test).ok();
        published.figures.extend(place.check(figures(&value, test))?);
    }
    for (table, list) in
        [("claim", &mut published.claims), ("target", &mut published.targets), ("result", &mut published.results)]
    {
        for Entry { value, place } in document.entries_if_any::<RawStatement>(table, "metric")? {
            list.push(place.check(statement(value))?);
        }
    }
    convert_other_tables(&mut document, &mut published)?;
    let says_more = document.has_any(BEYOND_PUBLICATIONS).is_some();
    let said = own::described(&mut document, Some(&head), source, catalogue)?;
    document.refuse_others(&[DESCRIPTION_TABLES, RESULT_TABLES].concat())?;

    let mut run = RunJson::new(header(run_id, name, raw, started_at), platform(raw), database(raw), measured);
    run.published = Some(published);
    run.costs = said.costs();
    run.described = says_more.then(|| own::beyond_the_publication(said));
    Ok(run)
}

/// The figures of one `[[kpi]]`.
fn figures(raw: &RawKpi, test: Option<&Test>) -> Result<Vec<PublishedFigure>, String> {
    let Some(unit_of) = UNITS.iter().find(|unit| unit.name == raw.unit) else {
        let known = UNITS.iter().map(|unit| unit.name).collect::<Vec<_>>().join(", ");
        return Err(format!("key 'unit': unknown unit '{}'; it can be {known}", raw.unit));
    };
    let metric = metric(raw, unit_of, test)?;
    let better = if raw.lower_is_better || raw.metric == "service_time" { Better::Lower } else { Better::Higher };
    let kinds = [
        (FigureKind::Speed, "speed", raw.speed),
        (FigureKind::Throughput, "throughput", raw.throughput),
        (FigureKind::Value, "value", raw.value),
    ];
    let mut figures = Vec::new();
    for (kind, key, printed) in kinds {
        let Some(value) = printed else { continue };
        figures.push(PublishedFigure {
            test: raw.test.clone(),
            title: raw.title.clone(),
            kind,
            value: value * unit_of.factor,
            unit: unit(&metric).to_owned(),
            metric: Some(metric.clone()),
            printed: Printed { value, unit: raw.unit.clone() },
            bound: raw.bound,
            better,
            commit: points::commit(test),
            suspect: raw.doubt().of(key)?.map(|s| Suspect { why: doubt_about(key, &s.why), ..s }),
        });
    }
    if figures.is_empty() {
        return Err("there is none of the keys 'speed', 'throughput' and 'value'".to_owned());
    }
    Ok(figures)
}

/// The part of a doubt that concerns a key. One text may have a clause for each of several keys. Clauses that begin
/// with another key are left out.
fn doubt_about(key: &str, why: &str) -> String {
    let others = ["speed", "throughput", "value"].map(|other| format!("{other} is ")).into_iter();
    let others: Vec<String> = others.filter(|other| !other.starts_with(key)).collect();
    let clauses: Vec<&str> = why.split("; ").filter(|c| !others.iter().any(|other| c.starts_with(other))).collect();
    if clauses.is_empty() { why.to_owned() } else { clauses.join("; ") }
}

/// The metric of a figure: `rate` and `service_time` depend on the test.
fn metric(raw: &RawKpi, unit: &PrintedUnit, test: Option<&Test>) -> Result<MetricId, String> {
    let test_has = |metric: &str| test.is_some_and(|t| t.metrics.iter().any(|m| m.as_str() == metric));
    let id = match raw.metric.as_str() {
        "rate" => unit.metrics.iter().copied().find(|m| test_has(m)).or(unit.metrics.first().copied()),
        "elapsed" => Some("elapsed_s"),
        "redo_rate" => Some("redo_mib_per_s"),
        "service_time" if test_has("read_iops") => Some("read_service_time_s"),
        "service_time" if test_has("write_iops") => Some("write_service_time_s"),
        "service_time" => Some("service_time_s"),
        other => Point::metric_ids().find(|id| *id == other),
    };
    let unknown = || {
        let words = ["rate", "elapsed", "redo_rate", "service_time"].into_iter().chain(Point::metric_ids());
        format!("key 'metric': unknown metric '{}'; it can be {}", raw.metric, words.collect::<Vec<_>>().join(", "))
    };
    id.map(MetricId::from).ok_or_else(unknown)
}

/// One `[[claim]]`, `[[target]]` or `[[result]]`.
fn statement(raw: RawStatement) -> Result<PublishedStatement, String> {
    let (Some(low), Some(high)) = (raw.low.or(raw.value), raw.high.or(raw.value)) else {
        return Err("the key 'value' is missing, or 'low' and 'high'".to_owned());
    };
    let suspect = raw.doubt().any()?;
    let RawStatement { test, variant, metric, unit, bound, scope, at, jobs, scaling, .. } = raw;
    let (at, jobs) = (at.map(|at| format!("at {at}")), jobs.map(|n| format!("{n} jobs")));
    let scope = joined([scope, at, jobs, scaling], ", ");
    Ok(PublishedStatement { test, variant, metric, low, high, unit, bound, scope, suspect })
}

/// What a source says about itself, and what it does not print.
fn published(raw: &RawPlatform, source: &Source) -> Published {
    let not_printed = |what: &str| (what.to_owned(), "no run of dbdyno's own: the source prints none".to_owned());
    let mut notes = raw.notes.clone();
    notes.extend(raw.source_file.as_ref().map(|file| format!("The source document is {file}.")));
    notes.extend(raw.cores_max.map(|n| format!("The platform offers at most {n} cores.")));
    Published {
        source: source_title(raw).unwrap_or_else(|| format!("platform file {}", source.shown)),
        year: raw.year,
        year_printed: raw.year_printed.unwrap_or(true),
        benchmark: raw.benchmark_suite.clone().unwrap_or_else(|| "not printed".to_owned()),
        notes,
        missing: ["run.seed", "run.started_at", "run.tool_version", "run.target"].map(not_printed).into(),
        ..Published::default()
    }
}

/// Converts the tables without key metrics: waits, latencies, histograms and facts.
fn convert_other_tables(document: &mut Document<'_>, published: &mut Published) -> Result<(), CatalogueError> {
    for Entry { value, place } in document.entries_if_any::<RawWaits>("wait_event", "test")? {
        let suspect = place.check(value.doubt().any())?;
        let event = |wait: super::raw::RawWait| {
            let mean_s = wait.avg_wait_ms.map(|ms| ms * 1e-3);
            let share_pct = wait.db_time_pct.or(wait.background_time_pct);
            let super::raw::RawWait {
                event, wait_class: class, waits: count, time_s, timeout_pct, waits_per_tx, ..
            } = wait;
            PublishedWait { event, class, count, time_s, mean_s, share_pct, timeout_pct, waits_per_tx }
        };
        let RawWaits { test, jobs, group, title, events, .. } = value;
        let events = events.into_iter().map(event).collect();
        published.waits.push(PublishedWaits { test, jobs, group, title, events, suspect });
    }
    for Entry { value, .. } in document.entries_if_any::<RawShares>("latency_cdf", "test")? {
        let RawShares { test, jobs, event, points } = value;
        let at_most_s = points.iter().map(|p| (p.at_most_ms * 1e-3, p.share_pct)).collect();
        published.latency_shares.push(LatencyShares { test, jobs, event, at_most_s });
    }
    for Entry { value, place } in document.entries_if_any::<RawHistogram>("histogram", "run")? {
        published.histograms.push(place.check(histogram(&value))?);
    }
    for table in ["setup", "variant", "orion_run"] {
        for Entry { value, .. } in document.entries_if_any::<RawFacts>(table, "id")? {
            let facts = value.into_iter().flat_map(|(name, fact)| match fact {
                RawFact::One(fact) => vec![(name, fact.text())],
                RawFact::Many(rows) => rows
                    .iter()
                    .enumerate()
                    .map(|(n, row)| {
                        let row: Vec<String> = row.iter().map(|(key, v)| format!("{key} {}", v.text())).collect();
                        (format!("{name} {}", n + 1), row.join(", "))
                    })
                    .collect(),
            });
            published.facts.push(PublishedFacts { table: table.to_owned(), facts: facts.collect() });
        }
    }
    Ok(())
}

/// One `[[histogram]]`.
fn histogram(raw: &RawHistogram) -> Result<PublishedHistogram, String> {
    let variant = raw.variant.as_deref().unwrap_or("not stated");
    let title = format!("small {}, large {}; run {}, variant {variant}", raw.small, raw.large, raw.run);
    let bucket = |b: &super::raw::RawBucket| -> Result<PublishedBucket, String> {
        let super::raw::RawBucket { reads, writes, read_cum_pct, write_cum_pct, .. } = *b;
        let (lower_s, upper_s, suspect) = (b.lower_us * 1e-6, b.upper_us * 1e-6, b.doubt().any()?);
        Ok(PublishedBucket { lower_s, upper_s, reads, writes, read_cum_pct, write_cum_pct, suspect })
    };
    let buckets = raw.buckets.iter().map(bucket).collect::<Result<_, _>>()?;
    Ok(PublishedHistogram { title, buckets, suspect: raw.doubt().any()? })
}

/// The run itself. What no source prints is empty.
fn header(id: RunId, name: &str, raw: &RawPlatform, started_at: jiff::Timestamp) -> Run {
    let size = raw.size_class.clone().or_else(|| raw.config.get("size_class").map(super::raw::Scalar::text));
    Run {
        id,
        label: Some(name.to_owned()),
        suite: raw.benchmark_suite.clone().unwrap_or_default(),
        size: size.unwrap_or_default(),
        seed: 0,
        started_at,
        tool_version: String::new(),
        target: String::new(),
        status: RunStatus::Done,
    }
}

fn platform(raw: &RawPlatform) -> Platform {
    let RawPlatform {
        cpu_model: model,
        sockets,
        cores,
        threads,
        hardware: product,
        family,
        os,
        kernel,
        virtualisation,
        ..
    } = raw.clone();
    let cpu = Cpu { model, sockets, cores, threads, clock_mhz: raw.ghz.map(|ghz| ghz * 1e3), ..Cpu::default() };
    let total_bytes = raw.memory_gib.map(|gib| (gib * f64::from(1 << 30)).round() as u64);
    let memory = Memory { total_bytes, ..Memory::default() };
    let storage = [raw.storage.clone(), raw.storage_links.as_ref().map(|links| format!("links: {links}"))];
    let disk =
        |what: String| Disk { name: "storage".to_owned(), model: Some(what), holds_database: true, ..Disk::default() };
    let disks = joined(storage, "; ").map(disk).into_iter().collect();
    Platform { product, family, cpu, memory, os, kernel, virtualisation, disks, ..Platform::default() }
}

fn database(raw: &RawPlatform) -> Database {
    let product = raw.vendor_database.clone().unwrap_or_default();
    // The first word of a product's name is also the engine's name.
    let engine = raw.engine.clone().unwrap_or_else(|| product.split(' ').next().unwrap_or_default().to_lowercase());
    Database {
        engine,
        version: raw.database_version.clone().unwrap_or_default(),
        parameters: raw.config.iter().map(|(name, value)| (name.clone(), value.text())).collect(),
        facts: raw.vendor_database.iter().map(|p| ("product".to_owned(), p.clone())).collect(),
        notice: None,
    }
}

/// The title of the source document. The name of its file is in the notes.
fn source_title(raw: &RawPlatform) -> Option<String> {
    let source = raw.source.as_ref()?;
    let file = raw.source_file.as_deref().unwrap_or_default();
    let title = source.strip_prefix(file).and_then(|rest| rest.strip_prefix(": "));
    Some(title.unwrap_or(source).to_owned())
}
