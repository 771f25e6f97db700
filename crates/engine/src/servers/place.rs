//! Where a server is, and how it is reached.

use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::path::PathBuf;

/// A place of a server's own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The folder of its programs.
    pub programs: PathBuf,
    /// Its data.
    pub data: PathBuf,
    /// The folder of its socket.
    pub socket_folder: PathBuf,
    /// The port on the loopback address; `None` where it is reached by its socket alone.
    pub tcp_port: Option<u16>,
    /// Who is let in.
    pub access: Access,
}

/// What a server is set to: a name and its value.
pub type Setting = (String, String);

/// Who is let in, and as whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Whoever can open the socket, as dbdyno's own user of dbdyno's own database.
    Own,
    /// Everybody on this machine, as anybody, without a password. For servers of tests.
    Anybody,
}

/// Who works in which database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Login<'a> {
    /// The user.
    pub user: &'a str,
    /// The database.
    pub database: &'a str,
}

/// A port of the loopback address at which nothing listens now.
///
/// # Errors
/// There is none.
pub fn free_port() -> io::Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port())
}
