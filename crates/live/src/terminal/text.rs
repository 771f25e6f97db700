//! Texts of others on the screen: nothing in them may control the terminal, leave its place or make drawing slow.

use dbdyno_report::{clean, clip, columns};

/// Signs without a width that may follow each other: accents have one or two, texts that want to cover other lines
/// have many.
const MARKS_TOGETHER: usize = 2;

/// A text in so many columns at most. What controls a terminal is shown as an escape, and a cut is shown by an
/// ellipsis.
pub(crate) fn shown(text: &str, width: usize) -> String {
    // A text may be a megabyte long. No more of it is looked at than can be seen.
    let mut together = 0;
    let kept = text.chars().take(4 * width + 16).filter(|c| {
        together = if columns(c.encode_utf8(&mut [0; 4])) == 0 && !c.is_control() { together + 1 } else { 0 };
        together <= MARKS_TOGETHER
    });
    let begin: String = kept.collect();
    clip(&clean(&begin), width).into_owned()
}

/// The same, filled with blanks on the right.
pub(crate) fn left(text: &str, width: usize) -> String {
    let text = shown(text, width);
    let blanks = width.saturating_sub(columns(&text));
    text + &" ".repeat(blanks)
}

/// The same, filled with blanks on the left.
pub(crate) fn right(text: &str, width: usize) -> String {
    let text = shown(text, width);
    " ".repeat(width.saturating_sub(columns(&text))) + &text
}

/// A text in lines of so many columns, at most so many of them. Words that are longer than a line are cut.
pub(crate) fn wrapped(text: &str, width: usize, lines: usize) -> Vec<String> {
    let text = shown(text, width * lines.max(1));
    let mut wrapped: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match wrapped.last_mut() {
            Some(line) if columns(line) + 1 + columns(word) <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => wrapped.push(clip(word, width).into_owned()),
        }
    }
    if wrapped.len() > lines {
        wrapped.truncate(lines);
        if let Some(last) = wrapped.last_mut() {
            *last = clip(&format!("{last} …"), width).into_owned();
        }
    }
    wrapped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_stay_in_their_place() {
        assert_eq!(shown("a\u{1b}[2Jb", 20), r"a\u{1b}[2Jb");
        assert_eq!(shown(&"x".repeat(1 << 20), 5), "xxxx…");
        assert_eq!(left("東京都", 5), "東京…");
        assert_eq!(right("12", 5), "   12");
        assert_eq!(shown(&format!("Z{}", "\u{301}".repeat(50)), 10), "Z\u{301}\u{301}");
        assert_eq!(shown("anything", 0), "");
    }

    #[test]
    fn words_are_wrapped_and_what_does_not_fit_is_said() {
        assert_eq!(wrapped("one two three", 8, 3), ["one two", "three"]);
        assert_eq!(wrapped("one two three four", 8, 2), ["one two", "three f…"]);
        assert_eq!(wrapped("", 8, 2), Vec::<String>::new());
    }
}
