//! Rules for entries beyond their form. Each check returns the first error, with the key.

use dbdyno_model::{
    Compression, Metric, Organisation, Point, ProcedureShape, RepeatMode, RowsBy, Size, StorageTier, Suite, TableShape,
    Test, fibonacci_calls,
};

type Checked = Result<(), String>;

/// Returns a message unless a condition holds.
fn ensure(condition: bool, problem: impl FnOnce() -> String) -> Checked {
    if condition { Ok(()) } else { Err(problem()) }
}

/// Checks a test by itself.
pub(crate) fn test(test: &Test) -> Checked {
    title(&test.title)?;
    ensure(!test.ramp.is_empty(), || "key 'ramp' is empty; it names what a ramp may move: jobs, threads".to_owned())?;
    twice(&test.ramp).map_or(Ok(()), |moved| Err(format!("key 'ramp' names '{}' twice", moved.name())))?;
    table(test)?;
    repeat_mode(test)?;
    transactions(test)?;
    argument(test)?;
    ensure(test.ops_per_pass > 0, || "key 'ops_per_pass' must be at least 1".to_owned())?;
    ensure(test.least_duration_s != Some(0), || "key 'least_duration_s' must be at least 1".to_owned())?;
    ensure(!test.metrics.is_empty(), || "key 'metrics' is empty; the first metric is the key metric".to_owned())?;
    twice(&test.metrics).map_or(Ok(()), |metric| Err(format!("key 'metrics' names '{metric}' twice")))
}

/// A size.
pub(crate) fn size(size: &Size) -> Checked {
    title(&size.title)?;
    let multiple = |key: &str, rows: u64, of: u64| {
        ensure(rows > 0 && rows.is_multiple_of(of), || {
            format!("key '{key}' is {rows}; it must be a multiple of {of}, the rows of one secondary-key value")
        })
    };
    multiple("small_rows", size.small_rows, Size::SMALL_ROWS_PER_VALUE)?;
    let large = size.small_rows.checked_mul(Size::RANGES);
    ensure(large == Some(size.large_rows), || {
        format!(
            "key 'large_rows' is {}; it must be {} times small_rows{}",
            size.large_rows,
            Size::RANGES,
            large.map(|n| format!(", {n}")).unwrap_or_default()
        )
    })?;
    multiple("large_rows", size.large_rows, Size::LARGE_ROWS_PER_VALUE)?;
    let counts = [
        ("engine_cache_bytes", size.engine_cache_bytes),
        ("file_bytes", size.file_bytes),
        ("bulk_partitions_per_job", size.bulk_partitions_per_job),
    ];
    for (key, count) in counts {
        ensure(count > 0, || format!("key '{key}' must be at least 1"))?;
    }
    let partitions = size.bulk_partitions_per_job;
    ensure(partitions <= Size::RANGES, || {
        format!("key 'bulk_partitions_per_job' is {partitions}; a large table has {} ranges", Size::RANGES)
    })
}

/// A metric.
pub(crate) fn metric(metric: &Metric) -> Checked {
    title(&metric.title)?;
    ensure(!metric.id.as_str().is_empty(), || "key 'id' is empty".to_owned())?;
    ensure(Point::metric_ids().any(|id| id == metric.id.as_str()), || {
        let known: Vec<&str> = Point::metric_ids().collect();
        format!("no point has a figure '{}'; points have {}", metric.id, known.join(", "))
    })?;
    ensure(!metric.unit.trim().is_empty(), || "key 'unit' is empty".to_owned())
}

/// Checks a suite's head. Its steps name tests, which only the catalogue knows.
pub(crate) fn suite(suite: &Suite) -> Checked {
    title(&suite.title)?;
    ensure(!suite.id.is_empty(), || "key 'id' is empty".to_owned())?;
    ensure(suite.duration_s > 0, || "key 'duration_s' must be at least 1".to_owned())?;
    ensure(suite.repeat > 0, || "key 'repeat' must be at least 1".to_owned())?;
    let problem = match (&suite.workload, suite.steps.is_empty()) {
        (None, true) => "the suite is empty: it needs at least one [[step]] with tests, or a [workload]",
        (Some(_), false) => "the suite has a [workload] and tests: it can have one of the two",
        _ => return Ok(()),
    };
    ensure(false, || problem.to_owned())
}

/// Checks the title of anything.
pub(crate) fn title(title: &str) -> Checked {
    ensure(!title.trim().is_empty(), || "key 'title' is empty".to_owned())
}

