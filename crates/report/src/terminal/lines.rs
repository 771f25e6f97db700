//! Lines on a terminal: allowed characters, width, cutting and wrapping.

use crate::groups::joined;
use std::borrow::Cow;
use textwrap::{Options, WordSeparator, WordSplitter, WrapAlgorithm};
use unicode_width::UnicodeWidthChar;

/// Shows control characters and invisible formatting characters (bidirectional marks, zero-width ones) as escapes.
#[must_use]
pub fn clean(text: &str) -> Cow<'_, str> {
    if !text.chars().any(steers) {
        return Cow::Borrowed(text);
    }
    let shown = |c: char| if steers(c) { c.escape_default().to_string() } else { c.to_string() };
    Cow::Owned(text.chars().map(shown).collect())
}

/// Whether a character controls the display: control characters, and those that hide or reorder others.
#[must_use]
pub fn steers(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// Columns of a text on a terminal.
#[must_use]
pub fn columns(text: &str) -> usize {
    text.chars().filter_map(UnicodeWidthChar::width).sum()
}

/// Cuts a text to a number of columns; the last one is then an ellipsis.
#[must_use]
pub fn clip(text: &str, width: usize) -> Cow<'_, str> {
    if columns(text) <= width {
        return Cow::Borrowed(text);
    }
    let kept = text.chars().scan(0, |used, c| {
        *used += c.width().unwrap_or(0);
        (*used < width).then_some(c)
    });
    Cow::Owned(if width == 0 { String::new() } else { kept.chain(['…']).collect() })
}

/// A text with less room than this beside its lead gets lines of its own.
const LEAST_ROOM: usize = 24;
/// The indent of these lines.
const OWN_INDENT: usize = 4;

/// A narrower text is wider than its lines.
const LEAST_WIDTH: usize = 8;

/// A paragraph with a hanging indent: the first line begins with the lead, the others are indented by its width. A word
/// wider than a line is split. Without a width nothing is wrapped.
pub(crate) fn hanging(lead: &str, text: &str, width: Option<u16>) -> String {
    let (lead, text) = (clean(lead), clean(text));
    let words = joined(text.split(' '), " ");
    let Some(columns_there) = width.map(usize::from).filter(|_| !words.is_empty()) else {
        return line(&format!("{lead}{text}"), width);
    };
    let indent = columns(&lead);
    let room = columns_there.saturating_sub(indent);
    if room < LEAST_ROOM && indent > OWN_INDENT && columns(&text) > room {
        return line(&lead, width) + &hanging(&" ".repeat(OWN_INDENT), &text, width);
    }
    let blanks = " ".repeat(indent);
    let options = Options::new(columns_there.max(indent + LEAST_WIDTH))
        .initial_indent(&lead)
        .subsequent_indent(&blanks)
        .word_separator(WordSeparator::AsciiSpace)
        .word_splitter(WordSplitter::NoHyphenation)
        .wrap_algorithm(WrapAlgorithm::FirstFit);
    textwrap::wrap(&words, options).iter().map(|wrapped| line(wrapped, width)).collect()
}

/// A line without trailing blanks, cut to the terminal's width as a last safeguard.
pub(crate) fn line(text: &str, width: Option<u16>) -> String {
    let text = clean(text.trim_end_matches(' '));
    format!("{}\n", clip(&text, width.map_or(usize::MAX, usize::from)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_terminal_cannot_be_steered() {
        assert_eq!(clean("\u{1b}[2J\r\nPG 15\u{9b}31m"), r"\u{1b}[2J\r\nPG 15\u{9b}31m");
        assert_eq!(clean("a\u{202e}b\u{200b}c"), r"a\u{202e}b\u{200b}c");
        assert_eq!(clean("Zürich 東京"), "Zürich 東京");
    }

    #[test]
    fn paragraphs_hang_from_their_lead() {
        assert_eq!(hanging("T6  ", "one two three four", Some(13)), "T6  one two\n    three\n    four\n");
        assert_eq!(hanging("T611  native  ", "one two", Some(16)), "T611  native\n    one two\n");
        assert_eq!(hanging("T611  ", "one two", None), "T611  one two\n");
        assert_eq!(clip("abcdef", 4), "abc…");
        assert_eq!(clip("東京都", 5), "東京…");
    }

    proptest! {
        #[test]
        fn wrapping_loses_nothing_and_keeps_the_width(text in "\\PC{0,80}", width in 8usize..40) {
            let wrapped = hanging("", &text, u16::try_from(width).ok());
            prop_assert!(wrapped.lines().all(|l| columns(l) <= width));
            let bare = |s: &str| s.chars().filter(|c| ![' ', '\n'].contains(c)).collect::<String>();
            prop_assert_eq!(bare(&wrapped), bare(&clean(&text)));
        }
    }
}
