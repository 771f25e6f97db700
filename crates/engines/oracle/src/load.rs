//! What a load does that is Oracle's own. Rows travel as arrays of bound values. A leaf of a heap is filled by direct
//! path, which the next array needs a commit for; so it is emptied first, and noted when it is full. Rows that lie in a
//! key or a cluster go the conventional way, where the whole leaf and its note are one transaction. The compressed
//! table is filled from the same leaf of the other large one, on the server: only what comes by direct path is
//! compressed, and it need not travel twice. Keys and statistics come when the tables are full.

use super::connection::OracleConnection;
use super::options::Part;
use super::product::OracleProduct;
use super::{layout, point, rows, statistics};
use crate::DIALECT;
use dbdyno_engine::EngineError;
use dbdyno_engine::inspect::Fact;
use dbdyno_engine::server::load::{about, note};
use dbdyno_engine::server::{
    Connection as _, Leaf, Load, LoadStop, NodeOf, Phase, PhaseProgress, ProductTables, Rows, expected, first, leaves,
    partition_count, unless_lost,
};
use dbdyno_model::{ErrorClass, Organisation, Size, TableName, TableShape};

/// Rows of one array by direct path: each begins new blocks and is a commit.
const APPENDED_ROWS: u64 = 20_000;

impl ProductTables for OracleProduct {
    /// An administrator made the user, and nothing else goes with the data.
    const CREATED: &'static str = "made_schema";
    const EMPTY_BOOKS_ARE_OURS: bool = true;

    fn place(&self) -> String {
        format!("the schema {}", self.options.schema())
    }

    fn database(&self) -> String {
        format!("schema {}", self.options.schema())
    }

    fn before_drop(&self, connection: &mut OracleConnection) -> Result<(), EngineError> {
        point::remove_made(connection, "dropping what points have made")
    }

    fn try_lock(&self, connection: &mut OracleConnection, doing: &str) -> Result<bool, EngineError> {
        lock(connection, doing)
    }

    /// Who may not see sessions waits for their locks instead.
    fn left_at_work(&self, connection: &mut OracleConnection, doing: &str) -> Result<Option<String>, EngineError> {
        let rows = statistics::told(connection.texts(doing, &DIALECT.get("load/loaders")?.text))?;
        let session = first(rows.unwrap_or_default());
        Ok(session.map(|sid| format!("have them ended by ALTER SYSTEM KILL SESSION (one has the SID {sid})")))
    }

    /// Who has it already is given it again; not everybody may see who has which lock.
    fn still_holds(&self, _: &NodeOf<Self>, holder: &mut OracleConnection) -> Result<bool, EngineError> {
        lock(holder, "asking for the lock of the run")
    }

    fn prepare_loader(&self, connection: &mut OracleConnection, doing: &str, _: u32) -> Result<(), EngineError> {
        connection.batch(doing, &DIALECT.get("fill/wait_for_locks")?.text)?;
        unless_lost(connection.batch(doing, &DIALECT.get("fill/through_the_cache")?.text)).map(drop)
    }

    fn create_table(&self, table: TableName, size: &Size) -> Result<Vec<String>, EngineError> {
        layout::tables(table, size)
    }

    fn parts(table: TableName) -> u64 {
        partition_count(table.organisation())
    }

    fn in_sql(leaf: &Leaf) -> String {
        layout::in_sql(leaf)
    }

    fn fill(
        &self,
        connection: &mut OracleConnection,
        doing: &str,
        (leaf, size): (&Leaf, &Size),
        rows: &mut Rows<'_>,
    ) -> Result<(), EngineError> {
        // Before rows go where the test does not want them.
        prove_storage(connection, leaf.table)?;
        // What is not ours, or was loaded before somebody changed the notes, or half a leaf.
        empty(connection, leaf, doing)?;
        match InsertMethod::of(leaf.table) {
            InsertMethod::Copy => {
                connection.batch(doing, &copy(leaf)?)?;
                // What was copied by direct path can be read again after a commit only.
                connection.batch(doing, "COMMIT")?;
                rows.made_elsewhere(leaf.rows(size));
                Ok(())
            }
            InsertMethod::Append => {
                let sql = about::<Self>("fill/append_into", leaf)?;
                rows::insert(connection, (doing, &sql), (APPENDED_ROWS, true), rows)
            }
            InsertMethod::Insert => connection.insert(doing, &about::<Self>("load/insert_into", leaf)?, rows),
        }
    }

