//! Passwords that stand in a text that is about to be shown. A target hides its own, but what was typed may never have
//! become a target: a URL in the place of a test, or one that was not understood, is quoted in an error message.

/// The text without the passwords of URLs and of `password=` options. Rather too much is hidden than too little: what
/// stands between a user's colon and the last `@` of the line goes, and whatever else looks like the end of a login.
pub(crate) fn hidden(text: &str) -> String {
    text.split_inclusive('\n').map(|line| without_options(&without_user_passwords(line))).collect()
}

/// Whether a target as typed has a password in it.
pub(crate) fn contains_password(target: &str) -> bool {
    hidden(target) != target
}

fn without_user_passwords(line: &str) -> String {
    let Some((before, after)) = line.split_once("//") else { return line.to_owned() };
    let Some((user, _)) = after.split_once('@') else { return line.to_owned() };
    if let Some((user, _)) = user.split_once(':') {
        // A password as typed may hold anything, blanks and `@` too.
        let host = after.rsplit('@').next().unwrap_or_default();
        return format!("{before}//{user}@{host}");
    }
    // A login without a password, as every target is shown; the line may name another. A colon and an `@` in the rest of
    // the word make it doubtful where the user's name ends.
    let rest = &after[user.len()..];
    let (word, rest) = rest.split_at(rest.find(char::is_whitespace).unwrap_or(rest.len()));
    let word = match (word.split_once(':'), word.rsplit_once('@')) {
        (Some((more, _)), Some((login, host))) if login.contains(':') => format!("{more}@{host}"),
        _ => word.to_owned(),
    };
    format!("{before}//{user}{word}{}", without_user_passwords(rest))
}

fn without_options(line: &str) -> String {
    const OPTION: &str = "password=";
    let mut parts = line.split(OPTION);
    let mut shown = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        shown.push_str(OPTION);
        shown.push_str(&part[part.find(['&', '\'', '\n', ' ']).unwrap_or(part.len())..]);
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_are_hidden_wherever_they_were_typed() {
        for (typed, shown) in [
            ("unexpected argument 'db://scott:ti ger@h:1/x' found", "unexpected argument 'db://scott@h:1/x' found"),
            ("'db//scott:t@ger@h' is no target", "'db//scott@h' is no target"),
            ("db://h/x?a=1&password=tiger&b=2\nnext", "db://h/x?a=1&password=&b=2\nnext"),
            ("db:/a//b:c.db", "db:/a//b:c.db"),
            ("db://scott@h/x", "db://scott@h/x"),
            ("db://scott@corp:ti@ger@h:1/x", "db://scott@corp@h:1/x"),
            ("db://scott@h:1/x is empty: load db://scott@h:1/x", "db://scott@h:1/x is empty: load db://scott@h:1/x"),
            ("db://scott@h/x is no 'db://scott:ti ger@h/x'", "db://scott@h/x is no 'db://scott@h/x'"),
        ] {
            assert_eq!(hidden(typed), shown);
        }
        assert!(contains_password("db://scott:tiger@h/x") && !contains_password("db://scott@h:1/x"));
    }
}
