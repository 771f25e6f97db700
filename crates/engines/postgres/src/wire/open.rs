//! Opening a connection: within a time, with TLS or rather without, and with settings in the startup message where
//! whoever answers takes them; by the rules that the crate's client follows in `connection/connect.rs`.

use super::authenticate::{self, Key, Proof};
use super::binding::Tie;
use super::cancel::{At, Peer};
use super::channel::{Channel, Encrypted, Wait};
use super::incoming::Incoming;
use super::socket::Socket;
use super::{Status, Wire};
use crate::connection::basics;
use crate::errors::{Cause, Trouble};
use crate::options::{Address, Host, Options, SslMode};
use crate::password::Found;
use bytes::BytesMut;
use dbdyno_engine::server::{NO_THREAD, within};
use dbdyno_model::ErrorClass;
use postgres_protocol::message::frontend;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection};
use std::io;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::RecvTimeoutError;
use std::time::Instant;

/// Who connects, where to, and how.
pub(in super::super) struct Login<'a> {
    pub(in super::super) options: &'a Options,
    pub(in super::super) host: &'a Host,
    /// The name under which other sessions see this one.
    pub(in super::super) application: &'a str,
    pub(in super::super) found: &'a Found,
    /// How TLS is made.
    pub(in super::super) tls: &'a Arc<ClientConfig>,
}

/// Opens a connection and begins a session.
pub(in super::super) fn open(login: &Login<'_>) -> Result<Wire, Trouble> {
    let refuses_settings = &login.options.seats.refuses_settings;
    let (mut mode, mut settings) = (mode(login), !refuses_settings.load(Ordering::Relaxed));
    loop {
        match attempt(login, mode, settings) {
            // `prefer` means: rather without TLS than not at all.
            Err(trouble) if mode == SslMode::Prefer && trouble.blames_tls() => mode = SslMode::Disable,
            // A pooler; they are set afterwards.
            Err(trouble) if settings && trouble.blames_settings() => {
                refuses_settings.store(true, Ordering::Relaxed);
                settings = false;
            }
            opened => return opened,
        }
    }
}

/// As in libpq: there is no TLS on sockets, and none is asked for.
fn mode(login: &Login<'_>) -> SslMode {
    match login.host.address {
        Address::Socket(_) => SslMode::Disable,
        Address::Tcp(_) => login.options.ssl_mode,
    }
}

fn attempt(login: &Login<'_>, mode: SslMode, settings: bool) -> Result<Wire, Trouble> {
    let Login { options, host, .. } = login;
    let deadline = Instant::now() + options.connect_timeout;
    let (socket, at) = connect(host, deadline)?;
    let socket = Arc::new(socket);
    let until = |deadline| socket.wait_until(deadline).map_err(|error| Trouble::io("connecting", &error));
    until(Some(deadline))?;
    let tls = match (mode, &host.address) {
        (SslMode::Disable, _) | (_, Address::Socket(_)) => None,
        (_, Address::Tcp(name)) => encrypt(&socket, name, mode, login.tls)?,
    };
    let (channel, tls) = match tls {
        None => (Channel { socket: Arc::clone(&socket), tls: None }, None),
        Some((connection, name)) => {
            (Channel { socket: Arc::clone(&socket), tls: Some(connection) }, Some((Arc::clone(login.tls), name)))
        }
    };
    let peer = Arc::new(Peer { at, tls, key: (0, 0) });
    let mut wire = Wire { channel, incoming: Incoming::default(), peer, closed: false, status: Status::Idle };
    let key = begin(&mut wire, login, settings)?;
    wire.peer = Arc::new(Peer { at: wire.peer.at.clone(), tls: wire.peer.tls.clone(), key });
    until(None)?;
    Ok(wire)
}

fn begin(wire: &mut Wire, login: &Login<'_>, settings: bool) -> Result<Key, Trouble> {
    let startup = basics::startup();
    let mut parameters = vec![
        ("user", login.options.user.as_str()),
        ("database", &login.options.database),
        ("client_encoding", "UTF8"),
        ("application_name", login.application),
    ];
    if settings {
        parameters.push(("options", &startup));
    }
    let tls = wire.channel.tls.as_deref();
    let proof = Proof {
        user: &login.options.user,
        password: login.found.password().map(|password| password.reveal()),
        tie: Tie::new(login.options.binding, tls),
        allows_clear_text: login.options.ssl_mode.allows_clear_text(tls.is_some(), login.host.is_local()),
    };
    authenticate::begin(wire, &parameters, &proof)
}

