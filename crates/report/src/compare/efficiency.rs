//! Throughput per core, hardware thread, licence and price.

use super::units::shown_unit;
use super::{ComparedRow, Efficiency, EfficiencyRow, KeyFigure, Per, SideInfo};
use dbdyno_model::{Better, Commits, UsableFor};

type Divisor = fn(&SideInfo) -> Option<f64>;

/// Every divisor that a side knows, with the throughputs divided by it.
pub(super) fn of(sides: &[SideInfo], rows: &[ComparedRow]) -> Vec<Efficiency> {
    let divisors: [(Per, Divisor); 4] = [
        (Per::Core, |s| s.usable_cores),
        (Per::Thread, |s| s.usable_threads),
        (Per::Licence, |s| s.licences),
        (Per::ThousandUsd, |s| s.price_usd.map(|usd| usd / 1e3)),
    ];
    let all = divisors.into_iter().map(|(per, divisor)| {
        let divisors: Vec<Option<f64>> = sides.iter().map(divisor).map(|d| d.filter(|n| *n > 0.0)).collect();
        let rates = rows.iter().filter(|r| r.which == KeyFigure::Throughput && r.better == Better::Higher);
        let rows = rates.map(|row| divided(row, &divisors)).filter(|r| r.values.iter().any(Option::is_some));
        Efficiency { per, rows: rows.collect(), divisors }
    });
    all.filter(|e| !e.rows.is_empty()).collect()
}

fn divided(row: &ComparedRow, divisors: &[Option<f64>]) -> EfficiencyRow {
    let usable =
        |cell: &super::ComparedCell| cell.value.filter(|_| cell.usable_for >= UsableFor::LowerLimit && !cell.doubtful);
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
    let unit = shown_unit(row.metric.as_str(), &row.unit);
    EfficiencyRow { test: row.test.clone(), unit, values, best }
}
