//! The users of this system, as `/etc/passwd` lists them (`man 5 passwd`).

/// One of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct User {
    /// The name.
    pub name: String,
    /// The number.
    pub uid: u32,
    /// The group that is the user's first.
    pub gid: u32,
}

/// Those of this system; none where nothing lists them.
pub fn of_this_system() -> Vec<User> {
    listed(&std::fs::read_to_string("/etc/passwd").unwrap_or_default())
}

/// Those of a list. Lines that name nobody are left out.
pub fn listed(passwd: &str) -> Vec<User> {
    passwd.lines().filter_map(user).collect()
}

fn user(line: &str) -> Option<User> {
    let fields: Vec<&str> = line.split(':').collect();
    let number = |n: usize| fields.get(n)?.parse().ok();
    Some(User { name: fields[0].to_owned(), uid: number(2)?, gid: number(3)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users_are_read_from_their_file() {
        let passwd = "root:x:0:0:root:/root:/bin/bash\ndb:x:101:104:,,,:/var/lib/db:/bin/bash\nbroken:x\n\n+::::::\n";
        let root = User { name: "root".to_owned(), uid: 0, gid: 0 };
        assert_eq!(listed(passwd), [root, User { name: "db".to_owned(), uid: 101, gid: 104 }]);
    }
}
