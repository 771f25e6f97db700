//! What a fake server is sent: a server that answers in place of the real one, or an eavesdropper, must not get the
//! password.

use crate::{PASSWORD, refused};
use dbdyno_model::ErrorClass;
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// Two names of this machine. For the second it is not certain: dbdyno goes by the name and resolves nothing.
const HERE: &str = "127.0.0.1";
const ELSEWHERE: &str = "127.1";

/// A fake server.
struct Fake {
    port: u16,
    told: Arc<Mutex<Vec<u8>>>,
}

impl Fake {
    /// A fake that talks to each client in this way; `talk` returns what it was sent.
    fn start(talk: impl Fn(&mut TcpStream) -> io::Result<Vec<u8>> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (port, told) = (listener.local_addr().unwrap().port(), Arc::new(Mutex::new(Vec::new())));
        let (kept, talk) = (Arc::clone(&told), Arc::new(talk));
        thread::spawn(move || {
            for client in listener.incoming() {
                let (kept, talk) = (Arc::clone(&kept), Arc::clone(&talk));
                thread::spawn(move || {
                    // A client that hangs up sends nothing.
                    let told = talk(&mut client.unwrap()).unwrap_or_default();
                    kept.lock().unwrap().extend(told);
                });
            }
        });
        Self { port, told }
    }

    /// What it was sent since the last call, by a client that has gone.
    fn told(&self) -> String {
        // Its threads must notice that the client has gone.
        thread::sleep(Duration::from_millis(200));
        String::from_utf8_lossy(&std::mem::take(&mut *self.told.lock().unwrap())).into_owned()
    }
}

/// What a client sends next; empty when it goes.
fn next(client: &mut TcpStream) -> Vec<u8> {
    let mut bytes = [0; 4_096];
    let read = client.read(&mut bytes).unwrap_or(0);
    bytes[..read].to_vec()
}

/// Answers a request for TLS in this way, and then asks for the clear-text password. Between the two it sends `before`.
fn wants_clear_text(answer: &'static [u8], before: &'static [u8]) -> Fake {
    Fake::start(move |client| {
        let mut head = [0; 8];
        client.read_exact(&mut head)?;
        if head == [0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f] {
            client.write_all(answer)?;
            if answer != b"N" {
                return Ok(Vec::new());
            }
            client.read_exact(&mut head)?;
        }
        let length = u32::from_be_bytes([head[0], head[1], head[2], head[3]]);
        client.read_exact(&mut vec![0; length as usize - head.len()])?;
        client.set_nodelay(true)?;
        client.write_all(before)?;
        for part in [b"R\0\0".as_slice(), b"\0\x08\0\0\0", b"\x03"] {
            client.write_all(part)?;
            thread::sleep(Duration::from_millis(5));
        }
        Ok([b"[asked]".to_vec(), next(client)].concat())
    })
}

#[test]
fn nobody_elsewhere_is_told_the_password_in_clear_text() {
    let target = |fake: &Fake, host: &str, options: &str| {
        format!("postgres://scott:{PASSWORD}@{host}:{}/bench?connect_timeout=3{options}", fake.port)
    };
    // One without TLS, one that breaks it, and one that sends more than it is asked.
    for (answer, before) in [(b"N".as_slice(), b"".as_slice()), (b"Snonsense", b""), (b"N", b"N\0\0\0\x05\0")] {
        let fake = wants_clear_text(answer, before);
        for options in ["", "&sslmode=prefer"] {
            for error in refused(&target(&fake, ELSEWHERE, options)) {
                // The reaction to an unknown message may be anything except the password.
                assert!(before.len() > 1 || error.class == ErrorClass::Authentication, "{error}");
                assert!(
                    before.len() > 1 || error.message.contains("in clear text, and nothing is encrypted"),
                    "{error}"
                );
                assert!(before.len() > 1 || error.message.contains("sslmode=verify-full"), "{error}");
            }
            let told = fake.told();
            assert!(told.contains("[asked]") && !told.contains(PASSWORD), "{answer:?} {options}: {told}");
        }
        for error in refused(&target(&fake, HERE, "&sslmode=require")) {
            assert_eq!(error.class, ErrorClass::ConnectionLost, "{error}");
        }
        assert_eq!(fake.told(), "");
    }
    // This machine may have it, and so may a target that requests it by name.
    let fake = wants_clear_text(b"N", b"");
    for (host, options) in [(HERE, ""), (ELSEWHERE, "&sslmode=disable")] {
        refused(&target(&fake, host, options));
        assert_eq!(fake.told().matches(PASSWORD).count(), 3, "{host} {options}");
    }
}

