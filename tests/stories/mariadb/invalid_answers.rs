//! A fake server that sends invalid answers. The client crate panics at such answers.

use crate::on_servers::refuses;
use crate::support::Room;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};

/// The greeting of a server without TLS, by the protocol.
fn greeting() -> Vec<u8> {
    let mut greeting = b"\x0a10.11.6-MariaDB\0".to_vec();
    // The session's number, and half of the salt.
    greeting.extend(b"\x07\0\0\0abcdefgh\0");
    // Capabilities: long passwords, a database, protocol 4.1, transactions, proofs, plugin names.
    let can: u32 = 0x1 | 0x8 | 0x200 | 0x2000 | 0x8000 | 0x0008_0000;
    greeting.extend(&can.to_le_bytes()[..2]);
    greeting.extend(b"\x2d\x02\0");
    greeting.extend(&can.to_le_bytes()[2..]);
    greeting.extend(b"\x15\0\0\0\0\0\0\0\0\0\0abcdefghijkl\0mysql_native_password\0");
    greeting
}

fn send(stream: &mut TcpStream, number: u8, payload: &[u8]) {
    let mut packet = (payload.len() as u32).to_le_bytes()[..3].to_vec();
    packet.push(number);
    packet.extend(payload);
    // The client may be gone.
    _ = stream.write_all(&packet);
}

/// Lets everyone in. It answers OK before the query at this place, and `rubbish` from then on.
fn serve(listener: &TcpListener, place: usize, rubbish: &[u8]) {
    const OK: &[u8] = b"\0\0\0\x02\0\0\0";
    for mut stream in listener.incoming().flatten() {
        send(&mut stream, 0, &greeting());
        let mut heard = [0; 4096];
        for asked in 0.. {
            if !matches!(stream.read(&mut heard), Ok(1..)) {
                break;
            }
            let (number, answer) = match asked {
                0 => (2, OK),
                n if n < place => (1, OK),
                _ => (1, rubbish),
            };
            send(&mut stream, number, answer);
        }
    }
}

#[test]
fn rubbish_is_answered_with_one_message_and_no_panic() {
    let room = Room::new();
    for rubbish in [b"".as_slice(), b"\xfe\xff\xff\xff\xff\xff\xff\xff\x7f", b"\xfb", b"\x05\0"] {
        for place in [1, 2] {
            let listener = TcpListener::bind("127.0.0.1:0").unwrap();
            let port = listener.local_addr().unwrap().port();
            std::thread::spawn(move || serve(&listener, place, rubbish));
            let target = format!("mariadb://u@127.0.0.1:{port}/d?sslmode=disable&connect_timeout=2");
            refuses(&room, &format!("run T611 --target {target}"), &format!("dbdyno: {target} cannot be used: "));
            let said = room.run(&format!("run T611 --target {target}")).expect(2).stderr;
            assert!(said.lines().count() == 1 && !said.contains("panicked"), "{rubbish:?} at {place}: {said}");
        }
    }
}
