//! The socket below a connection. The driver keeps it to itself and reads from it without a limit of time, so a thread
//! in the driver's hands ends only when somebody else shuts its socket. Two ways lead to it, both by what the kernel
//! says of this very process:
//!
//! - While a connection is being opened there is nothing yet to hold on to but the thread. What it is waiting for, and
//!   on which descriptor, stands in `/proc/self/task/ID/syscall`: a thread that waits in the kernel cannot close it
//!   meanwhile.
//! - Once a connection is open, its limit for reading is set to a time that no other socket has, and the socket that
//!   has it is looked for. A copy of it is kept: it is the same socket, whatever the driver does with its own.
//!
//! A copy is made by `pidfd_getfd` of this process (Linux 5.6, and a sandbox that allows it: `docker run` does so only
//! with `--cap-add SYS_PTRACE`). Where that is refused, dbdyno works without: a server that falls silent keeps a
//! thread, and a statement under way ends by itself when somebody cancels. A relay between the driver and the server
//! would do without all this, and be a part of every figure.

use dbdyno_engine::server::socket::{copy_of, has_hung_up, keep_alive};
use rustix::net::sockopt::{self, Timeout};
use rustix::net::{AddressFamily, SendFlags, Shutdown};
use rustix::thread::Pid;
use std::fs;
use std::os::fd::{OwnedFd, RawFd};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The first of the times that mark sockets, in seconds: about three years, which nobody else waits for.
const FIRST_MARK_S: u64 = 100_000_000;
static MARKS: AtomicU64 = AtomicU64::new(FIRST_MARK_S);

/// The packet that asks a server to interrupt what it is doing: its length, its kind (a marker), and which marker. The
/// driver sends the same when a limit of its own has passed.
const INTERRUPT: [u8; 11] = [0, 0, 0, 11, 12, 0, 0, 0, 1, 0, 3];

/// The number of the system call that receives from a socket.
#[cfg(target_arch = "x86_64")]
const RECEIVE: Option<i64> = Some(45);
#[cfg(target_arch = "aarch64")]
const RECEIVE: Option<i64> = Some(207);
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
const RECEIVE: Option<i64> = None;

/// A copy of a connection's socket.
#[derive(Debug)]
pub(super) struct Socket {
    copy: OwnedFd,
    /// Its number in the driver's hands.
    number: RawFd,
}

impl Socket {
    /// The socket whose limit for reading `limit` sets, and takes away again.
    pub(super) fn marked(mut limit: impl FnMut(Option<Duration>) -> bool) -> Option<Self> {
        let mark = Some(Duration::from_secs(MARKS.fetch_add(1, Ordering::Relaxed)));
        if !limit(mark) {
            return None;
        }
        let has_mark = |number: &RawFd| {
            copy(*number)
                .map(|copy| Self { copy, number: *number })
                .filter(|socket| sockopt::socket_timeout(&socket.copy, Timeout::Recv).is_ok_and(|limit| limit == mark))
        };
        let found = numbers().iter().find_map(has_mark);
        limit(None);
        found
    }

    /// Lets the kernel notice when the other side has gone.
    pub(super) fn keep_alive(&self) {
        keep_alive(&self.copy);
    }

    /// Asks the server to interrupt the statement of a thread, if that waits for an answer just then. While it sends,
    /// the packet would land within another. Not for a connection that is encrypted. Says whether it was sent.
    pub(super) fn interrupt(&self, thread: Pid) -> bool {
        let waits = |call: &Waiting| Some(call.number) == RECEIVE && call.first == i64::from(self.number);
        waiting(thread).as_ref().is_some_and(waits)
            && rustix::net::send(&self.copy, &INTERRUPT, SendFlags::NOSIGNAL | SendFlags::DONTWAIT)
                == Ok(INTERRUPT.len())
    }

    /// Whether the server has closed it.
    pub(super) fn has_hung_up(&self) -> bool {
        has_hung_up(&self.copy)
    }

    /// Shuts it: whoever waits on it waits no longer.
    pub(super) fn shut(&self) {
        _ = rustix::net::shutdown(&self.copy, Shutdown::Both);
    }
}

/// How trying to shut the socket that a thread waits on went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shut {
    /// It was shut.
    Done,
    /// The thread waits on none at the moment.
    NotWaiting,
    /// This system does not let us.
    Refused,
}

/// Shuts the socket that a thread waits on.
pub(super) fn shut_socket_of(thread: Pid) -> Shut {
    let Some(before) = waiting(thread) else { return Shut::NotWaiting };
    let Ok(number) = RawFd::try_from(before.first) else { return Shut::NotWaiting };
    if !is_socket(number) {
        return Shut::NotWaiting;
    }
    let Some(copy) = copy(number) else { return Shut::Refused };
    // The same call still: the number has been that of the same socket all the time.
    if waiting(thread) != Some(before) {
        return Shut::NotWaiting;
    }
    _ = rustix::net::shutdown(&copy, Shutdown::Both);
    Shut::Done
}

