//! What PostgreSQL's files say, and what it has.

use dbdyno_engine::Dialect;
use dbdyno_model::TableName;
use include_dir::{Dir, include_dir};
use std::sync::LazyLock;

/// dbdyno's schema: nothing outside it is ever touched.
pub(crate) const SCHEMA: &str = "dbdyno";

/// The tables that PostgreSQL has, in loading order.
pub(crate) const TABLE_NAMES: [TableName; 6] = [
    TableName::SmallHeap,
    TableName::SmallIot,
    TableName::SmallHash,
    TableName::SmallHeapList,
    TableName::SmallIotList,
    TableName::LargeHeapRangeList,
];

/// What the engine's files say.
pub(crate) static DIALECT: LazyLock<Dialect> = LazyLock::new(|| Dialect::read("postgres", &FILES));
static FILES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/dialect");
