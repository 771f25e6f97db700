//! The lines of the summary page, as data: which test, which of its figures, in which unit.

use dbdyno_model::{Flag, RunJson};

/// Which of the two key figures of a ramp a line has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shows {
    /// Speed and throughput.
    Both,
    /// The figure at DOP 1 alone: a time, where less is better.
    Speed,
}

/// One line.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Line {
    pub(crate) name: &'static str,
    /// The test; further ones stand in where the first was not measured or is not supported. Without any it is of the
    /// workload.
    pub(crate) tests: &'static [&'static str],
    /// The metric.
    pub(crate) metric: &'static str,
    /// What stands in parentheses instead where a point's figure is doubtful: the device's own rate is next to nothing
    /// when memory served the test.
    pub(crate) metric_in_doubt: Option<&'static str>,
    pub(crate) unit: &'static str,
    /// The metric of the time of one operation.
    pub(crate) time: Option<&'static str>,
    pub(crate) shows: Shows,
    /// Flags with which a point gives no such figure at all (design rule: pages still to be written are no writes).
    pub(crate) barred_by: &'static [Flag],
    /// Whether it comes again per core.
    pub(crate) per_core: PerCore,
}

/// Whether a line comes again, divided by the cores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PerCore {
    Shown,
    NotShown,
}

impl Line {
    const fn new(name: &'static str, tests: &'static [&'static str], metric: &'static str, unit: &'static str) -> Self {
        let (shows, per_core) = (Shows::Both, PerCore::NotShown);
        Self { name, tests, metric, metric_in_doubt: None, unit, time: None, shows, barred_by: &[], per_core }
    }

    const fn timed(self, time: &'static str) -> Self {
        Self { time: Some(time), ..self }
    }

    const fn per_core(self) -> Self {
        Self { per_core: PerCore::Shown, ..self }
    }
}

/// A titled group of lines.
pub(crate) struct Section {
    pub(crate) title: &'static str,
    pub(crate) lines: &'static [Line],
}

const OPS: &str = "ops_per_s";
const ROWS: &str = "rows_per_s";
const TX: &str = "tx_per_s";
const WORK: &str = "work_mib_per_s";
const SERVICE: &str = "service_time_s";

/// The line whose test is the one with the most redo.
pub(crate) const REDO: Line = Line::new("Redo, maximum", &[], "redo_mib_per_s", "MiB/s");

/// The page of a workload.
const WORKLOAD: &[Section] = &[Section {
    title: "Workload",
    lines: &[Line::new("Transactions", &[], TX, "tx/s").timed(SERVICE).per_core(), Line::new("", &[], ROWS, "rows/s")],
}];

/// The page of a run.
pub(crate) fn sections(run: &RunJson) -> &'static [Section] {
    if run.run.is_of_workload() { WORKLOAD } else { SECTIONS }
}

/// The page, in the order of the layers.
pub(crate) const SECTIONS: &[Section] = &[
    Section {
        title: "CPU",
        lines: &[
            Line::new("String mix", &["T141"], OPS, "ops/s").per_core(),
            Line::new("NUMBER mix", &["T132"], OPS, "ops/s"),
            Line::new("Float mix", &["T133", "T134"], OPS, "ops/s"),
            Line { shows: Shows::Speed, ..Line::new("Fibonacci(39)", &["T151"], "elapsed_s", "s") },
        ],
    },
    Section {
        title: "Server",
        lines: &[
            Line::new("Full scan, cached", &["T421"], ROWS, "rows/s").per_core(),
            Line::new("By primary key", &["T611"], TX, "tx/s").timed(SERVICE).per_core(),
            Line::new("By secondary key", &["T621"], ROWS, "rows/s").timed(SERVICE),
        ],
    },
    Section {
        title: "Storage",
        lines: &[
            Line {
                metric_in_doubt: Some(WORK),
                ..Line::new("Sequential read", &["T426", "DBS-12"], "read_mib_per_s", "MiB/s")
            },
            Line::new("Sequential write", &["T211"], WORK, "MiB/s"),
            Line::new("Random read", &["T626"], "read_iops", "IOPS").timed("read_service_time_s"),
            Line {
                barred_by: &[Flag::WritesDeferred],
                ..Line::new("Random write", &["T721"], "write_iops", "IOPS").timed("write_service_time_s")
            },
        ],
    },
    Section {
        title: "Database",
        lines: &[
            Line::new("Bulk load", &["T331", "DBL-21"], ROWS, "rows/s"),
            Line::new(" compressed", &["T332", "DBL-31"], ROWS, "rows/s"),
            Line::new("Index build", &["T512", "DBA-12"], ROWS, "rows/s").timed("elapsed_s"),
            Line::new("OLTP select", &["T616", "T611", "DBX-12"], TX, "tx/s").timed(SERVICE),
            Line::new("", &["T616", "T611", "DBX-12"], ROWS, "rows/s"),
            Line::new("OLTP insert", &["T311", "DBL-11"], TX, "tx/s").timed(SERVICE),
            Line::new("", &["T311", "DBL-11"], ROWS, "rows/s"),
            Line::new("OLTP update", &["T716", "T711", "DBX-22"], TX, "tx/s").timed(SERVICE).per_core(),
            Line::new("", &["T716", "T711", "DBX-22"], ROWS, "rows/s"),
        ],
    },
];
