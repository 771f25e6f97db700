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
                    pass_on(asking, || {
                        _ = count.fetch_add(u64::from(seen.swap(false, Ordering::SeqCst)), Ordering::SeqCst)
                    })
                });
                thread::spawn(move || pass_on((server, client), || answered.store(true, Ordering::SeqCst)));
            }
        });
        Self { port, count }
    }

    /// Round trips until now.
    pub fn count(&self) -> u64 {
        self.count.load(Ordering::SeqCst)
    }
}

/// Passes data on; `heard` is called for each piece before.
fn pass_on((mut from, mut to): (TcpStream, TcpStream), heard: impl Fn()) {
    to.set_nodelay(true).unwrap();
    let mut piece = vec![0; 1 << 16];
    while let Ok(bytes @ 1..) = from.read(&mut piece) {
        heard();
        if to.write_all(&piece[..bytes]).is_err() {
            break;
        }
    }
    _ = to.shutdown(std::net::Shutdown::Both);
}
