//! Where passwords come from: the target, DBDYNO_PASSWORD, PGPASSWORD, and libpq's password file. Nothing here shows
//! one; what is told is the place that it came from.

use super::options::{Address, Host, Options};
use dbdyno_engine::secret::Secret;
use std::env;
use std::io::{ErrorKind, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// libpq's word for "whatever the socket" in its password file.
const LOCALHOST: &str = "localhost";

/// What was found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Found {
    password: Option<(Secret, String)>,
    warning: Option<String>,
}

impl Found {
    /// The password, if there is any.
    pub(super) fn password(&self) -> Option<&Secret> {
        self.password.as_ref().map(|(password, _)| password)
    }

    /// Where it came from.
    pub(super) fn place(&self) -> Option<&str> {
        self.password.as_ref().map(|(_, place)| place.as_str())
    }

    /// Why a place was passed over.
    pub(super) fn warning(&self) -> Option<&str> {
        self.warning.as_deref()
    }

    fn here(password: Secret, place: impl Into<String>) -> Self {
        Self { password: Some((password, place.into())), warning: None }
    }
}

/// Looks for the password for a host.
pub(super) fn find(options: &Options, host: &Host) -> Found {
    if let Some(password) = &options.password {
        return Found::here(password.clone(), "the target or the prompt");
    }
    for name in ["DBDYNO_PASSWORD", "PGPASSWORD"] {
        if let Some(password) = env::var(name).ok().filter(|password| !password.is_empty()) {
            return Found::here(Secret::new(password), name);
        }
    }
    let named = env::var_os("PGPASSFILE").filter(|name| !name.is_empty()).map(PathBuf::from);
    let file = named.or_else(|| env::var_os("HOME").map(|home| Path::new(&home).join(".pgpass")));
    file.map(|file| in_file(&file, options, host)).unwrap_or_default()
}

/// Looks in a password file: the first line counts whose fields all match.
fn in_file(path: &Path, options: &Options, host: &Host) -> Found {
    let passed_over = |why: String| Found { password: None, warning: Some(why) };
    let file = match dbdyno_files::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::InvalidInput => {
            return passed_over(format!("{} was ignored: {error}", path.display()));
        }
        Err(_) => return Found::default(),
    };
    let mut text = String::new();
    match file.metadata() {
        Ok(about) if about.mode() & 0o077 != 0 => {
            let path = path.display();
            return passed_over(format!("{path} was ignored, because others may read it: chmod 0600 {path}"));
        }
        Ok(_) => {}
        Err(error) => return passed_over(format!("{} was ignored: {error}", path.display())),
    }
    if let Err(error) = file.take(dbdyno_files::TEXT_BYTES).read_to_string(&mut text) {
        return passed_over(format!("{} was ignored: {error}", path.display()));
    }
    let host_name = match &host.address {
        Address::Tcp(name) => name.clone(),
        // Lines for a server's usual socket say `localhost`.
        Address::Socket(folder) if is_usual(folder) => LOCALHOST.to_owned(),
        Address::Socket(folder) => folder.to_string_lossy().into_owned(),
    };
    let port = host.port.to_string();
    let wanted = [host_name.as_str(), &port, &options.database, &options.user];
    let password = text.lines().find_map(|line| matching(line, &wanted));
    password.map(|password| Found::here(password, path.display().to_string())).unwrap_or_default()
}

fn is_usual(folder: &Path) -> bool {
    [Path::new("/var/run/postgresql"), Path::new("/tmp")].contains(&folder)
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
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;

    fn line(line: &str, wanted: [&str; 4]) -> Option<String> {
        matching(line, &wanted).map(|password| password.reveal().to_owned())
    }

    fn options(target: &str) -> Options {
        Options::parse(&Target::parse(target).unwrap()).unwrap()
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
    fn the_first_line_that_matches_counts_and_files_that_others_read_do_not() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("pgpass");
        let lines = "# mine\ndb2:*:*:*:other\n/run/pg:*:*:*:socket\n*:*:*:scott:first\n*:*:*:scott:second\n";
        fs::write(&file, lines).unwrap();
        fs::set_permissions(&file, Permissions::from_mode(0o600)).unwrap();
        let find = |target: &str| in_file(&file, &options(target), &options(target).hosts[0]);
        let found = find("postgres://scott@db1/x");
        assert_eq!((found.password(), found.place()), (Some(&Secret::new("first")), file.to_str()));
        assert_eq!(find("postgres://u@/x?host=/run/pg").password(), Some(&Secret::new("socket")));
        assert_eq!(find("postgres://u@db1/x"), Found::default());
        for mode in [0o640, 0o604] {
            fs::set_permissions(&file, Permissions::from_mode(mode)).unwrap();
            let found = find("postgres://scott@db1/x");
            assert!(found.password().is_none() && found.warning().unwrap().contains("chmod 0600"), "{found:?}");
        }
        let scott = options("postgres://scott@db1/x");
        assert_eq!(in_file(&folder.path().join("none"), &scott, &scott.hosts[0]), Found::default());
        let pipe = folder.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").args(["-m", "600"]).arg(&pipe).status().unwrap().success());
        for other in [folder.path(), &pipe] {
            assert!(in_file(other, &scott, &scott.hosts[0]).warning().unwrap().contains("no plain file"));
        }
    }

    #[test]
    fn a_password_of_the_target_comes_first() {
        let options = options("postgres://scott:tiger@db1/x");
        let found = find(&options, &options.hosts[0]);
        assert_eq!((found.password(), found.place()), (Some(&Secret::new("tiger")), Some("the target or the prompt")));
        assert!(!format!("{found:?} {options:?}").contains("tiger"));
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
