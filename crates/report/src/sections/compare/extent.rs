//! How much of a comparison a document shows.

/// What a document is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// A reader at a terminal: no charts, and the efficiency of the key tests.
    Screen,
    /// The same, with the efficiency of every test.
    ScreenAllTests,
    /// The summary of a pipeline: what was shown first, then a row for each figure, and all else folded.
    Summary,
    /// A page: charts, platform sheets, flags and method, too.
    Page,
}
