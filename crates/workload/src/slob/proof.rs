//! What proves a load and the work: how many rows there are and where they lie, and how many rows operations found.

use crate::Ended;
use crate::slob_conf::Conf;

/// Kinds of operations, which are the types of its transactions, in order.
pub(super) const KINDS: [&str; 3] = ["select", "update", "scan"];

/// What is wrong with the numbers of rows: two for each schema, those of its rows and of its scan table.
pub(super) fn misloaded(conf: &Conf, schemas: u32, counted: &[i64]) -> Vec<String> {
    let due = [conf.scale_blocks.cast_signed(), conf.scan_blocks.cast_signed()];
    if counted.len() != 2 * schemas as usize {
        return vec![format!("{} numbers of rows were counted for {schemas} schemas", counted.len())];
    }
    let wrong = (1..).zip(counted.chunks_exact(2)).filter(|(_, found)| *found != due);
    wrong
        .map(|(schema, found)| format!("schema {schema} has {found:?} rows and rows to scan, and not {due:?}"))
        .collect()
}

/// How much the keys of a schema may follow the order of storage, in millionths of a correlation.
const MOST_CORRELATION: u64 = 50_000;

/// What is wrong with where the rows lie. For each schema: its rows, the blocks that have them, what is stored
/// elsewhere, and the correlation of keys and storage in millionths.
pub(super) fn misplaced(schemas: u32, figures: &[i64]) -> Vec<String> {
    if figures.len() != 4 * schemas as usize {
        return vec!["the database does not say where rows lie: its statistics of the tables are missing".to_owned()];
    }
    let of_schema = |(schema, found): (u32, &[i64])| {
        let schema = format!("schema {schema}");
        match *found {
            [rows, blocks, ..] if rows != blocks => {
                Some(format!("the {rows} rows of {schema} lie in {blocks} blocks, and each must be alone in its block"))
            }
            [_, _, 0, correlation] if correlation.unsigned_abs() <= MOST_CORRELATION => None,
            [_, _, 0, correlation] => {
                let correlation = correlation as f64 / 1e6;
                Some(format!(
                    "the keys of {schema} follow the order of storage (correlation {correlation:.3}, at most 0.05)"
                ))
            }
            [_, _, elsewhere, _] => Some(format!("parts of the rows of {schema} are stored elsewhere ({elsewhere})")),
            _ => None,
        }
    };
    (1..).zip(figures.chunks(4)).filter_map(of_schema).collect()
}

/// What is wrong with how many rows the operations found.
pub(super) fn miscounted(conf: &Conf, ended: &[Ended]) -> Vec<String> {
    let rows = [conf.work_unit - 1, conf.work_unit - 1, conf.scan_blocks];
    let of_kind = |((kind, rows), ended): ((&&str, u64), &Ended)| {
        let due = ended.acknowledged.wrapping_mul(rows);
        let said = format!("{} {kind} operations found {} rows, and not {rows} each", ended.acknowledged, ended.sum);
        (ended.sum != due).then_some(said)
    };
    KINDS.iter().zip(rows).zip(ended).filter_map(of_kind).collect()
}
