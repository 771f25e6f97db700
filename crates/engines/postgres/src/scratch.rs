//! Scratch servers for unit tests.

pub(crate) type Server = dbdyno_testkit::servers::postgres::Server<crate::Postgres>;
pub(crate) type ServerOptions = dbdyno_testkit::servers::postgres::ServerOptions<crate::Postgres>;