    /// Keys and statistics of tables that do not have them. A large one's are built by as many processes as there are
    /// jobs.
    fn after_rows(
        load: &mut Load<'_, Self>,
        label: &str,
        (tables, parts, rows): (&[TableName], &[Leaf], u64),
    ) -> Result<(), EngineError> {
        let missing: Vec<TableName> =
            tables.iter().copied().filter(|table| !load.meta.done("keys", table.name())).collect();
        let (size, times, jobs) = (load.request.size, &load.times, load.request.jobs);
        let progress = PhaseProgress::new(load.watch, format!("{label} keys"), 0, rows);
        let build = |connection: &mut OracleConnection, table: &TableName, (): &mut (), _: &LoadStop<'_>| {
            let doing = format!("building the keys of {table}");
            let threads = if table.shape() == TableShape::Large { jobs } else { 1 };
            {
                let _clock = times.clock(*table, Phase::Index);
                let there = connection.texts(&doing, &DIALECT.fill("load/indexes", &[("table", table.name())])?)?;
                let there: Vec<String> = there.into_iter().flatten().flatten().collect();
                for sql in layout::indexes(*table, threads)? {
                    if index_made_by(&sql).is_none_or(|index| !there.iter().any(|name| name == index)) {
                        ignoring_a_key_that_is_there(connection.batch(&doing, &sql))?;
                    }
                }
            }
            let _clock = times.clock(*table, Phase::Tidy);
            connection.batch(&format!("analysing {table}"), &layout::analyse(*table, threads)?)?;
            connection.batch(&doing, &note::<Self>("keys", table.name())?)?;
            connection.batch(&doing, &DIALECT.get("load/commit")?.text)?;
            progress.add(table.rows(size));
            Ok(())
        };
        load.pool.each(&format!("building the keys of {label}"), &missing, || (), build)?;
        if load.request.verify {
            // All is read back.
            return Ok(());
        }
        let parts: Vec<Leaf> = parts.iter().filter(|leaf| missing.contains(&leaf.table)).cloned().collect();
        let touch = |connection: &mut OracleConnection, leaf: &Leaf, (): &mut (), _: &LoadStop<'_>| {
            let doing = format!("reading {}", leaf.name);
            connection.texts(&doing, &about::<Self>("load/touch_leaf", leaf)?).map(drop)
        };
        load.pool.each(&format!("reading {label}"), &parts, || (), touch)
    }

    fn write_out(_: &[TableName]) -> Result<Vec<String>, EngineError> {
        Ok(vec![DIALECT.get("statistics/checkpoint")?.text.clone()])
    }
}

/// Looks whether rows lie as the table's organisation says: some servers take the words and make a heap.
///
/// # Errors
/// `Unsupported`: they lie otherwise; the server's.
fn prove_storage(connection: &mut OracleConnection, table: TableName) -> Result<(), EngineError> {
    if own_storage(table).next().is_none() {
        return Ok(());
    }
    let sql = DIALECT.fill("inspect/facts", &[("table", table.name())])?;
    let problem = storage_problem(table, connection.texts(&format!("looking at {table}"), &sql)?)?;
    problem.map_or(Ok(()), |problem| Err(EngineError::new(ErrorClass::Unsupported, problem)))
}

/// The parts that a table needs which are about how its rows lie.
fn own_storage(table: TableName) -> impl Iterator<Item = Part> {
    layout::needs(table.organisation()).iter().copied().filter(|part| matches!(part, Part::Iot | Part::Hash))
}

/// What is wrong with how a table's rows lie, from the dictionary's facts about it.
///
/// # Errors
/// The dialect does not tell how they must lie.
pub(super) fn storage_problem(
    table: TableName,
    facts: Vec<Vec<Option<String>>>,
) -> Result<Option<String>, EngineError> {
    let found = Fact::read(facts);
    let of_storage = |fact: &&Fact| fact.kind == "storage";
    let wanted = expected::<OracleProduct>(table)?;
    let (wanted, found) = (wanted.iter().find(of_storage), found.iter().map(|(fact, _)| fact).find(of_storage));
    if wanted == found {
        return Ok(None);
    }
    let text = |fact: Option<&Fact>| fact.map_or("not told", |fact| fact.text.as_str()).to_owned();
    let parts: Vec<&str> = own_storage(table).map(Part::name).collect();
    Ok(Some(format!(
        "{table} is {} in place of {}: this server makes something else of it; leave it out by --without {}",
        text(found),
        text(wanted),
        parts.join(",")
    )))
}

