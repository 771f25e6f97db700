//! Stopping a statement: a request over a connection of its own. Nothing here may hang, whatever has become of the
//! server.

use super::channel::{Channel, shake_hands};
use super::socket::{Socket, Wait};
use bytes::BytesMut;
use dbdyno_engine::Canceller;
use dbdyno_engine::server::Cancellation;
use postgres_protocol::message::frontend;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection};
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, Weak};
use std::thread;
use std::time::{Duration, Instant};

/// Pauses between requests: one that arrives just before the statement does is lost.
const PAUSES: [Duration; 4] =
    [Duration::ZERO, Duration::from_millis(100), Duration::from_millis(500), Duration::from_secs(2)];
/// How long one request may take.
const REQUEST: Duration = Duration::from_millis(400);
/// How long a server has to end a statement before the connection is ended instead.
const PATIENCE: Duration = Duration::from_secs(2);
/// What a thread that asks needs: a handshake of TLS at most.
const STACK_BYTES: usize = 256 << 10;

/// Where the server is.
#[derive(Debug, Clone)]
pub(super) enum At {
    Tcp(SocketAddr),
    Unix(PathBuf),
}

/// A request to cancel the statement of a session.
pub(super) struct CancelRequest {
    /// Where it goes.
    pub(super) at: At,
    /// How it is encrypted, where the session is.
    pub(super) tls: Option<(Arc<ClientConfig>, ServerName<'static>)>,
    /// The session's process, and the secret that proves that it is ours.
    pub(super) key: (i32, i32),
}

impl CancelRequest {
    /// Asks the server to end whatever the session is doing; returns when that has been noticed, or the time is over.
    fn send(&self) -> io::Result<()> {
        let deadline = Instant::now() + REQUEST;
        let socket = Arc::new(match &self.at {
            At::Tcp(address) => Socket::tcp(address, deadline)?,
            At::Unix(path) => Socket::unix(path, deadline)?,
        });
        socket.wait_until(Some(deadline))?;
        let wait = Wait::Until(deadline);
        let mut message = BytesMut::new();
        let tls = match &self.tls {
            None => None,
            Some((config, name)) => {
                frontend::ssl_request(&mut message);
                socket.send(&message, &[])?;
                message.clear();
                // Whoever answered yes before does so again; another answer is no handshake.
                socket.receive(&mut [0], wait)?;
                let connection = ClientConnection::new(Arc::clone(config), name.clone());
                let mut connection = Box::new(connection.map_err(io::Error::other)?);
                shake_hands(&mut connection, &socket, wait)?;
                Some(connection)
            }
        };
        frontend::cancel_request(self.key.0, self.key.1, &mut message);
        Channel { socket: Arc::clone(&socket), tls }.send(&message, &[])?;
        // The server closes when the signal is sent.
        socket.receive(&mut [0], wait)?;
        Ok(())
    }
}

/// Stops a session's statement from another thread, also while a pump runs the session.
pub(crate) struct WireCanceller {
    pub(super) request: Arc<CancelRequest>,
    pub(super) socket: Weak<Socket>,
    pub(super) cancellation: Arc<Cancellation>,
}

impl Canceller for WireCanceller {
    fn cancel(&self) {
        if !self.cancellation.request() {
            return;
        }
        let (request, socket) = (Arc::clone(&self.request), Weak::clone(&self.socket));
        let cancellation = Arc::clone(&self.cancellation);
        let asking = thread::Builder::new().stack_size(STACK_BYTES).spawn(move || {
            let began = Instant::now();
            for pause in PAUSES {
                thread::sleep(pause.min(PATIENCE.saturating_sub(began.elapsed())));
                if cancellation.has_ended() {
                    return;
                }
                if began.elapsed() >= PATIENCE {
                    break;
                }
                // A server that cannot be asked is no reason not to ask again.
                drop(request.send());
            }
            shut(&socket);
        });
        if asking.is_err() {
            shut(&self.socket);
        }
    }
}

/// The server does not answer: whoever waits for it shall not wait any longer.
fn shut(socket: &Weak<Socket>) {
    if let Some(socket) = socket.upgrade() {
        socket.shut();
    }
}
