//! What of a statement's text may be shown to whoever looks at a monitor. A text of which the server says that it has
//! normalised it is believed no further than it looks: servers keep the text of utility statements as it was sent,
//! passwords included, and that of others where they had no room for it. So only statements that read or change rows
//! are shown as they are, numbers and comments left out, and none that has a literal in quotes. Of all others there is
//! a tag of known words.

/// How a product writes SQL, as far as literals have to be found in it.
#[derive(Debug, Clone, Copy)]
pub struct SqlStyle {
    /// Whether a comment may begin with `#`.
    pub hash_comments: bool,
    /// Whether what stands in double quotes is a name; a literal where not.
    pub double_quotes_name: bool,
}

/// The longest text that is shown, in characters.
const LONGEST: usize = 500;
/// What is shown of a statement that begins with no known word.
pub const UNKNOWN: &str = "(not shown)";

/// What reads or changes rows, and is normalised by servers that normalise.
const NORMALISED: [&str; 9] = ["SELECT", "INSERT", "UPDATE", "DELETE", "MERGE", "WITH", "VALUES", "TABLE", "REPLACE"];

/// What else a statement may begin with.
const VERBS: &str = "ABORT ALTER ANALYZE ANALYSE BACKUP BEGIN BINLOG CACHE CALL CHANGE CHECK CHECKPOINT CHECKSUM CLOSE \
    CLUSTER COMMENT COMMIT COPY CREATE DEALLOCATE DECLARE DESC DESCRIBE DISCARD DO DROP END EXEC EXECUTE EXPLAIN \
    FETCH FLUSH GET GRANT HANDLER HELP IMPORT INSTALL KILL LISTEN LOAD LOCK MOVE NOTIFY OPTIMIZE PREPARE PURGE REASSIGN \
    REFRESH REINDEX RELEASE RENAME REPAIR RESET RESIGNAL REVOKE ROLLBACK SAVEPOINT SECURITY SET SHOW SHUTDOWN SIGNAL \
    START STOP TRUNCATE UNINSTALL UNLISTEN UNLOCK USE VACUUM XA";

/// What follows such a word and says what it is about.
const KINDS: &str = "AGGREGATE ALL BINARY CAST COLLATION CONVERSION DATABASE DOMAIN EVENT EXTENSION FUNCTION GLOBAL \
    GROUP IMMEDIATE INDEX LANGUAGE LOCAL MASTER OPERATOR PACKAGE PASSWORD POLICY PREPARED PROCEDURE PROCESSLIST \
    PUBLICATION REPLICA ROLE RULE SCHEMA SEQUENCE SERVER SESSION SLAVE STATEMENT STATISTICS STATUS SUBSCRIPTION SYSTEM \
    TABLE TABLES TABLESPACE TRANSACTION TRIGGER TYPE USER VARIABLES VIEW";

/// What may stand between the two.
const BETWEEN: &str = "OR REPLACE TEMP TEMPORARY UNIQUE MATERIALIZED FOREIGN UNLOGGED DEFINER";

fn is_among(words: &str, word: &str) -> bool {
    words.split_ascii_whitespace().any(|known| known == word)
}

/// What is shown of a text that the server has normalised.
#[must_use]
pub fn shown(text: &str, style: SqlStyle) -> String {
    let mut words = Words { rest: text, style };
    match words.next() {
        Some(word) if NORMALISED.contains(&word.as_str()) => clean(text, style).unwrap_or(word),
        _ => verb(text, style),
    }
}

/// What is shown of a text as it was sent: what it begins with, if that is known.
#[must_use]
pub fn verb(text: &str, style: SqlStyle) -> String {
    let mut words = Words { rest: text, style };
    let Some(first) = words.next() else { return UNKNOWN.to_owned() };
    if NORMALISED.contains(&first.as_str()) {
        return first;
    }
    if !is_among(VERBS, &first) {
        return UNKNOWN.to_owned();
    }
    // Some products' digests call a user so.
    let mut words = words.map(|word| if word == "SYSTEM_USER" { "USER".to_owned() } else { word });
    let kind = words.find(|word| !is_among(BETWEEN, word));
    match kind.filter(|word| is_among(KINDS, word)) {
        Some(kind) => format!("{first} {kind}"),
        None => first,
    }
}

