//! Bad input about server targets: what is wrong and where to look, exit code 2, and no new file.

use super::{Product, refuses, stories};
use crate::support::{Room, points};
use std::io::{Read, Write};
use std::net::TcpListener;

stories!(
    a_server_that_cannot_be_reached_says_where_to_look,
    a_port_of_something_else_is_no_server,
    users_databases_and_options_that_are_not_there_are_named,
    what_is_asked_for_must_be_there,
    what_the_engine_cannot_do_is_said,
);

/// A product's messages about bad input.
pub(crate) trait BadInput: Product {
    /// Targets without a server, one of them on a free port, and how each message ends.
    fn unreachable(port: u16) -> Vec<(String, String)>;

    /// Messages about a port with another kind of service: one that answers, and one that speaks first.
    const SOMETHING_ELSE: [&'static str; 2];

    /// Wrong targets on a server, and the messages about them.
    fn wrong_targets(&self) -> Vec<(String, String)>;
}

fn a_server_that_cannot_be_reached_says_where_to_look<S: BadInput>() {
    let room = Room::new();
    // A free port may be another story's port by now, so a port that is never used.
    let nobodys = 1;
    for (target, words) in S::unreachable(nobodys) {
        for what in ["run T611", "run T111", "load --size T", "drop"] {
            let line = format!("{what} --target {target}");
            refuses(&room, &line, &format!("{words}\n"));
            refuses(&room, &line, &format!("dbdyno: {target} cannot be used: connection lost: connecting to "));
        }
        let check = room.run(&format!("check --target {target}")).expect(2);
        assert!(check.stdout.contains("BLOCKER") && check.stdout.contains(&words), "{}", check.stdout);
    }
    assert!(room.files().is_empty());
}

/// A service listens there that is not such a server: one is silent, one says something else.
fn a_port_of_something_else_is_no_server<S: BadInput>() {
    let room = Room::new();
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let target = |port: u16, options: &str| format!("{}://scott@127.0.0.1:{port}/x?{options}", S::ENGINE);
    let line = format!("run T611 --target {}", target(silent.local_addr().unwrap().port(), "connect_timeout=1"));
    refuses(&room, &line, "nothing answered within 1 s: is the host up");
    for (answers, words) in [true, false].into_iter().zip(S::SOMETHING_ELSE) {
        let web = TcpListener::bind("127.0.0.1:0").unwrap();
        let line = target(web.local_addr().unwrap().port(), "sslmode=disable&connect_timeout=1");
        std::thread::spawn(move || {
            for mut visitor in web.incoming().flatten() {
                // Politely, after the request, or rudely, without reading it.
                if answers {
                    _ = visitor.read(&mut [0; 1000]);
                }
                _ = visitor.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n");
            }
        });
        for _ in 0..2 {
            refuses(&room, &format!("run T611 --target {line}"), words);
        }
    }
}

fn users_databases_and_options_that_are_not_there_are_named<S: BadInput>() {
    let (room, database) = (Room::new(), S::fixtures().empty());
    let known = database.server.tcp(S::SUPERUSER, &database.name);
    for (target, words) in database.server.wrong_targets().into_iter().chain([
        (
            format!("{known}?ssl=1"),
            "there is no option 'ssl'; there are sslmode=disable|prefer|require|verify-ca|verify-full".to_owned(),
        ),
        (format!("{known}?sslmode=on"), "sslmode is one of disable".to_owned()),
        (format!("{}:localhost", S::ENGINE), format!("write {}://user@host:port/database", S::ENGINE)),
        (format!("{}://u@h:70000/x", S::ENGINE), "'70000' is no port".to_owned()),
        (format!("{}s://u@h/x", S::ENGINE), format!("there is no engine '{}s'", S::ENGINE)),
    ]) {
        for what in ["run T611", "load --size T"] {
            refuses(&room, &format!("{what} --target {target}"), &words);
        }
    }
    assert!(room.files().is_empty());
}

fn what_is_asked_for_must_be_there<S: BadInput>() {
    let (room, database) = (Room::new(), S::fixtures().loaded());
    let target = database.target();
    refuses(&room, &format!("run T611 --size D --target {target}"), "holds size T (seed 42), but size D was asked for");
    refuses(&room, &format!("run T611 --seed 7 --target {target}"), "but seed 7 was asked for");
    let words =
        format!("dbdyno: --nodes 2 was asked for, but {target} names 1; list the hosts of the cluster in the target");
    refuses(&room, &format!("run T611 --nodes 2 --target {target}"), &words);
    refuses(&room, &format!("run T661 --target {target}"), "there is no test 'T661'; nearest: T611");
    let empty = database.beside();
    refuses(&room, &format!("run T611 --target {}", empty.target()), "holds no data of dbdyno's; load it first");
    assert!(room.files().is_empty());
}

/// A test without an equivalent on the engine is unsupported, with a reason, and not a failure.
fn what_the_engine_cannot_do_is_said<S: BadInput>() {
    let (room, database) = (Room::new(), S::fixtures().loaded());
    let tests = room.run(&format!("list tests --engine {} --json", S::ENGINE)).expect(0).json();
    let none = tests.as_array().unwrap().iter().find(|t| t["mapping"] == "none");
    let code = none.and_then(|t| t["code"].as_str()).unwrap_or_else(|| panic!("everything is supported: {tests:#}"));
    let line = format!("run {code} --ramp 1 --duration 50ms --json --target {}", database.target());
    let document = room.run(&line).expect(0).json();
    assert!(points(&document).iter().all(|p| p["status"] == "unsupported"), "{document:#}");
    crate::document::check_document(&document);
}
