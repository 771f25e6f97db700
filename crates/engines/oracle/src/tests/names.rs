//! Everything of Oracle's dictionary that the SQL names stands in names.toml with the release that introduced it: views
//! with their columns, statistics, routines of supplied packages. Nobody can try the names on a server here, so no
//! other name may be used.

use std::collections::{BTreeMap, BTreeSet};

const SQL: [(&str, &str); 18] = [
    ("tables.sql", include_str!("../../dialect/sql/tables.sql")),
    ("procedures.sql", include_str!("../../dialect/sql/procedures.sql")),
    ("parts.sql", include_str!("../../dialect/sql/parts.sql")),
    ("lookups.sql", include_str!("../../dialect/sql/lookups.sql")),
    ("cpu.sql", include_str!("../../dialect/sql/cpu.sql")),
    ("statistics.sql", include_str!("../../dialect/sql/statistics.sql")),
    ("observe.sql", include_str!("../../dialect/sql/observe.sql")),
    ("describe.sql", include_str!("../../dialect/sql/describe.sql")),
    ("load.sql", include_str!("../../dialect/sql/load.sql")),
    ("check.sql", include_str!("../../dialect/sql/check.sql")),
    ("durability.sql", include_str!("../../dialect/sql/durability.sql")),
    ("facts.sql", include_str!("../../dialect/sql/facts.sql")),
    ("inspect.sql", include_str!("../../dialect/sql/inspect.sql")),
    ("fill.sql", include_str!("../../dialect/sql/fill.sql")),
    ("setup.sql", include_str!("../../dialect/sql/setup.sql")),
    ("diagnostics.sql", include_str!("../../dialect/sql/diagnostics.sql")),
    ("order-entry.sql", include_str!("../../dialect/sql/workloads/order-entry.sql")),
    ("slob.sql", include_str!("../../dialect/sql/workloads/slob.sql")),
];
/// The oldest release that dbdyno works with.
const OLDEST: (u32, u32) = (12, 2);

/// What names.toml has, each with its release.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Names {
    /// Views: the release, then the columns that are used, each with a release where that is another.
    views: BTreeMap<String, View>,
    /// Statistics of `v$sysstat`, `v$mystat`, `v$sys_time_model`, `v$osstat`, kinds of files.
    statistics: BTreeMap<String, String>,
    /// Statistics that the oldest release does not have, and that nothing needs.
    later_statistics: BTreeMap<String, String>,
    /// Routines and constants of supplied packages.
    routines: BTreeMap<String, String>,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct View {
    since: String,
    columns: Vec<String>,
}

fn names() -> Names {
    toml::from_str(include_str!("names.toml")).unwrap()
}

/// The views, each with the columns that are used.
pub(crate) fn views() -> BTreeMap<String, Vec<String>> {
    names().views.into_iter().map(|(name, view)| (name, view.columns)).collect()
}

/// The SQL without comments, in lower case.
fn bare() -> String {
    let lines = SQL.iter().flat_map(|(_, text)| text.lines()).filter(|line| !line.trim_start().starts_with("--"));
    lines.collect::<Vec<_>>().join("\n")
}

/// Words of letters, digits, `_`, `$`, `#` and points.
fn words(text: &str) -> BTreeSet<String> {
    let is_of = |c: char| c.is_ascii_alphanumeric() || "_$#.".contains(c);
    text.split(|c| !is_of(c))
        .map(|word| word.trim_matches('.').to_lowercase())
        .filter(|word| !word.is_empty())
        .collect()
}

/// Whether a word is the dictionary's: `v$...`, `v_$...`, `user_...`, `all_...`, and a few that have no such beginning.
fn is_view(word: &str) -> bool {
    let singles = ["plan_table", "session_privs", "nls_database_parameters", "dual"];
    let ours = ["user_rollbacks", "user_commits"];
    let begins = ["v$", "user_", "all_", "dba_", "gv$"].iter().any(|beginning| word.starts_with(beginning));
    (begins || singles.contains(&word)) && !ours.contains(&word) && word != "user_time"
}

/// The view that a grant on `sys.v_$sql` is about.
fn as_view(word: &str) -> String {
    word.trim_start_matches("sys.").replace("v_$", "v$")
}

#[test]
fn every_view_is_listed_and_every_listed_one_is_used() {
    let (names, sql) = (names(), bare());
    let used: BTreeSet<String> = words(&sql).iter().map(|word| as_view(word)).filter(|word| is_view(word)).collect();
    let listed: BTreeSet<String> = names.views.keys().cloned().collect();
    assert_eq!(used, listed);
}

