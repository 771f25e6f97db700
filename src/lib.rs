//! The engines of this build: one line each, and the only place outside their rooms that names them.

use dbdyno_engine::{EngineInfo, Registry};

/// Every engine of this build.
pub const ENGINES: Registry = Registry::of(LIST);

/// The engine that needs no server, if this build has it: what is measured where no target is named.
pub const EMBEDDED: Option<&EngineInfo> = {
    #[cfg(feature = "sqlite")]
    {
        Some(&dbdyno_sqlite::INFO)
    }
    #[cfg(not(feature = "sqlite"))]
    {
        None
    }
};

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
