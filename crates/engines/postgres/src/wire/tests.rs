//! What servers may say, and what may be between: no bytes make the client panic, and answers may be cut anywhere.

use super::answer::{self, CommandResult, texts};
use super::authenticate::login_message;
use super::incoming::{Incoming, Message};
use super::said::said;
use super::value::WireType;
use super::{Login, Status, open};
use crate::errors::{Cause, Trouble, connect_error};
use crate::options::Options;
use dbdyno_engine::Target;
use dbdyno_engine::client;
use proptest::prelude::*;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::thread;
use std::time::{Duration, Instant};

fn message(kind: u8, body: &[u8]) -> Vec<u8> {
    let length = u32::try_from(body.len() + 4).unwrap().to_be_bytes();
    [&[kind], length.as_slice(), body].concat()
}

/// A row of integers in binary, each of so many bytes; none is NULL.
fn row(values: &[Option<(i64, usize)>]) -> Vec<u8> {
    let mut body = u16::try_from(values.len()).unwrap().to_be_bytes().to_vec();
    for value in values {
        match value {
            None => body.extend((-1_i32).to_be_bytes()),
            Some((value, bytes)) => {
                body.extend(i32::try_from(*bytes).unwrap().to_be_bytes());
                body.extend(&value.to_be_bytes()[8 - bytes..]);
            }
        }
    }
    message(b'D', &body)
}

/// What is read of an answer whose columns are of these kinds, and of bytes that come in pieces, when the server is
/// ready.
fn read(
    kinds: &[WireType],
    bytes: &[u8],
    cuts: &[usize],
) -> Result<Option<(Status, CommandResult, client::Answer)>, Trouble> {
    let (mut incoming, mut answer, mut rows) =
        (Incoming::default(), CommandResult::default(), client::Answer::default());
    let mut rest = bytes;
    for cut in cuts.iter().copied().chain([bytes.len()]) {
        let (mut piece, later) = rest.split_at(cut.min(rest.len()));
        rest = later;
        while !piece.is_empty() {
            let room = incoming.room();
            let taken = piece.len().min(room.len());
            room[..taken].copy_from_slice(&piece[..taken]);
            incoming.filled(taken);
            piece = &piece[taken..];
            while let Some(message) = incoming.message()? {
                if let Some(status) = answer.take(message, |row| answer::values(row, kinds, rows.begin_row()))? {
                    return Ok(Some((status, answer, rows)));
                }
            }
        }
    }
    Ok(None)
}

/// The status, rows by the server's account, those that came, and their sum.
fn all(kinds: &[WireType], bytes: &[u8]) -> Result<(Status, u64, usize, u64), String> {
    match read(kinds, bytes, &[]) {
        Ok(Some((status, answer, rows))) => Ok((status, answer.rows, rows.rows(), rows.sum())),
        Ok(None) => Err("not ready".to_owned()),
        Err(trouble) => Err(trouble.in_words().to_owned()),
    }
}

const ONE: [WireType; 1] = [WireType::Int(4)];
const TWO: [WireType; 2] = [WireType::Int(8), WireType::Int(8)];

fn select(rows: &[Vec<u8>], tag: &[u8]) -> Vec<u8> {
    [message(b'2', b""), rows.concat(), message(b'C', tag), message(b'Z', b"I")].concat()
}

#[test]
fn rows_sums_and_changes_are_read() {
    let one = select(&[row(&[Some((33, 4))])], b"SELECT 1\0");
    assert_eq!(all(&ONE, &one), Ok((Status::Idle, 1, 1, 33)));
    assert_eq!(all(&ONE, &select(&[], b"SELECT 0\0")), Ok((Status::Idle, 0, 0, 0)));
    let two = [row(&[Some((320, 8)), Some((7, 8))]), row(&[Some((0, 8)), None])];
    assert_eq!(all(&TWO, &select(&two, b"SELECT 2\0")), Ok((Status::Idle, 2, 2, 327)));
    let changed = [message(b'C', b"BEGIN\0"), message(b'C', b"UPDATE 320\0"), message(b'Z', b"T")].concat();
    assert_eq!(all(&[], &changed), Ok((Status::InTransaction, 320, 0, 0)));
    // A number that is none of rows.
    assert_eq!(all(&[], &message(b'Z', b"E")), Ok((Status::Failed, 0, 0, 0)));
}

