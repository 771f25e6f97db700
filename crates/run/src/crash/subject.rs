//! What is cut: a server, a file, or something of the user's.

use super::error::CrashError;
use dbdyno_engine::Engine;
use dbdyno_model::ClientsSeen;
use std::process::Command;
use std::time::Instant;

/// What is cut.
pub trait Subject {
    /// Starts it, with what a crash has left of it.
    ///
    /// # Errors
    /// `Gone` where the database does not come back, and something else where anything else is in the way.
    fn start(&mut self) -> Result<Box<dyn Engine>, CrashError>;

    /// The program whose sessions work on it: it says each acknowledgement as a [`super::ledger_line`], and ends when
    /// it is cut off.
    fn sessions(&self, cut: u32) -> Command;

    /// What it shows of itself, where the report is to say more than its name.
    fn observed(&self) -> Option<String> {
        None
    }

    /// Hears that a cut comes soon, while sessions are at work.
    ///
    /// # Errors
    /// It is not ready for it.
    fn approach(&mut self) -> Result<(), CrashError> {
        Ok(())
    }

    /// Cuts it, and says when that was. Nobody in this process uses it but who watches its hosts. `last` is when its
    /// sessions were acknowledged something last.
    ///
    /// # Errors
    /// It could not be cut.
    fn cut(&mut self, last: &dyn Fn() -> Option<Instant>) -> Result<Instant, CrashError>;

    /// Whether sessions lose it by that. Otherwise they are themselves what is cut, and are ended then.
    fn is_apart(&self) -> bool;

    /// Stops what is going to be cut with its file system: the server, or the sessions where they are the database. A
    /// system whose file system is shut down still runs, and may let through what one without power would not: a flush
    /// that ends without an error, though its journal is gone. What is stopped acknowledges nothing by that.
    ///
    /// # Errors
    /// It goes on.
    fn hold(&mut self, _sessions: &dyn Fn() -> Result<(), CrashError>) -> Result<(), CrashError> {
        Ok(())
    }

    /// Keeps everything that was made before the first sessions begin. What is recovered later the database must keep
    /// by itself.
    ///
    /// # Errors
    /// It could not be kept.
    fn keep(&mut self) -> Result<(), CrashError> {
        Ok(())
    }

    /// Makes it so that [`Subject::start`] finds what the cut has left.
    ///
    /// # Errors
    /// What was cut cannot be used again.
    fn repair(&mut self) -> Result<(), CrashError> {
        Ok(())
    }

    /// What clients with several hosts saw of the cut, once they can commit again, where there are such clients.
    fn seen(&mut self) -> Option<ClientsSeen> {
        None
    }

    /// The statements of transactions that are whole in the log that standbys read, as far as they were not handed over
    /// before and the log has ended; absent where no such log is compared.
    ///
    /// # Errors
    /// The server does not answer.
    fn logged(&mut self) -> Result<Option<Vec<String>>, CrashError> {
        Ok(None)
    }

    /// Makes what the next cut takes away, where that was used up.
    ///
    /// # Errors
    /// As for [`Subject::start`].
    fn renew(&mut self, engine: Box<dyn Engine>) -> Result<Box<dyn Engine>, CrashError> {
        Ok(engine)
    }
}
