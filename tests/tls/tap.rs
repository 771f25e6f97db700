//! A proxy between client and server that listens, and may pretend to be the server.

use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use rustls::{
    ClientConfig, ClientConnection, RootCertStore, ServerConfig, ServerConnection, StreamOwned,
    SupportedProtocolVersion,
};
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// The recorded beginning of a client's data: everything before its first statement, and more.
const KEPT_BYTES: usize = 4_096;
/// PostgreSQL's request for TLS.
const SSL_REQUEST: [u8; 8] = [0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f];
/// The length of MariaDB's request for TLS; every other answer to a greeting is longer.
const SSL_REQUEST_BYTES: usize = 32;

/// Which side speaks first.
#[derive(Debug, Clone, Copy)]
pub(crate) enum First {
    /// As in PostgreSQL.
    Client,
    /// As in MariaDB.
    Server,
}

/// The proxy.
pub(crate) struct Tap {
    /// Where it listens, on 127.0.0.1.
    pub(crate) port: u16,
    shared: Arc<Shared>,
}

struct Shared {
    server: u16,
    first: First,
    heard: Mutex<Vec<u8>>,
    imposter: Mutex<Option<Imposter>>,
    /// Bytes of the server's that go on to each client before it falls silent.
    lets_pass_bytes: Mutex<u64>,
    /// Clients so far.
    clients: AtomicU64,
    /// Clients before this number get nothing any more.
    cut_before: AtomicU64,
}

impl Tap {
    /// A proxy between clients and the server at this port.
    pub(crate) fn start(server: u16, first: First) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let shared = Shared {
            server,
            first,
            heard: Mutex::default(),
            imposter: Mutex::default(),
            lets_pass_bytes: Mutex::new(u64::MAX),
            clients: AtomicU64::new(0),
            cut_before: AtomicU64::new(0),
        };
        let shared = Arc::new(shared);
        let ours = Arc::clone(&shared);
        thread::spawn(move || {
            for client in listener.incoming() {
                let shared = Arc::clone(&shared);
                // A client that hangs up is done.
                thread::spawn(move || drop(serve(client.unwrap(), &shared)));
            }
        });
        Self { port, shared: ours }
    }

    /// Pretends to be the server from now on, or stops pretending.
    pub(crate) fn pretend(&self, imposter: Option<Imposter>) {
        *self.shared.imposter.lock().unwrap() = imposter;
    }

    /// Passes only this many bytes of the server's to each new client, and then falls silent.
    pub(crate) fn fall_silent_after(&self, bytes: u64) {
        *self.shared.lets_pass_bytes.lock().unwrap() = bytes;
    }

    /// Falls silent for every present client, within the next message; for new clients, too, if `new_ones_too`.
    pub(crate) fn cut(&self, new_ones_too: bool) {
        let before = if new_ones_too { u64::MAX } else { self.shared.clients.load(Ordering::SeqCst) };
        self.shared.cut_before.store(before, Ordering::SeqCst);
    }

    /// The beginnings of what clients sent since the last call, as the network saw them.
    pub(crate) fn heard(&self) -> String {
        let heard = std::mem::take(&mut *self.shared.heard.lock().unwrap());
        String::from_utf8_lossy(&heard).into_owned()
    }
}

/// How to pretend.
#[derive(Clone)]
pub(crate) struct Imposter {
    ours: Arc<ServerConfig>,
    theirs: Arc<ClientConfig>,
}

impl Imposter {
    /// An imposter with a certificate and a key, which may not match; the server behind has a certificate for
    /// `localhost` from this authority.
    pub(crate) fn new(
        certificate: &Path,
        key: &Path,
        authority: &Path,
        versions: &[&'static SupportedProtocolVersion],
    ) -> Self {
        let provider = Arc::new(ring::default_provider());
        let chain = vec![CertificateDer::from_pem_file(certificate).unwrap()];
        let key = ring::sign::any_supported_type(&PrivateKeyDer::from_pem_file(key).unwrap()).unwrap();
        let shows = Shows(Arc::new(CertifiedKey::new(chain, key)));
        let ours = ServerConfig::builder_with_provider(Arc::clone(&provider)).with_protocol_versions(versions).unwrap();
        let ours = Arc::new(ours.with_no_client_auth().with_cert_resolver(Arc::new(shows)));
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_file(authority).unwrap()).unwrap();
        let theirs = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
        Self { ours, theirs: Arc::new(theirs.with_root_certificates(roots).with_no_client_auth()) }
    }
}

/// Shows a certificate to every client.
#[derive(Debug)]
struct Shows(Arc<CertifiedKey>);

impl ResolvesServerCert for Shows {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(Arc::clone(&self.0))
    }
}

/// A client's stream, whose beginning is recorded.
struct Ear<'s> {
    client: TcpStream,
    shared: &'s Shared,
    kept_bytes: usize,
}

