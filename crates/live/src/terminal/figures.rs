//! Which figures of a reading stand in which panel, in which order. A row is drawn as one line where room is scarce,
//! and as one cell for each figure where there is room.

use super::figure::{Figure, Kind, Row, reason};
use dbdyno_model::{DatabaseReading, LoadReading, Reading, ReadingTimes, SessionState};

/// What dbdyno's own load does.
pub(crate) fn load(reading: &Reading) -> [Figure; 3] {
    let load = reading.load.as_ref();
    let rate = |of: fn(&LoadReading) -> Option<f64>| load.and_then(of);
    [
        Figure::new("ops/s", "load.ops_per_s", Kind::Amount, rate(|load| load.ops_per_s)),
        Figure::new("errors/s", "load.errors_per_s", Kind::Amount, rate(|load| load.errors_per_s)),
        Figure::new("retries/s", "load.retries_per_s", Kind::Amount, rate(|load| load.retries_per_s)),
    ]
}

/// Times of dbdyno's own operations: service time, then response time.
pub(crate) fn times(reading: &Reading) -> [Row; 2] {
    let service = service(reading);
    let response = response(reading);
    [
        Row {
            label: "service",
            figures: vec![
                Figure::new("p50", "load.service_time_s.p50", Kind::Time, service.p50),
                Figure::new("p99", "load.service_time_s.p99", Kind::Time, service.p99),
            ],
        },
        Row {
            label: "response",
            figures: vec![
                Figure::new("p50", "load.response_time_s.p50", Kind::Time, response.p50),
                Figure::new("p99", "load.response_time_s.p99", Kind::Time, response.p99),
            ],
        },
    ]
}

fn service(reading: &Reading) -> ReadingTimes {
    reading.load.as_ref().and_then(|load| load.service_time_s).unwrap_or_default()
}

fn response(reading: &Reading) -> ReadingTimes {
    reading.load.as_ref().and_then(|load| load.response_time_s).unwrap_or_default()
}

/// The 99th percentile that a chart shows: of response times where a rate was set, else of service times.
pub(crate) fn p99(reading: &Reading) -> Option<f64> {
    response(reading).p99.or(service(reading).p99)
}

/// What the database counts.
pub(crate) fn database(reading: &Reading) -> Vec<Row> {
    let nothing = DatabaseReading::default();
    let of = reading.database.as_ref().unwrap_or(&nothing);
    let (redo, rates) = (&of.redo, &of.rates);
    let amount = |label, path, value| Figure::new(label, path, Kind::Amount, value);
    let time = |label, path, value| Figure::new(label, path, Kind::Time, value);
    let row = |label, figures: [Figure; 2]| Row { label, figures: figures.to_vec() };
    vec![
        row(
            "commits, rollbacks/s",
            [
                amount("commits/s", "database.commits_per_s", of.commits_per_s),
                amount("rollbacks/s", "database.rollbacks_per_s", of.rollbacks_per_s),
            ],
        ),
        row(
            "reads logical, phys",
            [
                amount("logical reads/s", "database.logical_reads_per_s", rates.logical_reads_per_s),
                amount("physical reads/s", "database.physical_reads_per_s", rates.physical_reads_per_s),
            ],
        ),
        row(
            "redo MiB/s, sync time",
            [
                amount("redo MiB/s", "database.redo.mib_per_s", redo.mib_per_s),
                time("redo sync", "database.redo.sync_service_time_s", redo.sync_service_time_s),
            ],
        ),
        row(
            "checkpoints, lag",
            [
                Figure::new(
                    "checkpoints",
                    "database.checkpoints",
                    Kind::Count,
                    rates.checkpoints.map(|count| count as f64),
                ),
                time("replication lag", "database.replication_lag_s", of.replication_lag_s),
            ],
        ),
        row(
            "statements, changes/s",
            [
                amount("statements/s", "database.executions_per_s", of.executions_per_s),
                amount("rows changed/s", "database.rows_changed_per_s", of.rows_changed_per_s),
            ],
        ),
        row(
            "cache hits, writes/s",
            [
                Figure::new("cache hits", "database.buffer_hit_pct", Kind::Share, rates.buffer_hit_pct),
                amount("blocks written/s", "database.physical_writes_per_s", rates.physical_writes_per_s),
            ],
        ),
        row(
            "others' tx/s, at work",
            [
                amount("others' commits/s", "database.foreign_commits_per_s", of.foreign_commits_per_s),
                Figure::new("others' sessions", "database.foreign_sessions", Kind::Mean, of.foreign_sessions),
            ],
        ),
        row(
            "log writes/s, time",
            [
                amount("log writes/s", "database.redo.writes_per_s", redo.writes_per_s),
                time("log write", "database.redo.write_service_time_s", redo.write_service_time_s),
            ],
        ),
        row(
            "syncs/s, data write",
            [
                amount("log syncs/s", "database.redo.sync_writes_per_s", redo.sync_writes_per_s),
                time("data write", "database.data_write_service_time_s", rates.data_write_service_time_s),
            ],
        ),
    ]
}

/// Sessions by state.
pub(crate) fn sessions(reading: &Reading) -> [Figure; 3] {
    let sessions = reading.database.as_ref().map(|database| &database.sessions).filter(|states| !states.is_empty());
    // A state without a session is not listed, so it is zero where any state is listed.
    let of = |state| sessions.map(|states| f64::from(states.get(&state).copied().unwrap_or(0)));
    [
        Figure::new("active", "database.sessions.active", Kind::Count, of(SessionState::Active)),
        Figure::new(
            "in transaction",
            "database.sessions.idle_in_transaction",
            Kind::Count,
            of(SessionState::IdleInTransaction),
        ),
        Figure::new("idle", "database.sessions.idle", Kind::Count, of(SessionState::Idle)),
    ]
}

