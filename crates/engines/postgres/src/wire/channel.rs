//! Bytes to and from a server, with or without TLS.

use super::incoming::Incoming;
use super::socket::{Socket, Wait};
use rustls::ClientConnection;
use std::io::{self, Read, Write};
use std::sync::Arc;

/// A stream of bytes in both directions.
pub(super) struct Channel {
    pub(super) socket: Arc<Socket>,
    pub(super) tls: Option<Box<ClientConnection>>,
}

impl Channel {
    /// Sends all of two pieces, the one after the other.
    pub(super) fn send(&mut self, head: &[u8], body: &[u8]) -> io::Result<()> {
        let Some(tls) = &mut self.tls else { return self.socket.send(head, body) };
        for mut bytes in [head, body] {
            while !bytes.is_empty() {
                // It keeps no more than so much that has not been sent.
                let taken = tls.writer().write(bytes)?;
                bytes = &bytes[taken..];
                flush(tls, &self.socket)?;
            }
        }
        Ok(())
    }

    /// Receives something: so many bytes, none at the end.
    pub(super) fn receive(&mut self, into: &mut Incoming, wait: Wait) -> io::Result<usize> {
        let received = match &mut self.tls {
            None => self.socket.receive(into.room(), wait)?,
            Some(tls) => decrypt(tls, &self.socket, into.room(), wait)?,
        };
        into.filled(received);
        Ok(received)
    }
}

/// What goes before anything that is encrypted.
pub(super) fn shake_hands(connection: &mut ClientConnection, socket: &Socket, wait: Wait) -> io::Result<()> {
    let mut stream = Encrypted { socket, wait };
    while connection.is_handshaking() {
        connection.complete_io(&mut stream)?;
    }
    Ok(())
}

fn decrypt(tls: &mut ClientConnection, socket: &Socket, into: &mut [u8], wait: Wait) -> io::Result<usize> {
    loop {
        match tls.reader().read(into) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            // Without a farewell: the server's process was killed.
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(0),
            read => return read,
        }
        let mut encrypted = Encrypted { socket, wait };
        if tls.read_tls(&mut encrypted)? == 0 {
            return Ok(0);
        }
        tls.process_new_packets().map_err(io::Error::other)?;
        flush(tls, socket)?;
    }
}

fn flush(tls: &mut ClientConnection, socket: &Socket) -> io::Result<()> {
    let mut encrypted = Encrypted { socket, wait: Wait::Yes };
    while tls.wants_write() {
        tls.write_tls(&mut encrypted)?;
    }
    Ok(())
}

/// A socket as rustls wants it.
struct Encrypted<'a> {
    socket: &'a Socket,
    wait: Wait,
}

impl Read for Encrypted<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.socket.receive(into, self.wait)
    }
}

impl Write for Encrypted<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.socket.send_some(&[], bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
