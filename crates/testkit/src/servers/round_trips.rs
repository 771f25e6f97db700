//! A proxy between clients and a server that counts round trips: how often a client sends something after the server
//! has answered.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

/// The proxy.
pub struct RoundTrips {
    /// Where it listens, on 127.0.0.1.
    pub port: u16,
    count: Arc<AtomicU64>,
}

impl RoundTrips {
    /// A proxy for the server at this port.
    pub fn before(server: u16) -> Self {
        Self::in_pieces(server, usize::MAX)
    }

    /// The same, which hands the server's answers on in pieces of at most this many bytes, as a network may cut them.
    pub fn in_pieces(server: u16, bytes: usize) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (port, count) = (listener.local_addr().unwrap().port(), Arc::new(AtomicU64::new(0)));
        let counts = Arc::clone(&count);
        thread::spawn(move || {
            for client in listener.incoming() {
                let (client, server) = (client.unwrap(), TcpStream::connect(("127.0.0.1", server)).unwrap());
                // Whether the server has sent something since the client last did.
                let answered = Arc::new(AtomicBool::new(true));
                let (count, seen) = (Arc::clone(&counts), Arc::clone(&answered));
                let asking = (client.try_clone().unwrap(), server.try_clone().unwrap());
                thread::spawn(move || {
                    pass_on(asking, usize::MAX, || {
                        _ = count.fetch_add(u64::from(seen.swap(false, Ordering::SeqCst)), Ordering::SeqCst)
                    })
                });
                thread::spawn(move || pass_on((server, client), bytes, || answered.store(true, Ordering::SeqCst)));
            }
        });
        Self { port, count }
    }

    /// Round trips until now.
    pub fn count(&self) -> u64 {
        self.count.load(Ordering::SeqCst)
    }
}

/// Passes data on in pieces of at most this many bytes; `heard` is called before whatever has come at once.
fn pass_on((mut from, mut to): (TcpStream, TcpStream), most_bytes: usize, heard: impl Fn()) {
    to.set_nodelay(true).unwrap();
    let mut piece = vec![0; 1 << 16];
    while let Ok(bytes @ 1..) = from.read(&mut piece) {
        heard();
        let mut pieces = piece[..bytes].chunks(most_bytes);
        if !pieces.all(|piece| to.write_all(piece).is_ok()) {
            break;
        }
    }
    _ = to.shutdown(std::net::Shutdown::Both);
}