/// Takes the lock that keeps two dbdynos apart, until the session ends. Says whether nobody else has it; who holds it
/// already is given it again.
fn lock(connection: &mut OracleConnection, doing: &str) -> Result<bool, EngineError> {
    match connection.ask(doing, &DIALECT.get("load/hold")?.text, 1)?.as_slice() {
        // Granted, or had before.
        [0 | 4] => Ok(true),
        // Not in time: another has it.
        [1] => Ok(false),
        other => Err(EngineError::new(ErrorClass::Other, format!("{doing}: DBMS_LOCK answers {other:?}"))),
    }
}

/// How rows come into a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum InsertMethod {
    /// By direct path, batch by batch.
    Append,
    /// The conventional way, a leaf in one transaction.
    Insert,
    /// On the server, from the same leaf of another table.
    Copy,
}

impl InsertMethod {
    fn of(table: TableName) -> Self {
        match table.organisation() {
            _ if table == TableName::LargeCompressed => Self::Copy,
            Organisation::Heap | Organisation::HeapList | Organisation::HeapRangeList => Self::Append,
            Organisation::Iot | Organisation::IotList | Organisation::Hash => Self::Insert,
        }
    }
}

/// Empties a leaf that has rows.
fn empty(connection: &mut OracleConnection, leaf: &Leaf, doing: &str) -> Result<(), EngineError> {
    if connection.texts(doing, &about::<OracleProduct>("fill/any_row_in", leaf)?)?.is_empty() {
        return Ok(());
    }
    match truncate(leaf)? {
        Some(sql) => connection.batch(doing, &sql),
        // It belongs to the leaf's transaction.
        None => connection.batch(doing, &about::<OracleProduct>("load/empty_leaf", leaf)?),
    }
}

/// The statement that empties a leaf at once; none where rows lie in a cluster.
fn truncate(leaf: &Leaf) -> Result<Option<String>, EngineError> {
    let table = leaf.table.name();
    Ok(match (leaf.table.organisation(), leaf.partition()) {
        (Organisation::Hash, _) => None,
        (_, None) => Some(DIALECT.fill("fill/truncate_table", &[("table", table)])?),
        (_, Some(part)) => {
            let large = leaf.table.shape() == TableShape::Large;
            let statement = if large { "truncate_subpartition" } else { "truncate_partition" };
            Some(DIALECT.fill(&format!("fill/{statement}"), &[("table", table), ("part", part)])?)
        }
    })
}

/// The statement that copies a leaf from the same one of the other large table.
fn copy(leaf: &Leaf) -> Result<String, EngineError> {
    let part = leaf.partition();
    let source = leaves(TableName::LargeHeapRangeList).into_iter().find(|source| source.partition() == part);
    let none = || EngineError::new(ErrorClass::Other, format!("{} has nothing to be copied from", leaf.name));
    let sql = about::<OracleProduct>("load/copy_leaf", leaf)?;
    Ok(sql.replace("{source}", &layout::in_sql(&source.ok_or_else(none)?)))
}

/// The index that a statement makes, if it makes one.
fn index_made_by(sql: &str) -> Option<&str> {
    let rest = sql.strip_prefix("CREATE ")?;
    let rest = rest.strip_prefix("UNIQUE ").unwrap_or(rest).strip_prefix("INDEX ")?;
    rest.split_whitespace().next()
}

