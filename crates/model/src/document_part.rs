//! Documents that carry the version of their form.

/// A document that can be stored or sent by itself, and then carries its own version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DocumentPart {
    /// A whole run, exported or shown.
    Document,
    /// The plan of a run.
    Plan,
    /// A point.
    Point,
    /// What a user says of a run's platform.
    Described,
}
