//! The products in the stories of watching: servers that tell all that a monitor asks for.

use crate::on_servers::{OWN, Product};

/// A product whose servers are watched.
pub(crate) trait Watched: Product {
    /// A server that tells of its statements, which will not survive a crash of the machine.
    fn telling() -> Self;

    /// How many commits the server may count for one transaction of TPC-B.
    const COMMITS: f64;

    /// SQL that makes a user of any name, who may connect.
    fn make_user(name: &str) -> String;

    /// The argument by which the product's client connects as another user.
    fn as_user(name: &str) -> String;
}

#[cfg(feature = "postgres")]
impl Watched for crate::scratch::postgres::Server {
    const COMMITS: f64 = 1.0;

    fn telling() -> Self {
        crate::scratch::postgres::ServerOptions::default()
            .set("shared_preload_libraries", "pg_stat_statements")
            .set("pg_stat_statements.track_utility", "on")
            .set("autovacuum", "off")
            .set("fsync", "off")
            .start()
    }

    fn make_user(name: &str) -> String {
        format!("CREATE EXTENSION IF NOT EXISTS pg_stat_statements; CREATE ROLE \"{name}\" LOGIN")
    }

    fn as_user(name: &str) -> String {
        format!("--username={name}")
    }
}

#[cfg(feature = "mariadb")]
impl Watched for crate::scratch::mariadb::Server {
    const COMMITS: f64 = 1.0;

    fn telling() -> Self {
        crate::scratch::mariadb::ServerOptions::default()
            .set("innodb_flush_method", "nosync")
            .set("performance_schema", "ON")
            .start()
    }

    fn make_user(name: &str) -> String {
        format!("CREATE USER `{name}`@localhost; GRANT SELECT ON {OWN}.* TO `{name}`@localhost")
    }

    fn as_user(name: &str) -> String {
        format!("--user={name}")
    }
}
