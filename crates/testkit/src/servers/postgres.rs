//! What tests know of PostgreSQL.

use super::{HasFacts, ProductFacts};

/// PostgreSQL.
pub struct Postgres;

/// A running server; `P` is the product.
pub type Server<P> = super::Server<Postgres, P>;
/// The options of a server; `P` is the product.
pub type ServerOptions<P> = super::ServerOptions<Server<P>>;
/// The superuser of every scratch server.
pub const SUPERUSER: &str = Postgres::FACTS.superuser;

impl HasFacts for Postgres {
    const FACTS: &'static ProductFacts = &ProductFacts {
        engine: "postgres",
        superuser: "postgres",
        home: "postgres",
        sees_all: false,
        making: &["--no-sync"],
        settings: &[("shared_buffers", "32MB"), ("autovacuum_naptime", "1d")],
        copy_database: Some("CREATE DATABASE NAME TEMPLATE FROM"),
        drop_database: "DROP DATABASE NAME WITH (FORCE)",
        create_user: "CREATE ROLE NAME LOGIN",
        drop_user: "DROP ROLE IF EXISTS NAME",
        let_work: "CREATE SCHEMA dbdyno AUTHORIZATION USER",
        let_monitor: "GRANT pg_monitor TO USER",
        sleep: ("SELECT pg_sleep(SECONDS)", "PgSleep"),
        secrets: "CREATE TABLE s (a text); INSERT INTO s VALUES ('SECRET'); /* x */ create role v password 'SECRET';
                  ALTER ROLE v PASSWORD 'SECRET'; DO $$ BEGIN PERFORM 'SECRET'; END $$; PREPARE p AS SELECT 'SECRET';
                  EXECUTE p; EXPLAIN SELECT 'SECRET'; CREATE TABLE c AS SELECT 'SECRET' AS a",
        transaction: "BEGIN; SELECT 1",
        table: "dbdyno.NAME",
        procedures: "CREATE PROCEDURE dbdyno.echo(a bigint, d date, c numeric, t text,
                       INOUT next_a bigint, INOUT next_d date, INOUT next_c numeric, INOUT next_t text)
                     LANGUAGE plpgsql AS $$ BEGIN
                       IF a = -1 THEN RAISE EXCEPTION 'echo was told to fail'; END IF;
                       next_a := a + 1; next_d := d + 1; next_c := c + 0.01; next_t := t || '!';
                     END $$;
                     CREATE PROCEDURE dbdyno.take_row(a bigint, INOUT q integer) LANGUAGE plpgsql AS $$ BEGIN
                       SELECT quantity INTO q FROM dbdyno.small_heap WHERE id = a FOR UPDATE;
                     END $$;
                     CREATE PROCEDURE dbdyno.add_and_commit(a bigint, n bigint, INOUT q bigint)
                     LANGUAGE plpgsql AS $$ BEGIN
                       UPDATE dbdyno.small_heap SET quantity = quantity + n WHERE id = a;
                       COMMIT;
                       SELECT quantity INTO q FROM dbdyno.small_heap WHERE id = a;
                     END $$;
                     CREATE PROCEDURE dbdyno.mute(a bigint, b bigint) LANGUAGE plpgsql AS $$ BEGIN
                       PERFORM quantity FROM dbdyno.small_heap WHERE id = a;
                     END $$",
        elsewhere: ("public", ""),
        objects: "SELECT c.relkind::text || ' ' || n.nspname || '.' || c.relname FROM pg_class c
                    JOIN pg_namespace n ON n.oid = c.relnamespace
                  WHERE n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast')
                  UNION ALL SELECT 'routine ' || n.nspname || '.' || p.proname FROM pg_proc p
                    JOIN pg_namespace n ON n.oid = p.pronamespace
                  WHERE n.nspname NOT IN ('pg_catalog', 'information_schema')
                  UNION ALL SELECT 'schema ' || nspname FROM pg_namespace WHERE nspname NOT LIKE 'pg_%';",
    };
}

impl<P> Server<P> {
    /// Runs SQL as superuser, as a file piped into psql; returns its output, one row a line.
    pub fn psql(&self, database: &str, sql: &str) -> String {
        self.client_says(database, &[], sql)
    }
}
