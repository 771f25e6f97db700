//! Opening a connection within a time. TLS is used, or not where `prefer` allows that. Settings go into the startup
//! message, but not to a pooler that refuses them.

use super::authenticate::{self, Proof};
use super::binding::ChannelBinding;
use super::cancel::{At, CancelRequest};
use super::channel::{Channel, shake_hands};
use super::socket::{Socket, Wait};
use super::stream::Wire;
use crate::errors::{Cause, Trouble};
use crate::options::{Address, Host, Options, SslMode};
use bytes::BytesMut;
use dbdyno_engine::server::password::FoundPassword;
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
pub(crate) struct Login<'a> {
    pub(crate) options: &'a Options,
    pub(crate) host: &'a Host,
    /// The name under which other sessions see this one.
    pub(crate) application: &'a str,
    /// Settings for the startup message, as the server's command line has them.
    pub(crate) settings: &'a str,
    pub(crate) password: &'a FoundPassword,
    /// How TLS is made; none where it is not wanted, and on a socket.
    pub(crate) tls: Option<&'a Arc<ClientConfig>>,
}

/// Opens a connection and begins a session.
pub(crate) fn open(login: &Login<'_>) -> Result<Wire, Trouble> {
    let refuses_settings = &login.options.refuses_settings;
    let deadline = Instant::now() + login.options.connect_timeout;
    let (mut tls, mut sends_settings) = (login.tls, !refuses_settings.load(Ordering::Relaxed));
    let mut tls_trouble = None;
    loop {
        match attempt(login, tls, sends_settings, deadline) {
            // `prefer` means: rather without TLS than not at all.
            Err(trouble) if tls.is_some() && login.options.ssl_mode == SslMode::Prefer && trouble.blames_tls() => {
                (tls, tls_trouble) = (None, Some(trouble));
            }
            // A pooler refuses them. They are set once the session has begun.
            Err(trouble) if sends_settings && trouble.blames_settings() => sends_settings = false,
            Ok(wire) => {
                if !sends_settings {
                    refuses_settings.store(true, Ordering::Relaxed);
                }
                return Ok(wire);
            }
            Err(trouble) => return Err(trouble.after(tls_trouble)),
        }
    }
}

fn attempt(
    login: &Login<'_>,
    config: Option<&Arc<ClientConfig>>,
    sends_settings: bool,
    deadline: Instant,
) -> Result<Wire, Trouble> {
    let Login { options, host, .. } = login;
    let (socket, at) = connect(host, deadline)?;
    let socket = Arc::new(socket);
    socket.wait_until(Some(deadline)).map_err(|error| Trouble::io("connecting", &error))?;
    let encryption = match (config, &host.address) {
        (None, _) | (_, Address::Socket(_)) => None,
        (Some(config), Address::Tcp(name)) => {
            let begun = encrypt(&socket, name, options.ssl_mode, config, Wait::Until(deadline))?;
            begun.map(|(connection, name)| (connection, (Arc::clone(config), name)))
        }
    };
    let (tls, cancel_tls) = encryption.unzip();
    // The server tells its key when the session begins.
    let cancel_request = CancelRequest { at, tls: cancel_tls, key: (0, 0) };
    let mut wire = Wire::new(Channel { socket, tls }, cancel_request, deadline);
    let is_encrypted = wire.channel.tls.is_some();
    begin(&mut wire, login, sends_settings).map_err(|trouble| trouble.encrypted(is_encrypted))?;
    wire.answer_by(None)?;
    Ok(wire)
}

fn begin(wire: &mut Wire, login: &Login<'_>, sends_settings: bool) -> Result<(), Trouble> {
    let mut parameters = vec![
        ("user", login.options.user.as_str()),
        ("database", &login.options.database),
        ("client_encoding", "UTF8"),
        ("application_name", login.application),
    ];
    if sends_settings {
        parameters.push(("options", login.settings));
    }
    let tls = wire.channel.tls.as_deref();
    let proof = Proof {
        user: &login.options.user,
        password: login.password.password().map(|password| password.reveal()),
        binding: ChannelBinding::new(login.options.binding, tls),
        allows_clear_text: login.options.ssl_mode.allows_clear_text(tls.is_some(), login.host.is_local()),
    };
    authenticate::begin(wire, &parameters, &proof)
}

