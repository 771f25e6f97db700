//! Throughput per core, hardware thread, licence and price.

use super::row::{ComparedCell, ComparedRow, KeyFigure};
use super::side::SideInfo;
use super::units::shown_unit;
use crate::groups::unique;
use dbdyno_model::{Better, Commits, USD, UsableFor};
use serde::Serialize;

/// What a throughput is divided by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Per {
    /// A core.
    Core,
    /// A hardware thread.
    Thread,
    /// A licence: cores times the core factor.
    Licence,
    /// 1,000 US dollars of all prices together.
    ThousandUsd,
    /// 1,000 of another currency, where all prices stand in that one.
    ThousandOfCurrency,
}

/// One divisor, and the throughputs divided by it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Efficiency {
    /// What the figures are per.
    pub per: Per,
    /// The divisor of each side.
    pub divisors: Vec<Option<f64>>,
    /// The throughputs.
    pub rows: Vec<EfficiencyRow>,
}

/// One test's throughput per divisor.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EfficiencyRow {
    /// The test.
    pub test: String,
    /// The unit of the throughput.
    pub unit: String,
    /// One value a side.
    pub values: Vec<Option<f64>>,
    /// The index of the best.
    pub best: Option<usize>,
}

type Divisor = fn(&SideInfo) -> Option<f64>;

/// Every divisor that a side knows, with the throughputs divided by it.
pub(super) fn of(sides: &[SideInfo], rows: &[ComparedRow]) -> Vec<Efficiency> {
    let currencies = unique(sides.iter().filter_map(|side| Some(side.price.as_ref()?.currency.as_str())));
    let price: (Per, Divisor) = match currencies[..] {
        [currency] if currency != USD => {
            (Per::ThousandOfCurrency, |s| s.price.as_ref().map(|price| price.amount / 1e3))
        }
        _ => (Per::ThousandUsd, |s| s.price_usd.map(|usd| usd / 1e3)),
    };
    let divisors: [(Per, Divisor); 4] =
        [(Per::Core, |s| s.usable_cores), (Per::Thread, |s| s.usable_threads), (Per::Licence, |s| s.licences), price];
    let all = divisors.into_iter().map(|(per, divisor)| {
        let divisors: Vec<Option<f64>> = sides.iter().map(divisor).map(|d| d.filter(|n| *n > 0.0)).collect();
        let rates = rows.iter().filter(|r| r.which == KeyFigure::Throughput && r.better == Better::Higher);
        let rows = rates.map(|row| divided(row, &divisors)).filter(|r| r.values.iter().any(Option::is_some));
        Efficiency { per, rows: rows.collect(), divisors }
    });
    all.filter(|e| !e.rows.is_empty()).collect()
}

fn divided(row: &ComparedRow, divisors: &[Option<f64>]) -> EfficiencyRow {
    let is_barred = |cell: &ComparedCell| cell.doubtful || cell.unlike.is_some() || row.unlike_sizes;
    let usable =
        |cell: &ComparedCell| cell.value.filter(|_| cell.usable_for >= UsableFor::LowerLimit && !is_barred(cell));
    let values: Vec<Option<f64>> =
        row.cells.iter().zip(divisors).map(|(cell, n)| Some(usable(cell)? / (*n)?)).collect();
    let there = values.iter().enumerate().filter_map(|(at, v)| Some((at, (*v)?)));
    // Figures with unsafe commits do not compete with those with durable commits.
    let is_unsafe = |at: usize| row.cells.get(at).is_some_and(|c| c.commits == Some(Commits::Unsafe));
    let safe_there = values.iter().enumerate().any(|(at, v)| v.is_some() && !is_unsafe(at));
    let there = there.filter(|(at, _)| !(safe_there && is_unsafe(*at)));
    let several = values.iter().flatten().count() > 1;
    let best = there.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(at, _)| at).filter(|_| several);
    // The unit of the values themselves, which is never the printed one.
    let unit = shown_unit(row.metric.as_str(), &row.unit).to_owned();
    EfficiencyRow { test: row.test.clone(), unit, values, best }
}
