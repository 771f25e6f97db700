//! What a user notes of a run: an upgrade, a new cable. It stands beside what was measured and changes nothing of it.

use serde::{Deserialize, Serialize};

/// A note of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunNote {
    /// When it was made, UTC.
    pub at: jiff::Timestamp,
    /// Its text, of one line.
    pub text: String,
}

impl RunNote {
    /// The most characters of a note.
    pub const LONGEST: usize = 200;
}