/// A stream to the host, at the first of its addresses that answers.
fn connect(host: &Host, deadline: Instant) -> Result<(Socket, At), Trouble> {
    let connecting = |error: io::Error| Trouble::io("connecting", &error);
    let name = match &host.address {
        Address::Tcp(name) => name,
        Address::Socket(path) => {
            return Ok((Socket::unix(path, deadline).map_err(connecting)?, At::Unix(path.clone())));
        }
    };
    let mut last_trouble =
        Trouble::new(ErrorClass::ConnectionLost, Cause::NoSuchName, format!("{name} has no address"));
    let addresses = addresses(name, host.port, deadline)?;
    for (tried, address) in addresses.iter().enumerate() {
        // An address that does not answer leaves time for those after it.
        let left = deadline.saturating_duration_since(Instant::now());
        let share = left / u32::try_from(addresses.len() - tried).unwrap_or(u32::MAX);
        match Socket::tcp(address, Instant::now() + share) {
            Ok(socket) => return Ok((socket, At::Tcp(*address))),
            Err(error) => last_trouble = connecting(error),
        }
    }
    Err(last_trouble)
}

/// The addresses of a name. The system's resolver knows no limit, so another thread asks it, and is left behind if it
/// takes too long.
fn addresses(name: &str, port: u16, deadline: Instant) -> Result<Vec<SocketAddr>, Trouble> {
    if let Ok(ip) = name.parse::<IpAddr>() {
        return Ok(vec![SocketAddr::new(ip, port)]);
    }
    let owned_name = name.to_owned();
    let left = deadline.saturating_duration_since(Instant::now());
    let found = within(left, move || (owned_name.as_str(), port).to_socket_addrs().map(Iterator::collect));
    let lookup_error = |error| match error {
        RecvTimeoutError::Timeout => io::ErrorKind::TimedOut.into(),
        RecvTimeoutError::Disconnected => io::Error::other(NO_THREAD),
    };
    found.map_err(|error| Trouble::io("looking up the host", &lookup_error(error)))?.map_err(|error: io::Error| {
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
    wait: Wait,
) -> Result<Option<Encryption>, Trouble> {
    let tls_trouble = |words: String| Trouble::new(ErrorClass::ConnectionLost, Cause::Tls, words);
    let mut request = BytesMut::new();
    frontend::ssl_request(&mut request);
    // One byte and no more: whatever somebody in between has put behind it is not taken for the server's.
    let mut answer = [0];
    let asked = socket.send(&request, &[]).and_then(|()| socket.receive(&mut answer, wait));
    match asked.map_err(|error| Trouble::io("asking for TLS", &error))? {
        0 => return Err(Trouble::closed()),
        _ if answer == *b"S" => {}
        _ if answer == *b"N" && mode == SslMode::Prefer => return Ok(None),
        _ if answer == *b"N" => return Err(tls_trouble("the server does not support TLS".to_owned())),
        _ => return Err(Trouble::protocol("it says neither yes nor no to TLS")),
    }
    let server = ServerName::try_from(name.to_owned())
        .map_err(|error| tls_trouble(format!("{name} cannot be compared with the names in a certificate: {error}")))?;
    let connection = ClientConnection::new(Arc::clone(config), server.clone());
    let mut connection = Box::new(connection.map_err(|e| tls_trouble(format!("beginning TLS: {e}")))?);
    shake_hands(&mut connection, socket, wait).map_err(|error| match error.kind() {
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => Trouble::io("the TLS handshake", &error),
        _ => tls_trouble(format!("error performing TLS handshake: {error}")),
    })?;
    Ok(Some((connection, server)))
}