/// A packet of MariaDB's protocol.
fn packet(number: u8, body: &[u8]) -> Vec<u8> {
    let length = u32::try_from(body.len()).unwrap().to_le_bytes();
    [&length[..3], &[number], body].concat()
}

fn read_packet(client: &mut TcpStream) -> io::Result<Vec<u8>> {
    let mut head = [0; 4];
    client.read_exact(&mut head)?;
    let mut body = vec![0; usize::from(head[0]) | usize::from(head[1]) << 8];
    client.read_exact(&mut body)?;
    Ok(body)
}

/// A server's greeting, with TLS or without, that asks for the one method that may ask for passwords.
fn greeting(has_tls: bool) -> Vec<u8> {
    const LONG_PASSWORD: u32 = 1;
    const CONNECT_WITH_DATABASE: u32 = 1 << 3;
    const PROTOCOL_41: u32 = 1 << 9;
    const TLS: u32 = 1 << 11;
    const SECURE_CONNECTION: u32 = 1 << 15;
    const METHODS: u32 = 1 << 19;
    let can = LONG_PASSWORD | CONNECT_WITH_DATABASE | PROTOCOL_41 | SECURE_CONNECTION | METHODS;
    let can = (if has_tls { can | TLS } else { can }).to_le_bytes();
    let salt = [b'x'; 20];
    let parts: [&[u8]; 9] = [
        b"\x0a8.0.36\0\x01\0\0\0",
        &salt[..8],
        b"\0",
        &can[..2],
        b"\x2d\x02\0",
        &can[2..],
        b"\x15\0\0\0\0\0\0\0\0\0\0",
        &salt[8..],
        b"\0caching_sha2_password\0",
    ];
    packet(0, &parts.concat())
}

/// The packet of a client that ends.
const QUIT: [u8; 1] = [1];

/// The request after the client's first answer, which would reveal the password.
#[derive(Debug, Clone, Copy)]
enum Wants {
    /// Encrypted with a key that the server sends on request.
    ByItsKey,
    /// In clear text.
    AsItIs,
}

fn wants_password(has_tls: bool, wants: Wants) -> Fake {
    Fake::start(move |client| {
        client.write_all(&greeting(has_tls))?;
        let answer = read_packet(client)?;
        if answer == QUIT {
            return Ok(Vec::new());
        }
        if answer.len() == 32 {
            client.write_all(b"no handshake")?;
            return Ok(Vec::new());
        }
        let more: &[u8] = match wants {
            Wants::ByItsKey => b"\x01\x04",
            Wants::AsItIs => b"\xfemysql_clear_password\0",
        };
        client.write_all(&packet(2, more))?;
        let mut told = b"[asked]".to_vec();
        match read_packet(client) {
            Ok(body) if body == QUIT => {}
            Ok(body) if body == [2] => told.extend(b"[send me your key]"),
            Ok(body) => told.extend(body),
            Err(_) => {}
        }
        Ok(told)
    })
}

#[test]
fn nobody_elsewhere_is_told_the_password_by_a_key_of_his_own() {
    let target = |fake: &Fake, host: &str, options: &str| {
        format!("mariadb://scott:{PASSWORD}@{host}:{}/bench?connect_timeout=3{options}", fake.port)
    };
    for has_tls in [false, true] {
        let fake = wants_password(has_tls, Wants::ByItsKey);
        for options in ["", "&sslmode=prefer"] {
            for error in refused(&target(&fake, ELSEWHERE, options)) {
                assert_eq!(error.class, ErrorClass::Authentication, "{error}");
                assert!(error.message.contains("by a key of its own, and nothing is encrypted"), "{error}");
                assert!(error.message.contains("sslmode=verify-full"), "{error}");
            }
            assert_eq!(fake.told(), "[asked]".repeat(3), "{has_tls} {options}");
        }
        refused(&target(&fake, HERE, "&sslmode=require"));
        assert_eq!(fake.told(), "");
        for (host, options) in [(HERE, ""), (ELSEWHERE, "&sslmode=disable")] {
            refused(&target(&fake, host, options));
            assert_eq!(fake.told(), "[asked][send me your key]".repeat(3), "{host} {options}");
        }
    }
    // Nobody gets it in clear text.
    let fake = wants_password(false, Wants::AsItIs);
    for (host, options) in [(HERE, ""), (ELSEWHERE, "&sslmode=prefer"), (ELSEWHERE, "&sslmode=disable")] {
        refused(&target(&fake, host, options));
        let told = fake.told();
        assert!(told.starts_with("[asked]") && !told.contains(PASSWORD), "{host} {options}: {told}");
    }
}
