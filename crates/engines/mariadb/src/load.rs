//! What a load does that is MariaDB's own: locks by name, leaves that are emptied and filled in one transaction,
//! statistics.

use super::connection::MariaDbConnection;
use super::options::Options;
use super::product::MariaDbProduct;
use super::{layout, privileges};
use crate::DIALECT;
use dbdyno_engine::EngineError;
use dbdyno_engine::data::{column_list, test_columns};
use dbdyno_engine::server::load::about;
use dbdyno_engine::server::{
    Connection as _, Leaf, Load, LoadStop, Phase, PhaseProgress, ProductTables, Rows, compression, first,
};
use dbdyno_model::{ErrorClass, Size, TableName};
use mysql::prelude::Queryable as _;

impl ProductTables for MariaDbProduct {
    const CREATED: &'static str = "created_database";

    fn place(&self) -> String {
        format!("the database {}", self.options.database)
    }

    fn database(&self) -> String {
        format!("database {}", self.options.database)
    }

    fn how_to_read(&self, connection: &mut MariaDbConnection) -> Result<String, EngineError> {
        let grant = privileges::help(connection, &self.options.database)?;
        Ok(grant.map_or_else(
            || "connect as a user that may".to_owned(),
            |statement| format!("an administrator runs: {statement}, or connect as a user that may"),
        ))
    }

    fn create_place(&self, connection: &mut MariaDbConnection) -> Result<bool, EngineError> {
        if connection.database()?.is_some() {
            return Ok(false);
        }
        let (name, quoted) = (&self.options.database, self.options.quoted_database());
        connection.batch(&format!("creating the database {name}"), &format!("CREATE DATABASE {quoted}"))?;
        connection.batch("entering the database", &format!("USE {quoted}")).map(|()| true)
    }

    fn drop_place(&self, connection: &mut MariaDbConnection) -> Result<(), EngineError> {
        let doing = format!("dropping the database {}", self.options.database);
        connection.batch(&doing, &format!("DROP DATABASE {}", self.options.quoted_database()))
    }

    fn try_lock(&self, connection: &mut MariaDbConnection, doing: &str) -> Result<bool, EngineError> {
        granted(connection, doing, &lock_name(&self.options))
    }

    fn left_at_work(&self, connection: &mut MariaDbConnection, doing: &str) -> Result<Option<String>, EngineError> {
        let lock = lock_name(&self.options);
        let answer = connection.control(doing).exec_first(&DIALECT.get("load/at_work")?.text, (lock,));
        let answer: Option<Option<u64>> = answer.map_err(|error| connection.error(doing, &error))?;
        Ok(answer.flatten().map(|session| format!("end them with KILL (one is number {session})")))
    }

    /// Each session holds a lock of its own for as long as it has anything to do, its own rollback included.
    fn prepare_loader(&self, connection: &mut MariaDbConnection, doing: &str, job: u32) -> Result<(), EngineError> {
        granted(connection, doing, &format!("{}.{job}", lock_name(&self.options))).map(drop)
    }

    fn create_table(&self, table: TableName, _: &Size) -> Result<Vec<String>, EngineError> {
        Ok(vec![layout::create(table.name(), table.organisation(), compression(table))?])
    }

    fn parts(table: TableName) -> u64 {
        layout::parts(table.organisation())
    }

    fn in_sql(leaf: &Leaf) -> String {
        leaf.in_sql("PARTITION")
    }

    fn fill(
        &self,
        connection: &mut MariaDbConnection,
        doing: &str,
        (leaf, _): (&Leaf, &Size),
        rows: &mut Rows<'_>,
    ) -> Result<(), EngineError> {
        // What is not ours, or was loaded before somebody changed the notes.
        connection.batch(doing, &about::<Self>("load/empty_leaf", leaf)?)?;
        let insert = about::<Self>("load/insert_into", leaf)?.replace("{columns}", &column_list(test_columns()));
        connection.insert(doing, &insert, rows)
    }

