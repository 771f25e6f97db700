//! Bytes to and from a server, with or without TLS.

use super::incoming::Incoming;
use super::socket::Socket;
use rustls::ClientConnection;
use std::io::{self, Read, Write};
use std::sync::Arc;

/// Whether to wait for something to come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Wait {
    /// Until it does.
    Yes,
    /// Only look.
    No,
}

/// A stream of bytes in both directions.
pub(super) struct Channel {
    pub(super) socket: Arc<Socket>,
    pub(super) tls: Option<Box<ClientConnection>>,
}

impl Channel {
    /// Sends everything.
    pub(super) fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        let Some(tls) = &mut self.tls else { return self.socket.send(bytes) };
        tls.writer().write_all(bytes)?;
        flush(tls, &self.socket)
    }

    /// Receives something: so many bytes, none at the end.
    pub(super) fn receive(&mut self, into: &mut Incoming, wait: Wait) -> io::Result<usize> {
        let received = match &mut self.tls {
            None => self.socket.receive(into.room(), wait == Wait::Yes)?,
            Some(tls) => decrypt(tls, &self.socket, into.room(), wait)?,
        };
        into.filled(received);
        Ok(received)
    }
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
pub(super) struct Encrypted<'a> {
    pub(super) socket: &'a Socket,
    pub(super) wait: Wait,
}

impl Read for Encrypted<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.socket.receive(into, self.wait == Wait::Yes)
    }
}

impl Write for Encrypted<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.socket.send_some(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