/// Processors, by kind of work.
pub(crate) fn cpu_kinds(reading: &Reading) -> [Figure; 4] {
    let used = &reading.machine.cpu.used;
    [
        Figure::new("user", "cpu.user_pct", Kind::Share, used.user_pct),
        Figure::new("system", "cpu.system_pct", Kind::Share, used.system_pct),
        Figure::new("iowait", "cpu.iowait_pct", Kind::Share, used.iowait_pct),
        Figure::new("steal", "cpu.steal_pct", Kind::Share, used.steal_pct),
    ]
}

/// Processors, by whom they worked for.
pub(crate) fn cpu_users(reading: &Reading) -> [Figure; 3] {
    let cpu = &reading.machine.cpu;
    [
        Figure::new("server", "cpu.server_pct", Kind::Share, cpu.server_pct),
        Figure::new("dbdyno", "cpu.harness_pct", Kind::Share, cpu.used.harness_pct),
        Figure::new("others", "cpu.others_pct", Kind::Share, cpu.others_pct),
    ]
}

/// Processors as a whole.
pub(crate) fn cpu_busy(reading: &Reading) -> Figure {
    Figure::new("busy", "cpu.busy_pct", Kind::Share, reading.machine.cpu.used.busy_pct)
}

/// Tasks that want a processor.
pub(crate) fn run_queue(reading: &Reading) -> Figure {
    Figure::new("run queue", "cpu.runnable", Kind::Count, reading.machine.cpu.runnable)
}

/// The processors that the server was held to, where it was.
pub(crate) fn cpu_held(reading: &Reading) -> Option<Figure> {
    let held = reading.machine.cpu.used.held_busy_pct;
    held.map(|_| Figure::new("of the server's processors", "cpu.held_busy_pct", Kind::Share, held))
}

/// All devices together.
pub(crate) fn devices(reading: &Reading) -> [Figure; 4] {
    let io = &reading.machine.io;
    [
        Figure::new("reads/s", "io.read_iops", Kind::Amount, io.read_iops),
        Figure::new("writes/s", "io.write_iops", Kind::Amount, io.write_iops),
        Figure::new("read MiB/s", "io.read_mib_per_s", Kind::Amount, io.read_mib_per_s),
        Figure::new("write MiB/s", "io.write_mib_per_s", Kind::Amount, io.write_mib_per_s),
    ]
}

/// Mean times of a read and of a write at the devices.
pub(crate) fn device_times(reading: &Reading) -> [Figure; 2] {
    let io = &reading.machine.io;
    [
        Figure::new("read", "io.read_service_time_s", Kind::Time, io.read_service_time_s),
        Figure::new("write", "io.write_service_time_s", Kind::Time, io.write_service_time_s),
    ]
}

/// What the server's processes moved.
pub(crate) fn server_io(reading: &Reading) -> [Figure; 2] {
    let io = &reading.machine.server_io;
    [
        Figure::new("server read MiB/s", "server_io.read_mib_per_s", Kind::Amount, io.read_mib_per_s),
        Figure::new("server write MiB/s", "server_io.write_mib_per_s", Kind::Amount, io.write_mib_per_s),
    ]
}

/// Memory, network and pressure.
pub(crate) fn machine(reading: &Reading) -> Vec<Row> {
    let (memory, network, pressure) = (&reading.machine.memory, &reading.machine.network, &reading.machine.pressure);
    let bytes = |label, path, value: Option<u64>| Figure::new(label, path, Kind::Bytes, value.map(|v| v as f64));
    let amount = |label, path, value| Figure::new(label, path, Kind::Amount, value);
    let share = |label, path, value| Figure::new(label, path, Kind::Share, value);
    vec![
        Row {
            label: "memory avail, cached",
            figures: vec![
                bytes("available", "memory.available_bytes", memory.available_bytes),
                bytes("page cache", "memory.page_cache_bytes", memory.page_cache_bytes),
            ],
        },
        Row {
            label: "network MiB/s in, out",
            figures: vec![
                amount("received MiB/s", "network.receive_mib_per_s", network.receive_mib_per_s),
                amount("sent MiB/s", "network.send_mib_per_s", network.send_mib_per_s),
            ],
        },
        Row {
            label: "pressure cpu, i/o",
            figures: vec![
                share("cpu pressure", "pressure.cpu_some_pct", pressure.cpu_some_pct),
                share("i/o pressure", "pressure.io_some_pct", pressure.io_some_pct),
            ],
        },
        Row {
            label: "mem pressure, swap",
            figures: vec![
                share("memory pressure", "pressure.memory_some_pct", pressure.memory_some_pct),
                amount("swapped MiB/s", "memory.swap_mib_per_s", memory.swap_mib_per_s),
            ],
        },
        Row {
            label: "loopback, dbdyno rss",
            figures: vec![
                amount("loopback MiB/s", "network.loopback_mib_per_s", network.loopback_mib_per_s),
                bytes("dbdyno's memory", "memory.harness_rss_bytes", memory.harness_rss_bytes),
            ],
        },
    ]
}

/// Sessions that were at work on average, waits of the server's own processes left out.
pub(crate) fn at_work(reading: &Reading) -> Option<f64> {
    let waits = &reading.database.as_ref()?.waits;
    // None at work is a figure; not asked is none.
    (!waits.is_empty() || reason(reading, "database.waits").is_none())
        .then(|| waits.iter().filter(|wait| !wait.background).map(|wait| wait.sessions).sum())
}
