//! Scratch servers for unit tests.

pub(crate) type Server = dbdyno_testkit::servers::mariadb::Server<crate::MariaDb>;
pub(crate) type ServerOptions = dbdyno_testkit::servers::mariadb::ServerOptions<crate::MariaDb>;