    /// Statistics.
    fn after_rows(
        load: &mut Load<'_, Self>,
        label: &str,
        (tables, _, rows): (&[TableName], &[Leaf], u64),
    ) -> Result<(), EngineError> {
        let (size, times) = (load.request.size, &load.times);
        let progress = PhaseProgress::new(load.watch, format!("{label} statistics"), 0, rows);
        let analyse = |connection: &mut MariaDbConnection, table: &TableName, (): &mut (), _: &LoadStop<'_>| {
            let _clock = times.clock(*table, Phase::Tidy);
            analyse(connection, *table)?;
            progress.add(table.rows(size));
            Ok(())
        };
        load.pool.each(&format!("analysing {label}"), tables, || (), analyse)
    }

    /// Commits need not have waited for the device.
    fn write_out(tables: &[TableName]) -> Result<Vec<String>, EngineError> {
        let flush = tables.iter().map(|table| DIALECT.fill("statistics/flush", &[("table", table.name())]));
        let durable = DIALECT.get("load/durable").map(|statement| statement.text.clone());
        Ok(std::iter::once(durable).chain(flush).collect::<Result<_, _>>()?)
    }

    fn unseen(connection: &mut MariaDbConnection) -> Result<Vec<String>, EngineError> {
        let sees = connection.texts("asking for triggers", &DIALECT.get("inspect/may_see_triggers")?.text)?;
        let blind = first(sees).as_deref() == Some("0");
        Ok(blind.then(|| privileges::why_missing(connection, &["TRIGGER"])).into_iter().collect())
    }
}

/// The name of the lock that keeps two dbdynos apart.
fn lock_name(options: &Options) -> String {
    format!("dbdyno.{}", options.database)
}

/// Whether a lock is granted.
fn granted(connection: &mut MariaDbConnection, doing: &str, lock: &str) -> Result<bool, EngineError> {
    let answer = connection.control(doing).exec_first::<Option<i64>, _, _>(&DIALECT.get("load/hold")?.text, (lock,));
    let answer = answer.map_err(|error| connection.error(doing, &error))?;
    Ok(answer.flatten() == Some(1))
}

