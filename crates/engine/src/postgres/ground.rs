//! What is known of the server once it has been reached: its version, and whether it runs on this machine, where its
//! files and processes can be seen.

use super::link::Link;
use super::options::Options;
use crate::EngineError;
use crate::private::PrivateServer;
use crate::server::ServerLink as _;
use std::path::{Path, PathBuf};

/// The server's place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Ground {
    /// The server's main process, where it runs on this machine.
    pub(super) server_pid: Option<u32>,
    /// The data folder, where it is on this machine and may be read.
    pub(super) data: Option<PathBuf>,
    /// Bytes of a block.
    pub(super) block_bytes: u64,
}

/// Bytes of a block unless the server was built for others.
pub(super) const BLOCK_BYTES: u64 = 8_192;

impl Ground {
    /// Looks around.
    ///
    /// # Errors
    /// The server is lost.
    pub(super) fn look(
        link: &mut Link,
        options: &Options,
        private: Option<&PrivateServer>,
    ) -> Result<Self, EngineError> {
        let doing = "asking the server where it is";
        let answer = link.texts(doing, "SELECT current_setting('block_size')")?;
        let first = answer.first().and_then(|row| row.first()).cloned().flatten();
        let block_bytes = first.and_then(|size| size.parse().ok()).unwrap_or(BLOCK_BYTES);
        if let Some(private) = private {
            return Ok(Self { server_pid: Some(private.pid), data: Some(private.data.clone()), block_bytes });
        }
        let server_pid = match options.hosts.as_slice() {
            [host] if host.is_local() => main_process(link.session_id()),
            _ => None,
        };
        let data = match server_pid {
            // Only administrators may ask for the folder; a target without it is measured without the sight of its files.
            Some(_) => link.texts(doing, "SELECT current_setting('data_directory')").ok(),
            None => None,
        };
        let data = data.and_then(|rows| rows.first()?.first()?.clone()).map(PathBuf::from);
        let data = data.filter(|folder| std::fs::read_dir(folder).is_ok());
        let data = data.filter(|folder| server_pid.is_some_and(|pid| is_of(folder, pid)));
        Ok(Self { server_pid, data, block_bytes })
    }
}

/// The main process of the server that a session's process belongs to. A loopback port may be a tunnel to another
/// machine, or lead into a container: then there is no such process here, or it is something else.
fn main_process(backend_pid: u64) -> Option<u32> {
    let folder = Path::new("/proc").join(backend_pid.to_string());
    let name = std::fs::read_to_string(folder.join("comm")).ok()?;
    let stat = std::fs::read_to_string(folder.join("stat")).ok()?;
    // The parent is the second field after the name, which stands in parentheses.
    let parent: u32 = stat.rsplit_once(')')?.1.split_ascii_whitespace().nth(1)?.parse().ok()?;
    (name.trim_end().starts_with("postgres") && parent > 1).then_some(parent)
}

/// Whether a data folder is that of a server, which notes its process there. Where the server runs in a container, the same
/// path may lead to another cluster here.
fn is_of(folder: &Path, server_pid: u32) -> bool {
    match std::fs::read_to_string(folder.join("postmaster.pid")) {
        Ok(noted) => noted.lines().next().and_then(|pid| pid.trim().parse().ok()) == Some(server_pid),
        // The folder may be seen, and this file not.
        Err(error) => error.kind() == std::io::ErrorKind::PermissionDenied,
    }
}

#[cfg(test)]
mod tests {
    use super::super::link::tests::servers::postgres::Server;
    use super::*;
    use crate::Target;

    #[test]
    fn the_data_folder_is_that_of_the_server_that_answers() {
        let server = Server::start();
        let look = |target: &str| {
            let options = Options::parse(&Target::parse(target).unwrap()).unwrap();
            let mut link = Link::open(&options, 0, "dbdyno").unwrap();
            Ground::look(&mut link, &options, None).unwrap()
        };
        let target = server.socket("postgres", "postgres");
        let ground = look(&target);
        assert_eq!((ground.server_pid, ground.data), (Some(server.pid()), Some(server.data())));
        // Another cluster under the same path, as in another container.
        let file = server.data().join("postmaster.pid");
        let noted = std::fs::read_to_string(&file).unwrap();
        std::fs::write(&file, noted.replacen(&server.pid().to_string(), "1", 1)).unwrap();
        let ground = look(&target);
        assert_eq!((ground.server_pid, ground.data), (Some(server.pid()), None));
        std::fs::remove_file(&file).unwrap();
        assert_eq!(look(&target).data, None);
    }

    #[test]
    fn other_processes_are_no_servers() {
        assert_eq!(main_process(u64::from(std::process::id())), None);
        assert_eq!(main_process(i32::MAX as u64), None);
    }
}
