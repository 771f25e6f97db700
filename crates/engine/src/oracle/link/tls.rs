//! The algorithms that TLS is made with. The driver takes the process's own, and stops short where nobody has chosen any
//! although the build has two kinds.

/// Chooses the algorithms, unless somebody has.
#[cfg(any(feature = "postgres", feature = "mariadb"))]
pub(super) fn prepare() {
    use rustls::crypto::{CryptoProvider, ring};
    if CryptoProvider::get_default().is_none() {
        // Whoever was quicker has chosen as well.
        _ = ring::default_provider().install_default();
    }
}

/// Without the other engines the build has the driver's own kind alone.
#[cfg(not(any(feature = "postgres", feature = "mariadb")))]
pub(super) fn prepare() {}
