//! Where passwords come from: the target or the prompt, and DBDYNO_PASSWORD. Oracle's own store of passwords, the
//! wallet `cwallet.sso`, can be read by Oracle's libraries alone. Nothing here shows one; what is told is the place
//! that it came from.

use super::options::Options;
use dbdyno_engine::secret::Secret;
use std::env;

/// The password of the database's account.
const PASSWORD: &str = "DBDYNO_PASSWORD";
/// The password of a wallet's private key. It has none where the wallet's key is not encrypted.
const WALLET_PASSWORD: &str = "DBDYNO_WALLET_PASSWORD";

/// What was found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Found {
    password: Option<(Secret, &'static str)>,
}

impl Found {
    /// The password, if there is any.
    pub(super) fn password(&self) -> Option<&Secret> {
        self.password.as_ref().map(|(password, _)| password)
    }

    /// Where it came from.
    pub(super) fn place(&self) -> Option<&'static str> {
        self.password.as_ref().map(|(_, place)| *place)
    }
}

/// Looks for the password.
pub(super) fn find(options: &Options) -> Found {
    let here = options.password.clone().map(|password| (password, "the target or the prompt"));
    Found { password: here.or_else(|| in_environment(PASSWORD).map(|password| (password, PASSWORD))) }
}

/// Looks for the password of the wallet.
pub(super) fn of_wallet() -> Option<Secret> {
    in_environment(WALLET_PASSWORD)
}

fn in_environment(name: &str) -> Option<Secret> {
    env::var(name).ok().filter(|password| !password.is_empty()).map(Secret::new)
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbdyno_engine::Target;

    #[test]
    fn the_targets_own_password_comes_first_and_is_not_shown() {
        let target = Target::parse("oracle://scott:ti%2Fger@h/s").unwrap();
        let found = find(&Options::parse(&target).unwrap());
        assert_eq!(found.password().map(Secret::reveal), Some("ti/ger"));
        assert_eq!(found.place(), Some("the target or the prompt"));
        assert!(!format!("{found:?}").contains("ger"));
    }
}
