//! What a server's errors mean: a class for each of the vendor's codes, and what to do about some of them. The file
//! `errors.toml` of a dialect has both, so messages may be in any language.
//!
//! ```toml
//! passwords = "passwords are taken from ..."   # where a password can be given
//! limits = "max_connections is reached"        # which limit may be reached that no connection was told
//!
//! by_message = [                               # codes whose message decides
//!   { class = "out_of_space", codes = "1030", containing = ["error 28"] },
//! ]
//! statement = [                                # what to do about an error of a statement
//!   { codes = "1205", advice = "another session holds the lock" },
//! ]
//! connection = [                               # what to do about a connection that is refused
//!   { codes = "refused", socket = true, advice = "start the server; is {port} its port?" },
//! ]
//!
//! [classes]                                    # codes, ranges of numbers, beginnings
//! timeout = "1205 1969..1972 57P*"
//! ```
//! The first entry that fits counts. An error that no server sent has a word of ours for a code, as `refused` here.

use crate::EngineError;
use dbdyno_model::ErrorClass;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::io;

/// An error's code as a driver gives it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code<'a> {
    /// A number.
    Number(u32),
    /// An SQLSTATE, or a word of ours.
    Text(&'a str),
}

impl From<u32> for Code<'_> {
    fn from(number: u32) -> Self {
        Self::Number(number)
    }
}

impl<'a> From<&'a str> for Code<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(text)
    }
}

/// The word for an error of the operating system's on the way to a server; empty where there is nothing to say.
#[must_use]
pub fn io_code(kind: io::ErrorKind) -> &'static str {
    match kind {
        io::ErrorKind::ConnectionRefused => "refused",
        io::ErrorKind::NotFound => "not_found",
        io::ErrorKind::PermissionDenied => "denied",
        io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock => "silent",
        io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe => "closed",
        _ => "",
    }
}

/// A connection that was not opened.
#[derive(Debug, Clone)]
pub struct Refusal<'a> {
    /// The code.
    pub code: Code<'a>,
    /// Its class.
    pub class: ErrorClass,
    /// What was said, in words.
    pub said: &'a str,
    /// Whether it was to be opened through a socket of this machine.
    pub socket: bool,
    /// What else is to be said where the server did not accept who we are.
    pub warning: Option<&'a str>,
}

