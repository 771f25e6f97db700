//! Passwords on the command line. A target hides its own password. But a URL in a wrong place, or one that cannot be
//! parsed, is quoted in an error message. So every output is searched for the passwords that were typed, and for
//! nothing else. A guess at what in a message may be a password would hide whole sentences.

use dbdyno::ENGINES;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use std::collections::BTreeSet;
use std::net::Ipv6Addr;
use std::path::Path;
use std::sync::LazyLock;

/// A shorter password is hidden only together with the text around it, because it may be part of any word.
const LONG: usize = 6;
/// The beginnings of option names for passwords, in lower case and decoded ...
const BEGIN: [&str; 3] = ["pass", "pw", "secret"];
/// ... and their ends.
const END: [&str; 3] = ["password", "passwd", "pwd"];
/// The replacement for a password that stands alone.
const HIDDEN: &str = "***";

static TYPED: LazyLock<TypedSecrets> =
    LazyLock::new(|| TypedSecrets::of(std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned())));

/// The text without the passwords of the command line.
pub(crate) fn hidden(text: &str) -> String {
    TYPED.hidden(text)
}

/// A target from outside, without passwords.
pub(crate) fn without_passwords(target: &str) -> String {
    WordSecrets::in_word(target).shown
}

/// Whether a target as typed contains a password.
pub(crate) fn contains_password(target: &str) -> bool {
    !WordSecrets::in_word(target).secrets.is_empty()
}

/// Replacements in order; longer texts come first.
struct TypedSecrets(Vec<(String, String)>);

impl TypedSecrets {
    fn of(words: impl IntoIterator<Item = String>) -> Self {
        let mut replaced = BTreeSet::new();
        // `--target=URL` is quoted with and without the option's name.
        let words: Vec<String> = words.into_iter().collect();
        let values = words.iter().filter_map(|word| Some(word.strip_prefix("--")?.split_once('=')?.1));
        let all: Vec<(&str, WordSecrets)> =
            words.iter().map(String::as_str).chain(values).map(|word| (word, WordSecrets::in_word(word))).collect();
        let elsewhere = |secret: &str| all.iter().any(|(_, found)| found.shown.contains(secret));
        for (word, found) in all.iter().filter(|(_, found)| !found.secrets.is_empty()) {
            replaced.extend(spelled(word).into_iter().map(|text| (text, found.shown.clone())));
            for secret in &found.secrets {
                let around = secret.with_neighbours(word);
                replaced.extend(around.into_iter().filter(|(text, _)| !elsewhere(text)));
                // If a password is also a word elsewhere in the target, it cannot be hidden in every sentence.
                if secret.text.chars().count() >= LONG && !elsewhere(&secret.text) {
                    replaced.extend(spelled(&secret.text).into_iter().map(|text| (text, HIDDEN.to_owned())));
                }
            }
        }
        let mut replaced: Vec<_> = replaced.into_iter().filter(|(from, to)| from != to).collect();
        replaced.sort_by_key(|(from, _)| std::cmp::Reverse(from.len()));
        Self(replaced)
    }

    fn hidden(&self, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
    }
}

/// A password in a word.
struct Secret {
    text: String,
    /// The text directly before it in the word: a colon, a slash, or the option's name.
    before: String,
}

impl Secret {
    /// The password with the text around it in the word, and what is left of that text.
    fn with_neighbours(&self, word: &str) -> Vec<(String, String)> {
        let Self { text, before } = self;
        let mut pairs = Self::pairs(text, before, word);
        // As in a message that quotes the decoded text.
        pairs.extend(Self::pairs(&decoded(text), &decoded(before), &decoded(word)));
        pairs
    }

