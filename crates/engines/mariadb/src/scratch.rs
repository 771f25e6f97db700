//! Scratch servers for unit tests.

pub(crate) type Server = dbdyno_testkit::servers::mariadb::Server<crate::MariaDb>;
pub(crate) type Wish = dbdyno_testkit::servers::mariadb::Wish<crate::MariaDb>;