#[test]
fn what_is_no_answer_is_refused() {
    for (bytes, said) in [
        (message(b'Z', b"?"), "a status"),
        (message(b'D', b"\0"), "a row that is not"),
        (row(&[]), "a row that is not"),
        (row(&[Some((1, 3))]), "a row that is not"),
        (message(b'D', b"\0\x01\0\0\0\x08ab"), "a row that is not"),
        (b"D\0\0\0\x03abc".to_vec(), "impossible length"),
        (b"HTTP/1.1 400 Bad Request\r\n".to_vec(), "impossible length"),
    ] {
        let refused = all(&ONE, &bytes).unwrap_err();
        assert!(refused.contains(said), "{bytes:?}: {refused}");
    }
    assert!(all(&[], &row(&[Some((1, 4))])).unwrap_err().contains("a row that is not"), "nobody asked for it");
}

#[test]
fn errors_are_read_and_the_first_one_counts() {
    let fields = b"SERROR\0VERROR\0C42P01\0Mno such table\0Hlook elsewhere\0Ddetail\0Wline 1\0\0";
    let bytes = [message(b'E', fields), message(b'E', b"C00000\0Msecond\0\0"), message(b'Z', b"I")].concat();
    let error = read(&TWO, &bytes, &[]).unwrap().unwrap().1.error.unwrap();
    assert_eq!((error.sqlstate.as_str(), error.message.as_str()), ("42P01", "no such table"));
    assert_eq!((error.hint.as_deref(), error.place.as_deref()), (Some("look elsewhere"), Some("line 1")));
    assert_eq!(said(b"").message, "the server gave no reason");
    let rolled_back = [message(b'C', b"ROLLBACK\0"), message(b'Z', b"I")].concat();
    assert!(read(&TWO, &rolled_back, &[]).unwrap().unwrap().1.rolled_back);
}

#[test]
fn memory_for_a_long_message_is_given_back() {
    let long = message(b'D', &vec![7; 100_000]);
    let mut incoming = Incoming::default();
    for piece in long.chunks(999) {
        let mut piece = piece;
        while !piece.is_empty() {
            let room = incoming.room();
            let taken = piece.len().min(room.len());
            room[..taken].copy_from_slice(&piece[..taken]);
            incoming.filled(taken);
            piece = &piece[taken..];
        }
    }
    assert_eq!(incoming.message().unwrap().map(|message| message.body.len()), Some(100_000));
    assert!(incoming.message().unwrap().is_none());
    incoming.shrink();
    assert!(incoming.room().len() < 5_000);
}

proptest! {
    /// Whatever comes is understood or refused.
    #[test]
    fn no_bytes_make_it_panic(
        mut bytes in prop::collection::vec(any::<u8>(), 0..300),
        plausible in any::<bool>(),
        kind in prop::sample::select(b"DCEZNSRK12".to_vec()),
        cuts in prop::collection::vec(0_usize..40, 0..6),
    ) {
        if plausible {
            bytes = message(kind, &bytes);
        }
        for kinds in [&ONE[..], &TWO, &[WireType::Text], &[]] {
            drop(read(kinds, &bytes, &cuts));
        }
        drop(texts(&bytes));
        drop(said(&bytes));
        for kind in *b"REKZN" {
            drop(login_message(Message { kind, body: &bytes }));
        }
    }

    /// An answer means the same wherever the network cuts it.
    #[test]
    fn answers_may_be_cut_anywhere(
        rows in prop::collection::vec((any::<u16>(), any::<u32>()), 0..30),
        cuts in prop::collection::vec(1_usize..60, 0..10),
    ) {
        let lines: Vec<Vec<u8>> = rows.iter()
            .map(|(rows, sum)| row(&[Some((i64::from(*rows), 8)), Some((i64::from(*sum), 8))])).collect();
        let bytes = select(&lines, b"SELECT 1\0");
        let whole = all(&TWO, &bytes).unwrap();
        let sum: u64 = rows.iter().map(|(rows, sum)| u64::from(*rows) + u64::from(*sum)).sum();
        prop_assert_eq!((whole.2, whole.3), (rows.len(), sum));
        let cut_once = (0..bytes.len()).map(|cut| vec![cut]);
        for cuts in cut_once.chain([cuts]) {
            let (status, answer, rows) = read(&TWO, &bytes, &cuts).unwrap().unwrap();
            prop_assert_eq!((status, answer.rows, rows.rows(), rows.sum()), whole);
        }
    }
}