    fn pairs(text: &str, before: &str, word: &str) -> Vec<(String, String)> {
        let whole = format!("{before}{text}");
        let kept = if before.ends_with('=') { before } else { "" };
        let Some((_, after)) = word.split_once(&whole) else { return Vec::new() };
        let mut after = after.chars();
        let (next, then) = (after.next(), after.next());
        let mut pairs = Vec::new();
        match next {
            Some(next) => pairs.push((format!("{whole}{next}"), format!("{kept}{next}"))),
            None => pairs.push((whole, kept.to_owned())),
        }
        // For a text that was cut off from what came before it.
        if let Some((next, then)) = next.zip(then) {
            pairs.push((format!("{text}{next}{then}"), format!("{next}{then}")));
        }
        pairs
    }
}

/// A word without its passwords, and the passwords.
struct WordSecrets {
    shown: String,
    secrets: Vec<Secret>,
}

impl WordSecrets {
    fn in_word(word: &str) -> Self {
        let mut found = Self { shown: word.to_owned(), secrets: Vec::new() };
        found.take_login(word);
        found.take_port(word);
        found.take_options(word);
        found
    }

    /// `user:password@host` and `user/password@host`, with or without a scheme. A password as typed may contain any
    /// character, including `@`. The shown text ends with the last `@`, and the hidden text may end with any.
    fn take_login(&mut self, word: &str) {
        let scheme = word.split_once(':').map(|(scheme, _)| scheme).filter(|scheme| ENGINES.engine(scheme).is_ok());
        let start = scheme.map_or(0, |scheme| scheme.len() + 1);
        let slashes = word[start..].find("//").map(|at| start + at + 2);
        let start = slashes.unwrap_or(start);
        let login = &word[start..];
        let Some((login_alone, host)) = login.rsplit_once('@') else { return };
        let encoded = ["%3a", "%3A"].iter().filter_map(|colon| login_alone.find(colon).map(|at| (at, 3))).min();
        let plain = login_alone.find([':', '/']).map(|at| (at, 1));
        let Some((end_of_user, width)) = plain.into_iter().chain(encoded).min() else { return };
        // `sqlite:folder/me@work.db` names a file, not a user.
        if slashes.is_none() && scheme.is_some_and(names_files) {
            return;
        }
        let user = &login[..end_of_user];
        let is_user = |c: char| c.is_alphanumeric() || "_$#.-@".contains(c);
        let is_folder = login[end_of_user..].starts_with('/') && Path::new(user).is_dir();
        if slashes.is_none() && (user.is_empty() || !user.chars().all(is_user) || is_folder) {
            // A file name.
            return;
        }
        let (before, rest) = login[end_of_user..].split_at(width);
        for (at, _) in rest.match_indices('@') {
            self.secrets.push(Secret { text: rest[..at].to_owned(), before: before.to_owned() });
        }
        self.shown = format!("{}{user}@{host}", &word[..start]);
    }

    /// `scheme://user:password` without a host: in place of the port stands something that is not a number.
    fn take_port(&mut self, word: &str) {
        let Some(start) = word.find("://").map(|at| at + 3).filter(|_| !word.contains('@')) else { return };
        let authority = &word[start..];
        let authority = &authority[..authority.find(['/', '?']).unwrap_or(authority.len())];
        if authority.parse::<Ipv6Addr>().is_ok() {
            return;
        }
        let mut at = 0;
        for host in authority.split(',') {
            let name = host.rfind(']').map_or(0, |bracket| bracket + 1);
            let plain = decoded(host);
            let is_host = plain.starts_with('/') || plain.parse::<Ipv6Addr>().is_ok();
            let spellings = if is_host { &[":"][..] } else { &[":", "%3a", "%3A"] };
            let colons = spellings.iter().filter_map(|colon| Some((host[name..].find(colon)?, *colon)));
            if let Some((found, spelt)) = colons.min() {
                let colon = name + found;
                let port = &host[colon + spelt.len()..];
                // A longer text cannot be a port.
                if port.len() > 5 || !port.bytes().all(|digit| digit.is_ascii_digit()) {
                    let rest = &authority[at + colon + spelt.len()..];
                    for text in BTreeSet::from([port, rest]) {
                        self.secrets.push(Secret { text: text.to_owned(), before: spelt.to_owned() });
                    }
                    self.shown = self.shown.replacen(&format!("{spelt}{rest}"), "", 1);
                    return;
                }
            }
            at += host.len() + 1;
        }
    }

