//! Scratch servers for unit tests.

pub(crate) type Server = dbdyno_testkit::servers::postgres::Server<crate::Postgres>;
pub(crate) type Wish = dbdyno_testkit::servers::postgres::Wish<crate::Postgres>;
