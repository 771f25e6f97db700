//! The units that publications print, and those of the metrics.

use dbdyno_model::MetricId;

/// The unit of a metric that a platform file may name.
pub(super) fn unit(metric: &MetricId) -> &'static str {
    match metric.as_str() {
        id if id.ends_with("_mib_per_s") => "MiB/s",
        id if id.ends_with("_s") && !id.ends_with("_per_s") => "s",
        id if id.ends_with("_pct") => "%",
        _ => "1/s",
    }
}

/// A printed unit: its metric for each kind of figure, the best guess first, and the factor to the metric's unit.
pub(super) struct PrintedUnit {
    pub(super) name: &'static str,
    pub(super) factor: f64,
    pub(super) metrics: &'static [&'static str],
}

pub(super) const UNITS: &[PrintedUnit] = &[
    PrintedUnit { name: "ops/s", factor: 1.0, metrics: &["ops_per_s"] },
    PrintedUnit { name: "kops/s", factor: 1e3, metrics: &["ops_per_s"] },
    PrintedUnit { name: "rows/s", factor: 1.0, metrics: &["rows_per_s"] },
    PrintedUnit { name: "krows/s", factor: 1e3, metrics: &["rows_per_s"] },
    PrintedUnit { name: "tx/s", factor: 1.0, metrics: &["tx_per_s"] },
    PrintedUnit { name: "iops", factor: 1.0, metrics: &["read_iops", "write_iops"] },
    PrintedUnit { name: "MB/s", factor: 1.0, metrics: &["read_mib_per_s", "work_mib_per_s", "write_mib_per_s"] },
    PrintedUnit { name: "MiB/s", factor: 1.0, metrics: &["read_mib_per_s", "work_mib_per_s", "write_mib_per_s"] },
    PrintedUnit { name: "GB/s", factor: 1024.0, metrics: &["read_mib_per_s", "work_mib_per_s", "write_mib_per_s"] },
    PrintedUnit { name: "ms", factor: 1e-3, metrics: &["service_time_s"] },
    PrintedUnit { name: "s", factor: 1.0, metrics: &["service_time_s"] },
];
