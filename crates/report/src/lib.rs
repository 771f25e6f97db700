//! Reports, as text and as a page. They read a run and the catalogue and know no engine: the points themselves say what
//! an engine could not do, or did by other means. Every function returns text and prints nothing.
//!
//! All text from a database, a platform or a user passes through one function (`text::clean`) on its way into a line,
//! so that no version string or error message can control the reader's terminal. On a page it is escaped, too.

pub mod acceptance;
mod charts;
pub mod compare;
mod document;
mod embedded;
pub mod export;
pub mod figures;
pub mod gallery;
mod groups;
pub mod headroom;
mod html;
mod junit;
mod legend;
pub mod lists;
mod load_times;
mod markdown;
pub mod numbers;
mod over_cores;
mod registry;
mod reported;
mod sections;
mod summary;
mod terminal;
pub mod trend;
mod types;
pub mod verdict;
mod watched;

pub use document::Document;
pub use registry::{REPORTS, Report, report, texts};
pub use reported::{PointTimes, Reported};
pub use sections::compare::Extent;
pub use sections::headroom::headroom_document;
pub use sections::profile::profile_document;
pub use sections::trend::trend_document;
pub use terminal::lines::{clean, clip, columns, steers};

/// The notice of what has not been verified, below a table without it.
#[must_use]
pub fn notice(notice: &str, width: Option<u16>) -> String {
    format!("\n{}", terminal::lines::hanging("Notice    ", notice, width))
}
