//! Servers that let clients in and then fall silent within a message: dbdyno does not wait for them for ever. The tests
//! pass if they end.

use crate::scratch::{mariadb, postgres};
use crate::tap::{First, Tap};
use crate::{catalogue, engine, refused};
use dbdyno_engine::FindingLevel;
use dbdyno_model::ErrorClass;
use dbdyno_testkit::servers::Scratch;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::thread;

#[test]
fn the_first_question_has_a_limit() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        let mut kept = Vec::new();
        for client in listener.incoming() {
            let mut client = client.unwrap();
            let mut head = [0; 8];
            client.read_exact(&mut head).unwrap();
            client.read_exact(&mut vec![0; usize::from(head[3]) + 256 * usize::from(head[2]) - 8]).unwrap();
            // It lets everyone in, and sends half an answer.
            client.write_all(b"R\0\0\0\x08\0\0\0\0K\0\0\0\x0c\0\0\0\x01\0\0\0\x01Z\0\0\0\x05IT\0\0").unwrap();
            kept.push(client);
        }
    });
    let target = format!("postgres://scott@127.0.0.1:{port}/bench?sslmode=disable&connect_timeout=1");
    for silent in refused(&target) {
        assert_eq!(silent.class, ErrorClass::ConnectionLost, "{silent}");
        assert!(silent.message.contains("let us in and then gave no answer within 1 s"), "{silent}");
    }
}

/// Wherever the server stops, `check` reports it.
fn a_check_ends<S: Scratch>(server: &S, user: &str, first: First) {
    let check = |port: u16| {
        let target = format!("{}://{user}@127.0.0.1:{port}/bench?sslmode=disable&connect_timeout=1", S::ENGINE);
        engine(&target).check(&catalogue::size_t())
    };
    let all = check(server.port);
    assert!(all.len() > 3 && all.iter().all(|found| found.subject != "connection"), "{all:?}");
    let check = &check;
    thread::scope(|scope| {
        for bytes in [10, 300, 1_000, 2_000] {
            scope.spawn(move || {
                let tap = Tap::start(server.port, first);
                tap.fall_silent_after(bytes);
                let found = check(tap.port);
                let silent =
                    |f: &&dbdyno_engine::Finding| f.level == FindingLevel::Blocker && f.subject == "connection";
                assert!(found.iter().any(|found| silent(&found)), "{bytes} bytes: {found:?}");
            });
        }
    });
}

#[test]
fn a_check_of_postgres_ends_wherever_the_server_stops() {
    let server = postgres::Server::start();
    server.psql("postgres", "CREATE DATABASE bench");
    a_check_ends(&server, postgres::Server::SUPERUSER, First::Client);
}

#[test]
fn a_check_of_mariadb_ends_wherever_the_server_stops() {
    let server = mariadb::Server::start();
    server
        .client("", "CREATE DATABASE bench; CREATE USER scott@'127.0.0.1'; GRANT ALL ON bench.* TO scott@'127.0.0.1'");
    a_check_ends(&server, "scott", First::Server);
}
