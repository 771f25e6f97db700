//! What a run or a published result brings to a comparison with any other one: its figures as cells, by keys that say
//! what they may stand beside, and the facts that must be equal. Cells, keys and facts come from the code that fills
//! the rows of a comparison of two sides. What is left to whoever holds two cards is to take the first key that both
//! have, and to look whether two facts are equal.

use super::alike::{depends_on_size, transaction_sizes};
use super::builder::metrics;
use super::query::RowQuery;
use super::row::{ComparedCell, KeyFigure};
use super::side::{Side, SideInfo};
use super::units::shown_unit;
use super::warnings::{OF_DATA, OF_FIGURES, OF_LOADS, OF_SELECTION, WarningKind, facts_of_figure, has_floor};
use super::{cells, others, settings};
use crate::figures::{self, FigureQuery};
use crate::groups::unique;
use dbdyno_catalogue::Catalogue;
use dbdyno_model::{Better, MetricId, Printed, PublishedCurve, RunJson, Tool};
use serde::Serialize;
use std::collections::BTreeSet;

/// The figures that a comparison has rows of.
pub(crate) const WHICH: [KeyFigure; 2] = [KeyFigure::Speed, KeyFigure::Throughput];

/// What a run or a published result brings to a comparison of two.
pub(crate) struct Card {
    pub(crate) info: SideInfo,
    /// Facts that must be equal, or figures do not compare.
    pub(crate) facts: Vec<(WarningKind, String)>,
    /// How its dbdyno was built: names and words.
    pub(crate) builds: Vec<(String, Vec<String>)>,
    /// What influences figures.
    pub(crate) settings: Vec<(&'static str, Option<String>)>,
    /// Versions of firmware, which differ where both sides say them.
    pub(crate) firmware: Vec<(String, String)>,
    /// What it is one of: in two of a kind a parameter counts where one of them lacks it.
    pub(crate) kind: String,
    pub(crate) tests: Vec<CardTest>,
    pub(crate) cells: Vec<CardCell>,
    /// Series over something other than jobs and threads.
    pub(crate) curves: Vec<PublishedCurve>,
}

/// The figures that it has in the row of a test.
#[derive(Debug, Serialize)]
pub(crate) struct CardTest {
    code: String,
    /// Whether it says anything of the test itself, and not only of one with the same work.
    known: bool,
    /// Keys of sizes of transactions, in the order in which the first counts that two cards have.
    sizes: Vec<String>,
    /// The same of metrics.
    metrics: Vec<CardMetric>,
}

/// The figures in one metric.
#[derive(Debug, Serialize)]
pub(crate) struct CardMetric {
    key: String,
    unit: String,
    better: Better,
    /// Whether a figure depends on the amount of data: then cards of other amounts do not compare.
    sized: bool,
    /// The test, and those of the same work, that have it.
    codes: Vec<String>,
    /// For each size of transactions the place of each figure of [`WHICH`] among the cells.
    cells: Vec<[Option<usize>; 2]>,
}

/// A figure, before it is compared.
#[derive(Debug, PartialEq)]
pub(crate) struct CardCell {
    pub(crate) cell: ComparedCell,
    /// As the source prints it.
    pub(crate) printed: Option<Printed>,
    /// Facts that must be equal, or figures do not compare.
    pub(crate) facts: BTreeSet<(WarningKind, String)>,
}

/// The words of each kind of fact, in the order in which a comparison says them.
pub(crate) fn words() -> Vec<(WarningKind, &'static str)> {
    let of_runs = |(kind, words, _): (WarningKind, &'static str, _)| (kind, words);
    let own = [
        (
            WarningKind::Floor,
            "one was measured with a tool that shows no time below a limit of its own (20 s in its published results), and \
             counts whole seconds: its figures say little about the platform beside those of another",
        ),
        (WarningKind::Published, "figures of different programs: the same tests by name, measured in another way"),
    ];
    let of_figures = OF_FIGURES.iter().map(|(kind, words, _)| (*kind, *words));
    let first = own.into_iter().chain(OF_DATA.map(of_runs));
    first.chain(of_figures).chain(OF_LOADS.map(of_runs)).chain([of_runs(OF_SELECTION)]).collect()
}

impl Card {
    /// The card of a run.
    pub(crate) fn of(run: &RunJson, catalogue: &Catalogue) -> Self {
        let side = Side::new(run.name(), vec![run.clone()]);
        let mut maker = Maker { side: &side, run, catalogue, cells: Vec::new() };
        let tests: Vec<CardTest> = codes(run, catalogue).iter().filter_map(|code| maker.test(code)).collect();
        let benchmark = run.published.as_ref().map(|published| published.benchmark.as_str());
        Self {
            info: SideInfo::of(&side),
            facts: facts(run),
            builds: run.tool.as_ref().map(builds).unwrap_or_default(),
            settings: settings::of_run(run),
            firmware: settings::firmware(run).collect(),
            kind: format!("{} {}", run.database.engine, benchmark.unwrap_or_default()),
            tests,
            cells: maker.cells,
            curves: others::curves(&side),
        }
    }
}

fn facts(run: &RunJson) -> Vec<(WarningKind, String)> {
    let limit = if has_floor(run) { "has a limit" } else { "has none" };
    let program = run.published.as_ref().map_or("dbdyno", |published| published.benchmark.as_str());
    let own = [(WarningKind::Floor, limit.to_owned()), (WarningKind::Published, program.to_owned())];
    let of_runs = OF_DATA.into_iter().chain(OF_LOADS).chain([OF_SELECTION]);
    let of_run = of_runs.map(|(kind, _, fact)| (kind, fact(run)));
    own.into_iter().chain(of_run).filter(|(_, value)| !value.is_empty()).collect()
}

fn builds(tool: &Tool) -> Vec<(String, Vec<String>)> {
    let facts = tool.facts().into_iter();
    facts.filter_map(|(name, _)| Some((format!("dbdyno's {name}"), super::builds::words(tool, &name)?))).collect()
}

/// The tests that it may have a row in: those that it says anything of, and those of the same work; then what the
/// catalogue does not know.
fn codes(run: &RunJson, catalogue: &Catalogue) -> Vec<String> {
    let known = |code: &str| figures::knows(run, code);
    let has_row = |code: &&str| known(code) || catalogue.same_work(code).any(|same| known(same.code.as_str()));
    let of_catalogue = catalogue.tests().iter().map(|test| test.code.as_str()).filter(has_row).map(str::to_owned);
    unique(of_catalogue.chain(run.points.iter().map(|point| point.work().into_owned())))
}

struct Maker<'a> {
    side: &'a Side,
    run: &'a RunJson,
    catalogue: &'a Catalogue,
    cells: Vec<CardCell>,
}

impl Maker<'_> {
    fn test(&mut self, code: &str) -> Option<CardTest> {
        let (run, catalogue) = (self.run, self.catalogue);
        let same = catalogue.same_work(code).map(|test| test.code.to_string());
        let codes: Vec<String> = std::iter::once(code.to_owned()).chain(same).collect();
        let sizes = sizes(&transaction_sizes(run, &RowQuery::new(code, "", KeyFigure::Speed, catalogue), catalogue));
        let of_metric = |metric: &'static str| {
            let has = |code: &&String| figures::find(&FigureQuery::new(code, metric), run, catalogue).is_ok();
            let codes: Vec<String> = codes.iter().filter(has).cloned().collect();
            (!codes.is_empty()).then_some((metric, codes))
        };
        let found = metrics(std::iter::once(run), code, catalogue).into_iter().filter_map(of_metric);
        let found: Vec<(&'static str, Vec<String>)> = found.collect();
        let mut metrics = Vec::new();
        let mut of_any_size = Vec::new();
        for (metric, codes) in found {
            let cells: Vec<[Option<usize>; 2]> =
                sizes.iter().map(|(_, rows)| self.figures(code, metric, *rows)).collect();
            let id = MetricId::from(metric);
            let known = catalogue.metric(&id).ok();
            let made = |key: String, sized: bool| CardMetric {
                key,
                unit: shown_unit(metric, known.map_or("", |known| &known.unit)).to_owned(),
                better: known.map_or(Better::Higher, |known| known.better),
                sized,
                codes: codes.clone(),
                cells: cells.clone(),
            };
            match depends_on_size(code, metric, catalogue) {
                true => {
                    metrics.push(made(format!("{metric} of {}", run.run.size), true));
                    of_any_size.push(made(metric.to_owned(), true));
                }
                false => metrics.push(made(metric.to_owned(), false)),
            }
        }
        metrics.append(&mut of_any_size);
        let sizes = sizes.into_iter().map(|(key, _)| key).collect();
        let known = figures::knows(run, code);
        (known || !metrics.is_empty()).then(|| CardTest { code: code.to_owned(), known, sizes, metrics })
    }

