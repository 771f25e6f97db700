//! Whether a table that bears a name of dbdyno's is one that dbdyno makes. Names and notes outlive what they were given
//! to: a table may have been dropped since, and another made by somebody else. So before a table is dropped its columns
//! are compared with those that dbdyno gives to tables of that name. They are the same on every engine.

use crate::EngineError;
use crate::bookkeeping::Meta;
use std::collections::BTreeMap;

/// Columns by the beginnings of the names; the first that fits is meant.
const FORMS: [(&str, &[&str]); 4] = [
    ("meta", &["name value"]),
    ("load_noise", &["noise", "id part"]),
    ("load_file_", &["id part"]),
    ("", &["id customer_id ref_id region booked_on quantity amount status filler"]),
];

/// The names of columns, in order and with single blanks between, by table.
pub type Columns = BTreeMap<String, String>;

/// Columns that a query answers with: table, names.
pub fn read(rows: Vec<Vec<Option<String>>>) -> Columns {
    let pair = |row: Vec<Option<String>>| match <[Option<String>; 2]>::try_from(row) {
        Ok([Some(table), Some(columns)]) => Some((table, columns)),
        _ => None,
    };
    rows.into_iter().filter_map(pair).collect()
}

/// Refuses to drop a table that has other columns than dbdyno makes, or none that can be seen. What workloads' loads
/// have made is noted in `kept`; `place` is where.
///
/// # Errors
/// There is one, which is named.
pub fn refuse_others<'t>(
    tables: impl IntoIterator<Item = &'t str>,
    columns: &Columns,
    kept: &Meta,
    place: &str,
) -> Result<(), EngineError> {
    let is_ours = |table: &str| {
        if let Some((_, noted)) = kept.kept("table").find(|(name, _)| *name == table) {
            return columns.get(table).is_some_and(|found| found == noted);
        }
        let name = table.strip_prefix("dbdyno_").unwrap_or(table);
        let form = FORMS.iter().find(|(beginning, _)| name.starts_with(beginning));
        form.is_some_and(|(_, all)| columns.get(table).is_some_and(|found| all.contains(&found.as_str())))
    };
    let Some(table) = tables.into_iter().find(|table| !is_ours(table)) else { return Ok(()) };
    let has = columns.get(table).map_or_else(|| "it is no table".to_owned(), |found| format!("its columns: {found}"));
    Err(EngineError::other(format!(
        "{place} holds the table {table}, which dbdyno did not make so ({has}); nothing was dropped: rename it or drop it \
         yourself, then try again"
    )))
}

/// Refuses to drop what others need. `dependents` is what a query answers with: each in words.
///
/// # Errors
/// There are some, of which the first few are named.
pub fn refuse_needed(dependents: Vec<Vec<Option<String>>>, place: &str) -> Result<(), EngineError> {
    let words: Vec<String> = dependents.into_iter().filter_map(|row| row.into_iter().next().flatten()).collect();
    if words.is_empty() {
        return Ok(());
    }
    let more = words.len().saturating_sub(3);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    let listed = words.iter().take(3).map(String::as_str).collect::<Vec<_>>().join(", ");
    Err(EngineError::other(format!(
        "{place} holds what others need: {listed}{rest}; nothing was dropped: drop that yourself, or take the reference out \
         of it, then try again"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bookkeeping::kept_entry;

    fn refused(table: &str, columns: &str) -> Option<String> {
        let columns = [(table.to_owned(), columns.to_owned())].into();
        refuse_others([table], &columns, &Meta::default(), "the schema").err().map(|error| error.message)
    }

    #[test]
    fn what_has_other_columns_is_not_dropped() {
        let row = FORMS[3].1[0];
        for table in ["small_heap", "large_heap_range_list_r00_p1", "load_heap_7", "dbdyno_load_large_0"] {
            assert_eq!(refused(table, row), None);
            for columns in ["a", "precious", &format!("{row} more"), "name value", ""] {
                let why = refused(table, columns).unwrap();
                assert!(why.starts_with(&format!("the schema holds the table {table}, which dbdyno did not")), "{why}");
            }
        }
        for (table, columns) in [("meta", "name value"), ("load_noise", "noise"), ("load_file_3", "id part")] {
            assert_eq!(refused(table, columns), None);
            assert!(refused(table, row).is_some(), "{table}");
        }
        assert!(refuse_others(["small_heap"], &Columns::new(), &Meta::default(), "the schema").is_err());
        // What a workload's load has noted goes by its note.
        let kept = Meta::from_iter([(kept_entry("table", "accounts"), "aid abalance".to_owned())]);
        let of = |columns: &str| {
            refuse_others(["accounts"], &[("accounts".to_owned(), columns.to_owned())].into(), &kept, "it")
        };
        assert!(of("aid abalance").is_ok() && of("aid").is_err() && of(row).is_err());
    }

    #[test]
    fn what_others_need_is_not_dropped() {
        let rows = |all: &[&str]| all.iter().map(|text| vec![Some((*text).to_owned())]).collect();
        assert!(refuse_needed(rows(&[]), "the schema").is_ok());
        let why = refuse_needed(rows(&["view o.a", "view o.b", "view o.c", "view o.d"]), "the schema").unwrap_err();
        assert!(why.message.contains("view o.a, view o.b, view o.c and 1 more; nothing was dropped"), "{why}");
    }
}
