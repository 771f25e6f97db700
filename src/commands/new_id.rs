//! Ids of what is kept.

use crate::error::Error;
use dbdyno_model::RunId;

/// The id of something that is kept from now on.
///
/// # Errors
/// The system gives no random bits.
pub(super) fn new_id() -> Result<RunId, Error> {
    let bits = getrandom::u64().map_err(|e| Error::Internal(format!("the system gives no random bits: {e}")))?;
    Ok(RunId::from_random(bits))
}
