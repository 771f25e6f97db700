//! What MariaDB's files say, and what it has.

use dbdyno_engine::Dialect;
use dbdyno_model::TableName;
use include_dir::{Dir, include_dir};
use std::sync::LazyLock;

/// The tables that MariaDB has, in loading order.
pub(crate) const TABLE_NAMES: [TableName; 7] = TableName::ALL;

/// What the engine's files say.
pub(crate) static DIALECT: LazyLock<Dialect> = LazyLock::new(|| Dialect::read("mariadb", &FILES));
static FILES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/dialect");
