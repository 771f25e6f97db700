//! Why there is nothing to run.

/// Why flags, or the list of LUNs, describe no run: what was asked, what is wrong and what to do.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct OrionError(pub(super) String);
