//! What stands between a standby and its primary: it passes on what each sends the other, until it is told to hold it.
//! What it holds when it is closed never arrives. It is reached as the primary is: by a socket in a folder of the
//! servers' user, or by a port of the loopback address.

use dbdyno_engine::private::Through;
use dbdyno_engine::servers::{Account, Link};
use std::fs::DirBuilder;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::os::unix::fs::DirBuilderExt as _;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// The folder of its socket, in that of the primary's.
const FOLDER: &str = "link";
/// How often it is looked whether something has changed.
const PAUSE: Duration = Duration::from_millis(2);
const BUFFER_BYTES: usize = 1 << 16;

/// What it is told, by all of its threads.
#[derive(Debug, Default)]
struct Told {
    holds: AtomicBool,
    is_closed: AtomicBool,
}

impl Told {
    fn holds(&self) -> bool {
        self.holds.load(Ordering::SeqCst)
    }

    fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::SeqCst)
    }
}

/// A relay, which a standby is started through again and again.
#[derive(Debug, Default)]
pub struct Relay(Mutex<Arc<Told>>);

impl Relay {
    /// Passes nothing on any more, in either direction.
    pub fn hold(&self) {
        self.told().holds.store(true, Ordering::SeqCst);
    }

    /// Drops what it holds, and every connection.
    pub fn close(&self) {
        self.told().is_closed.store(true, Ordering::SeqCst);
    }

