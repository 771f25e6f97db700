//! Watching as users do it: in a terminal, in a browser and as lines, while real servers work. What is seen is compared
//! with what was recorded, and with what the points say.

mod errors;
mod figures;
mod killed;
mod monitor;
mod page;
mod profile;
mod secrets;
mod servers;
mod stop_if;
mod terminal;
mod views;

use crate::browser::Browser;
use crate::on_servers::OWN;
use crate::support::{Room, Running, wait_until};
use serde_json::Value;
use servers::Watched;
use std::io::{Read, Write};
use std::net::TcpStream;

/// A server for one story alone, because others at work would be seen, and a room.
pub(crate) struct Place<S> {
    pub(crate) server: S,
    pub(crate) room: Room,
}

impl<S: Watched> Place<S> {
    /// With an empty database.
    pub(crate) fn empty() -> Self {
        let server = S::telling();
        server.sql(S::HOME, &format!("CREATE DATABASE {OWN}"));
        Self { server, room: Room::new() }
    }

    /// With a small TPC-B.
    pub(crate) fn with_tpcb() -> Self {
        let place = Self::empty();
        place.room.run(&place.at("load tpcb --scale 1")).expect(0);
        place
    }

    /// The target, as administrator.
    pub(crate) fn target(&self) -> String {
        self.server.socket(S::SUPERUSER, OWN)
    }

    /// A command that ends with the target.
    pub(crate) fn at(&self, line: &str) -> String {
        format!("{line} --target {}", self.target())
    }
}

/// Documents, one a line.
#[track_caller]
pub(crate) fn documents(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"))).collect()
}

/// The readings that were kept of a run or profile.
#[track_caller]
pub(crate) fn kept(room: &Room, name: &str) -> Vec<Value> {
    documents(&room.run(&format!("replay {name} --json")).expect(0).stdout)
}

/// A figure of a reading, where it is there.
pub(crate) fn figure(reading: &Value, pointer: &str) -> Option<f64> {
    reading.pointer(pointer).and_then(Value::as_f64)
}

/// The address of the page that a command serves.
#[track_caller]
pub(crate) fn address(serving: &Running) -> String {
    serving.until("live page: http");
    let said = serving.heard();
    let address = said.split("live page: ").nth(1).and_then(|rest| rest.lines().next());
    address.unwrap_or_else(|| panic!("no address: {said}")).to_owned()
}

/// What a page of a server on this machine answers with, head and body. A stream is read until it has this many bytes.
pub(crate) fn fetched(address: &str, path: &str, most: usize) -> String {
    let host = address.trim_start_matches("http://").trim_end_matches('/');
    let mut stream = TcpStream::connect(host).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").unwrap();
    let (mut answer, mut piece) = (Vec::new(), [0; 8_192]);
    while answer.len() < most {
        match stream.read(&mut piece) {
            Ok(n) if n > 0 => answer.extend(&piece[..n]),
            _ => break,
        }
    }
    String::from_utf8_lossy(&answer).into_owned()
}

/// Waits until an expression is true in a page.
#[track_caller]
pub(crate) fn until(browser: &mut Browser, expression: &str) {
    wait_until(expression, || {
        std::thread::sleep(std::time::Duration::from_millis(50));
        browser.value(expression) == true
    });
}
