//! A pooler for tests, of the kind that dbdyno cannot work through: all its connections share one session of the
//! server, a transaction at a time, and it refuses settings in the startup message.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

/// What asks for TLS instead of beginning a session.
const TLS_REQUEST: u32 = 80_877_103;
const PROTOCOL: u32 = 196_608;

/// Starts one before a server's database and gives its port. It ends with the tests.
pub(crate) fn start(server_port: u16, user: &str, database: &str) -> u16 {
    let mut upstream = TcpStream::connect(("127.0.0.1", server_port)).unwrap();
    let parameters = format!("user\0{user}\0database\0{database}\0\0");
    upstream.write_all(&startup(parameters.as_bytes())).unwrap();
    until_ready(&mut upstream);
    let (upstream, listener) = (Arc::new(Mutex::new(upstream)), TcpListener::bind("127.0.0.1:0").unwrap());
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for client in listener.incoming() {
            let upstream = Arc::clone(&upstream);
            thread::spawn(move || _ = serve(client.unwrap(), &upstream));
        }
    });
    port
}

/// Serves a client until it goes.
fn serve(mut client: TcpStream, upstream: &Mutex<TcpStream>) -> std::io::Result<()> {
    loop {
        let body = body(&mut client)?;
        if body[..4] == TLS_REQUEST.to_be_bytes() {
            client.write_all(b"N")?;
        } else if body.windows(9).any(|word| word == b"\0options\0") {
            let fields = b"SFATAL\0VFATAL\0C08P01\0Munsupported startup parameter: options\0\0";
            return client.write_all(&message(b'E', fields));
        } else {
            break;
        }
    }
    client.write_all(&[message(b'R', &[0; 4]), message(b'K', &[0; 8]), message(b'Z', b"I")].concat())?;
    let mut batch = Vec::new();
    loop {
        let mut kind = [0];
        client.read_exact(&mut kind)?;
        batch.extend(message(kind[0], &body(&mut client)?));
        // A simple query, or the end of an extended one.
        if matches!(kind[0], b'Q' | b'S') {
            let mut upstream = upstream.lock().unwrap();
            upstream.write_all(&batch)?;
            client.write_all(&until_ready(&mut upstream))?;
            batch.clear();
        }
    }
}

/// Everything that the server says until it waits for the next statement.
fn until_ready(upstream: &mut TcpStream) -> Vec<u8> {
    let mut said = Vec::new();
    loop {
        let mut kind = [0];
        upstream.read_exact(&mut kind).unwrap();
        said.extend(message(kind[0], &body(upstream).unwrap()));
        if kind[0] == b'Z' {
            return said;
        }
    }
}

/// A message after its kind.
fn body(stream: &mut TcpStream) -> std::io::Result<Vec<u8>> {
    let mut length = [0; 4];
    stream.read_exact(&mut length)?;
    let mut body = vec![0; u32::from_be_bytes(length) as usize - 4];
    stream.read_exact(&mut body)?;
    Ok(body)
}

fn message(kind: u8, body: &[u8]) -> Vec<u8> {
    let length = u32::try_from(body.len() + 4).unwrap().to_be_bytes();
    [&[kind], length.as_slice(), body].concat()
}

fn startup(parameters: &[u8]) -> Vec<u8> {
    let body = [PROTOCOL.to_be_bytes().as_slice(), parameters].concat();
    message(0, &body)[1..].to_vec()
}
