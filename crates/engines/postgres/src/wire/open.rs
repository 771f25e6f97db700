//! Opening a connection: within a time, with TLS or rather without, and with settings in the startup message where
//! whoever answers takes them.

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
    pub(crate) found: &'a FoundPassword,
    /// How TLS is made; none where it is not wanted, or there is no such thing.
    pub(crate) tls: Option<&'a Arc<ClientConfig>>,
}

/// Opens a connection and begins a session.
pub(crate) fn open(login: &Login<'_>) -> Result<Wire, Trouble> {
    let refuses_settings = &login.options.refuses_settings;
    let (mut tls, mut settings) = (login.tls, !refuses_settings.load(Ordering::Relaxed));
    loop {
        match attempt(login, tls, settings) {
            // `prefer` means: rather without TLS than not at all.
            Err(trouble) if tls.is_some() && login.options.ssl_mode == SslMode::Prefer && trouble.blames_tls() => {
                tls = None;
            }
            // A pooler; they are set afterwards.
            Err(trouble) if settings && trouble.blames_settings() => {
                refuses_settings.store(true, Ordering::Relaxed);
                settings = false;
            }
            opened => return opened,
        }
    }
}

fn attempt(login: &Login<'_>, config: Option<&Arc<ClientConfig>>, settings: bool) -> Result<Wire, Trouble> {
    let Login { options, host, .. } = login;
    let deadline = Instant::now() + options.connect_timeout;
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
    let (tls, same) = encryption.unzip();
    let cancel_request = CancelRequest { at, tls: same, key: (0, 0) };
    let mut wire = Wire::new(Channel { socket, tls }, cancel_request, deadline);
    begin(&mut wire, login, settings)?;
    wire.answer_by(None)?;
    Ok(wire)
}

fn begin(wire: &mut Wire, login: &Login<'_>, settings: bool) -> Result<(), Trouble> {
    let mut parameters = vec![
        ("user", login.options.user.as_str()),
        ("database", &login.options.database),
        ("client_encoding", "UTF8"),
        ("application_name", login.application),
    ];
    if settings {
        parameters.push(("options", login.settings));
    }
    let tls = wire.channel.tls.as_deref();
    let proof = Proof {
        user: &login.options.user,
        password: login.found.password().map(|password| password.reveal()),
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
    let mut last = Trouble::new(ErrorClass::ConnectionLost, Cause::NoSuchName, format!("{name} has no address"));
    let addresses = addresses(name, host.port, deadline)?;
    for (tried, address) in addresses.iter().enumerate() {
        // An address that does not answer leaves time for those after it.
        let left = deadline.saturating_duration_since(Instant::now());
        let share = left / u32::try_from(addresses.len() - tried).unwrap_or(u32::MAX);
        match Socket::tcp(address, Instant::now() + share) {
            Ok(socket) => return Ok((socket, At::Tcp(*address))),
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
    wait: Wait,
) -> Result<Option<Encryption>, Trouble> {
    let no_tls = |words: String| Trouble::new(ErrorClass::ConnectionLost, Cause::Tls, words);
    let mut request = BytesMut::new();
    frontend::ssl_request(&mut request);
    // One byte and no more: whatever somebody in between has put behind it is not taken for the server's.
    let mut answer = [0];
    let asked = socket.send(&request, &[]).and_then(|()| socket.receive(&mut answer, wait));
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
    shake_hands(&mut connection, socket, wait).map_err(|error| match error.kind() {
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => Trouble::io("the TLS handshake", &error),
        _ => no_tls(format!("error performing TLS handshake: {error}")),
    })?;
    Ok(Some((connection, server)))
}