/// A stream to the host.
fn connect(host: &Host, deadline: Instant) -> Result<(Socket, At), Trouble> {
    let connecting = |error: io::Error| Trouble::io("connecting", &error);
    let name = match &host.address {
        Address::Tcp(name) => name,
        Address::Socket(folder) => {
            let path = folder.join(format!(".s.PGSQL.{}", host.port));
            return Ok((Socket::unix(&path, deadline).map_err(connecting)?, At::Unix(path)));
        }
    };
    let mut last = Trouble::new(ErrorClass::ConnectionLost, Cause::NoSuchName, format!("{name} has no address"));
    for address in addresses(name, host.port, deadline)? {
        match Socket::tcp(&address, deadline) {
            Ok(socket) => return Ok((socket, At::Tcp(address))),
            Err(error) => last = connecting(error),
        }
    }
    Err(last)
}

/// The addresses of a name. The system's resolver knows no limit, so another thread asks it, and is left behind if it
/// takes too long.
fn addresses(name: &str, port: u16, deadline: Instant) -> Result<Vec<SocketAddr>, Trouble> {
    if let Ok(number) = name.parse::<IpAddr>() {
        return Ok(vec![SocketAddr::new(number, port)]);
    }
    let asked = name.to_owned();
    let left = deadline.saturating_duration_since(Instant::now());
    let found = within(left, move || (asked.as_str(), port).to_socket_addrs().map(Iterator::collect));
    let unheard = |error| match error {
        RecvTimeoutError::Timeout => io::ErrorKind::TimedOut.into(),
        RecvTimeoutError::Disconnected => io::Error::other(NO_THREAD),
    };
    found.map_err(|error| Trouble::io("looking up the host", &unheard(error)))?.map_err(|error: io::Error| {
        Trouble::new(ErrorClass::ConnectionLost, Cause::NoSuchName, format!("looking up {name}: {error}"))
    })
}

type Encryption = (Box<ClientConnection>, ServerName<'static>);

/// Asks for TLS and begins it; none where the server has none and that will do.
fn encrypt(
    socket: &Socket,
    name: &str,
    mode: SslMode,
    config: &Arc<ClientConfig>,
) -> Result<Option<Encryption>, Trouble> {
    let no_tls = |words: String| Trouble::new(ErrorClass::ConnectionLost, Cause::Tls, words);
    let mut request = BytesMut::new();
    frontend::ssl_request(&mut request);
    // One byte and no more: whatever somebody in between has put behind it is not taken for the server's.
    let mut answer = [0];
    let asked = socket.send(&request).and_then(|()| socket.receive(&mut answer, true));
    match asked.map_err(|error| Trouble::io("asking for TLS", &error))? {
        0 => return Err(Trouble::closed()),
        _ if answer == *b"S" => {}
        _ if answer == *b"N" && mode == SslMode::Prefer => return Ok(None),
        _ if answer == *b"N" => return Err(no_tls("the server does not support TLS".to_owned())),
        _ => return Err(Trouble::protocol("neither yes nor no to TLS")),
    }
    let server = ServerName::try_from(name.to_owned()).map_err(|e| no_tls(format!("{name} in a certificate: {e}")))?;
    let connection = ClientConnection::new(Arc::clone(config), server.clone());
    let mut connection = Box::new(connection.map_err(|e| no_tls(format!("beginning TLS: {e}")))?);
    shake_hands(&mut connection, socket).map_err(|error| match error.kind() {
        io::ErrorKind::WouldBlock => Trouble::io("the TLS handshake", &error),
        _ => no_tls(format!("error performing TLS handshake: {error}")),
    })?;
    Ok(Some((connection, server)))
}

/// What goes before anything that is encrypted.
pub(super) fn shake_hands(connection: &mut ClientConnection, socket: &Socket) -> io::Result<()> {
    let mut stream = Encrypted { socket, wait: Wait::Yes };
    while connection.is_handshaking() {
        connection.complete_io(&mut stream)?;
    }
    Ok(())
}