/// The words that a text begins with, in capitals; what is neither a word, a comment nor a parenthesis ends them.
struct Words<'t> {
    rest: &'t str,
    style: SqlStyle,
}

impl Iterator for Words<'_> {
    type Item = String;

    fn next(&mut self) -> Option<String> {
        loop {
            self.rest = self.rest.trim_start_matches(|c: char| c.is_whitespace() || c == '(' || c == ';');
            match after_comment(self.rest, self.style) {
                Some(rest) => self.rest = rest,
                None => break,
            }
        }
        let end = self.rest.find(|c: char| !is_of_word(c)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        // A quote right behind a word makes it the beginning of a literal.
        (!word.is_empty() && !rest.starts_with('\'')).then(|| word.to_ascii_uppercase())
    }
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// What follows the comment that a text begins with; none where it begins with none.
fn after_comment(text: &str, style: SqlStyle) -> Option<&str> {
    if text.starts_with("--") || (style.hash_comments && text.starts_with('#')) {
        return Some(text.split_once('\n').map_or("", |(_, rest)| rest));
    }
    let mut rest = text.strip_prefix("/*")?;
    let mut depth = 1;
    while depth > 0 {
        let Some(at) = rest.find(['*', '/']) else { return Some("") };
        rest = &rest[at..];
        if let Some(inner) = rest.strip_prefix("/*") {
            (depth, rest) = (depth + 1, inner);
        } else if let Some(outer) = rest.strip_prefix("*/") {
            (depth, rest) = (depth - 1, outer);
        } else {
            rest = &rest[1..];
        }
    }
    Some(rest)
}

/// A text without comments and numbers; none where it has a literal in quotes, or something that may be one.
fn clean(text: &str, style: SqlStyle) -> Option<String> {
    let (mut out, mut rest) = (String::new(), text.trim());
    while let Some(c) = rest.chars().next() {
        if let Some(after) = after_comment(rest, style) {
            rest = after;
            space(&mut out);
            continue;
        }
        let length = match c {
            '\'' => return None,
            '"' if !style.double_quotes_name => return None,
            '"' | '`' => {
                let end = rest[1..].find(c)? + 1;
                // What looks like a literal there is none, and is left out all the same.
                (!rest[1..end].contains(['\'', '"', '$'])).then_some(end + 1)?
            }
            '$' => {
                let digits = rest[1..].find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len() - 1);
                // A literal may stand between dollars.
                (digits > 0).then_some(digits + 1)?
            }
            c if c.is_numeric() => {
                out.push('?');
                rest = rest.trim_start_matches(|c: char| is_of_word(c) || c == '.');
                continue;
            }
            c if is_of_word(c) => {
                let end = rest.find(|c: char| !is_of_word(c) && c != '$').unwrap_or(rest.len());
                // A name may have dollars. Two in a row look like the edge of a literal.
                (!rest[..end].contains("$$")).then_some(end)?
            }
            c if c.is_whitespace() => {
                rest = rest.trim_start();
                space(&mut out);
                continue;
            }
            c => c.len_utf8(),
        };
        let (part, after) = rest.split_at(length);
        out.push_str(part);
        rest = after;
    }
    let out = out.trim_end();
    Some(match out.char_indices().nth(LONGEST) {
        Some((end, _)) => out[..end].to_owned(),
        None => out.to_owned(),
    })
}

