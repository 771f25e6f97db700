//! Channel binding: passwords whose proof names the server's certificate, and somebody in between who has another one.

use crate::conformance::catalogue;
use crate::servers::postgres::{Server, Wish};
use dbdyno_engine::{EngineError, Target, open};
use dbdyno_model::ErrorClass;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, ServerConfig, ServerConnection, StreamOwned};
use std::io::{self, ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

/// Connects as a session of the client drive does, and as everything else does.
fn connect(target: &str) -> [Result<(), EngineError>; 2] {
    let engine = open(&Target::parse(target).unwrap(), &catalogue::size_t()).unwrap();
    [engine.client_session(0, 1).map(drop), engine.session(0, 1).map(drop)]
}

/// A certificate for `localhost` that has signed itself, made with this key or with a new one.
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

/// Passes on what there is to pass on; false when there will be no more.
fn pass(from: &mut impl Read, to: &mut impl Write) -> io::Result<bool> {
    let mut bytes = [0; 4096];
    match from.read(&mut bytes) {
        Ok(0) => Ok(false),
        Ok(length) => to.write_all(&bytes[..length]).and_then(|()| to.flush()).map(|()| true),
        Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => Ok(true),
        Err(error) => Err(error),
    }
}

/// One client, who believes to have TLS with the server, and has it with us.
fn serve(mut client: TcpStream, ours: Arc<ServerConfig>, theirs: Arc<ClientConfig>, port: u16) -> io::Result<()> {
    let mut server = TcpStream::connect(("127.0.0.1", port))?;
    let mut request = [0; 8];
    client.read_exact(&mut request)?;
    server.write_all(&request)?;
    server.read_exact(&mut request[..1])?;
    client.write_all(b"S")?;
    let name = ServerName::try_from("localhost").map_err(io::Error::other)?;
    let mut client = StreamOwned::new(ServerConnection::new(ours).map_err(io::Error::other)?, client);
    let mut server = StreamOwned::new(ClientConnection::new(theirs, name).map_err(io::Error::other)?, server);
    client.conn.complete_io(&mut client.sock)?;
    server.conn.complete_io(&mut server.sock)?;
    // From here on reads look whether there is something; a handshake would not outlive one that found nothing.
    let patience = Some(Duration::from_millis(2));
    client.sock.set_read_timeout(patience)?;
    server.sock.set_read_timeout(patience)?;
    while pass(&mut client, &mut server)? && pass(&mut server, &mut client)? {}
    Ok(())
}

/// Listens in the place of a server; its port.
fn in_the_middle(server: &Server, folder: &Path) -> u16 {
    certificate(folder, "server.key", false, "-sha256");
    let provider = Arc::new(ring::default_provider());
    let chain = vec![CertificateDer::from_pem_file(folder.join("server.crt")).unwrap()];
    let key = PrivateKeyDer::from_pem_file(folder.join("server.key")).unwrap();
    let ours =
        ServerConfig::builder_with_provider(Arc::clone(&provider)).with_safe_default_protocol_versions().unwrap();
    let ours = Arc::new(ours.with_no_client_auth().with_single_cert(chain, key).unwrap());
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(server.authority()).unwrap()).unwrap();
    let theirs = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let theirs = Arc::new(theirs.with_root_certificates(roots).with_no_client_auth());
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let (port, servers) = (listener.local_addr().unwrap().port(), server.port);
    thread::spawn(move || {
        for client in listener.incoming() {
            let (ours, theirs) = (Arc::clone(&ours), Arc::clone(&theirs));
            // Whoever hangs up has heard enough.
            thread::spawn(move || drop(serve(client.unwrap(), ours, theirs, servers)));
        }
    });
    port
}

#[test]
fn a_proof_names_the_certificate_and_nobody_in_between_can_pass_it_on() {
    let server = Wish::default()
        .tls("DNS:localhost")
        .hba("host all scram 127.0.0.1/32 scram-sha-256")
        .hba("host all md5 127.0.0.1/32 md5")
        .start();
    server.psql(
        "postgres",
        "SET password_encryption = 'scram-sha-256'; CREATE ROLE scram LOGIN PASSWORD 'tiger';
         SET password_encryption = 'md5'; CREATE ROLE md5 LOGIN PASSWORD 'tiger'",
    );
    let target = |user: &str, options: &str| format!("{}?{options}", server.tcp(user, "postgres"));
    let required = "sslmode=require&channel_binding=require";
    for connected in connect(&target("scram:tiger", required)) {
        connected.unwrap();
    }
    // Without TLS, with another proof, and with none, there is nothing to bind.
    for (user, options, said) in [
        ("scram:tiger", "sslmode=disable&channel_binding=require", "that takes TLS"),
        ("md5:tiger", required, "scram-sha-256 in pg_hba.conf"),
        ("postgres", required, "scram-sha-256 in pg_hba.conf"),
    ] {
        let [client, other] = connect(&target(user, options)).map(Result::unwrap_err);
        assert!(client.class == ErrorClass::Authentication && client.message.contains(said), "{user}: {client}");
        assert!(other.message.contains("channel binding"), "{user}: {other}");
    }
    let folder = tempfile::tempdir().unwrap();
    let port = in_the_middle(&server, folder.path());
    let middle =
        |options: &str| target("scram:tiger", options).replace(&format!(":{}/", server.port), &format!(":{port}/"));
    // Who does not bind the proof is let through, so it is the binding that fails.
    for connected in connect(&middle("sslmode=require&channel_binding=disable")) {
        connected.unwrap();
    }
    for options in [required, "sslmode=require"] {
        for refused in connect(&middle(options)).map(Result::unwrap_err) {
            assert!(refused.message.contains("channel binding check failed"), "{options}: {refused}");
        }
    }
    // The hash goes by how the certificate was signed.
    for digest in ["-sha384", "-sha512"] {
        certificate(server.certificate().parent().unwrap(), "server.key", true, digest);
        server.psql("postgres", "SELECT pg_reload_conf()");
        thread::sleep(Duration::from_millis(300));
        let [client, _] = connect(&target("scram:tiger", required));
        client.unwrap_or_else(|error| panic!("{digest}: {error}"));
    }
}
