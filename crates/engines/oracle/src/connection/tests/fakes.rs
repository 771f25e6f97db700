//! Listeners on loopback that are none, or none that work: what a target may turn out to be.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Kinds of packets.
const ACCEPT: u8 = 2;
const REFUSE: u8 = 4;
/// The protocol of the releases from 12.2 on, and what an answer to a connect says of the server.
const PROTOCOL: u16 = 318;

/// What a fake does with whoever connects.
#[derive(Debug, Clone)]
pub(super) enum Fake {
    /// Nothing.
    Silent,
    /// It ends the connection before anything was said.
    ClosesAtOnce,
    /// It ends the connection when it has been asked.
    ClosesWhenAsked,
    /// It answers, and waits for more.
    Answers(Vec<u8>),
    /// It answers, and ends the connection.
    AnswersAndCloses(Vec<u8>),
}

/// A packet of the network layer below the login: its length, its kind, and what it says.
pub(super) fn packet(kind: u8, said: &[u8]) -> Vec<u8> {
    let length = u16::try_from(said.len() + 8).unwrap();
    let mut packet = length.to_be_bytes().to_vec();
    packet.extend([0, 0, kind, 0, 0, 0]);
    packet.extend(said);
    packet
}

/// What a listener says when it turns somebody away.
pub(super) fn refuse(code: u32) -> Vec<u8> {
    let stack = format!("(ERROR_STACK=(ERROR=(CODE={code})(EMFI=4)))");
    let text = format!("(DESCRIPTION=(TMP=)(VSNNUM=318767104)(ERR={code}){stack})");
    let mut said = vec![0x22, 0];
    said.extend(u16::try_from(text.len()).unwrap().to_be_bytes());
    said.extend(text.as_bytes());
    packet(REFUSE, &said)
}

/// What a server says when it lets somebody begin to log in; `flags` may ask for native network encryption.
pub(super) fn accept(flags: u8) -> Vec<u8> {
    let mut said = PROTOCOL.to_be_bytes().to_vec();
    said.extend([0; 12]);
    said.push(flags);
    said.extend([0; 9]);
    said.extend(8192_u32.to_be_bytes());
    said.extend([0; 9]);
    packet(ACCEPT, &said)
}

/// A fake at work.
pub(super) struct Listener {
    pub(super) port: u16,
    over: Arc<AtomicBool>,
    /// Connections whose other side has ended.
    left: Arc<AtomicUsize>,
    thread: Option<JoinHandle<()>>,
}

impl Listener {
    pub(super) fn start(fake: Fake) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let port = listener.local_addr().unwrap().port();
        let (over, left) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
        let thread = thread::spawn({
            let (over, left) = (Arc::clone(&over), Arc::clone(&left));
            move || serve(&listener, &fake, &over, &left)
        });
        Self { port, over, left, thread: Some(thread) }
    }

    /// Waits until the other side has ended a connection.
    pub(super) fn was_left(&self) -> bool {
        let until = Instant::now() + Duration::from_secs(10);
        while self.left.load(Ordering::Relaxed) == 0 && Instant::now() < until {
            thread::sleep(Duration::from_millis(2));
        }
        self.left.load(Ordering::Relaxed) > 0
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap();
        }
    }
}

fn serve(listener: &TcpListener, fake: &Fake, over: &AtomicBool, left: &AtomicUsize) {
    let mut open: Vec<TcpStream> = Vec::new();
    while !over.load(Ordering::Relaxed) {
        match listener.accept() {
            Ok((stream, _)) => open.extend(greet(stream, fake)),
            Err(error) => assert_eq!(error.kind(), ErrorKind::WouldBlock),
        }
        open.retain_mut(|stream| match stream.read(&mut [0; 4096]) {
            Ok(0) => {
                left.fetch_add(1, Ordering::Relaxed);
                false
            }
            Err(error) if error.kind() != ErrorKind::WouldBlock => {
                left.fetch_add(1, Ordering::Relaxed);
                false
            }
            _ => true,
        });
        thread::sleep(Duration::from_millis(2));
    }
}

/// Does what a fake does at first. What stays open is given back.
fn greet(mut stream: TcpStream, fake: &Fake) -> Option<TcpStream> {
    let asked = |stream: &mut TcpStream| {
        stream.set_nonblocking(false).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        stream.read(&mut [0; 4096]).unwrap()
    };
    match fake {
        Fake::Silent => {}
        Fake::ClosesAtOnce => return None,
        Fake::ClosesWhenAsked => {
            assert!(asked(&mut stream) > 0);
            return None;
        }
        Fake::Answers(answer) => {
            assert!(asked(&mut stream) > 0);
            stream.write_all(answer).unwrap();
        }
        Fake::AnswersAndCloses(answer) => {
            assert!(asked(&mut stream) > 0);
            stream.write_all(answer).unwrap();
            return None;
        }
    }
    stream.set_nonblocking(true).unwrap();
    Some(stream)
}