fn table(test: &Test) -> Checked {
    let name = test.procedure.name();
    let tableless = test.procedure.is_tableless();
    let Some(table) = test.table else {
        return ensure(tableless, || format!("the key 'table' is missing; {name} needs one"));
    };
    ensure(!tableless, || format!("key 'table' has no meaning for {name}"))?;
    let ranges = table.organisation() == Organisation::HeapRangeList;
    ensure(test.procedure.rows_by != Some(RowsBy::RangePartition) || ranges, || {
        format!("key 'table' is '{table}', which has no ranges; {name} needs large_heap_range_list")
    })?;
    let tables = &test.procedure.tables;
    ensure(!test.procedure.only_these_tables || tables.contains(&table), || {
        let names: Vec<&str> = tables.iter().map(|table| table.name()).collect();
        format!("key 'table' is '{table}', which {name} is not for; it can be {}", names.join(", "))
    })?;
    ensure(test.compression == Compression::None || test.procedure.shape == ProcedureShape::Load, || {
        format!("key 'compression' has no meaning for {name}; it is how a bulk_load compresses")
    })?;
    ensure(test.tier == StorageTier::Default || table.shape() == TableShape::Large, || {
        "key 'tier' has no meaning for a small table, which stays in the engine's cache".to_owned()
    })
}

fn repeat_mode(test: &Test) -> Checked {
    let due = test.procedure.repeat_mode();
    let (word, why) = match due {
        RepeatMode::Once => ("once", "its window ends with the last job"),
        RepeatMode::Statements => ("statements", "it repeats whole statements"),
        RepeatMode::Chunks => ("chunks", "it is called again and again"),
    };
    ensure(test.repeat_mode == due, || {
        format!("key 'repeat_mode' must be '{word}' for {}: {why}", test.procedure.name())
    })
}

fn transactions(test: &Test) -> Checked {
    let name = test.procedure.name();
    if test.procedure.takes_rows_per_tx() {
        let rows = test.rows_per_tx.ok_or_else(|| format!("the key 'rows_per_tx' is missing; {name} needs it"))?;
        ensure(rows > 0, || "key 'rows_per_tx' must be at least 1".to_owned())?;
        ensure(!test.sweep_rows_per_tx.contains(&0), || "key 'sweep_rows_per_tx' must not hold 0".to_owned())?;
        let doubled = twice(&test.sweep_rows_per_tx);
        doubled.map_or(Ok(()), |rows| Err(format!("key 'sweep_rows_per_tx' holds {rows} twice")))?;
        return ensure(test.last_step_rows_per_tx != Some(0), || {
            "key 'last_step_rows_per_tx' must be at least 1".to_owned()
        });
    }
    let given = [
        ("rows_per_tx", test.rows_per_tx.is_some()),
        ("sweep_rows_per_tx", !test.sweep_rows_per_tx.is_empty()),
        ("last_step_rows_per_tx", test.last_step_rows_per_tx.is_some()),
    ];
    given.iter().find(|(_, given)| *given).map_or(Ok(()), |(key, _)| {
        Err(format!("key '{key}' has no meaning for {name}, whose work says how many rows it touches"))
    })
}

fn argument(test: &Test) -> Checked {
    let name = test.procedure.name();
    let takes_one = test.procedure.argument.is_some();
    let Some(n) = test.argument else {
        ensure(!takes_one, || format!("the key 'argument' is missing; {name} needs it"))?;
        return ensure(test.documented_argument.is_none(), || {
            "key 'documented_argument' has no meaning without 'argument'".to_owned()
        });
    };
    ensure(takes_one, || format!("key 'argument' has no meaning for {name}"))?;
    let ops = test.ops_of_argument(n).filter(|ops| *ops > 0);
    let ops = ops.ok_or_else(|| format!("key 'argument' is {n}, which {name} cannot do"))?;
    ensure(test.ops_per_pass == ops, || {
        format!("key 'ops_per_pass' is {}; {name} of {n} counts as {ops}", test.ops_per_pass)
    })?;
    ensure(test.documented_argument.is_none_or(|d| d > n && fibonacci_calls(d).is_some()), || {
        format!("key 'documented_argument' must be larger than 'argument', {n}, and within reach")
    })
}

/// The first item that occurs twice in a list.
pub(crate) fn twice<T: PartialEq>(items: &[T]) -> Option<&T> {
    items.iter().enumerate().find(|(n, item)| items[..*n].contains(item)).map(|(_, item)| item)
}
