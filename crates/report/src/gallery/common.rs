//! What the pages of a gallery have in common.

use crate::html;

/// The name of the page that a reader opens first.
pub const INDEX: &str = "index.html";
/// The name of the page that lays two side by side.
pub(super) const COMPARISON: &str = "compare.html";

/// The style of the pages that only a gallery has.
pub(super) fn style() -> String {
    [html::STYLE, include_str!("style.css")].concat()
}