impl Read for Ear<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.client.read(into)?;
        let kept = read.min(KEPT_BYTES - self.kept_bytes);
        if kept > 0 {
            self.shared.heard.lock().unwrap().extend(&into[..kept]);
            self.kept_bytes += kept;
        }
        Ok(read)
    }
}

impl Write for Ear<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.client.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.client.flush()
    }
}

fn serve(client: TcpStream, shared: &Shared) -> io::Result<()> {
    let mut server = TcpStream::connect(("127.0.0.1", shared.server))?;
    client.set_nodelay(true)?;
    server.set_nodelay(true)?;
    let mut client = Ear { client, shared, kept_bytes: 0 };
    let imposter = shared.imposter.lock().unwrap().clone();
    match imposter {
        Some(imposter) if asks_for_tls(&mut client, &mut server)? => translate(client, server, imposter),
        _ => pass_all(client, server),
    }
}

/// Passes the beginning on, up to where TLS begins or does not.
fn asks_for_tls(client: &mut Ear<'_>, server: &mut TcpStream) -> io::Result<bool> {
    match client.shared.first {
        First::Client => {
            let (mut request, mut answer) = ([0; 8], [0]);
            client.read_exact(&mut request)?;
            server.write_all(&request)?;
            if request != SSL_REQUEST {
                return Ok(false);
            }
            server.read_exact(&mut answer)?;
            client.write_all(&answer)?;
            Ok(answer == *b"S")
        }
        First::Server => {
            pass_packet(server, client)?;
            Ok(pass_packet(client, server)? == SSL_REQUEST_BYTES)
        }
    }
}

/// Passes one packet of MariaDB's on; returns its length.
fn pass_packet(from: &mut impl Read, to: &mut impl Write) -> io::Result<usize> {
    let mut packet = vec![0; 4];
    from.read_exact(&mut packet)?;
    let length = usize::from(packet[0]) | usize::from(packet[1]) << 8 | usize::from(packet[2]) << 16;
    packet.resize(4 + length, 0);
    from.read_exact(&mut packet[4..])?;
    to.write_all(&packet)?;
    Ok(length)
}

/// Passes everything on until one side ends.
fn pass_all(mut client: Ear<'_>, mut server: TcpStream) -> io::Result<()> {
    let (from_server, to_client, shared) = (server.try_clone()?, client.client.try_clone()?, client.shared);
    thread::scope(|scope| {
        let back = scope.spawn(|| pass_back(from_server, to_client, shared));
        _ = io::copy(&mut client, &mut server);
        // It may have gone first.
        _ = server.shutdown(Shutdown::Both);
        back.join().unwrap()
    })
}

/// Passes on what a server sends, up to the limit. A silent proxy keeps listening.
fn pass_back(mut server: TcpStream, mut client: TcpStream, shared: &Shared) -> io::Result<()> {
    let (number, mut left) = (shared.clients.fetch_add(1, Ordering::SeqCst), *shared.lets_pass_bytes.lock().unwrap());
    let mut bytes = [0; 16 << 10];
    loop {
        let read = server.read(&mut bytes).unwrap_or(0);
        if read == 0 {
            return client.shutdown(Shutdown::Both);
        }
        let cut = number < shared.cut_before.load(Ordering::SeqCst);
        let passes = usize::try_from(left).unwrap_or(usize::MAX).min(if cut { read / 2 } else { read });
        client.write_all(&bytes[..passes])?;
        left = if cut { 0 } else { left - passes as u64 };
    }
}

/// Passes on what a client sends who believes to have TLS with the server, and has it with the imposter.
fn translate(client: Ear<'_>, server: TcpStream, imposter: Imposter) -> io::Result<()> {
    let name = ServerName::try_from("localhost").map_err(io::Error::other)?;
    let ours = ServerConnection::new(imposter.ours).map_err(io::Error::other)?;
    let theirs = ClientConnection::new(imposter.theirs, name).map_err(io::Error::other)?;
    let (mut client, mut server) = (StreamOwned::new(ours, client), StreamOwned::new(theirs, server));
    client.conn.complete_io(&mut client.sock)?;
    server.conn.complete_io(&mut server.sock)?;
    // From here on reads poll; a handshake would fail on an empty read.
    let patience = Some(Duration::from_millis(2));
    client.sock.client.set_read_timeout(patience)?;
    server.sock.set_read_timeout(patience)?;
    while pass(&mut client, &mut server)? && pass(&mut server, &mut client)? {}
    Ok(())
}

/// Passes on what is available; false at the end.
fn pass(from: &mut impl Read, to: &mut impl Write) -> io::Result<bool> {
    let mut bytes = [0; 4096];
    match from.read(&mut bytes) {
        Ok(0) => Ok(false),
        Ok(length) => to.write_all(&bytes[..length]).and_then(|()| to.flush()).map(|()| true),
        Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => Ok(true),
        Err(error) => Err(error),
    }
}
