//! Which figure of a reading is which family.

use super::text::Sample;
use dbdyno_model::{DatabaseReading, DeviceIo, LoadReading, MachineReading, Reading, ReadingTimes};
use dbdyno_report::export::exposition::labels;
use std::collections::BTreeMap;

/// Families in their order: the id, what it is, its samples.
#[derive(Default)]
pub(super) struct Rows {
    pub(super) families: Vec<(String, &'static str, Vec<Sample>)>,
}

impl Rows {
    /// Adds a sample to its family. Samples of a family must stand together.
    fn push(&mut self, id: &str, help: &'static str, labels: &str, value: Option<f64>) {
        let Some(value) = value else { return };
        let sample = (labels.to_owned(), value);
        match self.families.iter_mut().find(|family| family.0 == id) {
            Some(family) => family.2.push(sample),
            None => self.families.push((id.to_owned(), help, vec![sample])),
        }
    }

    fn all<T>(&mut self, prefix: &str, labels: &str, of: &T, figures: &[Figure<T>]) {
        for (id, help, figure) in figures {
            self.push(&format!("{prefix}{id}"), help, labels, figure(of));
        }
    }
}

type Figure<T> = (&'static str, &'static str, fn(&T) -> Option<f64>);

#[expect(clippy::cast_precision_loss, reason = "no memory has so many bytes")]
fn bytes(of: Option<u64>) -> Option<f64> {
    of.map(|bytes| bytes as f64)
}

const LOAD: &[Figure<LoadReading>] = &[
    ("ops_per_s", "Operations of dbdyno's load that succeeded.", |l| l.ops_per_s),
    ("errors_per_s", "Operations of dbdyno's load that failed for good.", |l| l.errors_per_s),
    ("retries_per_s", "Attempts of dbdyno's load after the first.", |l| l.retries_per_s),
];

const MACHINE: &[Figure<MachineReading>] = &[
    ("cpu_busy_pct", "Processors, neither idle nor waiting for I/O.", |m| m.cpu.used.busy_pct),
    ("cpu_held_busy_pct", "The same of the processors that the server is held to.", |m| m.cpu.used.held_busy_pct),
    ("cpu_user_pct", "Processors in user code.", |m| m.cpu.used.user_pct),
    ("cpu_system_pct", "Processors in the kernel.", |m| m.cpu.used.system_pct),
    ("cpu_iowait_pct", "Processors idle with I/O outstanding.", |m| m.cpu.used.iowait_pct),
    ("cpu_steal_pct", "Processors taken by the hypervisor.", |m| m.cpu.used.steal_pct),
    ("cpu_harness_pct", "Processors at work for dbdyno itself.", |m| m.cpu.used.harness_pct),
    ("cpu_server_pct", "Processors at work for the database server.", |m| m.cpu.server_pct),
    ("cpu_others_pct", "Processors at work for everybody else.", |m| m.cpu.others_pct),
    ("cpu_runnable", "Tasks that ran or could have run.", |m| m.cpu.runnable),
    ("read_iops", "Device reads.", |m| m.io.read_iops),
    ("write_iops", "Device writes.", |m| m.io.write_iops),
    ("total_iops", "Device reads and writes.", |m| m.io.total_iops),
    ("read_mib_per_s", "Data read from devices.", |m| m.io.read_mib_per_s),
    ("write_mib_per_s", "Data written to devices.", |m| m.io.write_mib_per_s),
    ("total_mib_per_s", "Data read from and written to devices.", |m| m.io.total_mib_per_s),
    ("read_service_time_s", "Device read time, mean.", |m| m.io.read_service_time_s),
    ("write_service_time_s", "Device write time, mean.", |m| m.io.write_service_time_s),
    ("server_read_mib_per_s", "Data that the server's processes read.", |m| m.server_io.read_mib_per_s),
    ("server_write_mib_per_s", "Data that the server's processes wrote.", |m| m.server_io.write_mib_per_s),
    ("memory_available_bytes", "Memory available for new work.", |m| bytes(m.memory.available_bytes)),
    ("memory_page_cache_bytes", "The page cache.", |m| bytes(m.memory.page_cache_bytes)),
    ("memory_harness_rss_bytes", "Memory of dbdyno itself.", |m| bytes(m.memory.harness_rss_bytes)),
    ("memory_swap_mib_per_s", "Data swapped in or out.", |m| m.memory.swap_mib_per_s),
    ("network_receive_mib_per_s", "Data received.", |m| m.network.receive_mib_per_s),
    ("network_send_mib_per_s", "Data sent.", |m| m.network.send_mib_per_s),
    ("network_loopback_mib_per_s", "Data over loopback.", |m| m.network.loopback_mib_per_s),
    ("pressure_cpu_some_pct", "Time in which some task waited for a processor.", |m| m.pressure.cpu_some_pct),
    ("pressure_io_some_pct", "Time in which some task waited for I/O.", |m| m.pressure.io_some_pct),
    ("pressure_memory_some_pct", "Time in which some task waited for memory.", |m| m.pressure.memory_some_pct),
];

const DEVICE: &[Figure<DeviceIo>] = &[
    ("device_read_iops", "Reads of each device.", |d| Some(d.read_iops)),
    ("device_write_iops", "Writes of each device.", |d| Some(d.write_iops)),
    ("device_read_mib_per_s", "Data read from each device.", |d| Some(d.read_mib_per_s)),
    ("device_write_mib_per_s", "Data written to each device.", |d| Some(d.write_mib_per_s)),
    ("device_busy_pct", "Time with I/O in flight on each device.", |d| Some(d.busy_pct)),
    ("device_service_time_s", "Time of an I/O of each device, mean.", |d| d.service_time_s),
    ("device_depth", "I/Os in flight on each device, on average.", |d| d.depth),
];

const REDO: &[Figure<DatabaseReading>] = &[
    ("redo_mib_per_s", "Redo.", |d| d.redo.mib_per_s),
    ("redo_writes_per_s", "Redo writes.", |d| d.redo.writes_per_s),
    ("redo_write_service_time_s", "Redo write time, mean.", |d| d.redo.write_service_time_s),
    ("redo_sync_writes_per_s", "Waits for redo to be on the device.", |d| d.redo.sync_writes_per_s),
    ("redo_sync_writes", "The same as a count.", |d| d.redo.sync_writes),
    ("redo_sync_service_time_s", "Time of such a wait, mean.", |d| d.redo.sync_service_time_s),
    ("redo_page_images_per_s", "Whole pages in the redo.", |d| d.redo.page_images_per_s),
];

const DATABASE: &[Figure<DatabaseReading>] = &[
    ("commits_per_s", "Commits of everybody.", |d| d.commits_per_s),
    ("rollbacks_per_s", "Rollbacks of everybody.", |d| d.rollbacks_per_s),
    ("executions_per_s", "Statements that were executed.", |d| d.executions_per_s),
    ("rows_changed_per_s", "Rows inserted, updated and deleted.", |d| d.rows_changed_per_s),
    ("foreign_commits_per_s", "Commits of others than dbdyno, at least.", |d| d.foreign_commits_per_s),
    ("foreign_sessions", "Sessions of others that were at work, on average.", |d| d.foreign_sessions),
    ("logical_reads_per_s", "Blocks asked of the engine's cache.", |d| d.rates.logical_reads_per_s),
    ("physical_reads_per_s", "Blocks read from below the engine's cache.", |d| d.rates.physical_reads_per_s),
    ("physical_writes_per_s", "Blocks written to data files.", |d| d.rates.physical_writes_per_s),
    ("data_writes_per_s", "Writes of data files.", |d| d.rates.data_writes_per_s),
    ("data_write_mib_per_s", "Data written to data files.", |d| d.rates.data_write_mib_per_s),
    ("data_write_service_time_s", "Time of a write of a data file, mean.", |d| d.rates.data_write_service_time_s),
    ("buffer_hit_pct", "Logical reads served by the engine's cache.", |d| d.rates.buffer_hit_pct),
    ("device_read_pct", "Logical reads that were read from a device.", |d| d.rates.device_read_pct),
    ("remote_blocks_per_s", "Blocks from the caches of other nodes of a cluster.", |d| d.rates.remote_blocks_per_s),
    ("write_blocks_per_s", "Blocks written, data and log.", |d| d.rates.write_blocks_per_s),
    ("flash_hit_pct", "Reads served by the database's flash cache.", |d| d.rates.flash_hit_pct),
    ("cell_flash_hit_pct", "Reads served by the storage cells' flash cache.", |d| d.rates.cell_flash_hit_pct),
    ("checkpoints", "Checkpoints that ended in the interval.", |d| bytes(d.rates.checkpoints)),
    ("scan_read_mib_per_s", "What scans read from below the engine's cache.", |d| d.rates.read_mib_per_s),
    ("replication_lag_s", "Lag of the standby that is furthest behind.", |d| d.replication_lag_s),
];

/// All that a reading has.
pub(super) fn of_reading(reading: &Reading) -> Rows {
    let mut rows = Rows::default();
    rows.push("reading_interval_s", "Length of the reading's interval.", "", Some(reading.seconds));
    if let Some(doing) = &reading.doing {
        let labels = labels(&[("subject", &doing.subject), ("dop", &doing.dop)]);
        let (point, of) = (u32::try_from(doing.point).ok(), u32::try_from(doing.of).ok());
        rows.push("point", "Place in the plan of the point that is measured, from 0.", &labels, point.map(f64::from));
        rows.push("points", "Points of the plan.", "", of.map(f64::from));
    }
    if let Some(load) = &reading.load {
        push_load(&mut rows, "", &[], load);
        for (name, of) in &load.transactions {
            push_load(&mut rows, "transaction_", &[("transaction", name.as_str())], of);
        }
        for (name, of) in &load.hosts {
            push_load(&mut rows, "host_", &[("host", name.as_str())], of);
        }
    }
    rows.all("", "", &reading.machine, MACHINE);
    // A device that has two names in the list would be one sample twice.
    let devices: BTreeMap<_, _> = reading.machine.io.devices.iter().map(|device| (&device.name, device)).collect();
    for (name, device) in devices {
        rows.all("", &labels(&[("device", name)]), device, DEVICE);
    }
    if let Some(database) = &reading.database {
        push_database(&mut rows, "", &[], database);
    }
    for (name, node) in &reading.nodes {
        push_database(&mut rows, "node_", &[("node", name.as_str())], node);
    }
    rows
}

fn push_load(rows: &mut Rows, prefix: &str, place: &[(&str, &str)], load: &LoadReading) {
    rows.all(prefix, &labels(place), load, LOAD);
    let times = [
        ("service_time_quantile_s", "Times of operations as their callers saw them.", load.service_time_s),
        ("response_time_quantile_s", "Times of operations from when they were due.", load.response_time_s),
    ];
    for (id, help, times) in times {
        let ReadingTimes { p50, p99 } = times.unwrap_or_default();
        for (quantile, value) in [("0.5", p50), ("0.99", p99)] {
            let place = labels(&[place, &[("quantile", quantile)]].concat());
            rows.push(&format!("{prefix}{id}"), help, &place, value);
        }
    }
}

fn push_database(rows: &mut Rows, prefix: &str, place: &[(&str, &str)], database: &DatabaseReading) {
    rows.all(prefix, &labels(place), database, REDO);
    let prefix = format!("{prefix}database_");
    rows.all(&prefix, &labels(place), database, DATABASE);
    for (state, sessions) in &database.sessions {
        let state = serde_json::to_value(state).unwrap_or_default();
        let place = labels(&[place, &[("state", state.as_str().unwrap_or_default())]].concat());
        rows.push(&format!("{prefix}sessions"), "Sessions by state.", &place, Some(f64::from(*sessions)));
    }
    let mut waits: BTreeMap<String, f64> = BTreeMap::new();
    for wait in &database.waits {
        let background = if wait.background { "true" } else { "" };
        let labels = labels(
            &[place, &[("class", wait.class.as_str()), ("event", &wait.event), ("background", background)]].concat(),
        );
        *waits.entry(labels).or_default() += wait.sessions;
    }
    for (labels, sessions) in waits {
        let help = "Sessions in each wait event, on average; processor time is among them.";
        rows.push(&format!("{prefix}wait_sessions"), help, &labels, Some(sessions));
    }
}
