//! Reads a file of assignments as a shell would, and runs nothing. What would need a shell is refused.

use super::assignment::{Assignment, leading_name};
use super::error::{ConfError, NOT_SHOWN, Place, Refusal, shown};
use super::parameters::{is_open, may_hold_password, parameter, unknown};

const BLANKS: [char; 2] = [' ', '\t'];
const DECLARES: [&str; 4] = ["declare", "typeset", "readonly", "local"];
const NAME_VALUE: &str = "write NAME=value";
const LITERAL: &str = "write the value itself, or put it in single quotes if it is meant as it stands";

/// The assignments of a file, in their order. `file` is what messages call it, and `text` is what stands in it.
///
/// Comments, quotes, escapes and `export` are as in a shell. Names and values are not checked yet, but for the names
/// that `export` has without a value.
///
/// # Errors
/// The first that only a shell could do, or that a shell could not do either: where it stands, what is wrong with it,
/// and what to write instead.
pub fn read(file: &str, text: &str) -> Result<Vec<Assignment>, ConfError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut all = Vec::new();
    for (number, text) in (1..).zip(text.lines()) {
        let text = text.strip_suffix('\r').unwrap_or(text);
        let place = Place::Line { file: file.to_owned(), line: number };
        let hides = may_hold_password(text);
        Line { place, rest: text, before: Before::Nothing, is_first: true, hides }.read(text, &mut all)?;
    }
    Ok(all)
}

/// What has come before in the same command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Before {
    Nothing,
    Assignment {
        /// Something stood right after its `=`.
        has_value: bool,
        /// `export` came before it.
        exported: bool,
    },
    Export {
        /// Names came after it.
        has_names: bool,
    },
}

impl Before {
    /// Whether `export` has come.
    fn exports(self) -> bool {
        matches!(self, Self::Export { .. } | Self::Assignment { exported: true, .. })
    }
}

struct Line<'t> {
    place: Place,
    /// What is not read yet.
    rest: &'t str,
    before: Before,
    /// No name was read in this line so far.
    is_first: bool,
    /// Messages must not have what stands here.
    hides: bool,
}

impl<'t> Line<'t> {
    fn read(mut self, text: &str, all: &mut Vec<Assignment>) -> Result<(), ConfError> {
        if text.contains(|char: char| char.is_control() && char != '\t') {
            let wrong = "a control character stands in it";
            return Err(self.refused("the line", wrong, "write the line anew, as plain text"));
        }
        loop {
            self.rest = self.rest.trim_start_matches(BLANKS);
            match self.rest.chars().next() {
                None | Some('#') => return self.end(),
                Some(';') if self.before == Before::Nothing => {
                    return Err(self.refused(";", "nothing stands before it", "leave it away"));
                }
                Some(';') => {
                    self.end()?;
                    (self.before, self.rest) = (Before::Nothing, &self.rest[1..]);
                }
                Some(_) => all.extend(self.word()?),
            }
        }
    }

    /// The end of a command.
    fn end(&self) -> Result<(), ConfError> {
        match self.before {
            Before::Export { has_names: false } => {
                let todo = "write export NAME=value, or leave it away";
                Err(self.refused("export", "it names nothing", todo))
            }
            _ => Ok(()),
        }
    }

    /// A word of a command: an assignment, `export`, or a name after that.
    fn word(&mut self) -> Result<Option<Assignment>, ConfError> {
        let name = leading_name(self.rest);
        let after = &self.rest[name.len()..];
        let exports = self.before.exports();
        if !name.is_empty() && after.starts_with('=') {
            // What follows a password is perhaps a part of it.
            if self.hides && !self.is_first && parameter(name).is_none() {
                return Err(ConfError::new(self.place.clone(), self.shown_name(name), unknown(name)));
            }
            self.hides |= !is_open(name);
            self.is_first = false;
            let begun = &after[1..];
            let value = self.value(name, begun)?;
            self.before = Before::Assignment { has_value: self.rest.len() < begun.len(), exported: exports };
            return Ok(Some(Assignment { name: name.to_owned(), value, place: self.place.clone() }));
        }
        if name.is_empty() || !ends_word(after) {
            return Err(self.no_assignment(name, after));
        }
        if name == "export" && self.before == Before::Nothing {
            self.before = Before::Export { has_names: false };
        } else if exports && parameter(name).is_some() {
            (self.before, self.is_first) = (Before::Export { has_names: true }, false);
        } else {
            return Err(self.no_assignment(name, after));
        }
        self.rest = after;
        Ok(None)
    }