fn space(out: &mut String) {
    if !out.is_empty() && !out.ends_with(' ') {
        out.push(' ');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const NAMES_QUOTED: SqlStyle = SqlStyle { hash_comments: false, double_quotes_name: true };
    const TEXTS_QUOTED: SqlStyle = SqlStyle { hash_comments: true, double_quotes_name: false };

    #[test]
    fn what_servers_have_normalised_is_shown_without_comments_and_numbers() {
        for (text, expected) in [
            ("SELECT a FROM t WHERE b = $1 AND c2 = $23", "SELECT a FROM t WHERE b = $1 AND c2 = $23"),
            ("/* 4711 */ select \"A b\" -- it's\n from t order by 1", "select \"A b\" from t order by ?"),
            ("(select 0x1F, 1.5e3, x_1)", "(select ?, ?, x_1)"),
            (
                "WITH w AS (SELECT $1) INSERT INTO t SELECT * FROM w",
                "WITH w AS (SELECT $1) INSERT INTO t SELECT * FROM w",
            ),
        ] {
            assert_eq!(shown(text, NAMES_QUOTED), expected);
        }
        let digest = "SELECT `a` FROM `t` WHERE `b` = ? # no\n LIMIT ?";
        assert_eq!(shown(digest, TEXTS_QUOTED), "SELECT `a` FROM `t` WHERE `b` = ? LIMIT ?");
        assert_eq!(shown(&format!("SELECT {}", "é".repeat(900)), NAMES_QUOTED).chars().count(), LONGEST);
    }

    #[test]
    fn no_literal_gets_out() {
        for (text, expected) in [
            ("/* x */ alter user u identified by 'secret'", "ALTER USER"),
            ("-- secret\nALTER ROLE u PASSWORD 'secret'", "ALTER ROLE"),
            ("create or replace user u identified by 'secret'", "CREATE USER"),
            ("EXPLAIN ANALYZE CREATE ROLE u PASSWORD 'secret'", "EXPLAIN"),
            ("SET PASSWORD = 'secret'", "SET PASSWORD"),
            ("SET secret = secret", "SET"),
            ("set statement max_statement_time = 4711 for select 'secret'", "SET STATEMENT"),
            ("PREPARE p AS SELECT 'secret'", "PREPARE"),
            ("DO $$ BEGIN PERFORM secret; END $$", "DO"),
            ("CALL p('secret')", "CALL"),
            ("EXECUTE IMMEDIATE 'alter user u identified by ''secret'''", "EXECUTE IMMEDIATE"),
            ("COPY t FROM PROGRAM 'secret'", "COPY"),
            ("SELECT $tag$secret$tag$", "SELECT"),
            ("select $$secret$$", "SELECT"),
            ("SELECT=a$$", "SELECT"),
            ("SELECT a FROM v$s", "SELECT a FROM v$s"),
            ("SELECT E'secret'", "SELECT"),
            ("( select 'secret'", "SELECT"),
            ("((SELECT U&'secret'))", "SELECT"),
            ("INSERT INTO t VALUES (4711, 'secret')", "INSERT"),
            ("INSERT INTO t VALUES (4711, 47.11, -4711)", "INSERT INTO t VALUES (?, ?, -?)"),
            ("UPDATE t SET a = /* 'secret' */ 4711", "UPDATE t SET a = ?"),
            ("/* a /* b */ 'secret' */ DELETE FROM t", "DELETE FROM t"),
            ("/* secret", UNKNOWN),
            ("'secret'", UNKNOWN),
            ("secret", UNKNOWN),
            ("select'secret'", UNKNOWN),
            ("SELECT \"secret", "SELECT"),
            ("SELECT a AS \"'secret'\"", "SELECT"),
            ("\u{feff}ALTER USER u PASSWORD 'secret'", UNKNOWN),
            ("<insufficient privilege>", UNKNOWN),
            ("", UNKNOWN),
        ] {
            assert_eq!(shown(text, NAMES_QUOTED), expected, "{text}");
        }
        for (text, expected) in [
            ("select \"secret\"", "SELECT"),
            ("CREATE SYSTEM_USER `v` IDENTIFIED BY ?", "CREATE USER"),
            ("# secret\nselect ?", "select ?"),
            ("/*! alter user u identified by 'secret' */", UNKNOWN),
            ("/*!40101 SET x = 'secret' */ SELECT ?", "SELECT ?"),
            ("insert into t values (0xDEAD, x'4711')", "INSERT"),
        ] {
            assert_eq!(shown(text, TEXTS_QUOTED), expected, "{text}");
        }
        // As it was sent, nothing but its first words.
        assert_eq!(verb("SELECT secret FROM t", NAMES_QUOTED), "SELECT");
    }

    proptest! {
        /// Whatever the text: what is shown has no quote, and no number that is not a parameter's or a name's.
        #[test]
        fn what_is_shown_has_no_quotes(text in "(SELECT|insert |/\\*)?[a-z0-9'\"$*/ #\n(=-]{0,40}") {
            for style in [NAMES_QUOTED, TEXTS_QUOTED] {
                let shown = shown(&text, style);
                prop_assert!(!shown.contains('\''));
                prop_assert!(style.double_quotes_name || !shown.contains('"'));
                prop_assert!(!shown.contains("$$"));
            }
        }
    }
}
