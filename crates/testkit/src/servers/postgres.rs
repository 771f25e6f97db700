//! What tests know of PostgreSQL.

use super::{Facts, Known};

/// PostgreSQL.
pub struct Postgres;

/// A running server; `P` is the product.
pub type Server<P> = super::Server<Postgres, P>;
/// What a test wants of its server; `P` is the product.
pub type Wish<P> = super::Wish<Server<P>>;
/// The superuser of every scratch server.
pub const SUPERUSER: &str = Postgres::FACTS.superuser;

impl Known for Postgres {
    const FACTS: &'static Facts = &Facts {
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
        table: "dbdyno.NAME",
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
    /// Runs SQL as the superuser, as a file piped into psql; what it prints, one row a line.
    pub fn psql(&self, database: &str, sql: &str) -> String {
        self.client_says(database, &[], sql)
    }
}
