//! Scratch servers of the products of this build.

#[cfg(feature = "postgres")]
pub(crate) mod postgres {
    pub(crate) type Server = dbdyno_testkit::servers::postgres::Server<dbdyno_postgres::Postgres>;
    pub(crate) type ServerOptions = dbdyno_testkit::servers::postgres::ServerOptions<dbdyno_postgres::Postgres>;
}

#[cfg(feature = "mariadb")]
pub(crate) mod mariadb {
    pub(crate) type Server = dbdyno_testkit::servers::mariadb::Server<dbdyno_mariadb::MariaDb>;
    pub(crate) type ServerOptions = dbdyno_testkit::servers::mariadb::ServerOptions<dbdyno_mariadb::MariaDb>;
}
