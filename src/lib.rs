//! The engines of this build: one line each, and the only place outside their rooms that names them.

use dbdyno_engine::{EngineInfo, Registry};

/// Every engine of this build.
pub const ENGINES: Registry = Registry::of(LIST);

const LIST: &[EngineInfo] = &[
    #[cfg(feature = "sqlite")]
    dbdyno_sqlite::INFO,
    #[cfg(feature = "postgres")]
    dbdyno_postgres::INFO,
    #[cfg(feature = "mariadb")]
    dbdyno_mariadb::INFO,
    #[cfg(feature = "oracle")]
    dbdyno_oracle::INFO,
    dbdyno_null::INFO,
];
