//! The lines of the key metrics, as data: the test, the figure and the unit.

use dbdyno_model::{Flag, RunJson};

/// Which of the two key figures of a ramp a line shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shows {
    /// Speed and throughput.
    Both,
    /// The figure at DOP 1 alone: a time, where less is better.
    Speed,
}

/// One line.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SummaryLine {
    pub(crate) name: &'static str,
    /// The test; further ones replace it where it was not measured or is not supported. Empty for the workload.
    pub(crate) tests: &'static [&'static str],
    /// The metric.
    pub(crate) metric: &'static str,
    /// The metric shown in parentheses where a point's figure is doubtful: the device's own rate is nearly zero when
    /// memory served the test.
    pub(crate) metric_in_doubt: Option<&'static str>,
    pub(crate) unit: &'static str,
    /// The metric for the time of one operation.
    pub(crate) time: Option<&'static str>,
    pub(crate) shows: Shows,
    /// Flags with which a point has no such figure (design rule: pages that wait to be written are not writes).
    pub(crate) barred_by: &'static [Flag],
    /// Whether it is also shown per core.
    pub(crate) per_core: bool,
}

impl SummaryLine {
    const fn new(name: &'static str, tests: &'static [&'static str], metric: &'static str, unit: &'static str) -> Self {
        let (shows, per_core) = (Shows::Both, false);
        Self { name, tests, metric, metric_in_doubt: None, unit, time: None, shows, barred_by: &[], per_core }
    }

    const fn timed(self, time: &'static str) -> Self {
        Self { time: Some(time), ..self }
    }

    const fn per_core(self) -> Self {
        Self { per_core: true, ..self }
    }
}

/// A titled group of lines.
pub(crate) struct SummarySection {
    pub(crate) title: &'static str,
    pub(crate) lines: &'static [SummaryLine],
}

const OPS: &str = "ops_per_s";
const ROWS: &str = "rows_per_s";
const TX: &str = "tx_per_s";
const WORK: &str = "work_mib_per_s";
const SERVICE: &str = "service_time_s";

/// The line for the test with the most redo.
pub(crate) const REDO: SummaryLine = SummaryLine::new("Redo, maximum", &[], "redo_mib_per_s", "MiB/s");

/// The page of a workload.
const WORKLOAD: &[SummarySection] = &[SummarySection {
    title: "Workload",
    lines: &[
        SummaryLine::new("Transactions", &[], TX, "tx/s").timed(SERVICE).per_core(),
        SummaryLine::new("", &[], ROWS, "rows/s"),
    ],
}];

/// The lines for a run.
pub(crate) fn sections(run: &RunJson) -> &'static [SummarySection] {
    if run.run.is_of_workload() { WORKLOAD } else { SECTIONS }
}

/// The lines in the order of the layers.
pub(crate) const SECTIONS: &[SummarySection] = &[
    SummarySection {
        title: "CPU",
        lines: &[
            SummaryLine::new("String mix", &["T141"], OPS, "ops/s").per_core(),
            SummaryLine::new("NUMBER mix", &["T132"], OPS, "ops/s"),
            SummaryLine::new("Float mix", &["T133", "T134"], OPS, "ops/s"),
            SummaryLine { shows: Shows::Speed, ..SummaryLine::new("Fibonacci(39)", &["T151"], "elapsed_s", "s") },
        ],
    },
    SummarySection {
        title: "Server",
        lines: &[
            SummaryLine::new("Full scan, cached", &["T421"], ROWS, "rows/s").per_core(),
            SummaryLine::new("By primary key", &["T611"], TX, "tx/s").timed(SERVICE).per_core(),
            SummaryLine::new("By secondary key", &["T621"], ROWS, "rows/s").timed(SERVICE),
        ],
    },
    SummarySection {
        title: "Storage",
        lines: &[
            SummaryLine {
                metric_in_doubt: Some(WORK),
                ..SummaryLine::new("Sequential read", &["T426", "DBS-12"], "read_mib_per_s", "MiB/s")
            },
            SummaryLine::new("Sequential write", &["T211"], WORK, "MiB/s"),
            SummaryLine::new("Random read", &["T626"], "read_iops", "IOPS").timed("read_service_time_s"),
            SummaryLine {
                barred_by: &[Flag::WritesDeferred],
                ..SummaryLine::new("Random write", &["T721"], "write_iops", "IOPS").timed("write_service_time_s")
            },
        ],
    },
    SummarySection {
        title: "Database",
        lines: &[
            SummaryLine::new("Bulk load", &["T331", "DBL-21"], ROWS, "rows/s"),
            SummaryLine::new(" compressed", &["T332", "DBL-31"], ROWS, "rows/s"),
            SummaryLine::new("Index build", &["T512", "DBA-12"], ROWS, "rows/s").timed("elapsed_s"),
            SummaryLine::new("OLTP select", &["T616", "T611", "DBX-12"], TX, "tx/s").timed(SERVICE),
            SummaryLine::new("", &["T616", "T611", "DBX-12"], ROWS, "rows/s"),
            SummaryLine::new("OLTP insert", &["T311", "DBL-11"], TX, "tx/s").timed(SERVICE),
            SummaryLine::new("", &["T311", "DBL-11"], ROWS, "rows/s"),
            SummaryLine::new("OLTP update", &["T716", "T711", "DBX-22"], TX, "tx/s").timed(SERVICE).per_core(),
            SummaryLine::new("", &["T716", "T711", "DBX-22"], ROWS, "rows/s"),
        ],
    },
];
