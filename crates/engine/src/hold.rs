//! The lock of a run.

use crate::EngineError;

/// A place that is held: while this value lives, no other dbdyno measures, loads or drops there. Dropping it lets
/// others in. It can be lost before, with the connection or the file that it is.
pub trait Hold: Send + Sync {
    /// Asks whether the place is still held. May take a round trip, unless every loss shows without one.
    ///
    /// # Errors
    /// `ConnectionLost`: it is not; the server's, where it does not answer.
    fn still_held(&self) -> Result<(), EngineError> {
        self.seen_lost().map_or(Ok(()), Err)
    }

    /// The loss, where it shows without a round trip: cheap enough for once a second beside what is measured. None
    /// where nothing shows, which proves nothing.
    fn seen_lost(&self) -> Option<EngineError>;
}

/// The hold of a place that nobody else can come to.
#[derive(Debug, Clone, Copy)]
pub struct AloneAnyway;

impl Hold for AloneAnyway {
    fn seen_lost(&self) -> Option<EngineError> {
        None
    }
}
