//! Where passwords come from: the target, DBDYNO_PASSWORD, MYSQL_PWD, and the option file of the client programs.
//! Nothing here shows one; what is told is the place that it came from.

use super::options::Options;
use dbdyno_engine::secret::Secret;
use std::env;
use std::io::{ErrorKind, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The groups of an option file that are meant for clients of this server.
const GROUPS: [&str; 3] = ["client", "client-mariadb", "mariadb-client"];

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

/// Looks for the password.
pub(super) fn find(options: &Options) -> Found {
    if let Some(password) = &options.password {
        return Found::here(password.clone(), "the target or the prompt");
    }
    for name in ["DBDYNO_PASSWORD", "MYSQL_PWD"] {
        if let Some(password) = env::var(name).ok().filter(|password| !password.is_empty()) {
            return Found::here(Secret::new(password), name);
        }
    }
    let file = env::var_os("HOME").map(|home| PathBuf::from(home).join(".my.cnf"));
    file.map(|file| in_file(&file, &options.user)).unwrap_or_default()
}

/// Looks in an option file.
fn in_file(path: &Path, user: &str) -> Found {
    let passed_over = |why: String| Found { password: None, warning: Some(why) };
    let file = match dbdyno_files::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::InvalidInput => {
            return passed_over(format!("{} was ignored: {error}", path.display()));
        }
        Err(_) => return Found::default(),
    };
    let mut text = String::new();
    if let Err(error) = (&file).take(dbdyno_files::TEXT_BYTES).read_to_string(&mut text) {
        return passed_over(format!("{} was ignored: {error}", path.display()));
    }
    // A file without passwords is nobody's secret.
    let Some((theirs, password)) = client_password(&text) else { return Found::default() };
    match file.metadata() {
        Ok(about) if about.mode() & 0o077 != 0 => {
            let path = path.display();
            passed_over(format!("{path} was ignored, because others may read it: chmod 0600 {path}"))
        }
        Ok(_) => match theirs.filter(|theirs| theirs != user) {
            Some(theirs) => {
                passed_over(format!("the password in {} is that of {theirs}, not of {user}", path.display()))
            }
            None => Found::here(password, path.display().to_string()),
        },
        Err(error) => passed_over(format!("{} was ignored: {error}", path.display())),
    }
}

/// The password for clients, and whose it is if that is said: the last of each that stands in one of their groups, as
/// the client programs read it. Files that this one includes are not read.
fn client_password(text: &str) -> Option<(Option<String>, Secret)> {
    let (mut ours, mut user, mut password) = (false, None, None);
    for line in text.lines().map(str::trim) {
        if let Some(group) = line.strip_prefix('[') {
            ours = group.split_once(']').is_some_and(|(group, _)| GROUPS.contains(&group.trim()));
        } else if ours && !line.starts_with(['#', ';', '!']) {
            let Some((name, value)) = line.split_once('=') else { continue };
            match name.trim() {
                "user" => user = Some(value_of(value)),
                "password" => password = Some(value_of(value)),
                _ => {}
            }
        }
    }
    let password = password.filter(|password| !password.is_empty())?;
    Some((user.filter(|user| !user.is_empty()), Secret::new(password)))
}

/// A value as option files have it: a comment may follow it, quotes may stand around it, and a backslash may take the
/// next character for something else.
fn value_of(text: &str) -> String {
    let text = text.trim();
    let quote = text.chars().next().filter(|c| matches!(c, '\'' | '"'));
    let mut value = String::new();
    let mut characters = text.chars().skip(usize::from(quote.is_some()));
    while let Some(c) = characters.next() {
        match c {
            c if Some(c) == quote => return value,
            '#' if quote.is_none() => break,
            '\\' => match characters.next() {
                Some('b') => value.push('\u{8}'),
                Some('t') => value.push('\t'),
                Some('n') => value.push('\n'),
                Some('r') => value.push('\r'),
                Some('s') => value.push(' '),
                Some(other @ ('\\' | '\'' | '"')) => value.push(other),
                // Any other pair stands for itself.
                Some(other) => value.extend(['\\', other]),
                None => value.push('\\'),
            },
            c => value.push(c),
        }
    }
    if quote.is_none() { value.trim_end().to_owned() } else { value }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbdyno_engine::Target;
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;

    fn options(target: &str) -> Options {
        Options::parse(&Target::parse(target).unwrap()).unwrap()
    }

    fn read(text: &str) -> Option<(Option<String>, String)> {
        client_password(text).map(|(user, password)| (user, password.reveal().to_owned()))
    }

    #[test]
    fn values_are_read_as_the_client_programs_read_them() {
        for (text, value) in [
            ("tiger", "tiger"),
            (" tiger # mine", "tiger"),
            ("'ti#ger ' # mine", "ti#ger "),
            ("\"ti'ger\"", "ti'ger"),
            (r"ti\sger\\", r"ti ger\"),
            (r"ti\ger", r"ti\ger"),
            (r"'ti\'ger'", "ti'ger"),
            ("ti=ger", "ti=ger"),
            // A quote that nothing closes reaches to the end of the line.
            ("'ti#ger", "ti#ger"),
            ("", ""),
        ] {
            assert_eq!(value_of(text), value, "{text}");
        }
    }

    #[test]
    fn the_last_password_of_the_clients_groups_counts() {
        let text = "[mysqld]\npassword=server\n[client]\nuser = scott\npassword = first\n[mysqldump]\npassword=dump\n\
                    [client-mariadb]\npassword=second\n#password=third\n";
        assert_eq!(read(text), Some((Some("scott".to_owned()), "second".to_owned())));
        assert_eq!(read("[ mariadb-client ] # x\npassword=tiger\n"), Some((None, "tiger".to_owned())));
        for text in ["password=tiger", "[client]\npassword\n", "[client]\npassword=\n", "[client]\nuser=scott\n", ""] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn files_that_others_read_or_that_are_of_others_are_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("my.cnf");
        fs::write(&file, "[client]\nuser=scott\npassword=tiger\n").unwrap();
        fs::set_permissions(&file, Permissions::from_mode(0o600)).unwrap();
        let found = in_file(&file, "scott");
        assert_eq!((found.password(), found.place()), (Some(&Secret::new("tiger")), file.to_str()));
        assert!(!format!("{found:?}").contains("tiger"));
        let found = in_file(&file, "adams");
        assert!(found.password().is_none() && found.warning().unwrap().contains("is that of scott, not of adams"));
        for mode in [0o640, 0o604] {
            fs::set_permissions(&file, Permissions::from_mode(mode)).unwrap();
            let found = in_file(&file, "scott");
            assert!(found.password().is_none() && found.warning().unwrap().contains("chmod 0600"), "{found:?}");
        }
        // Where there is no password, nobody need be told.
        fs::write(&file, "[client]\nuser=scott\n").unwrap();
        assert_eq!(in_file(&file, "scott"), Found::default());
        assert_eq!(in_file(&folder.path().join("none"), "scott"), Found::default());
        let pipe = folder.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").args(["-m", "600"]).arg(&pipe).status().unwrap().success());
        for other in [folder.path(), &pipe] {
            assert!(in_file(other, "scott").warning().unwrap().contains("was ignored"));
        }
    }

    #[test]
    fn a_password_of_the_target_comes_first() {
        let options = options("mariadb://scott:tiger@db1/x");
        let found = find(&options);
        assert_eq!((found.password(), found.place()), (Some(&Secret::new("tiger")), Some("the target or the prompt")));
        assert!(!format!("{found:?} {options:?}").contains("tiger"));
    }
}