    /// The value that begins here, without its quotes and escapes. What is left to read comes after it.
    fn value(&mut self, name: &str, begun: &'t str) -> Result<String, ConfError> {
        let refused = |end: usize, wrong: String, todo: &str| {
            let word = begun[..end].split([' ', '\t', ';']).next().unwrap_or_default();
            let asked = if self.hides { self.shown_name(name) } else { format!("{name}={}", shown(word)) };
            Err(ConfError::new(self.place.clone(), asked, Refusal::new(wrong, todo)))
        };
        let (mut value, mut quote, mut end, mut last) = (String::new(), None, begun.len(), None);
        let mut chars = begun.char_indices().peekable();
        while let Some((at, char)) = chars.next() {
            let past = at + char.len_utf8();
            let next = chars.peek().map(|(_, next)| *next);
            match (quote, char) {
                (Some(open), _) if open == char => quote = None,
                (Some('\''), _) => value.push(char),
                (None, '\'' | '"') => quote = Some(char),
                (_, '\\') => match next {
                    None => {
                        let wrong = "it goes on in the next line".to_owned();
                        return refused(past, wrong, "write the value in one line, without '\\' at its end");
                    }
                    Some(next) if quote.is_none() || "$`\"\\".contains(next) => {
                        value.push(next);
                        chars.next();
                    }
                    Some(_) => value.push(char),
                },
                (_, '`') => return refused(past, "'`' is for a command, and none is run here".to_owned(), LITERAL),
                (_, '$') if next.is_some_and(|next| expands(next, quote)) => {
                    return refused(past, "'$' is for a shell, and this file is only read".to_owned(), LITERAL);
                }
                (None, ' ' | '\t' | ';') => {
                    end = at;
                    break;
                }
                (None, '(') if at == 0 => return refused(past, "that is an array".to_owned(), "write one value"),
                (None, '&' | '|' | '<' | '>' | '(' | ')') => {
                    return refused(past, format!("'{char}' is for a shell, and this file is only read"), LITERAL);
                }
                // Only there does a shell make several words of one with braces.
                (None, '{') if self.before.exports() => {
                    return refused(
                        past,
                        "'{' after export is for a shell, and this file is only read".to_owned(),
                        LITERAL,
                    );
                }
                (None, '~') if matches!(last, None | Some(':')) => {
                    return refused(past, "'~' is a folder only for a shell".to_owned(), "write the whole path");
                }
                _ => value.push(char),
            }
            last = Some(char);
        }
        if let Some(open) = quote {
            let kind = if open == '"' { "a double" } else { "a single" };
            return refused(
                begun.len(),
                format!("{kind} quote is not closed in this line"),
                "close it in the same line",
            );
        }
        self.rest = &begun[end..];
        Ok(value)
    }

    /// The refusal of a word that begins with this name, if with any, and is no assignment.
    fn no_assignment(&self, name: &str, after: &str) -> ConfError {
        let word = self.rest.split([' ', '\t', ';']).next().unwrap_or_default();
        let ended = ends_word(after);
        let exports = self.before.exports();
        let has_blank = matches!(self.before, Before::Assignment { has_value: false, .. });
        let spaced = !name.is_empty() && ended && after.trim_start_matches(BLANKS).starts_with('=');
        let (wrong, todo) = if spaced || has_blank {
            ("a blank stands beside the '='", "write NAME=value without blanks beside the '='")
        } else if !name.is_empty() && after.starts_with("+=") {
            ("'+=' adds to a value, which only a shell does", NAME_VALUE)
        } else if !name.is_empty() && after.starts_with('[') {
            ("that is an array", "write NAME=value, with one value")
        } else if word == "\\" {
            ("the line goes on in the next one", "write each assignment in one line")
        } else if ended && DECLARES.contains(&name) {
            ("that declares variables of a shell", "write NAME=value, or export NAME=value")
        } else if ended && name == "export" {
            ("it stands amid a command", "write it at the beginning of a line")
        } else if exports && word.starts_with('-') {
            ("export has no options here", "write export NAME=value")
        } else if exports && !name.is_empty() && ended {
            return ConfError::new(self.place.clone(), self.shown_word(name, word), unknown(name));
        } else if word.contains('=') {
            ("that is no name of a parameter", "write NAME=value, with letters, digits and '_' in the name, unquoted")
        } else if matches!(self.before, Before::Assignment { .. }) {
            ("that would be a command, and none is run here", "put quotes around a value with blanks, as in NAME='a b'")
        } else {
            ("that is a command, and none is run here", "write NAME=value, or '#' before a remark")
        };
        self.refused(&self.shown_word(name, word), wrong, todo)
    }

    fn refused(&self, asked: &str, wrong: &str, todo: &str) -> ConfError {
        ConfError::new(self.place.clone(), asked.to_owned(), Refusal::new(wrong, todo))
    }

    /// A word as messages have it: what may be a password is left out.
    fn shown_word(&self, name: &str, word: &str) -> String {
        if self.hides || name.len() == word.len() {
            return self.shown_name(name);
        }
        let begin = if name.is_empty() { word.split('=').next().unwrap_or_default() } else { name };
        format!("{}{}", shown(begin), if begin.len() < word.len() { "..." } else { "" })
    }

    fn shown_name(&self, name: &str) -> String {
        if self.hides && parameter(name).is_none() { NOT_SHOWN.to_owned() } else { shown(name) }
    }
}

/// Whether a word ends where this text begins.
fn ends_word(text: &str) -> bool {
    text.is_empty() || text.starts_with([' ', '\t', ';'])
}

/// Whether a shell reads `$` and this as something else, with this quote open.
fn expands(next: char, quote: Option<char>) -> bool {
    let quoted = quote.is_none() && matches!(next, '\'' | '"');
    quoted || next.is_ascii_alphanumeric() || "_@*#?$!-{([".contains(next)
}
