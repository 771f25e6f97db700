//! Who watches while a server is started or stopped.

/// Hears what is being done, and may call it off.
pub trait Watch {
    /// One line about what begins now, or still goes on.
    fn note(&self, text: &str);
    /// Whether the user wants it to end.
    fn cancelled(&self) -> bool;
}

/// Says nothing, calls off nothing.
pub struct Silent;

impl Watch for Silent {
    fn note(&self, _text: &str) {}

    fn cancelled(&self) -> bool {
        false
    }
}