/// What the errors of a server mean.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Errors {
    /// Where passwords can be given, in words.
    #[serde(default)]
    pub passwords: String,
    /// Which limit of connections may be reached, in words, where no connection was told.
    #[serde(default)]
    pub limits: String,
    #[serde(default)]
    classes: BTreeMap<ErrorClass, Codes>,
    #[serde(default)]
    by_message: Vec<ByMessage>,
    #[serde(default)]
    statement: Vec<Advice>,
    #[serde(default)]
    connection: Vec<Advice>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct ByMessage {
    class: ErrorClass,
    #[serde(default)]
    codes: Codes,
    containing: Vec<String>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Advice {
    #[serde(default)]
    codes: Codes,
    class: Option<ErrorClass>,
    #[serde(default)]
    containing: Vec<String>,
    socket: Option<bool>,
    advice: String,
}

impl Advice {
    fn fits(&self, code: Code<'_>, class: ErrorClass, message: &str) -> bool {
        self.codes.have(code)
            && self.class.is_none_or(|of| of == class)
            && (self.containing.is_empty() || contains(message, &self.containing))
    }
}

fn contains(message: &str, words: &[String]) -> bool {
    words.iter().any(|word| message.contains(word))
}

impl Errors {
    /// The class of an error; `Other` where the file does not say.
    #[must_use]
    pub fn class<'a>(&self, code: impl Into<Code<'a>>, message: &str) -> ErrorClass {
        let code = code.into();
        let by_code = self.classes.iter().find(|(_, codes)| codes.have(code)).map(|(class, _)| *class);
        let by_message = || {
            self.by_message
                .iter()
                .find(|of| of.codes.have(code) && contains(message, &of.containing))
                .map(|of| of.class)
        };
        by_code.or_else(by_message).unwrap_or(ErrorClass::Other)
    }

    /// What a server said about a statement, with what to do about it where that is known.
    #[must_use]
    pub fn advised<'a>(&self, code: impl Into<Code<'a>>, class: ErrorClass, message: &str, said: String) -> String {
        let code = code.into();
        match self.statement.iter().find(|entry| entry.fits(code, class, message)) {
            Some(entry) => format!("{said}; {}", entry.advice),
            None => said,
        }
    }

    /// What to do about a connection that was refused, where that is known. `value` gives what placeholders stand for;
    /// one without a value is left as it is.
    #[must_use]
    pub fn connecting(&self, refusal: &Refusal<'_>, value: &dyn Fn(&str) -> Option<String>) -> Option<String> {
        let fits = |entry: &&Advice| {
            entry.fits(refusal.code, refusal.class, refusal.said) && entry.socket.is_none_or(|of| of == refusal.socket)
        };
        self.connection.iter().find(fits).map(|entry| filled(&entry.advice, value))
    }

    /// What to do where something came to pass that no server has told, and that has this word here.
    #[must_use]
    pub fn advice(&self, word: &str, value: &dyn Fn(&str) -> Option<String>) -> String {
        let (code, class) = (word.into(), ErrorClass::ConnectionLost);
        self.connecting(&Refusal { code, class, said: "", socket: false, warning: None }, value).unwrap_or_default()
    }

    /// The error of a connection that was refused, with what to do about it.
    #[must_use]
    pub fn refused(&self, refusal: &Refusal<'_>, value: &dyn Fn(&str) -> Option<String>) -> EngineError {
        let mut told = refusal.said.to_owned();
        let warning = refusal.warning.filter(|_| refusal.class == ErrorClass::Authentication);
        for more in self.connecting(refusal, value).iter().map(String::as_str).chain(warning) {
            told = format!("{told}; {more}");
        }
        EngineError::new(refusal.class, told)
    }

    /// Where the password came from that was tried, and where it can be given.
    #[must_use]
    pub fn password_from(&self, place: Option<&str>) -> String {
        match place {
            Some(place) => format!("the password came from {place}; {}, in this order", self.passwords),
            None => format!("no password was given; {}", self.passwords),
        }
    }

    /// Codes that stand under two classes: there must be none.
    #[must_use]
    pub fn ambiguous(&self) -> Vec<String> {
        let all: Vec<&Pattern> = self.classes.values().flat_map(|codes| &codes.0).collect();
        let twice = |n: usize| all[..n].iter().any(|earlier| earlier.overlaps(all[n]));
        (0..all.len()).filter(|n| twice(*n)).map(|n| all[n].text.clone()).collect()
    }
}

/// A text with values for its placeholders.
fn filled(text: &str, value: &dyn Fn(&str) -> Option<String>) -> String {
    let (mut done, mut rest) = (String::new(), text);
    while let Some((before, after)) = rest.split_once('{') {
        done.push_str(before);
        match after.split_once('}').and_then(|(name, after)| Some((value(name)?, after))) {
            Some((value, after)) => {
                done.push_str(&value);
                rest = after;
            }
            None => {
                done.push('{');
                rest = after;
            }
        }
    }
    done + rest
}

/// Codes, as a text with spaces between them. No code means any.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(from = "String")]
struct Codes(Vec<Pattern>);

/// A code, a range of numbers (`1158..1161`, the last one included) or a beginning (`08*`).
#[derive(Debug, Clone)]
struct Pattern {
    text: String,
    numbers: Option<(u32, u32)>,
}

