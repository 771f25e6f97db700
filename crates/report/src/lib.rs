//! Reports, as text and as a page. They read a run and the catalogue and know no engine: what an engine could not do,
//! or did by other means, stands in the points themselves. Every function returns text and prints nothing.
//!
//! Whatever comes from a database, a platform or a user passes through one place (`text::clean`) on its way into a
//! line, so that no version string or error message can steer the terminal on which it is read; on a page it is escaped
//! besides.

pub mod compare;
pub mod export;
pub mod figures;
pub mod html;
mod layout;
mod legend;
pub mod lists;
pub mod numbers;
mod pace;
pub mod platform;
pub mod published;
mod registry;
mod storage;
pub mod summary;
pub mod tables;
mod text;
mod types;
pub mod verdict;

pub use registry::{REPORTS, Report, report};
pub use text::steers;

/// What has not been verified, below a table that does not say it itself.
#[must_use]
pub fn notice(notice: &str, width: Option<u16>) -> String {
    format!("\n{}", text::hanging("Notice    ", notice, width))
}
