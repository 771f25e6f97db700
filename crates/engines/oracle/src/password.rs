//! Where passwords come from: the target or the prompt, and DBDYNO_PASSWORD. Oracle's own store of passwords, the
//! wallet `cwallet.sso`, can be read by Oracle's libraries alone. Nothing here shows one; what is told is the place
//! that it came from.

use super::options::Options;
use dbdyno_engine::secret::Secret;
use dbdyno_engine::server::password::{FoundPassword, in_environment};

/// The password of a wallet's private key. It has none where the wallet's key is not encrypted.
const WALLET_PASSWORD: &str = "DBDYNO_WALLET_PASSWORD";

/// Looks for the password of the database's account.
pub(super) fn find(options: &Options) -> FoundPassword {
    FoundPassword::look(options.password.as_ref(), None)
}

/// Looks for the password of the wallet.
pub(super) fn of_wallet() -> Option<Secret> {
    in_environment(WALLET_PASSWORD).map(|(password, _)| password)
}
