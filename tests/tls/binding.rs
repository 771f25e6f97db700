//! Channel binding: password proofs that name the server's certificate, and a man in the middle with another one.

use crate::scratch::postgres::{Server, ServerOptions};
use crate::tap::{First, Imposter, Tap};
use crate::{connect, refused};
use dbdyno_model::ErrorClass;
use rustls::version::{TLS12, TLS13};
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::Duration;

/// A self-signed certificate for `localhost`, with this key or a new one.
fn certificate(folder: &Path, key: &str, has_key: bool, digest: &str) {
    let mut openssl = Command::new("openssl");
    openssl.current_dir(folder).args(["req", "-x509", "-days", "2", "-nodes", "-subj", "/CN=localhost", digest]);
    match has_key {
        true => openssl.args(["-key", key]),
        false => openssl.args(["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-keyout", key]),
    };
    let made = openssl.args(["-out", "server.crt"]).output().unwrap();
    assert!(made.status.success(), "{made:?}");
}

/// A server whose users authenticate in three ways.
fn start() -> Server {
    let server = ServerOptions::default()
        .tls("DNS:localhost")
        .access("host all scram 127.0.0.1/32 scram-sha-256")
        .access("host all md5 127.0.0.1/32 md5")
        .start();
    server.psql(
        "postgres",
        "SET password_encryption = 'scram-sha-256'; CREATE ROLE scram LOGIN PASSWORD 'tiger';
         SET password_encryption = 'md5'; CREATE ROLE md5 LOGIN PASSWORD 'tiger'",
    );
    server
}

/// Makes a server read its settings and certificate again, and waits until new connections see them.
pub(crate) fn reload(server: &Server) {
    let read = || server.psql("postgres", "SELECT pg_conf_load_time()");
    let before = read();
    server.psql("postgres", "SELECT pg_reload_conf()");
    while read() == before {
        thread::sleep(Duration::from_millis(10));
    }
}

fn target(port: u16, user: &str, options: &str) -> String {
    format!("postgres://{user}@127.0.0.1:{port}/postgres?{options}")
}

const REQUIRED: &str = "sslmode=require&channel_binding=require";

#[test]
fn a_proof_names_the_certificate_and_nobody_in_between_can_pass_it_on() {
    let server = start();
    for connected in connect(&target(server.port, "scram:tiger", REQUIRED)) {
        connected.unwrap();
    }
    // Without TLS, with another method, and without authentication, there is nothing to bind.
    for (user, options, said) in [
        ("scram:tiger", "sslmode=disable&channel_binding=require", "that takes TLS"),
        ("md5:tiger", REQUIRED, "scram-sha-256 in pg_hba.conf"),
        ("postgres", REQUIRED, "scram-sha-256 in pg_hba.conf"),
    ] {
        for error in refused(&target(server.port, user, options)) {
            assert!(error.class == ErrorClass::Authentication && error.message.contains(said), "{user}: {error}");
        }
    }
    let folder = tempfile::tempdir().unwrap();
    certificate(folder.path(), "server.key", false, "-sha256");
    let [shown, key] = ["server.crt", "server.key"].map(|file| folder.path().join(file));
    let tap = Tap::start(server.port, First::Client);
    tap.pretend(Some(Imposter::new(&shown, &key, &server.authority(), &[&TLS13, &TLS12])));
    // Without binding the connection succeeds, so it is the binding that fails.
    for connected in connect(&target(tap.port, "scram:tiger", "sslmode=require&channel_binding=disable")) {
        connected.unwrap();
    }
    for options in [REQUIRED, "sslmode=require"] {
        for error in refused(&target(tap.port, "scram:tiger", options)) {
            assert!(error.message.contains("channel binding check failed"), "{options}: {error}");
        }
    }
    // The hash depends on the certificate's signature.
    for digest in ["-sha384", "-sha512"] {
        certificate(server.certificate().parent().unwrap(), "server.key", true, digest);
        reload(&server);
        let [.., client] = connect(&target(server.port, "scram:tiger", REQUIRED));
        client.unwrap_or_else(|error| panic!("{digest}: {error}"));
    }
}

/// The certificate is public, and the password's proof names it; only its key distinguishes the server from a man in
/// the middle.
#[test]
fn a_certificate_that_is_shown_without_its_key_is_refused() {
    let server = start();
    let folder = tempfile::tempdir().unwrap();
    certificate(folder.path(), "another.key", false, "-sha256");
    let (shown, key) = (server.certificate(), folder.path().join("another.key"));
    let tap = Tap::start(server.port, First::Client);
    for version in [&TLS12, &TLS13] {
        tap.pretend(Some(Imposter::new(&shown, &key, &server.authority(), &[version])));
        for options in [REQUIRED, "sslmode=require", "sslmode=require&channel_binding=disable"] {
            for error in refused(&target(tap.port, "scram:tiger", options)) {
                assert_eq!(error.class, ErrorClass::ConnectionLost, "{options}, {version:?}: {error}");
                assert!(error.message.contains("BadSignature"), "{options}, {version:?}: {error}");
            }
        }
    }
    // With the key, the connection succeeds in both versions, whatever the certificate is like.
    let owners = server.certificate().with_file_name("server.key");
    for version in [&TLS12, &TLS13] {
        tap.pretend(Some(Imposter::new(&shown, &owners, &server.authority(), &[version])));
        for connected in connect(&target(tap.port, "scram:tiger", REQUIRED)) {
            connected.unwrap();
        }
    }
}

/// What `require` accepts: keys of every kind, and certificates of the first version, as older recipes make them.
#[test]
fn certificates_of_every_form_are_taken_from_their_owners() {
    let server = start();
    let folder = server.certificate().parent().unwrap().to_owned();
    for (key, version) in [
        ("RSA -pkeyopt rsa_keygen_bits:2048", "TLSv1.2"),
        ("RSA -pkeyopt rsa_keygen_bits:2048", "TLSv1.3"),
        ("EC -pkeyopt ec_paramgen_curve:secp384r1", "TLSv1.2"),
        ("EC -pkeyopt ec_paramgen_curve:prime256v1", "TLSv1.3"),
        ("ED25519", "TLSv1.3"),
    ] {
        // Into the existing files, which keep their owner. Without extensions it has the first version.
        let script = format!(
            "set -e; openssl genpkey -algorithm {key} -out new.key 2>/dev/null; cat new.key > server.key
             openssl req -new -key new.key -subj /CN=x -out new.csr
             openssl x509 -req -in new.csr -signkey new.key -days 2 -out new.crt; cat new.crt > server.crt"
        );
        let made = Command::new("sh").args(["-c", &script]).current_dir(&folder).output().unwrap();
        assert!(made.status.success(), "{key}: {made:?}");
        server.psql("postgres", &format!("ALTER SYSTEM SET ssl_min_protocol_version = '{version}'"));
        server.psql("postgres", &format!("ALTER SYSTEM SET ssl_max_protocol_version = '{version}'"));
        reload(&server);
        for connected in connect(&target(server.port, "scram:tiger", "sslmode=require")) {
            connected.unwrap_or_else(|error| panic!("{key}, {version}: {error}"));
        }
    }
}
