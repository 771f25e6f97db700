//! Scratch servers of the products of this build.

#[cfg(feature = "postgres")]
pub(crate) mod postgres {
    pub(crate) type Server = dbdyno_testkit::servers::postgres::Server<dbdyno_postgres::Postgres>;
    pub(crate) type Wish = dbdyno_testkit::servers::postgres::Wish<dbdyno_postgres::Postgres>;
}

#[cfg(feature = "mariadb")]
pub(crate) mod mariadb {
    pub(crate) type Server = dbdyno_testkit::servers::mariadb::Server<dbdyno_mariadb::MariaDb>;
    pub(crate) type Wish = dbdyno_testkit::servers::mariadb::Wish<dbdyno_mariadb::MariaDb>;
}
