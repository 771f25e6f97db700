//! Where passwords come from: the target, DBDYNO_PASSWORD, PGPASSWORD, and libpq's password file. Nothing here shows
//! one; what is told is the place that it came from.

use super::options::{Address, Host, Options, SOCKET_FOLDERS};
use dbdyno_engine::secret::Secret;
use dbdyno_engine::server::password::FoundPassword;
use std::env;
use std::path::{Path, PathBuf};

/// libpq's word for "whatever the socket" in its password file.
const LOCALHOST: &str = "localhost";

/// Looks for the password for a host.
pub(super) fn find(options: &Options, host: &Host) -> FoundPassword {
    let named = env::var_os("PGPASSFILE").filter(|name| !name.is_empty()).map(PathBuf::from);
    let file = named.or_else(|| env::var_os("HOME").map(|home| Path::new(&home).join(".pgpass")));
    FoundPassword::look(options.password.as_ref(), Some("PGPASSWORD"))
        .or_in_file(file.as_deref(), |text| Ok(in_text(text, options, host)))
}

/// The password in the text of a password file: the first line counts whose fields all match.
fn in_text(text: &str, options: &Options, host: &Host) -> Option<Secret> {
    let name = match &host.address {
        Address::Tcp(name) => name.clone(),
        Address::Socket(path) => {
            let folder = path.parent().unwrap_or(path);
            // Lines for a server's usual socket say `localhost`.
            let is_usual = SOCKET_FOLDERS.iter().any(|usual| folder == Path::new(usual));
            if is_usual { LOCALHOST.to_owned() } else { folder.to_string_lossy().into_owned() }
        }
    };
    let port = host.port.to_string();
    let wanted = [name.as_str(), &port, &options.database, &options.user];
    text.lines().find_map(|line| matching(line, &wanted))
}

/// The password of a line, `host:port:database:user:password`, whose first four fields are those wanted or `*`.
fn matching(line: &str, wanted: &[&str; 4]) -> Option<Secret> {
    if line.starts_with('#') {
        return None;
    }
    let mut rest = line;
    for wanted in wanted {
        let (field, after) = field(rest);
        if rest[..rest.len() - after.map_or(0, |after| after.len() + 1)] != *"*" && field != **wanted {
            return None;
        }
        rest = after?;
    }
    let (password, _) = field(rest);
    (!password.is_empty()).then(|| Secret::new(password))
}

/// The text up to the next colon, and what follows that. A backslash takes the next character as it is.
fn field(text: &str) -> (String, Option<&str>) {
    let mut field = String::new();
    let mut characters = text.char_indices();
    while let Some((at, c)) = characters.next() {
        match c {
            ':' => return (field, Some(&text[at + 1..])),
            '\\' => field.extend(characters.next().map(|(_, escaped)| escaped)),
            c => field.push(c),
        }
    }
    (field, None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbdyno_engine::Target;
    use proptest::prelude::*;

    fn line(line: &str, wanted: [&str; 4]) -> Option<String> {
        matching(line, &wanted).map(|password| password.reveal().to_owned())
    }

    #[test]
    fn lines_match_by_field_with_escapes_and_wildcards() {
        let wanted = ["db1", "5432", "sales", "scott"];
        for (text, password) in [
            ("db1:5432:sales:scott:tiger", Some("tiger")),
            ("*:*:*:*:tiger", Some("tiger")),
            (r"*:*:*:scott:ti\:g\\er", Some(r"ti:g\er")),
            ("db1:5432:sales:scott:ti:ger", Some("ti")),
            ("db1:5432:sales:scott:", None),
            ("db1:5432:sales:scott", None),
            ("db2:5432:sales:scott:tiger", None),
            ("db1:5433:sales:scott:tiger", None),
            ("db1*:5432:sales:scott:tiger", None),
            (r"\*:5432:sales:scott:tiger", None),
            ("# *:*:*:*:tiger", None),
            ("", None),
        ] {
            assert_eq!(line(text, wanted).as_deref(), password, "{text}");
        }
        assert_eq!(line(r"\*:1:d:u:tiger", ["*", "1", "d", "u"]).as_deref(), Some("tiger"));
        assert_eq!(line(r"\:\:1:1:d:u:tiger", ["::1", "1", "d", "u"]).as_deref(), Some("tiger"));
    }

    #[test]
    fn the_first_line_that_matches_counts() {
        let lines = "# mine\ndb2:*:*:*:other\n/run/pg:*:*:*:socket\nlocalhost:*:*:u:usual\n*:*:*:scott:first\n*:*:*:scott:second\n";
        for (target, password) in [
            ("postgres://scott@db1/x", Some("first")),
            ("postgres://u@/x?host=/run/pg", Some("socket")),
            ("postgres://u@/x?host=/var/run/postgresql", Some("usual")),
            ("postgres://u@db1/x", None),
        ] {
            let options = Options::parse(&Target::parse(target).unwrap()).unwrap();
            let found = in_text(lines, &options, options.host(0));
            assert_eq!(found, password.map(Secret::new), "{target}");
        }
    }

    proptest! {
        /// Whatever a password is, its escaped form gives it back.
        #[test]
        fn escaped_passwords_come_through(password in r"[^\x00\r\n]{1,20}") {
            let escaped = password.replace('\\', r"\\").replace(':', r"\:");
            prop_assert_eq!(line(&format!("h:1:d:u:{escaped}"), ["h", "1", "d", "u"]), Some(password));
        }
    }
}
