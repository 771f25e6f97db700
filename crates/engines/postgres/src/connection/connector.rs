//! What the crate's client connects through over TCP. The crate tells a password in clear text to whoever asks for it,
//! and has no setting against that. So it is told that TLS begins at once (`sslnegotiation=direct`), which makes the
//! beginning of a connection ours: TLS is asked for here, and where there is none, what the server says until it lets
//! us in is looked at before the crate sees it.

use super::super::errors::{ClearText, NOT_UNDERSTOOD};
use super::super::options::{Host, Options, SslMode};
use super::super::wire::{Incoming, Turn, turn};
use bytes::BytesMut;
use postgres::Socket;
use postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect, TlsStream};
use postgres_protocol::message::frontend;
use std::convert::Infallible;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, ReadBuf};
use tokio_postgres_rustls::MakeRustlsConnect;

type Handshake = <MakeRustlsConnect as MakeTlsConnect<Socket>>::TlsConnect;
type Encrypted = <MakeRustlsConnect as MakeTlsConnect<Socket>>::Stream;

/// Whether a connection is to be encrypted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Encryption {
    No,
    /// Where the server can.
    Preferred,
    Required,
}

/// Makes connections, for statements and for requests to cancel them.
#[derive(Clone)]
pub(in super::super) struct Connector {
    tls: MakeRustlsConnect,
    encryption: Encryption,
    /// Whether the server may ask for the password in clear text where nothing is encrypted.
    allows_clear_text: bool,
    /// Whether the last connection was encrypted.
    encrypted: Arc<AtomicBool>,
}

impl Connector {
    pub(super) fn new(options: &Options, host: &Host, encryption: Encryption, tls: &MakeRustlsConnect) -> Self {
        Self {
            tls: tls.clone(),
            encryption,
            allows_clear_text: options.ssl_mode.allows_clear_text(false, host.is_local()),
            encrypted: Arc::default(),
        }
    }

    pub(in super::super) fn encrypted(&self) -> bool {
        self.encrypted.load(Ordering::Relaxed)
    }
}

impl From<SslMode> for Encryption {
    fn from(mode: SslMode) -> Self {
        match mode {
            SslMode::Disable => Self::No,
            SslMode::Prefer => Self::Preferred,
            SslMode::Require | SslMode::VerifyCa | SslMode::VerifyFull => Self::Required,
        }
    }
}

impl MakeTlsConnect<Socket> for Connector {
    type Stream = Stream;
    type TlsConnect = Connect;
    type Error = Infallible;

    fn make_tls_connect(&mut self, host: &str) -> Result<Connect, Infallible> {
        let handshake = MakeTlsConnect::<Socket>::make_tls_connect(&mut self.tls, host)?;
        Ok(Connect { handshake, connector: self.clone() })
    }
}

/// One connection that is to begin.
pub(in super::super) struct Connect {
    handshake: Handshake,
    connector: Connector,
}

impl Connect {
    async fn begin(self, mut socket: Socket) -> io::Result<Stream> {
        let Connector { encryption, allows_clear_text, encrypted, .. } = self.connector;
        if encryption != Encryption::No {
            let mut request = BytesMut::new();
            frontend::ssl_request(&mut request);
            socket.write_all(&request).await?;
            // One byte and no more: whatever somebody in between has put behind it is not taken for the server's.
            if socket.read_u8().await? == b'S' {
                let stream = self.handshake.connect(socket).await?;
                encrypted.store(true, Ordering::Relaxed);
                return Ok(Stream::Encrypted(Box::new(stream)));
            }
            if encryption == Encryption::Required {
                return Err(io::Error::other("server does not support TLS"));
            }
        }
        Ok(Stream::Plain(socket, (!allows_clear_text).then(Incoming::default)))
    }
}

impl TlsConnect<Socket> for Connect {
    type Stream = Stream;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Stream>> + Send>>;

    fn connect(self, socket: Socket) -> Self::Future {
        Box::pin(self.begin(socket))
    }
}

