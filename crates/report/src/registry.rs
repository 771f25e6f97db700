//! Every text report in one place. To add a report, add one file and one line here; a house rule requires a golden file
//! for each.

use crate::{platform, published, summary, tables};
use dbdyno_catalogue::Catalogue;
use dbdyno_model::RunJson;

/// A report that can be requested by name.
#[derive(Debug, Clone, Copy)]
pub struct Report {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it shows.
    pub title: &'static str,
    /// Renders its text for a terminal of this width; `None` is as wide as needed.
    pub render: fn(&RunJson, &Catalogue, Option<u16>) -> String,
}

/// Every text report.
pub const REPORTS: &[Report] = &[
    Report { name: "summary", title: "key metrics of the platform on one page", render: summary::page },
    Report { name: "bps8.0", title: "every point, in the Benchware 8.0 table", render: tables::bps80 },
    Report { name: "bps8.4-load", title: "load tests, in the Benchware 8.4 table", render: tables::bps84_load },
    Report {
        name: "bps8.4-oltp",
        title: "select and update tests, in the Benchware 8.4 table",
        render: tables::bps84_oltp,
    },
    Report { name: "cells", title: "medians, intervals and flags of every cell", render: tables::cells },
    Report { name: "waits", title: "what the sessions of every point waited for", render: tables::waits },
    Report { name: "writes", title: "what every point wrote, log and data files told apart", render: tables::writes },
    Report { name: "latency", title: "times of transactions by the rate asked for", render: tables::latency },
    Report { name: "storage", title: "I/Os of the storage itself, below any database", render: tables::storage },
    Report { name: "published", title: "what a published result says beside its series", render: published::page },
    Report {
        name: "platform",
        title: "hardware, operating system, database, settings",
        render: |run, _, width| platform::sheet(run, width),
    },
];

/// The report with this name.
#[must_use]
pub fn report(name: &str) -> Option<&'static Report> {
    REPORTS.iter().find(|r| r.name == name)
}
