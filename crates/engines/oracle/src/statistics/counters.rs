//! What an instance, its sessions and the cursors under test said, put together as counters.

use super::{Answer, Base, COMMITS, Named, Read, Watched};
use crate::DIALECT;
use dbdyno_model::{Counter, Counters};

/// What the point's own statements did.
const OF_WORK: [Counter; 6] = [
    Counter::Executions,
    Counter::Commits,
    Counter::ForeignCommits,
    Counter::RowsChanged,
    Counter::RowsScanned,
    Counter::WorkersLaunched,
];

/// All counters that are told of a point.
pub(super) fn all() -> impl Iterator<Item = Counter> {
    OF_WORK.into_iter().chain(DIALECT.statistics.counters())
}

/// Every counter missing for one reason.
pub(crate) fn nothing(why: &str) -> Counters {
    Counters { missing: all().map(|counter| (counter, why.to_owned())).collect(), ..Counters::default() }
}

/// The counters of an instance for a point. `ours` is what the point's sessions have told.
pub(crate) fn of_point(read: &Read, ours: &Named, watched: &Watched, base: &Base) -> Counters {
    // Workers of a statement are sessions of their own.
    let mut counters = of_table(read, (watched.threads <= 1).then_some(ours));
    let done = match &read.cursors {
        Ok(cursors) if watched.marked => Ok(cursors.since(&base.cursors)),
        Ok(_) => Err("the test's work has no statement of its own".to_owned()),
        Err(why) => Err(why.clone()),
    };
    let executions = done.clone().map(|[executions, _]| executions);
    say(&mut counters, Counter::Executions, executions.clone());
    let changed = match (watched.changes, done) {
        (false, _) => Err("the test changes no rows".to_owned()),
        (true, Ok([_, rows])) if watched.room_rows.is_some_and(|room| rows > room) => Err(format!(
            "{rows} rows went into a hash cluster that was made for {}, so its blocks ran over",
            watched.room_rows.unwrap_or_default()
        )),
        (true, done) => done.map(|[_, rows]| rows),
    };
    say(&mut counters, Counter::RowsChanged, changed);
    say(&mut counters, Counter::Commits, ours.of_sessions(COMMITS));
    let rows_of_test = executions.ok().zip(watched.rows).map(|(executions, rows)| executions * rows);
    say(&mut counters, Counter::RowsScanned, rows_scanned(ours, watched, rows_of_test));
    say(&mut counters, Counter::WorkersLaunched, workers(ours, watched));
    counters
}

/// What an instance counts for everybody.
pub(crate) fn of_instance(read: &Read) -> Counters {
    let mut counters = of_table(read, None);
    say(&mut counters, Counter::Commits, of_view(&read.system, COMMITS));
    say(&mut counters, Counter::Rollbacks, of_view(&read.system, "user rollbacks"));
    say(&mut counters, Counter::RowsChanged, Err("an instance does not count the rows that it changes".to_owned()));
    counters
}

/// The counters of dialect/statistics.toml, and waits. What sessions do is of a point's alone where `ours` is what they
/// have told.
fn of_table(read: &Read, ours: Option<&Named>) -> Counters {
    let told = |of: &str, name: &str| match (of, ours) {
        ("session", Some(ours)) if name == CELL_FLASH => cell_flash(|name| ours.of_sessions(name)),
        ("session", Some(ours)) => ours.of_sessions(name),
        ("session", None) if name == CELL_FLASH => cell_flash(|name| of_view(&read.system, name)),
        ("background", _) if name == "changed buffers" => read.dirty.clone(),
        ("background", _) => background(read, name),
        ("files", _) => of_view(&read.files, name),
        ("machine", _) => of_view(&read.machine, name),
        ("time", _) => of_view(&read.times, name),
        _ => of_view(&read.system, name),
    };
    let mut counters = DIALECT.statistics.read(0, &told);
    match &read.waits {
        Ok(waits) => counters.waits.clone_from(waits),
        Err(why) => _ = counters.missing.insert(Counter::ForeignBusyNs, why.clone()),
    }
    counters
}

