//! Where passwords come from: the target, DBDYNO_PASSWORD, MYSQL_PWD, and the option file of the client programs.
//! Nothing here shows one; what is told is the place that it came from.

use super::options::Options;
use dbdyno_engine::secret::Secret;
use dbdyno_engine::server::password::FoundPassword;
use std::env;
use std::path::PathBuf;

/// The groups of an option file that are meant for clients of this server.
const GROUPS: [&str; 3] = ["client", "client-mariadb", "mariadb-client"];

/// Looks for the password.
pub(super) fn find(options: &Options) -> FoundPassword {
    let file = env::var_os("HOME").map(|home| PathBuf::from(home).join(".my.cnf"));
    FoundPassword::look(options.password.as_ref(), Some("MYSQL_PWD"))
        .or_in_file(file.as_deref(), |text| in_text(text, &options.user))
}

/// The password in the text of an option file, if it is this user's.
fn in_text(text: &str, user: &str) -> Result<Option<Secret>, String> {
    match client_password(text) {
        Some((Some(theirs), _)) if theirs != user => Err(format!("is that of {theirs}, not of {user}")),
        found => Ok(found.map(|(_, password)| password)),
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
    fn a_password_is_for_the_user_that_it_is_said_to_be_of() {
        let text = "[client]\nuser=scott\npassword=tiger\n";
        assert_eq!(in_text(text, "scott"), Ok(Some(Secret::new("tiger"))));
        assert_eq!(in_text(text, "adams"), Err("is that of scott, not of adams".to_owned()));
        assert_eq!(in_text("[client]\npassword=tiger\n", "adams"), Ok(Some(Secret::new("tiger"))));
        assert_eq!(in_text("[client]\nuser=scott\n", "scott"), Ok(None));
    }
}
