//! A document as text, as a page and as Markdown.

use crate::document::Document;

impl Document {
    /// The text for a terminal of this width; `None` is as wide as needed.
    #[must_use]
    pub fn text(&self, width: Option<u16>) -> String {
        crate::terminal::text(self, width)
    }

    /// The page: one file that needs a browser and no network.
    #[must_use]
    pub fn page(&self) -> String {
        crate::html::page(self)
    }

    /// Whether a text is such a page, of this or another version: it may be written over by a newer one.
    #[must_use]
    pub fn is_page(text: &str) -> bool {
        crate::html::is_page(text)
    }

    /// The Markdown, for the summary of a pipeline.
    #[must_use]
    pub fn markdown(&self) -> String {
        crate::markdown::markdown(self)
    }
}