/// Opens a connection to somebody who reads what comes first and answers `says`, again and again, then closes or waits.
fn against(says: &'static [u8], closes: bool, options: &str) -> (Trouble, Duration) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        let mut kept = Vec::new();
        for client in listener.incoming() {
            let mut client = client.unwrap();
            _ = client.read(&mut [0; 500]);
            _ = client.write_all(says);
            if !closes {
                kept.push(client);
            }
        }
    });
    let target = format!("postgres://u:secret@127.0.0.1:{port}/d?connect_timeout=1{options}");
    let options = Options::parse(&Target::parse(&target).unwrap()).unwrap();
    let (host, tls) = (options.host(0), options.tls(options.host(0)).unwrap());
    let found = crate::password::find(&options, host);
    let began = Instant::now();
    let login =
        Login { options: &options, host, application: "test", settings: "", password: &found, tls: tls.as_ref() };
    let trouble = open(&login).map(drop).unwrap_err();
    assert!(!format!("{trouble:?}").contains("secret"));
    (trouble, began.elapsed())
}

#[test]
fn whoever_is_no_server_is_found_out_in_time() {
    let plain = "&sslmode=disable";
    for (says, closes, options, cause) in [
        (&b""[..], true, plain, Cause::NoServer),
        (b"", true, "", Cause::NoServer),
        (b"", false, plain, Cause::Silence),
        (b"", false, "", Cause::Silence),
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", false, plain, Cause::NoServer),
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", true, "", Cause::NoServer),
        // Half a message, half a handshake, and a certificate that is none.
        (b"R\0\0\0\x08\0\0", false, plain, Cause::Silence),
        (b"S", false, "&sslmode=require", Cause::Silence),
        (b"S\x16\x03\x03nonsense", true, "&sslmode=require", Cause::Tls),
        (b"N", true, "&sslmode=require", Cause::Tls),
        // Ready without having said that we may come in, and a key that is none.
        (b"K\0\0\0\x05x", true, plain, Cause::NoServer),
        (b"R\0\0\0\x0c\0\0\0\x0bxxxx", true, plain, Cause::NoServer),
        (b"R\0\0\0\x0c\0\0\0\x07xxxx", true, plain, Cause::Other),
    ] {
        let (trouble, took) = against(says, closes, options);
        assert!(took < Duration::from_secs(8), "{says:?}: {took:?}");
        assert_eq!(trouble.cause(), cause, "{says:?}: {trouble:?}");
    }
}

/// With `prefer` a failure of TLS is followed by an attempt without it, whose failure does not hide the first.
#[test]
fn both_failures_are_told_where_tls_is_preferred() {
    let (trouble, _) = against(b"S\x16\x03\x03nonsense", true, "");
    let options = Options::parse(&Target::parse("postgres://u@127.0.0.1/d").unwrap()).unwrap();
    let found = crate::password::find(&options, options.host(0));
    let error = connect_error(&options, options.host(0), &found, &trouble);
    assert!(error.message.contains("before, with TLS: error performing TLS handshake"), "{error}");
    let (alone, _) = against(b"S\x16\x03\x03nonsense", true, "&sslmode=require");
    let error = connect_error(&options, options.host(0), &found, &alone);
    assert!(!error.message.contains("before, with TLS"), "{error}");
    // A server without TLS has answered the first attempt: it is not made twice, and nothing is said of TLS.
    let refusal = b"SFATAL\0C28000\0Mno pg_hba.conf entry for host \"::1\", no encryption\0\0";
    let (without, _) = against([b"N".as_slice(), &message(b'E', refusal)].concat().leak(), false, "");
    let error = connect_error(&options, options.host(0), &found, &without);
    assert!(error.message.contains("no encryption") && !error.message.contains("before, with TLS"), "{error}");
}
