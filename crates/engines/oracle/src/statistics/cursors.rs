//! The statements under test, as the server keeps them.

use super::named::number;
use std::collections::BTreeMap;

/// Executions of the statements under test, and rows that they have changed or given, by cursor.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Cursors(BTreeMap<(String, String), [u64; 2]>);

impl Cursors {
    /// Rows of `sql_id, child_number, executions, rows_processed, plan_hash_value`.
    pub(crate) fn read(rows: &[Vec<Option<String>>]) -> Self {
        let cursor = |row: &Vec<Option<String>>| match row.as_slice() {
            [Some(sql_id), Some(child), Some(executions), Some(processed), ..] => {
                Some(((sql_id.clone(), child.clone()), [number(executions)?, number(processed)?]))
            }
            _ => None,
        };
        Self(rows.iter().filter_map(cursor).collect())
    }

    /// The cursors that were executed since, by their `sql_id` and the number of the child; the most executed first.
    pub(crate) fn executed_since(&self, earlier: &Self) -> Vec<(&str, i64)> {
        let executed = |(name, now): (&(String, String), &[u64; 2])| {
            now[0].saturating_sub(earlier.0.get(name).map_or(0, |before| before[0]))
        };
        let mut all: Vec<_> = self.0.iter().filter(|cursor| executed(*cursor) > 0).collect();
        all.sort_by_key(|cursor| std::cmp::Reverse(executed(*cursor)));
        all.into_iter().filter_map(|(name, _)| Some((name.0.as_str(), name.1.parse().ok()?))).collect()
    }

    /// What was done since. Cursors come and go: one that is new began at nothing, also one that has the name of an
    /// earlier.
    pub(super) fn since(&self, earlier: &Self) -> [u64; 2] {
        let mut done = [0, 0];
        for (name, now) in &self.0 {
            let before = earlier.0.get(name).filter(|before| before[0] <= now[0] && before[1] <= now[1]);
            for (n, sum) in done.iter_mut().enumerate() {
                *sum += now[n] - before.map_or(0, |before| before[n]);
            }
        }
        done
    }
}