/// A connection.
pub(in super::super) enum Stream {
    Encrypted(Box<Encrypted>),
    /// With what the server has said so far, while that is looked at.
    Plain(Socket, Option<Incoming>),
}

/// Looks at what a server says that has not let us in yet. Answers whether it has, or has turned us away.
///
/// # Errors
/// It asks for the password in clear text, or is not understood.
fn lets_us_in(said: &mut Incoming, more: &[u8]) -> io::Result<bool> {
    let garbled = |_| io::Error::other(NOT_UNDERSTOOD);
    said.put(more);
    while let Some(message) = said.message().map_err(garbled)? {
        match turn(message).map_err(garbled)? {
            Some(Turn::Password) => return Err(io::Error::other(ClearText)),
            Some(Turn::Key(_) | Turn::Ready | Turn::Refused(_)) => return Ok(true),
            _ => {}
        }
    }
    Ok(false)
}

impl AsyncRead for Stream {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Encrypted(stream) => Pin::new(stream).poll_read(cx, into),
            Self::Plain(socket, watched) => {
                let before = into.filled().len();
                ready!(Pin::new(socket).poll_read(cx, into))?;
                if let Some(said) = watched
                    && lets_us_in(said, &into.filled()[before..])?
                {
                    *watched = None;
                }
                Poll::Ready(Ok(()))
            }
        }
    }
}

impl AsyncWrite for Stream {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Encrypted(stream) => Pin::new(stream).poll_write(cx, bytes),
            Self::Plain(socket, _) => Pin::new(socket).poll_write(cx, bytes),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Encrypted(stream) => Pin::new(stream).poll_flush(cx),
            Self::Plain(socket, _) => Pin::new(socket).poll_flush(cx),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Encrypted(stream) => Pin::new(stream).poll_shutdown(cx),
            Self::Plain(socket, _) => Pin::new(socket).poll_shutdown(cx),
        }
    }
}

impl TlsStream for Stream {
    fn channel_binding(&self) -> ChannelBinding {
        match self {
            Self::Encrypted(stream) => stream.channel_binding(),
            Self::Plain(..) => ChannelBinding::none(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn message(kind: u8, body: &[u8]) -> Vec<u8> {
        let length = u32::try_from(body.len() + 4).unwrap().to_be_bytes();
        [&[kind], length.as_slice(), body].concat()
    }

    proptest! {
        /// Wherever the network cuts it, and whatever comes before.
        #[test]
        fn who_asks_for_clear_text_is_noticed(
            before in prop::collection::vec((prop::sample::select(b"NSv".to_vec()), 0_usize..3_000), 0..4),
            cuts in prop::collection::vec(1_usize..700, 1..8),
            asks in prop::sample::select(vec![3_u8, 5, 10, 0]),
        ) {
            let mut bytes: Vec<u8> = before.iter().flat_map(|(kind, length)| message(*kind, &vec![7; *length])).collect();
            bytes.extend(message(b'R', &[0, 0, 0, asks, 1, 2, 3, 4]));
            if asks == 0 {
                bytes.extend(message(b'K', &[1; 8]));
            }
            let (mut said, mut rest, mut answers) = (Incoming::default(), bytes.as_slice(), Vec::new());
            for cut in cuts.iter().cycle() {
                let (piece, later) = rest.split_at((*cut).min(rest.len()));
                answers.push(lets_us_in(&mut said, piece));
                rest = later;
                if rest.is_empty() {
                    break;
                }
            }
            let last = answers.pop().unwrap();
            prop_assert!(answers.iter().all(|answer| matches!(answer, Ok(false))));
            match asks {
                3 => prop_assert!(last.unwrap_err().get_ref().unwrap().is::<ClearText>()),
                asks => prop_assert_eq!(last.unwrap(), asks == 0),
            }
        }
    }

    #[test]
    fn nothing_hides_behind_a_message_without_end() {
        let endless = [b"N".as_slice(), &u32::MAX.to_be_bytes()].concat();
        assert!(lets_us_in(&mut Incoming::default(), &endless).is_err());
    }
}
