//! Words of a command, as in a shell: blanks part them, quotes keep them together, and nothing else means anything.

/// The words of a text.
///
/// # Errors
/// A quote is not closed.
pub fn split_words(text: &str) -> Result<Vec<String>, String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for c in text.chars() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    match quote {
        Some(open) => Err(format!("a quote ({open}) is not closed")),
        None => {
            words.extend(word);
            Ok(words)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::split_words;

    #[test]
    fn quotes_keep_words_together() {
        let words = split_words("T7* --until 'p99<5ms' --label \"a b\" '' x'y z'").unwrap();
        assert_eq!(words, ["T7*", "--until", "p99<5ms", "--label", "a b", "", "xy z"]);
        assert_eq!(split_words("  ").unwrap(), Vec::<String>::new());
        assert!(split_words("a 'b").unwrap_err().contains("not closed"));
    }
}