/// A table can have one primary key only, and has it where an earlier load came as far.
fn ignoring_a_key_that_is_there(done: Result<(), EngineError>) -> Result<(), EngineError> {
    match done {
        Err(error) if error.message.contains("ORA-02260") => Ok(()),
        done => done,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbdyno_testkit::conformance::catalogue::size_t;

    #[test]
    fn indexes_are_known_by_what_makes_them() {
        for table in TableName::ALL {
            for sql in layout::indexes(table, 4).unwrap() {
                let made = index_made_by(&sql);
                assert_eq!(made.is_some(), sql.starts_with("CREATE "), "{sql}");
                assert!(made.is_none_or(|name| name.starts_with(table.name())), "{sql}");
            }
        }
        assert_eq!(index_made_by("ALTER INDEX x NOPARALLEL"), None);
    }

    #[test]
    fn a_primary_key_that_is_there_is_no_error() {
        let error = |text: &str| Err(EngineError::new(ErrorClass::Other, text));
        assert!(ignoring_a_key_that_is_there(error("x: ORA-02260: table can have only one primary key")).is_ok());
        assert!(ignoring_a_key_that_is_there(error("x: ORA-01652: no room for a sort")).is_err());
    }

    #[test]
    fn every_statement_of_a_load_can_be_filled_in() {
        for table in TableName::ALL {
            for leaf in leaves(table) {
                for statement in ["load/rows_out", "load/insert_into", "load/empty_leaf", "fill/append_into"] {
                    let sql = about::<OracleProduct>(statement, &leaf).unwrap();
                    assert!(!sql.contains(['{', '}']), "{sql}");
                }
                let note = note::<OracleProduct>("filled", &leaf.name).unwrap();
                assert!(note.contains(&format!("'filled {}'", leaf.name)), "{note}");
            }
        }
    }

    #[test]
    fn each_leaf_is_emptied_as_its_table_allows() {
        let first = |table| leaves(table).remove(0);
        let said = |table| truncate(&first(table)).unwrap();
        assert_eq!(said(TableName::SmallHash), None);
        assert_eq!(said(TableName::SmallIot).unwrap(), "TRUNCATE TABLE small_iot REUSE STORAGE");
        let list = "ALTER TABLE small_heap_list TRUNCATE PARTITION p1 REUSE STORAGE";
        assert_eq!(said(TableName::SmallHeapList).unwrap(), list);
        let large = "ALTER TABLE large_compressed TRUNCATE SUBPARTITION r00_p1 REUSE STORAGE";
        assert_eq!(said(TableName::LargeCompressed).unwrap(), large);
    }

    #[test]
    fn a_compressed_leaf_is_copied_from_its_twin() {
        for leaf in leaves(TableName::LargeCompressed).into_iter().take(9) {
            let sql = copy(&leaf).unwrap();
            let part = leaf.partition().unwrap();
            assert!(sql.contains("APPEND") && !sql.contains('{'), "{sql}");
            assert!(sql.contains(&format!("INTO large_compressed SUBPARTITION ({part})")), "{sql}");
            assert!(sql.trim_end().ends_with(&format!("FROM large_heap_range_list SUBPARTITION ({part})")), "{sql}");
        }
    }

    #[test]
    fn only_heaps_take_a_direct_path() {
        use InsertMethod::{Append, Copy, Insert};
        let methods = TableName::ALL.map(InsertMethod::of);
        assert_eq!(methods, [Append, Insert, Insert, Append, Insert, Append, Copy]);
    }

    #[test]
    fn what_the_dictionary_must_say_is_what_the_statements_of_tables_sql_make() {
        for table in TableName::ALL {
            let all = expected::<OracleProduct>(table).unwrap();
            let count = |kind: &str| all.iter().filter(|fact| fact.kind == kind).count();
            assert_eq!((count("kind"), count("column")), (1, 9), "{table}");
            let made = layout::tables(table, &size_t()).unwrap().join("\n");
            let sql = made + &layout::indexes(table, 1).unwrap().join("\n");
            for fact in all.iter().filter(|fact| fact.kind == "index") {
                let (called, _) = fact.text.split_once(' ').unwrap();
                assert!(sql.contains(called), "{fact:?}");
            }
            assert_eq!(count("index"), sql.matches("_customer ON").count() + sql.matches("PRIMARY KEY (").count());
            let parts = all.iter().find(|fact| fact.kind == "parts").map(|fact| fact.text.clone());
            let top = match partition_count(table.organisation()) {
                0 => None,
                parts if table.shape() == TableShape::Small => Some(parts.to_string()),
                _ => Some(Size::RANGES.to_string()),
            };
            assert_eq!(parts, top, "{table}");
        }
    }
}