/// A system call that a thread waits in.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Waiting {
    number: i64,
    /// Its first argument.
    first: i64,
    /// The line that says so, with the other arguments and where the thread stands.
    line: String,
}

fn waiting(thread: Pid) -> Option<Waiting> {
    let line = fs::read_to_string(format!("/proc/self/task/{}/syscall", thread.as_raw_pid())).ok()?;
    // `45 0x6 0x7f... ...`; or `running`, or `-1 ...` outside of any call.
    let mut words = line.split_ascii_whitespace();
    let number = words.next()?.parse().ok().filter(|number| *number >= 0)?;
    let first = i64::from_str_radix(words.next()?.strip_prefix("0x")?, 16).ok()?;
    Some(Waiting { number, first, line })
}

/// The numbers of this process's sockets.
fn numbers() -> Vec<RawFd> {
    let Ok(all) = fs::read_dir("/proc/self/fd") else { return Vec::new() };
    let number = |entry: std::io::Result<fs::DirEntry>| entry.ok()?.file_name().to_str()?.parse().ok();
    all.filter_map(number).filter(|number| is_socket(*number)).collect()
}

fn is_socket(number: RawFd) -> bool {
    let link = fs::read_link(format!("/proc/self/fd/{number}"));
    link.is_ok_and(|link| link.to_string_lossy().starts_with("socket:"))
}

/// A copy of a TCP socket of this process.
fn copy(number: RawFd) -> Option<OwnedFd> {
    let copy = copy_of(number)?;
    let family = sockopt::socket_domain(&copy).ok()?;
    [AddressFamily::INET, AddressFamily::INET6].contains(&family).then_some(copy)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read as _;
    use std::net::{TcpListener, TcpStream};
    use std::sync::mpsc;
    use std::thread::{self, JoinHandle};
    use std::time::Instant;

    /// Both ends of a connection.
    fn pair() -> (TcpStream, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let near = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        (near, listener.accept().unwrap().0)
    }

    fn marked(stream: &TcpStream) -> Socket {
        Socket::marked(|limit| stream.set_read_timeout(limit).is_ok()).unwrap()
    }

    /// A thread that waits for a byte, and says what it got.
    fn reader(mut stream: TcpStream) -> (Pid, JoinHandle<usize>) {
        let (sender, receiver) = mpsc::channel();
        let thread = thread::spawn(move || {
            sender.send(rustix::thread::gettid()).unwrap();
            stream.read(&mut [0; 16]).unwrap()
        });
        let id = receiver.recv().unwrap();
        let until = Instant::now() + Duration::from_secs(10);
        while waiting(id).is_none_or(|call| Some(call.number) != RECEIVE) && Instant::now() < until {
            thread::sleep(Duration::from_millis(1));
        }
        (id, thread)
    }

    #[test]
    fn a_socket_is_found_among_others_by_its_mark() {
        let pairs: Vec<_> = (0..3).map(|_| pair()).collect();
        for (near, far) in &pairs {
            let socket = marked(near);
            assert_eq!(near.read_timeout().unwrap(), None);
            socket.keep_alive();
            assert!(sockopt::socket_keepalive(near).unwrap() && !sockopt::socket_keepalive(far).unwrap());
            socket.shut();
            assert_eq!((&*near).read(&mut [0; 1]).unwrap(), 0);
        }
        assert!(Socket::marked(|_| false).is_none());
    }

    #[test]
    fn a_thread_that_waits_is_let_go_and_one_that_does_not_is_left_alone() {
        let (near, _far) = pair();
        let (id, thread) = reader(near);
        assert_eq!(shut_socket_of(id), Shut::Done);
        assert_eq!(thread.join().unwrap(), 0);
        // The system knows of a thread for a moment after its end.
        let until = Instant::now() + Duration::from_secs(10);
        while shut_socket_of(id) == Shut::Refused && Instant::now() < until {
            thread::sleep(Duration::from_millis(1));
        }
        assert_eq!(shut_socket_of(id), Shut::NotWaiting);
        assert_eq!(shut_socket_of(rustix::thread::gettid()), Shut::NotWaiting);
    }

    #[test]
    fn an_interrupt_is_sent_only_while_an_answer_is_waited_for() {
        let (near, mut far) = pair();
        let socket = marked(&near);
        let (id, thread) = reader(near);
        assert!(!socket.interrupt(rustix::thread::gettid()), "this thread waits for nothing");
        assert!(socket.interrupt(id));
        let mut packet = [0; INTERRUPT.len()];
        far.read_exact(&mut packet).unwrap();
        assert_eq!(packet, INTERRUPT);
        drop(far);
        assert_eq!(thread.join().unwrap(), 0);
        assert!(!socket.interrupt(id));
    }
}