    /// The value of `password=`, in any spelling.
    fn take_options(&mut self, word: &str) {
        let of_name = |c: char| c.is_alphanumeric() || "%_-.".contains(c);
        for (equals, _) in word.match_indices('=') {
            let name = word[..equals].rsplit(|c| !of_name(c)).next().unwrap_or_default();
            let plain = decoded(name).to_lowercase();
            let plain = plain.trim_start_matches('-');
            if !BEGIN.iter().any(|begin| plain.starts_with(begin)) && !END.iter().any(|end| plain.ends_with(end)) {
                continue;
            }
            let (before, rest) = (&word[equals - name.len()..=equals], &word[equals + 1..]);
            let mut whole = &rest[..rest.find('&').unwrap_or(rest.len())];
            // Before the host, as in `user;password=...@host`.
            if let Some(host) =
                whole.rfind('@').filter(|_| word[..equals].contains("//") && !word[..equals].contains('?'))
            {
                whole = &whole[..host];
            }
            let first = &whole[..whole.find([' ', ';', '\'', '"']).unwrap_or(whole.len())];
            for text in BTreeSet::from([whole, first]).into_iter().filter(|text| !text.is_empty()) {
                self.secrets.push(Secret { text: text.to_owned(), before: before.to_owned() });
            }
            if !whole.is_empty() {
                self.shown = self.shown.replace(&format!("{before}{whole}"), before);
            }
        }
        self.secrets.retain(|secret| !secret.text.is_empty());
    }
}

/// Whether the targets of an engine are files.
fn names_files(scheme: &str) -> bool {
    ENGINES.engine(scheme).is_ok_and(|info| !info.target.contains("//"))
}

/// The forms of a text in messages: as typed, decoded, percent-encoded, quoted for a shell, escaped.
fn spelled(text: &str) -> BTreeSet<String> {
    const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
    let plain = decoded(text);
    let encoded = utf8_percent_encode(&plain, ENCODED);
    let in_lower_case = |part: &str| if part.starts_with('%') { part.to_lowercase() } else { part.to_owned() };
    let mut spelled = BTreeSet::from([encoded.to_string(), encoded.map(in_lower_case).collect()]);
    for text in [text, &plain] {
        let quoted = text.replace('\'', r"'\''");
        spelled.extend([text.to_owned(), quoted, text.escape_debug().to_string(), text.escape_default().to_string()]);
    }
    spelled
}

