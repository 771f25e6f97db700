//! What Oracle's files say.

use dbdyno_engine::Dialect;
use include_dir::{Dir, include_dir};
use std::sync::LazyLock;

/// What goes with every output.
pub(crate) const NOTICE: &str = "not yet verified on a live server";

/// What `--diagnostics-pack` (in the target: `diagnostics_pack=yes`) means.
pub(crate) const DIAGNOSTICS_CLAIM: &str = "--diagnostics-pack claims a licence of the Oracle Diagnostics Pack for this database: dbdyno \
     takes AWR snapshots around each point";

/// What the engine's files say.
pub(crate) static DIALECT: LazyLock<Dialect> = LazyLock::new(|| Dialect::read("oracle", &FILES));
static FILES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/dialect");
