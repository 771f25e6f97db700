//! Bad input about PostgreSQL targets: what is wrong and where to look, exit 2, and no file that was not there before.

use super::{Database, refuses};
use crate::servers::SUPERUSER;
use crate::support::Room;
use std::io::{Read, Write};
use std::net::TcpListener;

#[test]
fn a_server_that_cannot_be_reached_says_where_to_look() {
    let room = Room::new();
    // Bound and not listened to for long enough: nobody else has this port.
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    for (target, words) in [
        (
            format!("postgres://scott@127.0.0.1:{free}/x"),
            format!(
                "Connection refused (os error 111); is the server running, is {free} its port, and does listen_addresses cover this address?\n"
            ),
        ),
        ("postgres://scott@no-such-host.invalid/x".to_owned(), "is the host's name spelt right?\n".to_owned()),
        (
            "postgres://scott@/x?host=/no/such/folder".to_owned(),
            "is the server running, and are this folder and port its unix_socket_directories and port?\n".to_owned(),
        ),
    ] {
        for what in ["run T611", "run T111", "load --size T", "drop"] {
            let line = format!("{what} --target {target}");
            refuses(&room, &line, &words);
            refuses(&room, &line, &format!("dbdyno: {target} cannot be used: connection lost: connecting to "));
        }
        let check = room.run(&format!("check --target {target}")).expect(2);
        assert!(check.stdout.contains("BLOCKER") && check.stdout.contains(words.trim_end()), "{}", check.stdout);
    }
    assert!(room.files().is_empty());
}

/// Somebody listens there, and is no PostgreSQL server: one says nothing, one says something else.
#[test]
fn a_port_of_something_else_is_no_server() {
    let room = Room::new();
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let target = format!("postgres://scott@127.0.0.1:{}/x?connect_timeout=1", silent.local_addr().unwrap().port());
    refuses(&room, &format!("run T611 --target {target}"), "nothing answered within 1 s: is the host up");
    let web = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = web.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for (n, mut visitor) in web.incoming().flatten().enumerate() {
            // Politely, after the request, and rudely, without reading it.
            if n % 2 == 0 {
                _ = visitor.read(&mut [0; 1000]);
            }
            _ = visitor.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n");
        }
    });
    let target = format!("postgres://scott@127.0.0.1:{port}/x?sslmode=disable");
    for _ in 0..4 {
        refuses(&room, &format!("run T611 --target {target}"), "is it a PostgreSQL server");
    }
}

#[test]
fn users_databases_and_options_that_are_not_there_are_named() {
    let (room, database) = (Room::new(), Database::empty());
    let server = database.server;
    for (target, words) in [
        (
            server.socket(SUPERUSER, "nowhere"),
            format!(
                "database \"nowhere\" does not exist [SQLSTATE 3D000]; create it: createdb --host={} --port={}",
                server.socket_folder().display(),
                server.port
            ),
        ),
        (server.tcp("nobody", "postgres"), "role \"nobody\" does not exist".to_owned()),
        (
            format!("{}&ssl=1", server.socket(SUPERUSER, "postgres")),
            "there is no option 'ssl'; there are sslmode=disable|prefer|require|verify-ca|verify-full".to_owned(),
        ),
        (format!("{}?sslmode=on", server.tcp(SUPERUSER, "postgres")), "sslmode is one of disable".to_owned()),
        (format!("{}?sslmode=require", server.tcp(SUPERUSER, "postgres")), "turn on ssl in postgresql.conf".to_owned()),
        ("postgres:localhost".to_owned(), "write postgres://user@host:port/database".to_owned()),
        ("postgres://u@h:70000/x".to_owned(), "'70000' is no port".to_owned()),
        ("postgresql://u@h/x".to_owned(), "there is no engine 'postgresql'".to_owned()),
    ] {
        for what in ["run T611", "load --size T"] {
            refuses(&room, &format!("{what} --target {target}"), &words);
        }
    }
    assert!(room.files().is_empty());
}

#[test]
fn what_is_asked_for_must_be_there() {
    let (room, database) = (Room::new(), Database::loaded());
    let target = database.target();
    refuses(&room, &format!("run T611 --size D --target {target}"), "holds size T (seed 42), but size D was asked for");
    refuses(&room, &format!("run T611 --seed 7 --target {target}"), "but seed 7 was asked for");
    let words =
        format!("dbdyno: --nodes 2 was asked for, but {target} names 1; list the hosts of the cluster in the target");
    refuses(&room, &format!("run T611 --nodes 2 --target {target}"), &words);
    refuses(&room, &format!("run T661 --target {target}"), "there is no test 'T661'; nearest: T611");
    let empty = Database::empty();
    refuses(&room, &format!("run T611 --target {}", empty.target()), "holds no data of dbdyno's; load it first");
    assert!(room.files().is_empty());
}

/// A test that the engine has no equivalent of is unsupported, with a reason, and no failure.
#[test]
fn what_postgres_cannot_do_is_said() {
    let (room, database) = (Room::new(), Database::loaded());
    let tests = room.run("list tests --engine postgres --json").expect(0).json();
    let none = tests.as_array().unwrap().iter().find(|t| t["mapping"] == "none");
    let code = none.and_then(|t| t["code"].as_str()).unwrap_or_else(|| panic!("everything is supported: {tests:#}"));
    let line = format!("run {code} --ramp 1 --duration 50ms --json --target {}", database.target());
    let document = room.run(&line).expect(0).json();
    assert!(crate::support::points(&document).iter().all(|p| p["status"] == "unsupported"), "{document:#}");
    crate::json::check_document(&document);
}