/// A text with percent-encoding decoded; invalid escapes stay.
fn decoded(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(typed: &str, text: &str) -> String {
        TypedSecrets::of(typed.split('|').map(str::to_owned)).hidden(text)
    }

    #[test]
    fn passwords_are_hidden_where_what_was_typed_is_quoted() {
        for (typed, said) in [
            ("db://scott:ti ger@h:1/x", "'db://scott@h:1/x'"),
            ("db//scott:t@ger@h", "'db//scott@h'"),
            ("db://h/x?a=1&password=S&b=2", "'db://h/x?a=1&password=&b=2'"),
            ("db://h/x?Password=S", "'db://h/x?Password='"),
            ("db://h/x?PWD=S", "'db://h/x?PWD='"),
            ("db://scott@corp:ti@ger@h:1/x", "'db://scott@corp@h:1/x'"),
            ("db://u:Geheim77", "'db://u'"),
            ("db://u:Ge,heim:77/x?a=1", "'db://u/x?a=1'"),
            ("db://u:19451945", "'db://u'"),
            ("db://h?pass%77ord=S&b=2", "'db://h?pass%77ord=&b=2'"),
            ("db://h?%50%41ss=S", "'db://h?%50%41ss='"),
            ("db://h?pw=S", "'db://h?pw='"),
            ("db://h?b=2&secret_of_mine=S", "'db://h?b=2&secret_of_mine='"),
            ("db://h?sslpassword=S", "'db://h?sslpassword='"),
            ("db://u;password=S@h:1/x", "'db://u;password=@h:1/x'"),
            ("db://u%3AS@h", "'db://u@h'"),
            ("db://u%3aS@h/x?b=2", "'db://u@h/x?b=2'"),
            ("db://h:5432,i:1/x", "'db://h:5432,i:1/x'"),
            ("db://[::1]:5432/x", "'db://[::1]:5432/x'"),
            ("db://::1/x", "'db://::1/x'"),
            ("db://%3A%3A1/x", "'db://%3A%3A1/x'"),
            ("db://%2Frun%2Fa%3Ab/x", "'db://%2Frun%2Fa%3Ab/x'"),
            ("sqlite:folder/me@work.db", "'sqlite:folder/me@work.db'"),
            ("scott/S@db", "'scott@db'"),
            ("scott:S@db", "'scott@db'"),
            ("db://scott/S@db", "'db://scott@db'"),
            ("db:/a//b:c.db", "'db:/a//b:c.db'"),
            ("db://scott@h/x", "'db://scott@h/x'"),
            ("/home/me@work.db", "'/home/me@work.db'"),
            ("src/me@work.db", "'src/me@work.db'"),
            ("T6*", "'T6*'"),
        ] {
            let text = format!("unexpected argument '{typed}' found");
            assert_eq!(shown(typed, &text), format!("unexpected argument {said} found"));
            assert_eq!(
                shown(&format!("--target={typed}"), &text),
                format!("unexpected argument {said} found"),
                "{typed}"
            );
        }
        assert!(contains_password("db://scott:tiger@h/x") && contains_password("db://h?PASSWORD=x"));
        assert!(!contains_password("db://scott@h:1/x"));
    }

    /// A part of what was typed, in a message about that part.
    #[test]
    fn passwords_are_hidden_with_what_stands_around_them() {
        assert_eq!(shown("db://scott/S@dbx", "no database 'S@dbx'"), "no database '@dbx'");
        assert_eq!(
            shown("db://h/x?Password=S", "there is no option Password=S here"),
            "there is no option Password= here"
        );
        // A message about the decoded text.
        assert_eq!(shown("db://u%3Aabc@h/x", "user u:abc@h is unknown"), "user u@h is unknown");
        assert_eq!(shown("db://h?pass%77ord=abc", "what is password=abc"), "what is password=");
        for typed in ["db://u:abcdef", "db://u%3Aabcdef", "db://u%3aabcdef/x"] {
            assert_eq!(shown(typed, "'abcdef' is no port"), "'***' is no port", "{typed}");
        }
        assert_eq!(shown("db://scott:abc@h:1/x", "user scott:abc@h is unknown"), "user scott@h is unknown");
    }

    #[test]
    fn every_spelling_of_a_long_password_is_hidden_wherever_it_stands() {
        let typed = "db://scott:ti%40g'er%20s@h/x";
        for spelling in ["ti%40g'er%20s", "ti@g'er s", "ti%40g%27er%20s", r"ti@g'\''er s", r"ti@g\'er s"] {
            assert_eq!(shown(typed, &format!("it says {spelling}, twice")), "it says ***, twice", "{spelling}");
        }
    }

    #[test]
    fn messages_stay_whole() {
        let said = "db://scott@h:1/x cannot be used: connecting to scott@h:1 failed: no route; see db://other@h";
        for typed in ["db://scott:tiger7@h:1/x", "db://scott:tig@h:1/x", "db://scott:s@h:1/x", "db://scott:scott1@h/x"]
        {
            assert_eq!(shown(typed, said), said, "{typed}");
        }
        // A user whose password is the user's name.
        assert_eq!(shown("db://dbdyno:dbdyno@h/x", "dbdyno: no user dbdyno"), "dbdyno: no user dbdyno");
    }
}
