//! A stream to a server, over TCP or a Unix socket: both are one kind of thing to the kernel, and so here.

use dbdyno_engine::server::socket::keep_alive;
use rustix::net::{AddressFamily, SocketFlags};
use rustix::net::{RecvFlags, SendAncillaryBuffer, SendFlags, Shutdown, SocketAddrUnix, SocketType, sockopt};
use std::io::{self, IoSlice};
use std::net::{SocketAddr, TcpStream};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;
use std::time::{Duration, Instant};

/// Whether to wait for something to come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wait {
    /// Until it does.
    Yes,
    /// Until it does, but no longer than to this time.
    Until(Instant),
    /// Only look.
    No,
}

/// A stream. It waits, unless it is told not to, call by call.
#[derive(Debug)]
pub(super) struct Socket(OwnedFd);

impl Socket {
    /// Connects over TCP.
    pub(super) fn tcp(address: &SocketAddr, deadline: Instant) -> io::Result<Self> {
        let stream = TcpStream::connect_timeout(address, left(deadline)?)?;
        stream.set_nodelay(true)?;
        keep_alive(&stream);
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

    /// From now on sending waits no longer than until then, nor does receiving; for ever where there is no such time.
    pub(super) fn wait_until(&self, deadline: Option<Instant>) -> io::Result<()> {
        let patience = deadline.map(left).transpose()?;
        sockopt::set_socket_timeout(&self.0, sockopt::Timeout::Recv, patience)?;
        sockopt::set_socket_timeout(&self.0, sockopt::Timeout::Send, patience)?;
        Ok(())
    }

    /// Sends all of two pieces, the one after the other.
    pub(super) fn send(&self, mut head: &[u8], mut body: &[u8]) -> io::Result<()> {
        while !(head.is_empty() && body.is_empty()) {
            let sent = self.send_some(head, body)?;
            let of_head = sent.min(head.len());
            (head, body) = (&head[of_head..], &body[sent - of_head..]);
        }
        Ok(())
    }

    /// Sends as much of two pieces as there is room for.
    pub(super) fn send_some(&self, head: &[u8], body: &[u8]) -> io::Result<usize> {
        let send = || {
            if head.is_empty() {
                return rustix::net::send(&self.0, body, SendFlags::NOSIGNAL);
            }
            let pieces = [IoSlice::new(head), IoSlice::new(body)];
            rustix::net::sendmsg(&self.0, &pieces, &mut SendAncillaryBuffer::default(), SendFlags::NOSIGNAL)
        };
        Ok(rustix::io::retry_on_intr(send)?)
    }

    /// Receives what there is; `WouldBlock` where nothing came in time, or nobody waits.
    pub(super) fn receive(&self, into: &mut [u8], wait: Wait) -> io::Result<usize> {
        let flags = if wait == Wait::No { RecvFlags::DONTWAIT } else { RecvFlags::empty() };
        if let Wait::Until(deadline) = wait {
            sockopt::set_socket_timeout(&self.0, sockopt::Timeout::Recv, Some(left(deadline)?))?;
        }
        loop {
            match rustix::net::recv(&self.0, &mut *into, flags) {
                Ok((received, _)) => return Ok(received),
                Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Ends the connection, also for a thread that waits for it.
    pub(super) fn shut(&self) {
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