fn of_view(view: &Answer<Named>, name: &str) -> Answer<u64> {
    view.as_ref().map_err(Clone::clone)?.told(name)
}

fn say(counters: &mut Counters, counter: Counter, told: Answer<u64>) {
    match told {
        Ok(value) => _ = counters.values.insert(counter, value),
        Err(why) => _ = counters.missing.insert(counter, why),
    }
}

/// What background processes do for everybody. Where the server has made redo and never written any, it does not count
/// them here: 0 would then be no figure.
fn background(read: &Read, name: &str) -> Answer<u64> {
    let all = read.system.as_ref().map_err(Clone::clone)?;
    if all.get("redo writes") == Some(0) && all.get("redo size").is_some_and(|bytes| bytes > 0) {
        let why = "the server counts redo and no writes of it: a pluggable database does not see what the container's background \
                   processes do";
        return Err(why.to_owned());
    }
    all.told(name)
}

/// The statistic that counts reads from the flash of storage cells.
const CELL_FLASH: &str = "cell flash cache read hits";
/// Statistics that count reads from the memory of storage cells, in the words of older and of newer releases.
const CELL_MEMORY: [&str; 3] = ["cell RDMA reads", "cell pmem cache read hits", "cell xrmem cache read hits"];

/// Reads from the flash of storage cells. Cells that have a memory before it give single blocks from there, and the
/// flash is then not what was measured.
fn cell_flash(told: impl Fn(&str) -> Answer<u64>) -> Answer<u64> {
    let of_memory: u64 = CELL_MEMORY.iter().filter_map(|name| told(name).ok()).sum();
    match of_memory {
        0 => told(CELL_FLASH),
        // An instance has counted since it started, so how many there were is of another time.
        _ => Err("the storage cells have a memory before their flash (PMEM or XRMEM), which answers reads".to_owned()),
    }
}

/// Rows that a hard parse may read of the server's dictionary.
const ROWS_OF_A_PARSE: u64 = 20_000;

/// Rows that scans have visited, where the test's own executions account for so many (`rows_of_test`). What the
/// sessions have scanned beyond these is the server's dictionary, where they have parsed statements for the first time
/// and it is little enough for that.
fn rows_scanned(ours: &Named, watched: &Watched, rows_of_test: Option<u64>) -> Answer<u64> {
    if !watched.scans {
        return Err("the test scans no table whose rows the server counts".to_owned());
    }
    if watched.threads > 1 {
        return Err("parallel workers scan in sessions of their own, whose counts end with them".to_owned());
    }
    if ours.get("cell physical IO bytes eligible for predicate offload").is_some_and(|bytes| bytes > 0) {
        return Err("the storage cells scanned, and the server counts what they gave back".to_owned());
    }
    let scanned = ours.of_sessions("table scan rows gotten")?;
    let parses = ours.get("parse count (hard)").unwrap_or(0);
    let beyond = rows_of_test.and_then(|rows| scanned.checked_sub(rows)).unwrap_or(0);
    Ok(if beyond <= parses * ROWS_OF_A_PARSE && beyond < scanned / 100 { scanned - beyond } else { scanned })
}

/// Parallel workers. The server says how many statements it has run in parallel, and how many with fewer workers than
/// were asked for: those count as if they had none, so that the point is seen to be wrong.
fn workers(ours: &Named, watched: &Watched) -> Answer<u64> {
    const DOWNGRADED: [&str; 5] = [
        "Parallel operations downgraded to serial",
        "Parallel operations downgraded 1 to 25 pct",
        "Parallel operations downgraded 25 to 50 pct",
        "Parallel operations downgraded 50 to 75 pct",
        "Parallel operations downgraded 75 to 99 pct",
    ];
    let sum = |names: &[&str]| names.iter().map(|name| ours.of_sessions(name)).sum::<Answer<u64>>();
    let parallel = if watched.builds { "DDL statements parallelized" } else { "queries parallelized" };
    let whole = ours.of_sessions(parallel)?.saturating_sub(sum(&DOWNGRADED)?);
    // A statement of a session that is to work alone and has workers all the same has at least two.
    Ok(whole * u64::from(watched.threads.max(2)))
}
