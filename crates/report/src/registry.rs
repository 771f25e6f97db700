//! Every report on a run in one place. To add a report, add one file and one line here; a house rule requires a golden
//! file for each. The page has most of them.

use crate::document::{Block, Document, Section};
use crate::reported::Reported;
use crate::sections::points::{self, BPS80, BPS84_LOAD, BPS84_OLTP};
use crate::sections::words::alone;
use crate::sections::{hosts, latency, marks, method, own_platform, pace, platform, published, ramps};
use crate::sections::{readings, scaling, searches, slob, storage, summary, transactions, verdict, waits, writes};
use crate::summary::head;
use dbdyno_catalogue::Catalogue;
use dbdyno_model::Point;

/// A report that can be requested by name.
#[derive(Clone, Copy)]
pub struct Report {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it shows.
    pub title: &'static str,
    sections: Sections,
}

/// How a report is made.
type Sections = fn(&Reported, &Catalogue) -> Vec<Section>;

const fn entry(name: &'static str, title: &'static str, sections: Sections) -> Report {
    Report { name, title, sections }
}

/// The report that begins with a title and the first facts of the run.
const SUMMARY: &str = "summary";

/// Every report.
pub const REPORTS: &[Report] = &[
    entry(SUMMARY, "key metrics of the platform on one page", |of, c| summary::report(&of.run, c)),
    entry("bps8.0", "every point, in the Benchware 8.0 table", |of, c| points::report(&of.run, c, &BPS80)),
    entry("bps8.4-load", "load tests, in the Benchware 8.4 table", |of, c| points::report(&of.run, c, &BPS84_LOAD)),
    entry("bps8.4-oltp", "select and update tests, in the Benchware 8.4 table", |of, c| {
        points::report(&of.run, c, &BPS84_OLTP)
    }),
    entry("cells", "medians, intervals and flags of every cell", |of, _| ramps::report(&of.run)),
    entry("scaling", "the scaling law of each ramp", |of, c| scaling::report(&of.run, c)),
    entry("searches", "saturation, and the highest rate within limits", |of, c| searches::report(&of.run, c)),
    entry("waits", "what the sessions of every test waited for", |of, c| waits::report(&of.run, c)),
    entry("writes", "what every point wrote, log and data files told apart", |of, _| writes::report(&of.run)),
    entry("latency", "times of transactions by the rate asked for", |of, c| latency::report(&of.run, &of.times, c)),
    entry("transactions", "what a workload did, by the minute and by statement", |of, _| {
        vec![alone(transactions::section(&of.run))]
    }),
    entry("hosts", "what each host of a fleet did", |of, _| vec![alone(hosts::section(&of.run))]),
    entry("slob", "random I/O through the database, by the figures of SLOB", |of, _| {
        vec![alone(slob::section(&of.run))]
    }),
    entry("storage", "I/Os of the storage itself, below any database", |of, _| storage::report(&of.run)),
    entry("published", "what a published result says beside its series", |of, _| published::report(&of.run)),
    entry("platform", "hardware, operating system, database, settings", |of, _| vec![platform::section(&of.run)]),
    entry("method", "how it was measured, and with what settings", |of, _| vec![method::of_run(&of.run)]),
];

impl Report {
    /// The report on a run.
    #[must_use]
    pub fn of(&self, reported: &Reported, catalogue: &Catalogue) -> Document {
        let document = Document::of((self.sections)(reported, catalogue));
        if self.name != SUMMARY {
            return document;
        }
        Document { title: head::title(&reported.run), head: head(reported), ..document }
    }
}

impl Reported {
    /// The page: all that is known of a run, or of a published result.
    #[must_use]
    pub fn document(&self, catalogue: &Catalogue) -> Document {
        let run = &self.run;
        let kind = if run.published.is_some() { "Published result" } else { "dbdyno platform report" };
        let mut sections = vec![verdict::section(self.verdict.as_slice()), summary::section(run, catalogue)];
        sections.push(searches::section(run, catalogue));
        sections.extend([slob::section(run), storage::share(run, catalogue), storage::section(run)]);
        sections.extend([platform::section(run), pace::section(run)]);
        sections.extend(ramps::sections(self, catalogue));
        sections.extend([published::section(run), scaling::section(run, catalogue)]);
        sections.push(latency::section(run, &self.times, catalogue));
        sections.extend([transactions::section(run), hosts::section(run)]);
        let points: Vec<&Point> = run.points.iter().collect();
        sections.extend([marks::section(&[run]).with(waits::legend(&points)), method::of_run(run)]);
        Document { kind, title: run.name().to_owned(), head: head(self), sections }
    }
}

/// The first facts of a run, how many readings it has, and its conclusion.
fn head(reported: &Reported) -> Vec<Block> {
    let run = &reported.run;
    let readings = readings::line(reported).map(Block::from);
    head::blocks(run).into_iter().chain(readings).chain(own_platform::conclusion(run)).collect()
}

/// The report with this name.
#[must_use]
pub fn report(name: &str) -> Option<&'static Report> {
    REPORTS.iter().find(|r| r.name == name)
}

/// The texts of several reports on a run, one below the other, for a terminal of this width.
#[must_use]
pub fn texts(names: &[&str], reported: &Reported, catalogue: &Catalogue, width: Option<u16>) -> String {
    let found = names.iter().filter_map(|name| report(name));
    found.map(|report| report.of(reported, catalogue).text(width)).collect::<Vec<_>>().join("\n")
}
