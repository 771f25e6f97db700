//! Stopping a connection's statement from another thread. The driver offers no way to, so the packet that asks the
//! server to interrupt is sent past it, while it waits for the answer: it then gets ORA-01013. Where that does not end
//! the statement (or the connection is encrypted, and nothing can be sent past), the connection is shut; the server
//! rolls back when it notices. Whoever uses a connection opens another after it was cancelled.

use super::socket::Socket;
use dbdyno_engine::Canceller;
use dbdyno_engine::server::{Cancellation, recover};
use rustix::thread::Pid;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

/// What a connection and its cancellers share.
#[derive(Debug, Default)]
pub(super) struct Shared {
    pub(super) cancellation: Cancellation,
    /// The thread that waits for the server; 0 where none does.
    caller: AtomicI32,
    /// The socket, where it could be got hold of.
    pub(super) socket: Mutex<Option<Socket>>,
    /// Whether it is encrypted.
    encrypted: bool,
}

impl Shared {
    pub(super) fn new(socket: Option<Socket>, encrypted: bool) -> Self {
        Self { socket: Mutex::new(socket), encrypted, ..Self::default() }
    }

    /// Runs something that waits for the server, on this thread.
    pub(super) fn called<T>(&self, work: impl FnOnce() -> T) -> T {
        self.caller.store(rustix::thread::gettid().as_raw_pid(), Ordering::Relaxed);
        let done = work();
        self.caller.store(0, Ordering::Relaxed);
        done
    }

    /// Shuts the connection. Says whether it could.
    pub(super) fn shut(&self) -> bool {
        recover(&self.socket).as_ref().map(Socket::shut).is_some()
    }

    /// Asks the server to interrupt, if that can be done at this moment.
    fn interrupt(&self) -> bool {
        let Some(caller) = Pid::from_raw(self.caller.load(Ordering::Relaxed)) else { return false };
        !self.encrypted && recover(&self.socket).as_ref().is_some_and(|socket| socket.interrupt(caller))
    }
}

/// Stops what a connection is doing.
pub(super) struct OracleCanceller {
    pub(super) shared: Arc<Shared>,
    /// How long the server may take to interrupt.
    pub(super) patience: Duration,
}

/// How long a server may take to interrupt, which includes rolling a statement back.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);
/// Pauses between looks, each twice as long as the one before.
const FIRST_PAUSE: Duration = Duration::from_millis(2);
const LONGEST_PAUSE: Duration = Duration::from_millis(100);

impl Canceller for OracleCanceller {
    fn cancel(&self) {
        if !self.shared.cancellation.request() {
            return;
        }
        let (shared, patience) = (Arc::clone(&self.shared), self.patience);
        // Whoever pressed Ctrl-C does not wait for the answer. Without the thread the flag still stands.
        _ = thread::Builder::new().name("oracle-cancel".to_owned()).spawn(move || {
            let until = Instant::now() + patience;
            let (mut interrupted, mut pause) = (false, FIRST_PAUSE);
            while Instant::now() < until {
                if shared.cancellation.has_ended() {
                    return;
                }
                // Once: a second one would interrupt the answer to the first.
                interrupted = interrupted || shared.interrupt();
                thread::sleep(pause);
                pause = (2 * pause).min(LONGEST_PAUSE);
            }
            shared.shut();
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read as _;
    use std::net::{TcpListener, TcpStream};

    /// What a connection shares, its near end, and its far end.
    fn connected(encrypted: bool) -> (Arc<Shared>, TcpStream, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let near = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let socket = Socket::marked(|limit| near.set_read_timeout(limit).is_ok());
        (Arc::new(Shared::new(socket, encrypted)), near, listener.accept().unwrap().0)
    }

    fn cancel(shared: &Arc<Shared>, patience: Duration) {
        OracleCanceller { shared: Arc::clone(shared), patience }.cancel();
    }

    /// Waits for an answer, as the driver does.
    fn wait(shared: &Arc<Shared>, near: TcpStream) -> thread::JoinHandle<usize> {
        let shared = Arc::clone(shared);
        thread::spawn(move || shared.called(|| (&near).read(&mut [0; 4]).unwrap()))
    }

    #[test]
    fn a_server_is_asked_to_interrupt_once() {
        let (shared, near, mut far) = connected(false);
        let waiting = wait(&shared, near);
        cancel(&shared, PATIENCE);
        cancel(&shared, PATIENCE);
        let mut packet = [0; 11];
        far.read_exact(&mut packet).unwrap();
        assert_eq!(packet, [0, 0, 0, 11, 12, 0, 0, 0, 1, 0, 3]);
        std::io::Write::write_all(&mut far, b"stop").unwrap();
        assert_eq!(waiting.join().unwrap(), 4);
        shared.cancellation.end();
        drop(recover(&shared.socket).take());
        far.set_read_timeout(Some(Duration::from_millis(300))).unwrap();
        assert_eq!(far.read(&mut packet).unwrap(), 0, "nothing more came but the end of the connection");
    }

    #[test]
    fn a_server_that_does_not_listen_loses_the_connection() {
        for encrypted in [false, true] {
            let (shared, near, far) = connected(encrypted);
            let waiting = wait(&shared, near);
            cancel(&shared, Duration::from_millis(200));
            assert_eq!(waiting.join().unwrap(), 0);
            let mut got = Vec::new();
            (&far).read_to_end(&mut got).unwrap();
            assert_eq!(got.len(), if encrypted { 0 } else { 11 });
        }
    }
}
