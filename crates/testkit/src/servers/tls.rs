//! Certificates of scratch servers, made with openssl.

use super::client::run;
use dbdyno_engine::servers::Account;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

/// File names.
pub(super) const CERTIFICATE: &str = "server.crt";
pub(super) const KEY: &str = "server.key";
pub(super) const AUTHORITY: &str = "authority.crt";

/// A certificate.
#[derive(Debug, Clone)]
pub(super) struct Certificate {
    pub(super) names: String,
    pub(super) self_signed: bool,
}

impl Certificate {
    /// Makes it in a folder with its key, which belongs to the server's user, and the signing authority's certificate.
    pub(super) fn make(&self, folder: &Path, account: &Account) {
        let request = || {
            let mut openssl = Command::new("openssl");
            openssl.current_dir(folder).args(["req", "-x509", "-days", "30", "-nodes"]);
            openssl.args(["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"]);
            openssl
        };
        let subject_names = format!("subjectAltName={}", self.names);
        let server = ["-subj", "/CN=scratch", "-keyout", KEY, "-out", CERTIFICATE, "-addext", &subject_names];
        let mut public = vec![CERTIFICATE];
        if self.self_signed {
            run(request().args(server));
        } else {
            let name = ["-subj", "/CN=scratch authority", "-keyout", "authority.key", "-out", AUTHORITY];
            run(request().args(name));
            let signed = ["-CA", AUTHORITY, "-CAkey", "authority.key", "-addext", "basicConstraints=CA:FALSE"];
            run(request().args(server).args(signed));
            public.push(AUTHORITY);
        }
        let mode = |file: &str, mode| fs::set_permissions(folder.join(file), PermissionsExt::from_mode(mode)).unwrap();
        mode(KEY, 0o600);
        account.give(&folder.join(KEY)).unwrap();
        public.iter().for_each(|file| mode(file, 0o644));
    }
}