    fn told(&self) -> Arc<Told> {
        Arc::clone(&self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Listens anew, in the place of what was before.
    fn listen(&self, to: &Link, account: &Account) -> io::Result<Link> {
        self.close();
        let told = Arc::new(Told::default());
        let (at, listener) = Listener::beside(to, account)?;
        let to = to.clone();
        {
            let told = Arc::clone(&told);
            thread::Builder::new().name("link".to_owned()).spawn(move || listener.serve(&to, &told))?;
        }
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = told;
        Ok(at)
    }
}

impl Through for Relay {
    fn through(&self, link: &Link, account: &Account) -> io::Result<Link> {
        self.listen(link, account)
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.close();
    }
}

enum Listener {
    Socket(UnixListener),
    Port(TcpListener),
}

impl Listener {
    /// One that is reached as `to` is, by nobody else, and how.
    fn beside(to: &Link, account: &Account) -> io::Result<(Link, Self)> {
        let (at, listener) = match to {
            Link::Socket(path) => {
                let folder = path.parent().unwrap_or(Path::new("/")).join(FOLDER);
                // Its parent is new with each start. What is there already is somebody else's, and is not followed.
                DirBuilder::new().mode(0o700).create(&folder)?;
                let at = folder.join(path.file_name().unwrap_or_default());
                let listener = UnixListener::bind(&at)?;
                account.give(&at)?;
                account.give(&folder)?;
                (Link::Socket(at), Self::Socket(listener))
            }
            Link::Port(_) => {
                let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
                (Link::Port(listener.local_addr()?.port()), Self::Port(listener))
            }
        };
        match &listener {
            Self::Socket(listener) => listener.set_nonblocking(true)?,
            Self::Port(listener) => listener.set_nonblocking(true)?,
        }
        Ok((at, listener))
    }

    fn accept(&self) -> io::Result<Side> {
        match self {
            Self::Socket(listener) => listener.accept().map(|(stream, _)| Side::Socket(stream)),
            Self::Port(listener) => listener.accept().map(|(stream, _)| Side::Port(stream)),
        }
    }

    fn serve(&self, to: &Link, told: &Arc<Told>) {
        while !told.is_closed() {
            match self.accept() {
                Ok(side) if !told.holds() => _ = Side::of(to).and_then(|other| side.join(other, told)),
                // Whoever comes while it holds is turned away, and comes again.
                _ => thread::sleep(PAUSE),
            }
        }
    }
}

/// One side of a connection.
enum Side {
    Socket(UnixStream),
    Port(TcpStream),
}

impl Side {
    fn of(link: &Link) -> io::Result<Self> {
        match link {
            Link::Socket(path) => UnixStream::connect(path).map(Self::Socket),
            Link::Port(port) => TcpStream::connect((Ipv4Addr::LOCALHOST, *port)).map(Self::Port),
        }
    }

    /// Passes on between two sides until one of them ends.
    fn join(self, other: Self, told: &Arc<Told>) -> io::Result<()> {
        for side in [&self, &other] {
            side.prepare()?;
        }
        for (from, to) in [(self.try_clone()?, other.try_clone()?), (other, self)] {
            let told = Arc::clone(told);
            thread::Builder::new().name("link".to_owned()).spawn(move || from.pass_on(to, &told))?;
        }
        Ok(())
    }

    fn pass_on(mut self, mut to: Self, told: &Told) {
        let mut buffer = vec![0; BUFFER_BYTES];
        while !told.is_closed() {
            let bytes = match self.read(&mut buffer) {
                Ok(0) => break,
                Ok(bytes) => bytes,
                Err(error) if [io::ErrorKind::WouldBlock, io::ErrorKind::TimedOut].contains(&error.kind()) => continue,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(_) => break,
            };
            while told.holds() && !told.is_closed() {
                thread::sleep(PAUSE);
            }
            if told.is_closed() || buffer.get(..bytes).is_none_or(|bytes| to.write_all(bytes).is_err()) {
                break;
            }
        }
        self.end();
        to.end();
    }

    fn prepare(&self) -> io::Result<()> {
        // So that it is noticed when it is closed.
        const LOOK_EVERY: Duration = Duration::from_millis(20);
        match self {
            Self::Socket(stream) => {
                stream.set_nonblocking(false)?;
                stream.set_read_timeout(Some(LOOK_EVERY))
            }
            Self::Port(stream) => {
                stream.set_nonblocking(false)?;
                stream.set_nodelay(true)?;
                stream.set_read_timeout(Some(LOOK_EVERY))
            }
        }
    }

    fn try_clone(&self) -> io::Result<Self> {
        Ok(match self {
            Self::Socket(stream) => Self::Socket(stream.try_clone()?),
            Self::Port(stream) => Self::Port(stream.try_clone()?),
        })
    }

    fn end(&self) {
        // It may have ended by itself.
        _ = match self {
            Self::Socket(stream) => stream.shutdown(Shutdown::Both),
            Self::Port(stream) => stream.shutdown(Shutdown::Both),
        };
    }

    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Socket(stream) => stream.read(buffer),
            Self::Port(stream) => stream.read(buffer),
        }
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Socket(stream) => stream.write_all(bytes),
            Self::Port(stream) => stream.write_all(bytes),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    /// What is said at one end is heard at the other, until it is held; what is held when it is closed is never heard.
    #[test]
    fn what_is_held_arrives_later_or_never() {
        let folder = tempfile::tempdir().unwrap();
        let account = Account::choose(&[]).unwrap();
        let path = folder.path().join("socket");
        let (by_socket, by_port) = (UnixListener::bind(&path).unwrap(), TcpListener::bind("127.0.0.1:0").unwrap());
        let port = by_port.local_addr().unwrap().port();
        for link in [Link::Socket(path), Link::Port(port)] {
            let relay = Relay::default();
            let at = relay.through(&link, &account).unwrap();
            let mut near = Side::of(&at).unwrap();
            let mut far = match link {
                Link::Socket(_) => Side::Socket(by_socket.accept().unwrap().0),
                Link::Port(_) => Side::Port(by_port.accept().unwrap().0),
            };
            [&near, &far].iter().for_each(|side| side.prepare().unwrap());
            let heard = |side: &mut Side| {
                let (mut buffer, until) = ([0; 8], Instant::now() + Duration::from_secs(5));
                loop {
                    match side.read(&mut buffer) {
                        Ok(bytes) => return String::from_utf8_lossy(&buffer[..bytes]).into_owned(),
                        Err(_) if Instant::now() < until => {}
                        Err(error) => return error.to_string(),
                    }
                }
            };
            near.write_all(b"one").unwrap();
            assert_eq!(heard(&mut far), "one");
            far.write_all(b"two").unwrap();
            assert_eq!(heard(&mut near), "two");
            relay.hold();
            near.write_all(b"three").unwrap();
            thread::sleep(Duration::from_millis(100));
            assert!(far.read(&mut [0; 8]).is_err(), "it is held");
            relay.close();
            assert_eq!((heard(&mut far), heard(&mut near)), (String::new(), String::new()), "it never arrives");
        }
    }
}
