//! Sockets of connections, also those that drivers keep to themselves.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::sockopt;
use rustix::process::{PidfdFlags, PidfdGetfdFlags, getpid, pidfd_getfd, pidfd_open};
use std::os::fd::{AsFd, OwnedFd, RawFd};
use std::time::Duration;

/// A host that has gone is noticed by the kernel: when what was sent stays unanswered for so long ...
pub const UNANSWERED: Duration = Duration::from_secs(45);
/// ... or, while an answer is waited for, by probes from here on.
pub const KEEPALIVE_IDLE: Duration = Duration::from_secs(20);
/// The time between two probes.
pub const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(5);
/// So many probes go unanswered before the connection ends.
pub const KEEPALIVE_PROBES: u32 = 5;

/// Lets the kernel notice when the host at the other end of a TCP connection has gone.
pub fn keep_alive(socket: &impl AsFd) {
    let unanswered_ms = u32::try_from(UNANSWERED.as_millis()).unwrap_or(u32::MAX);
    // Where one of them is not to be had, the others still help.
    _ = sockopt::set_socket_keepalive(socket, true);
    _ = sockopt::set_tcp_keepidle(socket, KEEPALIVE_IDLE);
    _ = sockopt::set_tcp_keepintvl(socket, KEEPALIVE_INTERVAL);
    _ = sockopt::set_tcp_keepcnt(socket, KEEPALIVE_PROBES);
    _ = sockopt::set_tcp_user_timeout(socket, unanswered_ms);
}

/// A copy of a descriptor of this process, of which no more than the number is known (Linux 5.6, and a sandbox that
/// allows it).
pub fn copy_of(number: RawFd) -> Option<OwnedFd> {
    let ourselves = pidfd_open(getpid(), PidfdFlags::empty()).ok()?;
    pidfd_getfd(ourselves, number, PidfdGetfdFlags::empty()).ok()
}

/// Whether the other side of a socket has closed it. Asks the kernel alone.
pub fn has_hung_up(socket: &impl AsFd) -> bool {
    let mut polled = [PollFd::new(socket, PollFlags::RDHUP)];
    poll(&mut polled, Some(&Timespec::default())).is_ok_and(|happened| happened > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;
    use std::net::{TcpListener, TcpStream};
    use std::os::fd::AsRawFd as _;
    use std::os::unix::net::UnixStream;

    #[test]
    fn what_was_closed_is_seen_also_behind_a_last_word() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let near = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (mut far, _) = listener.accept().unwrap();
        assert!(!has_hung_up(&near));
        far.write_all(b"you are terminated").unwrap();
        assert!(!has_hung_up(&near), "what is said is no end");
        drop(far);
        let copy = copy_of(near.as_raw_fd());
        while !has_hung_up(&near) {
            std::thread::yield_now();
        }
        // Where the system lets us have one.
        assert!(copy.is_none_or(|copy| has_hung_up(&copy)));
        let (near, far) = UnixStream::pair().unwrap();
        assert!(!has_hung_up(&near));
        drop(far);
        assert!(has_hung_up(&near));
    }
}
