//! Whether figures of the sides are of the same amount of data, and of transactions of one size.

use super::query::RowQuery;
use super::side::Side;
use crate::figures;
use dbdyno_catalogue::Catalogue;
use dbdyno_model::{ProcedureShape, RunJson, Test};
use std::collections::BTreeSet;

/// Whether sides have other amounts of data, or one of them does not say how much.
pub(super) fn sizes_differ(sides: &[Side]) -> bool {
    let mut sizes = sides.iter().flat_map(|side| &side.runs).map(|run| run.run.size.as_str());
    let first = sizes.next();
    sizes.any(|size| Some(size) != first)
}

/// Rows per transaction that all sides have measured, the largest of them, where what they would show is unlike.
pub(super) fn transactions(sides: &[Side], query: &RowQuery<'_>, catalogue: &Catalogue) -> Option<u64> {
    let runs = sides.iter().flat_map(|side| &side.runs);
    let sizes: Vec<_> = runs.filter_map(|run| transaction_sizes(run, query, catalogue)).collect();
    let ([_, first], others) = (sizes.first()?, sizes.get(1..)?);
    if others.iter().all(|[_, chosen]| chosen == first) {
        return None;
    }
    let [all, _] = sizes.first()?;
    all.iter().rev().find(|rows| others.iter().all(|[all, _]| all.contains(rows))).copied()
}

/// Rows per transaction that a run has measured, and those of them that it shows where nothing else is asked for.
/// `None` where there are no transactions.
pub(super) fn transaction_sizes(
    run: &RunJson,
    query: &RowQuery<'_>,
    catalogue: &Catalogue,
) -> Option<[BTreeSet<u64>; 2]> {
    let mut of_codes = query.codes().map(|code| figures::transaction_sizes(run, code, catalogue));
    of_codes.find(|[all, _]| !all.is_empty())
}

/// Whether a figure of a test is another where there are more rows: a time, or a number of passes, of what goes over
/// all rows of a table.
pub(super) fn depends_on_size(test: &str, metric: &str, catalogue: &Catalogue) -> bool {
    const OF_A_PASS: [&str; 5] = ["elapsed_s", "ops_per_s", "tx_per_s", "service_time_s", "response_time_s"];
    let over_all = |test: &Test| {
        use ProcedureShape::{Index, Load, Statement};
        matches!(test.procedure.shape, Load | Statement | Index)
    };
    OF_A_PASS.contains(&metric) && catalogue.test(test).is_ok_and(over_all)
}