/// Statistics of a table. The statement never fails: it answers with what it has to say.
fn analyse(connection: &mut MariaDbConnection, table: TableName) -> Result<(), EngineError> {
    let doing = format!("analysing {table}");
    for row in connection.texts(&doing, &DIALECT.fill("load/analyse", &[("table", table.name())])?)? {
        if let [_, _, Some(kind), Some(text)] = row.as_slice()
            && kind.eq_ignore_ascii_case("error")
        {
            return Err(EngineError::new(ErrorClass::Other, format!("{doing}: {text}")));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::connection::InsertMethod;
    use crate::scratch::ServerOptions;
    use crate::{TABLE_NAMES, engine};
    use dbdyno_engine::bookkeeping::Contents;
    use dbdyno_engine::data::{Columns, Generator};
    use dbdyno_engine::server::contents::{look, transaction};
    use dbdyno_engine::server::{LoaderPool, checksum, expected, leaves};
    use dbdyno_engine::{Engine as _, Loaded, Target, Workloads as _};
    use dbdyno_model::TableShape;
    use dbdyno_testkit::conformance::NoProgress;
    use dbdyno_testkit::conformance::catalogue::size_t;

    fn options(target: &str) -> Options {
        Options::parse(&Target::parse(target).unwrap()).unwrap()
    }

    #[test]
    fn a_load_that_has_ended_survives_a_power_failure() {
        // The server writes its log late, and the user may do nothing outside the database, which it makes itself.
        let late = [("innodb_flush_log_at_trx_commit", "0"), ("innodb_flush_log_at_timeout", "2700")];
        let mut server =
            late.into_iter().fold(ServerOptions::default(), |wish, (name, value)| wish.set(name, value)).start();
        server.client("", "CREATE USER scott@'127.0.0.1'; GRANT ALL ON `my-bench`.* TO scott@'127.0.0.1'");
        let target = Target::parse(&server.tcp("scott", "my-bench")).unwrap();
        engine(&target, None).unwrap().load(&size_t(), 42, 2, false, &NoProgress).unwrap();
        server.kill();
        server.restart();
        let engine = engine(&target, None).unwrap();
        assert!(matches!(engine.loaded().unwrap(), Loaded::Complete { .. }));
        assert!(engine.drop_all().unwrap());
        assert_eq!(server.client("", "SHOW DATABASES LIKE 'my-bench'"), "");
    }

    #[test]
    fn a_server_that_refuses_the_bulk_protocol_gets_inserts() {
        let server = ServerOptions::default().tls("DNS:localhost").start();
        server.client("", "CREATE USER scott@'127.0.0.1'; GRANT ALL ON bench.* TO scott@'127.0.0.1'");
        let target = |mode: &str| format!("{}?sslmode={mode}", server.tcp("scott", "bench"));
        let product = MariaDbProduct { options: options(&target("disable")) };
        engine(&Target::parse(&target("disable")).unwrap(), None).unwrap().note(&[]).unwrap();
        let mut control = MariaDbConnection::open(&product.options, 0, "dbdyno").unwrap();
        let before = look(&product, &mut control).unwrap();
        for (mode, method) in [("disable", InsertMethod::Bulk(1_000)), ("require", InsertMethod::Inserts(100))] {
            let mut connection = MariaDbConnection::open(&options(&target(mode)), 0, "dbdyno").unwrap();
            assert_eq!(InsertMethod::ask(&mut connection).unwrap(), method, "{mode}");
            // Asking changes nothing, and the session goes on.
            assert_eq!(look(&product, &mut connection).unwrap(), before, "{mode}");
        }
    }

    #[test]
    fn rows_come_through_by_either_method() {
        let server = ServerOptions::default().set("max_allowed_packet", "16K").start();
        let target = server.socket("root", "bench");
        engine(&Target::parse(&target).unwrap(), None).unwrap().note(&[]).unwrap();
        let product = MariaDbProduct { options: options(&target) };
        let open = || MariaDbConnection::open(&product.options, 0, "dbdyno").unwrap();
        let mut control = open();
        assert_eq!(InsertMethod::ask(&mut control).unwrap(), InsertMethod::Bulk(20));
        let table = TableName::SmallIotList;
        control.batch("creating", &product.create_table(table, &size_t()).unwrap()[0]).unwrap();
        let generator = Generator::new(&size_t(), TableShape::Small, 42);
        for method in [InsertMethod::Bulk(30), InsertMethod::Inserts(30)] {
            let mut pool = LoaderPool::open(2, &NoProgress, |_| {
                let mut connection = open();
                connection.insert_method = Some(method);
                Ok(connection)
            })
            .unwrap();
            let progress = PhaseProgress::new(&NoProgress, String::new(), 0, 3_200);
            let tools = || generator.clone();
            let work =
                |connection: &mut MariaDbConnection, leaf: &Leaf, generator: &mut Generator, stop: &LoadStop<'_>| {
                    let size = size_t();
                    let mut ids = leaf.ids(&size);
                    let mut rows = Rows::new(test_columns(), generator, &mut ids, (stop, &progress));
                    transaction::<MariaDbProduct, ()>(connection, "loading", |connection| {
                        product.fill(connection, "loading", (leaf, &size), &mut rows)
                    })
                };
            // What was there before goes.
            pool.each("loading", &leaves(table), tools, work).unwrap();
            let held = checksum::<MariaDbProduct>(&mut pool, table, (3_200, Columns::All), &NoProgress).unwrap();
            assert_eq!(held, generator.clone().checksum(), "{method:?}");
        }
        assert!(matches!(look(&product, &mut control).unwrap(), Contents::Ours(_)));
    }

    #[test]
    fn what_the_catalogue_must_say_is_what_the_statements_of_tables_sql_make() {
        for table in TABLE_NAMES {
            let sql = layout::create(table.name(), table.organisation(), compression(table)).unwrap();
            let all = expected::<MariaDbProduct>(table).unwrap();
            let count = |kind: &str| all.iter().filter(|fact| fact.kind == kind).count();
            assert_eq!((count("kind"), count("column")), (1, 9), "{table}");
            assert_eq!(count("index"), sql.matches(" KEY ").count() - sql.matches("BY KEY ").count(), "{table}: {sql}");
            assert_eq!(count("partition") as u64, layout::parts(table.organisation()), "{table}");
            let nulls = all.iter().filter(|fact| fact.kind == "column" && !fact.text.contains("not null")).count();
            assert_eq!(nulls, sql.matches(" NULL").count() - sql.matches("NOT NULL").count(), "{table}: {sql}");
        }
    }
}
