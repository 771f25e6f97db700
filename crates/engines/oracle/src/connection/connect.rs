//! Opening and closing a connection, within a time. The driver knows a limit for the TCP connection alone: a listener
//! that is stopped, or none, accepts that and then says nothing. So another thread opens it, and is watched: when the
//! time is over, the socket that it waits on is shut, and it ends.

use super::super::options::{Options, Place};
use super::super::password;
use super::socket::{Shut, Socket, shut_socket_of};
use dbdyno_engine::server::password::FoundPassword;
use dbdyno_engine::server::{algorithms, caught};
use oracledb::{Config, Connection, Error};
use rustix::thread::Pid;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// A name may stand for several addresses, three for the listener of a cluster: each gets this share of the time.
const ADDRESSES: u32 = 3;
/// How long a thread that has been let go may take to end before it is left to another one that sees to it.
const ENDING: Duration = Duration::from_millis(500);
const LOOK_EVERY: Duration = Duration::from_millis(2);
/// How long a server may take to say goodbye.
const GOODBYE: Duration = Duration::from_secs(3);

/// Why there is no connection.
pub(super) enum Refused {
    Error(Error),
    /// Nothing came back in time.
    Silent,
    /// What came back made the driver stop short.
    Garbled,
    /// There is no thread to connect with.
    Thread(std::io::Error),
}

/// Opens a connection.
pub(super) fn connect(options: &Options, place: &Place, found: &FoundPassword) -> Result<Connection, Refused> {
    let config = config(options, place, found).map_err(Refused::Error)?;
    if place.is_encrypted() {
        // The driver takes the process's own, and stops short where nobody has chosen any.
        algorithms::install();
    }
    match watched(options.connect_timeout, move || caught(|| oracledb::connect(config))) {
        Ok(Some(connected)) => connected.map_err(Refused::Error),
        Ok(None) => Err(Refused::Garbled),
        Err(refused) => Err(refused),
    }
}

fn config(options: &Options, place: &Place, found: &FoundPassword) -> Result<Config, Error> {
    let password = found.password().map_or("", |password| password.reveal());
    let mut config = Config::default()
        .set_connect_string(place.descriptor())?
        .set_credentials(&options.user, password)
        .set_program("dbdyno")?
        .set_driver_name("dbdyno")
        .set_transport_connect_timeout(Some(options.connect_timeout / ADDRESSES));
    if let Some(wallet) = &options.wallet {
        config = config.set_wallet_location(wallet.to_string_lossy());
        if let Some(password) = password::of_wallet() {
            config = config.set_wallet_password(password.reveal());
        }
    }
    Ok(config)
}

/// Closes a connection, which is a word with the server: it is given a time, and then shut.
pub(super) fn close(connection: Connection, socket: Option<Socket>) {
    // Nobody is left who could be told how it went.
    _ = watched(GOODBYE, move || caught(|| drop(connection)));
    drop(socket);
}

/// Runs something that waits for a server on a thread of its own, until the time is over.
fn watched<T: Send + 'static>(limit: Duration, work: impl FnOnce() -> T + Send + 'static) -> Result<T, Refused> {
    let (sender, receiver) = mpsc::channel();
    let (id_sender, id_receiver) = mpsc::sync_channel(1);
    let thread = thread::Builder::new().name("oracle-connect".to_owned()).spawn(move || {
        _ = id_sender.send(rustix::thread::gettid());
        // Nobody listens any more where it took too long: what was opened is closed again.
        _ = sender.send(work());
    });
    let thread = thread.map_err(Refused::Thread)?;
    let until = Instant::now() + limit;
    match receiver.recv_timeout(limit) {
        Ok(done) => {
            // Only its end is missing.
            _ = thread.join();
            Ok(done)
        }
        Err(RecvTimeoutError::Disconnected) => Err(Refused::Garbled),
        Err(RecvTimeoutError::Timeout) => {
            drop(receiver);
            if let Ok(id) = id_receiver.recv_timeout(until.saturating_duration_since(Instant::now()) + ENDING) {
                end(thread, id);
            }
            Err(Refused::Silent)
        }
    }
}

/// Makes a thread end that waits for a server. A look-up of a name cannot be cut short; it ends by itself, and another
/// thread sees to what comes after it.
fn end(thread: JoinHandle<()>, id: Pid) {
    if let Some(thread) = ended(thread, id, Some(ENDING)) {
        _ = thread::Builder::new().name("oracle-end".to_owned()).spawn(move || ended(thread, id, None));
    }
}

/// Shuts whatever a thread waits on until it has ended. Gives it back if it has not by then.
fn ended(thread: JoinHandle<()>, id: Pid, limit: Option<Duration>) -> Option<JoinHandle<()>> {
    let begun = Instant::now();
    while !thread.is_finished() {
        if limit.is_some_and(|limit| begun.elapsed() > limit) {
            return Some(thread);
        }
        if shut_socket_of(id) == Shut::Refused {
            // Nothing more can be done: the thread stays until the other side ends the connection.
            return None;
        }
        thread::sleep(LOOK_EVERY);
    }
    _ = thread.join();
    None
}
