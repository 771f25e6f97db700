//! Where a server is: what is known of its place once it has been reached.

use std::path::PathBuf;

/// The place of a server.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServerLocation {
    /// Whether it runs on this machine.
    pub local: bool,
    /// Its main process, where that runs on this machine and can be named.
    pub server_pid: Option<u32>,
    /// The folder of its data, where that is on this machine and may be read.
    pub data: Option<PathBuf>,
    /// The files of its data, where the server names them and they are files of this machine.
    pub files: Vec<PathBuf>,
    /// Bytes of a block.
    pub block_bytes: u64,
}

impl ServerLocation {
    /// A server whose main process is this one, or one that is elsewhere.
    #[must_use]
    pub fn of_process(server_pid: Option<u32>, data: Option<PathBuf>, block_bytes: u64) -> Self {
        Self { local: server_pid.is_some(), server_pid, data, files: Vec::new(), block_bytes }
    }
}
