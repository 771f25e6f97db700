//! A stream to a server, over TCP or a Unix socket: both are one kind of thing to the kernel, and so here.

use rustix::net::{AddressFamily, SocketFlags};
use rustix::net::{RecvFlags, SendFlags, Shutdown, SocketAddrUnix, SocketType, sockopt};
use std::io;
use std::net::{SocketAddr, TcpStream};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;
use std::time::{Duration, Instant};

use super::super::connection::connect::{KEEPALIVE_IDLE, KEEPALIVE_INTERVAL, KEEPALIVE_PROBES, UNANSWERED};

/// A stream. It waits, unless it is told not to, call by call.
#[derive(Debug)]
pub(in super::super) struct Socket(OwnedFd);

impl Socket {
    /// Connects over TCP.
    pub(super) fn tcp(address: &SocketAddr, deadline: Instant) -> io::Result<Self> {
        let stream = TcpStream::connect_timeout(address, left(deadline)?)?;
        stream.set_nodelay(true)?;
        sockopt::set_socket_keepalive(&stream, true)?;
        sockopt::set_tcp_keepidle(&stream, KEEPALIVE_IDLE)?;
        sockopt::set_tcp_keepintvl(&stream, KEEPALIVE_INTERVAL)?;
        sockopt::set_tcp_keepcnt(&stream, KEEPALIVE_PROBES)?;
        let unanswered_ms = u32::try_from(UNANSWERED.as_millis()).unwrap_or(u32::MAX);
        sockopt::set_tcp_user_timeout(&stream, unanswered_ms)?;
        Ok(Self(stream.into()))
    }

    /// Connects to a Unix socket. A server that stands still lets connections wait, and then lets nobody wait any more;
    /// the standard library would wait for that.
    pub(super) fn unix(path: &Path, deadline: Instant) -> io::Result<Self> {
        let socket = rustix::net::socket_with(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None)?;
        sockopt::set_socket_timeout(&socket, sockopt::Timeout::Send, Some(left(deadline)?))?;
        rustix::net::connect(&socket, &SocketAddrUnix::new(path)?)?;
        Ok(Self(socket))
    }

    /// Waits no longer than until then, each time that it waits; for ever where there is no end.
    pub(super) fn wait_until(&self, deadline: Option<Instant>) -> io::Result<()> {
        let patience = deadline.map(left).transpose()?;
        sockopt::set_socket_timeout(&self.0, sockopt::Timeout::Recv, patience)?;
        sockopt::set_socket_timeout(&self.0, sockopt::Timeout::Send, patience)?;
        Ok(())
    }

    /// Sends everything.
    pub(super) fn send(&self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            let sent = self.send_some(bytes)?;
            bytes = &bytes[sent..];
        }
        Ok(())
    }

    pub(super) fn send_some(&self, bytes: &[u8]) -> io::Result<usize> {
        Ok(rustix::io::retry_on_intr(|| rustix::net::send(&self.0, bytes, SendFlags::NOSIGNAL))?)
    }

    /// Receives what there is; `WouldBlock` where that is nothing and nobody waits.
    pub(super) fn receive(&self, into: &mut [u8], waits: bool) -> io::Result<usize> {
        let flags = if waits { RecvFlags::empty() } else { RecvFlags::DONTWAIT };
        loop {
            match rustix::net::recv(&self.0, &mut *into, flags) {
                Ok((received, _)) => return Ok(received),
                Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Ends the connection, also for a thread that waits for it.
    pub(in super::super) fn shut(&self) {
        // What has ended already cannot be ended.
        _ = rustix::net::shutdown(&self.0, Shutdown::Both);
    }

    pub(super) fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// The time that is left.
fn left(deadline: Instant) -> io::Result<Duration> {
    let left = deadline.saturating_duration_since(Instant::now());
    if left.is_zero() { Err(io::ErrorKind::TimedOut.into()) } else { Ok(left) }
}