#[test]
fn every_column_of_a_statement_belongs_to_a_view_that_it_names() {
    let names = names();
    let ours: BTreeSet<&str> = [
        "id",
        "customer_id",
        "ref_id",
        "region",
        "booked_on",
        "quantity",
        "amount",
        "status",
        "filler",
        "name",
        "value",
        "meta",
        "bytes",
    ]
    .into();
    let mut used: BTreeSet<(String, String)> = BTreeSet::new();
    let asked = [
        "statistics.sql",
        "describe.sql",
        "load.sql",
        "diagnostics.sql",
        "check.sql",
        "durability.sql",
        "facts.sql",
        "inspect.sql",
    ];
    for (file, text) in SQL.iter().filter(|(file, _)| asked.contains(file)) {
        let parsed = dbdyno_engine::SqlFile::parse("x", text);
        for statement in parsed.names() {
            let sql = without_texts(&parsed.get(statement).unwrap().text);
            let words = words(&sql);
            let views: Vec<&String> = words.iter().filter(|word| names.views.contains_key(*word)).collect();
            for word in &words {
                // An alias of one letter before a column.
                let column = word.split_once('.').map_or(word.as_str(), |(_, column)| column);
                let mut of =
                    views.iter().filter(|view| names.views[**view].columns.iter().any(|c| c == column)).peekable();
                if of.peek().is_none() {
                    let known = word.contains('.')
                        || is_view(word)
                        || !looks_like_a_column(word, &sql)
                        || ours.contains(column);
                    let routine = names.routines.contains_key(word)
                        || names.routines.keys().any(|r| r.split_once('.').is_some_and(|(_, n)| n == word));
                    assert!(
                        known && (!word.contains('.') || routine || ours.contains(column)) || routine,
                        "{file}, {statement}: '{word}' is a column of none of {views:?}"
                    );
                }
                used.extend(of.map(|view| ((*view).clone(), column.to_owned())));
            }
        }
    }
    for (view, about) in &names.views {
        for column in &about.columns {
            let elsewhere = bare().to_lowercase().contains(column.as_str());
            assert!(
                used.contains(&(view.clone(), column.clone())) || elsewhere,
                "{view} has {column}, which nothing uses"
            );
        }
    }
}

/// Texts of the SQL itself are no names.
fn without_texts(sql: &str) -> String {
    sql.split('\'').step_by(2).collect::<Vec<_>>().join(" ")
}

/// Columns of the dictionary have an underscore or a `#`; shorter words cannot be told from the language's own.
fn looks_like_a_column(word: &str, sql: &str) -> bool {
    let called = sql.to_lowercase().contains(&format!("{word}("));
    let named = sql.to_lowercase().contains(&format!("{word} =>"));
    let language = [
        "qb_name",
        "no_parallel",
        "no_gather_optimizer_statistics",
        "sys_context",
        "regexp_like",
        "to_char",
        "row_number",
    ];
    let own = word.starts_with("small_") || word.starts_with("large_") || word.starts_with("dbdyno");
    word.contains(['_', '#'])
        && !word.starts_with('_')
        && !word.starts_with("v_")
        && !called
        && !named
        && !language.contains(&word)
        && !own
}

#[test]
fn every_statistic_is_listed_and_every_listed_one_is_used() {
    let names = names();
    let mut used = BTreeSet::new();
    let parsed = dbdyno_engine::SqlFile::parse("statistics.sql", include_str!("../../dialect/sql/statistics.sql"));
    let mut ours = BTreeSet::new();
    for statement in ["session_counters", "system_counters", "time_model", "machine", "files"] {
        let text = &parsed.get(statement).unwrap().text;
        let (of_files, of_ours): (BTreeSet<String>, BTreeSet<String>) = text
            .split('\'')
            .skip(1)
            .step_by(2)
            .map(str::to_owned)
            .partition(|name| statement != "files" || name.ends_with(" File"));
        used.extend(of_files);
        ours.extend(of_ours);
    }
    assert_eq!(used, names.statistics.keys().chain(names.later_statistics.keys()).cloned().collect());
    // What becomes a counter is asked for.
    used.extend(ours);
    used.insert("changed buffers".to_owned());
    let unasked: Vec<_> = crate::DIALECT.statistics.statistics().filter(|(_, name)| !used.contains(*name)).collect();
    assert!(unasked.is_empty(), "{unasked:?}");
}

#[test]
fn every_routine_is_listed_and_every_listed_one_is_used() {
    let names = names();
    let used: BTreeSet<String> =
        words(&bare()).into_iter().filter(|word| word.starts_with("dbms_") && word.contains('.')).collect();
    assert_eq!(used, names.routines.keys().cloned().collect());
}

#[test]
fn every_name_is_in_the_oldest_release() {
    let names = names();
    let views = names.views.iter().map(|(name, view)| (name, &view.since));
    for (name, since) in views.chain(&names.statistics).chain(&names.routines) {
        let (major, minor) = since.split_once('.').unwrap_or_else(|| panic!("{name}: {since}"));
        let release: (u32, u32) = (major.parse().unwrap(), minor.parse().unwrap());
        assert!(release <= OLDEST && release >= (7, 0), "{name} came with {since}");
    }
}