impl From<String> for Codes {
    fn from(text: String) -> Self {
        let pattern = |word: &str| {
            let (first, last) = word.split_once("..").unwrap_or((word, word));
            Pattern { text: word.to_owned(), numbers: first.parse().ok().zip(last.parse().ok()) }
        };
        Self(text.split_whitespace().map(pattern).collect())
    }
}

impl Codes {
    fn have(&self, code: Code<'_>) -> bool {
        self.0.is_empty() || self.0.iter().any(|pattern| pattern.is(code))
    }
}

impl Pattern {
    fn is(&self, code: Code<'_>) -> bool {
        match code {
            Code::Number(number) => self.numbers.is_some_and(|(first, last)| (first..=last).contains(&number)),
            Code::Text(text) => match self.text.strip_suffix('*') {
                Some(beginning) => text.starts_with(beginning),
                None => text == self.text,
            },
        }
    }

    fn overlaps(&self, other: &Self) -> bool {
        self.is(Code::Text(&other.text))
            || other.is(Code::Text(&self.text))
            || self.numbers.zip(other.numbers).is_some_and(|(a, b)| a.0 <= b.1 && b.0 <= a.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "
        passwords = 'passwords are asked for'
        [classes]
        timeout = '1205 1969..1972 57P*'
        conflict = '40001'
        [[by_message]]
        class = 'out_of_space'
        codes = '1030'
        containing = ['error 28', 'error 122']
        [[statement]]
        class = 'out_of_space'
        advice = 'free space'
        [[statement]]
        codes = '1205'
        advice = 'another session holds the lock'
        [[connection]]
        codes = 'refused'
        socket = true
        advice = 'start it'
        [[connection]]
        codes = 'refused'
        advice = 'is {port} its port, {who}?'
    ";

    fn errors() -> Errors {
        toml::from_str(FILE).unwrap()
    }

    #[test]
    fn codes_ranges_beginnings_and_messages_have_classes() {
        let errors = errors();
        for (code, message, class) in [
            (Code::Number(1205), "", ErrorClass::Timeout),
            (Code::Number(1972), "", ErrorClass::Timeout),
            (Code::Number(1973), "", ErrorClass::Other),
            (Code::Text("57P03"), "", ErrorClass::Timeout),
            (Code::Text("40001"), "", ErrorClass::Conflict),
            (Code::Number(1030), "Got error 28 from storage", ErrorClass::OutOfSpace),
            (Code::Number(1030), "Got error 168", ErrorClass::Other),
            (Code::Number(1031), "Got error 28 from storage", ErrorClass::Other),
        ] {
            assert_eq!(errors.class(code, message), class, "{code:?} {message}");
        }
        assert_eq!(errors.ambiguous(), Vec::<String>::new());
        let twice: Errors = toml::from_str("[classes]\ntimeout = '1 5..9 08*'\nconflict = '7..8 08P01'").unwrap();
        assert_eq!(twice.ambiguous().len(), 2);
    }

    #[test]
    fn advice_stands_behind_what_was_said() {
        let errors = errors();
        let advised = |code: u32, class| errors.advised(code, class, "", "no".to_owned());
        assert_eq!(advised(1205, ErrorClass::Timeout), "no; another session holds the lock");
        assert_eq!(advised(7, ErrorClass::OutOfSpace), "no; free space");
        assert_eq!(advised(7, ErrorClass::Other), "no");
        let value = |name: &str| (name == "port").then(|| "99".to_owned());
        let refused = |socket, class, warning| {
            errors.refused(&Refusal { code: "refused".into(), class, said: "no", socket, warning }, &value).message
        };
        assert_eq!(refused(true, ErrorClass::ConnectionLost, Some("a file was ignored")), "no; start it");
        assert_eq!(
            refused(false, ErrorClass::Authentication, Some("a file was ignored")),
            "no; is 99 its port, {who}?; a file was ignored"
        );
        assert_eq!(errors.password_from(None), "no password was given; passwords are asked for");
        assert!(errors.password_from(Some("X")).starts_with("the password came from X; passwords are"));
    }
}
