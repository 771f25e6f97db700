//! Stopping a statement: a request over a connection of its own. Nothing here may hang, whatever has become of the
//! server.

use super::channel::Channel;
use super::open::shake_hands;
use super::socket::Socket;
use crate::connection::{REPEATS, Stop};
use bytes::BytesMut;
use dbdyno_engine::Canceller;
use postgres_protocol::message::frontend;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection};
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};
use std::thread;
use std::time::{Duration, Instant};

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

/// The session at the other end, as a request to cancel names it.
pub(in super::super) struct Peer {
    pub(super) at: At,
    pub(super) tls: Option<(Arc<ClientConfig>, ServerName<'static>)>,
    pub(super) key: (i32, i32),
}

impl Peer {
    /// Asks the server to end whatever this session is doing; returns when that has been noticed, or the time is over.
    fn cancel(&self) -> io::Result<()> {
        let deadline = Instant::now() + REQUEST;
        let socket = Arc::new(match &self.at {
            At::Tcp(address) => Socket::tcp(address, deadline)?,
            At::Unix(path) => Socket::unix(path, deadline)?,
        });
        socket.wait_until(Some(deadline))?;
        let mut message = BytesMut::new();
        let tls = match &self.tls {
            None => None,
            Some((config, name)) => {
                frontend::ssl_request(&mut message);
                socket.send(&message)?;
                message.clear();
                // Whoever answered yes before does so again; another answer is no handshake.
                socket.receive(&mut [0], true)?;
                let connection = ClientConnection::new(Arc::clone(config), name.clone());
                let mut connection = Box::new(connection.map_err(io::Error::other)?);
                shake_hands(&mut connection, &socket)?;
                Some(connection)
            }
        };
        frontend::cancel_request(self.key.0, self.key.1, &mut message);
        Channel { socket: Arc::clone(&socket), tls }.send(&message)?;
        // The server closes when the signal is sent.
        socket.receive(&mut [0], true)?;
        Ok(())
    }
}

/// Stops a session's statement from another thread, also while a pump runs the session.
pub(in super::super) struct WireCanceller {
    pub(in super::super) peer: Arc<Peer>,
    pub(in super::super) socket: Weak<Socket>,
    pub(in super::super) stop: Arc<Stop>,
}

impl Canceller for WireCanceller {
    fn cancel(&self) {
        // The flag first: a statement that begins later is then not begun at all.
        if self.stop.asked.swap(true, Ordering::Relaxed) {
            return;
        }
        let (peer, socket, stop) = (Arc::clone(&self.peer), Weak::clone(&self.socket), Arc::clone(&self.stop));
        let asking = thread::Builder::new().stack_size(STACK_BYTES).spawn(move || {
            let began = Instant::now();
            for pause in REPEATS {
                thread::sleep(pause.min(PATIENCE.saturating_sub(began.elapsed())));
                if stop.ended.load(Ordering::Relaxed) {
                    return;
                }
                if began.elapsed() >= PATIENCE {
                    break;
                }
                // A server that cannot be asked is no reason not to ask again.
                drop(peer.cancel());
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
