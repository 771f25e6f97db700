//! What cannot be watched or served is refused at once, with what to do.

use super::Place;
use super::servers::Watched;
use crate::on_servers::{refuses, stories};
use crate::support::Room;
use std::net::TcpListener;

stories!(; of_one_product: what_cannot_be_served_is_refused);

fn what_cannot_be_served_is_refused<S: Watched>() {
    let place = Place::<S>::empty();
    let refused = |line: &str, words: &str| refuses(&place.room, &place.at(line), words);
    refused("monitor --serve 0.0.0.0:0", "say --insecure");
    refused("monitor --serve 0.0.0.0:0", "give a certificate and its key, or serve on 127.0.0.1");
    std::fs::write(place.room.path("token"), "too-short\n").unwrap();
    refused("monitor --serve --token-file token", "a token needs at least 16 characters");
    refused("monitor --serve --token-file nowhere", "--token-file nowhere: ");
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    refused(&format!("monitor --serve {address}"), &format!("cannot serve on {address}: Address already in use"));
    std::fs::write(place.room.path("pem"), "no certificate").unwrap();
    refused("monitor --serve --tls-certificate pem --tls-key pem", "cannot use pem for TLS: ");
    refused("monitor --token-file token", "--serve");
    refused("monitor --json --lines", "cannot be used with");
    let closed = format!("{}://{}@127.0.0.1:1/x", S::ENGINE, S::SUPERUSER);
    refuses(&place.room, &format!("monitor --target {closed} --json"), "is the server running, is 1 its port");
}

#[test]
fn what_has_no_server_is_not_watched() {
    let room = Room::with_data();
    let ending = room.run("monitor --target sqlite:x.sqlite --for 1s").expect(2);
    assert!(ending.stderr.contains("the engine has no server that could be looked at"), "{}", ending.stderr);
    let ending = room.run("replay nothing").expect(2);
    assert!(
        ending.stderr.contains("`dbdyno list runs` shows them all") || ending.stderr.contains("there are no results"),
        "{}",
        ending.stderr
    );
    let ending = room.run("run T611 --target sqlite:x.sqlite --no-readings --live").expect(2);
    assert!(ending.stderr.contains("'--no-readings' cannot be used with '--live'"), "{}", ending.stderr);
}