    /// The places of speed and throughput.
    fn figures(&mut self, code: &str, metric: &'static str, rows_per_tx: Option<u64>) -> [Option<usize>; 2] {
        let (run, catalogue) = (self.run, self.catalogue);
        WHICH.map(|which| {
            let query = RowQuery { rows_per_tx, ..RowQuery::new(code, metric, which, catalogue) };
            let found = [query.figure(run, catalogue).ok()?];
            let [figure] = &found;
            let made = CardCell {
                cell: cells::of_found(self.side, &query, &found, None, catalogue),
                printed: figure.figure.printed.map(|printed| printed.printed.clone()),
                facts: facts_of_figure(figure, code, run),
            };
            // Only a test's own figures can be the same.
            let place = self.cells.iter().rposition(|known| *known == made);
            Some(place.unwrap_or_else(|| {
                self.cells.push(made);
                self.cells.len() - 1
            }))
        })
    }
}

/// The keys of sizes of transactions, each with the rows per transaction that it asks for. Two cards whose own choice
/// is the same need none; else the largest size counts that both have.
fn sizes(of_run: &Option<[BTreeSet<u64>; 2]>) -> Vec<(String, Option<u64>)> {
    let of_transactions = of_run.iter().flat_map(|[all, chosen]| {
        let chosen: Vec<String> = chosen.iter().map(u64::to_string).collect();
        let own = (format!("own {}", chosen.join(" ")), None);
        std::iter::once(own).chain(all.iter().rev().map(|rows| (rows.to_string(), Some(*rows))))
    });
    of_transactions.chain([(String::new(), None)]).collect()
}
